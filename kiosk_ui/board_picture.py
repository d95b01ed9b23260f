"""The board from above as marks, in layers: ground, trail of the last move, pieces, and what has to be put right.

Pure, so apart from `panels`, which imports Kivy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from referee.presentation import palette
from referee.presentation.emblems import emblem, pennant, picture, piece, sign
from referee.presentation.shapes import Block, Box, Drawing, Fill, Mark, Point, Sprite, Stroke, Text
from referee.presentation.state import (
    SQUARE_NAME,
    BoardPiece,
    BoardState,
    PieceState,
    Spot,
    Trail,
    names_of_lines,
    spots_of,
)
from referee.rules.values import Seat
from referee.table.views import BoardShape, Fix, SquareShape

Layer = Mapping[str, Drawing]
"""Drawings by a key; a screen draws again only those that changed."""

_FRAME, _NAMES = 4.5, 14.0  # in units: width of the frame, height of the names of rows and columns
_VEIL, _TINT = palette.INK.faded(0.3), 0.3
"""What lies over the ground outside the set-up zones, and how much of an army's colour over those inside."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A board shape in a box of pixels: turns squares into places."""

    shape: BoardShape
    box: Box
    unit: float
    """What frame and names are measured in (see `plan`)."""
    spots: Mapping[str, Spot] = field(compare=False)

    @property
    def cell(self) -> float:
        """Return the side of one square in pixels."""
        return self.box.width / self.shape.columns

    def place(self, x: float, y: float) -> Point:
        """Return the pixel of a point on the board."""
        return (self.box.x + x * self.cell, self.box.y + y * self.cell)

    def middle(self, square: str) -> Point:
        """Return the pixel in the middle of the place where a piece stands on this square."""
        spot = self.spots[square]
        return self.place(spot.x, spot.y)

    def on(self, drawing: Drawing, square: str, bigger: float = 1.0, up: float = 0.0) -> Drawing:
        """Return a small drawing placed on a square, `bigger` by a factor and `up` by a share of a square."""
        spot = self.spots[square]
        size = self.cell * spot.size * bigger
        x, y = self.middle(square)
        return (Sprite(x - size / 2, y - size / 2 + up * self.cell, size, drawing),)


@lru_cache(maxsize=8)
def ground_of(shape: BoardShape, box: Box, unit: float = 1.0) -> Ground:
    """Return a board shape laid into a box; remembered, since a board is drawn again with every move."""
    return Ground(shape, box, unit, spots_of(shape))


def ground_layer(ground: Ground) -> Layer:
    """Return frame, squares, lakes and the names of rows and columns."""
    edge = _FRAME * ground.unit
    box = ground.box
    marks: list[Mark] = [_square(ground, square) for square in ground.shape.squares]
    # the biggest first, since a turret lies within its ring; else alike ones together
    marks.sort(key=lambda mark: (-mark.width * mark.height, mark.colour.hex) if isinstance(mark, Block) else (0.0, ""))
    marks += [Sprite(*ground.place(*lake), ground.cell, _WATER) for lake in ground.shape.lakes]
    whole = len(ground.shape.squares) + len(ground.shape.lakes) == ground.shape.columns * ground.shape.rows
    frame = Block(box.x - edge, box.y - edge, box.width + 2 * edge, box.height + 2 * edge, edge * 1.5, palette.FRAME)
    return {"ground": ((frame,) if whole else ()) + tuple(marks) + tuple(_names(ground))}


