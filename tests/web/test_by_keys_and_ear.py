"""Whole games by two players who know of the page what a screen reader tells and press keys (more games: `tests.web.games_by_ear`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.web.games_by_ear import THREE, at_table, play

pytestmark = pytest.mark.process


def test_games_by_keys_and_ear(browser: Browser, tmp_path: Path) -> None:
    """From the link to the result: each sentence is said once, no rank that is not public is heard, no focus is lost."""
    with at_table(browser, tmp_path, THREE) as players:
        play(players, THREE.games)
        assert players.faults() == []
        assert sum(text.count("You win!") for text in players.red.heard) == 2
        assert sum(text.count("Red wins") for text in players.blue.heard) == 2
