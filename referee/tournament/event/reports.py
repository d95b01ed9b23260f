"""An event for other programs and back: the FIDE's tournament report file, the standings as CSV, the whole event as JSON values.

The report file, TRF16 (Handbook C.04, annex 2), first as lines and columns: text in, values out, and back. Columns are counted from 1 as
there. Beside the numbered lines it knows JaVaFo's `XXR` (rounds) and `XXS` (points), which pairing programs read. White is red.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.event.acts import Entry
from referee.tournament.event.bracket import stages_of
from referee.tournament.event.standings import HALF, RESULT_SIGNS, SIGNS, Cell, CellKind, Standing, standings
from referee.tournament.event.teams import matches_of, team_event, team_of, team_standings
from referee.tournament.event.trf26 import (
    CODES,
    Records,
    TrfLine,
    records_of,
    rounds_in,
    scoring_in,
    system_in,
    with_teams,
    with_wishes,
)

_FIRST_ROUND = 92
_STEP = 10
_HEADS = ("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132")
_SEATS = {"w": Seat.RED, "b": Seat.BLUE, "-": None, " ": None}
_LETTERS = {Seat.RED: "w", Seat.BLUE: "b", None: "-"}
_KNOWN_SIGNS = "10=+-WDLHFUZ "


@dataclass(frozen=True, slots=True)
class TrfCell:
    """A round of a player: the opponent's number or 0, the seat, the sign of the result or a space."""

    opponent: int
    seat: Seat | None
    sign: str


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A line 001. `line` is where it stood, from 1; 0 in one that was not read."""

    number: int
    name: str
    rating: int
    federation: str
    points: Fraction
    rank: int
    cells: tuple[TrfCell, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Trf:
    """A file: its numbered lines by code (the first of each), what XXR and XXS say, and its players by number."""

    heads: Mapping[str, str]
    players: tuple[TrfPlayer, ...]
    rounds_planned: int | None = None
    scoring: Mapping[str, Fraction] = field(default_factory=dict)
    records: Records = field(default_factory=dict)
    """Those of version 2026."""


def write_trf(trf: Trf, records: Iterable[str] = ()) -> str:
    """Return the text of a TRF file with these records of version 2026; every line ends with CR LF: the format asks for a CR,
    programs for a line feed.
    """
    lines = [f"{code} {trf.heads[code]}" for code in _HEADS if trf.heads.get(code)]
    if trf.rounds_planned is not None:
        lines.append(f"XXR {trf.rounds_planned}")
    if trf.scoring:
        lines.append("XXS " + " ".join(f"{code}={model.points_text(value)}" for code, value in trf.scoring.items()))
    lines.extend(records)
    lines.extend(_player_line(player) for player in trf.players)
    return "".join(f"{line}\r\n" for line in lines)


def _player_line(player: TrfPlayer) -> str:
    points = f"{float(player.points):.1f}" if player.points < 100 else model.points_text(player.points)
    head = (
        f"001 {player.number:>4} {'':1}{'':3} {player.name:<33} {player.rating or '':>4} {player.federation:<3} "
        f"{'':>11} {'':10} {points:>4} {player.rank:>4}"
    )
    cells = (f"  {cell.opponent or '0000':>4} {_LETTERS[cell.seat]} {cell.sign}" for cell in player.cells)
    return head + "".join(cells)


def read_trf(text: str) -> Trf:
    """Read a file. Lines of other kinds are passed over. Raises `TrfError` with every fault of the lines that count."""
    faults: list[model.TrfFault] = []
    heads: dict[str, str] = {}
    players: dict[int, TrfPlayer] = {}
    rounds: int | None = None
    scoring: dict[str, Fraction] = {}
    records: dict[str, list[TrfLine]] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        code, rest = line[:3], line[4:].strip()
        try:
            if code == "001":
                player = _player(number, line)
                if player.number in players:
                    raise model.EventValueError(f"player {player.number} stands there twice")
                players[player.number] = player
            elif code == "XXR":
                rounds = _whole(rest, "a number of rounds")
            elif code == "XXS":
                scoring |= _points(rest)
            elif code in _HEADS:
                heads.setdefault(code, rest)
            if code in CODES:
                records.setdefault(code, []).append(TrfLine(number, line))
        except model.EventValueError as error:
            faults.append(model.TrfFault(number, str(error)))
    if not players and not faults:
        faults.append(model.TrfFault(1, "there is no player (a line that begins with 001)"))
    if faults:
        raise model.TrfError(faults)
    rounds, scoring = rounds_in(records) or rounds, scoring | scoring_in(records)
    return Trf(heads, tuple(players[number] for number in sorted(players)), rounds, scoring, records)


def _points(rest: str) -> dict[str, Fraction]:
    found = {}
    for part in rest.split():
        code, equals, value = part.partition("=")
        if not equals:
            raise model.EventValueError(f"{part!r} is not CODE=POINTS")
        found[code] = model.points_from(value)
    return found


def _player(number: int, line: str) -> TrfPlayer:
    starting = _whole(line[4:8], "a starting rank (columns 5-8)")
    if not starting:
        raise model.EventValueError("starting ranks begin at 1")
    points, rank, rating = line[79:84].strip(), line[85:89].strip(), line[48:52].strip()
    rest = line[_FIRST_ROUND - 1 :]
    count = -(-len(rest.rstrip()) // _STEP)
    cells = [_cell(rest[index * _STEP : index * _STEP + 8].ljust(8), index + 1) for index in range(count)]
    return TrfPlayer(
        starting,
        line[14:47].strip(),
        _whole(rating, "a rating (columns 49-52)") if rating else 0,
        line[53:56].strip(),
        model.points_from(points) if points else Fraction(0),
        _whole(rank, "a rank (columns 86-89)") if rank else 0,
        tuple(cells),
        number,
    )


def _cell(text: str, round_number: int) -> TrfCell:
    opponent, seat, sign = text[:4].strip(), text[5], text[7].upper()
    if seat not in _SEATS or sign not in _KNOWN_SIGNS or text[4] != " " or text[6] != " ":
        raise model.EventValueError(
            f"round {round_number} is {text.rstrip()!r}, which is no opponent, colour and result"
        )
    return TrfCell(_whole(opponent, f"an opponent in round {round_number}") if opponent else 0, _SEATS[seat], sign)


def _whole(text: str, what: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", text):
        raise model.EventValueError(f"{text.strip()!r} is not {what}")
    return int(text)


# An event as a TRF16 file, so that organisers and federations can go on with their own programs.


BYE_SIGNS = {model.ByeKind.PAIRING: "U", model.ByeKind.HALF: "H", model.ByeKind.ZERO: "Z", model.ByeKind.FULL: "F"}
_SYSTEM_WORDS = {
    model.System.SWISS: "Individual: Swiss-System",
    model.System.ROUND_ROBIN: "Individual: Round-Robin",
    model.System.KNOCK_OUT: "Individual: Knock-Out",
}


def trf_of(event: model.Event, *, version: int = 16) -> str:
    """Return an event's TRF file (version 16 or 26) with all published rounds; open tables have no result, a draft is left out."""
    details = event.details
    heads = {
        "012": event.name,
        "022": details.place,
        "032": details.federation,
        "042": details.starts.replace("-", "/"),
        "052": details.ends.replace("-", "/"),
        "062": str(len(event.players)),
        "072": str(sum(1 for player in event.players if player.rating)),
        "092": _SYSTEM_WORDS[event.system],
        "102": details.arbiter,
    }
    players = []
    for line in sorted(standings(event), key=lambda line: line.player.number):
        who, cells = line.player, tuple(map(_written_cell, line.rounds))
        players.append(TrfPlayer(who.number, who.name, who.rating, who.federation, line.points, line.place, cells))
    if version == 26:
        return write_trf(Trf({**heads, "082": ""}, tuple(players)), records_of(event))
    return write_trf(Trf(heads, tuple(players), event.rounds_planned, scoring_codes(event.scoring)))


