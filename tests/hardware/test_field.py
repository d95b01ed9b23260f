"""Thresholds from the field of a disc, against magpylib's table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware import load_board
from hardware.field import LEAST_QUARTER, disc_share, gap_of, least_gap, quarter, thresholds_for
from simulator.magnets import DISCS, POLARISATION_T, field_mt

BOARD = load_board("travel-10x10")

JUDGED = [
    # disc, gap in mm: what a quarter off gives by magpylib, whether it may be used
    ((6, 2), 4.5, 0.261, True),
    ((6, 2), 4.0, 0.217, True),
    ((6, 2), 3.5, 0.171, False),
    ((5, 2), 4.5, 0.222, True),
    ((5, 2), 4.0, 0.176, False),
]


@pytest.mark.parametrize(("disc", "gap_mm", "share", "good"), JUDGED)
def test_what_would_fail_later_is_refused(disc: tuple[float, float], gap_mm: float, share: float, good: bool) -> None:
    """A piece a quarter of the pitch off must give a fifth of what it gives in the middle."""
    magnet = replace(BOARD.magnet, diameter_mm=disc[0], thickness_mm=disc[1], gap_mm=gap_mm)
    assert quarter(magnet, 19.0) == pytest.approx(share, abs=0.002)
    assert (quarter(magnet, 19.0) >= LEAST_QUARTER) is good
    assert (gap_mm >= least_gap(magnet, 19.0)) is good


def test_the_field_is_magpylibs() -> None:
    """Within half a percent of the table that ships, for all its discs, in the middle and a quarter off."""
    for diameter_mm, thickness_mm in DISCS:
        for gap_mm in (3.5, 4.5, 6.0):
            magnet = replace(BOARD.magnet, diameter_mm=diameter_mm, thickness_mm=thickness_mm, gap_mm=gap_mm)
            for off_mm in (0.0, 4.75):
                mt = 1000 * POLARISATION_T[magnet.grade] * disc_share(diameter_mm, thickness_mm, gap_mm, off_mm)
                assert mt == pytest.approx(field_mt(magnet, off_mm), rel=0.01, abs=0.05)


def test_thresholds_follow_the_field() -> None:
    """The file's own for the disc that it was made for; lower for a nearer one."""
    assert thresholds_for(BOARD.magnet, 19.0) == BOARD.thresholds
    near = thresholds_for(replace(BOARD.magnet, gap_mm=4.0), 19.0)
    assert 0.16 < near.on < 0.17
    assert 0.10 < near.off < 0.12


def test_a_gap_is_known_by_its_field() -> None:
    """61 mT instead of 49: half a millimetre nearer."""
    assert gap_of(BOARD.magnet, 1.0) == pytest.approx(4.5, abs=0.05)
    assert gap_of(BOARD.magnet, 61.4 / 49.3) == pytest.approx(4.0, abs=0.05)
