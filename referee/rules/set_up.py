"""Setting up: what is wrong with a set-up, every fault at once, and how a zone looks from its player's chair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from referee.rules.board import Board
from referee.rules.ruleset import Gait, RuleSet
from referee.rules.values import Rank, Seat, Square, Word

_SEAT_ANGLE = math.pi / 6
"""Seats sit at whole multiples of this angle: quarters of a board for two and four, thirds for three."""

Row = tuple[Square | None, ...]


class FaultKind(Word):
    """What can be wrong with a set-up; the value is the stable word."""

    NOT_A_SQUARE = "not-a-square"
    OUTSIDE_ZONE = "outside-zone"
    NOT_IN_ARMY = "not-in-army"
    TOO_MANY = "too-many"
    TOO_FEW = "too-few"
    SQUARE_EMPTY = "square-empty"
    NO_FIRST_MOVE = "no-first-move"


@dataclass(frozen=True, slots=True)
class SetUpFault:
    """One fault of a set-up. `text` names ranks: it is for the owner of the set-up only."""

    kind: FaultKind
    squares: tuple[Square, ...] = ()
    rank: Rank | None = None
    count: int = 0
    """How many pieces too many or too few."""

    @property
    def fatal(self) -> bool:
        """Return whether the set-up cannot be played; the others are warnings."""
        return self.kind is not FaultKind.NO_FIRST_MOVE

    @property
    def text(self) -> str:
        """The fault in stable words: kind, rank and number, squares."""
        rank = f" {self.rank.value}" if self.rank else ""
        number = f" {self.count}" if self.count else ""
        return f"{self.kind.value}{rank}{number}" + "".join(f" {square.name}" for square in self.squares)


def check_set_up(rule_set: RuleSet, seat: Seat, placed: Mapping[Square, Rank]) -> tuple[SetUpFault, ...]:
    """Return everything that is wrong with a seat's set-up, () where nothing is.

    Warned, not refused: bombs (in Classic with the flag) on all open front squares leave no first move.
    """
    faults = [*_squares(rule_set, seat, placed), *_counts(rule_set, placed)]
    if not faults and not _can_begin(rule_set, placed):
        faults.append(SetUpFault(FaultKind.NO_FIRST_MOVE))
    return tuple(faults)


def exits(rule_set: RuleSet, seat: Seat) -> tuple[Square, ...]:
    """Return the squares of a seat's zone from which a piece can leave the zone at once, in the board's order."""
    zone = dict.fromkeys(rule_set.zone(seat))
    return tuple(square for square in zone if any(near not in zone for near in rule_set.board.neighbours(square)))


def _squares(rule_set: RuleSet, seat: Seat, placed: Mapping[Square, Rank]) -> Iterator[SetUpFault]:
    zone, board = rule_set.zone(seat), set(rule_set.board.squares)
    for square in placed:
        if square not in board:
            yield SetUpFault(FaultKind.NOT_A_SQUARE, (square,))
        elif square not in zone:
            yield SetUpFault(FaultKind.OUTSIDE_ZONE, (square,))
    empty = tuple(square for square in zone if square not in placed)
    if rule_set.filled and empty:
        yield SetUpFault(FaultKind.SQUARE_EMPTY, empty)


def _counts(rule_set: RuleSet, placed: Mapping[Square, Rank]) -> Iterator[SetUpFault]:
    army = rule_set.army
    counts = Counter(placed.values())
    for rank, found in counts.items():
        squares = tuple(square for square, one in placed.items() if one is rank)
        if rank not in army:
            yield SetUpFault(FaultKind.NOT_IN_ARMY, squares, rank)
        elif found > army[rank]:
            yield SetUpFault(FaultKind.TOO_MANY, squares, rank, found - army[rank])
    for rank, wanted in army.items():
        if counts[rank] < wanted:
            yield SetUpFault(FaultKind.TOO_FEW, (), rank, wanted - counts[rank])


def _can_begin(rule_set: RuleSet, placed: Mapping[Square, Rank]) -> bool:
    """Return whether any piece has an empty square beside it; the enemy is never that near at the beginning."""
    return any(
        near not in placed
        for square, rank in placed.items()
        if rule_set.gait(rank) is not Gait.NONE
        for near in rule_set.board.neighbours(square)
    )


def seated_zone(board: Board, seat: Seat) -> tuple[Row, ...]:
    """Return the rows of a seat's zone, the front row first, each from the player's left to his right, all of one length.

    None stands where a space between does not belong to the zone (Stratego 4's recruitment space).
    """
    zone = board.homes[seat].zone
    middles = {square: board.shape(square)[:2] for square in zone}
    across, forward = _axes(board, middles.values())
    places = {
        square: (x * forward[0] + y * forward[1], x * across[0] + y * across[1]) for square, (x, y) in middles.items()
    }
    front = max(ahead for ahead, _ in places.values())
    left = min(beside for _, beside in places.values())
    cells = {(round(front - ahead), round(beside - left)): square for square, (ahead, beside) in places.items()}
    rows = 1 + max(row for row, _ in cells)
    columns = 1 + max(column for _, column in cells)
    return tuple(tuple(cells.get((row, column)) for column in range(columns)) for row in range(rows))


def _axes(board: Board, middles: Collection[tuple[float, float]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where right and forward lie for a player who sits behind these squares and looks at the board's middle."""
    x = sum(x for x, _ in middles) / len(middles) - board.columns / 2
    y = sum(y for _, y in middles) / len(middles) - board.rows / 2
    angle = round(math.atan2(-y, -x) / _SEAT_ANGLE) * _SEAT_ANGLE
    forward = (math.cos(angle), math.sin(angle))
    return (forward[1], -forward[0]), forward
