"""Which ranks are possible for which piece when an army has only so many of each: exact, by flow through a tiny network.

Pieces with the same possible ranks form a group. A complete assignment sends every piece of every group to a rank that it
may have, no rank more often than the army has it. A rank is possible for a group if and only if some complete assignment
uses it: in a maximum flow, if the flow uses that edge, or if the edge lies on a cycle of the residual network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from referee.rules._bits.tables import bits_of

_SINK = -1


class _Network:
    """Groups (by mask) on one side, ranks (by index) on the other."""

    def __init__(self, groups: Counter[int], counts: Sequence[int]) -> None:
        self.groups = groups
        self.counts = counts
        self.flow: dict[int, list[int]] = {mask: [0] * len(counts) for mask in groups}
        self.used = [0] * len(counts)

    def fill(self) -> bool:
        """Place every piece; False where that cannot be done."""
        return all(self._place(mask) for mask, pieces in self.groups.items() for _ in range(pieces))

    def _place(self, mask: int) -> bool:
        """Place one more piece of a group, pushing others aside along a shortest path where needed."""
        came: dict[int, tuple[int, int]] = {}  # rank -> (group that would take it, rank that group would give up or -1)
        frontier = []
        for rank in bits_of(mask):
            came[rank] = (mask, _SINK)
            frontier.append(rank)
        for rank in frontier:
            if self.used[rank] < self.counts[rank]:
                self._shift(rank, came)
                return True
            for group, flow in self.flow.items():
                if flow[rank]:
                    for other in bits_of(group):
                        if other not in came:
                            came[other] = (group, rank)
                            frontier.append(other)
        return False

    def _shift(self, rank: int, came: dict[int, tuple[int, int]]) -> None:
        self.used[rank] += 1
        while True:
            group, given_up = came[rank]
            self.flow[group][rank] += 1
            if given_up == _SINK:
                return
            self.flow[group][given_up] -= 1
            rank = given_up

    def reaches(self, rank: int) -> set[int]:
        """Give the groups that the residual network reaches from a rank: they can change places along the way."""
        groups: set[int] = set()
        ranks, frontier = {rank}, [rank]
        for at in frontier:
            if at == _SINK:
                onward = {other for other, used in enumerate(self.used) if used}
            else:
                found = [mask for mask, flow in self.flow.items() if flow[at] and mask not in groups]
                groups.update(found)
                onward = {other for mask in found for other in bits_of(mask)}
                if self.used[at] < self.counts[at]:
                    onward.add(_SINK)
            frontier += onward - ranks
            ranks |= onward
        return groups


def narrow(masks: Sequence[int], counts: Sequence[int]) -> list[int] | None:
    """Give for every piece of one army the ranks that some complete assignment allows it, None where there is none."""
    groups = Counter(masks)
    network = _Network(groups, counts)
    if 0 in groups or not network.fill():
        return None
    narrowed = dict.fromkeys(groups, 0)
    for rank in range(len(counts)):
        reached: set[int] | None = None
        for mask in groups:
            if not mask >> rank & 1:
                continue
            if not network.flow[mask][rank]:
                reached = network.reaches(rank) if reached is None else reached
                if mask not in reached:
                    continue
            narrowed[mask] |= 1 << rank
    return [narrowed[mask] for mask in masks]


def feasible(masks: Sequence[int], counts: Sequence[int]) -> bool:
    """Say whether any complete assignment exists."""
    return 0 not in masks and _Network(Counter(masks), counts).fill()
