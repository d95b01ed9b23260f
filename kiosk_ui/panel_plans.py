"""Where things go inside each panel: banner, tray, card, page. Pure; all boxes are in pixels of the window, upright."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.presentation.shapes import Box

PAD = 6.0
HEAD, LINE_OF_HEAD, ROW_MOST = 46.0, 24.0, 40.0
BUTTON, BUTTON_GAP = 48.0, 6.0
"""Height of what is touched: 9 mm on a screen of 7 inches."""
CLOCK = 46.0
BANNER_MIDDLE = 46.0
_TEXT, _TEXT_SHARED = 15.0, 12.5


@dataclass(frozen=True, slots=True)
class BannerPlan:
    """The banner: the army's sign on the left, two sentences, three short notes on the right where there is room, and the menu."""

    box: Box
    sign: Box
    headline: Box
    alone: Box
    """Where the headline stands when nothing is said below it."""
    detail: Box
    notes: tuple[Box, ...]
    menu: Box


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """The head of a tray for one army: sign, name, a short note, whether its handset is there, its sign once more over its counts."""

    sign: Box
    name: Box
    note: Box
    handset: Box
    """In a tray that armies share it takes the place of the note."""
    bar: Box
    """A line that fills while setting up."""
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


@dataclass(frozen=True, slots=True)
class ClockPlan:
    """One clock: its plate, the army's sign on the left, the time, and a mark on the right that it runs or that little is left."""

    plate: Box
    sign: Box
    time: Box
    mark: Box


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """The boxes of a page: title, lines, what was typed, buttons in their order."""

    unit: float
    box: Box
    title: Box
    lines: tuple[Box, ...]
    typed: Box | None
    buttons: tuple[Box, ...]


def banner_plan(box: Box, unit: float, notes: bool, long: bool = False) -> BannerPlan:
    """Give the boxes inside a banner, with room for notes on the right or without, and for several lines of a `long` detail."""
    small = box.width < 560 * unit
    low, high = (4.0, 58.0 if small else 38.0) if long else (4.0, 32.0) if small else (7.0, 25.0)
    margin, size = (12.0, 52.0) if small else (18.0, 60.0)
    sign = Box(box.x + margin * unit, box.y + (BANNER_MIDDLE - size / 2) * unit, size * unit, size * unit)
    left = sign.x + sign.width + margin * 0.85 * unit
    menu = Box(box.x + box.width - 54 * unit, box.y + 38 * unit, 48 * unit, 48 * unit)
    right = menu.x - 6 * unit
    wide = 158.0 * unit if notes else 0.0
    end = right - wide - (8 * unit if notes else 0.0)
    beside_menu, below_menu = end - left, box.x + box.width - 12 * unit - left
    lines = (
        Box(right - wide, box.y + 64 * unit, wide, 24 * unit),
        Box(right - wide, box.y + 47 * unit, wide, 17 * unit),
        Box(right - wide, box.y + 32 * unit, wide, 15 * unit),
    )
    return BannerPlan(
        box=box,
        sign=sign,
        headline=Box(left, box.y + (low + high + 1) * unit, end - left, (87 - low - high) * unit),
        alone=Box(left, box.y + (BANNER_MIDDLE - 27.5) * unit, end - left, 55 * unit),
        detail=Box(left, box.y + low * unit, beside_menu if small and long else below_menu, high * unit),
        notes=lines if notes else (),
        menu=menu,
    )