def scoring_codes(scoring: model.Scoring) -> dict[str, Fraction]:
    """Return the scoring by JaVaFo's XXS codes. `W` covers all wins and the full bye, `D` draws and the half bye."""
    return {
        "W": scoring.win,
        "D": scoring.draw,
        "WL": scoring.loss,
        "BL": scoring.loss,
        "PAB": scoring.bye,
        "FL": scoring.absent,
        "ZPB": scoring.absent,
    }


def _written_cell(cell: Cell) -> TrfCell:
    if cell.kind is CellKind.BYE:
        assert cell.bye is not None
        return TrfCell(0, None, BYE_SIGNS[cell.bye])
    assert cell.opponent is not None
    return TrfCell(cell.opponent, cell.seat, sign_of(cell.kind, cell.share))


def sign_of(kind: CellKind, share: Fraction) -> str:
    """Return the TRF sign of a result; a space while the game is open. A draw has one sign, with or without a game."""
    return "=" if share == HALF else next(sign for sign, meant in SIGNS.items() if meant == (kind, share))


# A TRF16 file as an event, or as the next round's pairings of one that is already there.


_BYES = {sign: kind for kind, sign in BYE_SIGNS.items()}
_RESULTS = {signs: result for result, signs in RESULT_SIGNS.items()}
_SAME_SIGN = {"W": "1", "D": "=", "L": "0"}
"""Results of unrated games; here they are results."""
_WHY = (model.Reason(model.ReasonWord.IMPORTED),)


