"""Where things go: nothing leaves the window, nothing lies on something else, for any size, layout, board and army."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk_ui.board_picture import ground_layer, ground_of
from kiosk_ui.fixtures import samples
from kiosk_ui.layout import (
    BANNER,
    Plan,
    banner_plan,
    card_plans,
    clock_plans,
    fitting_size,
    foot_plan,
    idle_plan,
    scene_boxes,
    scene_plan,
    sheet_plan,
    tray_plan,
    upright,
    window_plan,
)
from referee.presentation.shapes import Box, Text
from tests.kiosk.boxes import holds, meets

SAMPLES = {sample.name: sample for sample in samples()}
SHAPES = {(s.info.board.columns, s.info.board.rows): s.info.board for s in SAMPLES.values() if s.info}
BOARDS = st.sampled_from(sorted(SHAPES))
WIDE = st.tuples(st.integers(800, 2560), st.integers(480, 1440)).filter(lambda size: size[0] >= size[1])
SIZES = WIDE | WIDE.map(lambda size: (size[1], size[0]))
"""Wide windows from 800 x 480 upwards, and the same stood on end."""


def _box_of(text: Text) -> Box:
    """Return the space that a short text takes, at most 0.6 of its size for each letter."""
    wide = 0.6 * text.size * len(text.text)
    return Box(text.x - wide / 2, text.y - 0.55 * text.size, wide, 1.1 * text.size)


def apart(boxes: list[Box]) -> bool:
    """Return whether no two boxes meet."""
    return not any(meets(one, other) for one, other in combinations(boxes, 2))


def panels_of(plan: Plan) -> list[Box]:
    """Return the boxes of all panels."""
    return [*plan.banners, plan.middle, *plan.trays]


@given(SIZES, BOARDS, st.booleans())
def test_panels_fill_the_window_without_meeting(size: tuple[int, int], board: tuple[int, int], turned: bool) -> None:
    """Banners, board with its margin, and trays lie inside the window and apart, in every layout."""
    plan = window_plan(*size, *board, turned)
    window = Box(0, 0, *size)
    assert all(holds(window, panel) for panel in panels_of(plan))
    assert apart(panels_of(plan))
    assert holds(plan.middle, plan.board.inset(-6 * plan.unit))
    names = [
        _box_of(mark)
        for mark in ground_layer(ground_of(SHAPES[board], plan.board, plan.unit))["ground"]
        if isinstance(mark, Text)
    ]
    assert len(names) == (0 if board == (15, 13) else sum(board))  # the arms of the board for three lie askew
    assert all(holds(plan.middle, name) for name in names)
    over = [plan.caption] if plan.caption else []
    assert not any(meets(name, panel) for name in names for panel in (plan.board, *over))
    assert plan.turned is turned
    assert len(plan.banners) == 1 + turned


@given(SIZES, BOARDS, st.booleans())
def test_squares_are_square_and_whole(size: tuple[int, int], board: tuple[int, int], turned: bool) -> None:
    """Squares measure whole pixels, the same both ways, so that their edges are sharp."""
    plan = window_plan(*size, *board, turned)
    columns, rows = board
    assert plan.board.width / columns == plan.board.height / rows
    assert plan.board.width / columns == int(plan.board.width / columns)
    assert (plan.board.x, plan.board.y) == (int(plan.board.x), int(plan.board.y))


@given(SIZES, st.booleans())
def test_banners_have_room_for_everything(size: tuple[int, int], turned: bool) -> None:
    """Sign, sentences, notes and the menu lie inside a banner and apart."""
    plan = window_plan(*size, 10, 10, turned)
    for box in plan.banners:
        banner = banner_plan(box, plan.unit, notes=plan.caption is None)
        parts = [banner.sign, banner.headline, banner.detail, *banner.notes, banner.menu]
        assert all(holds(box, part) for part in (*parts, banner.alone))
        assert apart(parts)


def test_the_page_of_figures_says_how_big_a_turn_is_shown() -> None:
    """docs/reference/kiosk-figures.md: the banner and its sign at 800 x 480, on a 7 inch screen (154 mm wide) from two metres away."""
    text = (Path(__file__).parents[2] / "docs" / "reference" / "kiosk-figures.md").read_text(encoding="utf-8")
    whole = banner_plan(Box(0.0, 0.0, 800.0, BANNER), 1.0, notes=True)
    half = banner_plan(Box(0.0, 0.0, 400.0, BANNER), 1.0, notes=False)
    for pixels in (BANNER, whole.sign.height, half.sign.height):
        mm = pixels * 154 / 800
        assert f"| {pixels:.0f} | {mm:.0f} mm, {math.degrees(mm / 2000) * 60:.0f}' |" in text


@given(SIZES, BOARDS, st.booleans(), st.integers(1, 2), st.integers(1, 13), st.booleans(), st.booleans())
def test_trays_have_room_for_every_rank(
    size: tuple[int, int], board: tuple[int, int], turned: bool, seats: int, ranks: int, own: bool, hall: bool
) -> None:
    """Heads, clocks, tiles and counts of a tray lie inside it and apart."""
    window = window_plan(*size, *board, turned)
    for box in window.trays:
        plan = tray_plan(box, window.unit, seats, ranks, window.flat, own, hall)
        assert [len(cells) for cells in plan.cells] == [seats] * ranks
        assert len(plan.heads) == seats
        cells = [cell for cells in plan.cells for cell in cells]
        heads = [p for head in plan.heads for p in (head.sign, head.name, head.note, head.handset, head.beside) if p]
        clocks = [plan.clocks] if plan.clocks else []
        assert bool(clocks) == (own or hall)
        parts = [*heads, *clocks, *(part for cell in cells for part in (cell.tile, cell.count))]
        assert all(holds(box, part) for part in parts)
        assert all(holds(box, head.bar) for head in plan.heads)
        assert apart(parts)
        assert all(holds(cell.tile, cell.picture) and holds(cell.box, cell.number) for cell in cells)
        assert all(CAPITAL * plan.text <= cell.tile.height for cell in cells)  # digits have nothing below their line
        assert all(apart([cell.picture, cell.number]) for cell in cells)
        assert all(apart([cell.picture, cell.pips]) for cell in cells if cell.pips)
        plates = clock_plans(clocks[0], window.unit, seats if own else 0, hall) if clocks else ()
        assert all(holds(plan.clocks, plate.plate) for plate in plates if plan.clocks)
        assert apart([plate.plate for plate in plates])
        assert all(holds(plate.plate, part) for plate in plates for part in (plate.sign, plate.time, plate.mark))


CAPITAL = 0.7
"""Height of a capital letter in font sizes (Roboto: 1456 of 2048)."""


@pytest.mark.parametrize("clocks", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("size", [(800, 480), (480, 800)])
def test_trays_are_read_at_one_and_a_half_metres(size: tuple[int, int], turned: bool, clocks: bool) -> None:
    """On 7 inches (154 mm for 800 pixels) capitals of names, sums and numbers are 3 mm high, with an hour's clocks as without."""
    window = window_plan(*size, 10, 10, turned)
    for box in window.trays:
        plan = tray_plan(box, window.unit, 1, 12, window.flat, clocks)
        numbers = (cell.number for cells in plan.cells for cell in cells)
        lines = [*numbers, *(line for head in plan.heads for line in (head.name, head.note))]
        sizes = [plan.text, *(line.height / 1.2 for line in lines)]
        assert all(CAPITAL * size * 154 / 800 >= 3.0 for size in sizes), sizes


