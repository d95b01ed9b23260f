"""How a board is built: its parts with counts and prices, frame time and current, legs and pins; what is made of them: page and harness.

The harness is for WireViz: the controller or the Pi, its chips, and the sensors of the first chip as the pattern for all. Numbers beside
a pin are those of the part's own legs, or of the Pi's header; modules have names instead. What a chip takes from the supply stands in its
note, so that the drawing shows signals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hardware.board_file import HIGHEST_PIN_MV, BoardFile
from hardware.codegen import filled
from hardware.scanners import CHIPS, CLOCKS_PER_CONVERSION, Controller, Pin
from toml_tables import read_toml

# measured in the simulated ATmega at 16 MHz (tests/firmware compares): one square converted and judged, one input shifted and judged
LINEAR_SQUARE_US = 36.0
DIGITAL_INPUT_US = 8.2
FRAME_US = 120.0  # and what comes once a frame: the KEYFRAME, its CRC
CONTROLLER_MA = 25.0
CHIP_MA = 0.1
CONVERTER_MA = 0.5  # of an MCP3008 that converts without rest
_DATA = read_toml(Path(__file__).with_name("parts.toml"))


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a shopping list, as `parts.toml` has it."""

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
        return board.scan.chips * board.scan.channels_per_chip / board.spi.khz
    if board.mcp3008 is not None:
        return len(board.squares) * CLOCKS_PER_CONVERSION / board.mcp3008.khz
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
    kinds, counts, words, prices = _kinds(board), _counts(board), _words(board), _DATA["sensor_eur"]
    sensor_eur = prices.get(board.sensor.part, prices["other"])
    return tuple(
        Part(counts[row["count"]], row["name"].format(**words), row["for"], row.get("eur", sensor_eur))
        for row in _DATA["part"]
        if kinds.issuperset(row.get("on", ())) and counts[row["count"]]
    )


def _kind(board: BoardFile) -> str:
    if board.gpio is not None:
        return "matrix"
    return "converters" if board.mcp3008 is not None else "multiplexers" if is_linear(board) else "chain"


def _kinds(board: BoardFile) -> set[str]:
    return {_kind(board), *(() if board.gpio else ("supply",)), *(("controller",) if board.controllers else ())}


def _counts(board: BoardFile) -> Mapping[str, int]:
    chips = board.scan.chips
    counts = {"one": 1, "squares": len(board.squares), "magnets": board.magnet.count, "chips": chips}
    return counts | {"chips and one": chips + 1, "inputs": chips * board.scan.channels_per_chip}


def _words(board: BoardFile) -> Mapping[str, str]:
    magnet = board.magnet
    return {
        "sensor": board.sensor.part,
        "disc": f"disc magnet {magnet.diameter_mm:g} x {magnet.thickness_mm:g} mm, {magnet.grade}",
        "controller": " or ".join(CHIPS[one.chip][2].split(",")[0] for one in board.controllers),
        "volts": f"{board.sensor.supply_mv / 1000:g}",
        "amperes": f"{supply_a(board):g}",
    }


# ---------------------------------------------------------------- legs and pins


LEGS: Mapping[str, Mapping[str, int]] = {
    part: {name: leg for leg, name in enumerate(names.split(","), 1) if name} for part, names in _DATA["legs"].items()
}
"""Part -> signal -> number of its leg."""

HEADER: Mapping[int, int] = dict(enumerate(_DATA["header"]["pins"], 2))
"""BCM number of a Raspberry Pi's GPIO -> pin of its header."""

HEADER_3V3, HEADER_GND = 1, 6

SPI_GPIO: Mapping[int, Mapping[str, int]] = {int(bus): pins for bus, pins in _DATA["spi"].items()}
"""Bus -> signal -> BCM number."""


def printed(controller: Controller, pin: Pin) -> str:
    """Return what stands beside that pin on the module that people buy; the port's name if nothing is known."""
    names = _DATA["printed"].get(controller.chip, {}).get(pin.port, ())
    return str(names[pin.number]) if pin.number < len(names) else str(pin)


def printed_input(controller: Controller, number: int) -> str:
    """Return what stands beside a converter's input on the module."""
    return f"GP{26 + number}" if controller.chip == "rp2040" else f"A{number}"