def event_from_trf(trf: Trf, event_id: model.EventId, seed: int = 0) -> model.Event:
    """Return the event of a file: its players, and all of its rounds as published ones. Raises `TrfError`.

    Without XXS the scoring is chess's; without XXR the planned rounds are those in the file. Rounds before the first
    and after the last sign of a player are rounds in which he was not in the event.
    """
    _refuse_gaps(trf)
    rounds = max((len(player.cells) for player in trf.players), default=0)
    try:
        event = model.Event(
            event_id,
            trf.heads.get("012") or event_id.value,
            max(trf.rounds_planned or 0, rounds, 1),
            system_in(trf.records) or _system(trf.heads.get("092", "")),
            _scoring(trf.scoring),
            seed=seed,
            details=model.Details(
                trf.heads.get("022", ""),
                trf.heads.get("032", ""),
                trf.heads.get("042", "").replace("/", "-"),
                trf.heads.get("052", "").replace("/", "-"),
                trf.heads.get("102", ""),
            ),
        )
        players = tuple(_read_player(player) for player in trf.players)
        event = with_teams(replace(event, players=players), trf.records)
        event = replace(event, rounds=tuple(_round(event, trf, number) for number in range(1, rounds + 1)))
        return with_wishes(event, trf.records)
    except (model.EventValueError, model.UnknownPlayerError) as error:
        raise model.TrfError([model.TrfFault(1, str(error))]) from None


def _system(told: str) -> model.System:
    told = told.casefold()
    return (
        model.System.ROUND_ROBIN
        if "round" in told
        else model.System.KNOCK_OUT
        if "knock" in told
        else model.System.SWISS
    )


def pairings_from_trf(event: model.Event, trf: Trf) -> model.Round:
    """Return the next round of `event` as the file has it, for `adopt`. Raises `TrfError` for a file of a different
    event.

    Names, numbers and all published games must be the same; results that the file lacks are no contradiction.
    """
    _refuse_gaps(trf)
    faults: list[model.TrfFault] = []
    if len(trf.players) != len(event.players):
        faults.append(model.TrfFault(1, f"it has {len(trf.players)} players, the event {len(event.players)}"))
    for theirs, ours in zip(trf.players, event.players, strict=False):
        if theirs.name.casefold() != ours.name.casefold():
            faults.append(
                model.TrfFault(theirs.line, f"player {theirs.number} is {theirs.name!r} there, {ours.name!r} here")
            )
    if faults:
        raise model.TrfError(faults)
    for round_ in event.rounds:
        found = {frozenset(pairing.players) for pairing in _round(event, trf, round_.number).pairings}
        if found != {frozenset(pairing.players) for pairing in round_.pairings}:
            raise model.TrfError([model.TrfFault(1, f"round {round_.number} has other pairings there than here")])
    number = event.next_round
    if not any(len(player.cells) >= number and player.cells[number - 1].opponent for player in trf.players):
        raise model.TrfError([model.TrfFault(1, f"it has no pairings of round {number}")])
    round_ = _round(event, trf, number)
    return replace(round_, pairings=tuple(replace(pairing, result=None) for pairing in round_.pairings))


