"""Checks the circuits with ngspice at their worst corners, and the fields with magpylib: `make circuit`.

Prints a table: what was asked, what the firmware or the guide allows, the worst that was computed, and whether that holds; exit code 1 if
something does not. Not a part of the tests. What the parts are modelled by stands beside them, with where the figure is from; what no
data sheet says is an assumption and called so. Stands alone because it is a command.
"""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networkx

from hardware import load_board
from hardware.draw import ROOT
from simulator.magnets import POLARISATION_T, field_mt
from simulator.make_field_table import solve_with_magpylib
from workshop.tile import parts, tile_of

Point = tuple[float, float]
FIRMWARE = ROOT / "hardware/firmware"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the table: `worst` must not be above `allowed`."""

    asked: str
    allowed: float
    worst: float
    unit: str
    at: str

    @property
    def holds(self) -> bool:
        """Whether the worst that was computed is allowed."""
        return self.worst <= self.allowed

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "FAILS"
        return f"{verdict:6} {self.asked:58} {self.worst:8.2f} of {self.allowed:6.2f} {self.unit:3} {self.at}"


def ngspice(deck: str, *names: str) -> list[float]:
    """Return the measurements of these names that a deck makes; RuntimeError with ngspice's words if one is missing."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "deck.cir"
        source.write_text(f"hallmarshal\n{deck}\n.end\n", encoding="ascii")
        run = subprocess.run(["ngspice", "-b", source], capture_output=True, text=True, check=False)  # noqa: S603, S607
    found = dict(re.findall(r"^(\w+)\s*=\s*([-+.\de]+)", run.stdout, re.MULTILINE))
    if missing := [name for name in names if name not in found]:
        raise RuntimeError(f"ngspice measured no {missing}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return [float(found[name]) for name in names]


# ---------------------------------------------------------------- a multiplexer goes from one sensor to the next

# An SS49E sources milliamperes but sinks 65 uA (Honeywell 005850, figure 1: typical; no minimum is given: half of it is our assumption).
# It swings from 1.05 V to 1.05 V below its supply. A DRV5055 drives 1 mA both ways (SBAS640).
_SINKS_UA = {"SS49E": 32.0, "DRV5055A3": 1000.0}
_OHM = {5.0: 270.0, 3.3: 500.0}
"""Of a channel: Nexperia 74HC4067, largest at 4.5 V; nothing is said at 3.3 V: an assumption."""
_COMMON_PF = 45.0  # at SIG, typical; an input has 5
_WIRE_PF_M = 100.0  # a wire beside a ground wire, about
_LINE_OHM = 1000.0  # in every line between what scans and its chips
_CONVERTER = {"avr": (14.0, 10_000.0 + _LINE_OHM), "pico": (5.0, _LINE_OHM)}
"""Capacitance and series resistance: ATmega, 1 to 100 kilohm (10 is our assumption); Pico 1 pF, pad; and our 1 k in the line."""


def settling(part: str, volts: float, wire_m: float, converter: str) -> float:
    """Return after how many microseconds the converter holds the next sensor's voltage within 2 mV, from the highest to the lowest."""
    (pf, ohm), sink = _CONVERTER[converter], _SINKS_UA[part]
    high, low = volts - 1.05, 1.05
    line = 20 + 5 + 0.2 * _WIRE_PF_M
    deck = f"""
* both sensors sit at their voltages, the common line and the converter still at the high one; then the low one is joined
Vlow target 0 {low}
Bsensor 0 out I = min(2m, max(-{sink}u, (V(target) - V(out)) / 50))
Cline out 0 {line}p ic={low}
Ron out sig {_OHM[volts]}
Csig sig 0 {_COMMON_PF + wire_m * _WIRE_PF_M}p ic={high}
Radc sig hold {ohm}
Cadc hold 0 {pf}p ic={high}
.tran 10n 60u uic
.meas tran settled when v(hold)={low + 0.002} fall=last
"""
    (seconds,) = ngspice(deck, "settled")
    selecting = (
        1.2 * _LINE_OHM * (6 * 10 + wire_m * _WIRE_PF_M) * 1e-12
    )  # a select line at 0.7 of its way, at six chips' inputs
    return (seconds + selecting) * 1e6


def _defined(name: str, folder: str) -> float:
    """Return a number that the firmware's sources define; the least if it stands in several files."""
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((FIRMWARE / folder).rglob("*.[ch]")))
    return min(float(found) for found in re.findall(rf"#define {name} (\d+)", sources))


