"""What each enemy piece probably is: the ranks that the rules leave it, weighted by where it stood and what it did.

A row a piece, a column a rank. Weights become chances by scaling rows to one and columns to what the army has of each rank, in turns
(iterative proportional fitting: Deming and Stephan, 1940; Sinkhorn, 1964), so that chances always add up to the army.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from referee.computer.places import preferences
from referee.rules import CombatResult, Game, Move, PieceId, Rank, Seat, Square
from referee.rules.ruleset import Gait

_ROUNDS = 25
_CLOSE = 1e-3
_LEAST = 1e-6
_APPROACHED, _FLED, _STAYED, _AT_MARSHAL = 3.0, 2.0, 1.25, 10.0
"""How much likelier a piece beats a known one that it goes to, loses to one that it leaves, does not lose to one that it stays beside;
and how much likelier it is a spy that goes to a known marshal."""
_STILL_PLIES = 120.0
"""After so many plies a piece that never moved is half as likely one that can."""
_WALLED, _BARE = 1.6, 0.45
"""How much a neighbour that is surely a bomb, and one that surely is none, speaks for and against a flag."""


class Behaviour:
    """What the enemy's pieces did so far, as weights by rank: a piece that walks up to a known major is rather no scout."""

    def __init__(self, game: Game, foe: Seat, own: Mapping[PieceId, Rank]) -> None:
        self._game, self._foe, self._own = game, foe, own
        rules = game.rule_set
        self.ranks = tuple(rules.army)
        likes = preferences(rules, foe)
        self.home: dict[PieceId, Square] = {}
        self.weights: dict[PieceId, list[float]] = {}
        for piece in game.pieces(foe):
            square = game.square_of(piece)
            assert square is not None
            self.home[piece] = square
            self.weights[piece] = [likes.get(square, {}).get(rank, 1.0) for rank in self.ranks]
        self.exposed: dict[PieceId, Rank] = {}
        """The own pieces whose ranks the enemy has seen."""
        attackers = [rank for rank in self.ranks if rules.gait(rank) is not Gait.NONE]
        wins = CombatResult.ATTACKER_WINS
        self._beats = {
            own: [one in attackers and rules.combat(one, own) is wins for one in self.ranks] for own in rules.army
        }
        self._falls = {
            own: [own in attackers and rules.combat(own, one) is wins and one in attackers for one in self.ranks]
            for own in rules.army
        }

    def before(self, action: Move) -> None:
        """Note what an enemy's move without attack tells; asked before it is played."""
        game, near = self._game, self._game.rule_set.board.neighbours
        piece = game.piece_at(action.source)
        assert piece is not None
        beside = set(near(action.target))
        for own, rank in self.exposed.items():
            square = game.square_of(own)
            if square is None:
                continue
            if square in beside and square not in near(action.source):
                self._weigh(piece, self._beats[rank], _AT_MARSHAL if rank is Rank.MARSHAL else _APPROACHED)
            elif square not in beside and square in near(action.source):
                self._weigh(piece, self._falls[rank], _FLED)
            for other in near(square):
                stays = game.piece_at(other)
                if stays is not None and stays.seat is self._foe and stays != piece:
                    self._weigh(stays, self._falls[rank], 1 / _STAYED)

    def _weigh(self, piece: PieceId, ranks: Sequence[bool], factor: float) -> None:
        weights = self.weights[piece]
        for at, is_one in enumerate(ranks):
            if is_one:
                weights[at] = max(_LEAST, weights[at] * factor)


def chances(
    behaviour: Behaviour, game: Game, forgotten: frozenset[PieceId] = frozenset()
) -> dict[PieceId, list[float]]:
    """Return for each enemy piece, captured ones too, how likely it has each rank of the army, in the army's order.

    Of forgotten pieces only that they moved is remembered.
    """
    rules, ranks = game.rule_set, behaviour.ranks
    walkers = frozenset(rank for rank in ranks if rules.gait(rank) is not Gait.NONE)
    still = 1 / (1 + game.ply / _STILL_PLIES)
    counts = list(map(float, rules.army.values()))
    possible = {
        piece: (walkers if game.moved(piece) else frozenset(ranks)) if piece in forgotten else game.possible(piece)
        for piece in behaviour.home
    }
    rows: dict[PieceId, list[float]] = {}
    for piece, weights in behaviour.weights.items():
        mine = possible[piece]
        factor = 1.0 if game.moved(piece) else still
        rows[piece] = [
            (weight * (factor if rank in walkers else 1.0) + _LEAST) if rank in mine else 0.0
            for rank, weight in zip(ranks, weights, strict=True)
        ]
    if Rank.FLAG in ranks:
        _weigh_flags(behaviour, game, possible, rows)
    return _balanced(rows, counts)


def _weigh_flags(
    behaviour: Behaviour, game: Game, possible: Mapping[PieceId, frozenset[Rank]], rows: dict[PieceId, list[float]]
) -> None:
    """Let bombs beside a piece speak for its being the flag, and squares without one against it."""
    at_home = {square: piece for piece, square in behaviour.home.items()}
    column = behaviour.ranks.index(Rank.FLAG)
    for piece, square in behaviour.home.items():
        if not rows[piece][column]:
            continue
        for near in game.rule_set.board.neighbours(square):
            other = at_home.get(near)
            if other is None:
                continue
            if possible[other] == {Rank.BOMB}:
                rows[piece][column] *= _WALLED
            elif Rank.BOMB not in possible[other]:
                rows[piece][column] *= _BARE


def _balanced(rows: dict[PieceId, list[float]], counts: list[float]) -> dict[PieceId, list[float]]:
    table, columns = list(rows.values()), range(len(counts))
    for _ in range(_ROUNDS):
        totals = [fsum(column) for column in zip(*table, strict=True)]
        scale = [count / total if total else 0.0 for count, total in zip(counts, totals, strict=True)]
        worst = 0.0
        for row in table:
            for at in columns:
                row[at] *= scale[at]
            whole = fsum(row)
            worst = max(worst, abs(whole - 1))
            for at in columns:
                row[at] /= whole
        if worst < _CLOSE:
            break
    return dict(zip(rows, table, strict=True))
