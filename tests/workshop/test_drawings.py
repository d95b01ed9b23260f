"""Schematics, pinouts and templates: fresh, complete, and agreed with the board files and the harness."""

from __future__ import annotations

import html
import re

import pytest

from hardware import BoardFile, board_names, load_board
from hardware.draw import ROOT
from hardware.wiring import parts_of, schematic_names, template_name
from workshop.draw import wanted
from workshop.netlist import NOT_CONNECTED, chips_of

BOARDS = [load_board(name) for name in board_names()]
DRAWN = wanted()


def texts(svg: str) -> list[str]:
    """Return every text of a drawing."""
    return [html.unescape(found) for found in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_no_drawing_is_stale_or_left_over() -> None:
    """What `python -m workshop.draw` writes is what is there, and no drawing of a board that is gone."""
    assert {name: (ROOT / name).read_text(encoding="utf-8") == text for name, text in DRAWN.items()} == dict.fromkeys(
        DRAWN, True
    ), "run: python -m workshop.draw"
    kept = {
        f"docs/wiring/{path.name}" for kind in ("schematic", "template") for path in ROOT.glob(f"docs/wiring/{kind}-*")
    }
    assert kept <= set(DRAWN)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.id)
def test_every_leg_of_every_chip_is_drawn_and_joined(board: BoardFile) -> None:
    """Each square's sensor ends at one leg; every other net at two legs at least, but for the supply's and what leaves the board."""
    for name, controller in schematic_names(board).items():
        chips = chips_of(board, controller)
        legs = [leg for chip in chips for leg in chip.legs]
        nets = [leg.net for leg in legs if leg.net != NOT_CONNECTED]
        assert sorted(net for net in nets if net.startswith("OUT")) == sorted(f"OUT {one}" for one in board.squares)
        alone = {net for net in nets if nets.count(net) == 1 and not net.startswith(("OUT", "ROW", "COL", "HALF"))}
        assert alone <= {"+5V", "GND", "Pi 3V3", "+5V by D1", "to the Pi"}, name
        shown = texts(DRAWN[f"docs/wiring/{name}"])
        for chip in chips:
            assert f"{chip.name}: {chip.part}" in shown
            assert {leg.name for leg in chip.legs} | {leg.net for leg in chip.legs} - {NOT_CONNECTED} <= set(shown)


def test_no_pin_of_a_pi_or_pico_meets_more_than_its_own_volts() -> None:
    """Where a Pico or a Pi reads the sensors there is no 5 V on the sheet but the Pico's own USB."""
    for board in BOARDS:
        for name, controller in schematic_names(board).items():
            if controller is None or controller.chip == "rp2040":
                assert "+5V" not in texts(DRAWN[f"docs/wiring/{name}"]), name


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.id)
def test_a_template_is_as_large_as_its_board(board: BoardFile) -> None:
    """Printed at its natural size a square is as wide as the board file says; each has its cross."""
    svg = DRAWN[f"docs/wiring/{template_name(board)}"]
    width = re.search(r'width="([\d.]+)mm" height="[\d.]+mm" viewBox="0 0 ([\d.]+)', svg)
    assert width is not None
    assert float(width[1]) == float(width[2]) == board.columns * board.pitch_mm + 4
    assert set(board.squares) <= set(texts(svg))


def test_the_legs_are_those_of_the_data_sheets() -> None:
    """Looked up by hand: what is most often soldered the wrong way round."""
    shown = texts(DRAWN["docs/wiring/pinouts.svg"])
    assert {"1 VCC", "2 OUT", "3 GND", "1 G", "2 S", "3 D"} <= set(shown)
    assert [shown[shown.index("SN74HC165N") + n] for n in (1, 2)] == ["1", "SH/LD"]
    double = shown.index("Arduino Mega from above, USB on the left: its double row begins with two holes of 5V")
    even = shown.index("D22", double)
    assert shown[even - 1 : even + 3] == ["5V", "D22", "D24", "D26"]
    assert shown[shown.index("MCP3008-I/P") + 1 :][18:20] == ["10", "CS"]


def test_the_first_try_names_the_pins_of_each_controller() -> None:
    """Below the four squares stands what is otherwise with a Mega and a Pico, as their wiring page has it, and never 5 V at a Pico."""
    told = " ".join(texts(DRAWN["docs/pictures/build-four-squares.svg"]))
    assert "Mega: D22 to D25 in place of D4 to D7" in told
    assert (
        "Pico: 3V3, never VBUS, in place of 5V; GP2 to GP5 to S0 to S3; GP26 through 1 kilohm to SIG; GP6, not GND, to EN; GP28 to GND"
        in told
    )


def test_a_chip_has_one_capacitor_as_the_shopping_list_counts() -> None:
    """A converter's VREF stands beside its VDD: one capacitor serves both."""
    shown = texts(DRAWN["docs/pictures/build-converters.svg"])
    assert sum(text.endswith("1 uF to GND") for text in shown) == 1
    counts = {part.name: part.count for part in parts_of(load_board("travel-pi-mcp3008"))}
    assert counts["1 uF ceramic capacitor"] == counts["MCP3008"]
    assert counts["100 nF ceramic capacitor"] == counts["74HC154"]


def test_the_guides_name_the_sums_of_the_shopping_lists() -> None:
    """What a build costs is said in two pages by hand, from the lists that are made."""
    buy, build = (
        (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8") for name in ("buy-the-parts", "build-the-board")
    )
    for board in BOARDS:
        total = f"{sum(part.count * part.each_eur for part in parts_of(board)):.0f} EUR"
        for line in buy.splitlines():
            if f"[{board.id}](../wiring/{board.id}.md)" in line and line.endswith(" EUR |"):
                assert f"| {total} |" in line
        if board.id == "travel-10x10":
            assert f"| {total}, without Raspberry Pi" in build
