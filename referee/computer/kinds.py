"""Kinds: what a piece may be during a search, what that is worth, and how kinds fight.

A kind is a side and a chance for each rank; an own piece has one rank, an enemy's several. A fight between kinds comes to its verdicts
with chances, and who survives it is of a narrower kind. All values are in scouts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from operator import mul
from typing import NamedTuple

from referee.rules import CombatResult, Rank, RuleSet
from referee.rules.ruleset import Gait

OWN, FOE = 0, 1
_OWN_FLAG, _FOE_FLAG = 200.0, 25.0
"""The own flag's loss ends the game; of the enemy's only a chance is known, and cheap pieces can look for it as well as dear ones."""
_STRONGEST = 19.0
_CONCEALED = 0.12
"""The share of a piece's worth that the enemy's not knowing it adds."""
_FOUND_OUT = 0.12
"""How much an enemy piece is worth more for each scout's worth that its value may be off: so much is won by finding out."""


RISK = 0.25
"""How much dearer a piece is that is lost to a rank that was not known."""
_UNAWARE = 0.7
"""How often the enemy attacks a piece that it does not know and would beat."""


class Fight(NamedTuple):
    """How an attack between two kinds may end: the chances of its verdicts, and what the attacker expects to gain."""

    win: float
    tie: float
    lose: float
    gain: float


class Kinds:
    """All kinds of one search. `ranks` is the army's order; own kinds come first: by rank, known to the enemy, then by rank, not known."""

    def __init__(self, rules: RuleSet, worths: Sequence[Sequence[float]]) -> None:
        """`worths` are the worths of each rank, own and enemy's."""
        self.ranks = tuple(rules.army)
        self._worths = worths
        self.moves = [rules.gait(rank) is not Gait.NONE for rank in self.ranks]
        verdict = {CombatResult.BOTH_LOST: 0, CombatResult.DEFENDER_WINS: -1}
        self._verdicts = [[verdict.get(rules.combat(one, other), 1) for other in self.ranks] for one in self.ranks]
        self._flag = self.ranks.index(Rank.FLAG) if Rank.FLAG in self.ranks else -1
        self._chances: list[Sequence[float]] = []
        self._own = 2 * len(self.ranks)
        self.flag_worth = worths[FOE][self._flag] if self._flag >= 0 else 0.0
        self.value: list[float] = []
        self.is_flag: list[bool] = []
        self._doubt: list[float] = []
        """By kind by how much its worth may be off; 0 of a known one."""
        self._met = [
            [(other, verdict) for other, verdict in enumerate(row) if verdict >= 0] if moves else []
            for row, moves in zip(self._verdicts, self.moves, strict=True)
        ]
        """By attacking rank those that it beats or takes with it."""
        self._fights: dict[tuple[int, int], Fight] = {}
        self._survivors: dict[tuple[int, int], tuple[int, int]] = {}
        for concealed in (0.0, _CONCEALED):
            for at, worth in enumerate(worths[OWN]):
                self._add([float(at == one) for one in range(len(self.ranks))], worth * (1 + concealed))

    def own(self, rank: Rank, concealed: bool) -> int:
        """Return the kind of an own piece."""
        return self.ranks.index(rank) + (len(self.ranks) if concealed else 0)

    def foe(self, chances: Sequence[float]) -> int:
        """Return a new kind of an enemy piece with these chances by rank."""
        worths = self._worths[FOE]
        mean = fsum(map(mul, chances, worths))
        off = fsum(map(mul, chances, [abs(worth - mean) for worth in worths]))
        return self._add(chances, mean, min(off, mean))

    def _add(self, chances: Sequence[float], worth: float, doubt: float = 0.0) -> int:
        self._chances.append(chances)
        self._doubt.append(doubt)
        self.value.append(worth + _FOUND_OUT * doubt)
        self.is_flag.append(self._flag >= 0 and chances[self._flag] > 0.95)
        return len(self.value) - 1

    def chance_of(self, kind: int, rank: Rank) -> float:
        """Return how likely a kind is a rank."""
        return self._chances[kind][self.ranks.index(rank)] if rank in self.ranks else 0.0

    def mobility(self, kind: int) -> float:
        """Return how likely a kind can move."""
        return fsum(map(mul, self._chances[kind], self.moves))

    def fight(self, attacker: int, defender: int) -> Fight:
        """Return how an attack of one kind on another ends; one of them is the own side's, so that it has one rank."""
        found = self._fights.get((attacker, defender))
        if found is None:
            fight = self._attack if attacker < self._own else self._defend
            found = self._fights[attacker, defender] = fight(attacker, defender)
        return found

    def _attack(self, attacker: int, defender: int) -> Fight:
        """Return how an own attack ends: whom it meets is not known."""
        shares, worths = self._chances[defender], self._worths[FOE]
        win = tie = gain = 0.0
        for other, verdict in self._met[attacker % len(self.ranks)]:
            share = shares[other]
            if verdict > 0:
                win += share
            else:
                tie += share
            gain += share * worths[other]
        lose = max(0.0, 1 - win - tie)
        found_out = self._doubt[defender] * _FOUND_OUT
        shown = win * (self.value[attacker] - self.value[attacker % len(self.ranks)])
        return Fight(
            win, tie, lose, gain + found_out - (tie + lose * (1 + RISK * (lose < 1))) * self.value[attacker] - shown
        )

    def _defend(self, attacker: int, defender: int) -> Fight:
        """Return how an enemy's attack ends: it knows its own rank and attacks only to win."""
        win = tie = 0.0
        row = defender % len(self.ranks)
        for one, share in enumerate(self._chances[attacker]):
            if share and self.moves[one]:
                verdict = self._verdicts[one][row]
                if verdict > 0:
                    win += share
                elif verdict == 0:
                    tie += share
        if defender >= len(self.ranks):
            win, tie = win * _UNAWARE, tie * _UNAWARE
        return Fight(win, tie, max(0.0, 1 - win - tie), win * self.value[defender])

    def survivors(self, attacker: int, defender: int) -> tuple[int, int]:
        """Return the kinds of an attacker that has won and of a defender that has."""
        found = self._survivors.get((attacker, defender))
        if found is None:
            won, held = [0.0 for _ in self.ranks], [0.0 for _ in self.ranks]
            for one, chance in enumerate(self._chances[attacker]):
                for other, share in enumerate(self._chances[defender]):
                    if self.moves[one] and self._verdicts[one][other] > 0:
                        won[one] += chance * share
                    elif self.moves[one] and self._verdicts[one][other] < 0:
                        held[other] += chance * share
            found = self._survivors[attacker, defender] = self._survivor(attacker, won), self._survivor(defender, held)
        return found

    def _survivor(self, kind: int, weights: Sequence[float]) -> int:
        whole = fsum(weights)
        if kind < self._own:
            return kind % len(self.ranks)
        return self.foe([weight / whole for weight in weights]) if whole else kind


