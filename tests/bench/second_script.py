"""A game of the second generator's hands without any referee: everything that they did, and every frame that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from random import Random

from benchmarks.accuracy import the_board
from benchmarks.game_sources import random_games
from benchmarks.second_hands import Rates, SecondHands
from benchmarks.second_world import Noise
from firmware_bridge.messages import Frame
from referee.rules import Game, Move, rule_set


@dataclass
class Played:
    """What was played."""

    hands: SecondHands
    frames: list[Frame]
    moves: list[tuple[Game, Move]]
    """Each move, and the game before it."""


def play(seed: int, plies: int, noise: Noise, rates: Rates | None = None, sensing: str = "colour") -> Played:
    """Play random moves; every verdict comes when an attack has been shown."""
    rules = rule_set("original")
    source = next(islice(random_games(rules, seed), 1))
    game = source.start.copy()
    hands = SecondHands(the_board(sensing, None), Random(seed), noise, rates or Rates())
    hands.lay(game)
    played = Played(hands, list(hands.listen(2_000)), [])
    hands.next_ms = hands.now_ms
    while len(played.moves) < plies and game.result is None:
        played.frames += hands.listen(hands.next_ms)
        move = source.choose(game)
        if move is None:
            break
        played.moves.append((game.copy(), move))
        if not game.is_attack(move):
            hands.move(game, move)
            game.play(move)
            continue
        made = hands.attack(game, move)
        outcome = game.play(move).result
        assert outcome is not None
        played.frames += hands.listen(made.quiet_ms + 500)
        cleared = hands.resolve(outcome.value)
        played.frames += hands.listen(cleared.quiet_ms + 100)
    played.frames += hands.listen(int(hands.next_ms) + 3_000)
    return played
