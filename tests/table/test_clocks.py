"""The clocks alone: tables of what happens when and what each clock then shows, a kind at a time; and what holds for all kinds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.values import Seat
from referee.table.clocks import Clocks
from referee.table.settings import MOST_MS, ClockKind, SettingsError, TimeControl

RED, BLUE = Seat.RED, Seat.BLUE
SEATS = (RED, BLUE)
SUDDEN_DEATH = TimeControl(ClockKind.SUDDEN_DEATH, 60_000)
FISCHER = TimeControl(ClockKind.FISCHER, 60_000, 5_000)
BRONSTEIN = TimeControl(ClockKind.BRONSTEIN, 60_000, 5_000)
PER_MOVE = TimeControl(ClockKind.PER_MOVE, 0, 20_000)
CONTROLS = (SUDDEN_DEATH, FISCHER, BRONSTEIN, PER_MOVE)

# Each row: at this time the seat at the move has played (or the clocks stop, or go on); then red has so much left, and blue.
Row = tuple[int, str, int, int]
TABLES: dict[str, tuple[TimeControl, Sequence[Row]]] = {
    "sudden death takes and never gives": (
        SUDDEN_DEATH,
        [(10_000, "ply", 50_000, 60_000), (13_000, "ply", 50_000, 57_000), (13_000, "ply", 50_000, 57_000)],
    ),
    "fischer gives after each ply, also more than there was": (
        FISCHER,
        [(10_000, "ply", 55_000, 60_000), (11_000, "ply", 55_000, 64_000), (31_000, "ply", 40_000, 64_000)],
    ),
    "bronstein gives back what a ply took, and no more than its share": (
        BRONSTEIN,
        [(10_000, "ply", 55_000, 60_000), (11_000, "ply", 55_000, 60_000), (16_000, "ply", 55_000, 60_000)],
    ),
    "a ply of its own time, whatever was left": (
        PER_MOVE,
        [(19_999, "ply", 20_000, 20_000), (20_500, "ply", 20_000, 20_000), (30_500, "look", 10_000, 20_000)],
    ),
    "what stands still is not charged": (
        SUDDEN_DEATH,
        [(10_000, "stop", 50_000, 60_000), (99_000, "go", 50_000, 60_000), (100_000, "ply", 49_000, 60_000)],
    ),
    "a ply in two parts is one ply to bronstein": (
        BRONSTEIN,
        [(3_000, "stop", 57_000, 60_000), (9_000, "go", 57_000, 60_000), (10_000, "ply", 60_000, 60_000)],
    ),
    "nothing is the least": (SUDDEN_DEATH, [(70_000, "look", 0, 60_000), (80_000, "stop", 0, 60_000)]),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_the_clocks_show(name: str) -> None:
    """Row by row."""
    control, rows = TABLES[name]
    clocks = Clocks.of_game(control, SEATS, RED).run((RED,), 0)
    for now_ms, what, red_ms, blue_ms in rows:
        clocks = after(clocks, what, now_ms)
        assert (clocks.left(RED, now_ms), clocks.left(BLUE, now_ms)) == (red_ms, blue_ms), (now_ms, what)


def after(clocks: Clocks, what: str, now_ms: int) -> Clocks:
    """Return the clocks after one thing has happened."""
    assert clocks.turn is not None
    other = BLUE if clocks.turn is RED else RED
    match what:
        case "ply":
            return clocks.passed(other, clocks.ply + 1, now_ms).run((other,), now_ms)
        case "stop":
            return clocks.stopped(now_ms)
        case "go":
            return clocks.run((clocks.turn,), now_ms)
        case _:
            return clocks


STEPS = st.lists(st.tuples(st.integers(0, 9_000), st.sampled_from(["ply", "stop", "go", "look"])), max_size=30)


@given(control=st.sampled_from(CONTROLS), steps=STEPS)
def test_all_time_is_accounted_for(control: TimeControl, steps: list[tuple[int, str]]) -> None:
    """What is left is what there was, less the time that ran, plus what was given; never negative; the flag falls when it says."""
    clocks, now_ms = Clocks.of_game(control, SEATS, RED).run((RED,), 0), 0
    used = dict.fromkeys(SEATS, 0)
    for wait_ms, what in steps:
        deadline_ms = clocks.deadline_ms
        assert (deadline_ms is None) == (clocks.running == ())
        now_ms += wait_ms
        assert bool(clocks.fallen(now_ms)) == (deadline_ms is not None and now_ms >= deadline_ms)
        if clocks.fallen(now_ms):
            assert clocks.fallen(now_ms) == clocks.running
            assert clocks.stopped(now_ms).left(clocks.running[0], now_ms) == 0
            return
        for seat in clocks.running:
            used[seat] += wait_ms
        clocks = after(clocks, what, now_ms)
        assert all(clocks.left(seat, now_ms) >= 0 for seat in SEATS)
    if control is SUDDEN_DEATH:
        assert {seat: 60_000 - clocks.left(seat, now_ms) for seat in SEATS} == used
    if control is FISCHER:
        played = {RED: (clocks.ply + 1) // 2, BLUE: clocks.ply // 2}
        assert {seat: 60_000 + 5_000 * played[seat] - clocks.left(seat, now_ms) for seat in SEATS} == used
    if control is BRONSTEIN:
        assert all(60_000 - used[seat] <= clocks.left(seat, now_ms) <= 60_000 for seat in SEATS)


@given(control=st.sampled_from(CONTROLS), wait_ms=st.integers(0, 10_000), more_ms=st.integers(0, 10_000))
def test_an_adjusted_clock_goes_on_from_there(control: TimeControl, wait_ms: int, more_ms: int) -> None:
    """Whether it runs or stands still; nobody else's clock changes by it."""
    clocks = Clocks.of_game(control, SEATS, RED).run((RED,), 0)
    other_ms = clocks.left(BLUE, 0)
    set_ = clocks.adjusted(RED, 30_000, wait_ms)
    assert set_.left(RED, wait_ms + more_ms) == 30_000 - more_ms
    assert set_.deadline_ms == wait_ms + 30_000
    assert set_.left(BLUE, wait_ms + more_ms) == other_ms
    assert clocks.adjusted(BLUE, 1, wait_ms).left(RED, wait_ms) == clocks.left(RED, wait_ms)


def test_what_was_not_measured_is_not_charged() -> None:
    """After a restart nobody knows for how long a clock ran on, nor is the time the same clock's."""
    clocks = Clocks.of_game(SUDDEN_DEATH, SEATS, RED).run((RED,), 5_000_000)
    assert clocks.uncharged().run((RED,), 17).left(RED, 1_017) == 59_000


@pytest.mark.parametrize(
    "wrong",
    [
        (ClockKind.NONE, 1),
        (ClockKind.SUDDEN_DEATH, 0),
        (ClockKind.SUDDEN_DEATH, 60_000, 5),
        (ClockKind.FISCHER, 60_000),
        (ClockKind.BRONSTEIN, 0, 5_000),
        (ClockKind.PER_MOVE, 60_000, 5_000),
        (ClockKind.PER_MOVE,),
        (ClockKind.FISCHER, MOST_MS + 1, 5_000),
        (ClockKind.NONE, 0, 0, -1),
    ],
)
def test_times_that_do_not_go_together(wrong: tuple[ClockKind, int]) -> None:
    """They are refused before a table is opened by them."""
    with pytest.raises(SettingsError):
        TimeControl(*wrong)
