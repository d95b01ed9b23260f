"""In which phase may what happen, and where does it lead; and all that a table remembers between two inputs.

`TRANSITIONS` is the table of states, as one literal. Anything outside it raises `TransitionError` and changes nothing, and
`docs/reference/states.md` is drawn from it (by `tests/table/states_document.py`). `TableState` is plain data, private to this room: its
modules change it, nobody else.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.rules import Decided, Fire, Hidden, Infiltrate, Move, PieceId, Rank, RuleSet, Seat, Square
from referee.rules.variants.castle import CastleState
from referee.table.chain import Chain
from referee.table.clocks import Clocks, HallClock
from referee.table.commitments import seat_seed
from referee.table.dual_game import DualGame
from referee.table.messages import Question, QuestionKind, ToldAttack
from referee.table.settings import NO_LIMITS, Limits, TableSettings
from referee.table.views import Ask, Attack, DecidedMove, Fix, GameEnd, Health, LastMove, Offer, Phase, Sighting


class TransitionError(Exception):
    """A step that the table of states does not have; nothing was changed."""

    def __init__(self, phase: Enum, trigger: Enum, wanted: Enum | None) -> None:
        to = f" to {wanted.value}" if wanted else ""
        super().__init__(f"in phase {phase.value} the table of states has no {trigger.value}{to}")


class Trigger(Enum):
    """What can move a table from one phase to another."""

    OPENED = "opened"
    SET_UP_COMPLETE = "set-up complete"
    LIFTED = "lifted"
    RETURNED = "returned"
    MOVE_READ = "move read"
    MOVE_REVISED = "move revised"
    MOVE_UNREAD = "move unread"
    MOVE_REFUSED = "move refused"
    ATTACKED = "attacked"
    SETTLED = "settled"
    WITHDRAWN = "withdrawn"
    BOARD_AGREES = "board agrees"
    NOT_UNDERSTOOD = "not understood"
    PAUSED = "paused"
    RESUMED = "resumed"
    DECISION_OWED = "decision owed"
    PASSED = "passed"
    DROPPED_OUT = "dropped out"
    ENDED = "ended"
    CORRECTED = "corrected"
    OVERRULED = "overruled"


_P, _T = Phase, Trigger

_Row = dict[Trigger, tuple[Phase, ...]]
_STOPS: _Row = {_T.PAUSED: (_P.PAUSED,), _T.CORRECTED: (_P.RESTORING,), _T.ENDED: (_P.FINISHED,)}
_AT_REST: _Row = {
    _T.DECISION_OWED: (_P.WAITING_FOR_DECLARATIONS,),
    _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
    _T.PASSED: (_P.WAITING_FOR_MOVE,),
    _T.LIFTED: (_P.PIECE_IN_HAND,),
    _T.MOVE_READ: (_P.WAITING_FOR_MOVE,),
    _T.MOVE_REVISED: (_P.WAITING_FOR_MOVE,),
    _T.MOVE_UNREAD: (_P.WAITING_FOR_MOVE,),
    _T.MOVE_REFUSED: (_P.RESTORING,),
    _T.ATTACKED: (_P.WAITING_FOR_DECLARATIONS,),
    _T.NOT_UNDERSTOOD: (_P.RESTORING,),
    **_STOPS,
}
TRANSITIONS: dict[Phase, _Row] = {
    _P.LOBBY: {_T.OPENED: (_P.SETTING_UP,), _T.ENDED: (_P.FINISHED,)},
    _P.SETTING_UP: {
        _T.SET_UP_COMPLETE: (_P.WAITING_FOR_MOVE,),
        _T.PAUSED: (_P.PAUSED,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.WAITING_FOR_MOVE: _AT_REST,
    _P.PIECE_IN_HAND: {**_AT_REST, _T.RETURNED: (_P.PIECE_IN_HAND, _P.WAITING_FOR_MOVE)},
    _P.WAITING_FOR_DECLARATIONS: {
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD, _P.WAITING_FOR_DECLARATIONS),
        _T.SETTLED: (_P.WAITING_FOR_BOARD,),
        _T.WITHDRAWN: (_P.RESTORING,),
        **_STOPS,
    },
    _P.WAITING_FOR_BOARD: {
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _T.NOT_UNDERSTOOD: (_P.WAITING_FOR_BOARD,),
        **_STOPS,
    },
    _P.RESTORING: {
        _T.PASSED: (_P.RESTORING,),
        _T.DROPPED_OUT: (_P.WAITING_FOR_BOARD,),
        _T.BOARD_AGREES: (_P.WAITING_FOR_MOVE,),
        _T.NOT_UNDERSTOOD: (_P.RESTORING,),
        **_STOPS,
    },
    _P.PAUSED: {
        _T.RESUMED: (
            _P.SETTING_UP,
            _P.WAITING_FOR_DECLARATIONS,
            _P.WAITING_FOR_BOARD,
            _P.RESTORING,
        ),
        _T.DROPPED_OUT: (_P.PAUSED,),
        _T.CORRECTED: (_P.PAUSED,),
        _T.ENDED: (_P.FINISHED,),
    },
    _P.FINISHED: {_T.CORRECTED: (_P.RESTORING,), _T.OVERRULED: (_P.FINISHED,)},
}


AT_REST = frozenset({Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND})
"""Phases in which a player owes a move and nothing else is asked of the hands."""


def next_phase(phase: Phase, trigger: Trigger, wanted: Phase | None = None) -> Phase:
    """Return the phase that follows.

    Where the table names several, `wanted` chooses among them; elsewhere it may be left out. Raises `TransitionError` when
    the table has no such row, or `wanted` is not in it.
    """
    choices = TRANSITIONS[phase].get(trigger, ())
    if wanted is None and len(choices) == 1:
        return choices[0]
    if wanted is not None and wanted in choices:
        return wanted
    raise TransitionError(phase, trigger, wanted)


def is_allowed(phase: Phase, trigger: Trigger) -> bool:
    """Return whether the table has a row for this trigger in this phase."""
    return trigger in TRANSITIONS[phase]


# --- what is remembered -----------------------------------------------------------------------------------------------


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
        """Return the attack, by the first of its ways."""
        return self.ways[0]


@dataclass(frozen=True, slots=True)
class HeldAttack:
    """An attack that was told while plies before it could still be revised."""

    seat: Seat
    message: ToldAttack
    """As it was told, with the square of the piece in the hand where it named none."""
    ply: int
    """Which ply of the game it would be; it waits for those before that one."""
    told_ms: int
    """When it was told; 0 where a journal of before does not say."""


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
    made_after: int = 0
    """How many plies had been played, open ones included, when it was made."""


@dataclass(slots=True)
class OpenPly:
    """A ply that was read and is not final: what it was, and what stood before it, for as long as it can be unsaid."""

    seat: Seat
    source: Square
    target: Square
    dual: DualGame
    """The game before it."""
    last_move: LastMove | None
    shown_attack: Attack | None
    clocks: Clocks | None
    """Standing still, as they were when it was read."""
    barred: str | None
    leaving: tuple[Square, tuple[Seat, ...]] | None
    """What its player had said of flags to be left behind."""
    overtaken: OpenOffer | None = None
    """The offer that lapsed since this was played."""
    decided: DecidedMove | None = None
    """What its seat had decided elsewhere, and this is."""

    @property
    def number(self) -> int:
        """Return which ply of the game it is, counted from 1."""
        return self.dual.public.ply + 1


@dataclass(frozen=True, slots=True)
class Declined:
    """An offer that was declined, and after which ply."""

    offer: Offer
    ply: int


@dataclass(slots=True)
class OpenPause:
    """Why the table is paused and where it resumes."""

    phase: Phase
    """Where it resumes; in play the board is restored first."""
    silence: bool
    """Whether an answer was missing, which then lets it go on."""
    left_ms: int | None = None
    """What is left of the open question's time; None for all of it."""
    by: Seat | None = None
    """The player who asked for it; None for silence, the kiosk or an arbiter."""
    ready: set[Seat] = field(default_factory=set)
    """Seats that want to go on."""
    ends_ms: int | None = None
    """When it ends by itself; None for never."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A seat's clock is stopped because its phone is not connected: its grace runs from `from_ms` and is used up at
    `until_ms`.
    """

    from_ms: int
    until_ms: int


