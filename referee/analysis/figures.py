"""The figures of a recorded game, each as docs/reference/analysis.md defines it; their names are those of its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2

from referee.analysis.counting import Chance
from referee.analysis.knowledge import HiddenArmy, ObservedPly, followed
from referee.journal.records.model import Decision, GiveUp, Record, View
from referee.journal.records.views import ATTACKER_GOES, DEFENDER_GOES, Follower, Pair, Start, plies_as_told
from referee.rules import CombatResult, Decided, Fire, Gait, Move, Rank, RulesError, RuleSet, Seat, Square

PUBLIC = "public"
_MOST_TURNING_POINTS = 5
_RUNS = frozenset({Gait.RUN, Gait.RUN_AND_TURN})
_WINS = frozenset({CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN})


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces of which the same is known, and how likely they have each rank that they could be."""

    pieces: Sequence[str]
    chances: Mapping[Rank, float] | None


@dataclass(frozen=True, slots=True)
class ArmyKnowledge:
    """What was known of an army from ply `ply` on, until the next one of this army."""

    ply: int
    army: Seat
    bits: float | None
    error: Mapping[str, float] | None
    groups: Sequence[Group]


@dataclass(frozen=True, slots=True)
class Observer:
    """What one observer knew; nothing from ply `unknown_from` on, for the reason `why`."""

    knows: Sequence[ArmyKnowledge]
    unknown_from: int | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A large loss; `kind` is `secret` (in bits) or `material` (in worth)."""

    ply: int
    seat: Seat
    kind: str
    loss: float


@dataclass(frozen=True, slots=True)
class Bluff:
    """A weaker piece that stepped beside a stronger one, and whether that one attacked it at once."""

    ply: int
    seat: Seat
    piece: str
    against: str
    called: bool


@dataclass(frozen=True, slots=True)
class TookMost:
    """The piece that captured most."""

    piece: str
    seat: Seat
    rank: Rank | None
    took: int


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A scout, and how many plies it waited."""

    piece: str
    plies: int


@dataclass(frozen=True, slots=True)
class Figures:
    """All of them."""

    plies: int
    analysed: int
    armies: Mapping[Seat, Mapping[str, Rank | None]]
    observers: Mapping[str, Observer]
    turning_points: Sequence[TurningPoint]
    bluffs: Sequence[Bluff] | None
    took_most: TookMost | None
    unmoved_scouts: Mapping[Seat, Unmoved | None]


def figures(record: Record, rules: RuleSet, legal_plies: int) -> Figures:
    """Return the figures of a record by these rules, of its first plies, which have to be legal and to have their verdicts.

    Raises `RecordError` where a ply's pieces cannot be followed.
    """
    if not record.set_ups:
        return Figures(0, 0, {}, {}, (), None, None, {})
    return _Analysis(replace(record, plies=record.plies[:legal_plies]), rules).figures(len(record.plies))


