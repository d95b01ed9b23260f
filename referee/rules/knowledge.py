"""What one game knows of ranks: for every piece the ranks that it may have, exact when an army has only so many of each.

Pieces with the same possible ranks form a group. A complete assignment sends every piece of every group to a rank that it
may have, no rank more often than the army has it. A rank is possible for a group if and only if some complete assignment
uses it: if the one that was found does, or if pieces can change places along a cycle of the residual network to get there
(flow through a tiny network). A piece, a rank and a seat are each an index here; a set of ranks is an integer of bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from referee.rules.actions import RUN
from referee.rules.outcomes import ContradictionError, Doubt, DoubtKind, PositionError
from referee.rules.ruleset import RuleTables
from referee.rules.values import PieceId, Seat

_NOBODY = -1
_RAN = 1 << RUN


def bits_of(mask: int) -> Iterable[int]:
    """Yield the places of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _Assignment:
    """How many pieces of each group (by mask) have each rank (by index), and how many of each rank are left."""

    def __init__(self, counts: Sequence[int]) -> None:
        self.left = list(counts)
        self.given: dict[int, list[int]] = {}

    def fill(self, groups: Counter[int]) -> bool:
        """Assign a rank to every piece; False where that cannot be done. Small groups choose first, the others shift."""
        for mask in sorted(groups, key=int.bit_count):
            given = self.given[mask] = [0] * len(self.left)
            pieces = groups[mask]
            for rank in bits_of(mask):
                taken = min(pieces, self.left[rank])
                given[rank] = taken
                self.left[rank] -= taken
                pieces -= taken
            if not all(self._push(mask) for _ in range(pieces)):
                return False
        return True

    def _push(self, mask: int) -> bool:
        """Assign a rank to one more piece of a group by pushing others aside along a shortest path."""
        came = dict.fromkeys(bits_of(mask), (mask, _NOBODY))  # rank -> who would take it, and what that group gives up
        frontier = list(came)
        for rank in frontier:
            if self.left[rank]:
                self._shift(rank, came)
                return True
            for group, given in self.given.items():
                if given[rank]:
                    for other in bits_of(group):
                        if other not in came:
                            came[other] = (group, rank)
                            frontier.append(other)
        return False

    def _shift(self, rank: int, came: dict[int, tuple[int, int]]) -> None:
        self.left[rank] -= 1
        while True:
            group, given_up = came[rank]
            self.given[group][rank] += 1
            if given_up == _NOBODY:
                return
            self.given[group][given_up] -= 1
            rank = given_up

    def reachable(self) -> list[int]:
        """Return for each rank the ranks that its holders could have instead, over any number of changes, as bits."""
        ranks = range(len(self.left))
        held = [0] * len(self.left)
        for mask, given in self.given.items():
            for rank in ranks:
                if given[rank]:
                    held[rank] |= mask
        in_use = sum(1 << rank for rank in ranks if held[rank])
        reach = [1 << rank | held[rank] | (in_use if self.left[rank] else 0) for rank in ranks]
        for over in ranks:
            for rank in ranks:
                if reach[rank] >> over & 1:
                    reach[rank] |= reach[over]
        return reach


def narrow(masks: Sequence[int], counts: Sequence[int]) -> list[int] | None:
    """Return for every piece of one army the ranks that some complete assignment allows it, None where there is none."""
    assignment = _Assignment(counts)
    groups = Counter(masks)
    if not assignment.fill(groups):
        return None
    reach = assignment.reachable()
    narrowed: dict[int, int] = {}
    for mask, given in assignment.given.items():
        mine = sum(1 << rank for rank, pieces in enumerate(given) if pieces)
        narrowed[mask] = sum(1 << rank for rank in bits_of(mask) if reach[rank] & mine)
    return [narrowed[mask] for mask in masks]


def feasible(masks: Sequence[int], counts: Sequence[int]) -> bool:
    """Return whether any complete assignment exists."""
    return _Assignment(counts).fill(Counter(masks))


