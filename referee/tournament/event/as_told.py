"""An event as JSON values: rounds with their reasons, standings with the cross table. For `--json` and for pages."""

from __future__ import annotations

from typing import Any

from referee.tournament.event.event import Event
from referee.tournament.event.sheets import cell_text
from referee.tournament.event.standings import standings
from referee.tournament.event.values import PlayerNumber, Round, points_text

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
