"""Where things go: nothing leaves the window, nothing lies on something else, for any size, board and army."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from kiosk_ui.board_picture import ground_layer, ground_of
from kiosk_ui.fitting import fitting_size
from kiosk_ui.marks import Box, Text
from kiosk_ui.plan import tray_plan, window_plan
from kiosk_ui.samples import samples

SAMPLES = {sample.name: sample for sample in samples()}
SHAPES = {(s.info.board.columns, s.info.board.rows): s.info.board for s in SAMPLES.values() if s.info}
BOARDS = st.sampled_from(sorted(SHAPES))


def _box_of(text: Text) -> Box:
    """Give the space that a short text takes, at most 0.6 of its size for each letter."""
    wide = 0.6 * text.size * len(text.text)
    return Box(text.x - wide / 2, text.y - 0.55 * text.size, wide, 1.1 * text.size)


@given(st.integers(800, 2560), st.integers(480, 1440), BOARDS)
def test_panels_fill_the_window_without_meeting(wide: int, high: int, board: tuple[int, int]) -> None:
    """Banner, board with its margin, and trays lie inside the window and apart, from 800 x 480 upwards."""
    plan = window_plan(wide, high, *board)
    window = Box(0, 0, wide, high)
    panels = [plan.banner.box, plan.board.inset(-6 * plan.unit), *plan.trays]
    assert all(window.holds(panel) for panel in panels)
    assert not any(one.meets(other) for one, other in combinations(panels, 2))
    names = [
        _box_of(mark)
        for mark in ground_layer(ground_of(SHAPES[board], plan.board, plan.unit))["ground"]
        if isinstance(mark, Text)
    ]
    assert len(names) == sum(board)
    assert all(window.holds(name) for name in names)
    assert not any(name.meets(panel) for name in names for panel in (plan.board, plan.banner.box, *plan.trays))
    parts = [plan.banner.sign, plan.banner.headline, plan.banner.detail, plan.banner.note, plan.banner.second_note]
    assert all(plan.banner.box.holds(part) for part in parts)
    assert not any(one.meets(other) for one, other in combinations(parts, 2))


@given(st.integers(800, 2560), st.integers(480, 1440), BOARDS)
def test_squares_are_square_and_whole(wide: int, high: int, board: tuple[int, int]) -> None:
    """Squares measure whole pixels, the same both ways, so that their edges are sharp."""
    plan = window_plan(wide, high, *board)
    columns, rows = board
    assert plan.board.width / columns == plan.board.height / rows
    assert plan.board.width / columns == int(plan.board.width / columns)
    assert (plan.board.x, plan.board.y) == (int(plan.board.x), int(plan.board.y))


@given(st.integers(800, 2560), st.integers(480, 1440), BOARDS, st.integers(1, 2), st.integers(1, 13))
def test_trays_have_room_for_every_rank(wide: int, high: int, board: tuple[int, int], seats: int, ranks: int) -> None:
    """Heads, rows and counts of a tray lie inside it and apart."""
    window = window_plan(wide, high, *board)
    for box in window.trays:
        plan = tray_plan(box, window.unit, seats, ranks)
        assert len(plan.rows) == ranks
        assert len(plan.heads) == seats
        heads = [part for head in plan.heads for part in (head.sign, head.name, head.note, head.over_counts) if part]
        rows = [part for row in plan.rows for part in (row.tile, row.number, row.name, row.pips, *row.counts) if part]
        assert all(box.holds(part) for part in (*heads, *rows))
        apart = [*heads, *(p for row in plan.rows for p in (row.tile, row.number, row.name, *row.counts))]
        assert not any(one.meets(other) for one, other in combinations(apart, 2))


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


@given(st.floats(0, 4000), st.floats(1, 2000), st.floats(1, 200), st.floats(1, 200))
def test_text_fits_its_box(width_at_100: float, box_width: float, box_height: float, largest: float) -> None:
    """The chosen size is at most the largest, and fits both ways unless even one pixel would not."""
    size = fitting_size(width_at_100, box_width, box_height, largest)
    assert 1 <= size <= max(1, largest)
    assert size == 1 or width_at_100 * size / 100 <= box_width
    assert size == 1 or size * 1.2 <= box_height + 1e-9
