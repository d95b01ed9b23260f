"""Board files whose single values are allowed and which no firmware, wire or pin can serve: refused with the place, never a traceback."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import pytest

from hardware import BoardFileError
from hardware.board_file import BOARDS_FOLDER, parse_board

MULTIPLEXED, CHAINED, MATRIX, CHAIN, CONVERTERS = (
    "travel-10x10",
    "travel-10x10-digital",
    "withdrawn/travel-pi-matrix",
    "travel-pi-chain",
    "travel-pi-mcp3008",
)
SELECT = ["PD4", "PD5", "PD6", "PD7"]
SENSE = [f"ADC{number}" for number in range(6)]

BEYOND: dict[str, tuple[str, dict[str, Any], str]] = {
    "a magnet that reaches too far": (
        MULTIPLEXED,
        {"magnet": {"beside": [-0.08, 0, 0, 0, 0]}},
        "magnet.beside: more than 0.075 of a field",
    ),
    "a magnet that is not felt": (
        MULTIPLEXED,
        {"sensor": {"mv_per_mt": 0.1}},
        "magnet.centred_mt: 1 counts of the converter, not 20 to 511",
    ),
    "a magnet beyond the converter": (
        CONVERTERS,
        {"magnet": {"centred_mt": 120}},
        "magnet.centred_mt: 558 counts of the converter, not 20 to 511",
    ),
    "no number": (MULTIPLEXED, {"thresholds": {"on": math.nan}}, "thresholds.on: nan is no number"),
    "more channels than a byte counts": (CHAINED, {"scan": {"chips": 32}}, "scan: 256 channels; firmware and wire"),
    "as many on a Pi": (CHAIN, {"scan": {"chips": 32}}, "scan: 256 channels; firmware and wire count 255"),
    "colour from digital sensors": (MULTIPLEXED, {"sensor": {"mv_per_mt": None}}, "sensor.mv_per_mt: sensing colour"),
    "digital wiring, linear sensors": (CHAINED, {"sensor": {"mv_per_mt": 14}}, "sensor.mv_per_mt: sensing colour"),
    "a device that the bus has not": (CHAIN, {"spi": {"device": 2}}, "spi.device: SPI 0 has no device 2"),
    "nor for converters": (CONVERTERS, {"mcp3008": {"device": 2}}, "mcp3008.device: SPI 0 has no device 2"),
    "a column that is pulled up anyway": (
        MATRIX,
        {"gpio": {"rows": [14, *range(4, 7), 17, 27, 22, 10, 9, 11], "columns": [2, *range(18, 27)], "pull": "none"}},
        "gpio.columns: pin 2 has a pull-up of its own",
    ),
    "5 V on a column": (
        MATRIX,
        {"sensor": {"supply_mv": 5000}, "gpio": {"magnet": "high", "pull": "down"}},
        "sensor.supply_mv: 5000 would reach",
    ),
    "pins of the serial port": (
        MULTIPLEXED,
        {"controller": {"atmega328p": {"select": ["PD0", "PD1", "PD2", "PD3"], "sense": SENSE}}},
        "controller.atmega328p.select: 'PD0' is no pin of the atmega328p that is free",
    ),
    "pins of the converter": (
        MULTIPLEXED,
        {"controller": {"atmega328p": {"select": ["PC0", "PC1", "PC2", "PC3"], "sense": SENSE}}},
        "controller.atmega328p: pin PC0 stands twice",
    ),
    "pins of the Mega's converter": (
        MULTIPLEXED,
        {"controller": {"atmega2560": {"select": ["PF4", "PF5", "PF6", "PF7"], "sense": SENSE}}},
        "controller.atmega2560: pin PF4 stands twice",
    ),
    "reset for a pin": (
        CHAINED,
        {"controller": {"atmega328p": {"latch": "PC6", "clock": "PB5", "data": "PB4"}}},
        "controller.atmega328p.latch: 'PC6' is no pin",
    ),
    "a pin that the Pico keeps": (
        CHAINED,
        {"controller": {"rp2040": {"latch": "GP23", "clock": "GP2", "data": "GP4"}}},
        "controller.rp2040.latch: 'GP23' is no pin",
    ),
    "shared inputs on an ATmega": (
        MULTIPLEXED,
        {"controller": {"atmega328p": {"select": SELECT, "sense": SENSE[:3], "enable": ["PB0", "PB1"]}}},
        "controller.atmega328p.enable: only the firmware of the rp2040 shares inputs",
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_cannot_work_is_refused_with_the_place(name: str) -> None:
    """Each fault is named with its place; of a shipped board without the change there is none."""
    base, change, fault = BEYOND[name]
    data = tomllib.loads((BOARDS_FOLDER / f"{base}.toml").read_text(encoding="utf-8"))
    parse_board(data)
    for table, values in change.items():
        kept = {} if table == "controller" else data[table]
        data[table] = {key: value for key, value in {**kept, **values}.items() if value is not None}
    with pytest.raises(BoardFileError) as caught:
        parse_board(data)
    assert [line for line in caught.value.faults if line.startswith(fault)], caught.value.faults