@pytest.mark.parametrize("clocks", [False, True])
def test_trays_of_four_armies_are_read_at_one_and_a_half_metres(clocks: bool) -> None:
    """Of two armies that share one on a screen that lies, with an hour's clocks as without."""
    window = window_plan(800, 480, 13, 13, False)
    for box in window.trays:
        plan = tray_plan(box, window.unit, 2, 10, window.flat, clocks)
        numbers = (cell.number for cells in plan.cells for cell in cells)
        lines = [*numbers, *(line for head in plan.heads for line in (head.name, head.note))]
        sizes = [plan.text, *(line.height / 1.2 for line in lines)]
        assert all(CAPITAL * size * 154 / 800 >= 3.0 for size in sizes), sizes


@given(SIZES, st.booleans(), st.integers(1, 2), st.sampled_from([0, 41, 45]))
def test_cards_and_feet_have_room(size: tuple[int, int], turned: bool, seats: int, modules: int) -> None:
    """Cards and the buttons of a side lie inside it and apart; a code has whole pixels for each module, three at least."""
    window = window_plan(*size, 10, 10, turned)
    for box in window.trays:
        trays, feet = foot_plan(box, window.unit, seats, window.flat)
        heads = [
            part
            for head in tray_plan(trays, window.unit, seats, 12, window.flat).heads
            for part in (head.name, head.note)
        ]
        assert all(holds(box, foot) for foot in feet)
        assert apart([*heads, *feet])
        rest, feet = foot_plan(box, window.unit, seats, window.flat, cards=True)
        assert all(holds(box, foot) for foot in feet)
        assert apart([rest, *feet])
        plans = card_plans(box, window.unit, seats, modules or 45)
        assert apart([plan.box for plan in plans])
        for plan in plans:
            parts = [part for part in (plan.sign, plan.name, plan.text, plan.picture, *plan.hints) if part]
            assert all(holds(plan.box, part) for part in (*parts, plan.digits))
            assert apart(parts)
            assert apart([plan.sign, plan.name, plan.digits])
            assert plan.picture.width >= 3 * (modules or 45)
            assert plan.picture.width % (modules or 45) == 0


