"""The search: both sides' moves tried in turns, fights weighed by their chances, at its end the best capture counted.

Its position is arrays and bits, changed and changed back by every move. A node is scored for the side to move: its pieces' values and
places minus the other side's. The enemy is taken to know its own ranks: it attacks where it wins, and otherwise does something else.
Alpha-beta (Knuth and Moore, 1975), deepened step by step until its budget of nodes is spent; a fight with several outcomes is the mean of
their searches (expectimax: Michie, 1966). What saves most of the work: a move is first asked only whether it is better than the best so far
(principal variation search: Marsland and Campbell, 1982), late moves less deep; a side that is well off even if it passes is not searched
on (null move: Donninger, 1993); and positions that other orders of moves lead to are looked up.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import fsum
from operator import or_

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
_WORTHWHILE = 0.1
"""Captures that gain less are not followed."""
_NEVER = -INFINITE
_AT_ONCE = 20
"""More than any depth: a game that is won now is not searched on."""
_STEP = 1e-3
"""The width of a search that asks only whether a move is better than this."""
_PASS = 2
"""By how much less deep passing is searched."""
_EARLY = 4
"""So many moves are searched fully; the others one less deep, as long as they do not look better than the best."""
_SPAN = 8.0
"""By how much more at most a fight's other outcomes are taken to turn out than they look like at once."""

Try = tuple[float, int, int, int]
"""A move to be tried: how early, the piece, source and target."""


Known = tuple[int, float, float, Try | None]
"""What a search so deep found: a position is worth at least and at most this, and the best move; both less the score before."""

Root = tuple[int, int]
"""An own move: the piece and its target."""


class SpentError(Exception):
    """The budget of nodes is spent; the search that raises it is left in the middle of a line and is of no more use."""


