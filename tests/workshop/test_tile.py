"""Tiles: the netlist leads every square to the input that the board file says, and what is packed for a board house is whole and fresh."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from hardware import BoardFile, board_names, load_board
from hardware.draw import ROOT
from workshop.fab import ZIPS, is_fresh, parts_list, placement, tiles
from workshop.tile import CHAIN, KINDS, channels, costs, divider_input, inputs, parts, tile_of

TILED = [board for board in map(load_board, board_names()) if board.tiles]
TILE = tile_of(load_board("tile-10x10"))
PARTS = {part.ref: part for part in parts(TILE)}


def ends(net: str) -> list[tuple[str, str]]:
    """Return part and signal of each leg on a net of the tile."""
    return [
        (part.ref, KINDS[part.kind]["pins"][int(leg) - 1].split()[0])
        for part in PARTS.values()
        for leg, name in part.nets.items()
        if name == net
    ]


def over(net: str, ref: str) -> str:
    """Return the net at the other leg of a part with two."""
    (other,) = set(PARTS[ref].nets.values()) - {net}
    return other


def leg_of(ref: str, net: str) -> str:
    """Return the number of the one leg of a part that is on a net."""
    (leg,) = (leg for leg, name in PARTS[ref].nets.items() if name == net)
    return leg


def at_the_nano(net: str, tile: int) -> str:
    """Return where a line of that tile of the chain arrives at the controller, hop by hop through the ribbons."""
    while tile:
        net = PARTS["J2"].nets[leg_of("J1", net)]
        tile -= 1
    (pin,) = (signal for ref, signal in ends(net) if ref == "A1")
    return pin


@pytest.mark.parametrize("board", TILED, ids=lambda board: board.id)
def test_every_square_arrives_where_the_firmware_reads_it(board: BoardFile) -> None:
    """From the sensor's leg by multiplexer, resistor and ribbons to the pin: input and pin are those of the square's channel."""
    assert list(board.scan.channels) == channels(board)
    nano = next(one for one in board.controllers if one.chip == "atmega328p")
    unused = (10 - board.rows) // 2
    for square, (x, y), channel in zip(board.squares, board.places, board.scan.channels, strict=True):
        tile = CHAIN.index((int(x) // 5, int(y + unused) // 5))
        sensor = f"U{int(x) % 5 + 5 * (int(y + unused) % 5) + 1}"
        ((chip, pin),) = (one for one in ends(PARTS[sensor].nets["2"]) if one[0] != sensor)
        common = PARTS[chip].nets["1"]
        ((resistor, _),) = (one for one in ends(common) if one[0] != chip)
        assert at_the_nano(over(common, resistor), tile) == f"A{nano.sense[channel // 16]}", square
        assert pin == f"Y{channel % 16}", square


def test_selects_and_enables_arrive() -> None:
    """S0 to S3 are D4 to D7 on every tile; the four EN lines of J1 reach a tile each; without a Pico every tile is on."""
    for n in range(4):
        line = f"S{n}"
        assert {at_the_nano(line, tile) for tile in range(4)} == {f"D{n + 4}"}
        (resistor,) = (ref for ref, _ in ends(line) if ref.startswith("R"))
        assert sorted(ends(over(line, resistor))) == sorted([(resistor, "B"), ("U26", line), ("U27", line)])
    for tile in range(4):
        net = "EN0"
        for _ in range(tile):
            net = PARTS["J2"].nets[leg_of("J1", net)]
        assert leg_of("J1", net) == str(7 + tile)
    assert {signal for ref, signal in ends("ENT") if ref.startswith("U")} == {"E"}
    assert PARTS["R5"].nets == {"1": "ENT", "2": "GND"}


def test_what_protects() -> None:
    """Plus comes by fuse and transistor, drain first; diodes point the right way; a ribbon turned round meets its own supply."""
    assert [part.nets for part in (PARTS["J3"], PARTS["F1"])] == [
        {"1": "VIN", "2": "GND", "3": "GND"},
        {"1": "VIN", "2": "FUSED"},
    ]
    assert PARTS["Q1"].nets == {"1": "GATE", "2": "V+", "3": "FUSED"}
    assert PARTS["R11"].nets == {"1": "GND", "2": "GATE"}
    assert (PARTS["D1"].nets, PARTS["D2"].nets) == ({"1": "V+", "2": "GND"}, {"1": "NANO5V", "2": "V+"})
    for ref in ("J1", "J2"):
        nets = PARTS[ref].nets
        assert [(nets[str(leg)], nets[str(21 - leg)]) for leg in (1, 2)] == [("V+", "V+"), ("GND", "GND")]


def test_inputs_are_shared_out() -> None:
    """Each square has an input of its own; the divider has one that none has; the rest are on ground."""
    assert sorted(inputs(TILE)) == sorted(TILE.places)
    used = Counter(inputs(TILE).values())
    assert max(used.values()) == 1
    assert divider_input(TILE) not in used
    grounded = [pin for ref, pin in ends("GND") if ref in ("U26", "U27") and pin.startswith("Y")]
    assert len(grounded) == 32 - 25 - 1


def test_the_legs_are_those_of_the_data_sheets() -> None:
    """By hand, from the sheets: SOT-23 of DRV5055 and AO3401A, 74HC4067, Arduino Nano."""
    legs = {kind: [pin.split()[0] for pin in row["pins"]] for kind, row in KINDS.items()}
    assert (legs["sensor"], legs["mosfet"]) == (["VCC", "OUT", "GND"], ["G", "S", "D"])
    assert {n: legs["mux"][n - 1] for n in (1, 2, 9, 10, 12, 13, 14, 15, 16, 23, 24)} == dict(
        zip(
            (1, 2, 9, 10, 12, 13, 14, 15, 16, 23, 24),
            ["Z", "Y7", "Y0", "S0", "GND", "S3", "S2", "E", "Y15", "Y8", "VCC"],
            strict=True,
        )
    )
    assert {n: legs["nano"][n - 1] for n in (4, 7, 10, 19, 26, 27, 29)} == dict(
        zip((4, 7, 10, 19, 26, 27, 29), ["GND", "D4", "D7", "A0", "A7", "5V", "GND"], strict=True)
    )


def test_a_board_that_is_no_four_tiles_is_refused() -> None:
    """In one line."""
    with pytest.raises(ValueError, match=r"castle-four: .* do not fit four tiles of 5 x 5"):
        tile_of(load_board("castle-four"))
    with pytest.raises(ValueError, match="do not fit"):
        tile_of(replace(load_board("tile-10x10"), rows=12))


@pytest.mark.parametrize("name", tiles())
def test_what_is_packed(name: str) -> None:
    """Fresh, everything in it, and the rules' own words say that nothing is wrong and nothing is left open."""
    assert is_fresh(name), "run: make fab"
    with zipfile.ZipFile(ZIPS / f"{name}.zip") as packed:
        held = {path.removeprefix(f"{name}-"): packed.read(path).decode() for path in packed.namelist()}
    wanted = {f"{side}_{layer}.gbr" for side in "FB" for layer in ("Cu", "Mask", "Silkscreen")}
    wanted |= {
        "F_Paste.gbr",
        "Edge_Cuts.gbr",
        "PTH.drl",
        "NPTH.drl",
        "assembly_front.svg",
        "assembly_back.svg",
        "frame.stl",
        "case.stl",
        "foot.stl",
    }
    assert wanted | {
        "parts.csv",
        "placement.csv",
        "netlist.txt",
        "order.txt",
        f"{name}.kicad_pcb",
        f"{name}.rules.txt",
    } == set(held)
    assert [line for line in held[f"{name}.rules.txt"].splitlines() if "Found" in line] == [
        "** Found 0 DRC violations **",
        "** Found 0 unconnected pads **",
        "** Found 0 Footprint errors **",
    ]
    assert held["netlist.txt"].startswith("Electrical rules (SKiDL): 0 errors, 0 warnings")
    assert (held["parts.csv"], held["placement.csv"]) == (parts_list(TILE), placement(TILE))
    assert "NO TILE HAS BEEN MADE YET" in held["order.txt"]
    assert all(ElementTree.fromstring(held[f"assembly_{side}.svg"]).tag.endswith("svg") for side in ("front", "back"))
    assert not any("date" in line and "2026-" in line for line in held["F_Cu.gbr"].splitlines()[:12])


