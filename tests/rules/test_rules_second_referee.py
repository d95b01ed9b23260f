"""The engine against a second, slow referee that recomputes everything from the text of the rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from referee.rules import Game, Move, RuleSet, rule_set
from referee.rules.outcomes import Reason
from referee.rules.values import Rank, Seat
from tests.amount import tries


def compare(game: Game, slow: Any) -> list[Move]:
    """Compare legal moves, bars and reasons at one ply. Returns the legal moves in a fixed order."""
    legal = [action for action in game.legal_actions() if isinstance(action, Move)]
    assert sorted(repr(move) for move in legal) == sorted(f"{s.name}-{t.name}" for s, t in slow.legal())
    for source, target in slow.basic(slow.turn):
        refusals = [refusal.reason.value for refusal in game.refusals(Move(source, target))]
        bar = slow.bar(source, target)
        assert refusals == ([] if bar is None else [bar])
    return sorted(legal, key=repr)


def play_both(game: Game, slow: Any, rng: random.Random, plies: int, stubborn: float) -> int:
    """Play a random game, often going back and forth. Returns how many plies met a bar."""
    bars = 0
    last: dict[Any, Move] = {}
    for _ in range(plies):
        if game.result is not None:
            break
        legal = compare(game, slow)
        bars += len(slow.basic(slow.turn)) > len(legal)
        move = rng.choice(legal)
        previous = last.get(game.turn)
        if previous is not None and rng.random() < stubborn:
            again = [m for m in legal if m.source == previous.target]
            back = [m for m in again if m.target == previous.source]
            move = rng.choice(back or again or legal)
        last[game.turn] = move
        game.play(move)
        slow.play(move.source, move.target)
        result = None if game.result is None else (game.result.winner, game.result.reason.value)
        assert result == slow.over
    return bars


@pytest.mark.parametrize(
    ("name", "seed"),
    [("barrage", 1), ("duel", 3), ("duel-compact", 4), ("classic", 5), ("vintage", 6), ("original", 7)],
)
def test_engine_agrees_with_the_second_referee(
    name: str, seed: int, slow_referee: type[Any], set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """Legal moves, bars, reasons and endings are the same at every ply of random and of stubborn games."""
    rng = random.Random(seed)
    rules = rule_set(name)
    bars = 0
    for _ in range(2):
        placed = set_ups(rules, rng)
        bars += play_both(start(rules, placed), slow_referee(rules, placed), rng, 50, stubborn=0.9)
    assert bars > 0


LITTLE_ARMIES = [
    [(Seat.RED, Rank.MAJOR), (Seat.RED, Rank.FLAG), (Seat.BLUE, Rank.MAJOR), (Seat.BLUE, Rank.FLAG)],
    [(Seat.RED, Rank.SCOUT), (Seat.RED, Rank.FLAG), (Seat.BLUE, Rank.MAJOR), (Seat.BLUE, Rank.BOMB)],
    [
        (Seat.RED, Rank.MAJOR),
        (Seat.RED, Rank.SCOUT),
        (Seat.RED, Rank.FLAG),
        (Seat.BLUE, Rank.MAJOR),
        (Seat.BLUE, Rank.SCOUT),
        (Seat.BLUE, Rank.BOMB),
        (Seat.BLUE, Rank.MINER),
    ],
]


@pytest.mark.parametrize("repetition", ["pursuit", "pursuit-exact"])
def test_engine_agrees_with_the_second_referee_in_a_corner(
    repetition: str, slow_referee: type[Any], start: Callable[..., Game], original: RuleSet
) -> None:
    """Few pieces in a corner of the board: threats, evasions and bars come in nearly every ply."""
    rules = original.with_options({"repetition": repetition})
    corner = [square for square in original.board.squares if max(original.board.place(square)) < 3]
    reasons: Counter[str] = Counter()
    for seed in range(tries(120)):
        rng = random.Random(seed)
        army = LITTLE_ARMIES[seed % 3]
        placed = dict(zip(rng.sample(corner, len(army)), army, strict=True))
        play_quietly(start(rules, placed), slow_referee(rules, placed), rng, reasons)
    assert reasons[Reason.TWO_SQUARES.value] > tries(20)
    assert reasons[Reason.CHASE.value] > tries(12)


def test_engine_agrees_with_the_second_referee_on_repeated_situations(
    slow_referee: type[Any], start: Callable[..., Game], original: RuleSet
) -> None:
    """Few pieces that go to and fro: where no situation may come twice both referees bar the same moves."""
    rules = original.with_options({"repetition": "situation"})
    corner = [square for square in original.board.squares if max(original.board.place(square)) < 3]
    bars = 0
    for seed in range(tries(60)):
        rng = random.Random(seed)
        army = LITTLE_ARMIES[seed % 3]
        placed = dict(zip(rng.sample(corner, len(army)), army, strict=True))
        bars += play_both(start(rules, placed), slow_referee(rules, placed), rng, 50, stubborn=0.9)
    assert bars > tries(60)


def play_quietly(game: Game, slow: Any, rng: random.Random, reasons: Counter[str]) -> None:
    """Play with few attacks and many threats and evasions, noting the bars that were met."""
    last = None
    for _ in range(80):
        if game.result is not None:
            return
        legal = compare(game, slow)
        reasons.update(bar for move in slow.basic(slow.turn) if (bar := slow.bar(*move)) is not None)
        near = [move for move in legal if max(game.rule_set.board.place(move.target)) < 3] or legal
        quiet = [move for move in near if not game.is_attack(move)] or near
        evading = [m for m in quiet if last is not None and len(slow.path(m.source, last.target) or "..") == 1]
        threats = [move for move in quiet if slow.enemies_beside(move.target, slow.turn)]
        wanted = threats if slow.turn is Seat.RED else evading
        last = rng.choice(wanted or quiet) if rng.random() < 0.97 else rng.choice(legal)
        game.play(last)
        slow.play(last.source, last.target)
        assert (None if game.result is None else (game.result.winner, game.result.reason.value)) == slow.over
