"""What a tournament report file of version 2026 says beside the lines of TRF16 (FIDE Handbook C.02, annex A, applied from September 2025).

Records as lines of text, columns counted from 1 as there: scoring (162), type (192), tie-breaks (202), byes to come (240), virtual points
(250), forbidden pairs (260), teams (310), boards out of order (300), teams' pairing byes (320) and the seats of boards (352).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, groupby

from referee.tournament.event import event as model
from referee.tournament.event.pairing import virtual_points
from referee.tournament.event.teams import MATCH, board_points, matches_of, team_of, team_standings

CODES = ("082", "142", "162", "182", "192", "202", "212", "240", "250", "260", "300", "310", "320", "352")
_TYPES = {
    (model.System.SWISS, False): "CUSTOM_SWISS",  # which is near the Dutch system, and not that
    (model.System.ROUND_ROBIN, False): "BERGER_ROUNDROBIN",
    (model.System.KNOCK_OUT, False): "CUSTOM_KNOCKOUT",
    (model.System.SWISS, True): "CUSTOM_TEAM_SWISS_MP",
    (model.System.ROUND_ROBIN, True): "BERGER_TEAM_ROUNDROBIN",
    (model.System.KNOCK_OUT, True): "CUSTOM_TEAM_KNOCKOUT",
}
_TIE_BREAKS = {
    model.TieBreak.BUCHHOLZ: "BH",
    model.TieBreak.BUCHHOLZ_CUT_1: "BH/C1",
    model.TieBreak.BUCHHOLZ_MEDIAN: "BH/M1",
    model.TieBreak.SONNEBORN_BERGER: "SB",
    model.TieBreak.WINS: "WIN",
    model.TieBreak.PROGRESSIVE: "PS",
    model.TieBreak.DIRECT_ENCOUNTER: "DE",
    model.TieBreak.PERFORMANCE: "TPR",
}  # for board points we found no code: they are left out
_BYES = {model.ByeKind.HALF: "H", model.ByeKind.ZERO: "Z", model.ByeKind.FULL: "F"}
_SCORES = {"W": "W", "D": "D", "L": "WL", "A": "ZPB", "P": "PAB"}
"""Code of record 162 -> JaVaFo's."""


@dataclass(frozen=True, slots=True)
class TrfLine:
    """A line of a file; `number` is where it stood, from 1."""

    number: int
    text: str


Records = Mapping[str, Sequence[TrfLine]]


def records_of(event: model.Event) -> list[str]:
    """Return the records of an event, without those that TRF16 has too."""
    scoring = event.scoring
    scores = (("W", scoring.win), ("D", scoring.draw), ("L", scoring.loss), ("A", scoring.absent), ("P", scoring.bye))
    codes = [_TIE_BREAKS[one] for one in event.tie_breaks if one in _TIE_BREAKS]
    return [
        *([f"082 {len(event.teams)}"] if event.team_boards else []),
        f"142 {event.rounds_planned}",
        "162  " + "    ".join(f"{code}{_points(points)}" for code, points in scores),
        "182 Hallmarshal",
        f"192 {_TYPES[event.system, bool(event.team_boards)]}",
        *([f"202 {','.join(codes)}"] if codes else []),
        *_bye_records(event),
        *_virtual_records(event),
        *_forbidden_records(event),
        *(_team_records(event) if event.team_boards else ()),
    ]


def _points(points: Fraction, width: int = 4) -> str:
    return f"{float(points):>{width}.1f}"


def _bye_records(event: model.Event) -> Iterator[str]:
    to_come = [bye for bye in event.requested if bye.round_number >= event.next_round]
    order = sorted(to_come, key=lambda bye: (bye.round_number, _BYES[bye.kind], bye.player))
    for (round_number, kind), byes in groupby(order, key=lambda bye: (bye.round_number, _BYES[bye.kind])):
        yield f"240 {kind} {round_number:03} " + " ".join(f"{bye.player:>4}" for bye in byes)


