"""What parts, firmware and wire cannot do although every single value of a board file is allowed: found before anything is made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

HIGHEST_COUNT = 1023
"""Ten bits, whatever the converter has."""

FULL_FIELD = 16_000
"""A centred field in the firmware's whole numbers: a multiple of 1000, so that thresholds in thousandths are whole numbers too."""

LEAST_GAIN = 20
"""Counts: with less the thresholds would lie inside the converter's own noise."""

_MOST_GAIN = HIGHEST_COUNT // 2  # from the middle of its range a sensor has no farther to go
_LARGEST_SHARE = 0.075  # of a centred field: the sum of 24 such shares of FULL_FIELD still fits 16 bits
_MOST_CHANNELS = 255  # a byte counts them, in HELLO and in the firmware's loops
_PULLED_UP = (2, 3)  # a Pi's GPIO with resistors of their own
HIGHEST_PIN_MV = 3600  # a Pi's pins break above it


def counts_of(centred_mt: float, mv_per_mt: float, supply_mv: float) -> int:
    """Return the counts that a centred magnet adds by the data sheets; the supply is the converter's reference too."""
    return round(HIGHEST_COUNT * centred_mt * mv_per_mt / supply_mv)


def check_limits(
    tables: Mapping[str, Mapping[str, Any]],
    beside: Sequence[float],
    wired: Collection[str],
    faults: list[str],
    *,
    linear: bool,
) -> None:
    """Append what is beyond a limit. `tables` are the checked ones, `beside` the magnet's shares, `wired` what scans the sensors."""
    scan, sensor, magnet = (tables.get(name, {}) for name in ("scan", "sensor", "magnet"))
    channels = scan.get("chips", 0) * scan.get("channels_per_chip", 0)
    if wired and channels > _MOST_CHANNELS:
        faults.append(f"scan: {channels} channels; firmware and wire count {_MOST_CHANNELS}")
    if wired and linear is not (sensor.get("mv_per_mt", float(linear)) > 0):
        faults.append("sensor.mv_per_mt: sensing colour needs linear sensors, which tell it; occupancy digital ones")
    elif wired and linear and "centred_mt" in magnet and {"mv_per_mt", "supply_mv"} <= sensor.keys():
        counts = counts_of(magnet["centred_mt"], sensor["mv_per_mt"], sensor["supply_mv"])
        if not LEAST_GAIN <= counts <= _MOST_GAIN:
            faults.append(f"magnet.centred_mt: {counts} counts of the converter, not {LEAST_GAIN} to {_MOST_GAIN}")
    if wired and linear and any(abs(share) > _LARGEST_SHARE for share in beside):
        faults.append(f"magnet.beside: more than {_LARGEST_SHARE:g} of a field beside a square cannot be corrected")
    _check_pi(tables, sensor.get("supply_mv", 0), faults)


def _check_pi(tables: Mapping[str, Mapping[str, Any]], supply_mv: int, faults: list[str]) -> None:
    faults += [
        f"{name}.device: SPI 0 has no device {tables[name]['device']}"
        for name in ("spi", "mcp3008")
        if tables.get(name, {}).get("bus") == 0 and tables[name].get("device", 0) > 1
    ]
    gpio = tables.get("gpio", {})
    if gpio.get("pull", "up") != "up":
        faults += [
            f"gpio.columns: pin {pin} has a pull-up of its own; gpio.pull must be up"
            for pin in gpio.get("columns", ())
            if pin in _PULLED_UP
        ]
    driven = {"spi", "mcp3008"} & tables.keys() or gpio.get("magnet") == "high"
    if driven and supply_mv > HIGHEST_PIN_MV:
        faults.append(f"sensor.supply_mv: {supply_mv} would reach a Raspberry Pi's pins, which stand 3300")