def _refuse_gaps(trf: Trf) -> None:
    for expected, player in enumerate(trf.players, 1):
        if player.number != expected:
            raise model.TrfError([model.TrfFault(player.line, f"starting ranks have a gap before {player.number}")])


def _read_player(player: TrfPlayer) -> model.Player:
    try:
        return model.Player(model.PlayerNumber(player.number), player.name, player.rating, player.federation)
    except model.EventValueError as error:
        raise model.TrfError([model.TrfFault(player.line, str(error))]) from None


def _scoring(codes: Mapping[str, Fraction]) -> model.Scoring:
    """Return the scoring of the XXS codes; codes that are missing count as in chess (1, 1/2, 0, bye 1, absent 0)."""
    win = codes.get("W", codes.get("WW", Fraction(1)))
    draw = codes.get("D", codes.get("WD", Fraction(1, 2)))
    return model.Scoring(
        win, draw, codes.get("WL", Fraction(0)), codes.get("PAB", Fraction(1)), codes.get("ZPB", Fraction(0))
    )


def _round(event: model.Event, trf: Trf, number: int) -> model.Round:
    """Return a round of the file, tables by their better player. Raises `TrfError` with all contradictions."""
    faults: list[model.TrfFault] = []
    pairings: list[model.Pairing] = []
    byes: list[model.Bye] = []
    here = {player.number for player in event.playing_in(number)}
    for player in trf.players:
        cell = player.cells[number - 1] if len(player.cells) >= number else TrfCell(0, None, " ")
        if not cell.opponent:
            free = model.Bye(model.PlayerNumber(player.number), _BYES.get(cell.sign, model.ByeKind.ZERO), _WHY)
            if player.number in here or not (here or free.kind is model.ByeKind.ZERO):
                byes.append(free)
            continue
        try:
            pairing = _pairing(trf, player, cell, number, len(pairings) + 1)
        except model.EventValueError as error:
            faults.append(model.TrfFault(player.line, f"round {number}: {error}"))
            continue
        if player.number < cell.opponent:
            pairings.append(pairing)
    if faults:
        raise model.TrfError(faults)
    return model.Round(number, tuple(pairings), tuple(byes))


def _pairing(trf: Trf, player: TrfPlayer, cell: TrfCell, number: int, table: int) -> model.Pairing:
    if cell.opponent > len(trf.players) or cell.opponent == player.number:
        raise model.EventValueError(f"player {player.number} has no possible opponent in {cell.opponent}")
    other = trf.players[cell.opponent - 1]
    theirs = other.cells[number - 1] if len(other.cells) >= number else TrfCell(0, None, " ")
    if theirs.opponent != player.number:
        raise model.EventValueError(f"player {player.number} has the opponent {other.number}, who has another")
    if {cell.seat, theirs.seat} != {Seat.RED, Seat.BLUE}:
        raise model.EventValueError(f"players {player.number} and {other.number} are not white and black")
    red, blue = (cell, theirs) if cell.seat is Seat.RED else (theirs, cell)
    signs = "".join(_SAME_SIGN.get(one.sign, one.sign) for one in (red, blue))
    if signs not in _RESULTS:
        raise model.EventValueError(f"players {player.number} and {other.number} have results that do not fit together")
    return model.Pairing(
        table, model.PlayerNumber(blue.opponent), model.PlayerNumber(red.opponent), _RESULTS[signs], _WHY
    )


# The event as a file in either form; the standings with the cross table as CSV.


_SPREADSHEET_STARTS = ("=", "+", "-", "@")


def exported(event: model.Event, form: str) -> str:
    """Return the event as `trf` (TRF16), `trf26` or `csv`."""
    return csv_of(event) if form == "csv" else trf_of(event, version=26 if form == "trf26" else 16)


