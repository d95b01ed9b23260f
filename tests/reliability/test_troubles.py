"""Whatever goes wrong in whatever phase, the game comes to the end that it would have come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kills import once
from fault_injection.faults import TROUBLES
from fault_injection.interrupted_game import InterruptedGame, Script, faults, script
from referee.rules import rule_set
from referee.table.views import Mode, Phase

pytestmark = pytest.mark.process

PHASES = (Phase.WAITING_FOR_MOVE, Phase.WAITING_FOR_DECLARATIONS, Phase.WAITING_FOR_BOARD)


@pytest.fixture(scope="module")
def played() -> Script:
    """Return a short game with attacks."""
    return script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8)


@pytest.fixture(scope="module")
def unbroken(played: Script) -> InterruptedGame:
    """Return that game played without any fault."""
    return once(played, None)


@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_in_every_phase(name: str, played: Script, unbroken: InterruptedGame, tmp_path: Path) -> None:
    """Once at rest, once between attack and answers, once between verdict and removal."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    left = list(PHASES)
    while not game.over:
        if game.view is not None and game.view.phase in left:
            left.remove(game.view.phase)
            TROUBLES[name](game)
        game.turn()
    game.end()
    assert left == []
    assert faults(unbroken, game) == []
