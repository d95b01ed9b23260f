"""Where the panels go in a window of any size, computed once a size and never inside a widget. `panel_plans` goes on inside them.

There are two layouts, a wide one and a tall one, and each has a form for two players who sit opposite: one half of it is turned round.
A turned panel is planned upright in its box and shown upside down. Everything is measured in a unit that is one pixel at 800 x 480.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from referee.presentation.shapes import Box, Point

BANNER, GAP, CAPTION = (
    92.0,
    8.0,
    18.0,
)  # in units: height of the banner, space between panels, height of the line over the board
BESIDE, BELOW, ABOVE = 17.0, 27.0, 13.0  # around the board: room for the names of rows and columns, and for its frame
LOWER = 4.0  # of the room above it the line over the board takes so much
TRAY_LEAST = 200.0
TALL_TRAY, FLAT_TRAY = 312.0, 172.0
"""Heights of a tray in the tall layout: two beside each other, or one as wide as the window."""
_WIDE = (800.0, 480.0)
_TALL = (480.0, 800.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """The boxes of one window."""

    unit: float
    banners: tuple[Box, ...]
    """One, or with a turned half two: the second is shown upside down."""
    board: Box
    """The squares alone; names of rows and columns stand in the margin around it."""
    middle: Box
    """The panel of the board with its margin, where a page lies as well."""
    caption: Box | None
    """Where banners have no room for notes: a line over the board for them."""
    trays: tuple[Box, Box]
    turned: bool = False
    """Whether the second banner and the second tray are shown upside down."""
    flat: bool = False
    """Whether a tray is wide and low: its rows stand in two columns."""


def window_plan(width: float, height: float, columns: int, rows: int, turned: bool = False) -> Plan:
    """Give the boxes of a window of this size for a board of so many columns and rows."""
    if width >= height:
        return _wide_turned(width, height, columns, rows) if turned else _wide(width, height, columns, rows)
    return _tall_turned(width, height, columns, rows) if turned else _tall(width, height, columns, rows)


def upright(point: Point, box: Box) -> Point:
    """Give where a point of a panel that is shown upside down lies in its upright plan."""
    x, y = box.centre
    return (2 * x - point[0], 2 * y - point[1])


def _wide(width: float, height: float, columns: int, rows: int) -> Plan:
    unit = min(width / _WIDE[0], height / _WIDE[1])
    gap = GAP * unit
    floor = height - BANNER * unit
    board, side = _board_between(Box(0.0, 0.0, width, floor), unit, columns, rows)
    tray = Box(gap, gap, side - 2 * gap, floor - 2 * gap)
    return Plan(
        unit=unit,
        banners=(Box(0.0, floor, width, BANNER * unit),),
        board=board,
        middle=Box(side - gap, 0.0, width - 2 * (side - gap), floor),
        caption=None,
        trays=(tray, Box(width - gap - tray.width, gap, tray.width, tray.height)),
    )


def _wide_turned(width: float, height: float, columns: int, rows: int) -> Plan:
    """Give the wide layout for two who sit at its long sides: each has a half, the board lies between."""
    unit = min(width / _WIDE[0], height / _WIDE[1])
    gap, banner = GAP * unit, BANNER * unit
    half = math.floor(width / 2)
    floor = height - banner
    strip = Box(0.0, banner, width, floor - banner - CAPTION * unit)
    board, side = _board_between(strip, unit, columns, rows)
    tray = Box(gap, gap, side - 2 * gap, floor - 2 * gap)
    return Plan(
        unit=unit,
        banners=(Box(0.0, floor, half, banner), Box(half, 0.0, width - half, banner)),
        board=board,
        middle=Box(side - gap, banner, width - 2 * (side - gap), floor - banner),
        caption=_caption(Box(side - gap, banner, width - 2 * (side - gap), floor - banner), unit),
        trays=(tray, Box(width - gap - tray.width, banner + gap, tray.width, tray.height)),
        turned=True,
    )


def _tall(width: float, height: float, columns: int, rows: int) -> Plan:
    unit = min(width / _TALL[0], height / _TALL[1])
    gap, banner = GAP * unit, BANNER * unit
    half = width / 2
    tray = Box(gap, gap, half - 1.5 * gap, TALL_TRAY * unit)
    low = tray.y + tray.height + gap
    middle = Box(0.0, low, width, height - banner - low)
    return Plan(
        unit=unit,
        banners=(Box(0.0, height - banner, width, banner),),
        board=_board_in(_below_caption(middle, unit), unit, columns, rows),
        middle=middle,
        caption=_caption(middle, unit),
        trays=(tray, Box(half + 0.5 * gap, gap, tray.width, tray.height)),
    )


def _tall_turned(width: float, height: float, columns: int, rows: int) -> Plan:
    """Give the tall layout for two who sit at its short sides: tray and banner of each in front of him."""
    unit = min(width / _TALL[0], height / _TALL[1])
    gap, banner, tray = GAP * unit, BANNER * unit, FLAT_TRAY * unit
    low = tray + 2 * gap + banner
    middle = Box(0.0, low, width, height - 2 * low)
    return Plan(
        unit=unit,
        banners=(Box(0.0, tray + 2 * gap, width, banner), Box(0.0, height - low, width, banner)),
        board=_board_in(_below_caption(middle, unit), unit, columns, rows),
        middle=middle,
        caption=_caption(middle, unit),
        trays=(Box(gap, gap, width - 2 * gap, tray), Box(gap, height - gap - tray, width - 2 * gap, tray)),
        turned=True,
        flat=True,
    )


def _caption(middle: Box, unit: float) -> Box:
    """Give the line over the board, as far from the banner as from the board's frame."""
    return Box(middle.x, middle.y + middle.height - (CAPTION + LOWER) * unit, middle.width, CAPTION * unit)


def _below_caption(middle: Box, unit: float) -> Box:
    return Box(middle.x, middle.y, middle.width, middle.height - CAPTION * unit)


def _board_between(strip: Box, unit: float, columns: int, rows: int) -> tuple[Box, float]:
    """Give the board in a strip between two trays, and how wide each side is."""
    least = (TRAY_LEAST + 2 * GAP + BESIDE) * unit
    cell = _cell(strip.width - 2 * least, strip.height - (BELOW + ABOVE) * unit, columns, rows)
    board = _centred(cell * columns, cell * rows, _inside(strip, unit))
    return board, board.x - BESIDE * unit


def _board_in(middle: Box, unit: float, columns: int, rows: int) -> Box:
    cell = _cell(middle.width - 2 * (BESIDE + GAP) * unit, middle.height - (BELOW + ABOVE) * unit, columns, rows)
    return _centred(cell * columns, cell * rows, _inside(middle, unit))


def _inside(panel: Box, unit: float) -> Box:
    return Box(panel.x, panel.y + BELOW * unit, panel.width, panel.height - (BELOW + ABOVE) * unit)


def _cell(wide: float, high: float, columns: int, rows: int) -> int:
    """Give the side of a square: whole pixels keep the squares' edges sharp."""
    return max(1, math.floor(min(wide / columns, high / rows)))


def _centred(width: float, height: float, within: Box) -> Box:
    x, y = within.x + (within.width - width) / 2, within.y + (within.height - height) / 2
    return Box(math.floor(x), math.floor(y), width, height)