class _Analysis:
    """One game while its figures are computed: who met whom, where everybody stood, and what every observer knew."""

    def __init__(self, record: Record, rules: RuleSet) -> None:
        self.record, self.rules = record, rules
        self.plies = record.plies
        follower = Follower(record.set_ups)
        self.pairs: list[Pair] = []
        self.standing: list[dict[Square, Start]] = []
        """After each ply, from the first on."""
        for _, pair in follower.follow(record):
            self.pairs.append(pair)
            self.standing.append(dict(follower.standing))
        self.rank_of: Mapping[Start, Rank] = follower.rank_of
        self.known: dict[str, list[dict[Seat, HiddenArmy]]] = {}
        """By observer what it knew of each army before the first ply and after each, as far as that can be known."""
        self.why: dict[str, str] = {}
        for view in [*(View(seat.value) for seat in record.seats), View.PUBLIC]:
            self._follow(view)

    def _follow(self, view: View) -> None:
        """Play the game again as one observer was told it, as far as the record holds that."""
        found = self.known[view.value] = []
        if self.record.any_army:
            self.why[view.value] = "any-army"
            return
        occupants = {square: seat for seat, set_up in self.record.set_ups.items() for square in set_up}
        try:
            for known in followed(self.rules, occupants, self._seen(view), view.seat, _decided(self.record.before)):
                found.append(known)
        except RulesError:
            self.why[view.value] = "contradicted"
        else:
            if len(found) <= len(self.plies):
                self.why[view.value] = "not-in-this-view"

    def _seen(self, view: View) -> Iterator[ObservedPly]:
        """Yield the plies as an observer saw them, up to the first of which the record does not hold all that it was told."""
        for ply, whole in plies_as_told(self.record, view):
            if not whole:
                return
            action, told = ply.action, dict[Square, Rank]()
            if isinstance(action, Move | Fire):
                for square, rank in ((action.source, ply.attacker), (action.target, ply.defender)):
                    if rank is not None:
                        told[square] = rank
            yield ObservedPly(action, ply.result, told, _decided(ply.decisions))

    def figures(self, plies: int) -> Figures:
        """Return all figures; `plies` is how many the whole record has."""
        armies = {
            seat: {square.name: self.rank_of.get((seat, square)) for square in set_up}
            for seat, set_up in self.record.set_ups.items()
        }
        return Figures(
            plies=plies,
            analysed=len(self.plies),
            armies=armies,
            observers={name: self._observer(name) for name in self.known},
            turning_points=[*self._largest("secret", self._secrets()), *self._largest("material", self._material())],
            bluffs=list(self._bluffs()) if self.rank_of else None,
            took_most=self._took_most(),
            unmoved_scouts={seat: self._unmoved(seat) for seat in self.record.seats},
        )

    # ---- what was known

    def _observer(self, name: str) -> Observer:
        knows, before = [], dict[Seat, HiddenArmy]()
        for ply, known in enumerate(self.known[name]):
            knows += [_known(ply, seat, army) for seat, army in known.items() if before.get(seat) is not army]
            before = known
        why = self.why.get(name)
        return Observer(knows, None if why is None else len(self.known[name]), why)

    def _could(self, observer: Seat, ply: int, piece: Start) -> frozenset[Rank]:
        """Return what an observer knew that a piece could be after a ply, nothing where it has no figures then."""
        known = self.known[observer.value]
        return known[ply][piece[0]].could[piece[1]] if ply < len(known) else frozenset()

    # ---- turning points

    def _largest(self, kind: str, losses: Sequence[tuple[int, Seat, float]]) -> list[TurningPoint]:
        order = self.rules.seats.index
        ranked = sorted(losses, key=lambda one: (-one[2], one[0], order(one[1])))
        return [TurningPoint(ply, seat, kind, loss) for ply, seat, loss in ranked[:_MOST_TURNING_POINTS]]

    def _secrets(self) -> list[tuple[int, Seat, float]]:
        """Return what each ply cost a seat of its secret, the most among the other seats; by `public` where those have no figures."""
        found = []
        for ply in range(1, len(self.plies) + 1):
            for seat in self.record.seats:
                others = [self._drop(other.value, ply, seat) for other in self.record.seats if other is not seat]
                drops = [drop for drop in others if drop is not None] or [self._drop(PUBLIC, ply, seat) or 0.0]
                if max(drops) > 0:
                    found.append((ply, seat, round(max(drops), 4)))
        return found

    def _drop(self, name: str, ply: int, seat: Seat) -> float | None:
        known = self.known[name]
        if ply >= len(known):
            return None
        before, after = known[ply - 1][seat], known[ply][seat]
        if before is after:
            return 0.0
        return log2(before.ways) - log2(after.ways) if before.ways and after.ways else None

    def _material(self) -> list[tuple[int, Seat, float]]:
        """Return what each ply cost a seat in worth."""
        worths = {rank: worth(self.rules, rank) for rank in self.rules.ranks}
        lost = Counter[tuple[int, Seat]]()
        for number, (ply, pair) in enumerate(zip(self.plies, self.pairs, strict=True), start=1):
            for piece, goes in zip(pair, (ATTACKER_GOES, DEFENDER_GOES), strict=True):
                if piece is not None and ply.result in goes and piece in self.rank_of:
                    lost[number, piece[0]] += worths[self.rank_of[piece]]
        return [(ply, seat, loss) for (ply, seat), loss in lost.items() if loss]

    # ---- bluffs

    def _bluffs(self) -> Iterator[Bluff]:
        near = self.rules.board.neighbours
        for at, (ply, (piece, met)) in enumerate(zip(self.plies, self.pairs, strict=True)):
            if not isinstance(ply.action, Move) or met is not None or piece not in self.rank_of or piece is None:
                continue
            for square in near(ply.action.target):
                other = self.standing[at].get(square)
                new = square not in near(ply.action.source) and other is not None
                if new and other is not None and self._is_bluff(at + 1, piece, other):
                    called = self._attacks_next(at, other, piece)
                    yield Bluff(at + 1, ply.seat, piece[1].name, other[1].name, called)

    def _is_bluff(self, ply: int, piece: Start, other: Start) -> bool:
        if other[0] in self.rules.partners(piece[0]):
            return False
        mine, sure = self.rank_of[piece], self._could(piece[0], ply, other)
        if len(sure) != 1:
            return False
        (theirs,) = sure
        danger = _verdict(self.rules, theirs, mine) is CombatResult.ATTACKER_WINS
        feared = any(_verdict(self.rules, rank, theirs) in _WINS for rank in self._could(other[0], ply, piece))
        return danger and feared and _verdict(self.rules, mine, theirs) not in _WINS

    def _attacks_next(self, at: int, attacker: Start, target: Start) -> bool:
        """Return whether a piece attacks another in its owner's next turn after a ply."""
        turns = (
            pair
            for ply, pair in zip(self.plies[at + 1 :], self.pairs[at + 1 :], strict=True)
            if ply.seat is attacker[0]
        )
        return next(turns, None) == (attacker, target)

    # ---- single pieces

    def _took_most(self) -> TookMost | None:
        took, best = Counter[Start](), None
        for ply, (attacker, defender) in zip(self.plies, self.pairs, strict=True):
            lost = (ply.result in ATTACKER_GOES, ply.result in DEFENDER_GOES)
            winner = {(False, True): attacker, (True, False): defender}.get(lost)
            if winner is not None:
                took[winner] += 1
                if best is None or took[winner] > took[best]:
                    best = winner
        return None if best is None else TookMost(best[1].name, best[0], self.rank_of.get(best), took[best])

    def _unmoved(self, seat: Seat) -> Unmoved | None:
        """Return the scout of a seat that waited longest."""
        starts = [(seat, square) for square in self.rules.board.squares if square in self.record.set_ups[seat]]
        if not all(start in self.rank_of for start in starts):
            return None
        plies = {start: len(self.plies) for start in starts if self.rules.gait(self.rank_of[start]) in _RUNS}
        for at, (ply, (actor, met)) in reversed(list(enumerate(zip(self.plies, self.pairs, strict=True)))):
            for piece in (actor, met if ply.result in DEFENDER_GOES else None):
                if piece in plies:
                    plies[piece] = at
        best = max(plies, key=plies.__getitem__, default=None)
        return None if best is None else Unmoved(best[1].name, plies[best])


