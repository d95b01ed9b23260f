"""What makers are told: whole sentences for everything that can be found."""

from __future__ import annotations

import pytest

from firmware_bridge.advice import Defect, Finding, in_order, names, times

VALUES = {
    "text": "board: the board says x, the board file y",
    "times": "twice",
    "cause": "brown-out",
    "url": "serial:/dev/ttyACM0",
    "count": 3,
    "counts": 12,
    "channel": 92,
    "percent": 4,
    "way": "lower",
    "seen": 50,
    "told": 100,
    "ms": 16,
    "disc": "6 x 2 mm",
    "gap": 3.5,
    "least": 3.9,
    "said": 4.5,
    "felt": 3.8,
    "low": 417,
    "high": 604,
    "now": 560,
    "used": 512,
}


@pytest.mark.parametrize("kind", Defect)
def test_every_finding_is_told_in_sentences(kind: Defect) -> None:
    """What was found and what to do next: each begins with a capital or a square, and ends."""
    finding = Finding(kind, ("a4", "b7"), VALUES)
    for text in (finding.what, finding.next):
        assert "{" not in text
        assert text[0].isupper() or text.startswith(("a4, b7:", "board:", "3 "))
        assert text.endswith((".", VALUES["url"], VALUES["text"]))  # type: ignore[arg-type] # both are texts
    assert len(finding.next) <= 125, "the next step has to fit three lines beside a board"


def test_many_squares_are_cut() -> None:
    """Eight names, then how many more."""
    squares = [f"a{number}" for number in range(1, 12)]
    assert names(squares[:8]) == "a1, a2, a3, a4, a5, a6, a7, a8"
    assert names(squares) == "a1, a2, a3, a4, a5, a6, a7, a8 and 3 more"
    assert [times(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]


def test_the_worst_comes_first() -> None:
    """A board that is another one before everything, a slow answer last."""
    kinds = [Defect.SLOW_ANSWERS, Defect.WEAK, Defect.DISAGREES, Defect.REVERSED]
    assert [finding.kind for finding in in_order([Finding(kind) for kind in kinds])] == [
        Defect.DISAGREES,
        Defect.REVERSED,
        Defect.WEAK,
        Defect.SLOW_ANSWERS,
    ]
