"""Every chip of a board with the net on each of its legs, from the board file: what the schematics draw and a test counts.

A net has one name everywhere: wires of the same name are joined. `OUT a1` is the output of the sensor under a1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hardware.board_file import HIGHEST_PIN_MV, BoardFile
from hardware.scanners import CHIPS, Controller
from hardware.wiring import DECODER_LEGS, HEADER, SPI_GPIO, is_linear, own_supply, printed, printed_input

NOT_CONNECTED = "-"


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg of a chip: its number (empty on modules, which have names printed on), its name, and its net."""

    number: str
    name: str
    net: str


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip or module: the legs with sensors or of the board's own bus stand left, all others right."""

    name: str
    part: str
    left: tuple[Leg, ...]
    right: tuple[Leg, ...]

    @property
    def legs(self) -> tuple[Leg, ...]:
        """All legs."""
        return (*self.left, *self.right)


REGISTER_INPUTS = ((11, "A"), (12, "B"), (13, "C"), (14, "D"), (3, "E"), (4, "F"), (5, "G"), (6, "H"))


def supply_of(board: BoardFile, controller: Controller | None) -> str:
    """Return the name of the sensors' supply: never more than 3.3 V where a Pico or a Pi reads them."""
    low = controller is None or controller.chip == "rp2040" or board.sensor.supply_mv <= HIGHEST_PIN_MV
    return "+3V3" if low else "+5V"


def logic_of(board: BoardFile, controller: Controller | None) -> str:
    """Return the name of the chips' supply: registers hang on that of what reads them, so that neither feeds the other."""
    if is_linear(board):
        return supply_of(board, controller)
    return "Pi 3V3" if controller is None else f"own {own_supply(controller)}"


def chips_of(board: BoardFile, controller: Controller | None) -> tuple[Chip, ...]:
    """Return what scans the sensors first, then its chips in order; `controller` is None for a board on a Pi's own pins."""
    supply = supply_of(board, controller)
    if controller is not None:
        return _multiplexers(board, controller, supply) if is_linear(board) else _chain(board, controller)
    if board.mcp3008 is not None:
        return _converters(board, supply)
    return _chain(board, None)


def _outputs(board: BoardFile, chip: int) -> list[str]:
    square_of = dict(zip(board.scan.channels, board.squares, strict=True))
    width = board.scan.channels_per_chip
    spare = "GND" if is_linear(board) else "supply"
    nets = {number: f"OUT {square}" for number, square in square_of.items()}
    if board.scan.supply is not None:
        nets[board.scan.supply] = "HALF SUPPLY"
    return [nets.get(n, spare) for n in range(chip * width, (chip + 1) * width)]


def _module(controller: Controller, logic: str, legs: Sequence[Leg]) -> Chip:
    own = [Leg("", "GND", "GND"), Leg("", "USB", "to the Pi")]
    if logic.startswith("own"):
        own.insert(0, Leg("", own_supply(controller), logic))
    elif controller.chip != "rp2040":
        own.insert(0, Leg("", "5V", "+5V by D1" if controller.chip == "atmega328p" else NOT_CONNECTED))
    return Chip("controller", CHIPS[controller.chip][2].split(",")[0], tuple(own), tuple(legs))


def _multiplexers(board: BoardFile, controller: Controller, supply: str) -> tuple[Chip, ...]:
    shared = len(controller.sense) < board.scan.chips
    legs = [Leg("", printed(controller, pin), f"S{n}") for n, pin in enumerate(controller.select)]
    legs += [Leg("", printed(controller, pin), f"EN {n}") for n, pin in enumerate(controller.enable)]
    legs += [Leg("", printed_input(controller, number), f"SIG {n}") for n, number in enumerate(controller.sense)]
    found = [_module(controller, supply, legs)]
    for chip in range(board.scan.chips):
        inputs = tuple(Leg("", f"C{n}", net) for n, net in enumerate(_outputs(board, chip)))
        others = [Leg("", f"S{n}", f"S{n}") for n in range(4)]
        others.append(Leg("", "EN", f"EN {chip // len(controller.sense)}" if shared else "GND"))
        others.append(Leg("", "SIG", f"SIG {chip % len(controller.sense)}"))
        others += [Leg("", "VCC", supply), Leg("", "GND", "GND")]
        found.append(Chip(f"multiplexer {chip}", "CD74HC4067 module", inputs, tuple(others)))
    return tuple(found)


