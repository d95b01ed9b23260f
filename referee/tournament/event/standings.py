"""Who stands where, and the cross table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from referee.tournament.event.cells import Cell, cells_of, total
from referee.tournament.event.event import Event
from referee.tournament.event.tie_breaks import tie_break_values
from referee.tournament.event.values import Player


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. Those whom no tie-break parts share a `place`, counted from 1; `rounds` is the line of the cross table."""

    place: int
    player: Player
    points: Fraction
    tie_breaks: tuple[Fraction, ...]
    rounds: tuple[Cell, ...]


def standings(event: Event) -> tuple[Standing, ...]:
    """Give the table after the published rounds, best first; those who share a place stand by number. Open tables count nothing yet."""
    cells = cells_of(event)
    values = tie_break_values(event, cells)
    scores = {
        player: (total(cells[player.number]), *(values[name][player.number] for name in event.tie_breaks))
        for player in event.players
    }
    lines: list[Standing] = []
    for position, player in enumerate(
        sorted(scores, key=lambda one: (*(-score for score in scores[one]), one.number)), 1
    ):
        points, *tie_breaks = scores[player]
        shared = bool(lines) and (lines[-1].points, *lines[-1].tie_breaks) == scores[player]
        place = lines[-1].place if shared else position
        lines.append(Standing(place, player, points, tuple(tie_breaks), cells[player.number]))
    return tuple(lines)
