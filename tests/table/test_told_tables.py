"""Whole games under fire: all that comes of each input is what it was when the golden file was written (`told_tables`)."""

from __future__ import annotations

import pytest

from referee.journal.events import EVENTS
from tests.table.told_tables import GAMES, GOLDEN, lines

UNHEARD = {
    "board.health",
    "broker.link",
    "countersigned",
    "finale",
    "journal.salvaged",
    "move.decided",
    "named",
    "pass",
    "recruit.declined",
    "recruited",
}
"""What comes in from elsewhere, or hardly ever in a game by chance: other tests bring it about."""


@pytest.mark.parametrize("name", GAMES)
def test_every_input_comes_to_what_it_came_to(name: str) -> None:
    """The first line that differs is the first input to which the table says something else."""
    golden = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name} | ")]
    assert list(lines(name)) == golden


def test_no_game_is_left_over() -> None:
    """The file holds the games that there are, and in them nearly everything that a table can say."""
    rows = [line.split(" | ") for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert {name for name, _, _ in rows} == set(GAMES)
    kinds = {kind for _, happened, _ in rows for kind in happened.split()[1:]}
    assert set(EVENTS) - kinds == UNHEARD
