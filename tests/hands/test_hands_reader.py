"""The referee's reader of hands, held to the page on a sample of scripts. `python -m tests.hands` tries more."""

from __future__ import annotations

from collections import Counter

from tests.hands.__main__ import examined

SAMPLE = 300
MOST = {"faulty": 25, "wrong": 8}
"""How many of the sample have any fault, and how many a wrong ply, at most: what the reader has still to learn."""


def test_a_sample_of_scripts() -> None:
    """The reader has no more faults than it had."""
    found: Counter[str] = Counter()
    for number in range(SAMPLE):
        found += examined(number, {}, shrinks=False)
    assert found["traces"] == SAMPLE
    assert not {kind: found[kind] for kind, most in MOST.items() if found[kind] > most}, found
