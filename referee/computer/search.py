"""The search: both sides' moves tried in turns, fights weighed by their chances, captures followed to their end.

Its position is arrays and bits, changed and changed back by every move. A node is scored for the side to move: its pieces' values and
places minus the other side's. The enemy is taken to know its own ranks: it attacks where it wins, and otherwise does something else.
Alpha-beta (Knuth and Moore, 1975), deepened step by step until its budget of nodes is spent; a fight with several outcomes is the mean of
their searches (expectimax: Michie, 1966).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.computer.kinds import FOE, OWN, RISK, Kinds
from referee.rules import Board

EMPTY = -1
INFINITE = 1e9
WON = 1000.0
"""What taking the flag is worth, more than any position."""
STUCK = 400.0
"""What it costs to have no move left."""
_SURE, _UNLIKELY = 0.985, 0.015
_FIGHTS_FIRST = 1000.0
_KILLER = 3.0
_NEVER = -INFINITE
_AT_ONCE = 20
"""More than any depth: a game that is won now is not searched on."""

Try = tuple[float, int, int, int]
"""A move to be tried: how early, the piece, source and target."""


Root = tuple[int, int]
"""An own move: the piece and its target."""


class SpentError(Exception):
    """The budget of nodes is spent; the search that raises it is left in the middle of a line and is of no more use."""


@dataclass(slots=True)
class Field:
    """A position to be searched: `where` by piece its square (or `EMPTY`), `sides` its side, `kind` what it may be.

    `pull` is by piece and square what it is worth to stand there. `movers` and `runners` are by side the pieces that go, and run.
    """

    board: Board
    kinds: Kinds
    where: list[int]
    sides: list[int]
    kind: list[int]
    pull: list[list[float]]
    movers: tuple[list[int], list[int]]
    runners: tuple[list[int], list[int]]


class Search:
    """One search. `limit` is its budget of nodes, `quiet` how many captures in a row are followed at its leaves."""

    def __init__(self, field: Field, limit: int, quiet: int) -> None:
        self.field, self.nodes, self._limit, self._quiet_depth = field, 0, limit, quiet
        self.where, self.kind = field.where.copy(), field.kind.copy()
        board = field.board
        self.at = [EMPTY] * len(board.squares)
        masks = [0, 0]
        for piece, square in enumerate(field.where):
            if square != EMPTY:
                self.at[square] = piece
                masks[field.sides[piece]] |= 1 << square
        self._masks = masks
        self._near = board.near
        self._near_mask = [sum(1 << other for other in row) for row in board.near]
        self._killers: dict[int, tuple[int, int]] = {}
        values, pull = field.kinds.value, field.pull
        self.score = sum(
            (1 if field.sides[piece] == OWN else -1) * (values[field.kind[piece]] + pull[piece][square])
            for piece, square in enumerate(field.where)
            if square != EMPTY
        )

    def value(self, piece: int, target: int, depth: int, alpha: float = -INFINITE) -> float:
        """Return what an own move is worth, searched so deep; exact if above `alpha`, else at most that. Raises `SpentError`."""
        source = self.where[piece]
        if self.at[target] != EMPTY:
            return self._attack(piece, source, target, depth - 1, alpha, INFINITE, OWN, self.score)
        return self._go(piece, source, target, depth - 1, alpha, INFINITE, OWN, self.score)

    def guess(self, victim: int, chance: float, ends: bool, depth: int) -> float:
        """Return what it is worth to name an enemy's rank, right with this chance; being right `ends` the game where that is the flag."""
        square = self.where[victim]
        gone = self.field.kinds.value[self.kind[victim]] + self.field.pull[victim][square]
        wrong = -self._search(depth - 1, -INFINITE, INFINITE, FOE, -self.score)
        self._lift(victim, square, FOE)
        right = WON + _AT_ONCE if ends else -self._search(depth - 1, -INFINITE, INFINITE, FOE, -self.score - gone)
        self._set(victim, square, FOE)
        return chance * right + (1 - chance) * wrong

    # ---- one move

    def _lift(self, piece: int, square: int, side: int) -> None:
        self.at[square] = EMPTY
        self.where[piece] = EMPTY
        self._masks[side] ^= 1 << square

    def _set(self, piece: int, square: int, side: int) -> None:
        self.at[square] = piece
        self.where[piece] = square
        self._masks[side] ^= 1 << square

    def _go(
        self, piece: int, source: int, target: int, depth: int, alpha: float, beta: float, side: int, score: float
    ) -> float:
        """Return the value of a move to an empty square, for the side that makes it."""
        at, where, masks, pull = self.at, self.where, self._masks, self.field.pull[piece]
        flip = 1 << source | 1 << target
        at[source], at[target], where[piece] = EMPTY, piece, target
        masks[side] ^= flip
        value = -self._search(depth, -beta, -alpha, 1 - side, pull[source] - pull[target] - score)
        at[source], at[target], where[piece] = piece, EMPTY, source
        masks[side] ^= flip
        return value

    def _attack(
        self, piece: int, source: int, target: int, depth: int, alpha: float, beta: float, side: int, score: float
    ) -> float:
        """Return the value of an attack, for the side that makes it: the mean over its verdicts."""
        field, victim, foe = self.field, self.at[target], 1 - side
        values, kind, pull = field.kinds.value, self.kind, field.pull
        mine, theirs = kind[piece], kind[victim]
        win, tie, lose, _ = field.kinds.fight(mine, theirs)
        winner, holder = field.kinds.survivors(mine, theirs)
        if win > _SURE or tie > _SURE or (lose > _SURE and side == OWN):
            win, tie, lose = float(win > _SURE), float(tie > _SURE), float(lose > _SURE)
        else:
            alpha, beta = -INFINITE, INFINITE
        there, gone = pull[victim][target], values[mine] + pull[piece][source]
        left = 1.0 - win - tie if side == FOE else 1.0 - win - tie - lose
        total = left * score if left > _UNLIKELY else 0.0
        if win > _UNLIKELY:
            after = score + values[theirs] + there - gone + values[winner] + pull[piece][target]
            if field.kinds.is_flag[theirs]:
                total += win * (WON + depth)  # the game is over; sooner is better
            else:
                self._lift(victim, target, foe)
                kind[piece] = winner
                before = after - pull[piece][target] + pull[piece][source]
                total += win * self._go(piece, source, target, depth, alpha, beta, side, before)
                kind[piece] = mine
                self._set(victim, target, foe)
        if tie > _UNLIKELY:
            self._lift(victim, target, foe)
            self._lift(piece, source, side)
            both = -self._search(depth, -beta, -alpha, foe, gone - values[theirs] - there - score)
            self._set(piece, source, side)
            self._set(victim, target, foe)
            total += tie * (max(both, score) if side == FOE else both)
        if lose > _UNLIKELY and side == OWN:
            self._lift(piece, source, side)
            kind[victim] = holder
            risk = RISK * values[mine] if lose < 1 else 0.0
            after = score - gone - risk - values[holder] + values[theirs]
            total += lose * -self._search(depth, -beta, -alpha, foe, -after)
            kind[victim] = theirs
            self._set(piece, source, side)
        return total

    # ---- nodes

    def _search(self, depth: int, alpha: float, beta: float, side: int, score: float) -> float:
        """Return what a position is worth to the side to move, within these bounds."""
        self.nodes += 1
        if self.nodes > self._limit:
            raise SpentError
        if depth <= 0:
            return self._quiet(depth, alpha, beta, side, score)
        at, pull, best, killers = self.at, self.field.pull, _NEVER, self._killers
        for _, piece, source, target in self._tries(side, killers.get(depth)):
            if best > alpha:
                alpha = best
            if at[target] != EMPTY:
                value = self._attack(piece, source, target, depth - 1, alpha, beta, side, score)
            else:
                here = pull[piece]
                most = score + here[target] - here[source]
                if depth == 1 and most <= alpha:  # the reply can only take from it, and those that follow are no better
                    if most > best:
                        best = most
                    continue
                value = self._go(piece, source, target, depth - 1, alpha, beta, side, score)
            if value > best:
                best = value
                if best >= beta:
                    killers[depth] = source, target
                    break
        return best if best > _NEVER else score - STUCK

    def _tries(self, side: int, killer: tuple[int, int] | None) -> list[Try]:
        """Return the moves of a side, best first: attacks by what they gain, then moves by where they lead."""
        field, at, near, near_mask = self.field, self.at, self._near, self._near_mask
        where, kind, pull, fight = self.where, self.kind, field.pull, field.kinds.fight
        mine, theirs = self._masks[side], self._masks[1 - side]
        found: list[Try] = []
        for piece in field.movers[side]:
            source = where[piece]
            if source == EMPTY or not near_mask[source] & ~mine:
                continue
            here = pull[piece]
            base = here[source]
            for target in near[source]:
                if at[target] == EMPTY:
                    found.append((here[target] - base, piece, source, target))
                elif theirs >> target & 1:
                    gain = fight(kind[piece], kind[at[target]])[3]
                    if gain > 0 or side == OWN:
                        found.append((_FIGHTS_FIRST + gain if gain > 0 else gain, piece, source, target))
        for piece in field.runners[side]:
            if where[piece] != EMPTY:
                found += self._strikes(piece, where[piece], theirs)
        if killer is not None:
            source, target = killer
            if at[source] != EMPTY and field.sides[at[source]] == side and at[target] == EMPTY:
                found = [
                    (key + _KILLER, one, start, end) if start == source and end == target else (key, one, start, end)
                    for key, one, start, end in found
                ]
        found.sort(reverse=True)
        return found

    def _strikes(self, piece: int, source: int, theirs: int) -> list[Try]:
        """Return the attacks of a runner on what is not beside it."""
        at, kinds, kind = self.at, self.field.kinds, self.kind
        found: list[Try] = []
        for first, _, further, _ in self.field.board.rays[source]:
            if at[first] != EMPTY:
                continue
            for target, _, _ in further:
                if at[target] != EMPTY:
                    if theirs >> target & 1:
                        gain = kinds.fight(kind[piece], kind[at[target]]).gain
                        if gain > 0:
                            found.append((_FIGHTS_FIRST + gain, piece, source, target))
                    break
        return found

    def _quiet(self, depth: int, alpha: float, beta: float, side: int, score: float) -> float:
        """Return what a position is worth once captures that gain something were followed."""
        if score >= beta or self._quiet_depth + depth <= 0:
            return score
        field, at, near, near_mask = self.field, self.at, self._near, self._near_mask
        where, kind, fight, theirs = self.where, self.kind, field.kinds.fight, self._masks[1 - side]
        best = score
        for piece in field.movers[side]:
            source = where[piece]
            if source == EMPTY or not near_mask[source] & theirs:
                continue
            for target in near[source]:
                if theirs >> target & 1:
                    gain = fight(kind[piece], kind[at[target]])[3]
                    if gain > 0.1 and score + gain > alpha:
                        value = self._attack(piece, source, target, depth - 1, max(alpha, best), beta, side, score)
                        if value > best:
                            best = value
                            if best >= beta:
                                return best
        return best


def deepened(search: Search, biases: Mapping[Root, float], depth: int) -> tuple[dict[Root, float], int]:
    """Return each own move's value with its bias, searched as deep as the budget allows, and that depth; of all but the best a bound."""
    values, ordered, done = dict(biases), list(biases), 0
    for deep in range(1, depth + 1):
        found: dict[Root, float] = {}
        best = -INFINITE
        try:
            for move in ordered:
                bias = biases[move]
                found[move] = search.value(*move, deep, best - bias) + bias
                best = max(best, found[move])
        except SpentError:
            least = min(found.values(), default=-INFINITE)  # what is left was worse a step before
            values = {move: found.get(move, min(least, values[move])) for move in ordered} if found else values
            break
        values, done = found, deep
        ordered.sort(key=lambda move: -values[move])
    return values, done
