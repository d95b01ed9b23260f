"""Who meets whom and who sits red: a Swiss by one weighted matching, or a round robin by the Berger tables.

Seats first: what each player's seats so far make him prefer (FIDE Handbook C.04.3, articles 1.7 and 5.2, red being white).

Apart from `acts`, which alone asks for a round: it is what is held against other pairing programs, and changes with the FIDE's rules.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import networkx

from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.event.bracket import stages_of
from referee.tournament.event.standings import Cell, CellKind, cells_of, total

NONE, MILD, STRONG, ABSOLUTE = range(4)
_Scores = dict[model.PlayerNumber, Fraction]


@dataclass(frozen=True, slots=True)
class SeatWish:
    """Where a player should sit next. `strength`: `ABSOLUTE` after two games at one seat or a difference of two, `STRONG` at a
    difference of one, `MILD` to alternate, `NONE` before his first game. `difference` is red games minus blue ones.
    """

    seat: Seat | None
    strength: int
    difference: int


@dataclass(frozen=True, slots=True)
class Sitter:
    """What of a player counts for his seat: the seats of his games so far, those not played left out."""

    number: model.PlayerNumber
    seats: tuple[Seat, ...]
    wish: SeatWish


def sitter(number: model.PlayerNumber, seats: tuple[Seat, ...]) -> Sitter:
    """Return a player's seats so far with the wish for the next one that follows from them."""
    return Sitter(number, seats, _wish(seats))


def _wish(seats: tuple[Seat, ...]) -> SeatWish:
    difference = seats.count(Seat.RED) - seats.count(Seat.BLUE)
    if not seats:
        return SeatWish(None, NONE, 0)
    if len(seats) > 1 and seats[-1] is seats[-2]:
        return SeatWish(other(seats[-1]), ABSOLUTE, difference)
    if difference:
        fewer = Seat.BLUE if difference > 0 else Seat.RED
        return SeatWish(fewer, ABSOLUTE if abs(difference) > 1 else STRONG, difference)
    return SeatWish(other(seats[-1]), MILD, 0)


def other(seat: Seat) -> Seat:
    """Return the opposite seat."""
    return Seat.BLUE if seat is Seat.RED else Seat.RED


def barred(seats: tuple[Seat, ...]) -> frozenset[Seat]:
    """Return the seats beyond a limit after these: a third time running, or a difference of more than two. It may be both."""
    running = {seats[-1]} if len(seats) > 1 and seats[-1] is seats[-2] else set()
    return frozenset(
        running | {seat for seat in (Seat.RED, Seat.BLUE) if seats.count(seat) - seats.count(other(seat)) > 1}
    )


def _beyond(higher: Sitter, lower: Sitter, seat: Seat) -> int:
    """Return how many of the two sit beyond a limit where the higher one takes this seat."""
    return (seat in barred(higher.seats)) + (other(seat) in barred(lower.seats))


def denied(one: SeatWish, two: SeatWish) -> int:
    """Return the strength of the wish that a game between the two cannot grant; `NONE` when both wishes can be granted."""
    return min(one.strength, two.strength) if one.seat is two.seat and one.seat is not None else NONE


def allot(
    higher: Sitter, lower: Sitter, seed: int
) -> tuple[model.PlayerNumber, model.PlayerNumber, tuple[model.Reason, ...]]:
    """Return (red, blue, reasons) for a game; `higher` is the higher ranked player. The seed draws the seat at the
    first board.
    """
    seat, reason = _seat_of_higher(higher, lower, seed)
    if _beyond(higher, lower, other(seat)) < _beyond(higher, lower, seat):
        seat, granted = other(seat), lower if higher.wish.seat is seat else higher
        reason = model.Reason(model.ReasonWord.SEAT_STRONGER, granted.number)
    red, blue = (higher, lower) if seat is Seat.RED else (lower, higher)
    broken = tuple(
        model.Reason(model.ReasonWord.SEAT_LIMIT, player.number)
        for player, seat_now in ((red, Seat.RED), (blue, Seat.BLUE))
        if seat_now in barred(player.seats)
    )
    return red.number, blue.number, (reason, *broken)


