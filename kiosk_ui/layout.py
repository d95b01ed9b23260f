"""Where everything goes in a window of any size: the panels, what lies inside each, and how big a text may be. Pure.

Computed once a size and never inside a widget. There are two layouts, a wide one and a tall one, and each has a form for two players
who sit opposite: one half of it is turned round. A turned panel is planned upright in its box and shown upside down. Everything is
measured in a unit that is one pixel at 800 x 480.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from referee.presentation.shapes import Box, Point

# in units: height of the banner, space between panels, height of the line over the board
BANNER, GAP, CAPTION = 92.0, 8.0, 18.0
BESIDE, BELOW, ABOVE = 17.0, 27.0, 13.0  # around the board: room for the names of rows and columns, and for its frame
LOWER = 4.0  # of the room above it the line over the board takes so much
TRAY_LEAST = 200.0
_TRAY_BESIDE = TRAY_LEAST + 2 * GAP + BESIDE
"""On each side of a board between two trays, at least."""
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
    """Return the boxes of a window of this size for a board of so many columns and rows."""
    lay = _wide if width >= height else _tall
    return lay(width, height, columns, rows, turned)


def upright(point: Point, box: Box) -> Point:
    """Return where a point of a panel that is shown upside down lies in its upright plan."""
    x, y = box.centre
    return (2 * x - point[0], 2 * y - point[1])


def _wide(width: float, height: float, columns: int, rows: int, turned: bool) -> Plan:
    """Return the wide layout; `turned` for two who sit at its long sides: each has a half, the board lies between."""
    unit = min(width / _WIDE[0], height / _WIDE[1])
    gap, banner = GAP * unit, BANNER * unit
    half = math.floor(width / 2)
    floor = height - banner
    low, over = (banner, CAPTION * unit) if turned else (0.0, 0.0)
    board = _board_in(Box(0.0, low, width, floor - low - over), _TRAY_BESIDE, unit, columns, rows)
    side = board.x - BESIDE * unit
    middle = Box(side - gap, low, width - 2 * (side - gap), floor - low)
    tray = Box(gap, gap, side - 2 * gap, floor - 2 * gap)
    halves = (Box(0.0, floor, half, banner), Box(half, 0.0, width - half, banner))
    return Plan(
        unit=unit,
        banners=halves if turned else (Box(0.0, floor, width, banner),),
        board=board,
        middle=middle,
        caption=_caption(middle, unit) if turned else None,
        trays=(tray, Box(width - gap - tray.width, low + gap, tray.width, tray.height)),
        turned=turned,
    )


def _tall(width: float, height: float, columns: int, rows: int, turned: bool) -> Plan:
    """Return the tall layout; `turned` for two who sit at its short sides: tray and banner of each in front of him."""
    unit = min(width / _TALL[0], height / _TALL[1])
    gap, banner = GAP * unit, BANNER * unit
    over = Box(0.0, height - banner, width, banner)
    if turned:
        high = FLAT_TRAY * unit
        low = above = high + 2 * gap + banner
        trays = (Box(gap, gap, width - 2 * gap, high), Box(gap, height - gap - high, width - 2 * gap, high))
        banners: tuple[Box, ...] = (replace(over, y=high + 2 * gap), replace(over, y=height - low))
    else:
        tray = Box(gap, gap, width / 2 - 1.5 * gap, TALL_TRAY * unit)
        low, above = tray.y + tray.height + gap, banner
        trays, banners = (tray, replace(tray, x=width / 2 + 0.5 * gap)), (over,)
    middle = Box(0.0, low, width, height - above - low)
    below_caption = Box(0.0, low, width, middle.height - CAPTION * unit)
    return Plan(
        unit=unit,
        banners=banners,
        board=_board_in(below_caption, BESIDE + GAP, unit, columns, rows),
        middle=middle,
        caption=_caption(middle, unit),
        trays=trays,
        turned=turned,
        flat=turned,
    )


def _caption(middle: Box, unit: float) -> Box:
    """Return the line over the board, as far from the banner as from the board's frame."""
    return Box(middle.x, middle.y + middle.height - (CAPTION + LOWER) * unit, middle.width, CAPTION * unit)


