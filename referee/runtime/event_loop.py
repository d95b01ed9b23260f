"""The asyncio shell of one table: bytes and letters in, facts to the journal, then the word to everybody.

It decides nothing. For every input it asks the pure core for a `Step` and carries it out in the order that keeps the promises:
journal first, then sensing's orders, then what is public, then the sealed letters.
"""

from __future__ import annotations

import asyncio
import logging
import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from firmware_bridge.messages import BoardUnreachableError, FaultKind, Frame, Hello, LinkBack, LinkLost, WireFault
from firmware_bridge.sources import BoardSource
from referee.net.topics.payloads import HandSign
from referee.rules.values import Seat
from referee.runtime.board_health import BoardWatch
from referee.runtime.board_listening import Listening
from referee.sensing import Interpreter, Lifted, Observation, Returned
from referee.table.arbiter_commands import ArbiterVerb, CorrectionError
from referee.table.inputs import (
    BoardDiffers,
    BoardLink,
    BoardWarnings,
    BrokerLink,
    Cable,
    Connection,
    Input,
    Open,
    Reopen,
    Tick,
)
from referee.table.messages import Letter
from referee.table.step import Advance, Collect, Expect, Fact, Follow, SensingOrder, Step
from referee.table.views import Health, Phase, PublicEvent, PublicInfo, PublicView

_log = logging.getLogger(__name__)

_UNHEARD_MS: Final = 1_500
"""After so long without a sign of life the broker counts as lost. Before a flag falls the board does, too."""
_UNHEARD_AT_ONCE_MS: Final = 750
"""The broker already after so long where a flag is due: it is asked every `BEAT_MS` and answers within a few milliseconds."""
_SILENT_S: Final = 3.0
"""With nothing from the board for so long it is not there, whatever its port says: it sends a frame every half second."""
_CLOCKS_S: Final = 5.0
"""So often the clocks that run are told again: a screen that comes later finds them at most so old, and counts down from there."""
HANDS_KEPT: Final = 256
_MOST_READS: Final = 64
"""A board that floods its line keeps nobody waiting for longer."""
_PUT_RIGHT: Final = frozenset({Phase.RESTORING, Phase.WAITING_FOR_BOARD})


class Outlet(Protocol):
    """Where the word goes: the broker's link, as far as the shell needs it."""

    def publish_info(self, info: PublicInfo) -> None:
        """Publish what stays the same for a game."""

    def publish_event(self, event: PublicEvent) -> None:
        """Publish one event."""

    def publish_state(self, view: PublicView) -> None:
        """Publish the whole public view."""

    def send(self, letter: Letter, ply: int) -> None:
        """Seal a letter and send it to its seat."""


class Refereed(Protocol):
    """What the loop runs: a table, or what stands in its place."""

    @property
    def phase(self) -> Phase:
        """Return the phase it is in."""

    @property
    def board_fault(self) -> str | None:
        """Return why the board cannot be read, None while it can."""

    @property
    def can_go_back(self) -> int:
        """Count what could be taken back now."""

    @property
    def remembered(self) -> int:
        """Count what a repeat is known by."""

    def apply(self, given: Input, now_ms: int) -> Step:
        """Take one input and return what came of it. Raises `CorrectionError`."""

    def view(self) -> PublicView:
        """Return what everybody may see."""

    def info(self) -> PublicInfo:
        """Return what stays the same for a game."""


class Ledger(Protocol):
    """Where facts are written before anybody hears of them."""

    def write(self, facts: Iterable[Fact]) -> None:
        """Write the facts of one step; they are on disk when this returns."""


# A clock that stands still while its own process did: what nobody could have measured is charged to nobody.
#
# A referee that is stopped, swapped out, or held up by a disk reads what hands did meanwhile only afterwards. By the machine's clock
# the whole time would be the mover's, and his flag could fall although he had moved at once.


BEAT_MS = 250
"""Somebody asks for the time at least so often while the process runs."""
GAP_MS = 500
"""With so long between two askings the process was held up. A shorter stall may be charged in full, so this is the most."""