def _seat_of_higher(higher: Sitter, lower: Sitter, seed: int) -> tuple[Seat, model.Reason]:
    mine, theirs = higher.wish, lower.wish
    if mine.seat is None and theirs.seat is None:
        odd = higher.number % 2 == 1
        first = _lot(seed)
        return (first if odd else other(first)), model.Reason(model.ReasonWord.SEAT_LOT)
    if mine.seat is not theirs.seat:
        return mine.seat or other(theirs.seat or Seat.RED), model.Reason(model.ReasonWord.SEAT_BOTH)
    assert mine.seat is not None
    my_urgency, their_urgency = _urgency(mine), _urgency(theirs)
    if my_urgency != their_urgency:
        stronger = higher if my_urgency > their_urgency else lower
        seat = mine.seat if stronger is higher else other(mine.seat)
        return seat, model.Reason(model.ReasonWord.SEAT_STRONGER, stronger.number)
    for my_seat, their_seat in zip(reversed(higher.seats), reversed(lower.seats), strict=False):
        if my_seat is not their_seat:
            return other(my_seat), model.Reason(model.ReasonWord.SEAT_ALTERNATES)
    return mine.seat, model.Reason(model.ReasonWord.SEAT_HIGHER, higher.number)


def _urgency(wish: SeatWish) -> tuple[int, int]:
    """Return the sort key of wishes for the same seat; between two absolute ones the wider difference counts."""
    return wish.strength, abs(wish.difference) if wish.strength == ABSOLUTE else 0


def _lot(seed: int) -> Seat:
    return Seat.RED if lot(seed, "first seat") % 2 else Seat.BLUE