def csv_of(event: model.Event) -> str:
    """Return the standings as CSV, one line a player. A round reads `12r1`: against 12, red, won (`=` drawn, `0` lost,
    `+` and `-` by absence, nothing while open); a bye is its TRF sign (`U H Z F`).
    """
    out = _Text()
    lines = csv.writer(out)
    rounds = range(1, len(event.rounds) + 1)
    names = [tie_break.value for tie_break in event.tie_breaks]
    lines.writerow(
        ["place", "number", "name", "rating", "federation", "points", *names, *(f"round {n}" for n in rounds)]
    )
    for line in standings(event):
        player = line.player
        lines.writerow(
            [
                line.place,
                player.number,
                _harmless(player.name),
                player.rating or "",
                player.federation,
                model.points_text(line.points),
                *map(model.points_text, line.tie_breaks),
                *map(cell_text, line.rounds),
            ]
        )
    return "".join(out.parts)


_COLUMNS = ("name", "rating", "federation", "group", "team")


def entries_from_csv(text: str) -> list[Entry]:
    """Return the players of a list: a line each, between commas, semicolons or tabs.

    The first line may name the columns, `name` and perhaps `rating`, `federation`, `group`, `team`; others are passed over. Without such a
    line they stand in this order. Raises `TrfError` with every line that is no player.
    """
    lines = text.removeprefix("\ufeff").strip("\r\n").splitlines()
    apart = next((sign for part in (lines[:1], lines) for sign in "\t;," if any(sign in line for line in part)), ",")
    reader = csv.reader(lines, delimiter=apart)
    entries, faults = list[Entry](), list[model.TrfFault]()
    places: dict[str, int] = {}
    try:
        for row in reader:
            if not any(map(str.strip, row)):
                continue
            if not places:
                heads = [cell.strip().casefold() for cell in row]
                order = heads if "name" in heads else _COLUMNS
                places = {one: at for at, one in enumerate(order) if one in _COLUMNS}
                if order is heads:
                    continue
            try:
                entries.append(_entry({one: row[at].strip() for one, at in places.items() if at < len(row)}))
            except model.EventValueError as error:
                faults.append(model.TrfFault(reader.line_num, str(error)))
    except csv.Error as error:
        faults.append(model.TrfFault(max(1, reader.line_num), str(error)))
    if faults:
        raise model.TrfError(faults)
    return entries


def _entry(cells: Mapping[str, str]) -> Entry:
    """Return a line's player. Raises `EventValueError` for what no player of an event can have."""
    rating, federation = cells.get("rating") or "0", cells.get("federation", "").upper()
    if not (rating.isascii() and rating.isdigit() and len(rating) < 5):
        raise model.EventValueError(f"{rating[:20]!r} is no rating")
    player = model.Player(model.PlayerNumber(1), cells.get("name", ""), int(rating), federation)
    return Entry(player.name, player.rating, federation, cells.get("group", ""), cells.get("team", ""))


