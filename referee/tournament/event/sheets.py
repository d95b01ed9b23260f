"""The standings with the cross table as CSV, for spreadsheets and papers."""

from __future__ import annotations

import csv

from referee.rules.values import Seat
from referee.tournament.event.cells import Cell, CellKind
from referee.tournament.event.event import Event
from referee.tournament.event.standings import standings
from referee.tournament.event.trf_out import BYE_SIGNS, sign_of
from referee.tournament.event.values import points_text

_SPREADSHEET_STARTS = ("=", "+", "-", "@")


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
