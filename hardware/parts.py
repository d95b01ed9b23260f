"""What a board is built of and what that means: parts with counts and prices, expected frame time, expected current."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.board_file import BoardFile
from hardware.controller import CHIPS

# measured in the simulated ATmega at 16 MHz (tests/firmware compares): one square converted and judged, one input shifted and judged
LINEAR_SQUARE_US = 36.0
DIGITAL_INPUT_US = 8.0
FRAME_US = 300.0  # and what comes once a frame: the KEYFRAME, its CRC
CONTROLLER_MA = 25.0
CHIP_MA = 0.1
SENSORS_A_CAPACITOR = 8


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a shopping list. `each_eur` is a rounded shop price of 2025 for small numbers, an estimate."""

    count: int
    name: str
    what_for: str
    each_eur: float


def is_linear(board: BoardFile) -> bool:
    """Tell whether the sensors are linear ones."""
    return board.sensor.mv_per_mt > 0


def frame_ms(board: BoardFile) -> float:
    """Give how long an ATmega at 16 MHz takes for one frame at rest, in milliseconds; for a Pi's own
    pins what waiting, or the clock of the SPI, takes alone."""
    if board.gpio is not None:
        return len(board.gpio.rows) * board.gpio.settle_us / 1000
    if board.spi is not None:
        return board.scan.chips * board.scan.channels_per_chip * 1000 / board.spi.hz
    if is_linear(board):
        return (FRAME_US + LINEAR_SQUARE_US * len(board.squares)) / 1000
    return (FRAME_US + DIGITAL_INPUT_US * board.scan.chips * board.scan.channels_per_chip) / 1000


def current_ma(board: BoardFile) -> float:
    """Give what the board draws from its supply in milliamperes; of a matrix only one row is powered at a time."""
    sensors = len(board.squares)
    if board.gpio is not None:
        return max(len(board.gpio.columns) * board.sensor.ma, 1.0)
    controller_ma = CONTROLLER_MA if board.controllers else 0.0
    return sensors * board.sensor.ma + controller_ma + board.scan.chips * CHIP_MA


def parts_of(board: BoardFile) -> tuple[Part, ...]:
    """Give the shopping list: what is soldered, and the magnets. Spares are not counted."""
    sensors, chips = len(board.squares), board.scan.chips
    price = 0.30 if is_linear(board) else 1.20
    found = [
        Part(sensors, board.sensor.part, "one under each square", price),
        Part(
            -(-sensors // SENSORS_A_CAPACITOR),
            "100 nF ceramic capacitor",
            "one for every eight sensors, beside them",
            0.05,
        ),
    ]
    if board.magnet.count:
        disc = f"disc magnet {board.magnet.diameter_mm:g} x {board.magnet.thickness_mm:g} mm, {board.magnet.grade}"
        found.append(Part(board.magnet.count, disc, "one in each piece", 0.15))
    if board.gpio is not None:
        rows = len(board.gpio.rows)
        found += [
            Part(rows, "P-channel MOSFET (AO3401) with 10 kilohm", "powers a row of sensors", 0.15),
            Part(
                rows, "1 kilohm resistor and NPN (BC547)", "drives the MOSFET: a row is on when its pin is high", 0.10
            ),
        ]
    else:
        name = "CD74HC4067 module" if is_linear(board) else "74HC165"
        found += [
            Part(
                chips, name, "multiplexer" if is_linear(board) else "shift register", 1.20 if is_linear(board) else 0.60
            ),
            Part(chips, "100 nF ceramic capacitor", "at each chip's supply", 0.05),
            Part(1, "10 uF capacitor", "where the supply comes in", 0.10),
        ]
        if board.controllers:
            found += [
                Part(1, _controller_name(board), "one controller of those in the board file", 6.0),
                Part(1, "USB cable with data lines", "to the Raspberry Pi", 3.0),
            ]
        if not is_linear(board):
            found.append(
                Part(
                    chips * board.scan.channels_per_chip,
                    "10 kilohm resistor (or arrays of eight)",
                    "pulls each input up",
                    0.02,
                )
            )
    supply_v = board.sensor.supply_mv / 1000
    amperes = max(1.0, round(2 * current_ma(board) / 1000, 1))
    if board.gpio is None:
        found.append(
            Part(1, f"supply of {supply_v:g} V, {amperes:g} A", "for the sensors: a USB port is too weak", 8.0)
        )
    return tuple(found)


def _controller_name(board: BoardFile) -> str:
    return " or ".join(CHIPS[one.chip][2].split(",")[0] for one in board.controllers)
