"""Wiring pages, shopping lists and drawings: complete, fresh, and not far from what the simulated chip measures."""

from __future__ import annotations

import html
import re
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from hardware import BoardFile, board_names, load_board
from hardware.board_file import BoardFileError, parse_board
from hardware.draw import WIRING, is_fresh, source_sum
from hardware.wiring import current_ma, frame_ms, is_linear, parts_of
from simulator.magnets import TABLE_PATH, field_mt, table
from tests.hardware.test_board_file import travel

BOARDS = [load_board(name) for name in board_names()]


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.id)
def test_every_square_stands_once_on_the_wiring_page(board: BoardFile) -> None:
    """The table of inputs names every square of the board, and no other."""
    page = (WIRING / f"{board.id}.md").read_text(encoding="utf-8")
    cells = re.findall(r"\| ([a-z0-9]+) (?=\|)", page.partition("## Squares")[2].partition("|---|")[2])
    named = [cell for cell in cells if cell in board.squares]
    assert sorted(named) == sorted(board.squares)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.id)
def test_a_page_claims_no_chip_that_its_board_has_not(board: BoardFile) -> None:
    """A board on a Pi's own pins has no firmware that a simulated chip could have tried."""
    page = (WIRING / f"{board.id}.md").read_text(encoding="utf-8")
    assert ("simulated chip" in page) is bool(board.controllers)


def test_every_board_has_its_page_and_its_drawing_and_nothing_else_has() -> None:
    """What a board file's removal would leave behind is found."""
    assert {path.stem for path in WIRING.glob("*.md")} == {board.id for board in BOARDS}
    wired = {board.id for board in BOARDS if not board.tiles}
    assert {path.stem for path in WIRING.glob("harness-*.svg")} == {f"harness-{name}" for name in wired}


@pytest.mark.parametrize("source", sorted(WIRING.glob("harness-*.yml")), ids=lambda path: path.stem)
def test_drawings_are_of_what_they_say(source: Path) -> None:
    """Each was made from the harness file beside it (`make drawings` makes stale ones anew), and every part, pin and wire is in it."""
    drawing = source.with_suffix(".svg").read_text(encoding="utf-8")
    assert is_fresh(source), f"{source.name}: run make drawings"
    assert len(drawing) < 120_000
    shown = Counter(html.unescape(text).strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawing))
    harness: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    for name, part in harness["connectors"].items():
        words = [name, part["type"], *map(str, part["pins"]), *part.get("pinlabels", ())]
        assert {*words, *part.get("notes", "").splitlines()} <= set(shown), name
    for name, cable in harness["cables"].items():
        assert shown[name] == 1, name
        assert f"{len(cable['colors'])}x" in shown, name
    wanted = Counter(colour for cable in harness["cables"].values() for colour in cable["colors"])
    assert {colour: shown[colour] for colour in wanted} == wanted


def wires(name: str) -> list[tuple[str, str]]:
    """Return every wire of a harness as two ends, each as part, number and name of its pin."""
    drawn: dict[str, Any] = yaml.safe_load((WIRING / f"harness-{name}.yml").read_text(encoding="utf-8"))
    found = []
    for left, cable, right in drawn["connections"]:
        ((_, strands),) = cable.items()
        ends = [
            [f"{part} {end(drawn['connectors'][part], pin)}" for pin in pins]
            for side in (left, right)
            for part, pins in side.items()
        ]
        assert strands == [f"1-{len(ends[0])}"]
        assert len(drawn["cables"][next(iter(cable))]["colors"]) == len(ends[0])
        found += list(zip(*ends, strict=True))
    return found


def end(connector: dict[str, Any], pin: int | str) -> str:
    """Return a pin as its number and name, or its name alone; it must be one of the part."""
    names = dict(zip(connector["pins"], connector.get("pinlabels", connector["pins"]), strict=True))
    return str(pin) if names[pin] == pin else f"{pin} {names[pin]}"


# looked up by hand: pinouts of data sheets, the Pi's header, what is printed on an Arduino, and the board file
WIRES = {
    "travel-10x10": [
        ("CONTROLLER A0", "MUX0 SIG"),
        ("CONTROLLER D7", "MUX1 S3"),
        ("CONTROLLER A5", "MUX5 SIG"),
        ("MUX0 C15", "SENSORS f2"),
    ],
    "travel-10x10-digital": [("HOST D10", "REG0 1 SH/LD"), ("HOST D12", "REG0 9 QH"), ("REG0 14 D", "SENSORS d1")],
    "compact-pi-chain": [
        ("HOST 22 GPIO25", "REG0 1 SH/LD"),
        ("HOST 21 MISO by 1 kilohm", "REG0 9 QH"),
        ("REG0 10 SER", "REG1_to_7 9 QH"),
        ("REG1_to_7 10 SER", "REG8 9 QH"),
    ],
    "travel-pi-mcp3008": [
        ("PI 24 CE0", "DECODER 18 E0"),
        ("PI 22 GPIO25", "DECODER 20 A3"),
        ("DECODER 13 Y11", "ADC11 10 CS"),
        ("PI 19 MOSI", "ADC1 11 DIN"),
        ("PI 21 MISO by 1 kilohm", "ADC0 12 DOUT"),
        ("ADC0 8 CH7", "SENSORS h1"),
    ],
}


@pytest.mark.parametrize("name", WIRES)
def test_some_wires_by_hand(name: str) -> None:
    """Each is in the drawing, from pin to pin."""
    assert set(WIRES[name]) <= set(wires(name))


@pytest.mark.parametrize("board", [one for one in BOARDS if not one.tiles], ids=lambda board: board.id)
def test_no_wire_ends_twice_at_an_input(board: BoardFile) -> None:
    """Nothing but shared lines has two wires, and no wire of signals is a supply."""
    drawn = wires(board.id)
    inputs = [right for _, right in drawn]
    assert sorted(inputs) == sorted(set(inputs))
    supplied = [pin for pin in chain(*drawn) if "3.3V" in pin or "5V" in pin]
    assert supplied == []


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
        assert 2 * current_ma(board) < 3000  # the supply of 3 A in every list
        assert board.magnet.count in counts.values()
        assert frame_ms(board) < 1000 / board.scan.hz
    travel_ma = current_ma(load_board("travel-10x10"))
    pico = {part.name: part.count for part in parts_of(load_board("travel-10x10"), pico=True)}
    assert (pico["DRV5055A3"], pico["1 kilohm resistor"], pico["step-down module, 5 V to 3.3 V"]) == (92, 9, 1)
    assert pico["10 kilohm resistor"] == 2, "one for each EN"
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
    assert {board.id for board in BOARDS if is_linear(board)} == {
        "travel-10x10",
        "compact-10x8",
        "travel-pi-mcp3008",
        "compact-pi-mcp3008",
        "tile-10x10",
        "tile-10x8",
    }
