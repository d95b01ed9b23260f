"""A game by chance with many attacks, written down before it is played: set-ups, legal plies, and the true game after each."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules import Game, Move, RuleSet
from referee.rules.values import Rank, Seat, Square
from referee.runtime.set_ups import generate
from referee.table.views import Mode


@dataclass(frozen=True, slots=True)
class Script:
    """What is to be played: set-ups and legal plies, and the true game after each."""

    rules: RuleSet
    mode: Mode
    set_ups: Mapping[Seat, Mapping[Square, Rank]]
    plies: Sequence[Move]
    truths: Sequence[Game]


def script(rules: RuleSet, mode: Mode, seed: int, plies: int) -> Script:
    """Give a game by chance that has many attacks and does not end by itself within so many plies."""
    for attempt in range(1000):
        rng = random.Random(f"{seed}/{attempt}")
        set_ups = {seat: generate(rules, seat, rng) for seat in rules.seats}
        truth = _begun(rules, set_ups)
        moves: list[Move] = []
        truths = [truth.copy()]
        while len(moves) < plies and truth.result is None:
            actions = [action for action in truth.legal_actions() if isinstance(action, Move)]
            attacks = [action for action in actions if truth.is_attack(action)]
            forward = [action for action in actions if _forward(action, truth.turn)]
            moves.append(rng.choice(attacks if attacks and rng.random() < 0.5 else forward or actions))
            truth.play(moves[-1])
            truths.append(truth.copy())
        attacks_played = sum(one.is_attack(move) for one, move in zip(truths, moves, strict=False))
        if truth.result is None and attacks_played >= plies // 8:
            return Script(rules, mode, set_ups, moves, truths)
    raise AssertionError("no game of this kind was found")


def _forward(move: Move, seat: Seat) -> bool:
    rows = int(move.target.name[1:]) - int(move.source.name[1:])
    return rows > 0 if seat is Seat.RED else rows < 0


def _begun(rules: RuleSet, set_ups: Mapping[Seat, Mapping[Square, Rank]]) -> Game:
    owners = {square: seat for seat, set_up in set_ups.items() for square in set_up}
    return Game(rules, owners, {square: rank for set_up in set_ups.values() for square, rank in set_up.items()})
