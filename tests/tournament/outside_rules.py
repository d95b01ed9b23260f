"""The absolute rules of `docs/reference/event.md`, checked by somebody who read that page and not the code.

It takes what `event_as_told` tells before and after `pair` as JSON values and imports nothing of the referee. Whether a round
without a fault existed is found by trying all rounds (up to eight who are to be paired), else by a matching of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx

from tests.tournament.outside_points import Scoring, Told, cells_of, team_rounds, total

ENUMERATED = 8
Vector = tuple[int, int, int, int]
"""Faults of a group's round: rematches, a second bye, pairings beyond a seat limit, rank of the bye's points from below."""
NONE: Vector = (0, 0, 0, 0)


@dataclass(frozen=True)
class Unit:
    """Who is paired: a player, or in an event of teams a team."""

    number: int
    group: str
    points: Fraction
    met: frozenset[int] = frozenset()
    seats: tuple[str, ...] = ()
    had_bye: bool = False
    free: str | None = None
    """The bye that he has to have; None: he is to be paired."""

    def beyond(self, seat: str) -> bool:
        """Return whether that seat would be a third time running, or three times more often than the other."""
        often = self.seats.count(seat) + 1 - (len(self.seats) - self.seats.count(seat))
        return self.seats[-2:] == (seat, seat) or often >= 3

    @property
    def torn(self) -> bool:
        """Return whether either seat is beyond a limit."""
        return self.beyond("red") and self.beyond("blue")


@dataclass
class Found:
    """What checks saw: how often a rule was looked at and tight, and what broke it."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def hold(self, true: bool, rule: str, text: str) -> None:
        """Note a fault of a rule unless it holds."""
        if not true:
            self.faults.append(f"rule {rule}: {text}")


