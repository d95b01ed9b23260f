"""The `[gpio]` table of a board file: a matrix of sensors wired straight to a Raspberry Pi's pins.

One row of sensors is powered or enabled at a time; the columns are open-drain lines that a sensor pulls when a magnet is there.
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
    """Give the pins that a checked table names, or None having appended every fault. `scan` is the checked `[scan]` table."""
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
