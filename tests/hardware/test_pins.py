"""The [gpio] table of a board file: what it means, and what the loader refuses."""

from __future__ import annotations

from typing import Any

import pytest

from hardware import BoardFileError, load_board
from hardware.board_file import parse_board
from hardware.scanners import Gpio
from tests.bridge.matrix_table import matrix_table


def test_the_example_of_the_page() -> None:
    """The table that makers copy is a board file, and its pins mean what they say."""
    board = parse_board(matrix_table())
    assert board.gpio == Gpio(
        rows=(2, 3, 4, 17, 27, 22, 10, 9, 11, 5),
        columns=(14, 15, 18, 23, 24, 25, 8, 7, 12, 16),
        row_on="high",
        magnet="low",
        pull="up",
        settle_us=60,
    )
    places = dict(zip(board.squares, board.places, strict=True))
    for square, channel in zip(board.squares, board.scan.channels, strict=True):
        assert places[square] == (channel % 10, channel // 10), square


def test_boards_with_a_controller_have_no_pins() -> None:
    """The table may be left out."""
    assert load_board("travel-10x10").gpio is None


def test_pins_are_no_part_of_the_fingerprint() -> None:
    """Which pin a row hangs on is nothing that the wire knows."""
    table = matrix_table()
    other = {**table, "gpio": {**table["gpio"], "rows": list(reversed(table["gpio"]["rows"]))}}
    assert parse_board(table).fingerprint == parse_board(other).fingerprint


SPOILED: dict[str, tuple[str, Any, str]] = {
    "a pin twice": ("rows", [2, 3, 4, 17, 27, 22, 10, 9, 11, 14], "gpio: pin 14 stands twice"),
    "a pin that is none": ("rows", [1, 3, 4, 17, 27, 22, 10, 9, 11, 5], "gpio.rows: 1 is less than 2"),
    "a pin beyond": ("columns", [28], "gpio.columns: 28 is more than 27"),
    "a name for a pin": ("columns", ["GPIO4"], "gpio.columns: whole numbers are needed"),
    "true for a pin": ("columns", [True], "gpio.columns: whole numbers are needed"),
    "no pins": ("rows", [], "gpio.rows: whole numbers are needed, at least one"),
    "no list": ("rows", 4, "gpio.rows: a list of whole numbers is needed, not 4"),
    "too few rows": ("rows", [2, 3], "gpio.rows: 2 pins, but scan.chips is 10"),
    "too few columns": ("columns", [14], "gpio.columns: 1 pins, but scan.channels_per_chip is 10"),
    "an unknown level": ("row_on", "hi", "gpio.row_on: 'hi' is none of low, high"),
    "a pull to the magnet's level": ("pull", "down", "gpio.pull: down is the level of a magnet"),
    "an order without a row": ("scan_order", [0, 1, 2], "gpio.scan_order: every row from 0 to 9 is needed once"),
    "an order with a row twice": ("scan_order", [0, 1, 2, 3, 4, 5, 6, 7, 8, 8], "gpio.scan_order: every row"),
    "no time to read": ("settle_us", 600, "gpio.settle_us: 10 rows of 600 us leave no time at 100 scans a second"),
    "an unknown key": ("settle_ms", 1, "gpio: unknown key 'settle_ms'"),
    "a missing key": ("magnet", None, "gpio: key 'magnet' is missing"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_table_is_refused_with_the_place(name: str) -> None:
    """Each fault is named with its place."""
    key, value, fault = SPOILED[name]
    table = matrix_table()
    if value is None:
        del table["gpio"][key]
    else:
        table["gpio"][key] = value
    with pytest.raises(BoardFileError) as caught:
        parse_board(table)
    assert [line for line in caught.value.faults if line.startswith(fault)], caught.value.faults


def test_pins_tell_no_colours() -> None:
    """A matrix of digital sensors cannot be a colour board."""
    with pytest.raises(BoardFileError, match="gpio: pins tell presence only"):
        parse_board({**matrix_table(), "sensing": "colour"})
