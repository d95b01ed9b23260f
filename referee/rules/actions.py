"""What a player can do in a turn, as values. Attacks are moves onto an enemy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from referee.rules.values import PieceId, Rank, Seat, Square

STEP, RUN, OTHER = 0, 1, 2
"""Kinds of moves: to a neighbour; further in a straight line; with a turn, or leaving flags behind (Stratego 4)."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What a move means in a board's integers; a board makes it once, so that playing the move computes nothing again."""

    board: object
    """The board whose integers these are."""
    source: int
    target: int
    kind: int
    borders: int
    """Bits of the borders that the move crosses."""
    path: tuple[int, ...]
    """Every square that is entered, the target last."""
    entered: tuple[Square, ...]
    """The same as squares of the board."""


NO_PLAN = Plan(None, -1, -1, OTHER, 0, (), ())
"""Of a move that no board made."""


@dataclass(frozen=True, slots=True)
class Move:
    """One piece goes from `source` to `target`; onto an enemy it is an attack.

    `via` names the square where the path turns (a captain's or scout's in Stratego 4); a straight path leaves it empty.
    `leaving` names the flags that the piece had carried and leaves on its source (Stratego 4).
    Equal moves are equal values; a board keeps one instance of each (`Board.move`), and that one is judged fastest.
    """

    source: Square
    target: Square
    via: tuple[Square, ...] = ()
    leaving: tuple[Seat, ...] = ()
    plan: Plan = field(default=NO_PLAN, repr=False, compare=False)

    def __repr__(self) -> str:
        turns = "".join(f"-{square.name}" for square in self.via)
        left = "".join(f" leaving {seat.value}" for seat in self.leaving)
        return f"{self.source.name}{turns}-{self.target.name}{left}"

    def __reduce__(self) -> tuple[type[Move], tuple[object, ...]]:
        return (Move, (self.source, self.target, self.via, self.leaving))


@dataclass(frozen=True, slots=True)
class Infiltrate:
    """The infiltrator on `source` names the rank of the piece on `target`; he stays where he is (booklet 002).

    `via` is a square that he steps to first; only where the option `move_then_infiltrate` is on.
    """

    source: Square
    target: Square
    guess: Rank
    via: tuple[Square, ...] = ()

    def __repr__(self) -> str:
        step = "".join(f"-{square.name}" for square in self.via)
        return f"{self.source.name}{step}*{self.target.name}={self.guess.value}"


@dataclass(frozen=True, slots=True)
class Fire:
    """The cannon on `source` fires at `target`, exactly three spaces away; both go (booklet 004)."""

    source: Square
    target: Square

    def __repr__(self) -> str:
        return f"{self.source.name}!{self.target.name}"


@dataclass(frozen=True, slots=True)
class Pass:
    """A turn without a move; legal in Stratego 4 only, and only where no move is."""

    def __repr__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class TakeFlags:
    """Answer of the player whose piece came to `square`: the flags there that it takes, () to let them lie (booklet 004)."""

    square: Square
    flags: tuple[Seat, ...]

    def __repr__(self) -> str:
        return f"{self.square.name}:take " + (",".join(seat.value for seat in self.flags) or "nothing")


@dataclass(frozen=True, slots=True)
class MoveSlider:
    """Answer of the winner of an engagement: whether his slider moves one up on the recruitment card (booklet 004)."""

    up: bool

    def __repr__(self) -> str:
        return f"slider {'up' if self.up else 'stays'}"


@dataclass(frozen=True, slots=True)
class Recruit:
    """Answer of a player who may recruit: the own removed piece that comes back on his recruitment space, or None (booklet 004)."""

    piece: PieceId | None

    def __repr__(self) -> str:
        return f"recruit {self.piece!r}"


Decided: TypeAlias = TakeFlags | MoveSlider | Recruit
"""Answers that a ply of Stratego 4 may ask for."""

Action: TypeAlias = Move | Infiltrate | Fire | Pass | Decided