def ink(gerber: str) -> set[tuple[float, float]]:
    """Return every place where a silk's Gerber begins or ends a line or prints a dot, in mm; not what it takes away again."""
    dark = gerber.split("%LPC*%")[0]
    return {(int(x) / 1e6, int(y) / 1e6) for x, y in re.findall(r"^X(-?\d+)Y(-?\d+)D0[123]\*$", dark, re.MULTILINE)}


@pytest.mark.parametrize("name", tiles())
def test_ink_is_at_leg_one_and_on_no_via(name: str) -> None:
    """From the zip alone: multiplexers and three-legged parts have a dot outside leg 1; drill marks would put ink on every via."""
    with zipfile.ZipFile(ZIPS / f"{name}.zip") as packed:
        front, back = (ink(packed.read(f"{name}-{side}_Silkscreen.gbr").decode()) for side in "FB")
        drill = packed.read(f"{name}-PTH.drl").decode().split("\nT1\n")[1].split("\nT2\n")[0]
    vias = {(float(x), float(y)) for x, y in re.findall(r"^X([-\d.]+)Y([-\d.]+)$", drill, re.MULTILINE)}
    assert len(vias) > 100
    assert vias & (front | back) == set()
    dots = {
        "sensor": (0.95, 2.2),
        "mux": (-4.1, 3.6),
        "mosfet": (2.2, -0.95),
    }  # leg 1 of the data sheets, as they are turned
    for part in (part for part in PARTS.values() if part.kind in dots):
        x, y = (50 + part.x + dots[part.kind][0], part.y - 145 + dots[part.kind][1])
        assert any(abs(a - x) < 0.3 and abs(b - y) < 0.3 for a, b in front), part.ref


def test_parts_and_placement_agree() -> None:
    """Machines place what the parts list says that they mount; every kind has an order code and a price with a date."""
    rows = list(csv.DictReader(io.StringIO(parts_list(TILE))))
    mounted = {ref for row in rows if "machine" in row["Mounted"] for ref in row["Designator"].split(",")}
    assert mounted == {row["Designator"] for row in csv.DictReader(io.StringIO(placement(TILE)))}
    assert all(row["Order code"] and float(row["EUR each"]) > 0 and "2026-" in row["Price from"] for row in rows)
    assert sum(int(row["Quantity"]) for row in rows) == len(PARTS)
    assert [
        row["Designator"] for row in rows if not row["LCSC Part #"] and "choose it by hand" not in row["Mounted"]
    ] == [row["Designator"] for row in rows if "not in the CPL" in row["Mounted"]]


def test_the_guide_names_the_costs() -> None:
    """What one board and five boards cost is said in the guides by hand, from the sums that are made."""
    one, five = re.findall(r"\*\*(\d+ EUR)|(\d+) a board", costs(TILE).splitlines()[-1])[::2]
    page = (ROOT / "docs/how-to/build-tiles.md").read_text(encoding="utf-8")
    assert f"{one[0]}; {five[1]} EUR" in page
