"""The checker's own reading of the page, held against traces worked out by hand."""

from __future__ import annotations

import pytest

from tests.hands.explain import Explanation
from tests.hands.grammar import NARROW, WIDE, start, trace_of, trace_text


def plies(explanation: Explanation, at: int) -> list[str]:
    """Return each ply on which all scripts agree, up to the first on which they do not."""
    found: list[str] = []
    while (ply := explanation.agreed(len(found), at)) is not None:
        found.append(str(ply))
    return found


@pytest.mark.parametrize("bounds", [NARROW, WIDE])
@pytest.mark.parametrize(
    ("pieces", "scouts", "trace", "at", "expected"),
    [
        ("e4 | h8", "", "e4- 0, e5R 300", 1000, ""),  # the hand may rest there
        ("e4 | h8", "", "e4- 0, e5R 300", 2150, "e4-e5"),  # it can no more
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h7B 700", 700, ""),  # 400 ms behind the reply's beginning
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h7B 700", 900, "e4-e5"),
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h7B 500", 900, ""),  # as well a nudge so far
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h7B 500, h7- 900, h8B 1000", 1900, ""),  # a nudge
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h7B 500", 1200, "e4-e5"),  # no nudge any more
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 400, h8B 1500", 2000, ""),  # a look
        ("e4 | h8", "", "e4- 0, e5R 300, e5- 900, e4R 1200, e4- 1500, f4R 1800", 4000, "e4-f4"),  # an attempt
        ("e4 | h8", "", "e4- 0, e5R 300, e5- 900, f4R 1200", 4000, "e4-f4"),  # a rest on another legal square
        ("e4 | h8", "", "e4- 0, e5R 300, e5- 900, e6R 1200", 4000, ""),  # no script: a miner goes one square
        ("e4 | h8", "e4", "e4- 0, e5R 300, e5- 900, e6R 1200", 4000, "e4-e6"),
        ("e4 | h8", "", "e5R 0, e4- 300", 2000, "e4-e5"),  # drawn over the border
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 500, h7B 900, e5- 1300, e6R 1700", 2300, "e4-e5 h8-h7"),
        ("e4 | h8", "", "e4- 0, e5R 300, h8- 500, h7B 900, e5- 1300, e6R 1700", 3600, "e4-e5 h8-h7 e5-e6"),
        ("e4 | h8", "", "e4- 0, h8- 100, h7B 350, e5R 450", 700, "e4-e5"),  # the reply is set down first
        (
            "e4 b3 | h8",
            "",
            "e4- 0, b3- 100, b4R 400, e4R 700",
            4000,
            "",
        ),  # no script: one hand does one thing after another
        ("b3 | h8", "", "h8- 0, b3- 100, b4R 400, h8B 700", 4000, "b3-b4"),  # the other player looks
        ("e4 | h8", "", "e4- 0, e5R 300, e5- 400, e5R 700", 4000, ""),  # no script: a look too soon
        ("e4 | h8", "", "e4- 0, e5R 300, e5- 550, e5R 700", 900, "e4-e5"),  # a look closes the ply
        ("e4 b3 | h8", "", "e4- 0, e5R 300, b3- 600", 700, ""),  # it is no look so far, but a new turn
        ("e4 b3 | h8", "", "e4- 0, e5R 300, b3- 600, b3R 900", 1100, "e4-e5"),
        ("e4 | h8", "", "e5R 0, e5- 500", 3000, ""),  # a nudge, its own square never lost it
        ("e4 | h8", "", "h7B 0, h7- 400, e4- 1000, e5R 1300", 3300, "e4-e5"),
        ("e4 | h8", "", "h8- 0, h7B 200, e4- 350, e5R 550, e4R 900", 1000, ""),  # no script: over before its ply began
        ("e4 | e6", "", "e4- 0, e5R 300, e6- 600, e5- 900, f4R 1200", 1300, ""),  # left out: it could have been taken
        ("e4 | e6", "", "e4- 0, e5R 300, e6- 550, e5- 700, f4R 900", 2700, "e4-f4"),
        ("e4 | e5", "", "e4- 0, e5- 400, e5R 900", 900, "e4-e5"),  # an attack: the pieces are swapped
        (
            "e4 | h8",
            "",
            "e4- 0, f4R 300, f4- 700, e4R 800, e4- 950, d4R 1050",
            3000,
            "e4-d4",
        ),  # pushed across its own square
        ("e4 | h8", "", "e4- 0, f4R 300, f4- 700, e4R 800, h8- 780, h7B 990, e4- 1050, d4R 1150", 3000, "e4-d4 h8-h7"),
    ],
)
def test_what_all_scripts_agree_on(
    bounds: object, pieces: str, scouts: str, trace: str, at: int, expected: str
) -> None:
    """Plies become final when no script has another one, and not before."""
    assert bounds in (NARROW, WIDE)
    explanation = Explanation(start(pieces, scouts), WIDE if bounds == WIDE else NARROW, trace_of(trace))
    assert " ".join(plies(explanation, at + 60)) == expected


def test_a_push_that_has_to_go_on_ends_with_its_row() -> None:
    """A miner that is pushed across a square where it may not go comes to another one while there are any, or was not pushed."""
    explanation = Explanation(start("e4 | h8"), NARROW, trace_of("e4- 0, e5R 300, e6R 850, e5- 900, e6- 1100"))
    assert explanation.at(1100 + 150 + 3 * 150)
    assert not explanation.at(1100 + 150 + 3 * 150 + 50)


def test_a_trace_is_written_and_read() -> None:
    """The text of a trace is the page's, and says all of it."""
    text = "e4- 0, e5R 300, b7B 1200"
    assert trace_text(trace_of(text)) == text
    with pytest.raises(ValueError, match="no change"):
        trace_of("e4 0")
