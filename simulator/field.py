"""The field of one magnet at one sensor, as a fraction of what a centred, resting piece gives there.

A dipole at an effective depth: the form is exact far away, and the depth (gap plus the whole disc) was chosen so that the computed
figures for 6 x 2 mm discs come out: a quarter pitch off 22 to 31 %, on the border about 0, 10 mm up 4 to 7 %, a neighbour one pitch away
about -1 %. A table from a field solver can take this function's place: `SimBoard` takes any `Field`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hardware.board_file import Magnet

Field: TypeAlias = Callable[[float, float], float]
"""(distance along the board in mm, height in mm) -> fraction of the centred field; negative beyond the border."""


def dipole_field(magnet: Magnet) -> Field:
    """Give the field of that magnet as a function."""
    depth = magnet.gap_mm + magnet.thickness_mm
    centred = 2.0 / depth**3

    def field(distance_mm: float, height_mm: float) -> float:
        across, up = distance_mm * distance_mm, (depth + height_mm) ** 2
        return float((2.0 * up - across) / (across + up) ** 2.5 / centred)

    return field
