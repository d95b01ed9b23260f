"""Who stands where: what each round was for each player, the tie-breaks, the standings and the cross table.

Everything counts from the cells: with whom, where he sat, what it gave him.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from referee.rules.values import Seat
from referee.tournament.event import event as model

HALF = Fraction(1, 2)


class CellKind(Enum):
    """The kind of a player's round."""

    OPEN = "open"  # paired, no result yet
    PLAYED = "played"
    WON_BY_ABSENCE = "won-by-absence"
    LOST_BY_ABSENCE = "lost-by-absence"
    BYE = "bye"


@dataclass(frozen=True, slots=True)
class Cell:
    """One round of one player. `share` of the game: 1 for a win, a half for a draw, 0 for a loss, whatever the scoring is."""

    kind: CellKind
    points: Fraction
    share: Fraction
    opponent: model.PlayerNumber | None = None
    seat: Seat | None = None
    bye: model.ByeKind | None = None

    @property
    def is_voluntary(self) -> bool:
        """Return whether the player could have played and did not: a requested bye, or staying away (FIDE C.07, article
        16.1).
        """
        return self.kind is CellKind.LOST_BY_ABSENCE or self.is_requested

    @property
    def is_requested(self) -> bool:
        """Return whether it is a requested bye; a round outside the event counts as one without points."""
        return self.bye in (model.ByeKind.HALF, model.ByeKind.ZERO)


Cells = dict[model.PlayerNumber, tuple[Cell, ...]]
"""The published rounds of every player, in order."""

_ZERO = Fraction(0)
SIGNS = {
    "1": (CellKind.PLAYED, Fraction(1)),
    "=": (CellKind.PLAYED, HALF),
    "0": (CellKind.PLAYED, _ZERO),
    "+": (CellKind.WON_BY_ABSENCE, Fraction(1)),
    "-": (CellKind.LOST_BY_ABSENCE, _ZERO),
    " ": (CellKind.OPEN, _ZERO),
}
"""TRF's sign of a game -> what it was for a player, and his share. In a lost pair both have 0, when both stayed away both have a minus."""
RESULT_SIGNS: Mapping[model.Result | None, str] = {
    model.Result.RED_WINS: "10",
    model.Result.BLUE_WINS: "01",
    model.Result.DRAW: "==",
    model.Result.BOTH_LOSE: "00",
    model.Result.BLUE_ABSENT: "+-",
    model.Result.RED_ABSENT: "-+",
    model.Result.BOTH_ABSENT: "--",
    None: "  ",
}
"""Result -> red's sign and blue's."""


def cells_of(event: model.Event) -> Cells:
    """Return the cells of every player's published rounds. A round in which a player was not in the event is a zero
    bye.
    """
    outside = _bye_cell(event.scoring, model.ByeKind.ZERO)
    found: dict[model.PlayerNumber, list[Cell]] = {player.number: [] for player in event.players}
    for round_ in event.rounds:
        here: dict[model.PlayerNumber, Cell] = {}
        for pairing in round_.pairings:
            here[pairing.red], here[pairing.blue] = pairing_cells(event.scoring, pairing)
        for bye in round_.byes:
            here[bye.player] = _bye_cell(event.scoring, bye.kind)
        for number, row in found.items():
            row.append(here.get(number, outside))
    return {number: tuple(row) for number, row in found.items()}


def pairing_cells(scoring: model.Scoring, pairing: model.Pairing) -> tuple[Cell, Cell]:
    """Return red's and blue's cell for a table."""
    red, blue = (SIGNS[sign] for sign in RESULT_SIGNS[pairing.result])
    return (
        Cell(red[0], _points(scoring, *red), red[1], pairing.blue, Seat.RED),
        Cell(blue[0], _points(scoring, *blue), blue[1], pairing.red, Seat.BLUE),
    )


def total(cells: tuple[Cell, ...]) -> Fraction:
    """Return the sum of the points."""
    return sum((cell.points for cell in cells), Fraction(0))


