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
LINEAR_SQUARE_US = 40.7
DIGITAL_INPUT_US = 8.2
FRAME_US = 120.0  # and what comes once a frame: the KEYFRAME, its CRC
CONTROLLER_MA = 25.0
CHIP_MA = 0.1
CONVERTER_MA = 0.5  # of an MCP3008 that converts without rest
_PI_SUPPLY = "the Pi's own 3.3 V (header pin 1), never the sensors' supply"
_DATA = read_toml(Path(__file__).with_name("parts.toml"))


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a shopping list, as `parts.toml` has it."""

    count: int
    name: str
    order: str
    what_for: str
    each_eur: float


def is_linear(board: BoardFile) -> bool:
    """Return whether the sensors are linear ones."""
    return board.sensor.mv_per_mt > 0


def frame_ms(board: BoardFile) -> float:
    """Return how long an ATmega at 16 MHz takes for one frame at rest, in milliseconds; on a Pi's pins what the SPI's clock takes alone."""
    if board.spi is not None:
        return board.scan.chips * board.scan.channels_per_chip / board.spi.khz
    if board.mcp3008 is not None:
        return len(board.squares) * CLOCKS_PER_CONVERSION / board.mcp3008.khz
    if is_linear(board):
        conversions = len(board.squares) + (board.scan.supply is not None)
        return (FRAME_US + LINEAR_SQUARE_US * conversions) / 1000
    return (FRAME_US + DIGITAL_INPUT_US * board.scan.chips * board.scan.channels_per_chip) / 1000


def current_ma(board: BoardFile) -> float:
    """Return what the board draws from its supply in milliamperes."""
    sensors = len(board.squares)
    controller_ma = CONTROLLER_MA if board.controllers else 0.0
    chip_ma = CONVERTER_MA if board.mcp3008 is not None else CHIP_MA
    return sensors * board.sensor.ma + controller_ma + board.scan.chips * chip_ma


def sensor_of(board: BoardFile, pico: bool) -> str:
    """Return the sensor to buy: linear ones of 5 V are too narrow on a Pico's 3.3."""
    low = pico and is_linear(board) and board.sensor.supply_mv > HIGHEST_PIN_MV
    return "DRV5055A3" if low else board.sensor.part


def parts_of(board: BoardFile, pico: bool = False) -> tuple[Part, ...]:
    """Return the shopping list, for a Pico or for all else: what is soldered, and the magnets. Spares are not counted."""
    kinds, counts, words = _kinds(board, pico), _counts(board, pico), _words(board, pico)
    eur, order = (table.get(words["sensor"], table["other"]) for table in (_DATA["sensor_eur"], _DATA["sensor_order"]))
    return tuple(
        Part(
            counts[row["count"]],
            row["name"].format(**words),
            row.get("order", order),
            row["for"],
            row.get("eur", eur),
        )
        for row in _DATA["part"]
        if kinds.issuperset(row.get("on", ())) and counts[row["count"]]
    )


def _kind(board: BoardFile) -> str:
    return "converters" if board.mcp3008 is not None else "multiplexers" if is_linear(board) else "chain"


def _kinds(board: BoardFile, pico: bool) -> set[str]:
    controlled = ("controller",) if board.controllers else ("pi",)
    low = ("low",) if pico or board.sensor.supply_mv <= HIGHEST_PIN_MV else ()
    divided = () if board.scan.supply is None else ("divider",)
    nano = ("nano",) if is_linear(board) and any(one.chip == "atmega328p" for one in board.controllers) else ()
    return {_kind(board), "supply", *controlled, *low, *divided, *(("pico",) if pico else nano)}


