"""What comes back from the rules: refusals, verdicts, ends of games, what a board may be expected to do next; and the errors.

What players do is never an error: an illegal move is a tuple of `Refusal`. The errors are one tree:

RulesError
├── UnknownSquareError        a name that no square of the board has
├── UnknownRuleSetError       a rule set that does not exist
├── RuleFileError             a rule or board file with faults, all of them at once
├── PositionError             occupants or ranks that cannot stand on the board
├── IllegalActionError        `play` of an action that `refusals` refuses
├── ResultNeededError         an attack whose verdict nobody has told
└── ContradictionError        told facts that contradict what is known; nothing was changed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.rules.actions import Action
from referee.rules.values import PieceId, Seat, Square, Word


class CombatResult(Word):
    """How an attack, an infiltration or a shot ended."""

    ATTACKER_WINS = "attacker-wins"
    DEFENDER_WINS = "defender-wins"
    BOTH_LOST = "both-lost"
    FLAG_TAKEN = "flag-taken"
    INFILTRATED = "infiltrated"
    WRONG_GUESS = "wrong-guess"


class Reason(Word):
    """Why an action is refused; the value is the stable word."""

    GAME_OVER = "game-over"
    NO_PIECE = "no-piece"
    NOT_YOUR_PIECE = "not-your-piece"
    IMMOBILE = "immobile"
    TOO_FAR = "too-far"
    BLOCKED = "blocked"
    OWN_PIECE = "own-piece"
    NOT_A_MOVE = "not-a-move"
    TWO_SQUARES = "two-squares"
    CHASE = "chase"
    SITUATION = "situation"
    """The same pieces stood on the same squares before."""
    NO_ATTACK = "no-attack"
    """This piece attacks in another way only (the cannon fires)."""
    NO_FLAG = "no-flag"
    """Only a piece with its own flag may enter the turret; or a flag named is not there."""
    CARRIES_FLAG = "carries-flag"
    """A carrier moves one space."""
    OUT_OF_RANGE = "out-of-range"
    NOT_ENEMY_GROUND = "not-enemy-ground"
    NOT_THIS_RANK = "not-this-rank"
    """The piece cannot be one that does this (an infiltrator, a cannon)."""
    MUST_MOVE = "must-move"
    """A pass while there is a move."""
    DECISION_OWED = "decision-owed"
    """A flag or a recruit has to be decided first."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason against an action, and the squares that show it."""

    reason: Reason
    squares: tuple[Square, ...] = ()


class DoubtKind(Word):
    """What a rank that was told contradicts."""

    MOVED = "moved"
    RAN = "ran"
    VERDICT = "verdict"
    TOLD = "told"
    ARMY_COUNT = "army-count"
    NOT_IN_ARMY = "not-in-army"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One piece of which something impossible was told, and what it contradicts. Names no rank."""

    piece: PieceId
    why: DoubtKind


class EndReason(Word):
    """Why a game is over; the value is the stable word of wire, journal and records."""

    FLAG = "flag"
    IMMOBILE = "immobile"
    BOTH_IMMOBILE = "both-immobile"
    NO_PROGRESS = "no-progress"
    """Only where the option `no_progress_limit` is set."""
    RESIGN = "resign"
    AGREED = "agreed"
    CLOCK = "clock"
    HALL_CLOCK = "hall-clock"
    """The time of the whole round was over, and the event counts that as a draw."""
    FORFEIT = "forfeit"
    RULED = "ruled"
    """The arbiter said so."""
    BOTH_LOSE = "both-lose"
    """The arbiter said that nobody shall have won."""
    ABORTED = "aborted"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class GameResult:
    """Who won (None: nobody; in teams the seat that made the win, its partner wins too) and why."""

    winner: Seat | None
    reason: EndReason

    @property
    def winner_word(self) -> str | None:
        """Return the winner as the word of a seat, `draw`, or None where there is no result."""
        if self.winner is not None:
            return self.winner.value
        return None if self.reason in WITHOUT_RESULT else "draw"


WITHOUT_RESULT = frozenset({EndReason.ABORTED, EndReason.UNFINISHED, EndReason.BOTH_LOSE})
"""Reasons that leave a game without a result when nobody won; with any other a game that nobody won is a draw."""


class ActionResult(NamedTuple):
    """What one action did. `defender` is the piece attacked, guessed or shot at; `captured` are the pieces that left."""

    action: Action
    seat: Seat
    piece: PieceId | None
    defender: PieceId | None = None
    result: CombatResult | None = None
    captured: tuple[PieceId, ...] = ()


@dataclass(frozen=True, slots=True)
class Prospect:
    """One physically sensible basic action of the side to move; moves barred by repetition are among them.

    `path` is every square that the piece enters, in order, the target last. `path_told` is the turning square (`Move.via`).
    """

    source: Square
    target: Square
    attack: bool
    path: tuple[Square, ...]
    path_told: tuple[Square, ...] = ()


@dataclass(frozen=True, slots=True)
class Situation:
    """Where the armies stand, whose turn it is (None: nobody's), and what that side might do with its hands."""

    occupants: Mapping[Square, Seat]
    turn: Seat | None
    prospects: tuple[Prospect, ...] = field(default=())
    after: Callable[[Prospect], Situation] | None = field(default=None, compare=False, repr=False)
    """Returns the situation after a move was played here, whatever the game has become since. Nobody's turn and no prospects where
    that cannot be said: for an attack, whose outcome is open, and for what everybody knows to be refused. None: no game is behind this.
    """


class Mobility(Word):
    """Whether a seat has a basic move, as far as the game knows (bars of repetition not counted)."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class RulesError(Exception):
    """The root of all errors of this room."""


class UnknownSquareError(RulesError):
    """No square of the board has this name."""


class UnknownRuleSetError(RulesError):
    """No rule set has this name."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing wrong in a rule or board file: where (`army.miner`, `line 7`) and what."""

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class RuleFileError(RulesError):
    """A rule or board file cannot be used. `faults` holds everything that is wrong with it, not only the first."""

    def __init__(self, name: str, faults: Sequence[FileFault]) -> None:
        super().__init__(f"{name}: " + "; ".join(str(fault) for fault in faults))
        self.name = name
        self.faults = tuple(faults)


class PositionError(RulesError):
    """These pieces cannot stand like this; the text names every square at fault and no rank."""


class IllegalActionError(RulesError):
    """The action is not legal now; `refusals` says why (the text does not: a reason may rest on a rank). Nothing was changed."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("an action was played that the rules refuse")
        self.refusals = tuple(refusals)


class ResultNeededError(RulesError):
    """An attack between pieces of unknown rank needs its verdict told. Nothing was changed."""


class ContradictionError(RulesError):
    """What was told contradicts what is known; `doubts` says why, the text only of which piece. Nothing was changed."""

    def __init__(self, doubts: Iterable[Doubt]) -> None:
        doubts = tuple(doubts)
        super().__init__("contradiction about " + ", ".join(dict.fromkeys(repr(doubt.piece) for doubt in doubts)))
        self.doubts = doubts
