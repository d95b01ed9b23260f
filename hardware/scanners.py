"""What scans the sensors of a board: its tables `[gpio]`, `[spi]` and `[mcp3008]` (a Raspberry Pi's own pins) and `[controller.*]`.

`[gpio]` is a matrix: one row of sensors is powered or enabled at a time; the columns are open-drain lines that a sensor pulls when a
magnet is there.
`[spi]` is a chain of shift registers that the Pi's SPI clocks out.
`[mcp3008]` is a row of converters on the Pi's SPI, one of which a decoder selects at a time.
`[controller.CHIP]` names the pins of a microcontroller. Linear sensors: all multiplexers share four select lines, each has a converter
input of its own (or two share one and are enabled in turn). Digital sensors: one chain of shift registers on three pins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from toml_tables import Key, check_table, keyed

LOWEST_PIN, HIGHEST_PIN = 2, 27  # 0 and 1 belong to the EEPROM of an add-on board
_SHARE_OF_SCAN = 0.5  # of the time between two scans may be waiting: the rest is reading, and the referee's


def _pins(about: str) -> Any:
    return keyed(about, low=LOWEST_PIN, high=HIGHEST_PIN, read=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpio:
    """Pins by BCM number. `scan_order` names every row once, or none: then they are scanned as they come."""

    rows: tuple[int, ...] = _pins("pin of each row, by its BCM number; channel = row * columns + column, from 0")
    columns: tuple[int, ...] = _pins("pin of each column")
    row_on: str = keyed("level that selects a row; all other rows have the other one", choices=("low", "high"))
    magnet: str = keyed("level of a column where the selected row has a magnet", choices=("low", "high"))
    pull: str = keyed("the Pi's own resistors on the columns; none: yours are there", choices=("up", "down", "none"))
    scan_order: tuple[int, ...] = keyed(
        "rows, counted from 0, in the order of scanning", (), low=0, high=HIGHEST_PIN, read=tuple
    )
    settle_us: int = keyed("from selecting a row to reading its columns, in microseconds", low=0, high=5000)

    @property
    def row_on_high(self) -> bool:
        """The level that selects a row."""
        return self.row_on == "high"

    @property
    def magnet_high(self) -> bool:
        """The level of a column where the selected row has a magnet."""
        return self.magnet == "high"


def _check_gpio(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> None:
    rows, columns, order = (values.get(name, ()) for name in ("rows", "columns", "scan_order"))
    pins = [*rows, *columns]
    faults += [f"gpio: pin {pin} stands twice" for pin in sorted({pin for pin in pins if pins.count(pin) > 1})]
    faults += _size_faults(rows, columns, scan)
    if order and rows and sorted(order) != list(range(len(rows))):
        faults.append(f"gpio.scan_order: every row from 0 to {len(rows) - 1} is needed once")
    if (values.get("magnet"), values.get("pull")) in (("low", "down"), ("high", "up")):
        faults.append(f"gpio.pull: {values['pull']} is the level of a magnet: every square would read as one")
    settle_us, hz = values.get("settle_us", 0), scan.get("hz", 0)
    if settle_us * len(rows) > _SHARE_OF_SCAN * 1_000_000 / max(hz, 1):
        faults.append(
            f"gpio.settle_us: {len(rows)} rows of {settle_us} us leave no time at {hz} scans a second "
            f"(at most {_SHARE_OF_SCAN:.0%} of a scan may be waiting)"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SpiChain:
    """A chain of 74HC165 on a Pi's SPI. `latch` is a BCM number."""

    bus: int = keyed("SPI bus", low=0, high=1)
    device: int = keyed("its device; the select line stays unconnected", low=0, high=2)
    khz: int = keyed("clock in thousands a second", low=100, high=8000)
    latch: int = keyed("pin, by its BCM number, of SH/LD of all registers", low=LOWEST_PIN, high=HIGHEST_PIN)
    magnet: str = keyed("level of an input where there is a magnet", choices=("low", "high"))

    @property
    def magnet_high(self) -> bool:
        """The level of an input where there is a magnet."""
        return self.magnet == "high"


