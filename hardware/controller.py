"""The `[controller.*]` tables of a board file: which microcontroller scans the sensors, and on which of its pins they hang.

Linear sensors: all multiplexers share four select lines, each has a converter input of its own (or two share one and are enabled in
turn). Digital sensors: one chain of shift registers on three pins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hardware.schema import Key, check_table

CHIPS: Mapping[str, tuple[str, str, str]] = {
    "atmega328p": (r"P(?:([BC])([0-5])|(D)([2-7]))", r"ADC([0-5])", "Arduino Nano or Uno, 5 V"),
    "atmega2560": (r"P(?:([A-DFHJ-L])([0-7])|(E)([2-7])|(G)([0-5]))", r"ADC([0-7])", "Arduino Mega, 5 V"),
    "rp2040": (r"(GP)([0-9]|1\d|2[0-2]|2[6-8])", r"ADC([0-2])", "Raspberry Pi Pico, 3.3 V"),
}
"""Chip -> form of its free pins' names, of its converter inputs' names, and the module that people buy.

Not free are the pins of serial port, crystal and reset, and those that a Pico uses itself. ADC8 to ADC15 of the ATmega2560 are left
out: the simulator cannot drive them, so nothing could be proved of them."""

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
    latch: Pin | None = None
    clock: Pin | None = None
    data: Pin | None = None

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins but the converter's inputs."""
        single = (pin for pin in (self.latch, self.clock, self.data) if pin)
        return (*self.select, *self.enable, *single)


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
        latch, clock, data = (_pin(chip, values[key], f"{place}.{key}", faults) for key in ("latch", "clock", "data"))
        return Controller(chip, latch=latch, clock=clock, data=data)
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