def _counts(board: BoardFile, pico: bool) -> Mapping[str, int]:
    chips = board.scan.chips
    counts = {"one": 1, "two": 2, "squares": len(board.squares), "magnets": board.magnet.count, "chips": chips}
    controller = next((one for one in board.controllers if (one.chip == "rp2040") == pico), None)
    lines, enable = 8 if board.mcp3008 is not None else int(board.spi is not None), 0
    if controller is not None and is_linear(board):  # registers hang on their controller's own supply: nothing to part
        enable = len(controller.enable)
        lines = len(controller.select) + len(controller.sense) + enable
    return counts | {
        "inputs": chips * board.scan.channels_per_chip,
        "signal lines": lines,
        "enable lines": enable,
    }


def _words(board: BoardFile, pico: bool = False) -> Mapping[str, str]:
    magnet = board.magnet
    return {
        "sensor": sensor_of(board, pico),
        "disc": f"disc magnet {magnet.diameter_mm:g} x {magnet.thickness_mm:g} mm, {magnet.grade}",
        "controller": " or ".join(
            CHIPS[one.chip][2].split(",")[0] for one in board.controllers if (one.chip == "rp2040") == pico
        ),
        "volts": f"{board.sensor.supply_mv / 1000:g}",
    }


# ---------------------------------------------------------------- legs and pins


DECODER_LEGS: Mapping[str, int] = {name: leg for leg, name in enumerate(_DATA["legs"]["74HC154"].split(","), 1)}
"""Signal of the decoder -> number of its leg."""

HEADER: Mapping[int, int] = dict(enumerate(_DATA["header"]["pins"], 2))
"""BCM number of a Raspberry Pi's GPIO -> pin of its header."""

SPI_GPIO: Mapping[int, Mapping[str, int]] = {int(bus): pins for bus, pins in _DATA["spi"].items()}
"""Bus -> signal -> BCM number."""


def printed(controller: Controller, pin: Pin) -> str:
    """Return what stands beside that pin on the module that people buy; the port's name if nothing is known."""
    names = _DATA["printed"].get(controller.chip, {}).get(pin.port, ())
    return str(names[pin.number]) if pin.number < len(names) else str(pin)


def own_supply(controller: Controller) -> str:
    """Return the pin by which a controller feeds its registers."""
    return "3V3" if controller.chip == "rp2040" else "5V"


def printed_input(controller: Controller, number: int) -> str:
    """Return what stands beside a converter's input on the module."""
    return f"GP{26 + number}" if controller.chip == "rp2040" else f"A{number}"


def gpio(number: int) -> str:
    """Return a Pi's GPIO with the pin of its header, as pages say it."""
    return f"GPIO {number} (header pin {HEADER[number]})"


# ---------------------------------------------------------------- the page


def schematic_names(board: BoardFile) -> Mapping[str, Controller | None]:
    """Return the files of a board's schematics with the controller of each; None for a board on a Pi's own pins. Tiles have a netlist."""
    if board.tiles:
        return {}
    drawn = {f"schematic-{board.id}-{one.chip}.svg": one for one in board.controllers}
    return drawn or {f"schematic-{board.id}.svg": None}


def template_name(board: BoardFile) -> str:
    """Return the file of the paper template, which boards of one shape share."""
    return f"template-{board.columns}x{board.rows}-{board.pitch_mm:g}mm.svg"


def wiring_page(board: BoardFile) -> str:
    """Return the text of `docs/wiring/ID.md`."""
    if board.tiles:
        return filled("tiles.md", id=board.id, about=board.about, numbers=_numbers(board), inputs=_inputs(board))
    chips = {one.chip for one in board.controllers}
    only_pico = chips == {"rp2040"}
    return filled(
        "wiring.md",
        id=board.id,
        about=board.about,
        tried=_DATA["said"]["tried_in_a_chip" if board.controllers else "tried_nowhere"],
        numbers=_numbers(board),
        parts=_parts(board, only_pico),
        pico_parts=f"\n## Parts with a Pico\n\n{_parts(board, True)}" if "rp2040" in chips and not only_pico else "",
        pins=_pins(board),
        inputs=_inputs(board),
        paper=template_name(board),
        schematics="\n".join(f"![schematic]({name})\n" for name in schematic_names(board)),
    )


