"""What this kiosk has received, as one value: the public view, and what the referee's notes tell beside it (`Desk`).

Each message gives the next value. Pure; the link's thread may compute it. docs/reference/messages.md has the kinds of notes: who may join
how, what may be chosen, who agreed to what. A kind that is not known here changes nothing, so that a newer referee does no harm.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import msgspec

from kiosk_ui.seen_again import GameReplay, read_replay
from referee.net.topics.payloads import KioskIncoming, KioskNote, LinkDown, LinkUp, Status
from referee.presentation.scenes import Duel, duel_of
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState, kiosk_state
from referee.rules.values import Rank, Seat
from referee.table.views import Health, Phase, PublicEvent, PublicInfo, PublicView
from referee.words import Words


class Pin(Enum):
    """State of the arbiter's PIN: none is set, it is wanted, it was given, or the last try was wrong or came too soon."""

    NONE = "none"
    WANTED = "wanted"
    OPEN = "open"
    WRONG = "wrong"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Chair:
    """One seat at this kiosk: how to join it, the digits to compare, and what its player agreed to by touch."""

    seat: Seat
    link: str = ""
    code: str = ""
    digits: str = ""
    again: bool = False
    """Whether the digits are those of a second handset, for which the first was thrown off."""
    compared: bool = False
    """Whether its player has confirmed the digits on the phone."""
    paired: bool = False
    rematch: bool = False
    abort: bool = False


class KeptGame(msgspec.Struct, frozen=True):
    """A game of the table's list."""

    name: str
    rules: str
    seats: tuple[Seat, ...]
    players: dict[Seat, str]
    computers: dict[Seat, int]
    plies: int
    date: str | None = None
    winner: str | None = None


class KeptGames(msgspec.Struct, frozen=True):
    """Some games that were looked for, newest first, whether there are older ones, and by field what can be looked for."""

    games: tuple[KeptGame, ...] = ()
    more: bool = False
    choices: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Library:
    """What the table has told of the games that it keeps."""

    found: KeptGames | None = None
    """None until something was looked for."""
    replay: GameReplay | None = None
    fault: str = ""
    """Why the last wish was not met."""
    answers: int = 0
    """So many replays were told, or refused."""
    parts: tuple[str, ...] = field(default=(), repr=False)
    """Of a replay that is still being told, its link first."""

    def after(self, note: KioskNote) -> Library:
        """Return it after one more note."""
        try:
            match note.kind:
                case "games" if note.text:
                    return replace(self, found=msgspec.json.decode(note.text, type=KeptGames), fault="")
                case "games-fault":
                    return replace(self, fault=note.text, answers=self.answers + 1)
                case "replay":
                    return replace(self, parts=(note.text,))
                case "replay-part" if note.text and self.parts and len(self.parts) < _MOST_PARTS:
                    return replace(self, parts=(*self.parts, note.text))
                case "replay-part" if self.parts:
                    link, *packed = self.parts
                    read = read_replay(_unpacked("".join(packed)), link)
                    return replace(self, parts=(), replay=read, fault="", answers=self.answers + 1)
        except (ValueError, zlib.error):  # msgspec's errors are ValueErrors
            return replace(self, parts=(), fault="unreadable", answers=self.answers + 1)
        return self


_MOST_PARTS = 200
_MOST_BYTES = 8_000_000


def _unpacked(text: str) -> bytes:
    return zlib.decompressobj().decompress(base64.b64decode(text), _MOST_BYTES)