def lot(seed: int, purpose: str) -> int:
    """Return a number drawn from the seed for one purpose; the same for the same arguments on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed} {purpose}".encode()).digest()[:8], "big")


# The Swiss: one weighted matching over all players finds the round whose faults weigh least.
#
# The faults, the worst first (FIDE Handbook C.04.1, and the order of the criteria of C.04.3; it is not the Dutch system to the
# letter): two meet again, a second bye, a seat limit broken, the bye far from the lowest points, the bye to one with more
# unplayed rounds, differences of points (squared), seat wishes denied (strong, then mild), floats repeated (of the last round,
# then of the one before), the bye to a higher rank, two of the same half of equal points, distance from half against half. A fault
# of one kind weighs more than all of the kinds after it together, in whole numbers, so the matching is exact.


Faults = tuple[int, ...]
_NOBODY = -1
_HARD = 3
"""So many of the faults, from the first, are never accepted before all pairs were weighed."""
_ALL_PAIRS = 60
"""Up to so many players all pairs are weighed at once. In a larger hall nearly all are far too far apart: 200 players have
19,900 pairs. There a matching is sought first among the likely ones; it was as good as the best of all in every hall tried.
"""
_LIKELY_NEAR, _LIKELY_FAR = 6, 3
"""So many pairs a player, seat wish and direction are likely: among equal points, and among others."""


@dataclass(frozen=True, slots=True)
class _Contender:
    """A player to be paired. `place` counts in the ranking for pairing (points, then number), `in_group` among equal points."""

    sitter: Sitter
    points: Fraction
    place: int
    in_group: int
    group_size: int
    opponents: frozenset[model.PlayerNumber]
    had_bye: bool
    unplayed: int
    floats: tuple[int, int]
    """Of the last round and the one before: 1 down, -1 up, 0 none."""

    @property
    def number(self) -> model.PlayerNumber:
        return self.sitter.number


def pair_swiss(event: model.Event, *, of_teams: bool = False) -> model.Round:
    """Return the next round, tables ordered by points. `of_teams`: no seat limit holds, for a team sits at both. Raises `ActError`
    when fewer than two players are left in the event, and where forbidden pairs leave no round.
    """
    number = event.next_round
    byes, playing = _known_byes(event), {player.number for player in event.playing_in(number)}
    rest = playing - {bye.player for bye in byes}
    if len(playing) < 2:
        raise model.ActError("fewer than two players can be paired", "too-few")
    rules = [rule for rule in event.pair_rules if rule.round_number in (None, number)]
    forced = [
        rule.players for rule in rules if rule.kind is model.PairRuleKind.FORCED and rest.issuperset(rule.players)
    ]
    forbidden = {frozenset(rule.players) for rule in rules if rule.kind is model.PairRuleKind.FORBIDDEN}
    pairings: list[model.Pairing] = []
    for pool in event.pools.values():
        pairs, free = _match(_contenders(event, pool, rest.intersection(pool).difference(*forced), of_teams), forbidden)
        if free is not None:
            byes.append(model.Bye(free.number, model.ByeKind.PAIRING, _bye_reasons(free)))
        for pair in forced:
            if pair[0] in pool:
                higher, lower = _contenders(event, pool, pair, of_teams)
                pairs.append((higher, lower))
        for higher, lower in sorted(pairs, key=_table_key):
            pairing = _pairing(len(pairings) + 1, higher, lower, event.seed)
            if tuple(sorted(pairing.players)) in forced:
                pairing = replace(pairing, reasons=(model.Reason(model.ReasonWord.FORCED), *pairing.reasons))
            pairings.append(pairing)
    return model.Round(number, tuple(pairings), tuple(sorted(byes, key=lambda bye: bye.player)))


def _known_byes(event: model.Event) -> list[model.Bye]:
    """Return the byes of the next round that were asked for, and those of players who have not checked in."""
    asked = {bye.player: bye.kind for bye in event.requested if bye.round_number == event.next_round}
    found = []
    for player in event.playing_in(event.next_round):
        if player.number in asked:
            requested = (model.Reason(model.ReasonWord.REQUESTED),)
            found.append(model.Bye(player.number, asked[player.number], requested))
        elif event.check_in is not None and player.number not in event.check_in.present:
            away = (model.Reason(model.ReasonWord.NOT_PRESENT),)
            found.append(model.Bye(player.number, model.ByeKind.ZERO, away))
    return found


def virtual_points(event: model.Event, pool: Collection[model.PlayerNumber], round_number: int) -> _Scores:
    """Return what counts beside the points while a round is paired: nothing, or in an accelerated event (FIDE Handbook C.04.7, Baku)
    in the first half of the rounds what a win, then what a draw gives more than a loss, for the upper half of those who began.
    """
    rounds = -(-event.rounds_planned // 2)
    if not event.accelerated or round_number > rounds:
        return defaultdict(Fraction)
    began = sorted(number for number in pool if event.player(number).first_round == 1)
    scoring = event.scoring
    points = (scoring.win if round_number <= -(-rounds // 2) else scoring.draw) - scoring.loss
    return defaultdict(Fraction, dict.fromkeys(began[: 2 * -(-len(began) // 4)], points))


def _contenders(
    event: model.Event, pool: Collection[model.PlayerNumber], numbers: Iterable[model.PlayerNumber], of_teams: bool
) -> list[_Contender]:
    cells = cells_of(event)
    virtual = [virtual_points(event, pool, k + 1) for k in range(event.next_round)]
    before = [
        {number: total(row[:k]) + extra[number] for number, row in cells.items()} for k, extra in enumerate(virtual)
    ]
    scores = before.pop()
    ranked = sorted(numbers, key=lambda number: (-scores[number], number))
    groups: dict[Fraction, list[model.PlayerNumber]] = {}
    for number in ranked:
        groups.setdefault(scores[number], []).append(number)
    found = []
    for place, number in enumerate(ranked):
        row, group = cells[number], groups[scores[number]]
        played = [cell for cell in row if cell.kind is CellKind.PLAYED]
        seats = tuple(cell.seat for cell in played if cell.seat is not None)
        found.append(
            _Contender(
                sitter(number, seats[-1:] if of_teams else seats),
                scores[number],
                place,
                group.index(number),
                len(group),
                frozenset(cell.opponent for cell in played if cell.opponent is not None),
                any(_bars_bye(event, cell) for cell in row),
                len(row) - len(played),
                (_float(event, number, row, before, 1), _float(event, number, row, before, 2)),
            )
        )
    return found


def _bars_bye(event: model.Event, cell: Cell) -> bool:
    """Return whether this round bars its player from a pairing bye: one was had already, or a win's points without a
    game (FIDE Handbook C.04.1, article 4).
    """
    free_win = cell.kind in (CellKind.BYE, CellKind.WON_BY_ABSENCE) and cell.points >= event.scoring.win
    return cell.bye is model.ByeKind.PAIRING or free_win


def _float(
    event: model.Event,
    number: model.PlayerNumber,
    row: tuple[Cell, ...],
    before: Sequence[_Scores],
    ago: int,
) -> int:
    """Return how the player floated `ago` rounds ago: 1 down, -1 up, 0 neither (FIDE Handbook C.04.3, article 1.4;
    points without a game count as a float down).
    """
    if len(row) < ago:
        return 0
    cell, scores = row[-ago], before[-ago]
    if cell.kind is not CellKind.PLAYED or cell.opponent is None:
        return int(cell.points > event.scoring.loss)
    mine, theirs = scores[number], scores[cell.opponent]
    return (mine > theirs) - (mine < theirs)


def _match(
    contenders: list[_Contender], forbidden: Container[frozenset[model.PlayerNumber]]
) -> tuple[list[tuple[_Contender, _Contender]], _Contender | None]:
    """Return the pairs, each with its higher ranked player first, and the player without an opponent, or None. Raises
    `ActError` where no round is without a forbidden pair.
    """
    edges = {
        (a.place, b.place): _pair_faults(a, b)
        for a, b in combinations(contenders, 2)
        if frozenset((a.number, b.number)) not in forbidden
    }
    if len(contenders) % 2:
        lowest = contenders[-1].points
        edges |= {(_NOBODY, one.place): _bye_faults(one, lowest, len(contenders)) for one in contenders}
    few = len(contenders) <= _ALL_PAIRS
    matching = _lightest(edges if few else _likely(contenders, edges), len(contenders))
    incomplete = 2 * len(matching) < len(contenders)
    if not few and (incomplete or any(any(edges[pair][:_HARD]) for pair in matching)):
        matching = _lightest(edges, len(contenders))
    if 2 * len(matching) < len(contenders):
        raise model.ActError("no round is without a pair that is forbidden", "no-round")
    pairs = [(contenders[one], contenders[two]) for one, two in matching if one != _NOBODY]
    return pairs, next((contenders[two] for one, two in matching if one == _NOBODY), None)


def _likely(contenders: Sequence[_Contender], edges: dict[tuple[int, int], Faults]) -> dict[tuple[int, int], Faults]:
    """Return the edges that are among the best of either end, counted apart for equal, more and fewer points and each
    seat wish.
    """
    taken: dict[tuple[int, int, Seat | None, int], int] = {}
    kept = {}
    for pair, faults in sorted(edges.items(), key=lambda edge: (edge[1], edge[0])):
        one, two = contenders[pair[0]], contenders[pair[1]]
        if pair[0] == _NOBODY:
            kept[pair] = faults
            continue
        apart = int(one.points > two.points)
        mine, theirs = one.sitter.wish, two.sitter.wish
        ends = (one.place, -apart, theirs.seat, theirs.strength), (two.place, apart, mine.seat, mine.strength)
        counts = [taken.get(end, 0) for end in ends]
        if min(counts) < (_LIKELY_FAR if apart else _LIKELY_NEAR):
            kept[pair] = faults
            taken |= {end: count + 1 for end, count in zip(ends, counts, strict=True)}
    return kept


def _lightest(edges: dict[tuple[int, int], Faults], players: int) -> list[tuple[int, int]]:
    """Return the maximum matching with the least total weight of faults; the lower index first in each pair."""
    weights = _weights(edges.values(), (players + 1) // 2)
    graph: networkx.Graph[int] = networkx.Graph()
    for (one, two), faults in edges.items():
        graph.add_edge(one, two, weight=-sum(fault * each for fault, each in zip(faults, weights, strict=True)))
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in found)


def _weights(faults: Iterable[Faults], pairs: int) -> list[int]:
    """Return the weight of one unit of each fault: greater than all later faults together, even if every pair has them."""
    worst = [max(column) for column in zip(*faults, strict=True)]
    weights = [1]
    for each in reversed(worst[1:]):
        weights.append(weights[-1] * (each * pairs + 1))
    return weights[::-1]


def _pair_faults(one: _Contender, two: _Contender) -> Faults:
    """Return the faults of a pair, the gravest first; `one` ranks higher."""
    wish = denied(one.sitter.wish, two.sitter.wish)
    apart = int((one.points - two.points) * 10)
    down = apart > 0
    return (
        int(two.number in one.opponents),
        0,
        min(_beyond(one.sitter, two.sitter, seat) for seat in (Seat.RED, Seat.BLUE)),
        0,
        0,
        apart * apart,
        int(wish == STRONG),
        int(wish == MILD),
        int(down and one.floats[0] == 1) + int(down and two.floats[0] == -1),
        int(down and one.floats[1] == 1) + int(down and two.floats[1] == -1),
        0,
        int(not down and _is_upper(one) == _is_upper(two)),
        _distance(one, two),
    )


def _bye_faults(one: _Contender, lowest: Fraction, players: int) -> Faults:
    return (
        0,
        int(one.had_bye),
        0,
        int((one.points - lowest) * 10),
        one.unplayed,
        0,
        0,
        0,
        int(one.floats[0] == 1),
        int(one.floats[1] == 1),
        players - 1 - one.place,
        0,
        0,
    )


def _is_upper(one: _Contender) -> bool:
    return one.in_group < one.group_size // 2


def _distance(one: _Contender, two: _Contender) -> int:
    """Return a pair's squared distance from the ideal one: half a group apart within a group; across groups, last of
    the upper and first of the lower.
    """
    if one.points == two.points:
        off = 2 * (two.in_group - one.in_group) - one.group_size
        return off * off
    up, down = one.group_size - 1 - one.in_group, two.in_group
    return 4 * (up * up + down * down)


def _table_key(pair: tuple[_Contender, _Contender]) -> tuple[Fraction, Fraction, int]:
    """Return the sort key of a table: the points of the better player, of both together, then the better one's rank
    (C.04.2).
    """
    higher, lower = pair
    return -higher.points, -(higher.points + lower.points), higher.place


def _pairing(table: int, higher: _Contender, lower: _Contender, seed: int) -> model.Pairing:
    red, blue, seats = allot(higher.sitter, lower.sitter, seed)
    reasons = []
    if lower.number in higher.opponents:
        reasons.append(model.Reason(model.ReasonWord.REMATCH))
    if higher.points == lower.points:
        reasons.append(model.Reason(model.ReasonWord.SAME_POINTS))
        if _distance(higher, lower) <= 1:
            reasons.append(model.Reason(model.ReasonWord.HALVES))
    else:
        reasons.append(model.Reason(model.ReasonWord.FLOATS_DOWN, higher.number))
    return model.Pairing(table, red, blue, None, (*reasons, *seats))


def _bye_reasons(free: _Contender) -> tuple[model.Reason, ...]:
    return (model.Reason(model.ReasonWord.BYE_AGAIN if free.had_bye else model.ReasonWord.BYE_LOWEST),)


# Everybody meets everybody: the Berger tables (FIDE Handbook C.05, annex 1).


def rounds_of(players: int) -> int:
    """Return the number of rounds of a round robin of so many players."""
    return players - 1 + players % 2 if players else 0


def berger(players: int, round_number: int) -> tuple[tuple[int, int], ...]:
    """Return the (red, blue) numbers of a round (from 1) of the Berger tables. With an odd number of players, whoever
    meets the highest number has a bye.

    The last number N meets the p with 2p = round + 1 (mod N - 1), at alternating seats; p + k sits red against p - k.
    """
    last = players + players % 2
    ring = last - 1
    fixed = next(p for p in range(1, last) if (2 * p - round_number - 1) % ring == 0)
    first = (fixed, last) if round_number % 2 else (last, fixed)
    return first, *(((fixed + k - 1) % ring + 1, (fixed - k - 1) % ring + 1) for k in range(1, last // 2))


def pair_round_robin(event: model.Event) -> model.Round:
    """Return the next round. A withdrawn player stays in the tables and loses by absence. Raises `ActError` after the
    last round.
    """
    number = event.next_round
    if number > max(rounds_of(len(pool)) for pool in event.pools.values()):
        raise model.ActError("everybody has met everybody", "met")
    pairings: list[model.Pairing] = []
    byes: list[model.Bye] = []
    reasons = (model.Reason(model.ReasonWord.BERGER),)
    for pool in event.pools.values():
        free = set(pool)
        for red, blue in berger(len(pool), number) if number <= rounds_of(len(pool)) else ():
            if max(red, blue) <= len(pool):
                pair = pool[red - 1], pool[blue - 1]
                pairings.append(fixed_pairing(event, len(pairings) + 1, pair, reasons))
                free.difference_update(pair)
        byes.extend(model.Bye(player, model.ByeKind.ZERO, reasons) for player in sorted(free))
    return model.Round(number, tuple(pairings), tuple(sorted(byes, key=lambda bye: bye.player)))


def fixed_pairing(
    event: model.Event,
    table: int,
    pair: tuple[model.PlayerNumber, model.PlayerNumber],
    reasons: tuple[model.Reason, ...],
) -> model.Pairing:
    """Return a pairing (red, blue) that stays although somebody has withdrawn: he loses it by absence."""
    absent = [_is_absent(event, player) for player in pair]
    gone = tuple(
        model.Reason(model.ReasonWord.WITHDRAWN, player) for player, away in zip(pair, absent, strict=True) if away
    )
    return model.Pairing(table, *pair, _result(*absent), (*reasons, *gone))


def _is_absent(event: model.Event, number: model.PlayerNumber) -> bool:
    return event.player(number).withdrew_before(event.next_round)


def _result(red_absent: bool, blue_absent: bool) -> model.Result | None:
    if red_absent:
        return model.Result.BOTH_ABSENT if blue_absent else model.Result.RED_ABSENT
    return model.Result.BLUE_ABSENT if blue_absent else None


# A knock-out.


def pair_knock_out(event: model.Event) -> model.Round:
    """Return the next round: the open matches of the stage, and at its beginning who goes through without one. Raises `ActError` when
    it is decided, and with fewer than two players.
    """
    stages = stages_of(event)
    if not stages:
        raise model.ActError("fewer than two players can be paired", "too-few")
    stage = stages[-1]
    if all(match.is_over for match in stage):
        raise model.ActError("the knock-out is decided", "met")
    seats = {
        number: tuple(cell.seat for cell in row if cell.kind is CellKind.PLAYED and cell.seat is not None)
        for number, row in cells_of(event).items()
    }
    begins = not any(match.games for match in stage)
    pairings: list[model.Pairing] = []
    byes: list[model.Bye] = []
    bracket = model.Reason(model.ReasonWord.BRACKET)
    for match in stage:
        one, two = match.slots
        if one is not None and two is not None and not match.is_over:
            higher, lower = (sitter(each, seats[each]) for each in sorted((one, two)))
            red, blue, why = allot(higher, lower, event.seed)
            again = (model.Reason(model.ReasonWord.REPLAY),) if match.games else ()
            pairings.append(fixed_pairing(event, len(pairings) + 1, (red, blue), (bracket, *again, *why)))
        elif begins and match.winner is not None:
            byes.append(model.Bye(match.winner, model.ByeKind.FULL, (bracket,)))
    return model.Round(event.next_round, tuple(pairings), tuple(sorted(byes, key=lambda bye: bye.player)))
