"""Where ranks stand when a game begins: what is expected of an opponent, and the computer's own set-ups."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Mapping
from itertools import accumulate
from math import fsum

from referee.computer.chance import chance
from referee.rules import Rank, RuleSet, Seat, Square, check_set_up, seated_zone

_PLACES: Mapping[Rank, tuple[float, float, float, float]] = {
    Rank.FLAG: (0.01, 0.03, 0.10, 0.86),
    Rank.BOMB: (0.08, 0.17, 0.30, 0.45),
    Rank.INFILTRATOR: (0.30, 0.30, 0.25, 0.15),
    Rank.CANNON: (0.25, 0.35, 0.25, 0.15),
    Rank.SPY: (0.04, 0.30, 0.42, 0.24),
    Rank.SCOUT: (0.38, 0.22, 0.17, 0.23),
    Rank.MINER: (0.09, 0.15, 0.26, 0.50),
    Rank.SERGEANT: (0.22, 0.22, 0.33, 0.23),
    Rank.LIEUTENANT: (0.27, 0.27, 0.26, 0.20),
    Rank.CAPTAIN: (0.32, 0.30, 0.24, 0.14),
    Rank.MAJOR: (0.30, 0.33, 0.25, 0.12),
    Rank.COLONEL: (0.24, 0.40, 0.26, 0.10),
    Rank.GENERAL: (0.22, 0.40, 0.28, 0.10),
    Rank.MARSHAL: (0.18, 0.42, 0.30, 0.10),
}
"""How likely a rank stands in the first, second, third and last quarter of a zone, front to back. Rules of thumb that every guide to the
game gives (the flag at the back behind bombs, scouts in front and some kept, miners kept, the spy behind the officers); no counted games.
A cannon, which house rules of two seats may have as a piece that steps, stands as officers do.
"""


def preferences(rules: RuleSet, seat: Seat) -> dict[Square, dict[Rank, float]]:
    """Return for each square of a seat's zone how likely each rank of the army stands there, against the other squares."""
    rows = seated_zone(rules.board, seat)
    found: dict[Square, dict[Rank, float]] = {}
    for at, row in enumerate(rows):
        place = 3 * at / max(1, len(rows) - 1)
        low = min(2, int(place))
        for square in row:
            if square is not None:
                found[square] = {
                    rank: _PLACES[rank][low] + (_PLACES[rank][low + 1] - _PLACES[rank][low]) * (place - low)
                    for rank in rules.army
                }
    return found


def generate_set_up(rules: RuleSet, seat: Seat, seed: str) -> dict[Square, Rank]:
    """Return a set-up without a fault or a warning: the flag at the back behind bombs, the others where they like to be."""
    attempt = 0
    while check_set_up(rules, seat, found := _attempt(rules, seat, f"{seed}/{attempt}")):
        attempt += 1
    return {square: found[square] for square in rules.board.squares if square in found}


def standing_on(set_up: Mapping[Square, Rank], squares: Collection[Square], rules: RuleSet) -> dict[Square, Rank]:
    """Return a set-up as its pieces stand: on these squares, in the same order, where hands that nobody told put them elsewhere."""
    there = [square for square in rules.board.squares if square in squares]
    return dict(zip(there, (set_up[square] for square in rules.board.squares if square in set_up), strict=True))


def _attempt(rules: RuleSet, seat: Seat, seed: str) -> dict[Square, Rank]:
    likes = preferences(rules, seat)
    left = dict(rules.army)
    found: dict[Square, Rank] = {}

    def put(rank: Rank, among: Mapping[Square, float]) -> Square:
        """Put a piece on a square that is drawn with these weights."""
        open_to_it = {square: weight for square, weight in among.items() if square not in found and weight > 0}
        reach = list(accumulate(open_to_it.values()))
        square = list(open_to_it)[bisect(reach, chance(seed, rank.value, left[rank]) * reach[-1])]
        found[square] = rank
        left[rank] -= 1
        return square

    home = put(Rank.FLAG, {square: (one := like[Rank.FLAG]) * one * one for square, like in likes.items()})
    walls = [square for square in rules.board.neighbours(home) if square in likes]
    for square in walls:
        if left.get(Rank.BOMB):
            put(Rank.BOMB, {square: 1.0})
    sides: dict[Rank, float] = {}
    middle = (rules.board.columns - 1) / 2
    for rank in sorted(left, key=lambda rank: rank in (Rank.SCOUT, Rank.SERGEANT)):
        while left[rank]:
            weights = {square: like[rank] for square, like in likes.items()}
            if rank in (Rank.MARSHAL, Rank.GENERAL) and sides:  # one strong piece a wing, while that has room
                wing = {
                    one: w
                    for one, w in weights.items()
                    if one not in found and (rules.board.place(one)[0] - middle) * fsum(sides.values()) < 0
                }
                weights = wing or weights
            if (
                not rules.filled and rank is not Rank.BOMB
            ):  # in a free zone pieces close to the flag keep it out of reach
                weights = {one: w * (3 if one in walls else 1) for one, w in weights.items()}
            square = put(rank, weights)
            if rank in (Rank.MARSHAL, Rank.GENERAL):
                sides[rank] = rules.board.place(square)[0] - middle
    return found
