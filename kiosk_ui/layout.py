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
ROW_MOST = 56.0
HEAD_ALONE, HEAD_SHARED = (36.0, 30.0), (27.0, 30.0)
"""Heights of the two lines of a head: of an army that has its tray to itself, and of one that shares it. A capital letter of each
is 3 mm high on a screen of 7 inches, which is read at 1.5 m."""
BUTTON, BUTTON_GAP = 48.0, 6.0
"""Height of what is touched: 9 mm on a screen of 7 inches."""
CLOCK, HALL_CLOCK = 50.0, 34.0
BANNER_MIDDLE = 46.0
_PIPS_FROM = 30.0
"""Cells that are lower than this have no line of pips."""


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
    """The head of a tray for one army: sign, name and whether its handset is there, below them a note; its clock stands between."""

    sign: Box
    name: Box
    note: Box
    handset: Box
    bar: Box
    """A line that fills while setting up."""
    beside: Box | None
    """The sign once more beside the army's cells, where they do not stand below its head."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """One rank of one army in a tray: a tile with picture and number, how often it lies here, and a line of pips below."""

    box: Box
    tile: Box
    picture: Box
    number: Box
    count: Box
    pips: Box | None


@dataclass(frozen=True, slots=True)
class TrayPlan:
    """The boxes of one tray."""

    unit: float
    text: float
    """The font size of its cells."""
    heads: tuple[HeadPlan, ...]
    cells: tuple[tuple[CellPlan, ...], ...]
    """For each rank a cell for each army."""
    clocks: Box | None
    """Where the clocks of this side stand, the hall's below those of the armies."""


