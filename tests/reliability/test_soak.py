"""A short soak: its counts are those of whole games, and a game that went wrong does not pass as survived."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.soak import SoakTally
from fault_injection.interrupted_game import InterruptedGame, script
from referee.cli.main import main
from referee.rules import Move, rule_set
from referee.table.views import Mode

pytestmark = pytest.mark.process


@pytest.mark.process
def test_soak_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One document, its counts at the top level; one round of both referees is played however short the time."""
    assert main(["bench", "soak", "--seconds", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["failures"] == []
    assert (figures["misread"], figures["lost"]) == (0, 0)
    assert figures["games"] >= 2
    assert figures["plies"] >= 8 * figures["games"]
    assert figures["faults_survived"] == sum(figures["faults"].values())
    assert figures["file_descriptors"][0] == figures["file_descriptors"][-1]


def test_a_game_leaves_nothing_behind(tmp_path: Path) -> None:
    """A referee that plays one and the same game again and again holds no more objects after it: its tables are filled by the first."""
    played = script(rule_set("duel"), Mode.DECLARE, seed=2, plies=12)
    held: list[int] = []
    before: InterruptedGame | None = None
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        game = InterruptedGame(played, tmp_path / str(number))
        game.start() if before is None else game.take_over(before)
        while not game.over:
            game.turn()
        game.ask(("objects", None))
        held.append(game.answer)
        before = game
    game.end()
    assert held[-1] - held[1] <= 3, held  # the loop's own timers; a game has thousands


def test_what_differs_is_counted(tmp_path: Path) -> None:
    """A game that is held against another script than was played: misread and lost plies, and nothing survived."""
    played = script(rule_set("duel"), Mode.ENROL, seed=3, plies=8)
    game = InterruptedGame(played, tmp_path / "game")
    game.state.mkdir()
    game.play()
    first, *others = played.plies
    game.script = replace(played, plies=[Move(first.target, first.source), *others, first])
    tally = SoakTally()
    tally.take(game, ["disk slow"])
    assert [tally.counts[name] for name in ("games", "plies", "misread", "lost")] == [1, 8, 1, 1]
    assert tally.survived.total() == 0