def _board_in(panel: Box, beside: float, unit: float, columns: int, rows: int) -> Box:
    """Return the squares in the middle of a panel that leaves `beside` units free on each side, and room for names and frame.

    The side of a square is whole pixels, which keep its edges sharp.
    """
    low, room = panel.y + BELOW * unit, panel.height - (BELOW + ABOVE) * unit
    cell = max(1, math.floor(min((panel.width - 2 * beside * unit) / columns, room / rows)))
    wide, high = cell * columns, cell * rows
    return Box(math.floor(panel.x + (panel.width - wide) / 2), math.floor(low + (room - high) / 2), wide, high)


# ---- inside the panels: banner, tray, clocks, page; all boxes are in pixels of the window, upright

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
    """Return the boxes inside a banner, with room for notes on the right or without, and for several lines of a `long` detail."""
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
        sign=sign,
        headline=Box(left, box.y + (low + high + 1) * unit, end - left, (87 - low - high) * unit),
        alone=Box(left, box.y + (BANNER_MIDDLE - 27.5) * unit, end - left, 55 * unit),
        detail=Box(left, box.y + low * unit, beside_menu if small and long else below_menu, high * unit),
        notes=lines if notes else (),
        menu=menu,
    )


@lru_cache(maxsize=32)
def tray_plan(box: Box, unit: float, seats: int, ranks: int, flat: bool = False) -> TrayPlan:
    """Return the boxes inside a tray for so many armies and ranks; a `flat` one has its rows in two columns."""
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
    """Return what is left of a side above a row of buttons, and the buttons; without any all is left.

    In a `flat` side, too low for a row more, they stand in the right half beside the head, or beside its cards.
    """
    if not buttons:
        return box, ()
    high, gap = BUTTON * unit, BUTTON_GAP * unit
    if flat and cards:
        wide = 116 * unit
        rest = Box(box.x, box.y, box.width - wide - gap, box.height)
        return rest, _column(Box(box.x + box.width - wide, box.y, wide, box.height), gap, buttons)
    if flat:
        row = Box(box.x + box.width / 2, box.y + box.height - 46 * unit, box.width / 2 - 30 * unit, 42 * unit)
        return box, _row_of(row, gap, buttons)
    rest = Box(box.x, box.y + high + gap, box.width, box.height - high - gap)
    return rest, _row_of(Box(box.x, box.y, box.width, high), gap, buttons)


def _row_of(box: Box, gap: float, number: int) -> tuple[Box, ...]:
    """Return so many boxes beside each other that fill a box, the left one first."""
    wide = (box.width - (number - 1) * gap) / number
    return tuple(Box(box.x + n * (wide + gap), box.y, wide, box.height) for n in range(number))


def _column(box: Box, gap: float, number: int) -> tuple[Box, ...]:
    """Return so many boxes above each other that fill a box, the lowest first."""
    high = (box.height - (number - 1) * gap) / number
    return tuple(Box(box.x, box.y + n * (high + gap), box.width, high) for n in range(number))


