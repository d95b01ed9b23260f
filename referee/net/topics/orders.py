"""What station and referee say to each other besides the views: an arbiter's order, its answer, and what needs an arbiter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from referee.rules.values import Seat
from referee.table.arbiter_commands import ArbiterVerb, PauseGame, SetHallClock
from referee.table.settings import Occasion as Occasion


class _Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """What an arbiter orders of a table beside its game; the fields are those of `referee/table/arbiter_commands.py`."""

    id: str
    reason: str
    seq: int | None = None
    by: str = ""


class PairAgain(_Act, frozen=True, kw_only=True, tag="pair"):
    """Offer a seat anew: whoever takes it throws its handset off."""

    seat: Seat


class Assign(_Act, frozen=True, kw_only=True, tag="assign"):
    """Say who plays the next game here, and what it counts for."""

    names: dict[Seat, str]
    occasion: Occasion | None = None


class BeginGame(_Act, frozen=True, kw_only=True, tag="begin"):
    """Begin the next game: the first, or another after one that is over."""


class AskFacts(_Act, frozen=True, kw_only=True, tag="facts"):
    """Give what everybody could see: of a square and the piece on it, or, without one, what happened last."""

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
    """Give what must still be as the arbiter saw it. Standing still and the time of the round are right at any moment of a game."""
    if isinstance(act, PairAgain | Assign | AskFacts):
        return Needs.TABLE
    return Needs.GAME if isinstance(act, PauseGame | SetHallClock) else Needs.MOMENT


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
