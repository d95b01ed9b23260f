"""The table's side of its kiosk: what was touched becomes orders, and what the kiosk has to show is told, and told again when it asks.

A kiosk that has just come says `hello` and hears everything again, for nothing is kept for it at the broker. What it wishes is held
against the same limits as everything else; the arbiter's PIN is compared here and goes nowhere.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from enum import Enum

from referee.net.credential import Credential
from referee.net.topics.payloads import KioskNote, KioskWish
from referee.rules.values import Seat
from referee.runtime.child_processes import Child
from referee.runtime.table_config import TableConfig

_log = logging.getLogger(__name__)

Order = list[str]
ABORT_LIFE_S = 60.0
"""How long a player's word to break off waits for the others'."""
OPEN_S = 180.0
"""How long a right PIN opens the settings."""
TRIES, FIRST_WAIT_S, LONGEST_WAIT_S = 3, 30.0, 900.0
"""So many wrong PINs in a row, then none is looked at for a while, doubled each time."""


class PinState(Enum):
    """Where the lock stands; the words of the kiosk's `pin` note."""

    NONE = "none"
    WANTED = "wanted"
    OPEN = "open"
    WRONG = "wrong"
    WAIT = "wait"


class PinLock:
    """Guards the settings by a PIN, or not at all without one. Times are seconds of any monotonic clock."""

    def __init__(self, pin: str | None) -> None:
        self._pin = pin
        self._open_until_s = float("-inf")
        self._shut_until_s = float("-inf")
        self._wrong = 0

    def state(self, now_s: float) -> PinState:
        """Return where it stands."""
        if self._pin is None:
            return PinState.NONE
        return PinState.OPEN if now_s < self._open_until_s else PinState.WANTED

    def is_open(self, now_s: float) -> bool:
        """Return whether settings may be changed."""
        return self.state(now_s) in (PinState.NONE, PinState.OPEN)

    def attempt(self, typed: str, now_s: float) -> PinState:
        """Try a PIN; in the wait after too many wrong ones not even the right one opens."""
        if self._pin is None:
            return PinState.NONE
        if now_s < self._shut_until_s:
            return PinState.WAIT
        if hmac.compare_digest(typed.encode(), self._pin.encode()):
            self._wrong, self._open_until_s = 0, now_s + OPEN_S
            return PinState.OPEN
        self._wrong += 1
        if self._wrong % TRIES == 0:
            wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (self._wrong // TRIES - 1))
            self._shut_until_s = now_s + wait_s
            return PinState.WAIT
        return PinState.WRONG


class KioskDesk:
    """Takes wishes and tells notes, on the running loop's thread; `order` takes what it makes of them, as if it had been typed."""

    def __init__(
        self,
        seats: tuple[Seat, ...],
        send: Callable[[KioskNote], None],
        order: Callable[[Order], None],
        *,
        playing: Callable[[], bool],
        pin: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        library: Callable[[KioskWish], None] | None = None,
    ) -> None:
        """`library` answers what is asked of kept games; None where nobody may see them."""
        self._seats, self._send, self._order, self._playing = seats, send, order, playing
        self._library = library
        self._lock, self._sensors, self._clock = PinLock(pin), "", clock
        self._options: dict[str, str] = {}
        self._choices: dict[str, tuple[str, ...]] = {}
        self._told: dict[tuple[str, Seat], KioskNote] = {}
        self._abort: set[Seat] = set()
        self._abort_ends: asyncio.TimerHandle | None = None
        self._arbiter = False

    def offer(self, options: Mapping[str, str], choices: Mapping[str, tuple[str, ...]]) -> None:
        """Publish what is chosen for the next game, and what else may be: nothing where another rule set leaves nothing open."""
        closed = dict.fromkeys((name for name in self._choices if name not in choices), ())
        self._options = {name: value for name, value in {**self._options, **options}.items() if name not in closed}
        for name, values in {**closed, **choices}.items():
            if self._choices.get(name) != values:
                self._send(_choice(name, values))
        self._choices = dict(choices)
        for name, value in options.items():
            self._send(KioskNote("option", f"{name}={value}"))

    def tell(self, note: KioskNote) -> None:
        """Publish something of a seat, and keep it for a kiosk that comes later."""
        self._send(note)
        if note.seat is None:
            return
        if note.kind.startswith("paired"):
            for kind in ("join", "code", "paired", "paired-again", "compared"):
                self._told.pop((kind, note.seat), None)
        self._told[note.kind, note.seat] = note

    def confirm_digits(self, seat: Seat) -> None:
        """Publish once that a seat's player has confirmed its digits on the phone, so that the kiosk asks no more."""
        shown = any(note.text for (kind, whose), note in self._told.items() if whose is seat and "paired" in kind)
        if shown and ("compared", seat) not in self._told:
            self.tell(KioskNote("compared", "", seat))

    def begun(self) -> None:
        """Take it that a game has begun: what was agreed before it is over, and digits were compared."""
        self._told = {
            (kind, seat): KioskNote("paired", "", seat) if kind.startswith("paired") else note
            for (kind, seat), note in self._told.items()
            if kind not in ("rematch", "compared")
        }
        self._forget_abort()
        self.arbiter(False)

    def forget_rematch(self) -> None:
        """Publish that all consent to a rematch is cleared."""
        told = [key for key in self._told if key[0] == "rematch"]
        for key in told:
            del self._told[key]
        if told:
            self._send(KioskNote("rematch", ""))

    def arbiter(self, called: bool) -> None:
        """Publish that the arbiter was called, or is no longer waited for."""
        if self._arbiter != called:
            self._arbiter = called
            self._send(KioskNote("arbiter", "called" if called else ""))

    def tell_sensors(self, word: str) -> None:
        """Publish what is wrong with the board, as a stable word; empty: nothing is known to be."""
        self._sensors = word
        self._send(KioskNote("sensors", word))

    def take(self, wish: KioskWish) -> None:
        """Do what was touched, if it may be done now; everything else changes nothing."""
        now_s = self._clock()
        match wish.kind:
            case "hello":
                for note in self._everything(now_s):
                    self._send(note)
            case "pin":
                tried = self._lock.attempt(wish.value, now_s)
                _log.info("the PIN was tried at the kiosk: %s", tried.value)
                self._send(KioskNote("pin", tried.value))
            case "option":
                self._choose(wish.value, now_s)
            case "abort":
                self._take_abort(wish.value, now_s)
            case "arbiter" if self._playing():
                self._order(["pause"])
                self.arbiter(True)
            case "rematch" if wish.value in [seat.value for seat in self._seats]:
                self._order([wish.kind, wish.value])
            case "pair" if wish.value in [seat.value for seat in self._seats]:
                # a handset is told all that its seat knows: who may change it guards the ranks
                self._order_if_open([wish.kind, wish.value], now_s)
            case "start" | "pause" | "resume":
                self._order([wish.kind])
            case "games" | "replay" if self._library is not None and not self._playing():
                self._library(wish)

    def _choose(self, text: str, now_s: float) -> None:
        name, _, value = text.partition("=")
        if name == "language" and len(value) == 2:
            self._options[name] = value  # how a screen speaks is nobody else's business: kept for one that restarts
        elif value in self._choices.get(name, ()):
            self._order_if_open(["set", name, value], now_s)

    def _order_if_open(self, order: Order, now_s: float) -> None:
        """Order what the PIN guards; where it is wanted first, the kiosk is told."""
        if self._lock.is_open(now_s):
            self._order(order)
        else:
            self._send(KioskNote("pin", self._lock.state(now_s).value))

    def _take_abort(self, value: str, now_s: float) -> None:
        if not self._playing() or not value:
            self._forget_abort()
        elif value == "arbiter":
            if self._lock.state(now_s) is PinState.OPEN:
                self._order(["abort"])
        elif value in [seat.value for seat in self._seats]:
            self._abort.add(Seat(value))
            self._send(KioskNote("abort", "", Seat(value)))
            if self._abort_ends is None:
                self._abort_ends = asyncio.get_running_loop().call_later(ABORT_LIFE_S, self._forget_abort)
            if self._abort == set(self._seats):
                self._order(["abort"])

    def _forget_abort(self) -> None:
        if self._abort_ends is not None:
            self._abort_ends.cancel()
            self._abort_ends = None
        if self._abort:
            self._abort.clear()
            self._send(KioskNote("abort", ""))

    def _everything(self, now_s: float) -> Iterator[KioskNote]:
        yield KioskNote("seats", " ".join(seat.value for seat in self._seats))
        yield KioskNote("pin", self._lock.state(now_s).value)
        yield KioskNote("sensors", self._sensors)
        for name, values in self._choices.items():
            yield _choice(name, values)
        for name, value in self._options.items():
            yield KioskNote("option", f"{name}={value}")
        if self._arbiter:
            yield KioskNote("arbiter", "called")
        if self._library is not None:
            yield KioskNote("games", "")
        for kind in ("paired", "paired-again", "compared", "join", "code", "rematch"):
            yield from (note for (one, _), note in self._told.items() if one == kind)
        yield from (KioskNote("abort", "", seat) for seat in sorted(self._abort, key=self._seats.index))


def _choice(name: str, values: Iterable[str]) -> KioskNote:
    return KioskNote("choice", f"{name}={' '.join(values)}")


# ---- its window, a program of its own


async def start_kiosk(
    config: TableConfig, language: str, credential: Credential, stack: AsyncExitStack, *more: str
) -> Child:
    """Show the window, with `more` arguments if there are any; its end, wanted or not, is not the table's."""
    kinds = ("turned", "still", "sound", "spoken")
    chosen = [f"--{kind}" for kind in kinds if getattr(config, f"kiosk_{kind}")]
    arguments = ("kiosk", "--credential", "-", "--language", language, *chosen, *more)
    # drawing waits for the referee where one processor has both to do: a verdict is on the phones sooner
    behind = ("nice", "-n", "5")
    kiosk = await Child.start(
        "the kiosk", "referee.cli.main", *arguments, on_line=lambda line: None, may_leave=True, before=behind
    )
    stack.push_async_callback(kiosk.stop)
    kiosk.send(credential.to_json())
    return kiosk