@dataclass(frozen=True, slots=True)
class ClockPlan:
    """One clock: its plate, the army's sign on the left, the time, and a mark on the right that it runs or that little is left."""

    plate: Box
    sign: Box
    time: Box
    mark: Box


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """The boxes of a page: title, lines, what was typed, a code if there is one, buttons in their order."""

    unit: float
    box: Box
    title: Box
    lines: tuple[Box, ...]
    typed: Box | None
    buttons: tuple[Box, ...]
    code: Box | None = None


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
def tray_plan(
    box: Box, unit: float, seats: int, ranks: int, flat: bool = False, own: bool = False, hall: bool = False
) -> TrayPlan:
    """Return the boxes inside a tray for so many armies and ranks, with clocks of its `own` and the hall's or without.

    Its cells fill two columns. In a `flat` tray there are four, and the heads stand in its left half, the clocks in its right one.
    """
    name, note = (line * unit for line in (HEAD_ALONE, HEAD_SHARED)[seats - 1])
    high = ((CLOCK - 5.0 * (seats - 1) if own else 0.0) + (HALL_CLOCK if hall else 0.0)) * unit
    top = box.y + box.height
    if flat:
        name, note = 29 * unit, 30 * unit
        strip = Box(box.x + box.width / 2, top - 48 * unit, box.width / 2 - 30 * unit, 44 * unit)
    else:
        strip = Box(box.x + PAD * unit, top - name - high, box.width - 2 * PAD * unit, high - 2 * unit)
    low = top - name - note - (0.0 if flat else high)
    wide = box.width / (2 if flat else 1) / seats
    heads = tuple(_head(Box(box.x + n * wide, low, wide, top - low), unit, name, note, seats > 1) for n in range(seats))
    across = (4 if flat else 2) // seats
    down = math.ceil(ranks / across)
    row = min(ROW_MOST * unit, (low - box.y - 2 * unit) / max(1, down))
    areas = [
        Box(box.x + n * box.width / seats + 3 * unit, low, box.width / seats - 6 * unit, 0.0) for n in range(seats)
    ]
    if flat and seats > 1:
        size, middle = 14 * unit, (low + box.y) / 2
        heads = tuple(
            replace(head, beside=Box(area.x, middle - size / 2, size, size))
            for head, area in zip(heads, areas, strict=True)
        )
        areas = [replace(area, x=area.x + size, width=area.width - size) for area in areas]
    cells = tuple(
        tuple(
            _cell(
                Box(area.x + n // down * area.width / across, low - (n % down + 1) * row, area.width / across, row),
                unit,
            )
            for area in areas
        )
        for n in range(ranks)
    )
    text = min(25 * unit, (row - (4 * unit if row >= _PIPS_FROM * unit else 0.0)) / _LINE)
    return TrayPlan(unit, text, heads, cells, strip if own or hall else None)


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
        row = Box(box.x + box.width / 2, box.y + box.height - 48 * unit, box.width / 2 - 30 * unit, 44 * unit)
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


def clock_plans(box: Box, unit: float, own: int, hall: bool) -> tuple[ClockPlan, ...]:
    """Return the boxes of an army's clock or of several beside each other, and of the hall's below them, or beside them in a low box."""
    gap = 4 * unit
    if not hall:
        return tuple(_clock(plate, unit) for plate in _row_of(box, gap, own))
    if not own or box.height < (CLOCK + HALL_CLOCK) * 0.8 * unit:
        return tuple(_clock(plate, unit) for plate in _row_of(box, gap, own + 1))
    high = (HALL_CLOCK - 4) * unit
    upper = Box(box.x, box.y + high + gap, box.width, box.height - high - gap)
    return (*clock_plans(upper, unit, own, False), _clock(replace(box, height=high), unit))


def _clock(plate: Box, unit: float) -> ClockPlan:
    """Return the boxes of one clock; a narrow one has a small sign and small margins."""
    size, pad = (
        ((22 if plate.height > 36 * unit else 18) * unit, 8 * unit)
        if plate.width > 120 * unit
        else (12 * unit, 3 * unit)
    )
    middle = plate.y + (plate.height - size) / 2
    left = plate.x + 2 * pad + size
    mark = Box(plate.x + plate.width - pad - 0.6 * size, middle, 0.6 * size, size)
    return ClockPlan(
        plate,
        Box(plate.x + pad, middle, size, size),
        Box(left, plate.y, mark.x - pad / 2 - left, plate.height),
        mark,
    )


def sheet_plan(
    box: Box, unit: float, lines: Sequence[int], buttons: Sequence[bool], columns: int, typed: bool, modules: int = 0
) -> SheetPlan:
    """Return the boxes of a page; `lines` says how many lines each text may take, `buttons` of each whether it takes a whole row.

    `modules` is the side of a code with its quiet zone, which stands above the buttons; 0 for none.
    """
    pad, gap = 10 * unit, 5 * unit
    if columns == 1 and box.width > 1.5 * box.height:
        columns = 2
    inner = Box(box.x + pad, box.y + pad, box.width - 2 * pad, box.height - 2 * pad)
    top = inner.y + inner.height
    title = Box(inner.x, top - 26 * unit, inner.width, 26 * unit)
    at = title.y - 2 * unit
    texts = [
        Box(inner.x, at - sum(lines[: n + 1]) * 19 * unit, inner.width, number * 19 * unit - unit)
        for n, number in enumerate(lines)
    ]
    at -= sum(lines) * 19 * unit
    dots = Box(inner.x, at - 24 * unit, inner.width, 22 * unit) if typed else None
    at -= (26 if typed else 2) * unit
    cells = _cells(buttons, columns)
    rows = 1 + max((row for row, _, _ in cells), default=0)
    code = None
    if modules:
        foot = inner.y + rows * (56 * unit + gap)
        beside = inner.width > 1.3 * inner.height  # of what is said, where that leaves a bigger one
        side = _whole(min(inner.width, (top if beside else at) - foot), modules)
        left = inner.width - side if beside else (inner.width - side) / 2
        code = Box(math.floor(inner.x + left), math.floor((top if beside else at) - side), side, side)
        if beside:
            title, *texts = (replace(each, width=left - pad) for each in (title, *texts))
        at = foot
    high = min(56 * unit, (at - inner.y - (rows - 1) * gap) / rows)
    wide = (inner.width - (columns - 1) * gap) / columns
    return SheetPlan(unit, box, title, tuple(texts), dots, tuple(
        Box(inner.x + column * (wide + gap), at - (row + 1) * high - row * gap, across * wide + (across - 1) * gap, high)
        for row, column, across in cells
    ), code)  # fmt: skip


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


def _head(box: Box, unit: float, line: float, foot: float, shared: bool) -> HeadPlan:
    """Return the head of one army in a box: a line of this height at its top, the note at its foot."""
    pad, size = (3 if shared else PAD) * unit, (18 if shared else 26) * unit
    upper = box.y + box.height - line
    sign = Box(box.x + pad, upper + (line - size) / 2, size, size)
    left, right = sign.x + size + pad, box.x + box.width - pad
    phone = Box(
        right - (14 if shared else 18) * unit, upper + (line - 22 * unit) / 2, (14 if shared else 18) * unit, 22 * unit
    )
    return HeadPlan(
        sign=sign,
        name=Box(left, upper, phone.x - 2 * unit - left, line),
        note=Box(box.x + pad, box.y + 3 * unit, right - box.x - pad, foot - 3 * unit),
        handset=phone,
        bar=Box(box.x + pad, box.y + 0.5 * unit, right - box.x - pad, 3 * unit),
        beside=None,
    )


def _cell(box: Box, unit: float) -> CellPlan:
    """Return the boxes of one rank: picture and number on a tile, room beside it for how many."""
    gap, pips = 2 * unit, 5 * unit if box.height >= _PIPS_FROM * unit else 0.0
    high = min(box.height - pips - 2 * gap, 40 * unit)
    low = box.y + pips + gap + (box.height - pips - 2 * gap - high) / 2
    count = 28 * unit
    tile = Box(box.x + gap, low, box.width - count - 2 * gap, high)
    size = min(high - 2 * unit, tile.width - 29 * unit)
    below = 4 * unit if pips else 0.0
    line = replace(
        box, y=box.y + below, height=box.height - below
    )  # a digit is lower than its line: it stays on the tile
    return CellPlan(
        box=box,
        tile=tile,
        picture=Box(tile.x + unit, low + (high - size) / 2, size, size),
        number=replace(line, x=tile.x + size + unit, width=tile.width - size - unit),
        count=replace(line, x=tile.x + tile.width + gap, width=count),
        pips=Box(tile.x, low - pips, box.width - 2 * gap, 4 * unit) if pips else None,
    )


# ---- what is shown large for a moment, and while nothing goes on


@dataclass(frozen=True, slots=True)
class ScenePlan:
    """The boxes of a scene: its figures beside each other, what stands below each of them, a sentence, and smaller lines."""

    unit: float
    box: Box
    figures: tuple[Box, ...]
    under: tuple[Box, ...]
    title: Box
    lines: tuple[Box, ...]


def scene_boxes(middle: Box, unit: float, turned: bool) -> tuple[Box, ...]:
    """Return where a scene lies over the board: in its middle, or with a turned half one for each player."""
    inner = middle.inset(8 * unit)
    if not turned:
        high = min(inner.height, 300 * unit)
        return (replace(inner, y=inner.y + (inner.height - high) / 2, height=high),)
    return _column(inner, 6 * unit, 2)


_LEAST_UNDER = 16.0


def scene_plan(box: Box, unit: float, figures: int, lines: int, named: bool) -> ScenePlan:
    """Return the boxes of a scene with so many figures and smaller lines; `named` figures have a square below them where there is room."""
    inner = box.inset(10 * unit)
    title, line = min(54 * unit, inner.height * 0.26), min(26 * unit, inner.height * 0.2)
    texts = title + lines * line
    above = inner.height - texts
    under = min(26 * unit, above * 0.24) if named else 0.0
    if under < _LEAST_UNDER * unit:
        under = 0.0
    size = min(above - under, inner.width / (1.5 * max(1, figures)))
    step = inner.width / max(1, figures)
    places = [inner.x + (n + 0.5) * step for n in range(figures)]
    y = inner.y + texts + under + (above - under - size) / 2
    return ScenePlan(
        unit=unit,
        box=box,
        figures=tuple(Box(x - size / 2, y, size, size) for x in places),
        under=tuple(Box(x - step / 2, y - under, step, under) for x in places if under),
        title=Box(inner.x, inner.y + lines * line, inner.width, title),
        lines=tuple(Box(inner.x, inner.y + (lines - 1 - n) * line, inner.width, line) for n in range(lines)),
    )


IDLE_PLACES = ((0.0, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, 0.0), (1.0, 1.0))
"""Where the idle screen's picture stands in turn, as shares of the room that it leaves."""


def idle_plan(window: Box, unit: float, cards: int, modules: int, place: int) -> tuple[Box, Box, tuple[CardPlan, ...]]:
    """Return where the idle screen's sentence stands, the box below it, and the cards in that; all of it moves with `place`."""
    wide = min(window.width * 0.95, (max(2, cards) * 190 + 40) * unit)
    text, high = 60 * unit, (250 if cards else 160) * unit
    across, up = IDLE_PLACES[place % len(IDLE_PLACES)]
    x, y = window.x + across * (window.width - wide), window.y + up * (window.height - text - high)
    below = Box(x, y, wide, high)
    return Box(x, y + high, wide, text), below, card_plans(below, unit, cards, modules) if cards else ()


# ---- what drives a game that is seen again, in the place of a banner


@dataclass(frozen=True, slots=True)
class StripPlan:
    """The boxes of the strip: what was played last, the line that a finger slides on, and buttons."""

    unit: float
    box: Box
    text: Box
    line: Box
    slide: Box
    """Where a finger may slide: text and line."""
    buttons: tuple[Box, ...]
    texts: bool
    """Whether there is room for words on the buttons."""


def strip_plan(box: Box, unit: float, buttons: int) -> StripPlan:
    """Return the boxes of the strip."""
    pad, high = 10 * unit, 36 * unit
    inner = Box(box.x + pad, box.y + 3 * unit, box.width - 2 * pad, box.height - 6 * unit)
    line = Box(inner.x, inner.y + high + 5 * unit, inner.width, 11 * unit)
    text = Box(inner.x, line.y + line.height, inner.width, inner.y + inner.height - line.y - line.height)
    return StripPlan(
        unit=unit,
        box=box,
        text=text,
        line=line,
        slide=Box(box.x, line.y - 4 * unit, box.width, box.y + box.height - line.y + 4 * unit),
        buttons=_row_of(replace(inner, height=high), 5 * unit, buttons),
        texts=box.width / buttons > 100 * unit,
    )


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