def _check_spi(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> None:
    if values.get("latch") in SPI_PINS.get(values.get("bus", -1), ()):
        faults.append(f"spi.latch: pin {values['latch']} belongs to SPI {values['bus']}")
    if scan.get("channels_per_chip", CHAIN_INPUTS) != CHAIN_INPUTS:
        faults.append("spi: a shift register has 8 inputs, scan.channels_per_chip says otherwise")


CONVERTER_INPUTS = 8
ADDRESS_LINES = 4
CLOCKS_PER_CONVERSION = (
    24  # three bytes: the request's five bits, the null bit and ten bits of the answer, in whole bytes
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpiConverters:
    """MCP3008 on a Pi's SPI behind a 74HC154. `address` are BCM numbers, the lowest bit first."""

    bus: int = keyed("SPI bus", low=0, high=1)
    device: int = keyed("its device, whose select line enables the decoder", low=0, high=2)
    # the datasheet: 75,000 conversions of 18 clocks a second at 2.7 V, 200,000 at 5 V, nothing said between
    khz: int = keyed("clock in thousands a second", low=100, high=1350)
    address: tuple[int, ...] = _pins("pins, by their BCM numbers, of A0 to A3 of the decoder")


def _check_mcp3008(values: Mapping[str, Any], scan: Mapping[str, Any], faults: list[str]) -> None:
    address, bus = values.get("address", ()), values.get("bus", -1)
    if address and len(address) != ADDRESS_LINES:
        faults.append(f"mcp3008.address: {ADDRESS_LINES} pins are needed, A0 first")
    faults += [
        f"mcp3008.address: pin {pin} stands twice" for pin in sorted({p for p in address if address.count(p) > 1})
    ]
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


PI_TABLES: Mapping[str, tuple[type, Callable[[Mapping[str, Any], Mapping[str, Any], list[str]], None]]] = {
    "gpio": (Gpio, _check_gpio),
    "spi": (SpiChain, _check_spi),
    "mcp3008": (SpiConverters, _check_mcp3008),
}
"""Table -> what is made of it, and what appends every fault of its values, already checked by themselves, beside those of `[scan]`."""

# ---------------------------------------------------------------- microcontrollers

CHIPS: Mapping[str, tuple[str, str, str]] = {
    "atmega328p": (r"P(?:([BC])([0-5])|(D)([2-7]))", r"ADC([0-7])", "Arduino Nano or Uno, 5 V"),
    "atmega2560": (r"P(?:([A-DFHJ-L])([0-7])|(E)([2-7])|(G)([0-5]))", r"ADC([0-7])", "Arduino Mega, 5 V"),
    "rp2040": (r"(GP)([0-9]|1\d|2[0-2]|2[6-8])", r"ADC([0-2])", "Raspberry Pi Pico, 3.3 V"),
}
"""Chip -> form of its free pins' names, of its converter inputs' names, and the module that people buy.

Not free are the pins of serial port, crystal and reset, and those that a Pico uses itself. ADC8 to ADC15 of the ATmega2560 are left
out: the simulator cannot drive them, so nothing could be proved of them. ADC6 and ADC7 of the ATmega328P are a Nano's A6 and A7; an Uno has
none."""

_FIRST_ADC: Mapping[str, tuple[str, int]] = {"atmega328p": ("C", 0), "atmega2560": ("F", 0), "rp2040": ("GP", 26)}

MULTIPLEXER_KEYS: tuple[Key, ...] = (
    Key("select", "list of text", "S0 to S3 of all multiplexers: four pins in a row of one port"),
    Key("sense", "list of text", "converter input of each multiplexer, in a row"),
    Key("enable", "list of text", "pins of E: where inputs are shared, one for each round of multiplexers", default=()),
)
CHAIN_KEYS: tuple[Key, ...] = (
    Key("latch", "text", "SH/LD of all shift registers: low takes the inputs"),
    Key("clock", "text", "CLK of all shift registers"),
    Key("data", "text", "QH of the register next to the controller"),
)


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin of a controller: its port (one letter, or GP) and its number there."""

    port: str
    number: int

    def __str__(self) -> str:
        return f"GP{self.number}" if self.port == "GP" else f"P{self.port}{self.number}"


@dataclass(frozen=True, slots=True)
class Controller:
    """One controller that can scan the board. Of `lines` a board with multiplexers has `select` 0 to 3, one with a chain the rest."""

    chip: str
    select: tuple[Pin, ...] = ()
    sense: tuple[int, ...] = ()
    enable: tuple[Pin, ...] = ()
    chain: tuple[Pin, ...] = ()
    """Latch, clock and data."""

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins but the converter's inputs."""
        return (*self.select, *self.enable, *self.chain)


def controllers_of(
    tables: object, scan: Mapping[str, Any], *, linear: bool, faults: list[str]
) -> tuple[Controller, ...]:
    """Return the controllers that a board file names, in its order; append every fault. `scan` is the checked `[scan]` table."""
    if not isinstance(tables, dict):
        faults.append("controller: a table a chip is needed, like [controller.atmega328p]")
        return ()
    found = []
    for chip, table in tables.items():
        place = f"controller.{chip}"
        if chip not in CHIPS:
            faults.append(f"{place}: unknown chip (known: {', '.join(CHIPS)})")
            continue
        before = len(faults)
        values = check_table(table, MULTIPLEXER_KEYS if linear else CHAIN_KEYS, place, faults)
        if len(faults) > before:
            continue
        controller = _controller(chip, values, place, faults)
        if len(faults) == before:
            _check(controller, scan, place, faults)
            found.append(controller)
    if tables and 1000 % scan.get("hz", 1):
        faults.append("scan.hz: a controller counts whole milliseconds; hz must divide 1000")
    return tuple(found)


def _controller(chip: str, values: Mapping[str, Any], place: str, faults: list[str]) -> Controller:
    def pins(key: str) -> tuple[Pin, ...]:
        return tuple(pin for name in values[key] if (pin := _pin(chip, name, f"{place}.{key}", faults)))

    if "latch" in values:
        pins_of_chain = (_pin(chip, values[key.name], f"{place}.{key.name}", faults) for key in CHAIN_KEYS)
        return Controller(chip, chain=tuple(filter(None, pins_of_chain)))
    sense = []
    for name in values["sense"]:
        match = re.fullmatch(CHIPS[chip][1], name)
        if match is None:
            faults.append(f"{place}.sense: {name!r} is no converter input of the {chip} that can be used")
        else:
            sense.append(int(match[1]))
    return Controller(chip, pins("select"), tuple(sense), pins("enable"))


def _pin(chip: str, name: object, place: str, faults: list[str]) -> Pin | None:
    match = re.fullmatch(CHIPS[chip][0], name) if isinstance(name, str) else None
    if match is None:
        faults.append(f"{place}: {name!r} is no pin of the {chip} that is free")
        return None
    port, number = filter(None, match.groups())
    return Pin(port, int(number))


def _check(controller: Controller, scan: Mapping[str, Any], place: str, faults: list[str]) -> None:
    port, first = _FIRST_ADC[controller.chip]
    pins = (*controller.pins, *(Pin(port, first + number) for number in controller.sense))
    faults += [f"{place}: pin {pin} stands twice" for pin in sorted(set(pins), key=str) if pins.count(pin) > 1]
    if not controller.sense:
        if scan.get("channels_per_chip") != 8:
            faults.append(f"{place}: a shift register has 8 inputs, scan.channels_per_chip says otherwise")
        return
    select = controller.select
    in_a_row = all(b == Pin(a.port, a.number + 1) for a, b in pairwise(select))
    if len(select) != 4 or not in_a_row:
        faults.append(f"{place}.select: four pins in a row of one port are needed, S0 first")
    if scan.get("channels_per_chip") != 16:
        faults.append(f"{place}: a multiplexer has 16 inputs, scan.channels_per_chip says otherwise")
    if any(b != a + 1 for a, b in pairwise(controller.sense)):
        faults.append(f"{place}.sense: inputs in a row are needed, the first multiplexer's first")
    if controller.enable and controller.chip != "rp2040":
        faults.append(f"{place}.enable: only the firmware of the rp2040 shares inputs")
    rounds = max(len(controller.enable), 1)
    if len(controller.sense) * rounds < scan.get("chips", 0):
        faults.append(f"{place}.sense: too few inputs for {scan.get('chips')} multiplexers")
