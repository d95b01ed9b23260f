"""Kinds: what a piece may be during a search, what that is worth, and how kinds fight.

A kind is a side and a chance for each rank; an own piece has one rank, an enemy's several. A fight between kinds comes to its verdicts
with chances, and who survives it is of a narrower kind. All values are in scouts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from referee.rules import CombatResult, Rank, RuleSet
from referee.rules.ruleset import Gait

OWN, FOE = 0, 1
_OWN_FLAG, _FOE_FLAG = 200.0, 60.0
"""The own flag's loss is certain to end the game; of the enemy's only a chance is known, and it must not be paid for with everything."""
_STRONGEST, _POWER = 19.0, 6
_CONCEALED = 0.07
"""The share of a piece's worth that the enemy's not knowing it adds."""
_UNKNOWN = 0.12
"""How much an enemy piece is worth more for each scout's worth that its value may be off: so much is won by finding out."""


class Fight(NamedTuple):
    """How an attack between two kinds may end: chances of its verdicts, the survivors' kinds, what the attacker expects to gain."""

    win: float
    tie: float
    lose: float
    winner: int
    holder: int
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
        self._fights: dict[tuple[int, int], Fight] = {}
        for concealed in (0.0, _CONCEALED):
            for at, worth in enumerate(worths[OWN]):
                self._add([float(at == one) for one in range(len(self.ranks))], worth * (1 + concealed))

    def own(self, rank: Rank, concealed: bool) -> int:
        """Return the kind of an own piece."""
        return self.ranks.index(rank) + (len(self.ranks) if concealed else 0)

    def foe(self, chances: Sequence[float]) -> int:
        """Return a new kind of an enemy piece with these chances by rank."""
        worths = self._worths[FOE]
        mean = sum(chance * worth for chance, worth in zip(chances, worths, strict=True))
        off = sum(chance * abs(worth - mean) for chance, worth in zip(chances, worths, strict=True))
        return self._add(chances, mean + _UNKNOWN * min(off, mean))

    def _add(self, chances: Sequence[float], value: float) -> int:
        self._chances.append(chances)
        self.value.append(value)
        self.is_flag.append(self._flag >= 0 and chances[self._flag] > 0.95)
        return len(self.value) - 1

    def chance_of(self, kind: int, rank: Rank) -> float:
        """Return how likely a kind is a rank."""
        return self._chances[kind][self.ranks.index(rank)] if rank in self.ranks else 0.0

    def mobility(self, kind: int) -> float:
        """Return how likely a kind can move."""
        return sum(chance for chance, moves in zip(self._chances[kind], self.moves, strict=True) if moves)

    def fight(self, attacker: int, defender: int) -> Fight:
        """Return how an attack of one kind on another ends."""
        found = self._fights.get((attacker, defender))
        if found is None:
            found = self._fights[attacker, defender] = self._fight(attacker, defender)
        return found

    def _fight(self, attacker: int, defender: int) -> Fight:
        columns = range(len(self.ranks))
        winner, holder = [0.0 for _ in columns], [0.0 for _ in columns]
        win = tie = lose = 0.0
        for one, chance in enumerate(self._chances[attacker]):
            if not chance or not self.moves[one]:
                continue
            for other, share in enumerate(self._chances[defender]):
                both = chance * share
                verdict = self._verdicts[one][other]
                if verdict > 0:
                    win += both
                    winner[one] += both
                elif verdict == 0:
                    tie += both
                else:
                    lose += both
                    holder[other] += both
        winning = self._survivor(attacker, winner, win)
        holding = self._survivor(defender, holder, lose)
        value = self.value
        gain = value[defender] - lose * value[holding] - (1 - win - tie - lose) * value[defender]
        if attacker < self._own:
            gain += win * value[winning] - value[attacker]
        else:  # who knows its own rank attacks only to win
            gain = win * value[defender]
        return Fight(win, tie, lose, winning, holding, gain)

    def _survivor(self, kind: int, weights: Sequence[float], whole: float) -> int:
        if kind < self._own:
            return kind % len(self.ranks)
        return self.foe([weight / whole for weight in weights]) if whole else kind


def worths(rules: RuleSet, own: Mapping[Rank, float], foe: Mapping[Rank, float]) -> tuple[list[float], list[float]]:
    """Return the worth of each rank, own and enemy's, in the army's order; `own` and `foe` say how many of each are left."""
    mine, theirs = _worths(rules, own, foe, _OWN_FLAG), _worths(rules, foe, own, _FOE_FLAG)
    ranks = tuple(rules.army)
    totals = [
        sum(worth * left.get(rank, 0) for rank, worth in zip(ranks, each, strict=True) if rank is not Rank.FLAG)
        for each, left in ((mine, own), (theirs, foe))
    ]
    ahead = (totals[OWN] - totals[FOE]) / (max(totals) or 1)
    factor = 1 + 0.25 * ahead  # who is ahead gains by every exchange
    return mine, [worth * factor if rank is not Rank.FLAG else worth for rank, worth in zip(ranks, theirs, strict=True)]


def _worths(rules: RuleSet, mine: Mapping[Rank, float], theirs: Mapping[Rank, float], flag: float) -> list[float]:
    """Return the worth of a side's ranks: a fighter's grows with the share of the enemy's walkers that it beats."""
    walkers = {rank: left for rank, left in theirs.items() if rules.gait(rank) is not Gait.NONE and left > 0}
    whole = sum(walkers.values()) or 1
    found = []
    for rank in rules.army:
        beaten = sum(
            left * {CombatResult.ATTACKER_WINS: 1.0, CombatResult.BOTH_LOST: 0.5}.get(rules.combat(rank, other), 0.0)
            for other, left in walkers.items()
        )
        worth = 1 + (_STRONGEST - 1) * min(1.0, beaten / whole) ** _POWER
        match rank:
            case Rank.FLAG:
                worth = flag
            case Rank.BOMB:
                worth = 2.5
            case Rank.MINER if theirs.get(Rank.BOMB, 0) > 0:
                worth += 1 + 2 / max(1.0, mine.get(Rank.MINER, 0))
            case Rank.SPY if theirs.get(Rank.MARSHAL, 0) > 0.5:
                worth += 4
            case Rank.SCOUT | Rank.INFILTRATOR:
                worth += 0.3
        found.append(worth)
    return found