def multiplexers() -> Iterator[Check]:
    """Yield whether the converter waits long enough, with wires of 0.3 and 1 m."""
    sampling_us = _defined("SAMPLING_US", "avr")
    avr_us = (
        13 / 0.5 - sampling_us + 1.5 / 0.5
    )  # next input selected after sampling; then the conversion's rest, and 1.5 clocks
    pico_us = _defined("SETTLE_US", "rp2040")
    for wire_m in (0.3, 1.0):
        for asked, part, volts, converter, allowed in (
            ("Nano, SS49E on 5 V: next square settled", "SS49E", 5.0, "avr", avr_us),
            ("Pico, SS49E on 3.3 V: next square settled", "SS49E", 3.3, "pico", pico_us),
            ("Pico, DRV5055 on 3.3 V: next square settled", "DRV5055A3", 3.3, "pico", pico_us),
        ):
            yield Check(
                asked, allowed, settling(part, volts, wire_m, converter), "us", f"wire to the converter {wire_m:g} m"
            )


# ---------------------------------------------------------------- rows, and a Pi's bus

_COPPER = 0.0175  # ohm mm2 / m


def lost_along_rows(volts: float, sensors_ma: float) -> float:
    """Return by how many volts the farthest sensor's supply is below the nearest's: ten rows of ten, bare wire of 0.5 mm."""
    bus, row = (2 * _COPPER * 0.019 / area for area in (0.5, 0.196))  # plus and ground, a square's length
    deck = [f"Vin b0 0 {volts}"]
    for y in range(10):
        deck += [f"Rb{y} b{y} b{y + 1} {bus}", f"Rr{y} b{y + 1} r{y}_0 {row}"]
        deck += [f"Rs{y}_{x} r{y}_{x} r{y}_{x + 1} {row}" for x in range(9)]
        deck += [f"Is{y}_{x} r{y}_{x} 0 {sensors_ma}m" for x in range(10)]
    deck += [".tran 1u 10u", ".meas tran left find v(r9_9) at=5u"]
    (left,) = ngspice("\n".join(deck), "left")
    return volts - left


def miso_ns(volts: float, others: int) -> float:
    """Return when the Pi's pin has a converter's bit, in nanoseconds after the clock fell: 0.3 m of wire, 1 kilohm at the Pi.

    MCP3008: valid 200 ns after the clock at most (at 2.7 V); its output of 300 ohm and 10 pF each of the others, and the pin's 10, are
    assumptions. The clock itself comes through 1 kilohm, to as many inputs of 10 pF.
    """
    clock_ns = 1.2 * _LINE_OHM * (10 * others + 40) * 1e-3
    deck = f"""
Vdout d 0 pwl(0 0 200n 0 201n {volts})
Rdout d bus 300
Cbus bus 0 {10 * others + 30}p
R1 bus pin 1000
Rup pin up 10000
Vup up 0 {volts}
Cpin pin 0 10p
.tran 1n 2u
.meas tran seen when v(pin)={0.7 * volts} rise=last
"""
    (seconds,) = ngspice(deck, "seen")
    return clock_ns + seconds * 1e9


def lines() -> Iterator[Check]:
    """Yield what rows lose, and whether a bit is there before the Pi looks."""
    for part, volts, ma in (("SS49E", 5.0, 10.0), ("DRV5055A3", 3.3, 10.0)):
        lost = lost_along_rows(volts, ma)
        yield Check(
            f"{part}, 10 mA each: lost along bus and row", 4 * volts, lost * 1000, "mV", "0.4 % of the supply: 2 counts"
        )
    board = load_board("travel-pi-mcp3008")
    assert board.mcp3008 is not None
    half_ns = 1e6 / board.mcp3008.khz / 2
    yield Check(
        "a converter's bit on MISO", half_ns, miso_ns(3.3, board.scan.chips - 1), "ns", "half a clock of the SPI"
    )


# ---------------------------------------------------------------- where the supply comes in

# AO3401A: threshold at most 1.3 V, 85 milliohm at 2.5 V; the body diode from drain to source
_PMOS = ".model pm pmos(vto=-1.3 kp=12 rd=0.02 rs=0.02)\n.model body d(is=1e-9 rs=0.05 bv=30)"


