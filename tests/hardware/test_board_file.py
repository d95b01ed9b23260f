"""Board files: what ships, and what the loader refuses."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from hardware import BoardFileError, Sensing, board_names, load_board
from hardware.board_file import BOARDS_FOLDER, NO_SQUARE, parse_board


def travel() -> dict[str, Any]:
    """Return the travel board's file, parsed, to be spoiled."""
    return tomllib.loads((BOARDS_FOLDER / "travel-10x10.toml").read_text(encoding="utf-8"))


def test_the_travel_board() -> None:
    """Golden facts of the travel board: squares in wire order, lakes left out, places, thresholds."""
    board = load_board("travel-10x10")
    assert len(board.squares) == 92
    assert board.squares[:11] == ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1", "j1", "a2")
    assert board.squares[40:52] == ("a5", "b5", "e5", "f5", "i5", "j5", "a6", "b6", "e6", "f6", "i6", "j6")
    assert board.squares[-1] == "j10"
    assert (board.columns, board.rows, board.pitch_mm, board.scan.hz) == (10, 10, 19, 100)
    assert board.sensing is Sensing.COLOUR
    assert board.places[board.index("e5")] == (4, 4)
    assert (board.thresholds.on, board.thresholds.off) == (0.20, 0.135)
    assert board.scan.channels == tuple(range(92))
    assert board.fingerprint == 38306  # firmware that was built from another file must not agree by accident


def test_the_compact_board() -> None:
    """10 x 8, lakes in rows 4 and 5, 72 squares."""
    board = load_board("compact-10x8")
    assert len(board.squares) == 72
    assert not {"c4", "d4", "g4", "h4", "c5", "d5", "g5", "h5"} & set(board.squares)
    assert board.squares[-1] == "j8"


def test_the_castle_board_for_four() -> None:
    """13 x 13 without the corners, the castle's nine places taken by ring and turret; it cannot tell four armies apart."""
    board = load_board("castle-four")
    assert len(board.squares) == 13 * 13 - 4 * 9 - 9 + 2
    assert {"ring", "turret", "d1", "a4", "m10", "j13"} <= set(board.squares)
    assert not {"a1", "c3", "k1", "m13", "g7", "f6", "h8"} & set(board.squares)
    assert board.sensing is Sensing.OCCUPANCY
    assert not board.verified


@pytest.mark.parametrize("name", board_names())
def test_every_board_that_ships(name: str) -> None:
    """The file is named after its id, and every place lies on a grid point of its own."""
    board = load_board(name)
    assert board.id == name
    assert len(set(board.places)) == len(board.squares) == len(board.scan.channels)


def test_other_sensors_on_the_same_board() -> None:
    """An occupancy build has the same squares and another fingerprint."""
    board = load_board("travel-10x10")
    other = board.with_sensing(Sensing.OCCUPANCY)
    assert other.squares == board.squares
    assert other.fingerprint != board.fingerprint


def test_a_board_that_is_no_grid() -> None:
    """`places` names squares at any point."""
    data = travel()
    data["squares"] = {"places": [["ring", 4.5, 3], ["turret", 5, 4.25]]}
    data["scan"]["channels"] = ["3", "0"]
    data["sensing"], data["controller"] = "occupancy", {}
    board = parse_board(data)
    assert board.squares == ("ring", "turret")
    assert board.places == ((4.5, 3), (5, 4.25))
    assert board.scan.channels == (3, 0)


SPOILED: dict[str, tuple[str, str, Any, str]] = {
    "unknown key at the top": ("", "colour", "red", "top: unknown key 'colour'"),
    "unknown key in a table": ("scan", "mhz", 1, "scan: unknown key 'mhz'"),
    "missing key": ("magnet", "grade", None, "magnet: key 'grade' is missing"),
    "wrong kind": ("scan", "hz", "fast", "scan.hz: a whole number is needed"),
    "true is no number": ("scan", "hz", True, "scan.hz: a whole number is needed"),
    "out of range": ("scan", "hz", 5, "scan.hz: 5 is less than 20"),
    "unknown sensing": ("", "sensing", "smell", "top.sensing: 'smell' is none of colour, occupancy"),
    "thresholds crossed": ("thresholds", "off", 0.3, "thresholds: off must be less than on"),
    "an id with blanks": ("", "id", "My Board", "top.id: only small letters"),
    "a square twice": ("squares", "rows", ["a1 b1 a1"], "squares: a1 stands twice"),
    "a square with a bad name": ("squares", "rows", ["a1 B-1"], "squares: 'B-1' is no name"),
    "a square outside": ("", "columns", 9, "squares: j1 lies outside 9 columns and 10 rows"),
    "both ways to name squares": ("squares", "places", [["a1", 0, 0]], "squares: exactly one of rows and places"),
    "no way to name squares": ("squares", "rows", None, "squares: exactly one of rows and places"),
    "too few channels": ("scan", "channels", ["0-90"], "scan.channels: 91 channels for 92 squares"),
    "a channel twice": ("scan", "channels", ["0-90", "0"], "scan.channels: a channel stands twice"),
    "a channel no chip has": ("scan", "channels", ["5-96"], "scan.channels: 96 is beyond the 96"),
    "a channel that is none": ("scan", "channels", ["0..91"], "scan.channels: '0..91' is no number or range"),
    "a list of other things": ("scan", "channels", [0, 91], "scan.channels: every item must be text"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_board_is_refused_with_the_place(name: str) -> None:
    """Each fault is named with its place."""
    table, key, value, fault = SPOILED[name]
    data = travel()
    where = data[table] if table else data
    if value is None:
        del where[key]
    else:
        where[key] = value
    with pytest.raises(BoardFileError) as caught:
        parse_board(data, "mine")
    assert any(line.startswith(fault) for line in caught.value.faults), caught.value.faults
    assert str(caught.value).startswith("board file mine: ")


def test_all_faults_are_told_at_once() -> None:
    """A file with a missing table, an unknown key and a bad value gives three lines."""
    data = travel()
    del data["magnet"]
    data["scan"]["mhz"] = 1
    data["pitch_mm"] = 2
    with pytest.raises(BoardFileError) as caught:
        parse_board(data)
    assert len(caught.value.faults) == 3


def test_places_must_be_triples() -> None:
    """An item of `places` that is no name with two numbers is a fault, not an exception of another kind."""
    data = travel()
    data["squares"] = {"places": [["a1", 0, 0], ["b1", "1", 0], 7]}
    with pytest.raises(BoardFileError) as caught:
        parse_board(data)
    assert [line for line in caught.value.faults if "places item" in line] == [
        "squares.places item 2: [name, column, row] is needed",
        "squares.places item 3: [name, column, row] is needed",
    ]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """No such name, no such file, no TOML: one clear line each."""
    with pytest.raises(BoardFileError, match=r"no such board \(known: castle-four, "):
        load_board("travel")
    with pytest.raises(BoardFileError, match="No such file"):
        load_board(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("id = ")
    with pytest.raises(BoardFileError, match="not TOML"):
        load_board(str(bad))


def test_an_own_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    """A path may be given instead of a name."""
    path = tmp_path / "mine.toml"
    path.write_text((BOARDS_FOLDER / "compact-10x8.toml").read_text())
    assert load_board(str(path)) == load_board("compact-10x8")


def test_no_square_mark_is_not_a_name() -> None:
    """The mark for a hole never becomes a square."""
    for name in board_names():
        assert NO_SQUARE not in load_board(name).squares
