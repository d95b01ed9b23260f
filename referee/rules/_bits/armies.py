"""Which ranks are possible for which piece when an army has only so many of each: exact, by flow through a tiny network.

Pieces with the same possible ranks form a group. A complete assignment sends every piece of every group to a rank that it
may have, no rank more often than the army has it. A rank is possible for a group if and only if some complete assignment
uses it: if the one that was found does, or if pieces can change places along a cycle of the residual network to get there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from referee.rules._bits.tables import bits_of

_NOBODY = -1


class _Assignment:
    """How many pieces of each group (by mask) have each rank (by index), and how many of each rank are left."""

    def __init__(self, counts: Sequence[int]) -> None:
        self.left = list(counts)
        self.given: dict[int, list[int]] = {}

    def fill(self, groups: Counter[int]) -> bool:
        """Give every piece a rank; False where that cannot be done. Small groups choose first, the others shift."""
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
        """Give one more piece of a group a rank by pushing others aside along a shortest path."""
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
        """Give for each rank the ranks that its holders could have instead, over any number of changes, as bits."""
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
    """Give for every piece of one army the ranks that some complete assignment allows it, None where there is none."""
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
    """Say whether any complete assignment exists."""
    return _Assignment(counts).fill(Counter(masks))