def _numbers(board: BoardFile) -> str:
    magnet = board.magnet
    scanner = "pi" if board.spi or board.mcp3008 else "controller"
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


def _parts(board: BoardFile, pico: bool) -> str:
    rows: list[tuple[object, ...]] = []
    total = 0.0
    for part in parts_of(board, pico):
        price = part.count * part.each_eur
        total += price
        rows.append((part.count, part.name, part.order, part.what_for, f"{part.each_eur:.2f} EUR", f"{price:.0f} EUR"))
    rows.append(("", "", "", "wire, boards and glue not counted", "", f"{total:.0f} EUR"))
    return markdown_table(("count", "part", "order code, package", "for", "each, about", "together"), rows)


def _pins(board: BoardFile) -> str:
    if board.controllers:
        return "".join(_controller_pins(board, controller) for controller in board.controllers)
    return f"\n## Pins of the Raspberry Pi\n\n{markdown_table(('line', 'pin'), _pi_pins(board))}"


def _pi_pins(board: BoardFile) -> list[tuple[str, str]]:
    if board.spi is not None:
        clock, data = (_spi(signal, board.spi.bus) for signal in ("SCLK", "MISO"))
        data = f"1 kilohm, and then {data}"
        return _lines("chain", latch=gpio(board.spi.latch), clock=clock, data=data, supply=_PI_SUPPLY)
    assert board.mcp3008 is not None
    wired = board.mcp3008
    pins = {signal: _spi(signal, wired.bus) for signal in ("SCLK", "MOSI", "MISO")}
    pins |= {f"A{n}": gpio(pin) for n, pin in enumerate(wired.address)} | {
        "select": _spi(f"CE{wired.device}", wired.bus)
    }
    return _lines("converters", **{line: f"1 kilohm, and then {pin}" for line, pin in pins.items()})


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
            rows.append(
                (
                    f"EN of multiplexers {first} to {last}",
                    f"{_named(controller, pin)}, and 10 kilohm to +3V3 at the chips",
                )
            )
        rows.append(("in each of these lines, at the controller", "1 kilohm"))
        if not controller.enable:
            rows.append(("EN of every multiplexer", "GND"))
    else:
        latch, clock, data = (_named(controller, pin) for pin in controller.chain)
        rows += _lines(
            "chain", latch=latch, clock=clock, data=data, supply=f"the controller's own {own_supply(controller)} pin"
        )
    low = controller.chip == "rp2040" and board.sensor.supply_mv > HIGHEST_PIN_MV
    return (
        f"\n## Pins of the {controller.chip} ({CHIPS[controller.chip][2]})\n\n"
        f"{_DATA['said']['on_3v3'] if low else ''}{markdown_table(('line', 'pin'), rows)}"
    )


def _inputs(board: BoardFile) -> str:
    square_of = {channel: square for square, channel in zip(board.squares, board.scan.channels, strict=True)}
    if board.scan.supply is not None:
        square_of[board.scan.supply] = "divider"
    width = board.scan.channels_per_chip
    name = _DATA["inputs"][_kind(board)][0]
    rows = [(chip, *(square_of.get(chip * width + n, "-") for n in range(width))) for chip in range(board.scan.chips)]
    spare = board.scan.chips * width > len(board.squares)
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
"""What wires of a bundle are coloured in turn; in the templates the supply is red and ground black, nothing else is."""
_REGISTER_INPUTS = (11, 12, 13, 14, 3, 4, 5, 6)
"""Legs of the inputs A to H of a 74HC165."""