def _decided(decisions: Sequence[Decision]) -> list[Decided | Seat]:
    return [one.seat if isinstance(one.choice, GiveUp) else one.choice for one in decisions]


def _known(ply: int, seat: Seat, army: HiddenArmy) -> ArmyKnowledge:
    chances, groups = army.chances, dict[frozenset[Rank], list[Square]]()
    for piece, could in army.could.items():
        groups.setdefault(could, []).append(piece)
    return ArmyKnowledge(
        ply=ply,
        army=seat,
        bits=round(log2(army.ways), 4) if army.ways else None,
        error=None if army.error is None else army.error._asdict(),
        groups=[
            Group([piece.name for piece in pieces], _row(chances[pieces[0]]) if army.ways else None)
            for pieces in groups.values()
        ],
    )


def _row(chances: Mapping[Rank, Chance]) -> dict[Rank, float]:
    """Return chances to six decimals, the likeliest first."""
    return {rank: round(float(chance), 6) for rank, chance in sorted(chances.items(), key=lambda one: -one[1])}


def _verdict(rules: RuleSet, attacker: Rank, defender: Rank) -> CombatResult | None:
    """Return the verdict of an attack; None of a rank that never moves."""
    return None if rules.gait(attacker) is Gait.NONE else rules.combat(attacker, defender)


def worth(rules: RuleSet, rank: Rank) -> int:
    """Return how many pieces of a whole army a rank beats, and how many lose to it when they attack."""
    beaten = sum(many for other, many in rules.army.items() if _verdict(rules, rank, other) in _WINS)
    lose = (many for other, many in rules.army.items() if _verdict(rules, other, rank) is CombatResult.DEFENDER_WINS)
    return beaten + sum(lose)
