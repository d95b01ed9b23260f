"""What a table remembers between two inputs, and the sheet on which one input's outcome is written. Private to this room."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules import Decided, Fire, Infiltrate, Move
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.table.books import DualGame
from referee.table.clocks import Clocks, HallClock
from referee.table.commitments import seat_seed
from referee.table.messages import (
    Question,
    QuestionKind,
    TellAttack,
    TellFire,
    TellInfiltrate,
)
from referee.table.settings import TableSettings
from referee.table.views import Ask, Attack, Fix, GameEnd, Health, LastMove, Offer, Phase, Sighting


@dataclass(slots=True)
class Before:
    """What stood before a move that was read, for as long as the move can be revised."""

    dual: DualGame
    last_move: LastMove | None
    shown_attack: Attack | None
    clocks: Clocks | None
    """Standing still, as they were when it was read."""


@dataclass(slots=True)
class OpenAttack:
    """An attack whose ranks are being asked for: by each seat's own piece, under one question number."""

    question: int
    seat: Seat
    ways: tuple[Move | Infiltrate | Fire, ...]
    """The ways that the attacker may have gone; more than one only where they turn (Stratego 4)."""
    pieces: Mapping[Seat, PieceId]
    answers: dict[Seat, Hidden[Rank]] = field(default_factory=dict)
    denied: set[Seat] = field(default_factory=set)
    """Seats that say it was no attack."""

    @property
    def action(self) -> Move | Infiltrate | Fire:
        """Give the attack, by the first of its ways."""
        return self.ways[0]


@dataclass(slots=True)
class OpenDecision:
    """What a seat has to decide in Stratego 4, with what each choice would be played as."""

    question: int
    kind: QuestionKind
    seat: Seat
    choices: Mapping[str, Decided]


@dataclass(slots=True)
class OpenOffer:
    """A draw that was offered or a claim that was made, and who still has to answer it."""

    question: int
    kind: QuestionKind
    seat: Seat
    owed: set[Seat]
    also: bool = False
    """Somebody answered a claim with: I cannot move either."""
    ply: int | None = None
    """The ply that it is about: to go back to, or the verdict to void."""


@dataclass(frozen=True, slots=True)
class Declined:
    """An offer that was declined, and after which ply."""

    offer: Offer
    ply: int


@dataclass(slots=True)
class OpenPause:
    """Why and where the table stands still."""

    phase: Phase
    """Where it goes on; in the middle of play the board is put right first."""
    silence: bool
    """Whether an answer was missing, which then lets it go on."""
    left_ms: int | None = None
    """What is left of the open question's time; None for all of it."""
    by: Seat | None = None
    """The player who asked for it; None for silence, the kiosk or an arbiter."""
    ready: set[Seat] = field(default_factory=set)
    """Seats that want to go on."""
    called: list[Seat] = field(default_factory=list)
    """Seats that have called the arbiter."""


ANSWERS_KEPT = 64
"""How many accepted messages of a seat are remembered, to know a repeat."""