@dataclass(slots=True)
class OpenFinale:
    """What is asked after the game: whether both armies are turned over. No view shows `agreed`."""

    due_ms: int | None
    """When the outcome is shown; None once it was."""
    agreed: dict[Seat, Hidden[Mapping[Square, Rank]]] = field(default_factory=dict)
    """The set-up of each seat that has agreed."""
    turned: bool = False
    said: set[tuple[Seat, str]] = field(default_factory=set)
    """The messages that agreed: who said it, and its id."""


ANSWERS_KEPT = 64
"""How many accepted messages of a seat are remembered, to know a repeat."""


@dataclass(slots=True)
class TableState:
    """Everything a table remembers. Plain data; the modules of this room change it, nothing else does."""

    settings: TableSettings
    phase: Phase = Phase.LOBBY
    pause: OpenPause | None = None
    pauses_taken: Counter[Seat] = field(default_factory=Counter)
    """How often each seat has made the table stand still, where that is limited."""
    called: list[Seat] = field(default_factory=list)
    """Seats that have called the arbiter and wait for him."""
    seq: int = 0
    moment: int = 0
    """The number of the last event that changed anything: a signature under the end does not."""
    letters_sent: Counter[Seat] = field(default_factory=Counter)
    reopened: int = 0
    """How often the game went on after the referee had been started again."""
    taken: dict[Seat, deque[str]] = field(default_factory=dict)
    """Ids of the messages of each seat that were accepted last: a repeat is accepted again and changes nothing."""
    questions: int = 0
    dual: DualGame | None = None
    open_plies: list[OpenPly] = field(default_factory=list)
    """The plies that were read and are not final, oldest first. They are the last ones of the game, all of them moves; none but the
    last one can owe a decision or end the game."""
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
    decided: DecidedMove | None = None
    """What the seat to move has decided elsewhere and hands have still to carry out; an attack until it has its verdict."""
    held: dict[Seat, HeldAttack] = field(default_factory=dict)
    """By seat the attack that it told too early: another seat's word is no reason for an answer, which would tell of it."""
    told_at_once: bool = False
    """Whether a told attack makes the plies before it final: only for rows of a journal that were written when it did."""
    leaving: dict[Seat, tuple[Square, tuple[Seat, ...]]] = field(default_factory=dict)
    """Flags that a mover said it leaves behind with its next move, and on which square."""
    shown_attack: Attack | None = None
    last_move: LastMove | None = None
    ask: Ask | None = None
    fixes: tuple[Fix, ...] = ()
    saw: tuple[Sighting, ...] = ()
    """What the board showed when it was not understood, until anything else happens."""
    fault: str | None = None
    """What the hands that are put right did wrong, by what everybody knows."""
    barred: str | None = None
    seen: dict[Seat, dict[PieceId, Rank]] = field(default_factory=dict, repr=False)
    """What each seat was told of rival pieces that survived."""
    chain: Chain | None = None
    """The chain of the game; None where it has none."""
    signatures: dict[str, str] = field(default_factory=dict)
    """Key and signature of each who has signed its head, once the game is over."""
    roots: dict[Seat, str] = field(default_factory=dict)
    """The commitment root of each enrolled set-up, once the game has begun."""
    names: Mapping[Seat, str] = field(default_factory=dict)
    """What the players are called: as the game was opened, until one of them says otherwise."""
    given: frozenset[Seat] = frozenset()
    """Seats of the computer that somebody else has by now."""
    origins: dict[Square, PieceId] = field(default_factory=dict)
    """Which piece stood where when the game began."""
    connected: dict[Seat, bool] = field(default_factory=dict)
    absences: dict[Seat, Absence] = field(default_factory=dict)
    """The clocks that stand still for a phone."""
    grace_used_ms: Counter[Seat] = field(default_factory=Counter)
    excused_ms: dict[Seat, int] = field(default_factory=dict)
    """Until when a phone's absence costs no grace: the broker was away."""
    broker_lost: bool = False
    """Whether the referee cannot hear the broker."""
    board_fault: str | None = None
    """Why the board is not read, None while it is; the word of a `Health`."""
    warnings: tuple[Health, ...] = ()
    """What else is wrong with it."""
    blind: tuple[Square, ...] = ()
    """Squares whose sensor is not believed."""
    result: GameEnd | None = None
    finale: OpenFinale | None = None
    """Since the end of the game; None where nobody is asked."""
    forgotten: set[tuple[Seat, str]] = field(default_factory=set)
    """Who said which messages that agreed to turn over a game whose end was taken back: said again they mean that end."""
    deadline_ms: int | None = None
    """Until when the open question may be answered."""
    clocks: Clocks | None = None
    clocks_at: dict[int, Clocks] = field(default_factory=dict)
    """How they stood when a ply had been played, for as many plies as can be taken back."""
    hall_clock: HallClock | None = None
    """What is left of the round for all tables, where a station has said so."""
    unsettled: Move | Infiltrate | Fire | None = None
    """An attack whose verdict was voided; it is asked about again once the board agrees."""

    @property
    def rules(self) -> RuleSet:
        """Return the rules that are played by."""
        return self.settings.rule_set

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats that play, in the order of the table."""
        return self.settings.rule_set.seats

    @property
    def limits(self) -> Limits:
        """Return how long a player may keep the others waiting: a matter of clocks."""
        return self.settings.limits if self.settings.clock else NO_LIMITS

    @property
    def castle(self) -> CastleState | None:
        """Return what is public of the castle of Stratego 4; None in other games, and before the first move."""
        return self.dual.public.castle if self.dual else None

    @property
    def game(self) -> DualGame:
        """Return both sides of the game in progress. Only after the game has begun."""
        assert self.dual is not None
        return self.dual

    def seed(self, seat: Seat) -> str:
        """Return the seed of a seat's salts, empty where nothing is committed to."""
        secret = self.settings.secret
        return "" if secret is None else seat_seed(secret.open_hidden(), self.settings.game, seat)

    @property
    def decides_elsewhere(self) -> bool:
        """Return whether hands may make no ply now but the one that the seat to move decides elsewhere."""
        return self.dual is not None and self.game.public.turn in self.settings.decided

    @property
    def in_doubt(self) -> bool:
        """Return whether a ply can still be revised while the board is not watched for it: asked about, or not seen."""
        watched = self.phase in AT_REST and self.board_fault is None
        return bool(self.open_plies) and not watched

    @property
    def out(self) -> frozenset[Seat]:
        """Return the seats that play no more while the others go on."""
        return frozenset(self.castle.out if self.castle else ())

    @property
    def ply(self) -> int:
        """Count the plies that were played, those that can still be revised included."""
        return self.dual.public.ply if self.dual else 0

    def unsay_last_ply(self) -> OpenPly:
        """Restore everything to before the last open ply, and return that ply. Only while one is open.

        Its player's word about flags is as it was then. What others have said of theirs since is about their own next turn, and stays.
        """
        ply = self.open_plies.pop()
        self.dual, self.last_move, self.shown_attack = ply.dual, ply.last_move, ply.shown_attack
        self.clocks, self.decided = ply.clocks, ply.decided
        self.leaving.pop(ply.seat, None)
        if ply.leaving is not None:
            self.leaving[ply.seat] = ply.leaving
        return ply

    def ask_to_fix(self, names: Iterable[str]) -> None:
        """Ask the hands to make these squares what they are in the game."""
        wanted = {square.name: owner for square, owner in self.game.public.occupants().items()}
        self.fixes = tuple(Fix(name, wanted.get(name)) for name in dict.fromkeys(names))

    def question_for(
        self, seat: Seat, number: int, kind: QuestionKind, choices: tuple[str, ...], ply: int | None = None
    ) -> Question:
        """Return a question about nothing on the board."""
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
        """Return the id of the next letter to a seat. Counted by seat: a common count would tell how often others are written to."""
        self.letters_sent[seat] += 1
        start = f"{self.reopened}-" if self.reopened else ""  # letters of an earlier start may have had any number
        return f"{seat.value[0]}{start}{self.letters_sent[seat]}"