def entry(volts: float, amperes: float) -> tuple[float, float]:
    """Return the voltage behind fuse and transistor at that load, and the lowest voltage there with plus and minus exchanged."""
    reached = []
    for supply in (volts, -volts):
        deck = f"""
{_PMOS}
Vin in 0 pwl(0 0 1m {supply})
Rfuse in d 0.15
M1 d 0 s s pm
Dbody d s body
Rload s 0 {volts / amperes}
C0 s 0 10u
.tran 10u 20m
.meas tran reached find v(s) at=20m
"""
        reached += ngspice(deck, "reached")
    return reached[0], reached[1]


def supplies() -> Iterator[Check]:
    """Yield what the way in costs at the largest load, and that exchanged wires do no harm."""
    for name, volts in (("travel-10x10", 5.0), ("travel-pi-mcp3008", 3.3)):
        squares = len(load_board(name).squares)
        amperes = squares * 0.010 + 0.03  # Honeywell: 10 mA at most each
        right, wrong = entry(volts, amperes)
        yield Check(
            f"{volts:g} V, {amperes:.2f} A: lost in fuse and transistor", 0.3, volts - right, "V", "fuse 0.15 ohm"
        )
        yield Check(
            f"{volts:g} V the wrong way round: reaches the board", 0.3, -wrong, "V", "10 uF, all sensors as the load"
        )


# ---------------------------------------------------------------- one side is on, the other off


def fed(volts: float, ohm: float, lines_high: int) -> tuple[float, float]:
    """Return what one line, and all that are high together, feed into what is off, in mA: its input diodes, and sensors as a short."""
    deck = [".model clamp d(is=1e-14 rs=10)", f"Vpin pin 0 {volts}", "Vrail rail 0 0"]
    for n in range(lines_high):
        deck += [f"R{n} pin in{n} {ohm + 25}", f"D{n} in{n} rail clamp"]  # 25 ohm: the pin's own
    deck += [".tran 1u 10u", ".meas tran all find i(vrail) at=5u"]
    (amperes,) = ngspice("\n".join(deck), "all")
    return amperes * 1000 / lines_high, amperes * 1000


def through_d1(amperes: float) -> float:
    """Return what D1, a 1N5819, takes from a Nano's 5 V (data sheet: about 0.25 V at 25 mA)."""
    deck = f"""
.model d1 d(is=1e-6 n=1.05 rs=0.05)
Vin in 0 5
D0 in out d1
I0 out 0 {amperes}
.tran 1u 10u
.meas tran out find v(out) at=5u
"""
    (out,) = ngspice(deck, "out")
    return 5 - out


def one_side_off() -> Iterator[Check]:
    """Yield whether lines of what is on do harm to what is off; allowed is what one pin may give, and all of a chip."""
    for asked, volts, lines_high, pin_ma, all_ma in (
        ("Nano, Uno, Mega on, board off", 5.2, 4, 20.0, 100.0),  # ATmega: 20 a pin, and the 74HC's input diode 20
        ("Pico on, board off", 3.4, 6, 12.0, 50.0),
        ("Pi on, converters off", 3.4, 7, 16.0, 50.0),
        ("board on, Uno or Mega off: SIG lines", 5.2 - 1.05, 6, 20.0, 100.0),
        ("board on, Pico off: SIG and EN lines", 3.4, 5, 12.0, 50.0),
    ):
        one, together = fed(volts, _LINE_OHM, lines_high)
        bare, _ = fed(volts, 0.0, lines_high)
        yield Check(f"{asked}: one line feeds", pin_ma, one, "mA", f"without the 1 kilohm {bare:.0f}")
        yield Check(f"{asked}: all lines together", all_ma, together, "mA", f"{lines_high} high")
    yield Check("Nano behind D1: its reference below the sensors' supply", 8.0, 20 * through_d1(0.025), "%", "25 mA")
    yield Check("Pico without firmware: EN below its supply", 0.3 * 3.3, 3.3 * 10 / 61, "V", "10 k up; 1 k, 50 k down")
    yield Check("Pico selects: EN above ground", 0.3 * 3.3, 3.3 / 11, "V", "10 k up, 1 k down")


# ---------------------------------------------------------------- tiles

_TILES = "tile-10x10"
_RIBBON_M = 0.2  # each of three; its strands are AWG 28: 0.213 ohm a metre; a plug's contact 0.02 ohm, an assumption
_PLANE_PF_M = 100.0  # a track of 0.2 mm over ground, 1.6 mm of FR-4: 60 to 80 by the usual formula
_SHEET_OHM = 0.0005  # a square of 35 um copper
_SHEET = 50.0  # where a tile's upper left corner lies on KiCad's sheet


