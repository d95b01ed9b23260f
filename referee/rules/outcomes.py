"""What comes back from the rules: refusals, verdicts, ends of games, what a board may be expected to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from referee.rules.actions import Action
from referee.rules.values import PieceId, Seat, Square


class CombatResult(Enum):
    """How an attack, an infiltration or a shot ended."""

    ATTACKER_WINS = "attacker-wins"
    DEFENDER_WINS = "defender-wins"
    BOTH_LOST = "both-lost"
    FLAG_TAKEN = "flag-taken"
    INFILTRATED = "infiltrated"
    WRONG_GUESS = "wrong-guess"

    def __repr__(self) -> str:
        return self.value


class Reason(Enum):
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

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason against an action, and the squares that show it."""

    reason: Reason
    squares: tuple[Square, ...] = ()


class Why(Enum):
    """What a told rank contradicts."""

    MOVED = "moved"
    RAN = "ran"
    VERDICT = "verdict"
    TOLD = "told"
    ARMY_COUNT = "army-count"
    NOT_IN_ARMY = "not-in-army"

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Doubt:
    """One piece of which something impossible was told, and what it contradicts. Names no rank."""

    piece: PieceId
    why: Why


class EndReason(Enum):
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

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class GameResult:
    """Who won (None: nobody; in teams the seat that made the win, its partner wins too) and why."""

    winner: Seat | None
    reason: EndReason


class Played(NamedTuple):
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


class Mobility(Enum):
    """Whether a seat has a basic move, as far as the game knows (bars of repetition not counted)."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return self.value
