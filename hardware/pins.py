"""The `[gpio]`, `[spi]` and `[mcp3008]` tables of a board file: sensors wired straight to a Raspberry Pi's pins, without a controller.

`[gpio]` is a matrix: one row of sensors is powered or enabled at a time; the columns are open-drain lines that a sensor pulls when a
magnet is there.
`[spi]` is a chain of shift registers that the Pi's SPI clocks out.
`[mcp3008]` is a row of converters on the Pi's SPI, one of which a decoder selects at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.schema import Key

LOWEST_PIN, HIGHEST_PIN = 2, 27  # 0 and 1 belong to the EEPROM of an add-on board
_SHARE_OF_SCAN = 0.5  # of the time between two scans may be waiting: the rest is reading, and the referee's

GPIO_KEYS: tuple[Key, ...] = (
    Key(
        "rows",
        "list of whole numbers",
        "pin of each row, by its BCM number; channel = row * columns + column, from 0",
        low=LOWEST_PIN,
        high=HIGHEST_PIN,
    ),
    Key("columns", "list of whole numbers", "pin of each column", low=LOWEST_PIN, high=HIGHEST_PIN),
    Key("row_on", "text", "level that selects a row; all other rows have the other one", choices=("low", "high")),
    Key("magnet", "text", "level of a column where the selected row has a magnet", choices=("low", "high")),
    Key("pull", "text", "the Pi's own resistors on the columns; none: yours are there", choices=("up", "down", "none")),
    Key(
        "scan_order",
        "list of whole numbers",
        "rows, counted from 0, in the order of scanning",
        default=None,
        low=0,
        high=HIGHEST_PIN,
    ),
    Key("settle_us", "whole number", "from selecting a row to reading its columns, in microseconds", low=0, high=5000),
)


@dataclass(frozen=True, slots=True)
class Gpio:
    """Pins by BCM number. `scan_order` names every row once; `row_on_high` and `magnet_high` are levels; `pull` is up, down or none."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    row_on_high: bool
    magnet_high: bool
    pull: str
    scan_order: tuple[int, ...]
    settle_us: int


