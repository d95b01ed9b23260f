"""A whole game by two players who know of the page what a screen reader tells and press keys (more games: `tests.web.games_by_ear`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.web.games_by_ear import at_table, by_the_board

pytestmark = pytest.mark.process


def test_a_game_by_keys_and_ear(browser: Browser, tmp_path: Path) -> None:
    """From the link to the result: one live region, no rank that is not public, no focus lost on what is still there."""
    with at_table(browser, tmp_path, "duel") as players:
        players.begin()
        by_the_board(players)
        assert players.faults() == []
        assert sum(text.count("You win!") for text in players.red.heard) == 1
        assert sum(text.count("Red wins") for text in players.blue.heard) == 1