class _Text:
    """A text for `csv` to write into, because nothing in this room opens a file."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, part: str) -> None:
        self.parts.append(part)


def cell_text(cell: Cell) -> str:
    """Return a cell of the cross table, in the format of `csv_of`."""
    if cell.kind is CellKind.BYE:
        assert cell.bye is not None
        return BYE_SIGNS[cell.bye]
    seat = "r" if cell.seat is Seat.RED else "b"
    return f"{cell.opponent}{seat}{sign_of(cell.kind, cell.share).strip()}"


def _harmless(name: str) -> str:
    """Return a name that a spreadsheet cannot take for a formula."""
    return f"'{name}" if name.startswith(_SPREADSHEET_STARTS) else name


# JSON values: rounds with their reasons, standings with the cross table. For `--json` and for pages.


Json = dict[str, Any]


def event_as_told(event: model.Event) -> Json:
    """Return all of an event as JSON values, with its draft: for arbiters."""
    byes = {bye.player: bye.kind.value for bye in event.requested if bye.round_number == event.next_round}
    seen, teams = event.check_in, team_of(event)
    groups = {number: group.name for group in event.groups for number in group.players}
    return {
        "id": event.id.value,
        "name": event.name,
        "system": event.system.value,
        "planned": event.rounds_planned,
        "next_round": event.next_round,
        "tie_breaks": [tie_break.value for tie_break in event.tie_breaks],
        "tables": list(event.tables),
        "accelerated": event.accelerated,
        "draws": event.draws.value,
        "groups": [{"name": group.name, "players": list(group.players)} for group in event.groups],
        "team_boards": event.team_boards,
        "teams": [
            {"number": number, "name": team.name, "players": list(team.players)}
            for number, team in enumerate(event.teams, 1)
        ],
        "team_standings": team_standings_as_told(event),
        "bracket": bracket_as_told(event),
        "players": [
            {
                "number": player.number,
                "name": player.name,
                "rating": player.rating,
                "federation": player.federation,
                "first_round": player.first_round,
                "gone": player.last_round is not None,
                "bye": byes.get(player.number),
                "present": None if seen is None else player.number in seen.present,
                "group": groups.get(player.number, ""),
                "team": teams.get(player.number),
            }
            for player in event.players
        ],
        "check_in": seen and {"round": seen.round_number, "present": list(seen.present)},
        "requested": [
            {"number": bye.player, "round": bye.round_number, "kind": bye.kind.value} for bye in event.requested
        ],
        "pair_rules": [
            {"players": list(rule.players), "kind": rule.kind.value, "round": rule.round_number}
            for rule in event.pair_rules
        ],
        "rounds": [round_as_told(event, round_) for round_ in event.rounds],
        "draft": event.draft and round_as_told(event, event.draft),
        "standings": standings_as_told(event),
    }


def standings_as_told(event: model.Event) -> list[Json]:
    """Return the standings as JSON values, one a player, group by group; `rounds` are the cells of the cross table."""
    return _lines_as_told(event, standings(event))


def team_standings_as_told(event: model.Event) -> list[Json]:
    """Return the standings of the teams as those of players, `rounds` being their matches; nothing where there are no teams."""
    return _lines_as_told(event, team_standings(event)) if event.team_boards else []


def _lines_as_told(event: model.Event, lines: Iterable[Standing]) -> list[Json]:
    names = [tie_break.value for tie_break in event.tie_breaks]
    return [
        {
            "place": line.place,
            "number": line.player.number,
            "name": line.player.name,
            "points": model.points_text(line.points),
            **dict(zip(names, map(model.points_text, line.tie_breaks), strict=True)),
            "rounds": [cell_text(cell) for cell in line.rounds],
            **({"group": line.group} if event.groups else {}),
        }
        for line in lines
    ]


def bracket_as_told(event: model.Event) -> list[list[Json]]:
    """Return the stages of a knock-out (of another system nothing), each a list of matches: `sides` are two numbers (a team's in an event
    of teams) or null, `winner` a number, or null while it is open and where both are out.
    """
    if event.system is not model.System.KNOCK_OUT:
        return []
    stages = stages_of(team_event(event) if event.team_boards else event)
    return [
        [{"sides": list(match.slots), "winner": match.winner, "over": match.is_over} for match in stage]
        for stage in stages
    ]


def round_as_told(event: model.Event, round_: model.Round, *, reasons: bool = True) -> Json:
    """Return a round as JSON: its tables with results and reasons, and the byes; without `reasons` as it is posted in
    public.
    """

    def why(one: model.Pairing | model.Bye) -> Json:
        return {"reasons": list(map(str, one.reasons))} if reasons else {}

    tables = [
        {
            "table": pairing.table,
            "red": _named(event, pairing.red),
            "blue": _named(event, pairing.blue),
            "result": None if pairing.result is None else pairing.result.value,
            **why(pairing),
        }
        for pairing in round_.pairings
    ]
    byes = [{"player": _named(event, bye.player), "kind": bye.kind.value, **why(bye)} for bye in round_.byes]
    ends = round_.ends and {"at_ms": round_.ends.at_ms, "at_end": round_.ends.at_end.value}
    matches = [
        {
            "teams": [match.red, match.blue],
            "points": [model.points_text(match.points[team]) for team in (match.red, match.blue)],
            "tables": match.tables,
        }
        for match in (matches_of(event, round_) if event.team_boards else ())
    ]
    told = {"round": round_.number, "tables": tables, "byes": byes, "ends": ends}
    return {**told, "matches": matches} if event.team_boards else told


def _named(event: model.Event, number: model.PlayerNumber) -> Json:
    return {"number": number, "name": event.player(number).name}