def gpio_of(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> Gpio | None:
    """Return the pins that a checked table names, or None having appended every fault. `scan` is the checked `[scan]` table."""
    before = len(faults)
    rows, columns = values.get("rows", []), values.get("columns", [])
    pins = [*rows, *columns]
    faults += [f"gpio: pin {pin} stands twice" for pin in sorted({pin for pin in pins if pins.count(pin) > 1})]
    faults += _size_faults(rows, columns, scan)
    order = values.get("scan_order")
    if order is not None and rows and sorted(order) != list(range(len(rows))):
        faults.append(f"gpio.scan_order: every row from 0 to {len(rows) - 1} is needed once")
    if (values.get("magnet"), values.get("pull")) in (("low", "down"), ("high", "up")):
        faults.append(f"gpio.pull: {values['pull']} is the level of a magnet: every square would read as one")
    settle_us, hz = values.get("settle_us", 0), scan.get("hz", 0)
    if settle_us * len(rows) > _SHARE_OF_SCAN * 1_000_000 / max(hz, 1):
        faults.append(
            f"gpio.settle_us: {len(rows)} rows of {settle_us} us leave no time at {hz} scans a second "
            f"(at most {_SHARE_OF_SCAN:.0%} of a scan may be waiting)"
        )
    if len(faults) > before or len(values) < len(GPIO_KEYS):
        return None
    return Gpio(
        rows=tuple(rows),
        columns=tuple(columns),
        row_on_high=values["row_on"] == "high",
        magnet_high=values["magnet"] == "high",
        pull=values["pull"],
        scan_order=tuple(range(len(rows)) if order is None else order),
        settle_us=settle_us,
    )


def _size_faults(rows: Sequence[int], columns: Sequence[int], scan: Mapping[str, Any]) -> list[str]:
    pairs = (("rows", rows, "chips"), ("columns", columns, "channels_per_chip"))
    return [
        f"gpio.{name}: {len(pins)} pins, but scan.{key} is {scan[key]} (in a matrix the two are equal)"
        for name, pins, key in pairs
        if pins and key in scan and len(pins) != scan[key]
    ]


SPI_PINS = {0: range(7, 12), 1: range(16, 22)}  # by bus: selects, MISO, MOSI, clock
CHAIN_INPUTS = 8

SPI_KEYS: tuple[Key, ...] = (
    Key("bus", "whole number", "SPI bus", low=0, high=1),
    Key("device", "whole number", "its device; the select line stays unconnected", low=0, high=2),
    Key("khz", "whole number", "clock in thousands a second", low=100, high=8000),
    Key("latch", "whole number", "pin, by its BCM number, of SH/LD of all registers", low=LOWEST_PIN, high=HIGHEST_PIN),
    Key("magnet", "text", "level of an input where there is a magnet", choices=("low", "high")),
)


@dataclass(frozen=True, slots=True)
class SpiChain:
    """A chain of 74HC165 on a Pi's SPI. `latch` is a BCM number, `hz` the clock; `magnet_high` is a level."""

    bus: int
    device: int
    hz: int
    latch: int
    magnet_high: bool


def spi_of(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> SpiChain | None:
    """Return the chain that a checked table names, or None having appended every fault. `scan` is the checked `[scan]` table."""
    before = len(faults)
    if values.get("latch") in SPI_PINS.get(values.get("bus", -1), ()):
        faults.append(f"spi.latch: pin {values['latch']} belongs to SPI {values['bus']}")
    if scan.get("channels_per_chip", CHAIN_INPUTS) != CHAIN_INPUTS:
        faults.append("spi: a shift register has 8 inputs, scan.channels_per_chip says otherwise")
    if len(faults) > before or len(values) < len(SPI_KEYS):
        return None
    return SpiChain(values["bus"], values["device"], 1000 * values["khz"], values["latch"], values["magnet"] == "high")


CONVERTER_INPUTS = 8
ADDRESS_LINES = 4
CLOCKS_PER_CONVERSION = (
    24  # three bytes: the request's five bits, the null bit and ten bits of the answer, in whole bytes
)

MCP3008_KEYS: tuple[Key, ...] = (
    Key("bus", "whole number", "SPI bus", low=0, high=1),
    Key("device", "whole number", "its device, whose select line enables the decoder", low=0, high=2),
    # the datasheet: 75,000 conversions of 18 clocks a second at 2.7 V, 200,000 at 5 V, nothing said between
    Key("khz", "whole number", "clock in thousands a second", low=100, high=1350),
    Key(
        "address",
        "list of whole numbers",
        "pins, by their BCM numbers, of A0 to A3 of the decoder",
        low=LOWEST_PIN,
        high=HIGHEST_PIN,
    ),
)


@dataclass(frozen=True, slots=True)
class SpiConverters:
    """MCP3008 on a Pi's SPI behind a 74HC154. `address` are BCM numbers, the lowest bit first; `hz` is the clock."""

    bus: int
    device: int
    hz: int
    address: tuple[int, ...]


def mcp3008_of(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> SpiConverters | None:
    """Return the converters that a checked table names, or None having appended every fault. `scan` is the checked `[scan]` table."""
    before = len(faults)
    address = values.get("address", [])
    if address and len(address) != ADDRESS_LINES:
        faults.append(f"mcp3008.address: {ADDRESS_LINES} pins are needed, A0 first")
    faults += [
        f"mcp3008.address: pin {pin} stands twice" for pin in sorted({p for p in address if address.count(p) > 1})
    ]
    bus = values.get("bus", -1)
    faults += [f"mcp3008.address: pin {pin} belongs to SPI {bus}" for pin in address if pin in SPI_PINS.get(bus, ())]
    if scan.get("channels_per_chip", CONVERTER_INPUTS) != CONVERTER_INPUTS:
        faults.append("mcp3008: a converter has 8 inputs, scan.channels_per_chip says otherwise")
    if scan.get("chips", 0) > 1 << ADDRESS_LINES:
        faults.append(f"mcp3008: a decoder selects {1 << ADDRESS_LINES} converters, scan.chips says {scan['chips']}")
    clocks = len(scan.get("channels", ())) and scan.get("chips", 0) * CONVERTER_INPUTS * CLOCKS_PER_CONVERSION
    if "khz" in values and clocks * scan.get("hz", 0) > _SHARE_OF_SCAN * 1000 * values["khz"]:
        faults.append(
            f"mcp3008.khz: no time for {scan['hz']} scans a second (at most {_SHARE_OF_SCAN:.0%} of one may be clocking)"
        )
    if len(faults) > before or len(values) < len(MCP3008_KEYS):
        return None
    return SpiConverters(values["bus"], values["device"], 1000 * values["khz"], tuple(address))
