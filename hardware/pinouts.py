"""Which leg of a part carries which signal, and what is printed beside a module's pin: what a maker needs to solder."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.controller import Controller, Pin

# from the data sheets: 74HC165 (DIP16), MCP3008 (DIP16), 74HC154 (DIP24). The CD74HC4067 comes on a module with names printed on it.
LEGS: Mapping[str, Mapping[str, int]] = {
    "74HC165": {
        "SH/LD": 1,
        "CLK": 2,
        "E": 3,
        "F": 4,
        "G": 5,
        "H": 6,
        "GND": 8,
        "QH": 9,
        "SER": 10,
        "A": 11,
        "B": 12,
        "C": 13,
        "D": 14,
        "CLK INH": 15,
        "VCC": 16,
    },
    "MCP3008": {
        **{f"CH{n}": n + 1 for n in range(8)},
        "DGND": 9,
        "CS": 10,
        "DIN": 11,
        "DOUT": 12,
        "CLK": 13,
        "AGND": 14,
        "VREF": 15,
        "VDD": 16,
    },
    "74HC154": {
        **{f"Y{n}": n + 1 for n in range(11)},
        "GND": 12,
        **{f"Y{n}": n + 2 for n in range(11, 16)},
        "E0": 18,
        "E1": 19,
        "A3": 20,
        "A2": 21,
        "A1": 22,
        "A0": 23,
        "VCC": 24,
    },
}
"""Part -> signal -> number of its leg."""

# the header of forty pins, the same on every Pi since the B+
HEADER: Mapping[int, int] = {
    2: 3,
    3: 5,
    4: 7,
    5: 29,
    6: 31,
    7: 26,
    8: 24,
    9: 21,
    10: 19,
    11: 23,
    12: 32,
    13: 33,
    14: 8,
    15: 10,
    16: 36,
    17: 11,
    18: 12,
    19: 35,
    20: 38,
    21: 40,
    22: 15,
    23: 16,
    24: 18,
    25: 22,
    26: 37,
    27: 13,
}
"""BCM number of a Raspberry Pi's GPIO -> pin of its header."""

HEADER_3V3, HEADER_GND = 1, 6

SPI_GPIO: Mapping[int, Mapping[str, int]] = {
    0: {"CE1": 7, "CE0": 8, "MISO": 9, "MOSI": 10, "SCLK": 11},
    1: {"CE2": 16, "CE1": 17, "CE0": 18, "MISO": 19, "MOSI": 20, "SCLK": 21},
}
"""Bus -> signal -> BCM number."""

_MEGA: Mapping[str, tuple[int, ...]] = {  # from the Mega's pin table; PE2, PD4 to PD6 and others are not brought out
    "A": (22, 23, 24, 25, 26, 27, 28, 29),
    "B": (53, 52, 51, 50, 10, 11, 12, 13),
    "C": (37, 36, 35, 34, 33, 32, 31, 30),
    "D": (21, 20, 19, 18),
    "L": (49, 48, 47, 46, 45, 44, 43, 42),
}


def printed(controller: Controller, pin: Pin) -> str:
    """Return what stands beside that pin on the module that people buy; the port's name if nothing is known."""
    match controller.chip, pin.port:
        case "atmega328p", "D":
            return f"D{pin.number}"
        case "atmega328p", "B" if pin.number < 6:
            return f"D{8 + pin.number}"
        case "atmega328p", "C" if pin.number < 6:
            return f"A{pin.number}"
        case "atmega2560", port if pin.number < len(_MEGA.get(port, ())):
            return f"D{_MEGA[port][pin.number]}"
        case _:
            return str(pin)


def printed_input(controller: Controller, number: int) -> str:
    """Return what stands beside a converter's input on the module."""
    return f"GP{26 + number}" if controller.chip == "rp2040" else f"A{number}"


def gpio(number: int) -> str:
    """Return a Pi's GPIO with the pin of its header, as pages say it."""
    return f"GPIO {number} (header pin {HEADER[number]})"