def _virtual_records(event: model.Event) -> list[str]:
    """Return the virtual points of an accelerated event: one line for each run of rounds with the same."""
    if not event.accelerated or event.groups:
        return []
    found: list[tuple[Fraction, int, int]] = []  # points, first round, players
    for round_number in range(1, event.rounds_planned + 1):
        points = virtual_points(event, event.pools[""], round_number)
        found += [(next(iter(points.values())), round_number, len(points))] if points else []
    return [
        f"250 {'':4} {_points(points)} {rounds[0][1]:03} {rounds[-1][1]:03} {1:04} {players:04}"
        for (points, players), runs in groupby(found, key=lambda one: (one[0], one[2]))
        if (rounds := list(runs))
    ]


def _forbidden_records(event: model.Event) -> Iterator[str]:
    for rule in event.pair_rules:
        if rule.kind is model.PairRuleKind.FORBIDDEN:
            first, last = (rule.round_number or 1), (rule.round_number or event.rounds_planned)
            yield f"260 {first:03} {last:03} " + " ".join(f"{player:>4}" for player in rule.players)


def _team_records(event: model.Event) -> Iterator[str]:
    points, size = board_points(event), event.team_boards
    yield "352 " + ("WB" * size)[:size]
    for line in sorted(team_standings(event), key=lambda line: line.player.number):
        number, players = line.player.number, event.teams[line.player.number - 1].players
        yield (
            f"310 {number:>3} {line.player.name:<32} {'':5} {'':6} {_points(line.points, 6)} "
            f"{_points(points[number], 6)} {line.place:>3}  " + " ".join(f"{player:>4}" for player in players)
        )
    free, teams = [], team_of(event)
    for round_ in event.rounds:
        byes = (teams[bye.player] for bye in round_.byes if bye.kind is model.ByeKind.PAIRING)
        free.append(next(byes, 0))
        yield from _out_of_order(event, round_)
    if any(free):
        yield f"320 {_points(MATCH.bye)} {_points(event.scoring.bye * size)} " + " ".join(f"{team:03}" for team in free)


def _out_of_order(event: model.Event, round_: model.Round) -> Iterator[str]:
    teams = team_of(event)
    for match in matches_of(event, round_):
        for team, other in ((match.red, match.blue), (match.blue, match.red)):
            lineup = [
                next(player for player in round_.pairings[table - 1].players if teams[player] == team)
                for table in match.tables
            ]
            lineup += [bye.player for bye in round_.byes if teams.get(bye.player) == team]
            seated = [*lineup, *[0] * (event.team_boards - len(lineup))]
            if seated != list(event.teams[team - 1].players[: event.team_boards]):
                players = " ".join(f"{player:>4}" if player else "0000" for player in seated)
                yield f"300 {round_.number:>3} {team:>3} {other:>3} {players}"


# And in again.


def _fault(record: TrfLine, text: str) -> model.TrfError:
    return model.TrfError([model.TrfFault(record.number, text)])


def _last(records: Records, code: str) -> str:
    """Return what a record says, "" where there is none."""
    return records[code][-1].text[4:].strip() if records.get(code) else ""


def rounds_in(records: Records) -> int | None:
    """Return the number of rounds, None where no record says it. Raises `TrfError`."""
    text = _last(records, "142")
    if text and not re.fullmatch("[0-9]{1,3}", text):
        raise _fault(records["142"][-1], f"{text[:20]!r} is not a number of rounds")
    return int(text) if text else None


def scoring_in(records: Records) -> dict[str, Fraction]:
    """Return the scoring by JaVaFo's codes, as far as a record says it. Raises `TrfError`."""
    found = {}
    for record in records.get("162", ()):
        for code, points in re.findall(r"([A-Z])\s*([0-9.]+)", record.text[4:]):
            if code in _SCORES:
                try:
                    found[_SCORES[code]] = model.points_from(points)
                except model.EventValueError as error:
                    raise _fault(record, str(error)) from None
    return found