def gpio(number: int) -> str:
    """Return a Pi's GPIO with the pin of its header, as pages say it."""
    return f"GPIO {number} (header pin {HEADER[number]})"


# ---------------------------------------------------------------- the page


def wiring_page(board: BoardFile) -> str:
    """Return the text of `docs/wiring/ID.md`."""
    return filled(
        "wiring.md",
        id=board.id,
        about=board.about,
        tried=_DATA["said"]["tried_in_a_chip" if board.controllers else "tried_nowhere"],
        numbers=_numbers(board),
        parts=_parts(board),
        pins=_pins(board),
        inputs=_inputs(board),
    )


def _numbers(board: BoardFile) -> str:
    magnet = board.magnet
    scanner = "matrix" if board.gpio else "pi" if board.spi or board.mcp3008 else "controller"
    frame = f"{frame_ms(board):.1f} ms {_DATA['said']['frame'][scanner]}"
    rows: list[tuple[object, object]] = [
        ("squares", f"{len(board.squares)}, {board.pitch_mm:g} mm from middle to middle"),
        ("sensors", f"{board.sensor.part} on {board.sensor.supply_mv / 1000:g} V, {board.sensor.ma:g} mA each"),
        ("one frame", f"{frame}; {board.scan.hz} frames a second"),
        ("current", f"about {current_ma(board):.0f} mA"),
        (
            "magnets",
            f"{magnet.grade}, {magnet.diameter_mm:g} x {magnet.thickness_mm:g} mm, {magnet.gap_mm:g} mm above the sensor",
        ),
        ("pole of a piece of red that faces the sensor", magnet.red_down),
        ("and of blue", "north" if magnet.red_down == "south" else "south"),
    ]
    return markdown_table(("what", "value"), rows)


def _parts(board: BoardFile) -> str:
    rows: list[tuple[object, ...]] = []
    total = 0.0
    for part in parts_of(board):
        price = part.count * part.each_eur
        total += price
        rows.append((part.count, part.name, part.what_for, f"{part.each_eur:.2f} EUR", f"{price:.0f} EUR"))
    rows.append(("", "", "wire, boards and glue not counted", "", f"{total:.0f} EUR"))
    return markdown_table(("count", "part", "for", "each, about", "together"), rows)


def _pins(board: BoardFile) -> str:
    if board.controllers:
        return "".join(_controller_pins(board, controller) for controller in board.controllers)
    return f"\n## Pins of the Raspberry Pi\n\n{markdown_table(('line', 'pin'), _pi_pins(board))}"


def _pi_pins(board: BoardFile) -> list[tuple[str, str]]:
    if board.gpio is not None:
        rows = [(f"row {n}", gpio(pin)) for n, pin in enumerate(board.gpio.rows)]
        return rows + [(f"column {n}", gpio(pin)) for n, pin in enumerate(board.gpio.columns)]
    if board.spi is not None:
        clock, data = (_spi(signal, board.spi.bus) for signal in ("SCLK", "MISO"))
        return _lines("chain", latch=gpio(board.spi.latch), clock=clock, data=data, supply="3.3 V")
    assert board.mcp3008 is not None
    wired = board.mcp3008
    pins = {signal: _spi(signal, wired.bus) for signal in ("SCLK", "MOSI", "MISO")}
    pins |= {f"A{n}": gpio(pin) for n, pin in enumerate(wired.address)}
    return _lines("converters", **pins, select=_spi(f"CE{wired.device}", wired.bus))


def _lines(kind: str, **pins: str) -> list[tuple[str, str]]:
    return [(line, to.format(**pins)) for line, to in _DATA["lines"][kind]]


def _spi(signal: str, bus: int) -> str:
    return f"{signal} of SPI {bus}, {gpio(SPI_GPIO[bus][signal])}"


def _named(controller: Controller, pin: Pin) -> str:
    name = printed(controller, pin)
    return name if name == str(pin) else f"{name} ({pin})"


