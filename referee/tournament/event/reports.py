"""An event for other programs: the standings with the cross table as CSV, and the whole event as JSON values."""

from __future__ import annotations

import csv
from typing import Any

from referee.rules.values import Seat
from referee.tournament.event.event import Event, PlayerNumber, Round, points_text
from referee.tournament.event.standings import Cell, CellKind, standings
from referee.tournament.event.trf import BYE_SIGNS, sign_of, trf_of

_SPREADSHEET_STARTS = ("=", "+", "-", "@")


def exported(event: Event, form: str) -> str:
    """Return the event as `trf` or `csv`."""
    return trf_of(event) if form == "trf" else csv_of(event)


def csv_of(event: Event) -> str:
    """Give one line a player in the order of the standings. A round reads `12r1`: against 12, red, won (`=` drawn, `0` lost,
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
                points_text(line.points),
                *map(points_text, line.tie_breaks),
                *map(cell_text, line.rounds),
            ]
        )
    return "".join(out.parts)


class _Text:
    """What `csv` writes into; a file is no business of this room's."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, part: str) -> None:
        self.parts.append(part)


def cell_text(cell: Cell) -> str:
    """Give a cell of the cross table as `csv_of` says."""
    if cell.kind is CellKind.BYE:
        assert cell.bye is not None
        return BYE_SIGNS[cell.bye]
    seat = "r" if cell.seat is Seat.RED else "b"
    return f"{cell.opponent}{seat}{sign_of(cell.kind, cell.share).strip()}"


def _harmless(name: str) -> str:
    """Keep a spreadsheet from taking a name for a formula."""
    return f"'{name}" if name.startswith(_SPREADSHEET_STARTS) else name


# JSON values: rounds with their reasons, standings with the cross table. For `--json` and for pages.


Json = dict[str, Any]


def standings_as_told(event: Event) -> list[Json]:
    """Give a line a player in the order of the standings; `rounds` are the cells of the cross table."""
    names = [tie_break.value for tie_break in event.tie_breaks]
    return [
        {
            "place": line.place,
            "number": line.player.number.value,
            "name": line.player.name,
            "points": points_text(line.points),
            **dict(zip(names, map(points_text, line.tie_breaks), strict=True)),
            "rounds": [cell_text(cell) for cell in line.rounds],
        }
        for line in standings(event)
    ]


def round_as_told(event: Event, round_: Round) -> Json:
    """Give a round: its tables, each with its result and reasons, and who is free."""
    tables = [
        {
            "table": pairing.table,
            "red": _player(event, pairing.red),
            "blue": _player(event, pairing.blue),
            "result": None if pairing.result is None else pairing.result.value,
            "reasons": list(map(str, pairing.reasons)),
        }
        for pairing in round_.pairings
    ]
    byes = [
        {"player": _player(event, bye.player), "kind": bye.kind.value, "reasons": list(map(str, bye.reasons))}
        for bye in round_.byes
    ]
    ends = round_.ends and {"at_ms": round_.ends.at_ms, "at_end": round_.ends.at_end.value}
    return {"round": round_.number, "tables": tables, "byes": byes, "ends": ends}


def _player(event: Event, number: PlayerNumber) -> Json:
    return {"number": number.value, "name": event.player(number).name}