def _points(scoring: model.Scoring, kind: CellKind, share: Fraction) -> Fraction:
    if kind is CellKind.OPEN:
        return _ZERO
    if kind is CellKind.LOST_BY_ABSENCE:
        return scoring.absent
    return {Fraction(1): scoring.win, HALF: scoring.draw, _ZERO: scoring.loss}[share]


def _bye_cell(scoring: model.Scoring, kind: model.ByeKind) -> Cell:
    points = scoring.of_bye(kind)
    share = Fraction(1) if points >= scoring.win else HALF if points >= scoring.draw else _ZERO
    return Cell(CellKind.BYE, points, share, bye=kind)


# What decides between equal points: Buchholz and Sonneborn-Berger, after the FIDE Handbook C.07 (from 1 March 2026).
#
# Buchholz (8.1): the sum of the opponents' scores. Sonneborn-Berger (9.1): the scores of those who were beaten and half of
# those who drew; counted in shares of a game, so that 6-3-1 gives nothing for losing to a strong player. Rounds that were
# not played follow article 16 in a Swiss: as an opponent a player counts with his adjusted score (16.3: requested byes that
# only voluntary unplayed rounds follow are draws), his own unplayed round is one against a dummy with his own score, capped
# (16.4). In a round robin absences count as played and the free round not at all.


_FORFEITS = (CellKind.WON_BY_ABSENCE, CellKind.LOST_BY_ABSENCE)


def tie_break_values(event: model.Event, cells: Cells) -> dict[model.TieBreak, dict[model.PlayerNumber, Fraction]]:
    """Return the value of each of the event's tie-breaks for every player."""
    adjusted = {number: _adjusted(event, row) for number, row in cells.items()}
    found: dict[model.TieBreak, dict[model.PlayerNumber, Fraction]] = {}
    for tie_break in event.tie_breaks:
        share = _SHARE[tie_break]
        found[tie_break] = {
            number: sum((share(cell) * _met(event, cell, row, adjusted) for cell in row), Fraction(0))
            for number, row in cells.items()
        }
    return found


def _adjusted(event: model.Event, row: tuple[Cell, ...]) -> Fraction:
    """Return a player's score as it counts in the opponents' tie-breaks: requested byes at the end count as draws."""
    score = total(row)
    if event.system is model.System.ROUND_ROBIN:
        return score
    for cell in reversed(row):
        if not cell.is_voluntary:
            break
        if cell.is_requested:
            score += event.scoring.draw - cell.points
    return score


def _met(
    event: model.Event, cell: Cell, row: tuple[Cell, ...], adjusted: Mapping[model.PlayerNumber, Fraction]
) -> Fraction:
    """Return the score that counts for this round's opponent, or for the dummy opponent of an unplayed round (FIDE
    C.07, article 16).
    """
    if cell.kind is CellKind.OPEN:
        return Fraction(0)
    as_played = cell.kind is CellKind.PLAYED or (event.system is model.System.ROUND_ROBIN and cell.kind in _FORFEITS)
    if as_played and cell.opponent is not None:
        return adjusted[cell.opponent]
    if event.system is model.System.ROUND_ROBIN:
        return Fraction(0)
    cap = event.scoring.draw * len(row) if cell.opponent is None else adjusted[cell.opponent]
    return min(total(row), cap)


_SHARE: dict[model.TieBreak, Callable[[Cell], Fraction]] = {
    model.TieBreak.BUCHHOLZ: lambda cell: Fraction(1),
    model.TieBreak.SONNEBORN_BERGER: lambda cell: cell.share,
}


# Who stands where, and the cross table.


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. Those whom no tie-break parts share a `place`, counted from 1; `rounds` is the line of the cross table."""

    place: int
    player: model.Player
    points: Fraction
    tie_breaks: tuple[Fraction, ...]
    rounds: tuple[Cell, ...]


def standings(event: model.Event) -> tuple[Standing, ...]:
    """Return the standings after the published rounds, best first, equal places by number. Open tables count nothing
    yet.
    """
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
