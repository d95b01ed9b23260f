"""Recorded games for the demo: what seats tell besides their moves is part of the script, and what nobody can play again is said."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from referee.demo.recorded import load_recorded
from referee.journal.records.formats import write_record
from referee.journal.records.model import GiveUp, Ply
from referee.rules import Move, rule_set
from referee.runtime.errors import BadInputError
from referee.simulated_players.player import Bot, GameScript, Say, SimulatedPlayer
from referee.table.messages import Answer, Question, QuestionKind
from tests.records.recorded_games import random_game
from tests.table.sitting import BLUE, RED, Sitting


def is_played_again(ply: Ply) -> bool:
    """Whether simulated players can: no flag is left behind, and nobody gives up."""
    left = isinstance(ply.action, Move) and ply.action.leaving
    return not left and not any(isinstance(decision.choice, GiveUp) for decision in ply.decisions)


GAMES: list[tuple[str, int, dict[str, tuple[str, ...]], set[str]]] = [
    ("stratego4-three", 12, {"red": ("up", "sergeant")}, {"fire", "move"}),
    ("stratego4-three", 20, {"red": ("up", "none"), "blue": ("stay",)}, {"fire", "move"}),
    ("stratego4", 16, {"green": ("stay", "stay", "up", "scout")}, {"move"}),
]


@pytest.mark.parametrize(
    ("name", "seed", "answers", "told"), GAMES, ids=[f"{name}, seed {seed}" for name, seed, _, _ in GAMES]
)
def test_what_seats_tell_is_in_the_script(
    name: str, seed: int, answers: Mapping[str, tuple[str, ...]], told: set[str], tmp_path: Path
) -> None:
    """Flags, sliders and recruits by the words of handsets, in the order in which a seat was asked; shots and guesses among the turns."""
    record = random_game(rule_set(name), seed, 60).record
    most = next((n for n, ply in enumerate(record.plies) if not is_played_again(ply)), len(record.plies))
    path = tmp_path / "game.record"
    path.write_text(write_record(replace(record, plies=record.plies[:most], result=None), "own"))
    script = load_recorded(path, None)[1].script
    assert len(script.turns) == most
    assert {seat.value: words for seat, words in script.answers.items() if words} == answers
    assert {what for *_, what in script.turns} == told


@pytest.mark.parametrize(
    ("seed", "said"), [(0, "ply 34 is something that simulated players cannot tell"), (1, "gives up")]
)
def test_what_cannot_be_played_again(seed: int, said: str, tmp_path: Path) -> None:
    """A flag that is left behind, a player who leaves the others playing: one line, and nothing is started."""
    path = tmp_path / "game.record"
    path.write_text(write_record(random_game(rule_set("stratego4-three"), seed, 60).record, "own"))
    with pytest.raises(BadInputError, match=said):
        load_recorded(path, None)


def test_a_question_that_comes_again_is_answered_alike() -> None:
    """Its answer may have been lost; the next one has the next answer."""
    sitting = Sitting()
    script = GameScript((), {RED: ("stay", "up"), BLUE: ()})
    player = SimulatedPlayer(Bot(sitting.rules, RED, random.Random(1), {}), sitting.table.info(), script)

    def asked(number: int) -> str:
        question = Question("q", number, QuestionKind.SLIDER, 1, None, None, None, ("up", "stay"))
        (said,) = player.letter(question)
        assert isinstance(said, Say)
        assert isinstance(said.message, Answer)
        return said.message.choice

    assert [asked(number) for number in (7, 7, 9, 9)] == ["stay", "stay", "up", "up"]
