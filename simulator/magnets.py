"""Magnets: at rest, on their way through time, and what each sensor feels of all of them, or of one (`Field`).

A `Track` is the way of one magnet: points, where it is between them, and where it stands before and after. What magnets at rest do to each
sensor is summed once, when they come to rest; only magnets in motion are followed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from hardware import BoardFile
from hardware.board_file import Magnet
from toml_tables import read_toml

_FAR = 4.2  # pitches: a magnet farther off adds less than 0.02 % of the centred field
_NEAR = 1.7  # pitches: the squares that are looked at while a magnet moves; farther off it adds less than 0.5 %
TOO_HIGH_MM = 20.0  # a magnet up there adds less than 1.5 %, whatever is below


class Point(NamedTuple):
    """Where a magnet is at a board time: column and row (fractions allowed), and height above the board in mm."""

    at_ms: float
    x: float
    y: float
    height_mm: float


@dataclass(frozen=True, slots=True)
class Resting:
    """A magnet at rest: its pole (+1 red's, -1 the other), where exactly it stands, and whose piece it is.

    `height_mm` is above zero for a piece that lies on its side: its magnet is up in the air and turned away.
    """

    pole: int
    x: float
    y: float
    seat: str = ""
    height_mm: float = 0.0


@dataclass(slots=True)
class Track:
    """One magnet's way. It starts where the magnet rests on `source` (None: out of a hand) and ends on `target` (None: in a hand).

    Places are numbers of squares in wire order; below zero for magnets that lie beside the squares. Asked for rising times only. A leg
    with a change of height starts and ends gently, as a hand does; along the board speed is even.
    """

    pole: int
    source: int | None
    target: int | None
    points: tuple[Point, ...]
    seat: str = ""
    begun: bool = False
    _leg: int = 0

    @property
    def start_ms(self) -> float:
        """When the magnet begins to move."""
        return self.points[0].at_ms

    @property
    def end_ms(self) -> float:
        """When it has come to rest or is gone."""
        return self.points[-1].at_ms

    @property
    def beside(self) -> bool:
        """Return whether the magnet only comes to, or leaves, a place beside the squares."""
        ends = [place for place in (self.source, self.target) if place is not None]
        return bool(ends) and max(ends) < 0

    @property
    def rest(self) -> Resting:
        """How the magnet stands at the end."""
        last = self.points[-1]
        return Resting(self.pole, last.x, last.y, self.seat, last.height_mm)

    def at(self, now_ms: float) -> tuple[float, float, float]:
        """Return (x, y, height in mm) at a time between start and end."""
        points = self.points
        while now_ms > points[self._leg + 1].at_ms:
            self._leg += 1
        before, after = points[self._leg], points[self._leg + 1]
        share = (now_ms - before.at_ms) / (after.at_ms - before.at_ms)
        if before.height_mm != after.height_mm:
            share = share * share * (3.0 - 2.0 * share)
        return (
            before.x + (after.x - before.x) * share,
            before.y + (after.y - before.y) * share,
            before.height_mm + (after.height_mm - before.height_mm) * share,
        )


class Magnets:
    """All magnets of a board. A sensor's field is a fraction of the centred one, red's pole positive."""

    def __init__(self, board: BoardFile, field: Field) -> None:
        self._places = board.places
        self._pitch_mm = board.pitch_mm
        self._field = field
        self._given: dict[int, tuple[tuple[int, float], ...]] = {}
        self._near: dict[tuple[int, int], tuple[int, ...]] = {}
        self.resting: dict[int, Resting] = {}
        """Magnets at rest by the square they belong to; below zero those beside the squares."""
        self.fields = [0.0] * len(board.places)
        """What magnets at rest do to each sensor."""

    def rest(self, place: int, magnet: Resting) -> Iterable[int]:
        """Let a magnet come to rest; return the squares that feel it."""
        given = []
        pitch_mm, field = self._pitch_mm, self._field
        for square, (x, y) in enumerate(self._places):
            off = math.hypot(x - magnet.x, y - magnet.y)
            if off <= _FAR:
                given.append((square, magnet.pole * field(off * pitch_mm, magnet.height_mm)))
        for square, value in given:
            self.fields[square] += value
        self._given[place] = tuple(given)
        self.resting[place] = magnet
        return self.near(magnet.x, magnet.y)

    def take(self, place: int) -> Resting | None:
        """Take a magnet away from where it rests; None if there is none."""
        magnet = self.resting.pop(place, None)
        if magnet is not None:
            for square, value in self._given.pop(place):
                self.fields[square] -= value
        return magnet

    def near(self, x: float, y: float) -> tuple[int, ...]:
        """Return the squares that feel a magnet at (or very near) that place."""
        cell = (round(4 * x), round(4 * y))
        found = self._near.get(cell)
        if found is None:
            middle = (cell[0] / 4, cell[1] / 4)
            reach = _NEAR + 0.18  # half the diagonal of a cell more
            found = tuple(n for n, place in enumerate(self._places) if math.dist(place, middle) <= reach)
            self._near[cell] = found
        return found

    def feel(self, felt: dict[int, float], pole: int, x: float, y: float, height_mm: float) -> None:
        """Add what a magnet in motion does to the sensors near it."""
        if height_mm > TOO_HIGH_MM:
            return
        places, pitch_mm, field = self._places, self._pitch_mm, self._field
        for square in self.near(x, y):
            place = places[square]
            value = pole * field(math.hypot(place[0] - x, place[1] - y) * pitch_mm, height_mm)
            felt[square] = felt.get(square, 0.0) + value


# ---------------------------------------------------------------- the field of one magnet at one sensor
# As a fraction of what a centred, resting piece gives there. It comes from a table that magpylib made (`simulator.make_field_table`); near
# the disc it differs from a dipole's by some percent, beyond the table a dipole takes over. `SimBoard` takes any `Field`.

Field: TypeAlias = Callable[[float, float], float]
"""(distance along the board in mm, height in mm) -> fraction of the centred field; negative beyond the border."""

TABLE_PATH = Path(__file__).with_name("data") / "field.csv"
DISCS = ((5.0, 2.0), (6.0, 2.0), (6.0, 3.0), (8.0, 2.0))
"""Diameter and thickness in mm of the discs in the table."""

STEP_MM = 0.5
DISTANCES = 61  # from the axis: 0 to 30 mm
Z_FIRST_MM = 2.0
ZS = 47  # from the face: 2 to 25 mm

POLARISATION_T: Mapping[str, float] = read_toml(TABLE_PATH.with_name("magnets.toml"))["polarisation_t"]

Rows: TypeAlias = tuple[tuple[float, ...], ...]


@cache
def table() -> dict[tuple[float, float], Rows]:
    """Return the rows of each disc: Bz in mT for 1 T, times (rho / 10 mm)^3."""
    found: dict[tuple[float, float], list[tuple[float, ...]]] = {}
    for line in TABLE_PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("disc,"):
            _, diameter, thickness = line.split(",")
            rows = found[float(diameter), float(thickness)] = []
        elif line and not line.startswith("#"):
            rows.append(tuple(int(value) / 1000 for value in line.split(",")))
    return {disc: tuple(rows) for disc, rows in found.items()}


def field_mt(magnet: Magnet, distance_mm: float, height_mm: float = 0.0) -> float:
    """Return Bz in millitesla under a disc that is in the table, for the polarisation of its grade; KeyError for others."""
    rows = table()[magnet.diameter_mm, magnet.thickness_mm]
    z_mm, middle_mm = magnet.gap_mm + height_mm, magnet.thickness_mm / 2
    rho_mm = math.hypot(distance_mm, z_mm + middle_mm)
    return POLARISATION_T[magnet.grade] * _form(rows, middle_mm, distance_mm, z_mm) / (rho_mm / 10) ** 3


@cache
def field_of(magnet: Magnet) -> Field:
    """Return the field of a disc: from the table, or a dipole's if the table has no such disc."""
    rows = table().get((magnet.diameter_mm, magnet.thickness_mm))
    return dipole_field(magnet) if rows is None else _table_field(magnet, rows)


@cache
def stretched(field: Field, reach: float) -> Field:
    """Return a field of the same strength farther along the board: with a `reach` of 1 at twice the distance.

    Its negative part stays where it is: stretched, those of all neighbours together would hold a digital sensor on.
    """

    def farther(distance_mm: float, height_mm: float) -> float:
        value = field(distance_mm / (1.0 + reach), height_mm)
        return value if value > 0.0 else field(distance_mm, height_mm)

    return farther


def dipole_field(magnet: Magnet) -> Field:
    """Return the field of a dipole at the depth (gap plus the whole disc) that suits discs of 6 x 2 mm best."""
    depth = magnet.gap_mm + magnet.thickness_mm
    centred = 2.0 / depth**3

    def field(distance_mm: float, height_mm: float) -> float:
        across, up = distance_mm * distance_mm, (depth + height_mm) ** 2
        return float((2.0 * up - across) / (across + up) ** 2.5 / centred)

    return field


def _table_field(magnet: Magnet, rows: Rows) -> Field:
    middle_mm, gap_mm = magnet.thickness_mm / 2, magnet.gap_mm
    centred = _form(rows, middle_mm, 0.0, gap_mm) / (gap_mm + middle_mm) ** 3

    def field(distance_mm: float, height_mm: float) -> float:
        z_mm = gap_mm + height_mm
        squared = distance_mm * distance_mm + (z_mm + middle_mm) ** 2
        return _form(rows, middle_mm, distance_mm, z_mm) / (squared * math.sqrt(squared)) / centred

    return field


def _form(rows: Rows, middle_mm: float, distance_mm: float, z_mm: float) -> float:
    """Return Bz x rho^3 between the points of the table; outside it the dipole that the disc is from afar."""
    column, row = distance_mm / STEP_MM, (z_mm - Z_FIRST_MM) / STEP_MM
    left, top = int(column), int(row)
    if left >= DISTANCES - 1 or top >= ZS - 1 or row < 0:
        up = (z_mm + middle_mm) ** 2
        far = rows[-1][0] / 2
        return far * (3.0 * up / (up + distance_mm * distance_mm) - 1.0)
    right, down = column - left, row - top
    above, below = rows[top], rows[top + 1]
    high = above[left] + (above[left + 1] - above[left]) * right
    low = below[left] + (below[left + 1] - below[left]) * right
    return high + (low - high) * down
