"""The referee's reader of hands, held to the page on samples of scripts. `python -m tests.hands` tries more."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.amount import tries
from tests.hands.__main__ import Wish, examined

DRAWN, COUNTED = Wish(shrinks=False), Wish(counted=True, shrinks=False)


@pytest.mark.parametrize(
    ("wish", "numbers", "faulty", "wrong"),
    [
        (DRAWN, range(tries(300)), 1, 0),  # 36 shows an attack that is not asked about
        (COUNTED, range(100_000, 100_000 + tries(800)), 0, 0),
        (DRAWN._replace(flicker=True), range(300, 300 + tries(50)), 0, 0),
        (DRAWN._replace(hole=True), range(tries(100)), 0, 0),
    ],
    ids=["drawn", "counted", "flicker", "hole"],
)
def test_a_sample_of_scripts(wish: Wish, numbers: range, faulty: int, wrong: int) -> None:
    """The reader has no more faults than it had: how many of a sample have any, and how many a wrong ply, is to become 0."""
    found: Counter[str] = Counter()
    for number in numbers:
        found += examined(number, {}, wish)
    assert found["traces"] > len(numbers) // 10
    assert found["faulty"] <= faulty, found
    assert found["wrong"] <= wrong, found


@pytest.mark.parametrize(
    ("wish", "number"),
    [
        (DRAWN, 8003140),
        (DRAWN._replace(fine=True), 7000031),
        (DRAWN, 7000083),
        (DRAWN, 7000116),
        (DRAWN, 7000519),
        (DRAWN, 7000017),
        (DRAWN, 7000215),
    ],
    ids=["half-pushed", "nudged", "target", "up", "to-its-ply", "from-its-ply", "taken"],
)
def test_what_one_player_does_is_seen_not_to_overlap(wish: Wish, number: int) -> None:
    """A reader that counts a half pushed, nudged or targeted piece among what overlaps has a fault in one of these."""
    assert not examined(number, {}, wish)["faulty"]
