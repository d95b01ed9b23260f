"""What goes over the topics besides the table's views and messages, as values; and what a link hands to its owner.

First the small public values of the link itself (status, presence, the kiosk's notes), then what station and table say to each other
(an arbiter's order, its answer, alerts), at last what comes out of a link: always values, never topics or bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from referee.rules.values import Seat
from referee.table.arbiter_commands import ArbiterVerb, PauseGame, SetHallClock, SignEnd
from referee.table.messages import FromHandset, ToHandset
from referee.table.settings import Occasion as Occasion
from referee.table.views import GameEnd, PublicEvent, PublicInfo, PublicView

_SESSION = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a game that counted, once another has been begun: a station that was away notes it by this."""

    names: dict[Seat, str]
    end: GameEnd


@dataclass(frozen=True, slots=True)
class Status:
    """Whether the referee of a board is there (topic `pub/status`, also its last will)."""

    up: bool
    boot: int
    """Counts the starts of this referee; higher than before after a restart."""
    session: str
    """16 hex digits, new at every start; letters are sealed for it, so none of an earlier start is taken."""
    occasion: Occasion | None = None
    """What the game counts for, where a station has said so."""
    game: str = ""
    """The game that `occasion` is about; empty before it begins."""
    played: Played | None = None
    """Since another game has been begun, which counts for nothing: who played `game` and how it ended."""
    free: tuple[Seat, ...] | None = None
    """The seats that nobody has taken; None where the referee gives no seats away, as that of a demo."""
    again: tuple[Seat, ...] = ()
    """The seats that want another game, once one is over."""
    locked: bool = False
    """Whether only an arbiter chooses who plays, and a phone's wish for the computer is not heard: for a PIN, or too many changes."""

    def __post_init__(self) -> None:
        if not _SESSION.fullmatch(self.session):
            raise ValueError("a session is 16 hex digits")


class Bridge(Enum):
    """Whether a table's own broker is joined to the hall's (topic `bridge`): Mosquitto's own words for it."""

    CUT = 0
    JOINED = 1


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a seat's handset is there (topic `seat/.../presence`, also its last will)."""

    here: bool
    compared: bool = False
    """Whether its player has confirmed the six digits of its pairing."""
    name: str = ""
    """What its player wants to be called, as it was typed; empty: nothing was."""
    against: int = 0
    """The level of the computer against which its player wants to play, before the first game; 0: none."""


@dataclass(frozen=True, slots=True)
class KioskNote:
    """Something for the kiosk to show that is not part of a view: a join link, six digits, a choice (docs/reference/messages.md)."""

    kind: str
    text: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class KioskWish:
    """Something that was touched on the kiosk: start, an option, pause, abort, the arbiter's PIN (docs/reference/messages.md)."""

    kind: str
    value: str = field(default="", repr=False)
    """May be a PIN: no log shows it."""


# Station and table: an arbiter's order, its answer, and what needs an arbiter.


class _Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """What an arbiter orders of a table beside its game; the fields are those of `referee/table/arbiter_commands.py`."""

    id: str
    reason: str
    seq: int | None = None
    by: str = ""


class PairAgain(_Act, frozen=True, kw_only=True, tag="pair"):
    """Offer a seat again: whoever takes it throws its handset off."""

    seat: Seat


class Assign(_Act, frozen=True, kw_only=True, tag="assign"):
    """Who plays the next game here, and what it counts for."""

    names: dict[Seat, str]
    occasion: Occasion | None = None


class BeginGame(_Act, frozen=True, kw_only=True, tag="begin"):
    """Begin the next game: the first, or another after one that is over."""


class AskFacts(_Act, frozen=True, kw_only=True, tag="facts"):
    """What everybody could see is asked for: of a square and the piece on it, or, without one, what happened last."""

    square: str | None = None


TableAct = PairAgain | Assign | BeginGame | AskFacts
Act = ArbiterVerb | TableAct
"""Everything that an arbiter may order."""


class Needs(Enum):
    """What an order was given about, and what must therefore still be so when it is carried out."""

    TABLE = "table"
    """The table as such, whatever it plays."""
    GAME = "game"
    """This game, at whatever moment."""
    MOMENT = "moment"
    """This game, with nothing having happened since: `seq` is the number of its last event."""


def needs(act: Act) -> Needs:
    """Return what must still be as the arbiter saw it. Standing still and the time of the round are right at any moment of a game."""
    if isinstance(act, PairAgain | Assign | AskFacts):
        return Needs.TABLE
    return Needs.GAME if isinstance(act, PauseGame | SetHallClock | SignEnd) else Needs.MOMENT


class ArbiterOrder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One order of an arbiter, as it is signed."""

    board: str
    session: str
    """The referee's session, from `pub/status`: an order to an earlier start fits nobody."""
    game: str
    """The game that the arbiter saw; empty where there was none."""
    act: Act