@lru_cache(maxsize=32)
def tray_plan(box: Box, unit: float, seats: int, ranks: int, flat: bool = False) -> TrayPlan:
    """Give the boxes inside a tray for so many armies and ranks; a `flat` one has its rows in two columns."""
    pad = PAD * unit
    head = (HEAD if seats == 1 else LINE_OF_HEAD * seats + 10.0) * unit
    top = box.y + box.height - head
    text = (_TEXT if seats == 1 else _TEXT_SHARED) * unit
    columns = 2 if flat else 1
    down = math.ceil(ranks / columns)
    row = min(ROW_MOST * unit, (top - box.y - pad / 2) / max(1, down))
    wide = box.width / columns
    rows = tuple(
        _row(Box(box.x + n // down * wide, top - (n % down + 1) * row, wide, row), unit, seats) for n in range(ranks)
    )
    if seats == 1:
        return TrayPlan(unit, text, (_head(Box(box.x, top, box.width, head), unit, flat),), rows)
    counts = [_counts(Box(box.x + n * wide, top, wide, head), unit, seats, 15.0 * unit) for n in range(columns)]
    return TrayPlan(unit, text, tuple(_head_line(box, n, unit, counts[0]) for n in range(seats)), rows)


def foot_plan(
    box: Box, unit: float, buttons: int, flat: bool = False, cards: bool = False
) -> tuple[Box, tuple[Box, ...]]:
    """Give what is left of a side above a row of buttons, and the buttons; without any all is left.

    In a `flat` side, too low for a row more, they stand in the right half beside the head, or beside its cards.
    """
    if not buttons:
        return box, ()
    high, gap = BUTTON * unit, BUTTON_GAP * unit
    if flat and cards:
        wide, tall = 116 * unit, (box.height - (buttons - 1) * gap) / buttons
        x = box.x + box.width - wide
        rest = Box(box.x, box.y, box.width - wide - gap, box.height)
        return rest, tuple(Box(x, box.y + n * (tall + gap), wide, tall) for n in range(buttons))
    if flat:
        row = Box(box.x + box.width / 2, box.y + box.height - 46 * unit, box.width / 2 - 30 * unit, 42 * unit)
        wide = (row.width - (buttons - 1) * gap) / buttons
        return box, tuple(Box(row.x + n * (wide + gap), row.y, wide, row.height) for n in range(buttons))
    wide = (box.width - (buttons - 1) * gap) / buttons
    rest = Box(box.x, box.y + high + gap, box.width, box.height - high - gap)
    return rest, tuple(Box(box.x + n * (wide + gap), box.y, wide, high) for n in range(buttons))


def clock_room(box: Box, unit: float, turned: bool, flat: bool) -> tuple[Box, Box]:
    """Give where clocks stand at a side, and what is left of it for the rest; both as they are seen in the window.

    In a `flat` side, too low for a row more, they stand in its right half beside the head, and all is left.
    """
    high, gap = CLOCK * unit, BUTTON_GAP * unit
    if flat:
        wide = box.width / 2 - 30 * unit
        x = box.x + 30 * unit if turned else box.x + box.width / 2
        return Box(x, box.y + 4 * unit if turned else box.y + box.height - 46 * unit, wide, 42 * unit), box
    strip = Box(box.x, box.y if turned else box.y + box.height - high, box.width, high)
    return strip, Box(box.x, box.y + high + gap if turned else box.y, box.width, box.height - high - gap)


def clock_plans(box: Box, unit: float, clocks: int) -> tuple[ClockPlan, ...]:
    """Give the boxes of so many clocks beside each other."""
    gap = 4 * unit
    wide = (box.width - (clocks - 1) * gap) / clocks
    plates = [Box(box.x + n * (wide + gap), box.y, wide, box.height) for n in range(clocks)]
    size = (22 if clocks == 1 else 12) * unit
    pad = (10 if clocks == 1 else 3) * unit
    return tuple(
        ClockPlan(
            plate,
            Box(plate.x + pad, plate.y + (plate.height - size) / 2, size, size),
            Box(plate.x + 2 * pad + size, plate.y, plate.width - 4 * pad - 1.8 * size, plate.height),
            Box(plate.x + plate.width - pad - 0.8 * size, plate.y + (plate.height - size) / 2, 0.8 * size, size),
        )
        for plate in plates
    )


def sheet_plan(
    box: Box, unit: float, lines: Sequence[int], buttons: Sequence[bool], columns: int, typed: bool
) -> SheetPlan:
    """Give the boxes of a page; `lines` says how many lines each text may take, `buttons` of each whether it takes a whole row."""
    pad, gap = 10 * unit, 5 * unit
    if columns == 1 and box.width > 1.5 * box.height:
        columns = 2
    inner = Box(box.x + pad, box.y + pad, box.width - 2 * pad, box.height - 2 * pad)
    top = inner.y + inner.height
    title = Box(inner.x, top - 26 * unit, inner.width, 26 * unit)
    at = title.y - 2 * unit
    texts = tuple(
        Box(inner.x, at - sum(lines[: n + 1]) * 19 * unit, inner.width, number * 19 * unit - unit)
        for n, number in enumerate(lines)
    )
    at -= sum(lines) * 19 * unit
    dots = Box(inner.x, at - 24 * unit, inner.width, 22 * unit) if typed else None
    at -= (26 if typed else 2) * unit
    cells = _cells(buttons, columns)
    rows = 1 + max((row for row, _, _ in cells), default=0)
    high = min(56 * unit, (at - inner.y - (rows - 1) * gap) / rows)
    wide = (inner.width - (columns - 1) * gap) / columns
    return SheetPlan(unit, box, title, texts, dots, tuple(
        Box(inner.x + column * (wide + gap), at - (row + 1) * high - row * gap, across * wide + (across - 1) * gap, high)
        for row, column, across in cells
    ))  # fmt: skip


def _cells(buttons: Sequence[bool], columns: int) -> list[tuple[int, int, int]]:
    """Give row, first column and columns across for each button."""
    cells: list[tuple[int, int, int]] = []
    row = column = 0
    for whole in buttons:
        if whole and column:
            row, column = row + 1, 0
        cells.append((row, column, columns if whole else 1))
        column += columns if whole else 1
        if column >= columns:
            row, column = row + 1, 0
    return cells


def _head(box: Box, unit: float, half: bool) -> HeadPlan:
    size = 26.0 * unit
    sign = Box(box.x + PAD * unit, box.y + box.height - size - 9 * unit, size, size)
    left = sign.x + size + 7 * unit
    handset = Box(box.x + box.width - (PAD + 18) * unit, box.y + box.height - 27 * unit, 18 * unit, 22 * unit)
    wide = box.x + (box.width / 2 if half else box.width) - PAD * unit - left
    return HeadPlan(
        sign=sign,
        name=Box(left, box.y + box.height - 26 * unit, wide if half else handset.x - 3 * unit - left, 22 * unit),
        note=Box(left, box.y + box.height - 42 * unit, wide, 15 * unit),
        handset=handset,
        bar=Box(box.x + PAD * unit, box.y + 0.5 * unit, box.width - 2 * PAD * unit, 3 * unit),
        over_counts=None,
    )


def _head_line(box: Box, line: int, unit: float, columns: tuple[Box, ...]) -> HeadPlan:
    """Give one of several lines in the head of a tray that armies share."""
    high = LINE_OF_HEAD * unit
    y = box.y + box.height - (line + 1) * high - 4 * unit
    left = box.x + PAD * unit
    name = Box(left + high, y, 54 * unit, high)
    column = columns[line]
    size = 15.0 * unit
    over = Box(column.x + (column.width - size) / 2, column.y - 14 * unit, size, size)
    after = name.x + name.width + 4 * unit
    note = Box(after, y, columns[0].x - 2 * unit - after, high)
    handset = Box(note.x, y + 3 * unit, 16 * unit, 18 * unit)
    bar = Box(left + high, y - 0.5 * unit, note.x + note.width - left - high, 2 * unit)
    return HeadPlan(Box(left, y + 3 * unit, high - 6 * unit, high - 6 * unit), name, note, handset, bar, over)


def _row(box: Box, unit: float, seats: int) -> RowPlan:
    tile = min(box.height - 3 * unit, 32 * unit)
    counts = _counts(box, unit, seats, tile - 2 * unit)
    left = box.x + PAD * unit + tile + 3 * unit
    numbers = (21.0 if seats == 1 else 18.0) * unit
    name_x = left + numbers + 4 * unit
    name_wide = counts[0].x - 4 * unit - name_x
    with_pips = seats == 1 and box.height >= 24 * unit
    pips = Box(name_x, box.y + box.height / 2 - 12.5 * unit, name_wide, 4 * unit) if with_pips else None
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
    wide, space = (42.0 if seats == 1 else 27.0) * unit, 2.0 * unit
    first = box.x + box.width - PAD * unit - seats * wide - (seats - 1) * space
    y = box.y + (box.height - high) / 2
    return tuple(Box(first + n * (wide + space), y, wide, high) for n in range(seats))