@given(
    SIZES,
    st.booleans(),
    st.lists(st.integers(1, 2), max_size=3),
    st.lists(st.booleans(), min_size=1, max_size=12),
    st.integers(1, 3),
    st.booleans(),
)
def test_pages_have_room_for_their_buttons(
    size: tuple[int, int], turned: bool, lines: list[int], buttons: list[bool], columns: int, typed: bool
) -> None:
    """Title, lines and buttons of a page lie inside it and apart."""
    window = window_plan(*size, 10, 10, turned)
    plan = sheet_plan(window.middle, window.unit, lines, buttons, columns, typed)
    parts = [plan.title, *plan.lines, *plan.buttons, *([plan.typed] if plan.typed else [])]
    assert len(plan.buttons) == len(buttons)
    assert all(holds(window.middle, part) for part in parts)
    assert apart(parts)
    assert all(button.height > 0 for button in plan.buttons)


@given(SIZES, st.booleans(), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_scenes_have_room(size: tuple[int, int], turned: bool, figures: int, lines: int, named: bool) -> None:
    """A scene lies over the board, with a turned half one for each player; its figures, squares and sentences lie inside it and apart."""
    window = window_plan(*size, 10, 10, turned)
    boxes = scene_boxes(window.middle, window.unit, turned)
    assert len(boxes) == 1 + turned
    assert apart(list(boxes))
    for box in boxes:
        assert holds(window.middle, box)
        plan = scene_plan(box, window.unit, figures, lines, named)
        parts = [*plan.figures, *plan.under, plan.title, *plan.lines]
        assert (len(plan.figures), len(plan.lines)) == (figures, lines)
        assert all(holds(box, part) for part in parts)
        assert apart(parts)


@given(SIZES, st.integers(0, 4), st.integers(0, 9))
def test_the_idle_picture_wanders_inside_the_window(size: tuple[int, int], cards: int, place: int) -> None:
    """Its sentence and cards lie in the window and apart, wherever they are, and nowhere twice in a row."""
    unit = window_plan(*size, 10, 10).unit
    window = Box(0.0, 0.0, *size)
    title, below, plans = idle_plan(window, unit, cards, 45, place)
    assert holds(window, title)
    assert holds(window, below)
    assert apart([title, below])
    assert len(plans) == cards
    assert all(holds(below, plan.box) for plan in plans)
    assert idle_plan(window, unit, cards, 45, place + 1)[0] != title


def test_a_turned_panel_is_touched_where_it_is_seen() -> None:
    """What lies low on the left of a turned panel is seen high on the right."""
    assert upright((110, 60), Box(100, 50, 200, 100)) == (290, 140)
    assert upright(upright((110, 60), Box(100, 50, 200, 100)), Box(100, 50, 200, 100)) == (110, 60)


def test_a_piece_on_the_ring_does_not_hide_the_turret() -> None:
    """A space that has another one inside it shows its piece beside that one; every other piece stands in the middle."""
    info = SAMPLES["four-armies"].info
    assert info is not None
    ground = ground_of(info.board, Box(0, 0, 130, 130))
    ring, turret = ground.spots["ring"], ground.spots["turret"]
    assert (turret.x, turret.y) == (6.5, 6.5)
    assert (ring.x, ring.y) == (5.5, 7.5)
    assert ring.size == 1.0
    assert ground.middle("d1") == (35.0, 5.0)


@given(
    st.lists(st.floats(0, 1000), min_size=1, max_size=12),
    st.floats(1, 2000),
    st.floats(1, 200),
    st.floats(1, 200),
    st.integers(1, 4),
)
def test_text_fits_its_box(words: list[float], box_width: float, box_height: float, largest: float, lines: int) -> None:
    """The chosen size is at most the largest, and fits both ways unless even one pixel would not; no word is torn."""
    size = fitting_size(words, 20, box_width, box_height, largest, lines)
    assert 1 <= size <= max(1, largest)
    assert size == 1 or max(words) * size / 100 <= box_width
    assert size == 1 or sum(words) * size / 100 <= box_width * lines
    assert size == 1 or size * 1.2 <= box_height + 1e-9


@pytest.mark.parametrize(("lines", "size"), [(1, 8), (2, 16), (3, 16)])
def test_a_long_text_may_take_several_lines(lines: int, size: int) -> None:
    """Broken between its words a long text is bigger than on one line; a third line does not help it, for the box is low."""
    assert fitting_size((300, 200, 300, 200), 50, 102, 40, 20, lines) == size
