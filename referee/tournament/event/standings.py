"""Who stands where: what each round was for each player, the tie-breaks, the standings and the cross table.

Everything counts from the cells: with whom, where he sat, what it gave him.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import floor

from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.event.bracket import stages_reached

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
    if pairing.is_unplayed and pairing.result is model.Result.DRAW:
        red, blue = ((CellKind.WON_BY_ABSENCE, share) for _, share in (red, blue))
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


# What decides between equal points, after the FIDE Handbook C.07 (from 1 March 2026).
#
# Buchholz (8.1): the sum of the opponents' scores; without the least (14.1), or without the least and the greatest (14.3).
# Sonneborn-Berger (9.1): the scores of those who were beaten and half of those who drew; counted in shares of a game, so that 6-3-1
# gives nothing for losing to a strong player. Rounds that were not played follow article 16 in a Swiss: as an opponent a player counts
# with his adjusted score (16.3: requested byes that only voluntary unplayed rounds follow are draws), his own unplayed round is one
# against a dummy with his own score, capped (16.4); of a player with voluntary unplayed rounds the least of theirs is cut (16.5). In a
# round robin absences count as played and the free round not at all.


_FORFEITS = (CellKind.WON_BY_ABSENCE, CellKind.LOST_BY_ABSENCE)
_Values = dict[model.PlayerNumber, Fraction]


def tie_break_values(
    event: model.Event, cells: Cells, board_points: _Values | None = None
) -> dict[model.TieBreak, _Values]:
    """Return the value of each of the event's tie-breaks for every player; more is better. `board_points` are the teams', where
    those are the players; a player's are his points.
    """
    adjusted = {number: _adjusted(event, row) for number, row in cells.items()}
    found: dict[model.TieBreak, _Values] = {}
    pool_of = {number: Fraction(at) for at, pool in enumerate(event.pools.values()) for number in pool}
    levels: dict[model.PlayerNumber, tuple[Fraction, ...]] = {
        number: (pool_of[number], total(row)) for number, row in cells.items()
    }
    for tie_break in event.tie_breaks:
        if tie_break is model.TieBreak.DIRECT_ENCOUNTER:
            values = _direct_encounter(event, cells, levels)
        elif tie_break is model.TieBreak.BOARD_POINTS:
            values = board_points or {number: total(row) for number, row in cells.items()}
        else:
            value = _FORMULAS[tie_break]
            values = {number: value(event, row, adjusted) for number, row in cells.items()}
        found[tie_break] = values
        levels = {number: (*level, values[number]) for number, level in levels.items()}
    return found


def _buchholz(low: int, high: int) -> Callable[[model.Event, tuple[Cell, ...], _Values], Fraction]:
    def value(event: model.Event, row: tuple[Cell, ...], adjusted: _Values) -> Fraction:
        """Return Buchholz without so many of the least and of the greatest of its parts; what has no part in it is not cut."""
        whole = event.system is model.System.ROUND_ROBIN
        counted = (cell for cell in row if cell.kind is not CellKind.OPEN and not (whole and cell.opponent is None))
        parts = [(not cell.is_voluntary, _met(event, cell, row, adjusted)) for cell in counted]
        if low and parts:  # a voluntary unplayed round before all others
            parts.remove(min(parts) if event.system is model.System.SWISS else min(parts, key=lambda part: part[1]))
        sums = sorted(part for _, part in parts)
        return sum(sums[: len(sums) - high], Fraction(0))

    return value


def _sonneborn_berger(event: model.Event, row: tuple[Cell, ...], adjusted: _Values) -> Fraction:
    return sum((cell.share * _met(event, cell, row, adjusted) for cell in row), Fraction(0))


def _wins(event: model.Event, row: tuple[Cell, ...], adjusted: _Values) -> Fraction:
    """Return the number of rounds with the points of a win, with or without a game (7.1)."""
    return Fraction(sum(cell.points >= event.scoring.win for cell in row))


def _progressive(event: model.Event, row: tuple[Cell, ...], adjusted: _Values) -> Fraction:
    """Return the sum of the scores after each round (7.5)."""
    return sum((total(row[:rounds]) for rounds in range(1, len(row) + 1)), Fraction(0))


_DP = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193),
    *(202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538),
    *(589, 677, 800),
)
"""Rating differences of the FIDE Handbook B.02, table 8.1.1, for shares of 0.50, 0.51 and so on to 1."""


def _performance(event: model.Event, row: tuple[Cell, ...], adjusted: _Values) -> Fraction:
    """Return the tournament performance rating (10.2): the average rating of the opponents met at the board, and what the share of
    the points says. Opponents without a rating are left out, which is not FIDE's; without any it is 0.
    """
    met = [
        (event.player(cell.opponent).rating, cell.share)
        for cell in row
        if cell.kind is CellKind.PLAYED and cell.opponent is not None and event.player(cell.opponent).rating
    ]
    if not met:
        return Fraction(0)
    average = _half_up(Fraction(sum(rating for rating, _ in met), len(met)))
    hundredths = _half_up(100 * sum((share for _, share in met), Fraction(0)) / len(met))
    return Fraction(average + (_DP[hundredths - 50] if hundredths >= 50 else -_DP[50 - hundredths]))


def _half_up(value: Fraction) -> int:
    return floor(value + HALF)


_FORMULAS: Mapping[model.TieBreak, Callable[[model.Event, tuple[Cell, ...], _Values], Fraction]] = {
    model.TieBreak.BUCHHOLZ: _buchholz(0, 0),
    model.TieBreak.BUCHHOLZ_CUT_1: _buchholz(1, 0),
    model.TieBreak.BUCHHOLZ_MEDIAN: _buchholz(1, 1),
    model.TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
    model.TieBreak.WINS: _wins,
    model.TieBreak.PROGRESSIVE: _progressive,
    model.TieBreak.PERFORMANCE: _performance,
}


def _direct_encounter(
    event: model.Event, cells: Cells, levels: Mapping[model.PlayerNumber, tuple[Fraction, ...]]
) -> _Values:
    """Return how many of those who are level with a player so far stand after him by their games against each other (article 6)."""
    groups: dict[tuple[Fraction, ...], list[model.PlayerNumber]] = {}
    for number, level in levels.items():
        groups.setdefault(level, []).append(number)
    found = dict.fromkeys(cells, Fraction(0))
    for group in groups.values():
        after = len(group)
        for same in _by_encounters(event, cells, group):
            after -= len(same)
            found |= dict.fromkeys(same, Fraction(after))
    return found


def _by_encounters(event: model.Event, cells: Cells, group: list[model.PlayerNumber]) -> list[list[model.PlayerNumber]]:
    """Return a group in order, those who stay level together. Where some have not met, somebody stands first only if he does
    whatever their games would have given (6.3).
    """
    counted = (CellKind.PLAYED, *(_FORFEITS if event.system is model.System.ROUND_ROBIN else ()))
    members, scores, reach = {*group}, dict[model.PlayerNumber, Fraction](), dict[model.PlayerNumber, Fraction]()
    for one in group:
        met: dict[model.PlayerNumber, list[Fraction]] = {}
        for cell in cells[one]:
            if cell.opponent is not None and cell.opponent in members and cell.kind in counted:
                met.setdefault(cell.opponent, []).append(cell.points)
        scores[one] = sum((sum(games, Fraction(0)) / len(games) for games in met.values()), Fraction(0))
        reach[one] = scores[one] + (len(group) - 1 - len(met)) * event.scoring.win
    if scores == reach:  # all have met
        levels = sorted({*scores.values()}, reverse=True)
        parts = [[number for number in group if scores[number] == level] for level in levels]
        return parts if len(parts) == 1 else [same for part in parts for same in _by_encounters(event, cells, part)]
    first, second = sorted(group, key=lambda number: -reach[number])[:2]
    if scores[first] > reach[second]:
        return [[first], *_by_encounters(event, cells, [number for number in group if number != first])]
    return [group]


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


# Who stands where, and the cross table.


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table. Those whom no tie-break parts share a `place`, counted from 1 in each group; `rounds` is the line of the
    cross table.
    """

    place: int
    player: model.Player
    points: Fraction
    tie_breaks: tuple[Fraction, ...]
    rounds: tuple[Cell, ...]
    group: str = ""


def standings(event: model.Event, board_points: _Values | None = None) -> tuple[Standing, ...]:
    """Return the standings after the published rounds, group by group, best first, equal places by number. Open tables count nothing
    yet. In a knock-out whoever came further stands before, and those who were put out in one stage share a place.
    """
    cells = cells_of(event)
    values = tie_break_values(event, cells, board_points)
    knock_out = event.system is model.System.KNOCK_OUT
    reached = stages_reached(event) if knock_out else {}
    scores = {
        number: (total(row), *(values[name][number] for name in event.tie_breaks)) for number, row in cells.items()
    }
    ranks = {number: (Fraction(reached[number]),) if knock_out else score for number, score in scores.items()}
    lines: list[Standing] = []
    for name, pool in event.pools.items():
        place, before = 0, None
        for position, number in enumerate(sorted(pool, key=lambda one: (*(-each for each in ranks[one]), one)), 1):
            if ranks[number] != before:
                place, before = position, ranks[number]
            points, *tie_breaks = scores[number]
            lines.append(Standing(place, event.player(number), points, tuple(tie_breaks), cells[number], name))
    return tuple(lines)