def tracks() -> dict[str, list[tuple[Point, Point, float]]]:
    """Return the tracks of each net of the tile that is packed in `docs/fab`: ends and width, in KiCad's millimetres."""
    with zipfile.ZipFile(ROOT / f"docs/fab/{_TILES}.zip") as packed:
        text = packed.read(f"{_TILES}.kicad_pcb").decode()
    names = dict(re.findall(r'^  \(net (\d+) "(.*)"\)$', text, re.MULTILINE))
    found: dict[str, list[tuple[Point, Point, float]]] = {name: [] for name in names.values()}
    number = r"([-\d.]+)"
    segment = rf"\(segment \(start {number} {number}\) \(end {number} {number}\) \(width {number}\).*?\(net (\d+)\)"
    for *figures, net in re.findall(segment, text):
        x0, y0, x1, y1, width = map(float, figures)
        found[names[net]].append(((x0, y0), (x1, y1), width))
    return found


def lengths(laid: Mapping[str, list[tuple[Point, Point, float]]]) -> dict[str, float]:
    """Return the length of all tracks of each net, in metres."""
    return {net: sum(math.dist(start, end) for start, end, _ in lines) / 1000 for net, lines in laid.items()}


def supply_ohm(lines: Sequence[tuple[Point, Point, float]]) -> float:
    """Return the resistance of the supply's tracks between the pins of J1 and those of J2 (1 and 20 of each)."""
    net: Any = networkx.Graph()
    ends = {end for line in lines for end in line[:2]}
    for start, end, width in lines:
        along = {}
        for place in ends:  # what ends on this track's copper is joined to it there
            length = math.dist(start, end) or 1e-9
            share = sum((p - a) * (b - a) for p, a, b in zip(place, start, end, strict=True)) / length**2
            nearest = [a + min(max(share, 0), 1) * (b - a) for a, b in zip(start, end, strict=True)]
            if math.dist(nearest, place) < width / 2 + 0.01:
                along[place] = min(max(share, 0), 1) * length
        for one, other in itertools.pairwise(sorted(along, key=along.__getitem__)):
            ohm = _SHEET_OHM * (along[other] - along[one]) / width
            net.add_edge(one, other, ohm=max(ohm, 1e-9))
    tile = tile_of(load_board(_TILES))
    for part in parts(tile):
        if part.ref in ("J1", "J2"):
            for side in (1, -1):  # pins 1 and 20 lie at opposite corners; KiCad's y runs down
                x, y = _SHEET + part.x + 11.43 * side, _SHEET + tile.size[1] - part.y + 1.27 * side
                on_pad = [n for n in net if isinstance(n, tuple) and max(abs(n[0] - x), abs(n[1] - y)) < 0.86]
                for node in on_pad:
                    net.add_edge(part.ref, node, ohm=1e-6)
    joined = net.subgraph(networkx.node_connected_component(net, "J1"))
    found: Any = networkx.resistance_distance(joined, "J1", "J2", "ohm")
    return float(found)


def settling_on_tiles(volts: float, converter: str, long: Mapping[str, float]) -> float:
    """Return after how many microseconds the converter holds the last tile's next sensor within 2 mV; select lines included.

    With a Pico all tiles hang on one line, each behind its 1 kilohm; with a Nano a line passes through the tiles before.
    """
    (pf, ohm), high, low = _CONVERTER[converter], volts - 0.2, 0.2  # a DRV5055 swings to 0.2 V of each end
    sig = [name for name in long if re.fullmatch(r"SIG\d", name)]
    tracks_m = sum(long[name] for name in sig) if converter == "pico" else 4 * max(long[name] for name in sig)
    line = _PLANE_PF_M * tracks_m + 3 * _WIRE_PF_M * _RIBBON_M * (2 if converter == "pico" else 1)
    out = max(length for name, length in long.items() if name.startswith("OUT"))
    common = _COMMON_PF + _PLANE_PF_M * max(long["SIG0T"], long["SIG1T"])
    others = 3 if converter == "pico" else 0  # multiplexers that are off
    deck = f"""
Vlow target 0 {low}
Bsensor 0 out I = min(2m, max(-1m, (V(target) - V(out)) / 50))
Cout out 0 {5 + _PLANE_PF_M * out}p ic={low}
Ron out common {_OHM[volts]}
Ccommon common 0 {common}p ic={high}
Rline common line {_LINE_OHM}
Cline line 0 {line}p ic={high}
Rothers line off {_LINE_OHM / max(others, 1)}
Cothers off 0 {others * common + 0.1}p ic={high}
Radc line hold {ohm - _LINE_OHM + 50}
Cadc hold 0 {pf}p ic={high}
.tran 10n 60u uic
.meas tran settled when v(hold)={low + 0.002} fall=last
"""
    (seconds,) = ngspice(deck, "settled")
    selecting = 1.2 * 10_000 * (2 * 10 + _PLANE_PF_M * max(long[f"S{n}T"] for n in range(4))) * 1e-12
    return (seconds + selecting) * 1e6