def trail_layer(ground: Ground, board: BoardState) -> Layer:
    """Return what lies under the pieces: set-up zones in their colours; where the last move went (fainter while it can be revised)."""
    layer: dict[str, Drawing] = {}
    if board.zones:
        layer["zones"] = tuple(
            replace(_square(ground, square), colour=_zone_colour(board.zones.get(square.name)))
            for square in board.shape.squares
        )
    trail = board.trail
    if trail is not None and {trail.source, trail.target} <= ground.spots.keys():
        glow = palette.GLOW.faded(0.85 if trail.sure or board.fighting else 0.5)
        squares = (trail.source, trail.target)
        layer["trail"] = tuple(Block(*_tile(ground, name, 0.03), ground.cell * 0.08, glow) for name in squares)
        if board.fighting:
            layer["burst"] = ground.on(_BURST, trail.target, 1.5)
    for standing in board.pieces:
        if standing.stand is PieceState.IN_HAND:
            layer[f"in hand {standing.square}"] = (_frame(ground, standing.square, palette.GLOW),)
    return layer


def piece_layer(ground: Ground, board: BoardState) -> Layer:
    """Return the pieces, by army, or by square where more is to be seen of them; one in the air hovers, a missing one is faint."""
    layer: dict[str, Drawing] = {}
    for standing in board.pieces:
        plain = standing.stand is PieceState.STANDING and standing.rank is None
        key = standing.seat.value if plain else standing.square
        layer[key] = layer.get(key, ()) + _piece(ground, standing)
    return layer


def flag_layer(ground: Ground, board: BoardState) -> Layer:
    """Return the flags of Stratego 4, beside the heads of their carriers or alone on their square."""
    layer: dict[str, Drawing] = {}
    on_square: dict[str, int] = {}
    for flag in board.flags:
        spot = ground.spots.get(flag.square)
        if spot is None:
            continue
        nth = on_square[flag.square] = on_square.get(flag.square, -1) + 1
        size = ground.cell * spot.size * (0.55 if flag.carried else 0.75)
        x, y = ground.middle(flag.square)
        left, low = (x, y - size * 0.05) if flag.carried else (x - size / 2, y - size / 2)
        layer[f"flag {flag.seat.value}"] = (Sprite(left - nth * size * 0.4, low, size, pennant(flag.seat)),)
    return layer


def notice_layer(ground: Ground, board: BoardState) -> Layer:
    """Return what lies over the pieces: flags, the way of the last move, squares that are barred, not seen, or to put right."""
    layer = dict(flag_layer(ground, board))
    for name, squares, drawing in (("barred", board.barred, _NO_ENTRY), ("blind", board.blind, _BLIND)):
        for square in squares:
            if square in ground.spots:
                layer[f"{name} {square}"] = ground.on(drawing, square, 0.42, up=0.26)
    covered = all(piece.rank is None for piece in board.pieces)  # an arrow would lie over ranks
    if covered and board.trail is not None and {board.trail.source, board.trail.target} <= ground.spots.keys():
        layer["way"] = _way(ground, board.trail, board.fighting)
    for fix in board.fixes:
        if fix.square in ground.spots:
            layer[f"fix {fix.square}"] = _fix(ground, fix)
    return layer


def _zone_colour(seat: Seat | None) -> palette.Colour:
    return _VEIL if seat is None else palette.ARMY[seat].faded(_TINT)


def _square(ground: Ground, square: SquareShape) -> Block:
    x, y = ground.place(square.x - square.width / 2, square.y - square.height / 2)
    wide, high = square.width * ground.cell, square.height * ground.cell
    if square.width > 1 or square.height > 1:
        colour = palette.CASTLE
    elif SQUARE_NAME.fullmatch(square.name) is None:
        colour = palette.TURRET
    else:
        colour = palette.SAND if (math.floor(square.x) + math.floor(square.y)) % 2 else palette.SAND_DARK
    seam = max(1, round(ground.cell * 0.02))
    return Block(x + seam, y + seam, wide - 2 * seam, high - 2 * seam, 0.0, colour)


def _names(ground: Ground) -> list[Mark]:
    size = _NAMES * ground.unit
    off = (_FRAME + 1.0) * ground.unit + size * 0.6
    columns, rows = names_of_lines(ground.shape)
    below = [(ground.place(column + 0.5, 0.0), name) for column, name in columns.items()]
    beside = [(ground.place(0.0, row + 0.5), name) for row, name in rows.items()]
    return [
        *(Text(x, y - off, name, size, palette.MUTED) for (x, y), name in below),
        *(Text(x - off, y, name, size, palette.MUTED) for (x, y), name in beside),
    ]


