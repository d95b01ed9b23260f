"""Wiring pages, shopping lists and drawings: complete, fresh, and not far from what the simulated chip measures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardware import BoardFile, board_names, load_board
from hardware.board_file import BoardFileError, parse_board
from hardware.draw import WIRING, source_sum
from hardware.parts import current_ma, frame_ms, is_linear, parts_of
from simulator.field import TABLE_PATH, field_mt, table
from tests.hardware.test_board_file import travel

BOARDS = [load_board(name) for name in board_names()]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.id)
def test_every_square_stands_once_on_the_wiring_page(board: BoardFile) -> None:
    """The table of inputs names every square of the board, and no other."""
    page = (WIRING / f"{board.id}.md").read_text(encoding="utf-8")
    cells = re.findall(r"\| ([a-z0-9]+) (?=\|)", page.partition("## Squares")[2].partition("|---|")[2])
    named = [cell for cell in cells if cell in board.squares]
    assert sorted(named) == sorted(board.squares)


@pytest.mark.parametrize("source", sorted(WIRING.glob("harness-*.yml")), ids=lambda path: path.stem)
def test_drawings_are_of_what_they_say(source: Path) -> None:
    """Each drawing was made from the harness file beside it; `make drawings` makes stale ones anew."""
    drawing = source.with_suffix(".svg").read_text(encoding="utf-8")
    assert drawing.startswith(source_sum(source)), f"{source.name}: run make drawings"
    assert len(drawing) < 120_000


def test_the_field_plot_is_of_our_table() -> None:
    """The plot was drawn from the table that the simulator uses, and the board's own figure agrees with it."""
    assert (WIRING / "field.svg").read_text(encoding="utf-8").startswith(source_sum(TABLE_PATH))
    for board in BOARDS:
        if (board.magnet.diameter_mm, board.magnet.thickness_mm) in table():
            assert field_mt(board.magnet, 0.0) == pytest.approx(board.magnet.centred_mt, rel=0.12)


def test_the_shopping_list_adds_up() -> None:
    """A sensor a square, a magnet a piece, and the supply carries twice the current."""
    for board in BOARDS:
        counts = {part.name: part.count for part in parts_of(board)}
        assert counts[board.sensor.part] == len(board.squares)
        assert board.magnet.count in counts.values()
        assert frame_ms(board) < 1000 / board.scan.hz
    travel_ma = current_ma(load_board("travel-10x10"))
    assert 500 < travel_ma < 650  # about 0.55 A, as computed for SS49E


SPOILED = {
    "an unknown chip": ({"attiny13": {}}, "controller.attiny13: unknown chip"),
    "a pin that is none": (
        {"atmega328p": {"select": ["PX4"], "sense": []}},
        "controller.atmega328p.select: 'PX4' is no pin",
    ),
    "select lines apart": (
        {"atmega328p": {"select": ["PD4", "PD5", "PD7", "PB0"], "sense": [f"ADC{n}" for n in range(6)]}},
        "controller.atmega328p.select: four pins in a row",
    ),
    "too few converter inputs": (
        {"atmega328p": {"select": ["PD4", "PD5", "PD6", "PD7"], "sense": ["ADC0", "ADC1"]}},
        "controller.atmega328p.sense: too few inputs for 6 multiplexers",
    ),
    "an input that cannot be simulated": (
        {"atmega2560": {"select": ["PA0", "PA1", "PA2", "PA3"], "sense": ["ADC8"]}},
        "controller.atmega2560.sense: 'ADC8' is no converter input",
    ),
    "a chain on a colour board": (
        {"atmega328p": {"latch": "PB2", "clock": "PB5", "data": "PB4"}},
        "controller.atmega328p: unknown key 'latch'",
    ),
    "a pin twice": (
        {
            "rp2040": {
                "select": ["GP2", "GP3", "GP4", "GP5"],
                "sense": ["ADC0", "ADC1", "ADC2"],
                "enable": ["GP5", "GP6"],
            }
        },
        "controller.rp2040: pin GP5 stands twice",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_controller_is_refused_with_the_place(name: str) -> None:
    """Each fault is named with its place."""
    controllers, fault = SPOILED[name]
    data = {**travel(), "controller": controllers}
    with pytest.raises(BoardFileError) as caught:
        parse_board(data)
    assert any(line.startswith(fault) for line in caught.value.faults), caught.value.faults


def test_linear_boards_are_those_with_sensors_that_tell_millivolts() -> None:
    """Sensing and sensor agree in every file that ships."""
    assert {board.id for board in BOARDS if is_linear(board)} == {"travel-10x10", "compact-10x8"}
