"""Single squares: what settles, when, and what does not."""

from __future__ import annotations

import pytest

from firmware_bridge.messages import NO_FLAGS, Frame, FrameFlag, Reading
from referee.sensing import Timing, TimingError
from referee.sensing.settle import Clock, Settler

EMPTY, RED, BLUE, UNSURE = Reading


def settle(frames: list[tuple[int, Reading]], start: Reading = EMPTY) -> list[tuple[int, Reading, int]]:
    """Feed frames of one square; return when it settled on what, and since when."""
    settler = Settler(1, Timing())
    settler.feed((start,), 0, 0)
    found = []
    for at_ms, reading in frames:
        if settler.feed((reading,), at_ms, at_ms):
            found.append((at_ms, settler.settled[0], settler.since_ms[0]))
    return found


def steady(reading: Reading, from_ms: int, until_ms: int, every_ms: int = 10) -> list[tuple[int, Reading]]:
    """Return equal frames."""
    return [(at_ms, reading) for at_ms in range(from_ms, until_ms, every_ms)]


TABLE: list[tuple[str, list[tuple[int, Reading]], list[tuple[int, Reading, int]]]] = [
    ("100 Hz", steady(RED, 1000, 1200), [(1070, RED, 1000)]),
    ("50 Hz", steady(RED, 1000, 1200, 20), [(1080, RED, 1000)]),
    ("200 Hz", steady(RED, 1000, 1200, 5), [(1065, RED, 1000)]),
    ("an odd rate of 47.6 Hz", steady(RED, 1000, 1300, 21), [(1084, RED, 1000)]),
    ("idle frames: each is a vote of 25 ms", steady(RED, 1000, 4000, 500), [(2500, RED, 1000)]),
    ("a burst of 60 ms", [*steady(RED, 1000, 1060), *steady(EMPTY, 1060, 1400)], []),
    (
        "one wrong frame in five",
        [*steady(RED, 1000, 1030), (1030, EMPTY), *steady(RED, 1040, 1200)],
        [(1080, RED, 1000)],
    ),
    ("every second frame", [(1000 + 10 * n, (RED, EMPTY)[n % 2]) for n in range(100)], []),
    ("unsure for ever", steady(UNSURE, 1000, 5000), []),
    ("unsure, then there", [*steady(UNSURE, 1000, 1030), *steady(RED, 1030, 1200)], [(1100, RED, 1030)]),
    ("a change of pole", steady(BLUE, 1000, 1200), [(1070, BLUE, 1000)]),
    ("a millisecond short of 64", [*steady(BLUE, 1000, 1064, 21), *steady(EMPTY, 1064, 1300)], []),
    (
        "two wrong frames: the window holds 80 ms and no more",
        [(1000, RED), *steady(EMPTY, 1010, 1030), *steady(RED, 1030, 1200)],
        [(1100, RED, 1030)],
    ),
    ("repeated frames are one", [(1000, RED)] * 50, []),
]


@pytest.mark.parametrize(("name", "frames", "wanted"), TABLE, ids=[row[0] for row in TABLE])
def test_settling(name: str, frames: list[tuple[int, Reading]], wanted: list[tuple[int, Reading, int]]) -> None:
    """A square settles once, at the right frame, and knows since when."""
    assert settle(frames) == wanted
    if all(reading is not BLUE for _, reading in frames):  # and leaves as it comes
        swap = {RED: EMPTY, EMPTY: RED, UNSURE: UNSURE}
        assert settle([(at_ms, swap[r]) for at_ms, r in frames], RED) == [(a, EMPTY, since) for a, _, since in wanted]


def test_the_first_frame_is_believed() -> None:
    """What the first frame shows is settled at once; unsure counts as empty until it is decided."""
    settler = Settler(4, Timing())
    assert settler.feed((RED, EMPTY, BLUE, UNSURE), 70, 70)
    assert settler.settled == [RED, EMPTY, BLUE, EMPTY]
    assert settler.since_ms == [70] * 4
    assert settler.busy
    assert settler.unsure() == []


def test_a_square_that_stays_unsure_says_so() -> None:
    """After as long as settling takes, idle frames included."""
    settler = Settler(2, Timing())
    settler.feed((EMPTY, EMPTY), 0, 0)
    for at_ms in range(1000, 1060, 10):
        settler.feed((UNSURE, EMPTY), at_ms, at_ms)
    assert settler.shows(0) == EMPTY
    for at_ms in (1060, 1070, 1570, 2070, 2570):
        settler.feed((UNSURE, EMPTY), at_ms, at_ms)
    assert settler.shows(0) == UNSURE
    assert settler.unsure() == [0]
    assert settler.settled == [EMPTY, EMPTY]