def _tile(ground: Ground, square: str, inset: float) -> tuple[float, float, float, float]:
    spot = ground.spots[square]
    half = spot.size / 2 - inset
    x, y = ground.place(spot.x - half, spot.y - half)
    return x, y, 2 * half * ground.cell, 2 * half * ground.cell


def _piece(ground: Ground, standing: BoardPiece) -> Drawing:
    if standing.stand is PieceState.STANDING:
        return ground.on(piece(standing.seat), standing.square) + _turned(ground, standing)
    if standing.stand is PieceState.MISSING:
        faint = palette.ARMY[standing.seat].mixed(palette.SAND, 0.45)
        return ground.on(piece(standing.seat, faint), standing.square)
    shadow = sign(standing.seat, palette.INK.faded(0.45))
    return ground.on(shadow, standing.square, 1.05) + ground.on(piece(standing.seat), standing.square, 1.2, up=0.22)


def _turned(ground: Ground, standing: BoardPiece) -> Drawing:
    """Return the rank on a piece that is turned over: its picture, and its number below it, in what can be read on its army's colour."""
    if standing.rank is None:
        return ()
    body, ink = palette.ARMY[standing.seat], palette.ON_ARMY[standing.seat]
    small, up = (0.38, 0.2) if standing.number else (0.56, 0.0)
    marks = ground.on(emblem(standing.rank, ink, body), standing.square, small, up)
    if standing.number:
        x, y = ground.middle(standing.square)
        size = ground.cell * ground.spots[standing.square].size
        marks += (Text(x, y - size * 0.15, standing.number, size * 0.46, ink, bold=True),)
    return marks


def _way(ground: Ground, trail: Trail, fighting: bool) -> Drawing:
    """Return an arrow from square to square; bolder while an attack is being settled."""
    (x1, y1), (x2, y2) = ground.middle(trail.source), ground.middle(trail.target)
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    cell = ground.cell
    end = length - cell * 0.42
    wide = cell * (0.13 if fighting else 0.09)
    tip, back = (x1 + dx * (end + cell * 0.1), y1 + dy * (end + cell * 0.1)), end - cell * 0.18
    wing = cell * (0.2 if fighting else 0.15)
    left = (x1 + dx * back - dy * wing, y1 + dy * back + dx * wing)
    right = (x1 + dx * back + dy * wing, y1 + dy * back - dx * wing)
    return (
        Stroke(((x1, y1), (x1 + dx * back, y1 + dy * back)), wide, palette.INK),
        Fill((tip, left, right), palette.INK),
    )


def _frame(ground: Ground, square: str, colour: palette.Colour) -> Stroke:
    x, y, wide, high = _tile(ground, square, 0.05)
    return Stroke(((x, y), (x + wide, y), (x + wide, y + high), (x, y + high)), ground.cell * 0.09, colour, closed=True)


def _fix(ground: Ground, fix: Fix) -> Drawing:
    """Return a frame around a square to put right, with a cross where nothing belongs and a plus where a piece does."""
    sign_on_it = ground.on(_CROSS if fix.wanted is None else _PLUS, fix.square)
    return (_frame(ground, fix.square, palette.ALARM), *sign_on_it)


_WATER = picture("water", lake=palette.LAKE, wave=palette.LAKE_DARK)
_CROSS = picture("cross", ink=palette.ALARM, ground=palette.CHALK)  # seen on sand as well as on a piece
_PLUS = picture("plus", ink=palette.ALARM, ground=palette.CHALK)
_NO_ENTRY = picture("no-entry", ink=palette.ALARM, ground=palette.CHALK)
_BLIND = picture("blind", ink=palette.INK, ground=palette.CHALK)
_BURST = picture("burst", ink=palette.INK, ground=palette.CHALK)