class Knowledge:
    """Masks of possible ranks by piece. A piece's own evidence is kept apart from what the army's counts add to it."""

    __slots__ = ("_armies", "_evidence", "_ids", "_rules", "_seat_of", "_verdicts", "deeds", "possible")

    def __init__(
        self, rules: RuleTables, seats: Sequence[Seat], ids: Sequence[PieceId], given: Mapping[int, int]
    ) -> None:
        """`given` holds the one rank of each piece whose rank is told."""
        self._rules = rules
        self._ids = ids
        self._seat_of = [seats.index(piece.seat) for piece in ids]
        self.possible: list[int] = [given.get(piece, rules.army) for piece in range(len(ids))]
        """By piece the ranks that it may have."""
        self.deeds = bytearray(len(ids))
        """By piece what it did: 0 nothing, else a bit for each kind of move."""
        self._evidence: list[int] = self.possible.copy()
        self._verdicts: dict[int, int] = {}
        self._armies: list[range | None] = []
        """By seat its pieces, None where all their ranks are known: then nothing is left to be narrowed."""
        first = 0
        for number, seat in enumerate(seats):
            army = range(first, first + self._seat_of.count(number))
            first = army.stop
            is_known = all(piece in given for piece in army)
            self._armies.append(None if is_known else army)
            if not is_known:
                masks = narrow([self.possible[piece] for piece in army], rules.counts)
                if masks is None:
                    raise PositionError(f"{seat.value}: these pieces cannot come from one army")
                self.possible[army.start : army.stop] = masks

    def copy(self) -> Knowledge:
        """Return an independent copy."""
        other = Knowledge.__new__(Knowledge)
        other._rules, other._ids, other._seat_of, other._armies = self._rules, self._ids, self._seat_of, self._armies
        other.possible, other.deeds = self.possible.copy(), self.deeds[:]
        other._evidence, other._verdicts = self._evidence.copy(), self._verdicts.copy()
        return other

    def learn(self, wanted: Mapping[int, int], why: DoubtKind) -> dict[int, int]:
        """Narrow these pieces to the wanted ranks, and their armies by the counts; return the new masks of what changed.

        Raises `ContradictionError` with every doubt where no complete assignment is left; nothing has changed then.
        """
        changed = self._narrowed(wanted, why)
        for piece, mask in wanted.items():
            self._evidence[piece] &= mask
            if why is DoubtKind.VERDICT:
                self._verdicts[piece] = self._verdicts.get(piece, -1) & mask
        for piece, mask in changed.items():
            self.possible[piece] = mask
        return changed

    def _narrowed(self, wanted: Mapping[int, int], why: DoubtKind) -> dict[int, int]:
        doubts = [doubt for piece, mask in wanted.items() for doubt in self.doubts(piece, mask, why)]
        if doubts:
            raise ContradictionError(doubts)
        changed: dict[int, int] = {}
        for seat, army in enumerate(self._armies):
            mine = {piece: mask for piece, mask in wanted.items() if self._seat_of[piece] == seat}
            if army is None or all(self.possible[piece] & mask == self.possible[piece] for piece, mask in mine.items()):
                continue
            masks = narrow([self.possible[piece] & mine.get(piece, -1) for piece in army], self._rules.counts)
            if masks is None:
                raise ContradictionError([Doubt(self._ids[piece], DoubtKind.ARMY_COUNT) for piece in mine])
            changed |= {piece: mask for piece, mask in zip(army, masks, strict=True) if mask != self.possible[piece]}
        return changed

    def doubts(self, piece: int, mask: int, why: DoubtKind) -> list[Doubt]:
        """Return what speaks against a piece having one of these ranks, nothing where it can."""
        if self.possible[piece] & mask:
            return []
        rules, deeds = self._rules, self.deeds[piece]
        found = []
        if not mask & rules.army:
            found.append(DoubtKind.NOT_IN_ARMY)
        elif mask & self._evidence[piece]:
            found.append(DoubtKind.ARMY_COUNT)
        else:
            if deeds & _RAN and not mask & rules.runners:
                found.append(DoubtKind.RAN)
            elif deeds and not mask & rules.movers:
                found.append(DoubtKind.MOVED)
            if not mask & self._verdicts.get(piece, -1):
                found.append(DoubtKind.VERDICT)
        if not found:
            found.append(why if why is DoubtKind.VERDICT else DoubtKind.TOLD)
        return [Doubt(self._ids[piece], reason) for reason in found]

    def unless_moved(self, piece: int) -> int:
        """Return the ranks that never move which a piece could have, were it not for its moves: nothing else was told or seen of it."""
        rules, army = self._rules, self._armies[self._seat_of[piece]]
        went = rules.army & (rules.runners if self.deeds[piece] & _RAN else rules.movers)
        if army is None or self._evidence[piece] & went != went:
            return 0
        found = 0
        for rank in bits_of(rules.army & rules.no_movers):
            masks = [1 << rank if other == piece else self._evidence[other] for other in army]
            found |= feasible(masks, rules.counts) << rank
        return found

    def forget_moves(self, pieces: set[int]) -> None:
        """Take back all that is known of these pieces, of which only their moves told anything (`unless_moved`)."""
        for piece in pieces:
            self._evidence[piece], self.deeds[piece] = self._rules.army, 0
        for seat in {self._seat_of[piece] for piece in pieces}:
            army = self._armies[seat]
            assert army is not None
            masks = narrow([self._evidence[piece] for piece in army], self._rules.counts)
            assert masks is not None
            self.possible[army.start : army.stop] = masks

    def must_move(self, seat: int, pieces: set[int]) -> bool:
        """Return whether at least one of these pieces of a seat is surely one that moves."""
        still = self._rules.no_movers
        if any(not self.possible[piece] & still for piece in pieces):
            return True
        army = self._armies[seat]
        if army is None or not pieces:
            return False
        masks = [self.possible[piece] & (still if piece in pieces else -1) for piece in army]
        return not feasible(masks, self._rules.counts)