def worths(rules: RuleSet, own: Mapping[Rank, float], foe: Mapping[Rank, float]) -> tuple[list[float], list[float]]:
    """Return the worth of each rank, own and enemy's, in the army's order; `own` and `foe` say how many of each are left."""
    mine, theirs = _worths(rules, own, foe, _OWN_FLAG), _worths(rules, foe, own, _FOE_FLAG)
    ranks = tuple(rules.army)
    totals = [
        fsum(worth * left.get(rank, 0) for rank, worth in zip(ranks, each, strict=True) if rank is not Rank.FLAG)
        for each, left in ((mine, own), (theirs, foe))
    ]
    ahead = (totals[OWN] - totals[FOE]) / (max(totals) or 1)
    factor = 1 + 0.25 * ahead  # who is ahead gains by every exchange
    return mine, [worth * factor if rank is not Rank.FLAG else worth for rank, worth in zip(ranks, theirs, strict=True)]


def _worths(rules: RuleSet, mine: Mapping[Rank, float], theirs: Mapping[Rank, float], flag: float) -> list[float]:
    """Return the worth of a side's ranks: a fighter's grows with the share of the enemy's walkers that it beats."""
    walkers = {rank: left for rank, left in theirs.items() if rules.gait(rank) is not Gait.NONE and left > 0}
    whole = fsum(walkers.values()) or 1
    found = []
    for rank in rules.army:
        beaten = fsum(
            left * {CombatResult.ATTACKER_WINS: 1.0, CombatResult.BOTH_LOST: 0.5}.get(rules.combat(rank, other), 0.0)
            for other, left in walkers.items()
        )
        share = min(1.0, beaten / whole)
        cube = share * share * share
        worth = 1 + (_STRONGEST - 1) * cube * cube
        match rank:
            case Rank.FLAG:
                worth = flag
            case Rank.BOMB:
                worth = 2.5
            case Rank.MINER if theirs.get(Rank.BOMB, 0) > 0:
                worth += 1 + 4 / max(1.0, mine.get(Rank.MINER, 0))
            case Rank.SPY if theirs.get(Rank.MARSHAL, 0) > 0.5:
                worth += 4
            case Rank.SCOUT | Rank.INFILTRATOR:
                worth += 0.3
        found.append(worth)
    return found
