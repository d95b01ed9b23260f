"""Sensors and rules mean the same squares: every board of the rules has a board file with exactly its names."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from hardware import Sensing, board_names, load_board
from referee.rules import rule_set, rule_set_names
from referee.rules.library import board_named

BOARD_FILES = {
    "10x10": "travel-10x10",
    "10x8": "compact-10x8",
    "castle-four": "castle-four",
    "castle-three": "castle-three",
}
OTHER_WIRINGS = {
    "travel-10x10": {"travel-10x10-digital", "travel-pi-chain", "travel-pi-mcp3008", "tile-10x10"},
    "compact-10x8": {"compact-10x8-digital", "compact-pi-chain", "compact-pi-mcp3008", "tile-10x8"},
}
"""Boards with the same squares and other sensors."""


def test_every_rule_set_can_be_played_on_some_board() -> None:
    """No rule set without a board file, and none that ships without a board of the rules."""
    assert {rule_set(name).board.name for name in rule_set_names()} == set(BOARD_FILES)
    assert set(BOARD_FILES.values()) | set().union(*OTHER_WIRINGS.values()) == set(board_names())


def test_other_wirings_have_the_same_squares() -> None:
    """Squares, their order and their places are those of the first board of the kind."""
    for name, others in OTHER_WIRINGS.items():
        first = load_board(name)
        for other in map(load_board, others):
            assert (other.squares, other.places) == (first.squares, first.places)
            assert other.tiles or other.pitch_mm == first.pitch_mm  # tiles of one pitch make both


@pytest.mark.parametrize("name", BOARD_FILES)
def test_the_squares_agree(name: str) -> None:
    """Same names, same size of the drawing; whoever verifies one of them must verify both."""
    rules, file = board_named(name), load_board(BOARD_FILES[name])
    assert {square.name for square in rules.squares} == set(file.squares)
    assert (rules.columns, rules.rows) == (file.columns, file.rows)


@pytest.mark.parametrize("name", BOARD_FILES)
def test_the_places_agree(name: str) -> None:
    """A sensor lies where the square is drawn, to the cent of a pitch; the ring is large and its sensor is beside the turret."""
    rules, file = board_named(name), load_board(BOARD_FILES[name])
    for square, place in zip(file.squares, file.places, strict=True):
        if square != "ring":
            x, y, _, _ = rules.shape(rules.square(square))
            assert (place[0] + 0.5, place[1] + 0.5) == pytest.approx((x, y), abs=0.011), square


@pytest.mark.parametrize("name", BOARD_FILES.values())
def test_sensors_do_not_crowd(name: str) -> None:
    """No two sensors are nearer than a pitch, less a twentieth for the seams of the castle board for three."""
    nearest = min(math.dist(a, b) for a, b in combinations(load_board(name).places, 2))
    assert nearest > 0.95


def test_more_than_two_armies_need_no_poles() -> None:
    """A board for more than two seats tells presence only: owners come from tracking."""
    for name in rule_set_names():
        rules = rule_set(name)
        if len(rules.seats) > 2:
            assert load_board(BOARD_FILES[rules.board.name]).sensing is Sensing.OCCUPANCY
