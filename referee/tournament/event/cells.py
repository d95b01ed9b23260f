"""What each round was for each player: with whom, where he sat, what it gave him. Everything else counts from these."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from referee.rules.values import Seat
from referee.tournament.event.event import Event
from referee.tournament.event.values import ByeKind, Pairing, PlayerNumber, Result, Scoring

HALF = Fraction(1, 2)


class CellKind(Enum):
    """What a round was for a player."""

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
    opponent: PlayerNumber | None = None
    seat: Seat | None = None
    bye: ByeKind | None = None

    @property
    def is_voluntary(self) -> bool:
        """Whether he could have played and did not: a bye that was asked for, or staying away (FIDE C.07, article 16.1)."""
        return self.kind is CellKind.LOST_BY_ABSENCE or self.is_requested

    @property
    def is_requested(self) -> bool:
        """Whether it is a bye that was asked for; every round outside the event is one of no points."""
        return self.bye in (ByeKind.HALF, ByeKind.ZERO)


Cells = dict[PlayerNumber, tuple[Cell, ...]]
"""The published rounds of every player, in order."""

_SHARES = {
    Result.RED_WINS: (Fraction(1), Fraction(0)),
    Result.BLUE_WINS: (Fraction(0), Fraction(1)),
    Result.DRAW: (HALF, HALF),
    Result.BOTH_LOSE: (Fraction(0), Fraction(0)),
    Result.RED_ABSENT: (Fraction(0), Fraction(1)),
    Result.BLUE_ABSENT: (Fraction(1), Fraction(0)),
    Result.BOTH_ABSENT: (Fraction(0), Fraction(0)),
}


def cells_of(event: Event) -> Cells:
    """Give every player's published rounds. Who was not in the event in a round has a zero bye there."""
    outside = _bye_cell(event.scoring, ByeKind.ZERO)
    found: dict[PlayerNumber, list[Cell]] = {player.number: [] for player in event.players}
    for round_ in event.rounds:
        here: dict[PlayerNumber, Cell] = {}
        for pairing in round_.pairings:
            here[pairing.red], here[pairing.blue] = pairing_cells(event.scoring, pairing)
        for bye in round_.byes:
            here[bye.player] = _bye_cell(event.scoring, bye.kind)
        for number, row in found.items():
            row.append(here.get(number, outside))
    return {number: tuple(row) for number, row in found.items()}


def pairing_cells(scoring: Scoring, pairing: Pairing) -> tuple[Cell, Cell]:
    """Give red's and blue's cell of a table."""
    red, blue = pairing.players
    if pairing.result is None:
        kinds, shares = (CellKind.OPEN, CellKind.OPEN), (Fraction(0), Fraction(0))
        points = shares
    else:
        shares = _SHARES[pairing.result]
        kinds = _kinds(pairing.result)
        points = _points(scoring, kinds[0], shares[0]), _points(scoring, kinds[1], shares[1])
    return (
        Cell(kinds[0], points[0], shares[0], blue, Seat.RED),
        Cell(kinds[1], points[1], shares[1], red, Seat.BLUE),
    )


def total(cells: tuple[Cell, ...]) -> Fraction:
    """Add the points up."""
    return sum((cell.points for cell in cells), Fraction(0))


def _kinds(result: Result) -> tuple[CellKind, CellKind]:
    if result.was_played:
        return CellKind.PLAYED, CellKind.PLAYED
    won, lost = CellKind.WON_BY_ABSENCE, CellKind.LOST_BY_ABSENCE
    if result is Result.BOTH_ABSENT:
        return lost, lost
    return (lost, won) if result is Result.RED_ABSENT else (won, lost)


def _points(scoring: Scoring, kind: CellKind, share: Fraction) -> Fraction:
    if kind is CellKind.LOST_BY_ABSENCE:
        return scoring.absent
    return {Fraction(1): scoring.win, HALF: scoring.draw, Fraction(0): scoring.loss}[share]


def _bye_cell(scoring: Scoring, kind: ByeKind) -> Cell:
    points = scoring.of_bye(kind)
    share = Fraction(1) if points >= scoring.win else HALF if points >= scoring.draw else Fraction(0)
    return Cell(CellKind.BYE, points, share, bye=kind)
