"""A zone as its player sees it from his chair: front row first, left to right. Geometry of the drawing only, no rule."""

from __future__ import annotations

import math
from collections.abc import Collection

from referee.rules.board import Board
from referee.rules.values import Seat, Square

_STEP = math.pi / 6
"""Seats sit at whole multiples of this angle: quarters of a board for two and four, thirds for three."""

Row = tuple[Square | None, ...]


def seated_zone(board: Board, seat: Seat) -> tuple[Row, ...]:
    """Give the rows of a seat's zone, the front row first, each from the player's left to his right, all of one length.

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
    """Give where right and forward lie for a player who sits behind these squares and looks at the board's middle."""
    x = sum(x for x, _ in middles) / len(middles) - board.columns / 2
    y = sum(y for _, y in middles) / len(middles) - board.rows / 2
    angle = round(math.atan2(-y, -x) / _STEP) * _STEP
    forward = (math.cos(angle), math.sin(angle))
    return (forward[1], -forward[0]), forward