@dataclass(slots=True)
class SearchPosition:
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
    """One search. `limit` is its budget of nodes, `quiet` what counts at its leaves: 1 the best capture, 2 less what takes it back."""

    def __init__(self, field: SearchPosition, limit: int, quiet: int) -> None:
        self.field, self.nodes, self._limit, self._quiet_depth = field, 0, limit, quiet
        self.where, self.kind = array("h", field.where), array("h", field.kind)
        board = field.board
        self.at = [EMPTY] * len(board.squares)
        masks = [0, 0]
        for piece, square in enumerate(field.where):
            if square != EMPTY:
                self.at[square] = piece
                masks[field.sides[piece]] |= 1 << square
        self._masks = masks
        self._near = board.near
        self._near_mask = [reduce(or_, (1 << other for other in row), 0) for row in board.near]
        self._killers: tuple[dict[int, Try], dict[int, Try]] = ({}, {})
        """By side and depth the move without attack that was too good last."""
        self._known: tuple[dict[bytes, Known], dict[bytes, Known]] = ({}, {})
        """By the side to move and where all pieces stand and what they may be, what a search of that found."""
        self._steps: list[dict[tuple[int, int], list[Try]]] = [{} for _ in field.where]
        """By piece its moves, by its square and its free neighbours."""
        values, pull = field.kinds.value, field.pull
        self._stride = [
            max((self._longest(pull[piece]) for piece in field.movers[side]), default=0.0) for side in (OWN, FOE)
        ]
        """By side the most that a move without attack gains at once."""
        self.score = fsum(
            (1 if field.sides[piece] == OWN else -1) * (values[field.kind[piece]] + pull[piece][square])
            for piece, square in enumerate(field.where)
            if square != EMPTY
        )

    def _longest(self, pull: Sequence[float]) -> float:
        near = self._near
        return max((abs(worth - pull[to]) for at, worth in enumerate(pull) if worth for to in near[at]), default=0.0)

    def value(self, piece: int, target: int, depth: int, alpha: float = -INFINITE, beta: float = INFINITE) -> float:
        """Return what an own move is worth, searched so deep: exact between the bounds, else at most or at least that.

        Raises `SpentError`.
        """
        source = self.where[piece]
        if self.at[target] != EMPTY:
            return self._attack(piece, source, target, depth - 1, alpha, beta, OWN, self.score)
        return self._go(piece, source, target, depth - 1, alpha, beta, OWN, self.score)

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
        field, victim = self.field, self.at[target]
        values, kind, pull, kinds = field.kinds.value, self.kind, field.pull, field.kinds
        mine, theirs = kind[piece], kind[victim]
        win, tie, lose, _ = kinds.fight(mine, theirs)
        winner, holder = kinds.survivors(mine, theirs)
        if win > _SURE or tie > _SURE or (lose > _SURE and side == OWN):
            win, tie, lose = float(win > _SURE), float(tie > _SURE), float(lose > _SURE)
        left = 1.0 - win - tie if side == FOE else 1.0 - win - tie - lose
        total = left * score if left > _UNLIKELY else 0.0
        gone, taken = values[mine] + pull[piece][source], values[theirs] + pull[victim][target]
        risk = RISK * values[mine] if lose < 1 else 0.0
        after = (
            score + taken - gone + values[winner] + pull[piece][target],
            score + taken - gone,
            score + values[theirs] - gone - risk - values[holder],
        )
        shares = [share if share > _UNLIKELY else 0.0 for share in (win, tie, lose if side == OWN else 0.0)]
        others = shares[0] * after[0] + shares[1] * after[1] + shares[2] * after[2]
        unsearched = shares[0] + shares[1] + shares[2]
        for verdict, share in enumerate(shares):
            if not share:
                continue
            unsearched -= share
            others -= share * after[verdict]
            if unsearched < _UNLIKELY:
                least, most = (alpha - total) / share, (beta - total) / share
            else:
                span = _SPAN * unsearched
                least, most = (alpha - total - others - span) / share, (beta - total - others + span) / share
            if verdict == 0 and kinds.is_flag[theirs]:
                value = WON + depth  # the game is over; sooner is better
            else:
                value = self._outcome(verdict, piece, source, target, winner, holder, depth, least, most, side, after)
            total += share * (max(value, score) if verdict == 1 and side == FOE else value)
            if value <= least and unsearched > _UNLIKELY:
                return total + others + span
        return total

    def _outcome(
        self,
        verdict: int,
        piece: int,
        source: int,
        target: int,
        winner: int,
        holder: int,
        depth: int,
        alpha: float,
        beta: float,
        side: int,
        after: Sequence[float],
    ) -> float:
        """Return what a fight is worth to the attacker with this verdict: won (0), tied (1) or lost (2)."""
        kind, pull, victim, foe = self.kind, self.field.pull[piece], self.at[target], 1 - side
        mine, theirs = kind[piece], kind[victim]
        if verdict < 2:
            self._lift(victim, target, foe)
        if verdict == 0:
            kind[piece] = winner
            value = self._go(piece, source, target, depth, alpha, beta, side, after[0] - pull[target] + pull[source])
        else:
            self._lift(piece, source, side)
            if verdict == 2:
                kind[victim] = holder
            value = -self._search(depth, -beta, -alpha, foe, -after[verdict])
            self._set(piece, source, side)
        kind[piece], kind[victim] = mine, theirs
        if verdict < 2:
            self._set(victim, target, foe)
        return value

    # ---- nodes

    def _search(
        self, depth: int, alpha: float, beta: float, side: int, score: float, has_passed: bool = False
    ) -> float:
        """Return what a position is worth to the side to move, within these bounds."""
        self.nodes += 1
        if self.nodes > self._limit:
            raise SpentError
        if depth <= 0:
            return self._quiet(beta, side, score)
        if depth == 1:
            return self._last(alpha, beta, side, score)
        if score >= beta and not has_passed:
            value = -self._search(max(0, depth - 1 - _PASS), -beta, _STEP - beta, 1 - side, -score, True)
            if value >= beta:
                return value
        hint, least = self._killers[side].get(depth), alpha
        key = self.where.tobytes() + self.kind.tobytes()
        known = self._known[side].get(key)
        if known is not None:
            deep, low, high, hint = known
            if deep >= depth and (low + score >= beta or high + score <= alpha or low == high):
                return (low if low + score >= beta or low == high else high) + score
        best, move = self._best(depth, alpha, beta, side, score, hint)
        found = best - score
        low, high = (found if best > least else -INFINITE), (found if best < beta else INFINITE)
        self._known[side][key] = depth, low, high, move
        return best

    def _best(
        self, depth: int, alpha: float, beta: float, side: int, score: float, hint: Try | None
    ) -> tuple[float, Try | None]:
        """Return what the best move is worth, within these bounds, and that move."""
        at, best, found = self.at, _NEVER, None
        for tried, move in enumerate(self._tries(side, hint)):
            alpha = max(alpha, best)
            _, piece, source, target = move
            if tried and move == hint:
                continue
            is_attack = at[target] != EMPTY
            play = self._attack if is_attack else self._go
            less = 0 if tried < _EARLY else 1
            value = play(piece, source, target, depth - 1 - less, alpha, alpha + _STEP if tried else beta, side, score)
            if value > alpha and (less or (tried and value < beta)):
                value = play(piece, source, target, depth - 1, alpha, beta, side, score)
            if value > best:
                best, found = value, move
                if best >= beta:
                    if not is_attack:
                        self._killers[side][depth] = move
                    break
        return (best, found) if best > _NEVER else (score - STUCK, None)

    def _last(self, alpha: float, beta: float, side: int, score: float) -> float:
        """Return what a position is worth, within these bounds, after one more move and the best capture that answers it."""
        threats = self._captures(1 - side)
        reply = threats[0][0] if threats else 0.0
        if score - reply >= beta:
            return score - reply  # it need not even move
        at, near, near_mask, kind, mine = self.at, self._near, self._near_mask, self.kind, self._masks[side]
        theirs, is_flag, fight = self._masks[1 - side], self.field.kinds.is_flag, self.field.kinds.fight
        best = score + self._stride[side]
        dull = best <= alpha
        if not dull:
            best = _NEVER
        for gain, piece, source, target in self._tries(side, None, dull):
            victim, reply = at[target], 0.0
            if victim == EMPTY:
                value = score + gain
            elif is_flag[kind[victim]]:
                return WON
            else:
                value = score + self._gain(kind[piece], kind[victim], target, theirs)
            if value > alpha and value > best:
                for taken, whom, by in threats:
                    if whom != piece and by != victim:
                        reply = taken
                        break
                if victim == EMPTY and near_mask[target] & theirs and self._quiet_depth:
                    for one in near[target]:
                        if theirs >> one & 1 and fight(kind[at[one]], kind[piece])[3] > reply:
                            reply = max(reply, self._gain(kind[at[one]], kind[piece], target, mine ^ 1 << source))
                value -= reply
            if value > best:
                best = value
                if best >= beta:
                    break
        return best if best > _NEVER else score - STUCK

    def _gain(self, attacker: int, victim: int, target: int, guards: int) -> float:
        """Return what an attack of one kind on another gains once the attacker was taken by the best of the guards beside it."""
        win, _, _, gain = self.field.kinds.fight(attacker, victim)
        if gain > _WORTHWHILE and self._quiet_depth > 1 and self._near_mask[target] & guards:
            winner = self.field.kinds.survivors(attacker, victim)[0]
            at, kind, fight = self.at, self.kind, self.field.kinds.fight
            back = [fight(kind[at[one]], winner)[3] for one in self._near[target] if guards >> one & 1]
            gain -= win * max(0.0, *back)
        return gain

    def _tries(self, side: int, hint: Try | None, dull: bool = False) -> list[Try]:
        """Return the moves of a side, best first: the hint, attacks by what they gain, then, unless `dull`, moves by where they lead."""
        field, at, near, near_mask = self.field, self.at, self._near, self._near_mask
        where, kind, pull, fight, steps = self.where, self.kind, field.pull, field.kinds.fight, self._steps
        mine, theirs = self._masks[side], self._masks[1 - side]
        found: list[Try] = []
        for piece in field.movers[side]:
            source = where[piece]
            if source == EMPTY:
                continue
            room = near_mask[source] & ~mine
            if not room:
                continue
            if room & theirs:
                for target in near[source]:
                    if theirs >> target & 1:
                        gain = fight(kind[piece], kind[at[target]])[3]
                        if gain > 0 or side == OWN:
                            found.append((_FIGHTS_FIRST + gain if gain > 0 else gain, piece, source, target))
                room &= ~theirs
            if dull:
                continue
            moves = steps[piece].get((source, room))
            if moves is None:
                here = pull[piece]
                moves = [(here[to] - here[source], piece, source, to) for to in near[source] if room >> to & 1]
                steps[piece][source, room] = moves
            found += moves
        for piece in field.runners[side]:
            if where[piece] != EMPTY:
                found += self._strikes(piece, where[piece], theirs)
        found.sort(reverse=True)
        if hint is not None and where[hint[1]] == hint[2] and not mine >> hint[3] & 1:
            found.insert(0, hint)
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

    def _quiet(self, beta: float, side: int, score: float) -> float:
        """Return what a position is worth once the best capture was made."""
        if score < beta and (captures := self._captures(side)):
            return score + captures[0][0]
        return score

    def _captures(self, side: int) -> list[tuple[float, int, int]]:
        """Return the captures of a side that gain something, the best first: what they gain, whom they take and by whom."""
        found: list[tuple[float, int, int]] = []
        if not self._quiet_depth:
            return found
        field, at, near, near_mask = self.field, self.at, self._near, self._near_mask
        where, kind, fight, theirs = self.where, self.kind, field.kinds.fight, self._masks[1 - side]
        for piece in field.movers[side]:
            source = where[piece]
            if source == EMPTY or not near_mask[source] & theirs:
                continue
            for target in near[source]:
                if theirs >> target & 1:
                    victim = at[target]
                    if fight(kind[piece], kind[victim])[3] > _WORTHWHILE:
                        gain = self._gain(kind[piece], kind[victim], target, theirs)
                        if gain > _WORTHWHILE:
                            found.append((gain, victim, piece))
        found.sort(reverse=True)
        return found


def deepened(search: Search, biases: Mapping[Root, float], depth: int) -> tuple[dict[Root, float], int]:
    """Return each own move's value with its bias, searched as deep as the budget allows, and that depth; of all but the best a bound."""
    values, ordered, done = dict(biases), list(biases), 0
    for deep in range(1, depth + 1):
        found: dict[Root, float] = {}
        best = -INFINITE
        try:
            for move in ordered:
                bias = biases[move]
                least = best - bias
                value = search.value(*move, deep, least, least + _STEP) if found else INFINITE
                found[move] = (search.value(*move, deep, least) if value > least else value) + bias
                best = max(best, found[move])
        except SpentError:
            least = min(found.values(), default=-INFINITE)  # what is left was worse a step before
            values = {move: found.get(move, min(least, values[move])) for move in ordered} if found else values
            break
        values, done = found, deep
        ordered.sort(key=lambda move: -values[move])
    return values, done
