"""What an observer of a game could know, by trying every set-up; written from docs/reference/analysis.md and the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from referee.rules import Action, CombatResult, Decided, Fire, Gait, Infiltrate, Move, Rank, RuleSet, Seat, Square
from referee.rules.ruleset import Special

Chances = dict[Square, dict[Rank, Fraction]]
RUNNERS = (Gait.RUN, Gait.RUN_AND_TURN)
ATTACKER_STAYS = (CombatResult.ATTACKER_WINS, CombatResult.FLAG_TAKEN)
ATTACKER_GOES = (CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST)
DEFENDER_STAYS = (CombatResult.DEFENDER_WINS, CombatResult.WRONG_GUESS)


@dataclass(frozen=True)
class Piece:
    """A piece by the square that it was set up on, and what nobody else knows of it."""

    seat: Seat
    home: Square
    rank: Rank


@dataclass(frozen=True)
class Ply:
    """What was played, and by whom against whom; a turn without a move has no piece."""

    action: Action
    seat: Seat
    piece: Piece | None = None
    target: Piece | None = None
    verdict: CombatResult | None = None
    decisions: tuple[str, ...] = ()
    """What was decided after it, as a record says it."""
    answers: tuple[Decided | Seat, ...] = ()
    """The same as actions, and the seats that gave up."""

    @property
    def captured(self) -> tuple[Piece, ...]:
        """The pieces that it took off the board."""
        if self.piece is None or self.target is None:
            return ()
        gone = [self.piece] if self.verdict in ATTACKER_GOES else []
        return (*gone, *([self.target] if self.verdict not in DEFENDER_STAYS else []))


def told(rules: RuleSet, ply: Ply, reveal: str) -> dict[Piece, Seat | None]:
    """Return whose rank this ply told, and to whom: None is everybody."""
    one, other = ply.piece, ply.target
    if one is None or other is None:
        return {}
    found: dict[Piece, Seat | None] = dict.fromkeys(ply.captured)
    stepped = isinstance(ply.action, Move) and bool(ply.action.via) and Special.INFILTRATION in rules.specials
    if isinstance(ply.action, Infiltrate | Fire) or stepped:
        found[one] = None
    elif ply.verdict in ATTACKER_STAYS and reveal != "result-only":
        found[one] = other.seat
    if ply.verdict is CombatResult.DEFENDER_WINS and reveal == "book":
        found[other] = one.seat
    return found


def able(rules: RuleSet, action: Action, attack: bool) -> frozenset[Rank]:
    """Return the ranks that go like this: a step, a run, a way with a turn, an infiltration, a shot."""
    walkers = {rank for rank in rules.army if rules.gait(rank) is not Gait.NONE}
    if isinstance(action, Infiltrate):
        return frozenset({Rank.INFILTRATOR})
    if isinstance(action, Fire):
        return frozenset(rank for rank in walkers if rules.gait(rank) is Gait.GUN)
    assert isinstance(action, Move)
    if action.via and Special.CASTLE not in rules.specials:
        return frozenset({Rank.INFILTRATOR})
    return frozenset(rank for rank in walkers if _goes(rules, rules.gait(rank), action, attack))


def _goes(rules: RuleSet, gait: Gait, move: Move, attack: bool) -> bool:
    board = rules.board
    beside = {one: board.neighbours(one) for one in (move.source, *move.via)}
    if not move.via and move.target in beside[move.source]:
        return not (attack and gait is Gait.GUN)
    if not move.via:
        length = next(ray.index(move.target) + 1 for ray in board.lines(move.source) if move.target in ray)
        return gait in RUNNERS or (gait is Gait.TWO_STEPS and length == 2)
    turn, *more = move.via
    if more or move.target not in beside[turn]:
        return False
    if gait is Gait.TWO_STEPS:
        return turn in beside[move.source]
    in_line = any(turn in ray for ray in board.lines(move.source))
    any_neighbour = rules.option("scout_attack", "any-neighbour") == "any-neighbour"
    return gait is Gait.RUN_AND_TURN and attack and in_line and any_neighbour


def armies(counts: Mapping[Rank, int]) -> list[tuple[Rank, ...]]:
    """Return every order of the ranks of an army, pieces of one rank not told apart."""
    left = Counter(counts)

    def orders(size: int) -> Iterator[tuple[Rank, ...]]:
        if not size:
            yield ()
        for rank in counts if size else ():
            if left[rank]:
                left[rank] -= 1
                for rest in orders(size - 1):
                    yield (rank, *rest)
                left[rank] += 1

    return list(orders(sum(counts.values())))


@dataclass(frozen=True)
class Known:
    """What is known of a hidden army: how many there may be, and for each piece its chances, exactly."""

    ways: int
    chances: Chances


class Observer:
    """One who sees a game and keeps every joint set-up of all hidden armies that could have led to what he saw and heard."""

    def __init__(self, rules: RuleSet, pieces: Sequence[Piece], seat: Seat | None) -> None:
        self.rules = rules
        self.own = {piece.home: piece.rank for piece in pieces if piece.seat is seat}
        self.hidden = [one for one in rules.seats if one is not seat]
        self.seat = seat
        homes = [[piece.home for piece in pieces if piece.seat is army] for army in self.hidden]
        self.homes = dict(zip(self.hidden, homes, strict=True))
        self.place = {home: at for at, home in enumerate(home for row in homes for home in row)}
        each = armies(rules.army)
        self.worlds = [sum(world, ()) for world in product(each, repeat=len(self.hidden))]

    def _keep(self, piece: Piece, ranks: frozenset[Rank]) -> None:
        at = self.place.get(piece.home)
        if at is not None:
            self.worlds = [world for world in self.worlds if world[at] in ranks]
        else:
            assert self.own[piece.home] in ranks

    def see(self, ply: Ply, reveal: str) -> None:
        """Keep the set-ups that this ply is possible with."""
        one, other = ply.piece, ply.target
        if one is None:
            return
        for piece, hearer in told(self.rules, ply, reveal).items():
            if hearer in (None, self.seat):
                self._keep(piece, frozenset({piece.rank}))
        self._keep(one, able(self.rules, ply.action, other is not None))
        if other is None:
            return
        if isinstance(ply.action, Infiltrate):
            named = frozenset({ply.action.guess})
            wrong = ply.verdict is CombatResult.WRONG_GUESS
            self._keep(other, frozenset(self.rules.army) - named if wrong else named)
            return
        if isinstance(ply.action, Fire):
            return  # both go, whatever the table says of the ranks
        first, second, own = self.place.get(one.home), self.place.get(other.home), self.own
        self.worlds = [
            world
            for world in self.worlds
            if self.rules.combat(
                own[one.home] if first is None else world[first], own[other.home] if second is None else world[second]
            )
            is ply.verdict
        ]

    def known(self) -> dict[Seat, Known]:
        """Return what is known of each hidden army; fails where two armies depend on each other, which the page denies."""
        found, whole = {}, 1
        for army, homes in self.homes.items():
            places = [self.place[home] for home in homes]
            one = slice(places[0], places[-1] + 1)
            left = {world[one] for world in self.worlds}
            found[army] = Known(
                len(left), {home: shares(ranks) for home, ranks in zip(homes, zip(*left, strict=True), strict=True)}
            )
            whole *= len(left)
        assert whole == len(self.worlds), f"hidden armies depend on each other: {whole} and {len(self.worlds)}"
        return found


def shares(ranks: Sequence[Rank]) -> dict[Rank, Fraction]:
    """Return how large a part of some ranks each is."""
    return {rank: Fraction(count, len(ranks)) for rank, count in Counter(ranks).items()}


def course(
    rules: RuleSet, pieces: Sequence[Piece], plies: Sequence[Ply], reveal: str, seat: Seat | None
) -> list[dict[Seat, Known]]:
    """Return what an observer (None: who has no pieces) knows of each hidden army before the first and after every ply."""
    observer = Observer(rules, pieces, seat)
    found, before = [observer.known()], len(observer.worlds)
    for ply in plies:
        observer.see(ply, reveal)
        found.append(found[-1] if len(observer.worlds) == before else observer.known())
        before = len(observer.worlds)
    return found


def unknown_from(rules: RuleSet, plies: Sequence[Ply], reveal: str, seat: Seat | None, view: Seat | None) -> int | None:
    """Return the first ply that told an observer a rank which a view (None: public) does not hold, in the end either."""
    heard = [told(rules, ply, reveal) for ply in plies]
    held = {piece for ply in heard for piece, to in ply.items() if to in (None, view)}
    for number, ply in enumerate(heard, start=1):
        if any(to in (None, seat) and piece.seat is not view and piece not in held for piece, to in ply.items()):
            return number
    return None