@dataclass(frozen=True, slots=True)
class SignedOrder:
    """An order on its way (topic `arb/cmd`): the JSON of an `ArbiterOrder` as text, exactly as it was signed."""

    order: str
    signature: str
    """Ed25519 by the station's key over `hallmarshal order 1`, a zero byte, and the bytes of `order`; URL-safe base64."""


@dataclass(frozen=True, slots=True)
class HandSign:
    """What a hand was seen to do at a square, and when (milliseconds since 1970 by the table's clock)."""

    at_ms: int
    square: str
    what: str
    """`lifted` or `returned`."""
    ply: int


@dataclass(frozen=True, slots=True)
class Step:
    """One ply of a piece's way."""

    ply: int
    source: str
    target: str
    ran: bool
    """Farther than one step."""


@dataclass(frozen=True, slots=True)
class SquareFacts:
    """What everybody could see of a square and of the piece on it; no rank."""

    square: str
    army: Seat | None
    began: str | None
    """Where the piece stood when the game began."""
    way: tuple[Step, ...] = ()
    """Its last plies, the newest last: as many as an answer can carry."""
    moved: int = 0
    """How many there were in all."""
    ran: bool = False
    """In any of them."""
    attacked: int = 0
    """How many attacks it was in."""
    hands: tuple[HandSign, ...] = ()
    """What hands did at the square last, as far back as the table remembers and an answer can carry."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One public event as the journal has it, with the time by the table's clock (milliseconds since 1970)."""

    at_ms: int
    seq: int
    kind: str
    ply: int
    seat: Seat | None = None
    source: str | None = None
    target: str | None = None
    result: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ArbiterAck:
    """What became of an order (topic `arb/ack`)."""

    re: str
    """The order's id; empty where none could be read."""
    done: bool
    word: str
    """`done`, or why not (docs/reference/messages.md)."""
    game: str
    seq: int
    """Number of the table's last event after it."""
    detail: str = ""
    facts: SquareFacts | None = None
    history: tuple[Happened, ...] = ()
    """Answers `facts`: what happened last, the newest last."""


class AlertKind(Enum):
    """What needs an arbiter, most urgent first; sentences in `referee/words` (key `alert.<value>`)."""

    CALLED = "called"
    ILLEGAL_MOVE = "illegal-move"
    CLAIM = "claim"
    TIME_OVER = "time-over"
    DISTURBED = "disturbed"
    BOARD_LOST = "board-lost"
    NO_ANSWER = "no-answer"
    THROWN_OFF = "thrown-off"
    LINK_LOST = "link-lost"
    BOARD_HEALTH = "board-health"
    REPETITION = "repetition"
    TIME = "time"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that needs an arbiter."""

    kind: AlertKind
    seat: Seat | None = None
    text: str = ""
    """A stable word or squares that say more."""


@dataclass(frozen=True, slots=True)
class Alerts:
    """Everything that needs an arbiter at a table now, most urgent first (topic `arb/alerts`)."""

    game: str
    seq: int
    alerts: tuple[Alert, ...] = ()


# What a link hands to its owner.


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The connection to the broker is there, for the first time or again."""


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The connection was lost. It is tried again, unless `refused`: then this credential is no longer welcome."""

    reason: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class PeerFault:
    """The other side sent what cannot be used (`what` is the class of the error). Reported the 1st, 2nd, 4th, 8th ... time.

    Never fatal: it was dropped and changed nothing. `OtherGameError` and `OtherSessionError` also come up honestly, when a game or a
    start ends while a message is on its way.
    """

    seat: Seat | None
    what: str
    text: str
    count: int


@dataclass(frozen=True, slots=True)
class FromSeat:
    """A message of a seat's handset, opened, and the ply that the handset knew of."""

    seat: Seat
    message: FromHandset
    ply: int


@dataclass(frozen=True, slots=True)
class SeatPresence:
    """A seat's handset came or went, or its player compared the digits, typed a name or wants to play the computer."""

    seat: Seat
    here: bool
    compared: bool = False
    name: str = ""
    against: int = 0


@dataclass(frozen=True, slots=True)
class ToSeat:
    """A letter to the own seat, opened, and the ply at which the referee wrote it."""

    message: ToHandset
    ply: int


OfTable = PublicInfo | PublicView | PublicEvent
"""What a board tells everybody of the game that is on."""
OfBoard = Status | OfTable | Presence | ArbiterAck | Alerts | Bridge
"""What a station reads of a board."""


@dataclass(frozen=True, slots=True)
class FromBoard:
    """What a board of the hall has published; a presence comes with its seat."""

    board: str
    value: OfBoard
    seat: Seat | None = None


RefereeIncoming = LinkUp | LinkDown | PeerFault | FromSeat | SeatPresence | KioskWish | SignedOrder
HandsetIncoming = LinkUp | LinkDown | PeerFault | Status | OfTable | ToSeat
KioskIncoming = LinkUp | LinkDown | PeerFault | Status | OfTable | KioskNote
StationIncoming = LinkUp | LinkDown | PeerFault | FromBoard
