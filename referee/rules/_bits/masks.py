"""A rule set in integers: ranks as bits, verdicts as a table, who follows whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.rules.outcomes import CombatResult
from referee.rules.values import Rank, Seat


class RuleTables:
    """Rank i is the i-th of the rule set; a set of ranks is the integer with those bits."""

    def __init__(
        self,
        *,
        ranks: tuple[Rank, ...],
        counts: tuple[int, ...],
        movers: frozenset[Rank],
        runners: frozenset[Rank],
        verdicts: Mapping[tuple[Rank, Rank], CombatResult],
        seats: tuple[Seat, ...],
        team_of: Sequence[int],
        two_square_limit: int,
        remembers: bool,
        situations: bool,
        straight_back: bool,
        quiet_limit: int,
        lost_at_once: bool,
        stuck_loses: bool,
        first_seat: int,
    ) -> None:
        self.ranks = ranks
        self.counts = counts
        self.bit: dict[Rank, int] = {rank: 1 << at for at, rank in enumerate(ranks)}
        self.all = (1 << len(ranks)) - 1
        self.army = self.mask(rank for rank, count in zip(ranks, counts, strict=True) if count)
        self.movers = self.mask(movers)
        self.runners = self.mask(runners)
        self.no_movers = self.all & ~self.movers
        self.no_runners = self.all & ~self.runners
        self.verdicts = verdicts
        self._sets: dict[int, frozenset[Rank]] = {}
        self.by_bits: dict[tuple[int, int], CombatResult] = {
            (self.bit[one], self.bit[other]): result for (one, other), result in verdicts.items()
        }
        self.seats = seats
        self.seat_index: dict[Seat, int] = {seat: at for at, seat in enumerate(seats)}
        self.team_of = list(team_of)
        self.teams = max(team_of) + 1
        self.two_square_limit = two_square_limit
        self.remembers = remembers
        """Whether positions are remembered at all, for either kind of repetition."""
        self.situations = situations
        """Whether any position of the game counts, not only those of a running chase."""
        self.straight_back = straight_back
        """Whether a piece may always go back to where it came from a turn ago."""
        self.soonest_repeat = 2 if situations else 4
        """So many positions there are before a move can recreate one: in a chase both have to come back, but a wrong
        guess of an infiltrator moves nothing, and the next move may undo the one before it."""
        self.quiet_limit = quiet_limit
        self.lost_at_once = lost_at_once
        self.stuck_loses = stuck_loses
        """Whether who cannot move loses even where the other one could not either."""
        self.first_seat = first_seat

    def mask(self, ranks: Iterable[Rank]) -> int:
        """Give the bits of some ranks."""
        mask = 0
        for rank in ranks:
            mask |= self.bit[rank]
        return mask

    def ranks_of(self, mask: int) -> frozenset[Rank]:
        """Give the ranks of some bits; each set is made once."""
        found = self._sets.get(mask)
        if found is None:
            found = self._sets[mask] = frozenset(rank for rank, bit in self.bit.items() if mask & bit)
        return found

    def verdicts_of(self, attackers: int, defenders: int) -> set[CombatResult]:
        """Give every verdict that these attackers and defenders can come to."""
        return {
            verdict
            for (attacker, defender), verdict in self.by_bits.items()
            if attacker & attackers and defender & defenders
        }

    def agreeing(self, attackers: int, defenders: int, result: CombatResult) -> tuple[int, int]:
        """Give the attackers and defenders, out of those given, that can have fought with this result."""
        one, other = 0, 0
        for (attacker, defender), verdict in self.by_bits.items():
            if verdict is result and attacker & attackers and defender & defenders:
                one |= attacker
                other |= defender
        return one, other