def test_a_square_is_unsure_for_exactly_as_long_as_settling_takes() -> None:
    """64 ms are enough."""
    settler = Settler(1, Timing())
    settler.feed((EMPTY,), 0, 0)
    for at_ms in range(1000, 1065, 16):
        assert settler.unsure() == []
        settler.feed((UNSURE,), at_ms, at_ms)
    assert settler.unsure() == [0]


def test_two_squares_that_change_at_once_after_a_silence_are_a_hole() -> None:
    """A board that changes sends every scan: one square alone may have waited for its idle frame."""
    settler = Settler(2, Timing())
    settler.feed((EMPTY, EMPTY), 0, 0)
    settler.feed((RED, EMPTY), 1000, 500)
    assert settler.hole_ms < 0
    settler.feed((EMPTY, RED), 2000, 1500)
    assert settler.hole_ms == 2000
    settler.feed((RED, EMPTY), 2010, 2000)  # the next scan, no silence
    assert settler.hole_ms == 2000


def test_when_a_square_was_touched_last() -> None:
    """A magnet on its way counts, a single wrong frame does not."""
    settler = Settler(2, Timing())
    settler.feed((EMPTY, EMPTY), 0, 0)
    for at_ms in (1000, 1010, 1020):
        settler.feed((RED, EMPTY), at_ms, at_ms)
    settler.feed((EMPTY, BLUE), 1030, 1030)
    settler.feed((EMPTY, EMPTY), 1040, 1040)
    assert settler.touched_ms(0) == 1030
    assert settler.touched_ms(1) < 0
    settler.feed((EMPTY, UNSURE), 1050, 1050)
    assert settler.touched_ms(1) == 1050


def test_votes_from_before_a_gap_are_forgotten() -> None:
    """Fifty milliseconds before a gap and twenty after it are no settled square."""
    settler = Settler(1, Timing())
    settler.feed((EMPTY,), 0, 0)
    for at_ms in range(1000, 1060, 10):
        settler.feed((RED,), at_ms, at_ms)
    assert not settler.feed((RED,), 9000, 100, after_gap=True)
    assert not settler.feed((RED,), 9010, 9000)
    assert [settler.feed((RED,), at_ms, at_ms) for at_ms in range(9020, 9080, 10)] == [False] * 5 + [True]
    assert settler.since_ms == [9000]


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ({"vote_ms": 0}, "vote_ms must be above zero"),
        ({"vote_window_ms": 50}, "vote_window_ms must hold vote_ms"),
        ({"slide_ms": 70}, "must rise in this order"),
        ({"quick_ms": 60}, "must rise in this order"),
    ],
)
def test_times_that_cannot_work(times: dict[str, int], reason: str) -> None:
    """Each is refused with its reason."""
    with pytest.raises(TimingError, match=reason):
        Timing(**times)


def test_between_which_frames_a_square_changed() -> None:
    """The first frame that showed it, and the one before that, also where frames were left out in between because they showed the same."""
    settler = Settler(1, Timing())
    settler.feed((EMPTY,), 0, 0)
    settler.feed((RED,), 5000, 4990)
    for at_ms in range(5010, 5080, 10):
        settler.feed((RED,), at_ms, at_ms - 10)
    assert (settler.settled, settler.since_ms, settler.least_ms) == ([RED], [5000], [4990])


@pytest.mark.parametrize(
    ("seq", "board_ms", "flags", "last_ms"),
    [
        (0, 10_500, NO_FLAGS, 475),  # nothing is missing: the board was silent because nothing changed
        (0, 10_025, NO_FLAGS, 0),
        (0, 10_026, NO_FLAGS, 1),
        (0, 11_100, NO_FLAGS, 1075),
        (0, 11_101, NO_FLAGS, 0),  # 256 may be missing
        (1, 10_500, NO_FLAGS, 0),  # one is missing
        (255, 10_500, NO_FLAGS, 0),
        (0, 10_500, FrameFlag.QUEUE_FULL, 0),  # the board says itself that it had to drop some
    ],
)
def test_nothing_changed_in_a_silence_that_no_message_is_missing_from(
    seq: int, board_ms: int, flags: FrameFlag, last_ms: int
) -> None:
    """The last time at which the board showed what it showed before: one scan ago, or the frame before if one may be lost."""
    clock = Clock(Timing())
    clock.take(Frame(254, 9_000, ()))
    clock.take(Frame(255, 10_000, ()))
    before_ms = clock.now_ms
    clock.take(Frame(seq, board_ms, (), flags))
    assert clock.last_ms - before_ms == last_ms