def clock_room(box: Box, unit: float, turned: bool, flat: bool) -> tuple[Box, Box]:
    """Return where clocks stand at a side, and what is left of it for the rest; both as they are seen in the window.

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
    """Return the boxes of so many clocks beside each other."""
    plates = _row_of(box, 4 * unit, clocks)
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
    """Return the boxes of a page; `lines` says how many lines each text may take, `buttons` of each whether it takes a whole row."""
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
    """Return row, first column and columns across for each button."""
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
    """Return one of several lines in the head of a tray that armies share."""
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
    """Return the plates of the counts at the right end of a line, one a seat."""
    wide, space = (42.0 if seats == 1 else 27.0) * unit, 2.0 * unit
    first = box.x + box.width - PAD * unit - seats * wide - (seats - 1) * space
    y = box.y + (box.height - high) / 2
    return tuple(Box(first + n * (wide + space), y, wide, high) for n in range(seats))


# ---- on the card of a seat: how it is joined, or the digits that are compared


@dataclass(frozen=True, slots=True)
class CardPlan:
    """The boxes of one seat's card: sign, name, a sentence, the code or the digits, hints below: an address and what is typed there.

    One that is too low for hints has no box for the first, and the second beside the name.
    """

    unit: float
    box: Box
    sign: Box
    name: Box
    text: Box | None
    picture: Box
    digits: Box
    news: Box
    """Above the digits: what they are for."""
    question: Box
    """Below them."""
    hints: tuple[Box | None, Box]


def card_plans(box: Box, unit: float, cards: int, modules: int) -> tuple[CardPlan, ...]:
    """Return the boxes of the cards of one side, one above the other; `modules` is the side of a code with its quiet zone."""
    beside = box.width > 1.3 * box.height
    boxes = _row_of(box, 6 * unit, cards) if beside else _column(box, 6 * unit, cards)[::-1]
    return tuple(_card(each, unit, modules) for each in boxes)


def _card(box: Box, unit: float, modules: int) -> CardPlan:
    """Return a card with its code on the right, or below its name.

    Where it is low there is room for name and code only, and what is typed stands beside the name.
    """
    column = inner = box.inset(PAD * unit)
    beside = box.width > 1.3 * box.height
    if beside:
        side = _whole(inner.height, modules)
        left, low = math.floor(box.x + box.width - PAD * unit - side), inner.y
        column = replace(inner, width=left - box.x - 2 * PAD * unit)
    roomy = column.width > 150 * unit if beside else box.height > 250 * unit
    sign, name, top = _card_head(column, unit)
    if beside:
        picture = Box(left, math.floor(box.y + (box.height - side) / 2), side, side)
    else:
        side = _whole(min(column.width, column.height - (106 if roomy else 31) * unit), modules)
        upper = top - 24 * unit if roomy else top
        picture = Box(math.floor(box.x + (box.width - side) / 2), math.floor(upper - side), side, side)
        low = picture.y - 54 * unit
    typed = Box(column.x, low, column.width, 28 * unit)
    if not (beside or roomy):
        half = name.width * 0.48
        name, typed = replace(name, width=half - 6 * unit), replace(name, x=name.x + half, width=name.width - half)
    digits, news, question = _compared(replace(inner, height=top - inner.y), unit)
    return CardPlan(
        unit=unit,
        box=box,
        sign=sign,
        name=name,
        text=Box(column.x, top - 20 * unit, column.width, 19 * unit) if roomy else None,
        picture=picture,
        digits=digits,
        news=news,
        question=question,
        hints=(Box(column.x, low + 29 * unit, column.width, 20 * unit) if roomy else None, typed),
    )


def _compared(room: Box, unit: float) -> tuple[Box, Box, Box]:
    """Return where digits stand in a room, what is said above them, and the question below."""
    news = Box(room.x, room.y + room.height - 36 * unit, room.width, 36 * unit)
    rest = news.y - room.y
    low = max(24 * unit, min(80 * unit, rest * 0.4))
    high = min(120 * unit, rest - low)
    digits = Box(room.x, news.y - high, room.width, high)
    return digits, news, Box(room.x, digits.y - low, room.width, low)


def _card_head(column: Box, unit: float) -> tuple[Box, Box, float]:
    """Return sign and name at the top of a card, and what is left below them."""
    top = column.y + column.height
    sign = Box(column.x, top - 28 * unit, 26 * unit, 26 * unit)
    return sign, Box(sign.x + 33 * unit, top - 29 * unit, column.width - 33 * unit, 28 * unit), top - 31 * unit


def _whole(room: float, modules: int) -> int:
    """Return the side of a code in whole pixels a module, so that a camera sees sharp edges."""
    return max(1, math.floor(room / modules)) * modules


# ---- inside a box: how big a text may be written; widths at one size are measured by the caller

MEASURED_AT = 100.0
"""The font size in pixels at which widths are measured; they grow in proportion."""
_LINE = 1.2  # height of a line in font sizes
_SPARE = 0.985  # hinting makes a text a little wider at some sizes


def fitting_size(
    word_widths: Sequence[float], blank: float, box_width: float, box_height: float, largest: float, lines: int = 1
) -> float:
    """Return the font size in whole pixels, at most `largest`, at which a text fits the box both ways; at least 1.

    `word_widths` are those of its words and `blank` that of a blank, at `MEASURED_AT`. It is broken at blanks into as many as `lines`
    where that lets it be bigger; no word is torn. Whole pixels, because a font is loaded once for each size.
    """
    wide = box_width * _SPARE * MEASURED_AT
    for size in range(math.floor(largest), 1, -1):
        most = min(lines, math.floor(box_height / (size * _LINE) + 1e-9))
        if 0 < _broken(word_widths, blank, wide / size) <= most:
            return float(size)
    return 1.0


def _broken(word_widths: Sequence[float], blank: float, wide: float) -> int:
    """Return how many lines the words take, as full as each can be; 0 where a word is wider than a line."""
    lines, end = 1, -blank
    for width in word_widths:
        if width > wide:
            return 0
        end += blank + width
        if end > wide:
            lines, end = lines + 1, width
    return lines
