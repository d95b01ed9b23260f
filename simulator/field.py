"""The field of one magnet at one sensor, as a fraction of what a centred, resting piece gives there.

It comes from a table that magpylib made (`simulator.make_field_table`); near the disc it differs from a dipole's by some percent,
beyond the table a dipole takes over. `SimBoard` takes any `Field`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from hardware.board_file import Magnet

Field: TypeAlias = Callable[[float, float], float]
"""(distance along the board in mm, height in mm) -> fraction of the centred field; negative beyond the border."""

TABLE_PATH = Path(__file__).with_name("data") / "field.csv"
DISCS = ((5.0, 2.0), (6.0, 2.0), (6.0, 3.0), (8.0, 2.0))
"""Diameter and thickness in mm of the discs in the table."""

STEP_MM = 0.5
DISTANCES = 61  # from the axis: 0 to 30 mm
Z_FIRST_MM = 2.0
ZS = 47  # from the face: 2 to 25 mm

# polarisation in tesla, the middle of what makers promise
POLARISATION_T = {
    "N35": 1.19,
    "N38": 1.24,
    "N40": 1.27,
    "N42": 1.30,
    "N45": 1.35,
    "N48": 1.40,
    "N50": 1.43,
    "N52": 1.45,
}

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
    """Return a field that is as strong so much farther along the board: with a `reach` of 1 at twice the distance.

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