@dataclass(slots=True)
class TableState:
    """Everything a table remembers. Plain data; the modules of this room change it, nothing else does."""

    settings: TableSettings
    phase: Phase = Phase.LOBBY
    pause: OpenPause | None = None
    seq: int = 0
    letters_sent: Counter[Seat] = field(default_factory=Counter)
    reopened: int = 0
    """How often the game went on after the referee had been started again."""
    taken: dict[Seat, deque[str]] = field(default_factory=dict)
    """Ids of the messages of each seat that were accepted last: a repeat is accepted again and changes nothing."""
    questions: int = 0
    dual: DualGame | None = None
    before: Before | None = None
    """None when every ply is final."""
    in_hand: list[Square] = field(default_factory=list)
    occupants: Mapping[Square, Seat] = field(default_factory=dict)
    """What was seen on the board while setting up."""
    board_set_up: bool = False
    ready: set[Seat] = field(default_factory=set)
    enrolled: dict[Seat, Hidden[Mapping[Square, Rank]]] = field(default_factory=dict)
    attack: OpenAttack | None = None
    offer: OpenOffer | None = None
    declined: Declined | None = None
    """The offer that was declined last, until another is made."""
    decision: OpenDecision | None = None
    held: tuple[Seat, TellAttack | TellInfiltrate | TellFire] | None = None
    """An attack that was told while the move before it may still be going on; it is looked at once that is final."""
    leaving: dict[Seat, tuple[Square, tuple[Seat, ...]]] = field(default_factory=dict)
    """Flags that a mover said it leaves behind with its next move, and on which square."""
    shown_attack: Attack | None = None
    last_move: LastMove | None = None
    ask: Ask | None = None
    fixes: tuple[Fix, ...] = ()
    saw: tuple[Sighting, ...] = ()
    fault: str | None = None
    """What the hands that are put right did wrong, by what everybody knows."""
    """What the board showed when it was not understood, until anything else happens."""
    barred: str | None = None
    seen: dict[Seat, dict[PieceId, Rank]] = field(default_factory=dict, repr=False)
    """What each seat was told of rival pieces that survived."""
    roots: dict[Seat, str] = field(default_factory=dict)
    """The commitment root of each enrolled set-up, once the game has begun."""
    origins: dict[Square, PieceId] = field(default_factory=dict)
    """Which piece stood where when the game began."""
    connected: dict[Seat, bool] = field(default_factory=dict)
    board_fault: str | None = None
    """Why the board is not read, None while it is; the word of a `Health`."""
    warnings: tuple[Health, ...] = ()
    """What else is wrong with it."""
    blind: tuple[Square, ...] = ()
    """Squares whose sensor is not believed."""
    result: GameEnd | None = None
    deadline_ms: int | None = None
    """Until when the open question may be answered."""
    clocks: Clocks | None = None
    clocks_at: dict[int, Clocks] = field(default_factory=dict)
    """How they stood when a ply had been played, for as many plies as can be taken back."""
    hall_clock: HallClock | None = None
    """What is left of the round for all tables, where a station has said so."""
    ordered: deque[str] = field(default_factory=lambda: deque(maxlen=ANSWERS_KEPT))
    """Ids of the arbiter's orders that were carried out last."""
    unsettled: Move | Infiltrate | Fire | None = None
    """An attack whose verdict was voided; it is asked about anew once the board agrees."""

    @property
    def game(self) -> DualGame:
        """Return both sides of the game that is running; asking before the game began is a fault of the caller."""
        assert self.dual is not None
        return self.dual

    def seed(self, seat: Seat) -> str:
        """Give the seed of a seat's salts, empty where nothing is committed to."""
        secret = self.settings.secret
        return "" if secret is None else seat_seed(secret.open_hidden(), self.settings.game, seat)

    @property
    def in_doubt(self) -> bool:
        """Tell whether the last move can still be revised and the board is not watched for that now: it was asked about, or is not seen."""
        watched = self.phase in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND) and self.board_fault is None
        return self.before is not None and not watched

    @property
    def out(self) -> frozenset[Seat]:
        """Give the seats that play no more while the others go on."""
        castle = self.dual.public.castle if self.dual else None
        return frozenset(castle.out if castle else ())

    @property
    def ply(self) -> int:
        """Count the plies that were played, the one that can still be revised included."""
        return self.dual.public.ply if self.dual else 0

    def question_for(
        self, seat: Seat, number: int, kind: QuestionKind, choices: tuple[str, ...], ply: int | None = None
    ) -> Question:
        """Give a question about nothing on the board."""
        return Question(
            id=self.next_id(seat),
            question=number,
            kind=kind,
            ply=self.ply if ply is None else ply,
            source=None,
            target=None,
            square=None,
            choices=choices,
        )

    def next_id(self, seat: Seat) -> str:
        """Give the id of the next letter to a seat. Counted by seat: a common count would tell how often others are written to."""
        self.letters_sent[seat] += 1
        start = f"{self.reopened}-" if self.reopened else ""  # letters of an earlier start may have had any number
        return f"{seat.value[0]}{start}{self.letters_sent[seat]}"
