"""The paper template of each shape of board, 1:1: lay it under the squares, prick through the crosses, glue the sensors in the frames.

Seen from above, as players see the board, red's back row at the bottom.
"""

from __future__ import annotations

from hardware import BoardFile
from workshop.canvas import FAINT, Canvas

_EDGE = 2.0  # of a sheet of A4 ten columns of 19 mm leave 10 mm at each side, which printers keep for themselves
_FOOT = 24.0  # the ruler, and what it is for
_BODY = (4.4, 3.5)  # of a TO-92, with room for glue


def template(board: BoardFile) -> str:
    """Return the sheet as SVG, at its natural size 1:1."""
    pitch = board.pitch_mm
    high = board.rows * pitch
    grid = all(x % 1 == 0 == y % 1 for x, y in board.places)
    canvas = Canvas(2 * _EDGE + board.columns * pitch, 2 * _EDGE + high + _FOOT)
    for square, (x, y) in zip(board.squares, board.places, strict=True):
        _square(canvas, square, (_EDGE + (x + 0.5) * pitch, _EDGE + high - (y + 0.5) * pitch), pitch, grid=grid)
    _foot(canvas, board, 2 * _EDGE + high + 6)
    return canvas.svg()


def _square(canvas: Canvas, name: str, middle: tuple[float, float], pitch: float, *, grid: bool) -> None:
    x, y = middle
    half = pitch / 2
    if grid:
        canvas.box(x - half, y - half, pitch, pitch, color="#ccc")
        canvas.text(x - half + 0.8, y - half + 2, name, 2.6, color=FAINT)
    else:
        canvas.circle(x, y, half - 1, color="#ccc")
        canvas.text(x, y - 5, name, 2.4, "middle", FAINT)
    wide, high = _BODY
    canvas.box(x - wide / 2, y - high / 2, wide, high)
    canvas.line((x - 3.5, y), (x + 3.5, y), width=0.15)
    canvas.line((x, y - 3), (x, y + 3), width=0.15)
    for n in (-1, 0, 1):  # where the three legs leave the body: VCC, GND, OUT
        canvas.line((x + 1.27 * n, y + high / 2), (x + 1.27 * n, y + high / 2 + 1.5), width=0.15)


def _foot(canvas: Canvas, board: BoardFile, y: float) -> None:
    canvas.line((6, y), (106, y), width=0.4)
    for n in range(11):
        canvas.line((6 + 10 * n, y - 2), (6 + 10 * n, y + 2), width=0.3)
    canvas.text(110, y, "100 mm: measure it", 2.8)
    shape = f"{board.columns} x {board.rows} squares of {board.pitch_mm:g} mm"
    canvas.text(6, y + 6, f"{shape}, 1:1. Print at 100 %. Seen from above, row 1 (red) at the bottom.", 2.6)
    canvas.text(6, y + 11, "Sensors with their flat, marked face up, legs towards red: VCC left, GND, OUT right.", 2.6)
