"""A shipped board with lakes drawn into it: the sensors under the lakes are there, and are not looked at."""

from __future__ import annotations

import pytest

from firmware_bridge.messages import Reading
from hardware import load_board
from referee.rules import Board
from referee.rules.library import board_named
from referee.rules.values import Seat, Square
from referee.sensing import BoardMismatchError
from referee.sensing.layout import Ground

POLES = dict.fromkeys(Seat, Reading.RED)
SENSORS = [Square(name) for name in load_board("castle-four").squares]


def with_lakes(*names: str) -> Board:
    """Return the board for four with lakes."""
    lakes = [Square(name) for name in names]
    return board_named("castle-four").with_lakes(lakes, name="ours", verified=True, source="")


def test_what_a_sensor_under_a_lake_shows_is_no_part_of_the_game() -> None:
    """Its magnet is nothing; the squares beside it are read as ever, and it is nobody's neighbour."""
    ground = Ground(SENSORS, False, POLES, with_lakes("f4", "g4"))
    frame = [Reading.EMPTY] * len(SENSORS)
    for name in ("f4", "g4", "h4"):
        frame[ground.number[Square(name)]] = Reading.BLUE
    read = ground.plain(tuple(frame))
    assert [square.name for square, reading in zip(SENSORS, read, strict=True) if reading != Reading.EMPTY] == ["h4"]
    near, lake, far = (ground.number[Square(name)] for name in ("e4", "f4", "h4"))
    assert ground.near(near) == {ground.number[Square(name)] for name in ("d4", "e3", "e5")}
    assert lake not in ground.near(far)


def test_every_square_needs_a_sensor_and_every_other_sensor_a_lake() -> None:
    """What the commands ask before they open a board; the interpreter refuses a square that the rules have not."""
    names = [square.name for square in SENSORS]
    assert with_lakes("f4").is_sensed_by(names)
    assert with_lakes("f4").is_sensed_by([name for name in names if name != "f4"])
    assert not with_lakes("f4").is_sensed_by([name for name in names if name != "f5"])
    assert not with_lakes("f4").is_sensed_by([*names, "z1"])
    with pytest.raises(BoardMismatchError, match="has no square 'z1'"):
        Ground([*SENSORS, Square("z1")], False, POLES, with_lakes("f4"))
