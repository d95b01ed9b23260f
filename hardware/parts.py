"""What a board is built of and what that means: parts with counts and prices, expected frame time, expected current."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.board_file import BoardFile
from hardware.controller import CHIPS
from hardware.pins import CLOCKS_PER_CONVERSION

# measured in the simulated ATmega at 16 MHz (tests/firmware compares): one square converted and judged, one input shifted and judged
LINEAR_SQUARE_US = 36.0
DIGITAL_INPUT_US = 8.2
FRAME_US = 120.0  # and what comes once a frame: the KEYFRAME, its CRC
CONTROLLER_MA = 25.0
CHIP_MA = 0.1
CONVERTER_MA = 0.5  # of an MCP3008 that converts without rest
SENSOR_EUR = {"SS49E": 0.30, "DRV5055A3": 1.20, "DRV5033AJ": 1.20}
_OTHER_SENSOR_EUR = 1.00


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a shopping list. `each_eur` is a rounded shop price of 2025 for small numbers, an estimate."""

    count: int
    name: str
    what_for: str
    each_eur: float


def is_linear(board: BoardFile) -> bool:
    """Return whether the sensors are linear ones."""
    return board.sensor.mv_per_mt > 0


def frame_ms(board: BoardFile) -> float:
    """Return how long an ATmega at 16 MHz takes for one frame at rest, in milliseconds; for a Pi's own
    pins what waiting, or the clock of the SPI, takes alone."""
    if board.gpio is not None:
        return len(board.gpio.rows) * board.gpio.settle_us / 1000
    if board.spi is not None:
        return board.scan.chips * board.scan.channels_per_chip * 1000 / board.spi.hz
    if board.mcp3008 is not None:
        return len(board.squares) * CLOCKS_PER_CONVERSION * 1000 / board.mcp3008.hz
    if is_linear(board):
        return (FRAME_US + LINEAR_SQUARE_US * len(board.squares)) / 1000
    return (FRAME_US + DIGITAL_INPUT_US * board.scan.chips * board.scan.channels_per_chip) / 1000


def current_ma(board: BoardFile) -> float:
    """Return what the board draws from its supply in milliamperes; of a matrix only one row is powered at a time."""
    sensors = len(board.squares)
    if board.gpio is not None:
        return max(len(board.gpio.columns) * board.sensor.ma, 1.0)
    controller_ma = CONTROLLER_MA if board.controllers else 0.0
    chip_ma = CONVERTER_MA if board.mcp3008 is not None else CHIP_MA
    return sensors * board.sensor.ma + controller_ma + board.scan.chips * chip_ma


def supply_a(board: BoardFile) -> float:
    """Return what the supply of the sensors should be able to give in amperes: twice what they draw, at least one."""
    return max(1.0, round(2 * current_ma(board) / 1000, 1))


def parts_of(board: BoardFile) -> tuple[Part, ...]:
    """Return the shopping list: what is soldered, and the magnets. Spares are not counted."""
    sensors = len(board.squares)
    price = SENSOR_EUR.get(board.sensor.part, _OTHER_SENSOR_EUR)
    found = [
        Part(sensors, board.sensor.part, "one under each square", price),
        Part(sensors, "10 nF ceramic capacitor", "between supply and ground of each sensor, beside it", 0.02),
    ]
    if board.magnet.count:
        disc = f"disc magnet {board.magnet.diameter_mm:g} x {board.magnet.thickness_mm:g} mm, {board.magnet.grade}"
        found.append(Part(board.magnet.count, disc, "one in each piece", 0.15))
    found += _matrix_parts(board) if board.gpio is not None else _chip_parts(board)
    if board.gpio is None:
        supply_v = board.sensor.supply_mv / 1000
        found.append(
            Part(1, f"supply of {supply_v:g} V, {supply_a(board):g} A", "for the sensors: a USB port is too weak", 8.0)
        )
    return tuple(found)


def _matrix_parts(board: BoardFile) -> list[Part]:
    assert board.gpio is not None
    rows = len(board.gpio.rows)
    return [
        Part(rows, "P-channel MOSFET (AO3401) with 10 kilohm", "powers a row of sensors", 0.15),
        Part(rows, "1 kilohm resistor and NPN (BC547)", "drives the MOSFET: a row is on when its pin is high", 0.10),
    ]


def _chip_parts(board: BoardFile) -> list[Part]:
    chips, inputs = board.scan.chips, board.scan.chips * board.scan.channels_per_chip
    if board.mcp3008 is not None:
        found = [
            Part(chips, "MCP3008", "converter", 2.50),
            Part(1, "74HC154", "decoder: selects one converter at a time", 1.50),
            Part(1, "10 kilohm resistor", "pulls MISO up: a converter that does not answer is found", 0.02),
            Part(chips + 1, "100 nF ceramic capacitor", "at each chip's supply", 0.05),
        ]
    else:
        multiplexer = Part(chips, "CD74HC4067 module", "multiplexer", 1.20)
        found = [
            multiplexer if is_linear(board) else Part(chips, "74HC165", "shift register", 0.60),
            Part(chips, "100 nF ceramic capacitor", "at each chip's supply", 0.05),
        ]
    found.append(Part(1, "10 uF capacitor", "where the supply comes in", 0.10))
    if board.controllers:
        found += [
            Part(1, _controller_name(board), "one controller of those in the board file", 6.0),
            Part(1, "USB cable with data lines", "to the Raspberry Pi", 3.0),
        ]
    if not is_linear(board):
        found.append(Part(inputs, "10 kilohm resistor (or arrays of eight)", "pulls each input up", 0.02))
    return found


def _controller_name(board: BoardFile) -> str:
    return " or ".join(CHIPS[one.chip][2].split(",")[0] for one in board.controllers)