@dataclass(frozen=True, slots=True)
class Desk:
    """The content of all notes; empty until the referee has answered this kiosk's `hello`."""

    chairs: tuple[Chair, ...] = ()
    pin: Pin = Pin.NONE
    arbiter: bool = False
    """Whether the arbiter was called."""
    sensors: str = ""
    """What is wrong with the board while no view says it, the word of a `Health`; empty when nothing is known to be."""
    options: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of an option -> the values that may be chosen, where there are several."""
    library: Library | None = None
    """None where nobody may see the games that the table keeps."""

    @property
    def complete(self) -> bool:
        """Return whether every seat has its handset."""
        return bool(self.chairs) and all(chair.paired for chair in self.chairs)

    def chair(self, seat: Seat) -> Chair | None:
        """Return the chair of a seat, or None where no note named it."""
        return next((chair for chair in self.chairs if chair.seat is seat), None)

    def after(self, note: KioskNote) -> Desk:
        """Return the desk after one more note."""
        match note.kind:
            case "seats":
                return Desk(tuple(Chair(Seat(name)) for name in note.text.split() if name in _SEATS))
            case "option" | "choice":
                return self._option(note)
            case "pin" if note.text in _PINS:
                return replace(self, pin=Pin(note.text))
            case "sensors" if note.text in _SENSORS:
                return replace(self, sensors=note.text)
            case "arbiter":
                return replace(self, arbiter=bool(note.text))
            case "games" | "games-fault" | "replay" | "replay-part":
                return replace(self, library=(self.library or Library()).after(note))
            case ("rematch" | "abort") as agreed if note.seat is None:
                none: dict[str, Any] = {agreed: False}
                return replace(self, chairs=tuple(replace(chair, **none) for chair in self.chairs))
        return self if note.seat is None else self._chair_after(note, note.seat)

    def next_game(self) -> Desk:
        """Return the desk for another game: what was agreed for the last one is over."""
        chairs = tuple(replace(chair, rematch=False, abort=False) for chair in self.chairs)
        return replace(self, chairs=chairs, arbiter=False, library=self.library and Library())

    def _chair_after(self, note: KioskNote, seat: Seat) -> Desk:
        match note.kind:
            case "join":
                return self._with(seat, link=note.text, code="", digits="")
            case "code":
                return self._with(seat, code=note.text)
            case "paired" | "paired-again":
                again = note.kind == "paired-again"
                return self._with(seat, link="", code="", digits=note.text, again=again, compared=False, paired=True)
            case ("compared" | "rematch" | "abort") as said:
                return self._with(seat, **{said: True})
        return self

    def _option(self, note: KioskNote) -> Desk:
        name, equals, value = note.text.partition("=")
        if not equals:
            return self
        if note.kind == "choice":
            return replace(self, choices={**self.choices, name: tuple(value.split())})
        return replace(self, options={**self.options, name: value})

    def _with(self, seat: Seat, **changes: Any) -> Desk:
        chairs = self.chairs if self.chair(seat) is not None else (*self.chairs, Chair(seat))
        return replace(
            self, chairs=tuple(replace(chair, **changes) if chair.seat is seat else chair for chair in chairs)
        )


_SEATS = frozenset(seat.value for seat in Seat)
_SENSORS = frozenset(("", *(health.value for health in Health)))
_RESTING = (Phase.LOBBY, Phase.FINISHED, Phase.PAUSED)
_PINS = frozenset(pin.value for pin in Pin)


@dataclass(frozen=True, slots=True)
class ReceivedState:
    """Whether broker and referee are there, and the newest table received."""

    broker: bool = False
    referee: bool = False
    info: PublicInfo | None = None
    view: PublicView | None = None
    newest: Mapping[Seat, Rank] = field(default_factory=dict)
    """The pieces that the last attack took, by army."""
    desk: Desk = field(default_factory=Desk)
    duel: Duel | None = None
    """The newest verdict of this game."""

    @property
    def contact(self) -> Contact:
        """Return what is waited for, or that nothing is."""
        if not self.broker:
            return Contact.NO_BROKER
        return Contact.LIVE if self.referee else Contact.NO_REFEREE

    def after(self, value: KioskIncoming) -> ReceivedState:
        """Return what is known after one more message. What this kiosk does not show leaves it as it is."""
        match value:
            case LinkUp():
                return replace(self, broker=True)
            case LinkDown():
                return replace(self, broker=False, referee=False, desk=Desk())
            case Status():
                return replace(self, referee=value.up, desk=self.desk if value.up else Desk())
            case PublicInfo() if self.info is None or value.game != self.info.game:
                return replace(self, info=value, newest={}, desk=self.desk.next_game(), duel=None)
            case PublicInfo():
                return replace(self, info=value)
            case PublicView():
                return replace(self, view=value)
            case PublicEvent() if value.captured or value.kind == "verdict":
                duel = duel_of(value, self.info, self.view) or self.duel
                return replace(self, newest=dict(value.captured) or self.newest, duel=duel)
            case KioskNote():
                return replace(self, desk=self.desk.after(value))
            case _:
                return self

    @property
    def table(self) -> tuple[PublicInfo, PublicView] | None:
        """Return the table to show. A view of another game than the newest info waits for its own."""
        if self.info is None or self.view is None or self.info.game != self.view.game:
            return None
        return self.info, self.view

    @property
    def rests(self) -> bool:
        """Return whether nobody has to see the board now: before and after a game, in a pause, and where no table is heard."""
        return self.table is None or self.contact is not Contact.LIVE or self.table[1].phase in _RESTING

    @property
    def between_games(self) -> bool:
        """Return whether no game is on, as far as is known here."""
        return self.view is None or self.view.phase in (Phase.LOBBY, Phase.FINISHED)

    def stirs(self, before: ReceivedState) -> bool:
        """Return whether something has happened since; a seat's link that is renewed has not."""
        return any(
            one != other
            for one, other in (
                (self.contact, before.contact),
                (self.info, before.info),
                (self.view, before.view),
                ([(c.digits, c.compared, c.paired) for c in self.desk.chairs],
                 [(c.digits, c.compared, c.paired) for c in before.desk.chairs]),
            )
        )  # fmt: skip

    def state(self, words: Words, passed_ms: int = 0) -> KioskState:
        """Return what the table looks like so long after the view was received."""
        info, view = self.table or (None, None)
        state = kiosk_state(info, view, words, self.contact, self.newest, passed_ms)
        if view is None and self.desk.chairs and self.contact is Contact.LIVE:  # cards and lobby say what to do
            text = words["kiosk.all-here"] if self.desk.complete else state.banner.text
            return replace(state, banner=replace(state.banner, text=text), detail="")
        return state