def virtual(told: Told, scoring: Scoring, upper: bool) -> Fraction:
    """Return the points that count while the next round is paired (Baku)."""
    accelerated = -(-told["planned"] // 2)
    if not told["accelerated"] or not upper or told["next_round"] > accelerated:
        return Fraction(0)
    first = told["next_round"] <= -(-accelerated // 2)
    return (scoring.win if first else scoring.draw) - scoring.loss


def players_to_pair(told: Told, scoring: Scoring) -> dict[int, Unit]:
    """Return everybody who is in the event in the next round."""
    cells = cells_of(told, scoring)
    asked = {ask["number"]: ask["kind"] for ask in told["requested"] if ask["round"] == told["next_round"]}
    present = _present(told)
    early: dict[str, list[int]] = {}
    for player in told["players"]:
        if player["first_round"] == 1:
            early.setdefault(player["group"], []).append(player["number"])
    upper = {number for numbers in early.values() for number in sorted(numbers)[: 2 * -(-len(numbers) // 4)]}
    units = {}
    for player in told["players"]:
        number = player["number"]
        if player["gone"]:
            continue
        mine = cells[number]
        games = [cell for cell in mine if cell.kind == "game"]
        free = asked.get(number) or (None if present is None or number in present else "zero")
        units[number] = Unit(
            number,
            player["group"],
            total(mine) + virtual(told, scoring, number in upper),
            frozenset(cell.opponent for cell in games),
            tuple(cell.seat for cell in games),
            any(cell.kind == "pairing" or (cell.kind != "game" and cell.points >= scoring.win) for cell in mine),
            free,
        )
    return units


def _present(told: Told) -> set[int] | None:
    check_in = told["check_in"]
    return set(check_in["present"]) if check_in and check_in["round"] == told["next_round"] else None


def teams_to_pair(told: Told, scoring: Scoring) -> dict[int, Unit]:
    """Return every team that has somebody in the event; it is free if nobody of it has been seen."""
    rounds = team_rounds(told, scoring)
    asked = {ask["number"]: ask["kind"] for ask in told["requested"] if ask["round"] == told["next_round"]}
    present, gone = _present(told), {player["number"] for player in told["players"] if player["gone"]}
    units = {}
    for team in told["teams"]:
        number, members = team["number"], [p for p in team["players"] if p not in gone]
        if not members:
            continue
        seen = present is None or any(p in present for p in members)
        mine = rounds[number]
        units[number] = Unit(
            number,
            "",
            sum((r.points for r in mine), Fraction(0)),
            frozenset(r.opponent for r in mine if r.played and r.opponent),
            had_bye=any(r.kind == "pairing" or (not r.played and r.points >= 2) for r in mine),
            free=asked.get(number) or (None if seen else "zero"),
        )
    return units


@dataclass(frozen=True)
class Drawn:
    """A draft: pairs in the order of their tables with their reasons, byes with theirs."""

    pairs: tuple[tuple[int, int, tuple[str, ...]], ...]
    byes: Mapping[int, tuple[str, tuple[str, ...]]]


def drawn_of(told: Told, draft: Told) -> Drawn:
    """Return a draft in players, or in an event of teams in teams."""
    tables = sorted(draft["tables"], key=lambda table: int(table["table"]))
    if not told["teams"]:
        pairs = tuple((t["red"]["number"], t["blue"]["number"], tuple(t["reasons"])) for t in tables)
        return Drawn(pairs, {b["player"]["number"]: (b["kind"], tuple(b["reasons"])) for b in draft["byes"]})
    team_of = {player["number"]: player["team"] for player in told["players"]}
    reasons = {table["table"]: tuple(table["reasons"]) for table in tables}
    matches = sorted(draft["matches"], key=lambda match: min(match["tables"], default=0))
    pairs = tuple((*m["teams"], reasons[min(m["tables"])] if m["tables"] else ()) for m in matches)
    playing = {team for one, two, _ in pairs for team in (one, two)}
    byes = {
        team_of[bye["player"]["number"]]: (bye["kind"], tuple(bye["reasons"]))
        for bye in draft["byes"]
        if team_of[bye["player"]["number"]] not in playing
    }
    return Drawn(pairs, byes)


class Rules:
    """The pair rules that hold for the next round."""

    def __init__(self, told: Told) -> None:
        now = [rule for rule in told["pair_rules"] if rule["round"] in (None, told["next_round"])]
        self.forced = {frozenset(rule["players"]) for rule in now if rule["kind"] == "forced"}
        self.forbidden = {frozenset(rule["players"]) for rule in now if rule["kind"] == "forbidden"} - self.forced

    def set_first(self, units: Mapping[int, Unit]) -> set[frozenset[int]]:
        """Return the forced pairs whose two are both to be paired."""
        return {pair for pair in self.forced if all(n in units and units[n].free is None for n in pair)}


class Group:
    """Those of one group who are to be paired and are in no forced pair, and the faults of their rounds."""

    def __init__(self, units: Sequence[Unit], rules: Rules) -> None:
        self.units = {unit.number: unit for unit in units}
        self.rules = rules
        self.odd = len(units) % 2 == 1
        levels = sorted({unit.points for unit in units})
        self.rank = {unit.number: levels.index(unit.points) for unit in units}

    def pair(self, one: int, two: int) -> Vector | None:
        """Return the faults of a pairing, or None where it is forbidden."""
        if frozenset((one, two)) in self.rules.forbidden:
            return None
        a, b = self.units[one], self.units[two]
        seats = (a.beyond("red") or b.beyond("blue")) and (a.beyond("blue") or b.beyond("red"))
        return (int(two in a.met), 0, int(seats), 0)

    def bye(self, number: int) -> Vector:
        """Return the faults of a pairing bye."""
        return (0, int(self.units[number].had_bye), 0, self.rank[number])

    def options(self) -> Iterator[tuple[int, int, Vector]]:
        """Yield all pairings that may be, with 0 for the bye."""
        numbers = list(self.units)
        for at, one in enumerate(numbers):
            if self.odd:
                yield 0, one, self.bye(one)
            for two in numbers[at + 1 :]:
                if (faults := self.pair(one, two)) is not None:
                    yield one, two, faults

    def best(self) -> Vector | None:
        """Return the least faults that a round can have, or None if there is no round."""
        return self._tried() if len(self.units) <= ENUMERATED else self._matched()

    def _tried(self) -> Vector | None:
        faults = {frozenset((one, two)): vector for one, two, vector in self.options()}
        everybody = tuple(self.units) + ((0,) if self.odd else ())

        def rounds(left: tuple[int, ...]) -> Iterator[Vector]:
            if not left:
                yield NONE
            for two in left[1:]:
                if (own := faults.get(frozenset((left[0], two)))) is not None:
                    for rest in rounds(tuple(x for x in left[1:] if x != two)):
                        yield _sum(own, rest)

        return min(rounds(everybody), default=None)

    def _matched(self) -> Vector | None:
        size = len(self.units) + 2
        graph: networkx.Graph[int] = networkx.Graph()
        graph.add_nodes_from([*self.units, *([0] if self.odd else [])])
        for one, two, vector in self.options():
            weight = 0
            for part in vector:
                weight = weight * size + part
            graph.add_edge(one, two, weight=size**5 - weight, faults=vector)
        found = networkx.max_weight_matching(graph, maxcardinality=True)
        if 2 * len(found) < graph.number_of_nodes():
            return None
        least = NONE
        for one, two in found:
            least = _sum(least, graph.edges[one, two]["faults"])
        return least

    def surely_best(self, own: Vector) -> bool:
        """Return whether no round can have less, without a search."""
        if own[:3] != (0, 0, 0):
            return False
        return not any(self.rank[n] < own[3] and not unit.had_bye for n, unit in self.units.items())


def _sum(one: Vector, two: Vector) -> Vector:
    return (one[0] + two[0], one[1] + two[1], one[2] + two[2], one[3] + two[3])


def groups_of(units: Mapping[int, Unit], rules: Rules) -> dict[str, Group]:
    """Return the groups with those who are to be paired and are in no forced pair."""
    taken = {number for pair in rules.set_first(units) for number in pair}
    members: dict[str, list[Unit]] = {}
    for unit in units.values():
        if unit.free is None and unit.number not in taken:
            members.setdefault(unit.group, []).append(unit)
    return {name: Group(mine, rules) for name, mine in members.items()}


def to_pair(told: Told, scoring: Scoring) -> dict[int, Unit]:
    """Return who is in the event in the next round: players, or teams."""
    return (teams_to_pair if told["teams"] else players_to_pair)(told, scoring)


def check_refusal(told: Told, scoring: Scoring, text: str) -> Found:
    """Check that there was no round where `pair` said so (rule 3), or fewer than two left in the event where it said that."""
    found = Found(Counter(refusals=1))
    units, rules = to_pair(told, scoring), Rules(told)
    if text.startswith("fewer than two"):
        found.hold(len(units) < 2, "1", f"{len(units)} are in the event in round {told['next_round']}, {text}")
        return found
    forced = [number for pair in rules.set_first(units) for number in pair]
    possible = len(forced) == len(set(forced)) and all(g.best() is not None for g in groups_of(units, rules).values())
    found.hold(not possible, "3", f"no round was found in round {told['next_round']}, but there is one")
    return found


def check_swiss(told: Told, draft: Told, scoring: Scoring) -> Found:
    """Check a draft of a Swiss against rules 1 to 7, told what was told before it was proposed."""
    units, rules, drawn = to_pair(told, scoring), Rules(told), drawn_of(told, draft)
    found = Found(Counter(rounds=1, pairings=len(drawn.pairs)))
    _check_presence(units, rules, drawn, found)
    if found.faults:
        return found
    _check_rules(units, rules, drawn, found)
    teams = bool(told["teams"])
    if not found.faults:
        for group in groups_of(units, rules).values():
            _check_group(group, drawn, teams, found)
        _check_named(units, rules, drawn, teams, found)
        if teams:
            check_boards(told, draft, found)
        else:
            numbers = [table["table"] for table in draft["tables"]]
            found.hold(sorted(numbers) == list(range(1, len(numbers) + 1)), "7", f"tables are {numbers}")
        _check_order(
            units,
            rules,
            drawn,
            [group["name"] if isinstance(group, dict) else group for group in told["groups"]],
            found,
        )
    return found


def _check_presence(units: Mapping[int, Unit], rules: Rules, drawn: Drawn, found: Found) -> None:
    standing = Counter([n for one, two, _ in drawn.pairs for n in (one, two)] + list(drawn.byes))
    found.hold(
        standing == Counter(list(units)),
        "1",
        f"stand in it {sorted(standing.elements())}, in the event are {sorted(units)}",
    )
    for number, unit in units.items():
        kind = drawn.byes.get(number, (None,))[0]
        if unit.free is not None:
            found.counts["2 tight"] += 1
            found.hold(kind == unit.free, "2", f"{number} has to be free ({unit.free}), and has {kind}")
        else:
            found.hold(kind in (None, "pairing"), "2", f"{number} has the bye {kind}")
    for name, group in groups_of(units, rules).items():
        free = [n for n in group.units if n in drawn.byes]
        found.hold(
            len(free) == int(group.odd), "2", f"group {name!r} of {len(group.units)} has the pairing byes {free}"
        )


def _check_rules(units: Mapping[int, Unit], rules: Rules, drawn: Drawn, found: Found) -> None:
    pairs = {frozenset((one, two)) for one, two, _ in drawn.pairs}
    first = rules.set_first(units)
    found.counts["3 tight"] += len(first) + len(rules.forbidden)
    for pair in first - pairs:
        found.hold(False, "3", f"the forced pair {sorted(pair)} is not paired")
    for pair in pairs & rules.forbidden:
        found.hold(False, "3", f"the forbidden pair {sorted(pair)} is paired")
    for pair in pairs - first:
        found.hold(len({units[n].group for n in pair}) == 1, "3", f"{sorted(pair)} are of two groups")


def _check_group(group: Group, drawn: Drawn, teams: bool, found: Found) -> None:
    own, byes = NONE, [n for n in group.units if n in drawn.byes]
    for one, two, _ in drawn.pairs:
        if one in group.units and two in group.units:
            a, b = group.units[one], group.units[two]
            beyond = not teams and (a.beyond("red") or b.beyond("blue"))
            own = _sum(own, (int(two in a.met), 0, int(beyond), 0))
    for number in byes:
        own = _sum(own, group.bye(number))
        second = "second-bye-unavoidable" in drawn.byes[number][1]
        found.hold(
            second == bool(own[1]),
            "5",
            f"the bye of {number} says second-bye-unavoidable: {second}, it is one: {bool(own[1])}",
        )
    found.counts["groups"] += 1
    for rule, part in (("4 tight", own[0]), ("5 bye tight", own[1]), ("5 seats tight", own[2]), ("6 tight", own[3])):
        found.counts[rule] += bool(part)
    if group.surely_best(own):
        return
    found.counts["proved by trying all" if len(group.units) <= ENUMERATED else "proved by a matching"] += 1
    best = group.best()
    if best is None or best < own:
        at = next(i for i in range(4) if best is None or best[i] != own[i])
        torn = any(unit.torn for unit in group.units.values())
        rule = ("4", "5 bye", "5 torn" if torn else "5 seats", "6")[at]
        found.hold(False, rule, f"{len(group.units)} to pair, faults {own}, there is a round with {best}")
    elif best > own:
        found.hold(False, "checker", f"it found {best} only, the round has {own}")


def _check_named(units: Mapping[int, Unit], rules: Rules, drawn: Drawn, teams: bool, found: Found) -> None:
    for one, two, reasons in drawn.pairs:
        again = two in units[one].met
        says = "rematch-unavoidable" in reasons
        forced = "forced" in reasons
        found.hold(forced == (frozenset((one, two)) in rules.forced), "3 named", f"{one}-{two} says forced: {forced}")
        found.hold(
            again == says,
            "4 forced" if forced else "4",
            f"{one}-{two} have met: {again}, says rematch-unavoidable: {says}",
        )
        named = sorted(int(r.split(":")[1]) for r in reasons if r.startswith("seat-limit-unavoidable:"))
        if teams:
            found.hold(not named, "5 teams", f"{one}-{two} names {named}")
            continue
        beyond = sorted(n for n, seat in ((one, "red"), (two, "blue")) if units[n].beyond(seat))
        torn = all(units[n].torn for n in set(beyond) ^ set(named))
        text = f"{one}-{two}: beyond the seat limit {beyond}, named {named}, {reasons}"
        found.hold(named == beyond, "5 torn" if torn else "5 seats", text)


def _check_order(units: Mapping[int, Unit], rules: Rules, drawn: Drawn, groups: Sequence[str], found: Found) -> None:
    inside = [(one, two) for one, two, _ in drawn.pairs if units[one].group == units[two].group]
    names = [units[one].group for one, _ in inside]
    order = [name for at, name in enumerate(names) if not at or names[at - 1] != name]
    found.hold(len(order) == len(set(order)), "7", f"groups at the tables: {order}")
    known = [name for name in groups if name in order]
    found.hold(
        [name for name in order if name] == [name for name in known if name],
        "7",
        f"groups at the tables: {order}, told: {groups}",
    )
    for (a, b), (c, d) in pairwise(inside):
        if units[a].group == units[c].group:
            above, below = _key(units, a, b), _key(units, c, d)
            found.counts["7 tight"] += above != below
            found.hold(above >= below, "7", f"{a}-{b} with {above} sit above {c}-{d} with {below}")


def _key(units: Mapping[int, Unit], one: int, two: int) -> tuple[Fraction, Fraction]:
    return max(units[one].points, units[two].points), units[one].points + units[two].points


def check_boards(told: Told, draft: Told, found: Found) -> None:
    """Check that each match has its players in the order of the teams, the seats in turn, and byes where one has nobody."""
    gone = {player["number"] for player in told["players"] if player["gone"]}
    present = _present(told)
    tables = {table["table"]: table for table in draft["tables"]}
    byes = {bye["player"]["number"]: bye["kind"] for bye in draft["byes"]}
    used: list[int] = []
    for match in draft["matches"]:
        one, two = ([p for p in t["players"] if p not in gone and (present is None or p in present)][: told["team_boards"]]
                    for n in match["teams"] for t in told["teams"] if t["number"] == n)  # fmt: skip
        boards = [(a, b) if i % 2 == 0 else (b, a) for i, (a, b) in enumerate(zip(one, two, strict=False))]
        seen = [(tables[n]["red"]["number"], tables[n]["blue"]["number"]) for n in match["tables"]]
        found.counts["boards"] += len(seen)
        found.hold(seen == boards, "teams", f"match {match['teams']} sits {seen}, not {boards}")
        used += match["tables"]
        for number in (*one[len(two) :], *two[len(one) :]):
            found.hold(
                byes.get(number) == "full", "teams", f"{number} has nobody to play and the bye {byes.get(number)}"
            )
    found.hold(sorted(used) == list(range(1, len(tables) + 1)), "7", f"matches use the tables {used}")


def berger(numbers: Sequence[int], round_number: int) -> set[tuple[int, int]]:
    """Return a round of the Berger table (C.05, annex 1) as pairs of red and blue; who meets nobody is left out."""
    size = len(numbers) + len(numbers) % 2
    pairs = set()
    for i in range(1, size):
        j = (round_number + 1 - i) % (size - 1) or size - 1
        if i == j:
            pairs.add((i, size) if i <= size // 2 else (size, i))
        elif i < j:
            pairs.add((i, j) if (i + j) % 2 else (j, i))
    return {(numbers[a - 1], numbers[b - 1]) for a, b in pairs if max(a, b) <= len(numbers)}


def check_robin(told: Told, draft: Told) -> Found:
    """Check a round of a round robin, of players or of teams."""
    found = Found(Counter(rounds=1, pairings=len(draft["tables"])))
    members: dict[str, list[int]] = {"": [team["number"] for team in told["teams"]]} if told["teams"] else {}
    for player in told["players"] if not told["teams"] else ():
        members.setdefault(player["group"], []).append(player["number"])
    wanted: set[tuple[int, int]] = set()
    for numbers in members.values():
        if draft["round"] < len(numbers) + len(numbers) % 2:
            wanted |= berger(sorted(numbers), draft["round"])
    seen = {(table["red"]["number"], table["blue"]["number"]) for table in draft["tables"]}
    if told["teams"]:
        seen = {(one, two) for one, two in (match["teams"] for match in draft["matches"])}
        check_boards(told, draft, found)
    found.hold(seen == wanted, "robin", f"round {draft['round']} has {sorted(seen)}, not {sorted(wanted)}")
    return found


def matches_of(told: Told) -> dict[frozenset[int], list[Told]]:
    """Return the games of a knock-out by the two who met."""
    games: dict[frozenset[int], list[Told]] = {}
    for round_ in told["rounds"]:
        for table in round_["tables"]:
            games.setdefault(frozenset((table["red"]["number"], table["blue"]["number"])), []).append(table)
    return games


def out_of(table: Told, draws: str) -> set[int]:
    """Return who is out after a game of a knock-out."""
    red, blue, result = table["red"]["number"], table["blue"]["number"], table["result"]
    if result in ("both-lose", "both-absent"):
        return {red, blue}
    if result in ("red", "blue-absent"):
        return {blue}
    if result in ("blue", "red-absent"):
        return {red}
    return {max(red, blue)} if draws == "higher-seed" else set()


def check_knock_out(told: Told, draft: Told | None) -> Found:
    """Check a round of a knock-out without corrections, or with None its end."""
    found = Found(Counter(rounds=int(draft is not None)))
    games = matches_of(told)
    ended = {pair: out for pair, tables in games.items() if (out := out_of(tables[-1], told["draws"]))}
    out = {number for numbers in ended.values() for number in numbers}
    if draft is None:
        players, both = len(told["players"]), sum(len(numbers) == 2 for numbers in ended.values())
        left = players - len(out)
        found.hold(
            len(ended) + both == players - left,
            "knock-out",
            f"{players} players, {both} both lost, {len(ended)} matches",
        )
        found.counts["knock-outs without a winner"] += left == 0
        found.hold(left <= 1, "knock-out", f"ends with {left} who have lost nothing")
        return found
    playing = {table[seat]["number"] for table in draft["tables"] for seat in ("red", "blue")}
    found.counts["pairings"] += len(draft["tables"])
    found.hold(not playing & out, "knock-out", f"{sorted(playing & out)} had lost and play in round {draft['round']}")
    again = {pair: tables for pair, tables in games.items() if not ended.get(pair)}
    here = {frozenset((t["red"]["number"], t["blue"]["number"])): t for t in draft["tables"]}
    if again:
        found.counts["replays"] += len(again)
        found.hold(
            set(here) == set(again),
            "knock-out",
            f"replays {sorted(map(sorted, again))}, plays {sorted(map(sorted, here))}",
        )
        for pair in set(here) & set(again):
            found.hold(
                here[pair]["red"]["number"] == again[pair][-1]["blue"]["number"],
                "knock-out",
                "a replay with the same seats",
            )
    elif not told["rounds"]:
        count = len(told["players"])
        free = {bye["player"]["number"] for bye in draft["byes"] if bye["kind"] == "full"}
        wanted = set(range(1, (1 << (count - 1).bit_length()) - count + 1))
        found.hold(free == wanted, "knock-out", f"free in round 1 are {sorted(free)}, not {sorted(wanted)}")
    return found


def changed_pairings(before: Told, after: Told) -> list[str]:
    """Return which published pairings two tellings of an event have otherwise, of the rounds that both have."""

    def rounds(told: Told) -> list[list[Any]]:
        return [[(t["table"], t["red"]["number"], t["blue"]["number"]) for t in r["tables"]] for r in told["rounds"]]

    pairs = zip(rounds(before), rounds(after), strict=False)
    return [f"published: round {n} was changed" for n, (one, two) in enumerate(pairs, 1) if one != two] + (
        [f"published: {len(before['rounds'])} rounds are {len(after['rounds'])}"]
        if len(before["rounds"]) > len(after["rounds"])
        else []
    )