def _controller_pins(board: BoardFile, controller: Controller) -> str:
    rows = []
    if controller.sense:
        rows += [(f"S{n} of every multiplexer", _named(controller, pin)) for n, pin in enumerate(controller.select)]
        for chip in range(board.scan.chips):
            number = controller.sense[chip % len(controller.sense)]
            rows.append((f"SIG of multiplexer {chip}", f"{printed_input(controller, number)} (ADC{number})"))
        for n, pin in enumerate(controller.enable):
            first = n * len(controller.sense)
            last = min(first + len(controller.sense), board.scan.chips) - 1
            rows.append((f"EN of multiplexers {first} to {last}", _named(controller, pin)))
        if not controller.enable:
            rows.append(("EN of every multiplexer", "GND"))
    else:
        latch, clock, data = (_named(controller, pin) for pin in controller.chain)
        rows += _lines("chain", latch=latch, clock=clock, data=data, supply="supply")
    low = controller.chip == "rp2040" and board.sensor.supply_mv > HIGHEST_PIN_MV
    return (
        f"\n## Pins of the {controller.chip} ({CHIPS[controller.chip][2]})\n\n"
        f"{_DATA['said']['on_3v3'] if low else ''}{markdown_table(('line', 'pin'), rows)}"
    )


def _inputs(board: BoardFile) -> str:
    square_of = {channel: square for square, channel in zip(board.squares, board.scan.channels, strict=True)}
    width = board.scan.channels_per_chip
    name = _DATA["inputs"][_kind(board)][0]
    rows = [(chip, *(square_of.get(chip * width + n, "-") for n in range(width))) for chip in range(board.scan.chips)]
    spare = board.scan.chips * width > len(board.squares) and board.gpio is None
    tied = "ground" if is_linear(board) else "the supply"
    table = f"\n## Squares\n\n{markdown_table((name, *_input_names(board)), rows)}"
    return table + (f"\nInputs without a square are tied to {tied}.\n" if spare else "")


def _input_names(board: BoardFile) -> list[str]:
    form, numbers = _DATA["inputs"][_kind(board)][1], range(board.scan.channels_per_chip)
    return [form.format(n=n, letter=chr(ord("A") + n)) for n in numbers]


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as Markdown writes it, with a line feed at its end."""
    lines = [heads, *rows]
    text = ["| " + " | ".join(map(str, line)) + " |\n" for line in lines]
    return "".join([text[0], "|" + "---|" * len(heads) + "\n", *text[1:]])


# ---------------------------------------------------------------- the harness, for WireViz

_SIGNALS = ("YE", "GN", "BU", "VT", "WH", "OG", "GY", "PK", "BN", "TQ")
_SUPPLY, _GROUND = "RD", "BK"
_GROUNDS = frozenset({"GND", "AGND", "DGND"})


class _Drawing:
    """What is drawn so far. A pin is told by its name; `legs` of a connector gives its number, if it has one."""

    def __init__(self, supply: str) -> None:
        self.supply = supply
        self._connectors: list[str] = []
        self._cables: list[str] = []
        self._links: list[str] = []
        self._legs: dict[str, Mapping[str, int]] = {}

    def connector(
        self, name: str, kind: str, pins: Sequence[str], legs: Mapping[str, int] | None = None, note: str = ""
    ) -> None:
        """Add a part or a module."""
        self._legs[name] = legs or {}
        lines = [f"  {name}:", f'    type: "{kind}"', "    show_pincount: false"]
        if legs:
            lines += [f"    pins: [{', '.join(str(legs[pin]) for pin in pins)}]", f"    pinlabels: [{', '.join(pins)}]"]
        else:
            lines.append(f"    pins: [{', '.join(pins)}]")
        if note:
            lines.append(f'    notes: "{note.replace("; ", chr(92) + "n")}"')
        self._connectors.append("\n".join(lines))

    def wires(self, left: str, right: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Join pins of two connectors by a bundle of its own; the supply is red, ground black, nothing else is."""
        colours, signals = [], iter(_SIGNALS * 3)
        for ours, theirs in pairs:
            ground = bool(_GROUNDS & {ours, theirs})
            colours.append(_GROUND if ground else _SUPPLY if ours == self.supply else next(signals))
        cable = f"W{len(self._cables) + 1}"
        self._cables.append(f"  {cable}:\n    category: bundle\n    colors: [{', '.join(colours)}]")
        at_left, at_right = (
            ", ".join(str(self._legs[name].get(pin, pin)) for pin in (pair[side] for pair in pairs))
            for side, name in enumerate((left, right))
        )
        self._links.append(f"  - - {left}: [{at_left}]\n    - {cable}: [1-{len(pairs)}]\n    - {right}: [{at_right}]")

    @property
    def text(self) -> str:
        """The whole file."""
        parts = ["connectors:", *self._connectors, "cables:", *self._cables, "connections:", *self._links]
        return "\n".join(["# generated by `python -m hardware.generate`; drawn by `make drawings`", *parts]) + "\n"


