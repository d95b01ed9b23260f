"""Where pieces are drawn: to what they would gain by attacking, less the further away it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import mul

from referee.computer.kinds import FOE, OWN, Kinds
from referee.rules import Board, Rank

_SHARE, _FADES = 0.16, 0.80
"""The share of an attack's gain that standing beside it is worth, and what is left of that with every further step."""
_FAR = 16
_REACH = 3
"""So many steps of a piece are looked at: a search goes no further."""
_SECOND = 0.55
"""What is left of a target's pull for each piece of ours that is nearer to it."""
_HUNTERS = 6
"""So many of ours a target draws."""
_GUARD = 0.5
"""The share of a likely flag's worth that its wall is worth to who can take it away."""
_FOE_MOST = 20.0
_SURELY, _AFRAID = 0.8, 4
_FEAR = list(accumulate([0.15, *[0.6] * _AFRAID], mul))
_SQUARES_FADE = [*accumulate([_SHARE, *[_FADES] * _FAR], mul), 0.0]


def pulls(
    board: Board,
    kinds: Kinds,
    where: Sequence[int],
    sides: Sequence[int],
    kind: Sequence[int],
    movers: Sequence[Sequence[int]],
    runners: Sequence[Sequence[int]],
) -> list[list[float]]:
    """Return by piece and square what it is worth to that piece's side that it stands there."""
    found = [[0.0] * len(board.squares) for _ in where]
    at = {square: piece for piece, square in enumerate(where) if square >= 0}
    walls = {square for square, piece in at.items() if kinds.mobility(kind[piece]) < 0.5}
    reach = {
        piece: _steps(board, where[piece], walls, _FAR if piece in runners[side] else _REACH)
        for side in (OWN, FOE)
        for piece in movers[side]
    }
    for victim, square in enumerate(where):
        if square < 0:
            continue
        bonus = _wall_bonus(board, kinds, at, kind, square) if sides[victim] == FOE else 0.0
        gains = {}
        for piece in movers[1 - sides[victim]]:
            fight = kinds.fight(kind[piece], kind[victim])
            gain = min(fight.gain, _FOE_MOST) if sides[victim] == OWN else fight.gain + fight.win * bonus
            if gain > 0.05:
                gains[piece] = gain
        if not gains:
            continue
        away = [_FAR + 1] * len(board.squares)
        for here, steps in _steps(board, square, walls, _FAR).items():
            away[here] = steps
        share = 1.0
        for piece in sorted(gains, key=lambda one: (away[where[one]] - gains[one] * 0.1, one))[:_HUNTERS]:
            pull, gain = found[piece], gains[piece] * share
            for here in reach[piece]:
                pull[here] += gain * _SQUARES_FADE[away[here]]
            share *= _SECOND
    _fear(board, kinds, where, kind, movers, found, reach)
    return found


def _fear(
    board: Board,
    kinds: Kinds,
    where: Sequence[int],
    kind: Sequence[int],
    movers: Sequence[Sequence[int]],
    found: list[list[float]],
    reach: Mapping[int, Mapping[int, int]],
) -> None:
    """Let own pieces keep away from enemies that surely beat them."""
    for hunter in movers[FOE]:
        preys = [piece for piece in movers[OWN] if kinds.fight(kind[hunter], kind[piece]).win > _SURELY]
        if preys:
            away = _steps(board, where[hunter], set(), _AFRAID)
            for piece in preys:
                pull, worth = found[piece], kinds.value[kind[piece]]
                for here in reach[piece]:
                    if here in away:
                        pull[here] -= worth * _FEAR[away[here]]


def _steps(board: Board, start: int, walls: set[int], most: int) -> dict[int, int]:
    """Return how many steps each square is away, around what does not move; those further than `most` are left out."""
    near, found, frontier = board.near, {start: 0}, [start]
    for steps in range(1, most + 1):
        reached = []
        for square in frontier:
            for other in near[square]:
                if other not in found:
                    if other in walls:
                        continue
                    found[other] = steps
                    reached.append(other)
        frontier = reached
    return found


def _wall_bonus(board: Board, kinds: Kinds, at: dict[int, int], kind: Sequence[int], square: int) -> float:
    """Return what it is worth that a piece goes that may stand before the flag."""
    flags = [kinds.chance_of(kind[at[near]], Rank.FLAG) for near in board.near[square] if near in at]
    return _GUARD * kinds.flag_worth * max(flags, default=0.0)
