"""Whole games by every rule set and option: each ply says of itself what it said when the golden file was written (`told_games`)."""

from __future__ import annotations

import pytest

from tests.rules.told_games import GOLDEN, lines, sets

SETS = sets()


@pytest.mark.parametrize("name", SETS)
def test_every_ply_says_what_it_said(name: str) -> None:
    """The first line that differs is the first ply at which the rules say something else."""
    golden = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name} | ")]
    assert list(lines(name, SETS[name])) == golden


def test_no_game_is_left_over() -> None:
    """The file holds the games of the rule sets that there are, and long ones."""
    told = {line.partition(" | ")[0] for line in GOLDEN.read_text(encoding="utf-8").splitlines()}
    assert told == set(SETS)
    assert len(GOLDEN.read_text(encoding="utf-8").splitlines()) > 25 * len(SETS)