def harness(board: BoardFile) -> str:
    """Return the text of `docs/wiring/harness-ID.yml`, drawn for the first controller of the file, or for the Pi's pins."""
    drawing = _Drawing(f"{board.sensor.supply_mv / 1000:g}V")
    if board.gpio is not None:
        _matrix(drawing, board)
    elif board.mcp3008 is not None:
        _converters(drawing, board)
    elif board.controllers and is_linear(board):
        _multiplexers(drawing, board, board.controllers[0])
    else:
        _chain(drawing, board)
    return drawing.text


def _module(controller: Controller) -> str:
    return CHIPS[controller.chip][2].replace(",", "")


def _power(drawing: _Drawing, supplied: str, grounded: str) -> str:
    return f"{supplied} to {drawing.supply}; {grounded} to GND"


def _supply(board: BoardFile, *, pi: bool) -> str:
    """Say what a module has to do with the sensors' supply: a Pi gives none and takes none."""
    volts = f"{board.sensor.supply_mv / 1000:g} V"
    joined = "GND to the supply's" if pi else f"{volts} and GND to the supply"
    return f"{joined}; supply of the sensors: {volts} {supply_a(board):g} A"


def _multiplexers(drawing: _Drawing, board: BoardFile, controller: Controller) -> None:
    select = [printed(controller, pin) for pin in controller.select]
    sense = [printed_input(controller, number) for number in controller.sense]
    drawing.connector("CONTROLLER", _module(controller), [*select, *sense], note=_supply(board, pi=False))
    lines = ["SIG", "S0", "S1", "S2", "S3"]
    for chip in (0, 1, board.scan.chips - 1):  # two show how the others go
        name = f"MUX{chip}"
        inputs = _input_names(board) if chip == 0 else []
        drawing.connector(name, "CD74HC4067 module", [*lines, *inputs], note=_power(drawing, "VCC", "GND and EN"))
        drawing.wires("CONTROLLER", name, list(zip([sense[chip], *select], lines, strict=True)))
    _sensors(drawing, board, "MUX0", _input_names(board))


def _chain(drawing: _Drawing, board: BoardFile) -> None:
    latch, clock, data = _chain_host(drawing, board)
    kind, legs, last = "74HC165", LEGS["74HC165"], board.scan.chips - 1
    lines, inputs = ["SH/LD", "CLK", "QH", "SER"], _input_names(board)
    power = _power(drawing, f"VCC ({legs['VCC']})", f"GND ({legs['GND']}) and CLK INH ({legs['CLK INH']})")
    between, end = f"REG1_to_{last - 1}", f"REG{last}"
    drawing.connector("REG0", kind, [*lines, *inputs], legs, power)
    drawing.connector(between, f"{kind} each", lines, legs, f"{power}; QH of each to SER of the one before")
    drawing.connector(end, kind, lines, legs, f"{power}; SER to {drawing.supply}: a cut chain is found")
    drawing.wires("HOST", "REG0", [(latch, "SH/LD"), (clock, "CLK"), (data, "QH")])
    for before, after in (("REG0", between), (between, end)):
        drawing.wires(before, after, [("SH/LD", "SH/LD"), ("CLK", "CLK"), ("SER", "QH")])
    _sensors(drawing, board, "REG0", inputs)


def _chain_host(drawing: _Drawing, board: BoardFile) -> tuple[str, str, str]:
    """Draw what scans the chain, joined to the supply; return the names of its pins for latch, clock and data."""
    if not board.controllers:
        assert board.spi is not None
        latch = f"GPIO{board.spi.latch}"
        legs = {latch: HEADER[board.spi.latch]}
        legs |= {name: HEADER[SPI_GPIO[board.spi.bus][name]] for name in ("SCLK", "MISO")}
        drawing.connector("HOST", "Raspberry Pi header", list(legs), legs, _supply(board, pi=True))
        return latch, "SCLK", "MISO"
    controller = board.controllers[0]
    latch, clock, data = (printed(controller, pin) for pin in controller.chain)
    drawing.connector("HOST", _module(controller), [latch, clock, data], note=_supply(board, pi=False))
    return latch, clock, data