def system_in(records: Records) -> model.System | None:
    """Return the system, None where no record says it."""
    text = _last(records, "192").upper()
    if "KNOCKOUT" in text:
        return model.System.KNOCK_OUT
    return None if not text else model.System.ROUND_ROBIN if "ROUNDROBIN" in text else model.System.SWISS


def with_teams(event: model.Event, records: Records) -> model.Event:
    """Return the event with the teams of records 310, as many boards as 352 says, or as the least team has players. Raises `TrfError`."""
    teams = []
    for at, record in enumerate(records.get("310", ()), 1):
        text = record.text
        numbers = text[73:].split()
        if text[4:7].strip() != str(at) or not all(number.isascii() and number.isdigit() for number in numbers):
            raise _fault(record, f"it is not team {at} with the numbers of its players from column 74")
        teams.append(model.Group(text[8:40].strip(), tuple(model.PlayerNumber(int(number)) for number in numbers)))
    if not teams:
        return event
    size = len(_last(records, "352")) or min(len(team.players) for team in teams)
    tie_breaks = (model.TieBreak.BOARD_POINTS, *event.tie_breaks)
    return replace(event, teams=tuple(teams), team_boards=size, tie_breaks=tie_breaks)


def with_wishes(event: model.Event, records: Records) -> model.Event:
    """Return the event with its tie-breaks, byes to come, forbidden pairs and acceleration. Raises `TrfError`."""
    known = {code: tie_break for tie_break, code in _TIE_BREAKS.items()}
    codes = (_last(records, "202") or _last(records, "212")).upper().replace(",", " ").split()
    named = tuple(dict.fromkeys(known[code] for code in codes if code in known))
    if named:
        boards = (model.TieBreak.BOARD_POINTS,) if event.team_boards else ()
        event = replace(event, tie_breaks=(*boards, *named))
    for code, read in (("240", _with_byes), ("260", _with_forbidden)):
        for record in records.get(code, ()):
            try:
                event = read(event, record.text[4:].split())
            except (model.EventError, ValueError, KeyError, IndexError) as error:
                raise _fault(record, f"it cannot be read as a record {code}: {error}") from None
    if records.get("250") or _last(records, "192").upper().endswith("_BAKU"):
        event = replace(event, accelerated=True)
        theirs = [record.text.split() for record in records.get("250", ())]
        to_come = 2 * event.next_round <= event.rounds_planned + 1
        if theirs and to_come and theirs != [line.split() for line in _virtual_records(event)]:
            raise _fault(records["250"][0], "these virtual points are not those of the Baku acceleration")
    return event


def _with_byes(event: model.Event, words: list[str]) -> model.Event:
    kind = {sign: kind for kind, sign in _BYES.items()}[words[0].upper()]
    round_number = int(words[1])
    if round_number < event.next_round:
        return event  # the players' lines have it
    asked = tuple(model.RequestedBye(model.PlayerNumber(int(word)), round_number, kind) for word in words[2:])
    return replace(event, requested=tuple(sorted((*event.requested, *asked), key=lambda b: (b.round_number, b.player))))


def _with_forbidden(event: model.Event, words: list[str]) -> model.Event:
    first, last, *players = map(int, words)
    always = first <= 1 and last >= event.rounds_planned
    rounds: Sequence[int | None] = [None] if always else range(first, last + 1)
    there = {(rule.players, rule.round_number) for rule in event.pair_rules}
    rules = [
        model.PairRule((model.PlayerNumber(one), model.PlayerNumber(two)), model.PairRuleKind.FORBIDDEN, round_number)
        for one, two in combinations(sorted(players), 2)
        for round_number in rounds
    ]
    new = (rule for rule in rules if (rule.players, rule.round_number) not in there)
    return replace(event, pair_rules=(*event.pair_rules, *new))
