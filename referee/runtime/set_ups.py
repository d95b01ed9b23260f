"""Generated set-ups: the flag at the back behind bombs, scouts and fighters in front. Nothing is copied from anybody's games."""

from __future__ import annotations

import random
from collections.abc import Mapping

from referee.rules import Rank, RuleSet, Seat, Square, check_set_up

TASTE: Mapping[Rank, tuple[float, float]] = {
    Rank.FLAG: (100, 1.0),
    Rank.BOMB: (3, 0.75),
    Rank.INFILTRATOR: (2, 0.4),
    Rank.CANNON: (3, 0.7),
    Rank.SPY: (3, 0.6),
    Rank.SCOUT: (1, 0.3),
    Rank.MINER: (2.5, 0.75),
    Rank.SERGEANT: (1.5, 0.45),
    Rank.LIEUTENANT: (2.5, 0.4),
    Rank.CAPTAIN: (4, 0.3),
    Rank.MAJOR: (6, 0.3),
    Rank.COLONEL: (9, 0.35),
    Rank.GENERAL: (14, 0.4),
    Rank.MARSHAL: (20, 0.5),
}
"""What a rank is worth, in scouts, and where it likes to stand: 0 the front, 1 the back. A matter of taste, not of rules."""


def generate(rules: RuleSet, seat: Seat, rng: random.Random) -> dict[Square, Rank]:
    """Return a set-up that the rules accept without a fault or a warning, the same for the same random state."""
    while True:
        set_up = _attempt(rules, seat, rng)
        if not check_set_up(rules, seat, set_up):
            return set_up


def _attempt(rules: RuleSet, seat: Seat, rng: random.Random) -> dict[Square, Rank]:
    depth = _depths(rules, seat)
    pieces = [rank for rank, count in rules.army.items() for _ in range(count)]
    squares = sorted(depth, key=lambda square: depth[square] + rng.gauss(0, 0.25), reverse=True)[: len(pieces)]
    set_up: dict[Square, Rank] = {}
    if Rank.FLAG in pieces:
        pieces.remove(Rank.FLAG)
        home = max(squares, key=lambda square: (round(depth[square], 3), rng.random()))
        set_up[home] = Rank.FLAG
        beside = [square for square in rules.board.neighbours(home) if square in depth]
        if not rules.filled:  # in a free zone the flag would stand in the open: its own army surrounds it
            squares = [*{home: None, **dict.fromkeys(beside), **dict.fromkeys(squares)}][: len(squares)]
        for square in beside:
            if square in squares and Rank.BOMB in pieces and rng.random() < 0.8:
                pieces.remove(Rank.BOMB)
                set_up[square] = Rank.BOMB
    free = [square for square in squares if square not in set_up]
    free.sort(key=lambda square: depth[square] + rng.gauss(0, 0.12))
    pieces.sort(key=lambda rank: TASTE[rank][1] + rng.gauss(0, 0.25))
    return set_up | dict(zip(free, pieces, strict=True))


def _depths(rules: RuleSet, seat: Seat) -> dict[Square, float]:
    """Return for each square of the zone how far it lies from the middle of the board, 0 at the front and 1 at the back."""
    middle = ((rules.board.columns - 1) / 2, (rules.board.rows - 1) / 2)
    zone = rules.zone(seat)
    places = [rules.board.place(square) for square in zone]
    upright = max(column for column, _ in places) - min(column for column, _ in places) >= (
        max(row for _, row in places) - min(row for _, row in places)
    )
    away = [abs(row - middle[1]) if upright else abs(column - middle[0]) for column, row in places]
    low, high = min(away), max(away)
    return {square: (value - low) / ((high - low) or 1) for square, value in zip(zone, away, strict=True)}