def _converters(drawing: _Drawing, board: BoardFile) -> None:
    assert board.mcp3008 is not None
    wired, last = board.mcp3008, board.scan.chips - 1
    bus = {name: HEADER[SPI_GPIO[wired.bus][name]] for name in ("SCLK", "MOSI", "MISO", f"CE{wired.device}")}
    address = {f"GPIO{pin}": HEADER[pin] for pin in wired.address}
    pi = bus | address
    drawing.connector(
        "PI", "Raspberry Pi header", list(pi), pi, f"{_supply(board, pi=True)}; 10 kilohm from MISO to 3.3 V"
    )
    lines = [f"A{n}" for n in range(len(address))]
    selects = [f"Y{chip}" for chip in (0, 1, last)]
    legs = LEGS["74HC154"]
    note = _power(drawing, f"VCC ({legs['VCC']})", f"GND ({legs['GND']}) and E1 ({legs['E1']})")
    drawing.connector("DECODER", "74HC154", ["E0", *lines, *selects], legs, note)
    drawing.wires("PI", "DECODER", [(f"CE{wired.device}", "E0"), *zip(address, lines, strict=True)])
    inputs = _input_names(board)
    legs = LEGS["MCP3008"]
    supplied, grounded = (
        " and ".join(f"{pin} ({legs[pin]})" for pin in pins) for pins in (("VDD", "VREF"), ("AGND", "DGND"))
    )
    for chip in (0, 1, last):  # two show how the others go
        name = f"ADC{chip}"
        pins = ["CS", "CLK", "DIN", "DOUT", *(inputs if chip == 0 else [])]
        drawing.connector(name, "MCP3008", pins, legs, _power(drawing, supplied, grounded))
        drawing.wires("DECODER", name, [(f"Y{chip}", "CS")])
        drawing.wires("PI", name, [("SCLK", "CLK"), ("MOSI", "DIN"), ("MISO", "DOUT")])
    _sensors(drawing, board, "ADC0", inputs)


def _sensors(drawing: _Drawing, board: BoardFile, chip: str, inputs: Sequence[str]) -> None:
    square_of = dict(zip(board.scan.channels, board.squares, strict=True))
    names = [square_of[channel] for channel in range(len(inputs)) if channel in square_of]
    note = _power(drawing, "VCC", "GND") + ("" if is_linear(board) else f"; 10 kilohm from output to {drawing.supply}")
    drawing.connector("SENSORS", f"{board.sensor.part} under these squares", names, note=note)
    drawing.wires(chip, "SENSORS", list(zip(inputs, names, strict=False)))


def _matrix(drawing: _Drawing, board: BoardFile) -> None:
    assert board.gpio is not None
    pi = {drawing.supply: HEADER_3V3, "GND": HEADER_GND}
    pi |= {f"GPIO{pin}": HEADER[pin] for pin in (*board.gpio.rows, *board.gpio.columns)}
    rows = [f"row {n}" for n in range(len(board.gpio.rows))]
    columns = [f"column {n}" for n in range(len(board.gpio.columns))]
    drawing.connector("PI", "Raspberry Pi header", list(pi), pi)
    drawing.connector("ROWS", "a MOSFET each powers a row", ["source of each", *rows])
    note = "VCC of each to its row's MOSFET"
    drawing.connector("SENSORS", f"all {board.sensor.part}: outputs by column", ["GND", *columns], note=note)
    power = [(drawing.supply, "source of each")]
    drawing.wires(
        "PI", "ROWS", [*power, *((f"GPIO{pin}", row) for pin, row in zip(board.gpio.rows, rows, strict=True))]
    )
    lines = ((f"GPIO{pin}", column) for pin, column in zip(board.gpio.columns, columns, strict=True))
    drawing.wires("PI", "SENSORS", [("GND", "GND"), *lines])