def lost_to_the_last_tile(ohm: float, tile_ma: float) -> float:
    """Return by how many volts the last tile's supply, plus and ground, is below the first's: `ohm` from header to header of a tile."""
    ribbon = (0.213 * _RIBBON_M + 2 * 0.02) / 2  # two strands each way
    below = [n * tile_ma / 1000 for n in (3, 2, 1)]  # what each ribbon carries
    return sum(amperes * (2 * ribbon + ohm) for amperes in below)


def tiles() -> Iterator[Check]:
    """Yield the same questions of four tiles, with the tracks that they have."""
    laid = tracks()
    long, ohm = lengths(laid), supply_ohm(laid["V+"])
    longest = max(length for name, length in long.items() if name.startswith(("OUT", "SIG")))
    for asked, volts, converter, allowed in (
        ("four tiles, Nano: next square settled", 5.0, "avr", 26 - _defined("SAMPLING_US", "avr") + 3),
        ("four tiles on 3.3 V, Pico: next square settled", 3.3, "pico", _defined("SETTLE_US", "rp2040")),
    ):
        at = f"longest track {1000 * longest:.0f} mm, three ribbons of {_RIBBON_M:g} m"
        yield Check(asked, allowed, settling_on_tiles(volts, converter, long), "us", at)
    at = f"5 %, fixed; {1000 * ohm:.0f} milliohm of tracks on each tile"
    yield Check("four tiles, 10 mA each: lost to the last one", 250, 1000 * lost_to_the_last_tile(ohm, 250), "mV", at)
    right, wrong = entry(5.0, 100 * 0.010 + 0.03)
    yield Check("four tiles, 1.03 A: lost in fuse and transistor", 0.3, 5 - right, "V", "fuse 0.15 ohm")
    yield Check("four tiles, the wrong way round: reaches them", 0.3, -wrong, "V", "a tile's D1 behind Q1")
    for asked, volts, ohm, lines_high in (
        ("Nano on, tiles off: select lines", 5.2, 10_000 / 4, 4),
        ("tiles on, Nano off: SIG lines", 5.0, _LINE_OHM, 8),
    ):
        one, together = fed(volts, ohm, lines_high)
        yield Check(f"{asked}, one", 20.0, one, "mA", "four tiles")
        yield Check(f"{asked}, together", 100.0, together, "mA", f"{lines_high} high")


# ---------------------------------------------------------------- fields


def fields() -> Iterator[Check]:
    """Yield how far the table that the simulator ships is from magpylib at the distances that the guide speaks of."""
    board = load_board("travel-10x10")
    tesla = POLARISATION_T[board.magnet.grade]
    pitch = board.pitch_mm
    for diameter, gap in itertools.product((5.0, 6.0), (3.5, 4.0, 4.5)):
        magnet = replace(board.magnet, diameter_mm=diameter, gap_mm=gap)
        aside = [0.0, pitch / 4, pitch / 2, pitch, 2**0.5 * pitch]
        exact = solve_with_magpylib(diameter, magnet.thickness_mm, [(one, gap) for one in aside])
        worst = max(abs(field_mt(magnet, one) - tesla * bz) for one, bz in zip(aside, exact, strict=True))
        yield Check(
            f"disc {diameter:g} x 2 mm, gap {gap:g} mm: table differs from magpylib",
            0.3,
            worst,
            "mT",
            "0 to 1.4 squares aside",
        )


def main() -> int:
    """Print the table; return the exit code."""
    checks = [*multiplexers(), *lines(), *supplies(), *one_side_off(), *tiles(), *fields()]
    print(*checks, sep="\n")
    return 0 if all(check.holds for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
