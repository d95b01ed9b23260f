"""Fields, thresholds and tracks against the figures that were computed for real magnets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.messages import AckResult, Reading, SetGain, SetZero
from hardware import Sensing, load_board
from simulator.firmware import Sensors
from simulator.magnets import Point, Track, dipole_field

BOARD = load_board("travel-10x10")
EMPTY, RED, BLUE, UNSURE = Reading


@pytest.mark.parametrize(
    ("distance_mm", "height_mm", "least", "most"),
    [
        (0.0, 0.0, 1.0, 1.0),
        (19 / 4, 0.0, 10 / 45, 14 / 45),  # a quarter pitch off
        (19 / 2, 0.0, -0.03, 0.03),  # on the border
        (0.0, 10.0, 2 / 45, 3 / 45),  # held 10 mm above
        (19.0, 0.0, -0.02, -0.005),  # on the next square
    ],
)
def test_the_field_of_a_disc(distance_mm: float, height_mm: float, least: float, most: float) -> None:
    """The dipole gives the figures computed for a 6 x 2 mm disc at 4.5 mm, in fractions of 45 mT."""
    assert least <= dipole_field(BOARD.magnet)(distance_mm, height_mm) <= most + 1e-12


@given(st.floats(0, 30), st.floats(0, 30))
def test_a_higher_magnet_is_weaker(low: float, high: float) -> None:
    """Over the middle the field falls with height."""
    field = dipole_field(BOARD.magnet)
    low, high = sorted((low, high))
    assert field(0.0, high) <= field(0.0, low)


STRENGTHS = [(0.0, EMPTY), (0.13, EMPTY), (0.14, UNSURE), (0.19, UNSURE), (0.21, RED), (1.0, RED)]


@pytest.mark.parametrize(("strength", "reading"), STRENGTHS)
@pytest.mark.parametrize("before", Reading)
def test_linear_sensors(strength: float, reading: Reading, before: Reading) -> None:
    """Two thresholds, the pole from the sign, and nothing remembered."""
    sensors = Sensors(BOARD)
    sensors.fields[:2] = [strength, -strength]
    assert sensors.reading(0, before) is reading
    assert sensors.reading(1, before) is (BLUE if reading is RED else reading)


@pytest.mark.parametrize(
    ("strength", "before", "reading"),
    [
        (0.13, RED, EMPTY),
        (0.16, RED, RED),
        (0.16, EMPTY, EMPTY),
        (-0.16, RED, RED),
        (0.21, EMPTY, RED),
        (-0.21, EMPTY, RED),
    ],
)
def test_digital_sensors(strength: float, before: Reading, reading: Reading) -> None:
    """Presence only, of either pole, kept between the thresholds and never unsure."""
    sensors = Sensors(BOARD.with_sensing(Sensing.OCCUPANCY))
    sensors.fields[0] = strength
    assert sensors.reading(0, before) is reading


def test_zero_and_gain_are_each_squares_own() -> None:
    """A wrong zero shows as a magnet, the right one takes it away; a gain of the other sign turns the pole."""
    sensors = Sensors(BOARD)
    sensors.adjust(SetZero(0, 400))
    assert sensors.reading(0, EMPTY) is RED
    sensors.adjust(SetZero(0, 65535))
    assert sensors.reading(0, EMPTY) is EMPTY
    sensors.fields[0] = 0.9
    assert sensors.adjust(SetGain(0, BLUE, 0)) == (AckResult.DONE, 0)
    assert sensors.gains[0] == -126
    assert sensors.reading(0, EMPTY) is BLUE
    sensors.fields[0] = 0.01
    assert sensors.adjust(SetGain(0, RED, 0)) == (AckResult.FAILED, 1)
    assert sensors.gains[0] == -126


def test_a_track_is_where_its_points_say() -> None:
    """At its points exactly, gently off and on the board, evenly along it."""
    track = Track(1, None, 0, (Point(100, 0, 0, 0), Point(200, 0, 0, 30), Point(300, 2, 4, 30), Point(400, 2, 4, 0)))
    assert (track.start_ms, track.end_ms) == (100, 400)
    assert [track.at(t) for t in (100, 110, 150, 200, 250, 300, 390, 400)] == [
        (0, 0, 0),
        pytest.approx((0, 0, 0.84)),
        (0, 0, 15),
        (0, 0, 30),
        (1, 2, 30),
        (2, 4, 30),
        pytest.approx((2, 4, 0.84)),
        (2, 4, 0),
    ]
