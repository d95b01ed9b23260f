"""What a table remembers between two inputs, and the sheet on which one input's outcome is written. Private to this room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.arbitration.messages import Letter, Question, QuestionKind, ToHandset
from referee.arbitration.settings import TableSettings
from referee.arbitration.step import Fact, SensingOrder, Step
from referee.arbitration.transitions import Happening, next_phase
from referee.arbitration.views import Ask, Attack, Fix, GameEnd, LastMove, Phase, PublicEvent
from referee.rules import Fire, Game, Infiltrate, Move, Recruit, TakeFlags
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat, Square


@dataclass(slots=True)
class Books:
    """The same game kept twice: `public` knows what everybody knows, `known` what the referee was told besides."""

    public: Game
    known: Game

    def copy(self) -> Books:
        """Give an independent pair."""
        return Books(self.public.copy(), self.known.copy())


@dataclass(slots=True)
class OpenAttack:
    """An attack whose ranks are being asked for: by each seat's own piece, under one question number."""

    question: int
    seat: Seat
    action: Move | Infiltrate | Fire
    pieces: Mapping[Seat, PieceId]
    answers: dict[Seat, Hidden[Rank]] = field(default_factory=dict)


@dataclass(slots=True)
class OpenDecision:
    """What a seat has to decide in Stratego 4, with what each choice would be played as."""

    question: int
    kind: QuestionKind
    seat: Seat
    choices: Mapping[str, TakeFlags | Recruit]


@dataclass(slots=True)
class OpenOffer:
    """A draw that was offered or a claim that was made, and who still has to answer it."""

    question: int
    kind: QuestionKind
    seat: Seat
    owed: set[Seat]
    also: bool = False
    """Somebody answered a claim with: I cannot move either."""


@dataclass(slots=True)
class TableState:
    """Everything a table remembers. Plain data; the modules of this room change it, nothing else does."""

    settings: TableSettings
    phase: Phase = Phase.LOBBY
    paused_from: Phase | None = None
    seq: int = 0
    letters_sent: int = 0
    questions: int = 0
    books: Books | None = None
    before: Books | None = None
    """The books before a move that was read and can still be revised; None when every ply is final."""
    in_hand: list[Square] = field(default_factory=list)
    occupants: Mapping[Square, Seat] = field(default_factory=dict)
    """What was seen on the board while setting up."""
    board_set_up: bool = False
    ready: set[Seat] = field(default_factory=set)
    enrolled: dict[Seat, Hidden[Mapping[Square, Rank]]] = field(default_factory=dict)
    attack: OpenAttack | None = None
    offer: OpenOffer | None = None
    decision: OpenDecision | None = None
    leaving: tuple[Square, tuple[Seat, ...]] | None = None
    """Flags that the mover said it leaves behind, and on which square."""
    shown_attack: Attack | None = None
    last_move: LastMove | None = None
    ask: Ask | None = None
    fixes: tuple[Fix, ...] = ()
    barred: str | None = None
    seen: dict[Seat, dict[PieceId, Rank]] = field(default_factory=dict)
    """What each seat was told of rival pieces that survived."""
    captured: dict[PieceId, Rank] = field(default_factory=dict)
    origins: dict[Square, PieceId] = field(default_factory=dict)
    """Which piece stood where when the game began."""
    connected: dict[Seat, bool] = field(default_factory=dict)
    board_connected: bool = True
    result: GameEnd | None = None
    deadline_ms: int | None = None

    @property
    def game(self) -> Books:
        """Give the books of the game that is running; asking before the game began is a fault of the caller."""
        assert self.books is not None
        return self.books

    @property
    def ply(self) -> int:
        """Count the plies that were played, the one that can still be revised included."""
        return self.books.public.ply if self.books else 0

    def question_for(self, seat: Seat, number: int, kind: QuestionKind, choices: tuple[str, ...]) -> Question:
        """Give a question about nothing on the board."""
        return Question(
            id=self.next_id(),
            question=number,
            kind=kind,
            ply=self.ply,
            source=None,
            target=None,
            square=None,
            choices=choices,
        )

    def next_id(self) -> str:
        """Give the id of the next letter."""
        self.letters_sent += 1
        return f"r{self.letters_sent}"


class Sheet:
    """Collects what one input led to, in order."""

    def __init__(self, state: TableState, now_ms: int) -> None:
        self.state = state
        self.now_ms = now_ms
        self._facts: list[Fact] = []
        self._letters: list[Letter] = []
        self._orders: list[SensingOrder] = []
        self._view_changed = False

    def go(self, happening: Happening, wanted: Phase | None = None) -> None:
        """Move the table along its table of states; raises `TransitionError` before anything has changed."""
        self.state.phase = next_phase(self.state.phase, happening, wanted)
        self._view_changed = True

    def event(
        self,
        kind: str,
        *,
        seat: Seat | None = None,
        source: Square | None = None,
        target: Square | None = None,
        via: tuple[Square, ...] = (),
        result: str | None = None,
        captured: Mapping[Seat, Rank] | None = None,
        text: str | None = None,
        ply: int | None = None,
        hidden: Mapping[Square, Rank] | None = None,
    ) -> None:
        """Write down something that everybody hears; `hidden` goes to the journal alone."""
        self.state.seq += 1
        event = PublicEvent(
            game=self.state.settings.game,
            seq=self.state.seq,
            kind=kind,
            ply=self.state.ply if ply is None else ply,
            seat=seat,
            source=source.name if source else None,
            target=target.name if target else None,
            via=tuple(square.name for square in via),
            result=result,
            captured=dict(captured or {}),
            text=text,
        )
        self._facts.append(Fact(kind, event.ply, event, seat, _by_name(hidden)))
        self._view_changed = True

    def secret(self, kind: str, seat: Seat, hidden: Mapping[Square, Rank]) -> None:
        """Write down something that only the journal keeps."""
        self._facts.append(Fact(kind, self.state.ply, None, seat, _by_name(hidden)))

    def letter(self, seat: Seat, message: ToHandset) -> None:
        """Send something to one seat."""
        self._letters.append(Letter(seat, Hidden(message)))

    def order(self, order: SensingOrder) -> None:
        """Tell sensing what to watch for."""
        self._orders.append(order)

    def touch(self) -> None:
        """Say that the public view changed without an event."""
        self._view_changed = True

    def step(self) -> Step:
        """Give the outcome."""
        return Step(
            tuple(self._facts), tuple(self._letters), tuple(self._orders), self._view_changed, self.state.deadline_ms
        )


def _by_name(ranks: Mapping[Square, Rank] | None) -> Hidden[Mapping[str, Rank]] | None:
    return None if ranks is None else Hidden({square.name: rank for square, rank in ranks.items()})
