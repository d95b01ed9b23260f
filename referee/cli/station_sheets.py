"""What `hallmarshal station` prints: events, rounds with their reasons, standings. A file of its own: `--help` loads no rich for it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from referee.terminal import TerminalConsole
from referee.tournament.event.event import Event, Reason, Round
from referee.tournament.event.reports import csv_of, round_as_told, standings_as_told
from referee.tournament.event.trf import trf_of


def exported(event: Event, form: str) -> str:
    """Give the event as `trf` or `csv`."""
    return trf_of(event) if form == "trf" else csv_of(event)


def print_list(events: Sequence[Event], as_json: bool) -> None:
    """Print one line an event."""
    rows = [
        {
            "event": event.id.value,
            "name": event.name,
            "system": event.system.value,
            "players": len(event.players),
            "rounds": len(event.rounds),
        }
        for event in events
    ]
    if as_json:
        print(json.dumps({"events": rows}))
    else:
        _print_table(["event", "name", "system", "players", "rounds"], [list(map(str, row.values())) for row in rows])


def print_rounds(event: Event, as_json: bool) -> None:
    """Print the last round, then the proposed one, each pairing with its reasons."""
    last = event.rounds[-1] if event.rounds else None
    if as_json:
        rounds = {
            "round": last and round_as_told(event, last),
            "draft": event.draft and round_as_told(event, event.draft),
        }
        print(json.dumps({"event": event.id.value, **rounds}))
        return
    for title, round_ in (("round", last), ("proposed, not published: round", event.draft)):
        if round_ is not None:
            print(f"{title} {round_.number}")
            _print_round(event, round_)


def print_standings(event: Event, as_json: bool) -> None:
    """Print the standings with the cross table."""
    names = [tie_break.value for tie_break in event.tie_breaks]
    rows = standings_as_told(event)
    if as_json:
        print(json.dumps({"event": event.id.value, "rounds": len(event.rounds), "standings": rows}))
        return
    heads = ["place", "number", "name", "points", *names, "rounds"]
    _print_table(heads, [[" ".join(v) if isinstance(v, list) else str(v) for v in row.values()] for row in rows])


def _print_round(event: Event, round_: Round) -> None:
    rows = [
        [
            str(pairing.table),
            *(f"{number} {event.player(number).name}" for number in pairing.players),
            "" if pairing.result is None else pairing.result.value,
            _told(pairing.reasons),
        ]
        for pairing in round_.pairings
    ]
    rows.extend(
        ["-", f"{bye.player} {event.player(bye.player).name}", "", f"{bye.kind.value} bye", _told(bye.reasons)]
        for bye in round_.byes
    )
    _print_table(["table", "red", "blue", "result", "reasons"], rows)


def _told(reasons: Sequence[Reason]) -> str:
    return ", ".join(map(str, reasons))


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; names are text, never markup."""
    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    TerminalConsole().print(table)
