"""Where everything goes in a window of any size: boxes in pixels, computed once a size and never inside a widget.

Everything is measured in a unit that is one pixel at 800 x 480 and grows with the window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kiosk_ui.marks import Box

BANNER, GAP = 92.0, 8.0  # in units: height of the banner, space between panels
BESIDE, BELOW, ABOVE = 17.0, 27.0, 13.0  # around the board: room for the names of rows and columns, and for its frame
TRAY_LEAST, PAD = 200.0, 6.0
HEAD, LINE_OF_HEAD, ROW_MOST = 46.0, 24.0, 40.0
_WIDTH, _HEIGHT = 800.0, 480.0


@dataclass(frozen=True, slots=True)
class BannerPlan:
    """The banner: the army's sign on the left, two sentences, and three short notes on the right."""

    box: Box
    sign: Box
    headline: Box
    detail: Box
    note: Box
    second_note: Box
    third_note: Box


@dataclass(frozen=True, slots=True)
class Plan:
    """The boxes of one window."""

    unit: float
    banner: BannerPlan
    board: Box
    """The squares alone; names of rows and columns stand in the margin around it."""
    trays: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """The head of a tray for one army: its sign, its name, a short note, and its sign once more over its counts."""

    sign: Box
    name: Box
    note: Box
    over_counts: Box | None


@dataclass(frozen=True, slots=True)
class RowPlan:
    """One rank in a tray: tile with the picture, number, name, a line of pips below it, and a count for each army."""

    box: Box
    tile: Box
    number: Box
    name: Box
    pips: Box | None
    counts: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TrayPlan:
    """The boxes of one tray."""

    unit: float
    text: float
    """The largest font size of its rows."""
    heads: tuple[HeadPlan, ...]
    rows: tuple[RowPlan, ...]


def window_plan(width: float, height: float, columns: int, rows: int) -> Plan:
    """Give the boxes of a window of this size for a board of so many columns and rows."""
    unit = min(width / _WIDTH, height / _HEIGHT)
    gap, beside = GAP * unit, BESIDE * unit
    floor = height - BANNER * unit
    least = TRAY_LEAST * unit + 2 * gap
    cell = min((floor - (BELOW + ABOVE) * unit) / rows, (width - 2 * least - 2 * beside) / columns)
    cell = max(1.0, math.floor(cell))  # whole pixels keep the squares' edges sharp
    board = _centred(cell * columns, cell * rows, Box(0.0, BELOW * unit, width, floor - (BELOW + ABOVE) * unit))
    side = board.x - beside
    tray = Box(gap, gap, side - 2 * gap, floor - 2 * gap)
    return Plan(
        unit=unit,
        banner=_banner(Box(0.0, floor, width, BANNER * unit), unit),
        board=board,
        trays=(tray, Box(width - gap - tray.width, gap, tray.width, tray.height)),
    )


def tray_plan(box: Box, unit: float, seats: int, ranks: int) -> TrayPlan:
    """Give the boxes inside a tray for so many armies and ranks."""
    pad = PAD * unit
    head = (HEAD if seats == 1 else LINE_OF_HEAD * seats + 10.0) * unit
    top = box.y + box.height - head
    row = min(ROW_MOST * unit, (top - box.y - pad / 2) / max(1, ranks))
    rows = tuple(_row(Box(box.x, top - (n + 1) * row, box.width, row), unit, seats) for n in range(ranks))
    if seats == 1:
        return TrayPlan(unit, 15.0 * unit, (_head(Box(box.x, top, box.width, head), unit),), rows)
    columns = _counts(Box(box.x, top, box.width, head), unit, seats, 15.0 * unit)
    return TrayPlan(unit, 12.5 * unit, tuple(_head_line(box, n, unit, columns) for n in range(seats)), rows)


def _banner(box: Box, unit: float) -> BannerPlan:
    sign = Box(box.x + 18 * unit, box.y + 16 * unit, 60 * unit, 60 * unit)
    notes = 150.0 * unit
    left = sign.x + sign.width + 16 * unit
    right = box.x + box.width - 18 * unit
    wide = right - left
    return BannerPlan(
        box=box,
        sign=sign,
        headline=Box(left, box.y + 34 * unit, wide - notes - 10 * unit, 54 * unit),
        detail=Box(left, box.y + 8 * unit, wide, 25 * unit),
        note=Box(right - notes, box.y + 64 * unit, notes, 24 * unit),
        second_note=Box(right - notes, box.y + 47 * unit, notes, 17 * unit),
        third_note=Box(right - notes, box.y + 33.5 * unit, notes, 13.5 * unit),
    )


def _head(box: Box, unit: float) -> HeadPlan:
    size = 26.0 * unit
    sign = Box(box.x + PAD * unit, box.y + box.height - size - 9 * unit, size, size)
    left = sign.x + size + 7 * unit
    wide = box.x + box.width - PAD * unit - left
    return HeadPlan(
        sign=sign,
        name=Box(left, box.y + box.height - 26 * unit, wide, 22 * unit),
        note=Box(left, box.y + box.height - 42 * unit, wide, 15 * unit),
        over_counts=None,
    )


def _head_line(box: Box, line: int, unit: float, columns: tuple[Box, ...]) -> HeadPlan:
    """Give one of several lines in the head of a tray that armies share."""
    high = LINE_OF_HEAD * unit
    y = box.y + box.height - (line + 1) * high - 4 * unit
    left = box.x + PAD * unit
    name = Box(left + high, y, 62 * unit, high)
    note = Box(name.x + name.width, y, columns[0].x - 2 * unit - name.x - name.width, high)
    column = columns[line]
    size = 15.0 * unit
    over = Box(column.x + (column.width - size) / 2, column.y - 14 * unit, size, size)
    return HeadPlan(Box(left, y + 3 * unit, high - 6 * unit, high - 6 * unit), name, note, over)


def _row(box: Box, unit: float, seats: int) -> RowPlan:
    tile = min(box.height - 3 * unit, 32 * unit)
    counts = _counts(box, unit, seats, tile - 2 * unit)
    left = box.x + PAD * unit + tile + 3 * unit
    numbers = (21.0 if seats == 1 else 18.0) * unit
    name_x = left + numbers + 4 * unit
    name_wide = counts[0].x - 4 * unit - name_x
    pips = Box(name_x, box.y + box.height / 2 - 12.5 * unit, name_wide, 4 * unit) if seats == 1 else None
    low = 4.5 * unit if pips else 0.0
    return RowPlan(
        box=box,
        tile=Box(box.x + PAD * unit, box.y + (box.height - tile) / 2, tile, tile),
        number=Box(left, box.y + low, numbers, box.height - low),
        name=Box(name_x, box.y + low, name_wide, box.height - low),
        pips=pips,
        counts=counts,
    )


def _counts(box: Box, unit: float, seats: int, high: float) -> tuple[Box, ...]:
    """Give the plates of the counts at the right end of a line, one a seat."""
    wide, space = (42.0 if seats == 1 else 30.0) * unit, 2.0 * unit
    first = box.x + box.width - PAD * unit - seats * wide - (seats - 1) * space
    y = box.y + (box.height - high) / 2
    return tuple(Box(first + n * (wide + space), y, wide, high) for n in range(seats))


def _centred(width: float, height: float, within: Box) -> Box:
    x, y = within.x + (within.width - width) / 2, within.y + (within.height - height) / 2
    return Box(math.floor(x), math.floor(y), width, height)
