"""What decides between equal points: Buchholz and Sonneborn-Berger, after the FIDE Handbook C.07 (from 1 March 2026).

Buchholz (8.1): the sum of the opponents' scores. Sonneborn-Berger (9.1): the scores of those who were beaten and half of
those who drew; counted in shares of a game, so that 6-3-1 gives nothing for losing to a strong player. Rounds that were
not played follow article 16 in a Swiss: as an opponent a player counts with his adjusted score (16.3: requested byes that
only voluntary unplayed rounds follow are draws), his own unplayed round is one against a dummy with his own score, capped
(16.4). In a round robin absences count as played and the free round not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from referee.tournament.event.cells import Cell, CellKind, Cells, total
from referee.tournament.event.event import Event
from referee.tournament.event.values import PlayerNumber, System, TieBreak

_FORFEITS = (CellKind.WON_BY_ABSENCE, CellKind.LOST_BY_ABSENCE)


def tie_break_values(event: Event, cells: Cells) -> dict[TieBreak, dict[PlayerNumber, Fraction]]:
    """Give every tie-break of the event for every player."""
    adjusted = {number: _adjusted(event, row) for number, row in cells.items()}
    found: dict[TieBreak, dict[PlayerNumber, Fraction]] = {}
    for tie_break in event.tie_breaks:
        share = _SHARE[tie_break]
        found[tie_break] = {
            number: sum((share(cell) * _met(event, cell, row, adjusted) for cell in row), Fraction(0))
            for number, row in cells.items()
        }
    return found


def _adjusted(event: Event, row: tuple[Cell, ...]) -> Fraction:
    """Give a player's score as his opponents count it."""
    score = total(row)
    if event.system is System.ROUND_ROBIN:
        return score
    for cell in reversed(row):
        if not cell.is_voluntary:
            break
        if cell.is_requested:
            score += event.scoring.draw - cell.points
    return score


def _met(event: Event, cell: Cell, row: tuple[Cell, ...], adjusted: Mapping[PlayerNumber, Fraction]) -> Fraction:
    """Give the score that this round's opponent, or the dummy in his place, counts with."""
    if cell.kind is CellKind.OPEN:
        return Fraction(0)
    as_played = cell.kind is CellKind.PLAYED or (event.system is System.ROUND_ROBIN and cell.kind in _FORFEITS)
    if as_played and cell.opponent is not None:
        return adjusted[cell.opponent]
    if event.system is System.ROUND_ROBIN:
        return Fraction(0)
    cap = event.scoring.draw * len(row) if cell.opponent is None else adjusted[cell.opponent]
    return min(total(row), cap)


def _whole(_cell: Cell) -> Fraction:
    return Fraction(1)


def _share_of_game(cell: Cell) -> Fraction:
    return cell.share


_SHARE: dict[TieBreak, Callable[[Cell], Fraction]] = {
    TieBreak.BUCHHOLZ: _whole,
    TieBreak.SONNEBORN_BERGER: _share_of_game,
}
