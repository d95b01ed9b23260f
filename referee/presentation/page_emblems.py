"""The pictures of the ranks and the shapes of the armies for the phone page, as an ES module: one source for all screens.

Apart from `emblems`, since only the generator of the page's files needs it.
"""

from __future__ import annotations

from referee.presentation.emblems import emblem, sign
from referee.presentation.palette import ARMY, ON_ARMY, Colour
from referee.presentation.shapes import Block, Disc, Drawing, Fill, Mark, Point, Stroke
from referee.rules.values import Rank, Seat

_INK, _GROUND = Colour(0, 0, 0), Colour(255, 255, 255)
_HEAD = """\
// Generated from the kiosk's emblems: make docs
// A mark is [ink or ground, path, width of the line or 0 for a filled one] in a space of 100 x 100, y downwards.
"""


def emblems_module() -> str:
    """Return the ES module: `EMBLEMS` by rank, `SIGNS` by seat, and the armies' colours."""
    ranks = "".join(f"  {rank.value}: {_marks(emblem(rank, _INK, _GROUND))},\n" for rank in Rank)
    seats = "".join(f"  {seat.value}: {_marks(sign(seat, _INK))},\n" for seat in Seat)
    colours = "".join(f'  {seat.value}: {{ army: "{ARMY[seat].hex}", on: "{ON_ARMY[seat].hex}" }},\n' for seat in Seat)
    return (
        f"{_HEAD}export const EMBLEMS = {{\n{ranks}}};\n\nexport const SIGNS = {{\n{seats}}};\n\n"
        f"export const COLOURS = {{\n{colours}}};\n"
    )


def _marks(drawing: Drawing) -> str:
    return "[" + ", ".join(_mark(mark) for mark in drawing) + "]"


def _mark(mark: Mark) -> str:
    match mark:
        case Fill(points=points):
            path, width = _line(points) + "Z", 0.0
        case Stroke(points=points, width=width, closed=closed):
            path = _line(points) + ("Z" if closed else "")
        case Disc(x=x, y=y, radius_x=rx, radius_y=ry):
            arc = f"a{_n(rx)} {_n(ry)} 0 1 0 "
            path, width = f"M{_n(x - rx)} {_n(1 - y)}{arc}{_n(2 * rx)} 0{arc}{_n(-2 * rx)} 0Z", 0.0
        case Block(x=x, y=y, width=wide, height=high, corner=corner):
            path, width = _block(x, 1 - y - high, wide, high, corner), 0.0
        case _:
            raise AssertionError(mark)
    return f'["{"ink" if mark.colour == _INK else "ground"}", "{path}", {_n(width)}]'


def _block(x: float, y: float, wide: float, high: float, corner: float) -> str:
    turn = f"a{_n(corner)} {_n(corner)} 0 0 1 "
    c = _n(corner)
    across, down = _n(wide - 2 * corner), _n(high - 2 * corner)
    return (
        f"M{_n(x + corner)} {_n(y)}h{across}{turn}{c} {c}v{down}{turn}-{c} {c}"
        f"h-{across}{turn}-{c} -{c}v-{down}{turn}{c} -{c}Z"
    )


def _line(points: tuple[Point, ...]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(1 - y)}" for x, y in points)


def _n(value: float) -> str:
    """Return a length in hundredths of the space, a tenth of one exact."""
    return f"{round(value * 100, 1):g}"