def _pi(legs: Sequence[Leg]) -> Chip:
    own = (Leg("1", "3V3", "Pi 3V3"), Leg("6", "GND", "GND"))
    return Chip("Raspberry Pi", "header of 40 pins", own, tuple(legs))


def _header(number: int, signal: str, net: str) -> Leg:
    return Leg(str(HEADER[number]), signal or f"GPIO {number}", net)


def _chain(board: BoardFile, controller: Controller | None) -> tuple[Chip, ...]:
    supply = logic_of(board, controller)
    if controller is not None:
        lines = zip(controller.chain, ("SH/LD", "CLK", "DATA 0"), strict=True)
        found = [_module(controller, supply, [Leg("", printed(controller, pin), net) for pin, net in lines])]
    else:
        assert board.spi is not None
        bus = SPI_GPIO[board.spi.bus]
        legs = [_header(board.spi.latch, "", "SH/LD")]
        found = [_pi([*legs, _header(bus["SCLK"], "SCLK", "CLK"), _header(bus["MISO"], "MISO", "DATA 0")])]
    last = board.scan.chips - 1
    for chip in range(board.scan.chips):
        nets = [supply if net == "supply" else net for net in _outputs(board, chip)]
        inputs = tuple(Leg(str(n), name, net) for (n, name), net in zip(REGISTER_INPUTS, nets, strict=True))
        following = f"DATA {chip + 1}" if chip < last else supply
        others = (
            *(Leg("1", "SH/LD", "SH/LD"), Leg("2", "CLK", "CLK"), Leg("15", "CLK INH", "GND")),
            *(Leg("9", "QH", f"DATA {chip}"), Leg("10", "SER", following), Leg("7", "/QH", NOT_CONNECTED)),
            *(Leg("16", "VCC", supply), Leg("8", "GND", "GND")),
        )
        found.append(Chip(f"register {chip}", "SN74HC165N", inputs, others))
    return tuple(found)


def _converters(board: BoardFile, supply: str) -> tuple[Chip, ...]:
    assert board.mcp3008 is not None
    wired, bus = board.mcp3008, SPI_GPIO[board.mcp3008.bus]
    legs = [_header(bus[signal], signal, signal) for signal in ("SCLK", "MOSI", "MISO", f"CE{wired.device}")]
    legs += [_header(pin, "", f"A{n}") for n, pin in enumerate(wired.address)]
    found = [_pi(legs)]
    left = [Leg(str(DECODER_LEGS[f"A{n}"]), f"A{n}", f"A{n}") for n in range(4)]
    left += [Leg(str(DECODER_LEGS["E0"]), "E0", f"CE{wired.device}"), Leg(str(DECODER_LEGS["E1"]), "E1", "GND")]
    left += [Leg(str(DECODER_LEGS["VCC"]), "VCC", supply), Leg(str(DECODER_LEGS["GND"]), "GND", "GND")]
    last = board.scan.chips
    right = [Leg(str(DECODER_LEGS[f"Y{n}"]), f"Y{n}", f"CS {n}" if n < last else NOT_CONNECTED) for n in range(16)]
    found.append(Chip("decoder", "74HC154", tuple(left), tuple(right)))
    for chip in range(board.scan.chips):
        inputs = tuple(Leg(str(n + 1), f"CH{n}", net) for n, net in enumerate(_outputs(board, chip)))
        others = (
            *(
                Leg("13", "CLK", "SCLK"),
                Leg("11", "DIN", "MOSI"),
                Leg("12", "DOUT", "MISO"),
                Leg("10", "CS", f"CS {chip}"),
            ),
            *(Leg("16", "VDD", supply), Leg("15", "VREF", supply), Leg("14", "AGND", "GND"), Leg("9", "DGND", "GND")),
        )
        found.append(Chip(f"converter {chip}", "MCP3008-I/P", inputs, others))
    return tuple(found)