def monotonic_ms() -> int:
    """Return the machine's time since its start in milliseconds; it never goes back."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """Milliseconds of a clock that never goes back, less the gaps between two askings of `GAP_MS` and more."""

    def __init__(self, machine_ms: Callable[[], int] = monotonic_ms) -> None:
        self._machine_ms = machine_ms
        self._asked_ms = machine_ms()
        self.stalled_ms = 0
        """What was left out so far."""

    def now_ms(self) -> int:
        """Return the time. After a stall it is that of the last asking before it."""
        machine_ms = self._machine_ms()
        gap_ms = machine_ms - self._asked_ms
        if gap_ms >= GAP_MS:
            self.stalled_ms += gap_ms
        self._asked_ms = machine_ms
        return machine_ms - self.stalled_ms


# ---- the event loop


class TableShell:
    """Runs one table on the running asyncio loop. All methods are to be called on that loop's thread."""

    def __init__(
        self,
        table: Refereed,
        interpreter: Interpreter,
        source: BoardSource,
        ledger: Ledger,
        outlet: Outlet,
        *,
        on_event: Callable[[PublicEvent, int | None], None] = lambda event, read_ns: None,
        on_view: Callable[[PublicInfo, PublicView], None] = lambda info, view: None,
        watch: BoardWatch | None = None,
        on_input: Callable[[Input], None] = lambda given: None,
        probe: Callable[[], tuple[int, int] | None] = lambda: None,
        machine_ms: Callable[[], int] = monotonic_ms,
    ) -> None:
        """`on_event` and `on_view` are told what is published, once it was; `on_event` also when the event's frame was read.

        `watch` is told of all that the board says, and is asked whether it is to be read. `machine_ms` never goes back.

        `probe` asks the broker for a sign of life and returns how many there were, and how often it was connected to; None without one.

        `on_input` is given everything that comes in beside the board's bytes, before it counts: `put_in` takes it again.
        """
        self._table = table
        self._interpreter = interpreter
        self._source = source
        self._ledger = ledger
        self._outlet = outlet
        self._on_event = on_event
        self._on_view = on_view
        self._watch = watch if watch is not None else BoardWatch()
        self._warned: tuple[Health, ...] = ()
        self._on_input = on_input
        self._heard_s = 0.0
        self._board_ms = 0
        """When the board was heard last."""
        self._probe = probe
        self._broker: tuple[int, int] | None = None
        self._broker_ms = self._beat_ms = 0
        """When the broker was heard last at the latest, and when it was asked last."""
        self._broker_lost = False
        self._came: dict[Seat, int] = {}
        """Under which connection to the broker each phone said that it is there."""
        self._ear: Listening | None = None
        self._loop = asyncio.get_running_loop()
        self._clock = SteadyClock(machine_ms)
        self._given_ms = 0
        """The last time that the table was given."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        """What comes later, by what it does: one of each."""
        self._deadline_ms: int | None = None
        self._closed = False
        self._expects_anew = False
        self.hands: deque[HandSign] = deque(maxlen=HANDS_KEPT)
        """What hands were seen to do last, for disputes."""
        self.failed: asyncio.Future[None] = self._loop.create_future()
        """Gets the exception of the first step that could not be carried out; the table stands still from then on."""

    def kept(self) -> Mapping[str, int]:
        """Count what sensing and the table keep that has a limit."""
        return {
            "votes": self._interpreter.votes,
            "told": self._interpreter.told,
            "can_go_back": self._table.can_go_back,
            "remembered": self._table.remembered,
        }

    def open(self) -> None:
        """Publish the table, begin setting up, and listen to the board."""
        self._outlet.publish_info(self._table.info())
        self._apply(Open())
        self._listen()

    def reopen(self, away_ms: int = 0) -> None:
        """Publish a table that was rebuilt, `away_ms` after its last fact was written, go on where it was, and listen to the board."""
        self._outlet.publish_info(self._table.info())
        self._apply(Reopen(away_ms))
        self._listen()

    def publish_again(self) -> None:
        """Publish the table once more, where something about it has changed that is no input."""
        self._outlet.publish_info(self._table.info())
        self._publish_state(self._table.view())

    def _listen(self) -> None:
        if self._watch.fault is not None:  # already before the game was begun
            self._is_read(None)
        self._warn(None)
        self._ear = Listening(
            self._loop,
            self._source.fileno(),
            lambda: self._guarded(self._board_speaks),
            lambda: self._interpreter.quiet and not self.failed.done(),
            lambda: self._interpreter.now_ms,
        )
        self._heard_s = self._loop.time()
        self._board_ms = self._broker_ms = self._beat_ms = self._clock.now_ms()
        self._broker = self._probe()
        self._listen_for_silence(_SILENT_S)
        self._show_clocks_soon()
        self._count_beats(self._clock.stalled_ms)

    def _count_beats(self, stalled_ms: int) -> None:
        """Ask for the time so often that a stall is noticed; after one, screens that have counted on hear what the clocks show."""
        self._clock.now_ms()
        if self._clock.stalled_ms != stalled_ms:
            self._guarded(self._publish_clocks)
        self._guarded(self._ask_broker)
        if not self._closed:
            self._timers["beat"] = self._loop.call_later(BEAT_MS / 1000, self._count_beats, self._clock.stalled_ms)

    def _ask_broker(self, limit_ms: int = _UNHEARD_MS) -> None:
        """Report when the broker has not been heard for too long, and when it is heard again; ask it again."""
        before, heard = self._broker, self._probe()
        if heard is None or before is None:
            return
        now_ms, self._broker = self._clock.now_ms(), heard
        if heard != before:  # since it was asked last
            if heard[1] != before[1] and not self._broker_lost:
                self._lose_broker(now_ms)
            self._broker_ms = self._beat_ms
            if self._broker_lost:
                self._broker_lost = False
                here = [seat for seat, here in self._table.view().connected.items() if here]
                awaited = tuple(seat for seat in here if self._came.get(seat, heard[1]) != heard[1])
                self._put(BrokerLink(heard=True, awaited=awaited))
        elif now_ms - self._broker_ms >= limit_ms and not self._broker_lost:
            self._lose_broker(now_ms)
        self._beat_ms = now_ms

    def _lose_broker(self, now_ms: int) -> None:
        self._broker_lost = True
        self._put(BrokerLink(heard=False, quiet_ms=now_ms - self._broker_ms))

    def _put(self, given: Input) -> None:
        self._on_input(given)
        self._apply(given)

    def _show_clocks_soon(self) -> None:
        view = self._table.view()
        if "show" not in self._timers and (view.clocks or view.hall_clock is not None):
            self._timers["show"] = self._loop.call_later(_CLOCKS_S, self._guarded, self._show_clocks)

    def _show_clocks(self) -> None:
        del self._timers["show"]
        self._publish_clocks()
        self._show_clocks_soon()

    def _publish_clocks(self) -> None:
        self._apply(Tick())
        view = self._table.view()
        waits = view.graces or (view.pause is not None and view.pause.left_ms is not None)
        if waits or any(face.runs for face in (*view.clocks.values(), view.hall_clock) if face is not None):
            self._publish_state(view)

    def _publish_state(self, view: PublicView) -> None:
        self._outlet.publish_state(view)
        self._on_view(self._table.info(), view)

    def close(self) -> None:
        """Stop listening, to the board and to everybody else. The source, the ledger and the outlet belong to the caller."""
        self._closed = True
        if self._ear is not None:
            self._ear.close()
        for timer in self._timers.values():
            timer.cancel()
        # what calls this shell, or may hold it, lets go: else all that a game holds would wait for the garbage collector, for many games
        self._ear = None
        self._on_event = self._on_view = self._on_input = _nobody
        self._probe = lambda: None

    def put_in(self, given: Input) -> None:
        """Take something that comes in beside the board's bytes; an arbiter's order as `order` does, once a flag that is due has fallen."""
        if isinstance(given, ArbiterVerb):
            self.catch_up()
            self.order(given)
            return
        if (
            self._table.phase is Phase.FINISHED
            and (due_ms := self._deadline_ms) is not None
            and self._now_ms() >= due_ms
        ):
            self.catch_up()  # a yes that comes after the time is late, however late this loop was woken
        if not isinstance(given, Connection):
            self._on_input(given)
        elif given.here and self._broker is not None:
            self._came[given.seat] = (self._probe() or self._broker)[1]
        self._guarded(lambda: self._apply(given))

    def catch_up(self) -> None:
        """Let happen what is due by now, as a flag that falls: so whoever orders something is judged by what is so."""
        self._guarded(lambda: self._apply(Tick()))

    def order(self, verb: ArbiterVerb) -> None:
        """Carry out an arbiter's order; it is on disk and told when this returns. `catch_up` comes before it.

        Raises `CorrectionError` for an order that cannot be carried out, and then nothing has changed.
        """
        if self._closed or self.failed.done():
            raise CorrectionError("not-now", "the table has stopped")
        step = self._table.apply(verb, self._now_ms())
        self._on_input(verb)
        self._guarded(lambda: self._carry_out(step, None))
        self._show_clocks_soon()

    def _apply(self, given: Input, read_ns: int | None = None) -> None:
        self._carry_out(self._table.apply(given, self._now_ms()), read_ns)

    def _guarded(self, act: Callable[[], None]) -> None:
        if self._closed or self.failed.done():
            return
        try:
            now_ms = self._clock.now_ms()
            if self._deadline_ms is not None and now_ms >= self._deadline_ms:
                self._ask_broker(_UNHEARD_AT_ONCE_MS)
                if now_ms - self._board_ms >= _UNHEARD_MS:
                    self._lose_board()
                self._hear_what_waits()
            act()
            self._look()
        except Exception as error:  # whatever it is, going on would mean guessing: stop and let the owner report it
            _log.info("the table stops: %s", type(error).__name__)
            self.failed.set_exception(error)
            self.failed.exception()  # seen: an owner that is already leaving need not ask for it

    def _hear_what_waits(self) -> None:
        """Take all that waits at the port before a flag falls: it came first."""
        for _ in range(_MOST_READS):
            if not select.select([self._source.fileno()], [], [], 0)[0]:
                break
            self._board_speaks()

    def _board_speaks(self) -> None:
        read_ns = time.monotonic_ns()
        self._heard_s = self._loop.time()
        self._board_ms = self._clock.now_ms()
        try:
            news = self._source.read()
        except BoardUnreachableError:
            self._apply(BoardLink(Health.LOST.value), read_ns)  # said before the table stands still for good
            raise
        for message in news:
            self._watch.take(message)
            match message:
                case Frame():
                    self._take_frame(message, read_ns)
                case LinkLost():
                    self._on_input(Cable(out=True))
                case LinkBack():  # the table hears of it with the board's hello: only that says that it is there
                    self._on_input(Cable(out=False))
                    self._interpreter.link_back()
                case WireFault(kind=FaultKind.REBOOTED):
                    self._interpreter.link_lost()
                case _:  # of a gap sensing judges by the board's own time: a frame or two that are missing hide no move
                    pass
            if isinstance(message, Hello) or self._watch.fault is not None:
                self._is_read(read_ns)
        self._warn(read_ns)

    def _is_read(self, read_ns: int | None) -> bool:
        """Return whether what the board reads means anything; where that has changed, everybody hears of it."""
        fault = self._watch.fault
        word = fault.value if fault is not None else None
        if word != self._table.board_fault:
            _log.info("the board is %s", word or "read again")
            if fault is not None:
                self._interpreter.link_lost()
            self._apply(BoardLink(word), read_ns)
        return fault is None

    def _warn(self, read_ns: int | None) -> None:
        """Publish to everybody what else is wrong with the board, where that has changed."""
        if self._watch.warnings != self._warned:
            self._warned = self._watch.warnings
            self._apply(BoardWarnings(self._warned), read_ns)

    def _take_frame(self, frame: Frame, read_ns: int) -> None:
        if not self._is_read(read_ns):
            return
        for observation in self._interpreter.feed(frame):
            self._note_hand(observation)
            self._carry_out(self._table.apply(observation, self._board_now_ms()), read_ns)
        if self._table.phase in _PUT_RIGHT:
            self._compare(read_ns)

    def _note_hand(self, said: Observation) -> None:
        if isinstance(said, Lifted | Returned):
            what = "lifted" if isinstance(said, Lifted) else "returned"
            self.hands.append(HandSign(int(time.time() * 1000), said.square.name, what, self._table.view().ply))

    def _compare(self, read_ns: int | None) -> None:
        self._apply(BoardDiffers(self._interpreter.differences()), read_ns)

    def _look(self) -> None:
        """Let what stands already count for an order that expects it: the board's next frame may be half a second away."""
        while self._expects_anew:
            self._expects_anew = False
            for observation in self._interpreter.look():
                self._apply(observation)

    def _listen_for_silence(self, in_s: float) -> None:
        self._timers["silence"] = self._loop.call_later(in_s, self._guarded, self._notice_silence)

    def _notice_silence(self) -> None:
        """Report when nothing has come for too long; not before the loop has had the time to read what waits at the port."""
        quiet_s = self._loop.time() - self._heard_s
        if quiet_s < _SILENT_S:
            self._listen_for_silence(_SILENT_S - quiet_s)
            return
        self._listen_for_silence(_SILENT_S / 2)
        if quiet_s >= _SILENT_S * 1.4:
            self._lose_board()

    def _lose_board(self) -> None:
        """Report that nothing comes from the board; clocks stand as they were when something came last."""
        if self._table.board_fault is None:
            self._interpreter.link_lost()
            self._apply(BoardLink(Health.SILENT.value, self._clock.now_ms() - self._board_ms))

    def _carry_out(self, step: Step, read_ns: int | None) -> None:
        if step.facts:
            self._ledger.write(step.facts)
        for order in step.orders:
            self._expects_anew |= obey(self._interpreter, order)
        changed = step.view_changed
        if step.orders and self._table.phase in _PUT_RIGHT:  # the view says of the squares what is seen of them now
            changed |= bool(self._table.apply(BoardDiffers(self._interpreter.differences()), self._now_ms()))
        if step.info_changed:
            self._outlet.publish_info(self._table.info())
        for fact in step.facts:
            if fact.event is not None:
                self._outlet.publish_event(fact.event)
                self._on_event(fact.event, read_ns)
        ply = self._table.view().ply if step.letters else 0
        for letter in step.letters:
            self._outlet.send(letter, ply)
        if changed:
            self._publish_state(self._table.view())
        self._set_timer(step.deadline_ms)

    def _set_timer(self, deadline_ms: int | None) -> None:
        if deadline_ms == self._deadline_ms:
            return
        self._deadline_ms = deadline_ms
        if (timer := self._timers.pop("deadline", None)) is not None:
            timer.cancel()
        if deadline_ms is not None:
            delay = max(0, deadline_ms - self._clock.now_ms()) / 1000
            self._timers["deadline"] = self._loop.call_later(delay, self._guarded, self._tick)

    def _tick(self) -> None:
        self._deadline_ms = None
        self._apply(Tick())

    def _now_ms(self) -> int:
        self._given_ms = self._clock.now_ms()
        return self._given_ms

    def _board_now_ms(self) -> int:
        """Return the time of what the board said: just before what is due, if that has not come about yet."""
        before_ms, now_ms, due_ms = self._given_ms, self._now_ms(), self._deadline_ms
        if due_ms is not None and now_ms >= due_ms:
            self._given_ms = max(before_ms, due_ms - 1)
        return self._given_ms


def obey(interpreter: Interpreter, order: SensingOrder) -> bool:
    """Set what sensing has to watch for; return whether what stands already may be what it is to expect now."""
    match order:
        case Follow():
            interpreter.follow(order.situation)
        case Advance():
            interpreter.advance(order.situation)
        case Expect():
            interpreter.expect(order.occupants)
            return True
        case Collect():
            interpreter.collect()
    return False


def _nobody(*_: object) -> None:
    """Hear nothing."""
