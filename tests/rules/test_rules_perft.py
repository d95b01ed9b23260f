"""Counts of action sequences by depth from fixed positions, and games that end by themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.rules import Game, RuleSet, rule_set, rule_set_names
from referee.rules.values import Rank, Seat, Square
from tests.amount import tries

GOLDEN = Path(__file__).parent / "golden" / "perft.txt"
STRIDE = 7
"""Has no divisor in common with the size of any army, so every piece is laid out once."""
POSITIONS = {
    "corner": "r:a1=scout r:b1=miner r:c2=flag b:a3=major b:b3=bomb b:c3=scout b:j10=flag",
    "inside": "r:e7=infiltrator r:a1=flag r:a4=major b:e8=bomb b:e9=flag b:f7=spy b:d8=miner b:b9=scout",
    "round-the-castle": "r:g5=captain r:g1=major r:e7=scout r:d3=cannon b:e6=spy b:a7=major b:d6=marshal b:b7=scout "
    "g:g9=captain g:g13=spy g:ring=cannon y:i7=scout y:m7=spy y:k7=captain",
}


def start_of(rules: RuleSet) -> dict[Square, tuple[Seat, Rank]]:
    """Return the army of every seat laid out with the stride."""
    placed = {}
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    for seat in rules.seats:
        for number, square in enumerate(rules.zone(seat)[: len(army)]):
            placed[square] = (seat, army[number * STRIDE % len(army)])
    return placed


def count(game: Game, depth: int) -> int:
    """Return how many sequences of actions there are."""
    if depth == 0:
        return 1
    actions = game.legal_actions()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        after = game.copy()
        after.play(action)
        total += count(after, depth - 1)
    return total


def golden() -> dict[tuple[str, str], list[int]]:
    """Return the golden counts by rule set and position."""
    lines = [line.split() for line in GOLDEN.read_text(encoding="ascii").splitlines() if not line.startswith("#")]
    return {(name, position): [int(number) for number in numbers] for name, position, *numbers in lines}


@pytest.mark.parametrize(("name", "position"), golden())
def test_counts_by_depth_are_the_golden_ones(
    name: str, position: str, game_of: Callable[..., Game], start: Callable[..., Game]
) -> None:
    """The number of sequences of one, two, three actions has not changed."""
    rules = rule_set(name)
    game = start(rules, start_of(rules)) if position == "start" else game_of(POSITIONS[position], rules)
    numbers = golden()[name, position]
    assert [count(game, depth + 1) for depth in range(len(numbers))] == numbers


def test_every_rule_set_has_golden_counts() -> None:
    """No rule set is left out, and no line is there twice."""
    assert {name for name, _ in golden()} == set(rule_set_names())
    assert len(golden()) == 13


@pytest.mark.parametrize("name", rule_set_names())
def test_a_random_game_ends_by_itself(name: str, set_ups: Callable[..., Any], start: Callable[..., Game]) -> None:
    """Random play comes to an end within a few thousand plies, without any limit on quiet plies."""
    rules = rule_set(name)
    for seed in (1,) if rules.board.turret is not None else range(tries(12)):
        rng = random.Random(seed)
        game = start(rules, set_ups(rules, rng))
        while game.result is None:
            game.play(rng.choice(game.legal_actions()))
            assert game.ply < 6000
        assert game.legal_actions() == []


def test_random_teams_and_threes_have_winners(set_ups: Callable[..., Any], start: Callable[..., Game]) -> None:
    """A winner sits at the table, and in teams its partner is not among those beaten."""
    for name, seed in (("stratego4-three", 9), ("stratego4-teams", 9)):
        rules = rule_set(name)
        rng = random.Random(seed)
        game = start(rules, set_ups(rules, rng))
        while game.result is None:
            game.play(rng.choice(game.legal_actions()))
        assert game.result.winner in (None, *rules.seats)
        assert game.castle is not None
        if game.result.winner is not None and game.result.reason.value == "immobile":
            standing = set(rules.seats) - game.castle.out
            assert standing <= set(rules.partners(game.result.winner))
