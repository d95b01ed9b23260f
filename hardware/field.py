"""The field of a disc magnet at a sensor, and what follows from it: thresholds, and whether a disc at a gap can be used. Pure.

The disc is taken as its two charged faces, summed in rings: within 0.5 % of magpylib's figures (tests/hardware/test_field.py).
"""

from __future__ import annotations

import math
from functools import cache

from hardware.board_file import Magnet, Thresholds

QUARTER_ON, ON_OFF = 0.766, 0.675
"""`on` by what a piece a quarter of the pitch off gives, `off` by `on`: 0.20 and 0.135 for 6 x 2 mm at 4.5 mm and 19 mm."""

LEAST_QUARTER = 0.20
"""Of what it gives in the middle: a disc that gives less a quarter of the pitch off cannot be used. `off` would come to a tenth, which is
what 20 K, a supply that moved and a gain that is a third off leave on an empty square."""

_RINGS, _TURNS = 12, 48
_NEAREST_MM, _FARTHEST_MM = 1.0, 20.0


@cache
def disc_share(diameter_mm: float, thickness_mm: float, gap_mm: float, off_mm: float) -> float:
    """Return Bz under a disc, `off_mm` from its axis, as a fraction of the polarisation of its material."""
    radius = diameter_mm / 2

    def face(z: float) -> float:
        found = 0.0
        for ring in range(_RINGS):
            r = radius * (ring + 0.5) / _RINGS
            turns = (math.tau * (turn + 0.5) / _TURNS for turn in range(_TURNS))
            found += r * sum(z / (off_mm**2 + r**2 - 2 * off_mm * r * math.cos(a) + z**2) ** 1.5 for a in turns)
        return found * (radius / _RINGS) * (math.tau / _TURNS) / (4 * math.pi)

    return face(gap_mm) - face(gap_mm + thickness_mm)


def quarter(magnet: Magnet, pitch_mm: float) -> float:
    """Return what a piece a quarter of the pitch off its middle gives, as a fraction of what it gives in the middle."""
    disc = (magnet.diameter_mm, magnet.thickness_mm, magnet.gap_mm)
    return disc_share(*disc, pitch_mm / 4) / disc_share(*disc, 0.0)


def thresholds_for(magnet: Magnet, pitch_mm: float) -> Thresholds:
    """Return the thresholds that suit a disc at its gap."""
    on = round(QUARTER_ON * quarter(magnet, pitch_mm), 3)
    return Thresholds(on, round(ON_OFF * on, 3))


def gap_of(magnet: Magnet, times: float) -> float:
    """Return the gap at which the disc gives so many times what it gives at its own, in mm; between 1 and 20."""
    disc = (magnet.diameter_mm, magnet.thickness_mm)
    wanted = times * disc_share(*disc, magnet.gap_mm, 0.0)
    near, far = _NEAREST_MM, _FARTHEST_MM
    while far - near > 0.01:
        middle = (near + far) / 2
        near, far = (middle, far) if disc_share(*disc, middle, 0.0) > wanted else (near, middle)
    return round(near, 1)


def least_gap(magnet: Magnet, pitch_mm: float) -> float:
    """Return the smallest gap, in steps of 0.1 mm, at which the disc can be used."""
    disc = (magnet.diameter_mm, magnet.thickness_mm)
    for tenths in range(round(10 * _NEAREST_MM), round(10 * _FARTHEST_MM)):
        if disc_share(*disc, tenths / 10, pitch_mm / 4) >= LEAST_QUARTER * disc_share(*disc, tenths / 10, 0.0):
            return tenths / 10
    return _FARTHEST_MM
