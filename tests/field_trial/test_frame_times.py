"""What can be told from frames: when a piece left and came, what bounced, what flickered, and what was missing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from firmware_bridge.messages import FaultKind, Frame, Reading, WireFault
from referee.field_trial.bounds import lower_bound, upper_bound
from referee.field_trial.frame_times import Ends, Trace, ends_of, glitches
from referee.rules.values import Square

A, B, C = Square("a1"), Square("a2"), Square("a3")
LETTERS = {"-": Reading.EMPTY, "R": Reading.RED, "B": Reading.BLUE, "?": Reading.UNSURE}


def traced(changes: Iterable[tuple[int, str]], end_ms: int = 3000, missing: dict[int, int] | None = None) -> Trace:
    """Return the trace of three squares that show these letters from these times on, a frame each 10 ms, but for the missing ones."""
    shows = dict(changes)
    now = tuple(LETTERS[letter] for letter in shows[0])
    trace = Trace({A: 0, B: 1, C: 2}, 0, now)
    for at_ms in range(10, end_ms + 1, 10):
        now = tuple(LETTERS[letter] for letter in shows[at_ms]) if at_ms in shows else now
        if at_ms in (missing or {}):
            trace.take(WireFault(FaultKind.GAP, "", (missing or {})[at_ms]))
        else:
            trace.take(Frame(0, at_ms, now))
    return trace


STROKES = {
    "a lift": ([(0, "R--"), (500, "?--"), (510, "---"), (1000, "-R-")], Ends(500, 1000, 0)),
    "a bounce as it is lifted": (
        [(0, "R--"), (500, "---"), (530, "R--"), (570, "---"), (1000, "-R-")],
        Ends(570, 1000, 30),
    ),
    "a bounce as it lands": (
        [(0, "R--"), (500, "---"), (1000, "-R-"), (1060, "-?-"), (1080, "-R-")],
        Ends(500, 1000, 20),
    ),
    "a flicker while it stands": (
        [(0, "R--"), (100, "---"), (110, "R--"), (900, "---"), (1500, "-R-"), (2000, "---"), (2010, "-R-")],
        Ends(900, 1500, 0),
    ),
    "a flicker before it comes": (
        [(0, "R--"), (200, "RB-"), (210, "R--"), (500, "---"), (1000, "-R-")],
        Ends(500, 1000, 0),
    ),
}


@pytest.mark.parametrize("name", STROKES)
def test_ends(name: str) -> None:
    """When the piece left for good and when it first came to stay, and for how long contact was lost."""
    changes, ends = STROKES[name]
    assert ends_of(traced(changes), A, B) == ends


def test_no_stroke() -> None:
    """Nothing came."""
    assert ends_of(traced([(0, "R--"), (500, "---")]), A, B) is None


def test_glitches() -> None:
    """Single scans and bursts by their length; a piece that comes to stay is none, nor what is longer than 150 ms."""
    changes = [(0, "--R"), (100, "--?"), (110, "--R"), (500, "--B"), (540, "--R"), (1000, "---"), (1200, "--R")]
    assert list(glitches(traced(changes), C)) == [10, 40]
    assert list(glitches(traced(changes), A)) == []


def test_glitches_beside_a_missing_frame_are_left_out() -> None:
    """Nobody knows how long they were."""
    changes = [(0, "--R"), (100, "--?"), (110, "--R"), (500, "--B"), (540, "--R")]
    trace = traced(changes, missing={110: 1})
    assert (list(glitches(trace, C)), trace.lost, trace.holes_ms) == ([40], 1, [])


def test_ten_in_a_row_are_a_hole() -> None:
    """They say nothing of how often single messages are lost."""
    trace = traced([(0, "---")], missing={1000: 12, 2000: 9})
    assert (trace.lost, trace.holes_ms) == (9, [20])


@pytest.mark.parametrize(("found", "tries", "bound"), [(0, 30_000, 9.99e-05), (0, 100, 0.0295), (3, 100, 0.0757)])
def test_upper_bound(found: int, tries: int, bound: float) -> None:
    """Golden numbers: the exact binomial bound."""
    assert upper_bound(found, tries) == pytest.approx(bound, rel=2e-3)


@pytest.mark.parametrize(("found", "tries", "bound"), [(0, 100, 0.0), (3, 100, 0.00823), (100, 100, 0.9705)])
def test_lower_bound(found: int, tries: int, bound: float) -> None:
    """The same from below."""
    assert lower_bound(found, tries) == pytest.approx(bound, rel=2e-3)