def harness(board: BoardFile) -> str:
    """Return the text of `docs/wiring/harness-ID.yml`, drawn for the first controller of the file, or for the Pi's pins.

    A template each for what scans: two or three of its chips show how the others go.
    """
    kind = _kind(board)
    hosts = {"converters": _converters, "multiplexers": _multiplexers, "chain": _chain}
    square_of = dict(zip(board.scan.channels, board.squares, strict=True))
    wired = [n for n in range(board.scan.channels_per_chip) if n in square_of]
    supply = f"{board.sensor.supply_mv / 1000:g}V"
    logic = "3V3 of the Pi" if board.spi is not None else supply
    if kind == "chain" and board.controllers:
        logic = f"{own_supply(board.controllers[0])} of the controller"
    legs = {"chain": _REGISTER_INPUTS, "converters": range(1, 9)}.get(kind, _input_names(board))
    return filled(
        f"harness-{kind}.yml",
        **_words(board),
        supply=supply,
        logic=logic,
        pulled="" if is_linear(board) else rf"\n10 kilohm from output to {logic}",
        inputs=_listed(_input_names(board)),
        wired=_listed(legs[n] for n in wired),
        squares=_listed(square_of[n] for n in wired),
        strands=len(wired),
        colours=_colours(len(wired)),
        last=board.scan.chips - 1,
        before_last=board.scan.chips - 2,
        **hosts[kind](board),
    )


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))


def _colours(wires: int) -> str:
    return _listed((_SIGNALS * 3)[:wires])


def _module(controller: Controller) -> str:
    return CHIPS[controller.chip][2].replace(",", "")


def _multiplexers(board: BoardFile) -> Mapping[str, object]:
    controller = board.controllers[0]
    sense = [printed_input(controller, number) for number in controller.sense]
    return {
        "module": _module(controller),
        "power": _DATA["said"]["multiplexers_power"],
        "divided": ""
        if board.scan.supply is None
        else rf"\n{_input_names(board)[board.scan.supply % 16]}: two resistors, half the supply",
        "select": _listed(printed(controller, pin) for pin in controller.select),
        "sense": _listed(sense),
        **{f"sense_{name}": sense[chip] for name, chip in (("0", 0), ("1", 1), ("last", board.scan.chips - 1))},
    }


def _chain(board: BoardFile) -> Mapping[str, object]:
    """Return what scans the chain, its pins for latch, clock and data, and what it has to do with the supply: a Pi gives none."""
    if board.controllers:
        controller = board.controllers[0]
        pins = _listed(printed(controller, pin) for pin in controller.chain)
        power = _DATA["said"]["chain_power"]
        return {"host": _module(controller), "pins": pins, "labels": "", "power": power}
    assert board.spi is not None
    bus = SPI_GPIO[board.spi.bus]
    legs = {f"GPIO{board.spi.latch}": board.spi.latch, "SCLK": bus["SCLK"], "MISO by 1 kilohm": bus["MISO"]}
    pins, labels = _listed(HEADER[number] for number in legs.values()), f"\n    pinlabels: [{_listed(legs)}]"
    return {"host": "Raspberry Pi header", "pins": pins, "labels": labels, "power": _DATA["said"]["pi_power"]}


def _converters(board: BoardFile) -> Mapping[str, object]:
    assert board.mcp3008 is not None
    wired, bus = board.mcp3008, SPI_GPIO[board.mcp3008.bus]
    lines = [f"A{n}" for n in range(len(wired.address))]
    return {
        "power": rf"{_DATA['said']['pi_power']}\n{_DATA['said']['converters_power']}",
        "bus": _listed(HEADER[bus[signal]] for signal in ("SCLK", "MOSI", "MISO")),
        "select": HEADER[bus[f"CE{wired.device}"]],
        "select_name": f"CE{wired.device}",
        "address": _listed(HEADER[pin] for pin in wired.address),
        "address_names": _listed(f"GPIO{pin}" for pin in wired.address),
        "lines": _listed(DECODER_LEGS[line] for line in lines),
        "line_names": _listed(lines),
        "last_leg": DECODER_LEGS[f"Y{board.scan.chips - 1}"],
        "decoder_strands": 1 + len(lines),
        "decoder_colours": _colours(1 + len(lines)),
    }
