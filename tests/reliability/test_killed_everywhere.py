"""A sample of the kill matrix; all of it: `hallmarshal bench kills`, result in docs/reference/reliability.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.interrupted_compare import faults
from benchmarks.interrupted_game import InterruptedGame, script
from benchmarks.kills import killed_games, once
from referee.arbitration.views import Mode, Phase
from referee.rules import rule_set


@pytest.mark.parametrize("mode", Mode)
def test_a_killed_referee_goes_on_with_the_same_game(mode: Mode) -> None:
    """The same moves, each attack settled once, no event that contradicts another, nothing heard that was not to be heard."""
    played = script(rule_set("duel"), mode, seed=2, plies=16)
    wrong = [(number, found) for number, found in killed_games(played, every=23) if found[2]]
    assert wrong == []


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Killed from outside whenever the phase changes, the game still comes to its end."""
    played = script(rule_set("duel"), Mode.DECLARE, seed=2, plies=10)
    unbroken = once(played, None)
    broken = InterruptedGame(played, tmp_path)
    broken.start()
    phase: Phase | None = None
    while broken.view is None or broken.view.result is None:
        if broken.view is not None and broken.view.phase is not phase and broken.view.phase is not Phase.RESTORING:
            phase = broken.view.phase
            broken.kill()
        broken.turn()
    broken.end()
    assert broken.deaths == broken.resumed > 6
    assert faults(unbroken, broken) == []


def test_the_comparison_would_notice(tmp_path: Path) -> None:
    """Two different games differ."""
    one = once(script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8), None)
    other = once(script(rule_set("duel"), Mode.DECLARE, seed=3, plies=8), None)
    assert {"other moves", "another end"} <= set(faults(one, other))
