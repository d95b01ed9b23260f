"""Pictures of the steps of the build guide: `docs/pictures/build-*.svg`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hardware import BoardFile, load_board
from hardware.scanners import Controller
from hardware.wiring import printed, printed_input
from workshop.canvas import FAINT, GROUND, INK, SUPPLY, Canvas
from workshop.netlist import Chip, chips_of

_SIGNALS = ("#080", "#06a", "#808", "#999")  # as the harness colours S0 to S3; its white is grey here
_SIG = "#cb0"


def steps() -> dict[str, str]:
    """Return every picture: name of its file -> SVG."""
    pictures = {
        "steel": _steel(),
        "side": _side(),
        "four-squares": _four_squares(),
        "pi-four-squares": _pi_four_squares(),
        "supply": _supply(),
        "supply-3v3": _supply_3v3(),
        "row": _row(),
        "chips": _chips(),
        "converters": _converters(),
        "registers": _registers(),
        "digital-first": _digital_first(),
        "magnets": _magnets(),
    }
    return {f"build-{name}.svg": text for name, text in pictures.items()}


def _steel() -> str:
    """Return the two tests for steel: in the board, and in a piece."""
    canvas = Canvas(180, 62)
    canvas.text(4, 5, "*Is there steel? A fridge magnet and a paper clip", 3.2)
    for x, lifted, words in ((10, True, "the clip follows: no steel"), (70, False, "magnet clings, clip stays: steel")):
        canvas.box(x, 30, 48, 4, "#e8d8b0" if lifted else "#aab")
        canvas.box(x + 18, 34.5 if not lifted else 36, 12, 5, "#733")
        clip = 28 if lifted else 29.6
        canvas.line((x + 17, clip), (x + 30, clip), (x + 30, clip - 2), (x + 19, clip - 2), width=0.5)
        canvas.text(x + 24, 24, "paper clip", 2.4, "middle")
        canvas.text(x + 24, 43.5, "fridge magnet, from below", 2.4, "middle")
        canvas.text(x + 24, 50, words, 2.8, "middle")
    canvas.shape((144, 14), (152, 14), (156, 32), (140, 32), fill="#d33")
    canvas.line((142, 36), (155, 36), (155, 34), (144, 34), width=0.5)
    canvas.text(148, 43.5, "paper clip at the foot", 2.4, "middle")
    canvas.text(148, 50, "clings: a magnet is in it", 2.8, "middle")
    return canvas.svg()


def _chips() -> str:
    """Return one multiplexer below the board: its sixteen wires, its supply, and the bundle to the controller."""
    canvas = Canvas(186, 70)
    canvas.text(4, 5, "*One multiplexer: sixteen sensors in, one bundle to the controller", 3.2)
    canvas.box(66, 20, 74, 12, "#e7e2f2", r=1)
    canvas.text(103, 26, "multiplexer 0", 2.8, "middle")
    board = load_board("travel-10x10")
    for n, square in enumerate(board.squares[:16]):
        x = 69 + 4.5 * n
        canvas.line((x, 20), (x, 15), color="#080", width=0.5)
        canvas.text(x, 17.8 - 5.5, square, 2.0, "middle")
    names = [("SIG", _SIG), *((f"S{n}", _SIGNALS[n]) for n in range(4))]
    for n, (name, color) in enumerate(names):
        canvas.line((74 + 5 * n, 32), (74 + 5 * n, 36 + 2 * n), (30, 36 + 2 * n), color=color, width=0.5)
        canvas.text(74 + 5 * n, 30, name, 2.0, "middle")
    canvas.line((99, 32), (99, 50), color=GROUND, width=0.5)
    canvas.dot(99, 50)
    canvas.text(99, 30, "EN", 2.0, "middle")
    canvas.line((115, 32), (115, 50), (30, 50), color=GROUND, width=0.9)
    canvas.text(115, 30, "GND", 2.0, "middle")
    canvas.text(28, 37, "1 kilohm in each", 2.6, "end")
    canvas.text(28, 41, "at the controller", 2.6, "end")
    canvas.text(28, 50, "and ground beside", 2.6, "end")
    canvas.line((135, 32), (135, 40), (150, 40), color=SUPPLY, width=0.9)
    canvas.text(135, 30, "VCC", 2.0, "middle")
    canvas.text(152, 40, "to +5V (Pico: +3V3)", 2.6, color=SUPPLY)
    canvas.capacitor(122, 33, 45, "100n")
    canvas.line((115, 45), (122, 45), color=GROUND)
    canvas.line((122, 33), (135, 33), color=SUPPLY)
    told = (
        "EN goes to GND at the chip, as drawn, with a Nano, Uno or Mega. Pico: not to GND, but to GP6 or GP7, 1 kilohm in it too.",
        "Bundle shorter than 30 cm.",
        "Inputs without a square: as the wiring page says. First of all the multiplexer that has the divider.",
    )
    canvas.lines(4, 58, told, 2.6)
    return canvas.svg()


def _side() -> str:
    """Return the stack from piece to sensor, with what adds up to the gap."""
    canvas = Canvas(150, 78)
    canvas.text(4, 5, "*From the side: what adds up to the gap", 3.2)
    canvas.shape((46, 12), (54, 12), (57, 30), (43, 30), fill="#d33")
    canvas.box(43, 30, 14, 5, "#d33")
    canvas.box(46.5, 32, 7, 3, "#bbb")
    canvas.text(60, 33.5, "magnet, glued in level with the foot; red: south pole down")
    canvas.box(20, 36, 60, 6, "#e8d8b0")
    canvas.text(83, 39, "playing surface: no steel")
    canvas.box(20, 42, 60, 3, "#cde")
    canvas.text(83, 43.5, "carrier, or glue and tape")
    canvas.box(46, 45, 8, 3, "#444")
    canvas.text(83, 47.5, "sensor, flat marked face up")
    canvas.line((54, 46.5), (60, 46.5), (60, 55), color=FAINT, width=0.9)
    canvas.circle(60, 56, 1.2, SUPPLY, SUPPLY)
    canvas.circle(66, 56, 1.2, GROUND, GROUND)
    canvas.line((82, 47.5), (55, 47))
    canvas.text(83, 56, "+5V and GND: two bare wires below the row")
    canvas.text(20, 62, "Legs bent once, 2 mm from the body. OUT goes to its chip by a wire of its own.", 2.6)
    for y in (35, 45):
        canvas.line((12, y), (45, y), color=FAINT, dashed=True)
    canvas.line((14, 35), (14, 45), width=0.5)
    canvas.text(12, 40, "gap", 3, "end")
    canvas.text(
        4, 69, "Gap = foot below the magnet + surface + carrier: 4.5 mm for a disc of 6 x 2 mm. Measure your own", 2.6
    )
    canvas.text(
        4, 74, "with a calliper: 1 mm nearer gives half as much field again, 1 mm farther a third less (computed).", 2.6
    )
    return canvas.svg()


def _four_squares() -> str:
    """Return the four sensors of the first try, joined to multiplexer 0 and the Nano."""
    board = load_board("travel-10x10")
    controller, *_ = board.controllers
    canvas = Canvas(196, 128)
    canvas.text(4, 5, "*Four squares: Nano, multiplexer 0, and the sensors of a1, b1, a2, b2", 3.2)
    canvas.box(8, 14, 26, 84, "#dfeee2", r=1)
    canvas.text(21, 20, "Arduino Nano", 2.8, "middle")
    canvas.box(78, 14, 26, 84, "#e7e2f2", r=1)
    canvas.text(91, 20, "CD74HC4067", 2.8, "middle")
    nets = [(printed(controller, pin), f"S{n}", _SIGNALS[n]) for n, pin in enumerate(controller.select)]
    nets += [
        (printed_input(controller, 0), "SIG", _SIG),
        ("5V", "VCC", SUPPLY),
        ("GND", "GND", GROUND),
        ("GND", "EN", GROUND),
    ]
    canvas.line((34, 95), (42, 95), (42, 89.5), color=GROUND, width=0.7)
    canvas.dot(42, 89.5)
    canvas.text(32.5, 95, _divided(board, controller), 2.8, "end")
    for n, (left, right, color) in enumerate(nets):
        y = 30 + 8.5 * n
        canvas.line((34, y), (78, y), color=color, width=0.7)
        canvas.text(32.5, y, left, 2.8, "end")
        canvas.text(79.5, y, right, 2.8)
    canvas.capacitor(58, 72.5, 81, "100n")
    channel_of = dict(zip(board.squares, board.scan.channels, strict=True))
    for n, square in enumerate(("a1", "b1", "a2", "b2")):
        y = 26 + 18 * n
        canvas.line((104, y + 5), (140, y + 5), color=_SIGNALS[n], width=0.7)
        canvas.text(102.5, y + 5, f"C{channel_of[square]}", 2.8, "end")
        canvas.box(140, y - 3, 14, 12, "#444")
        canvas.text(147, y + 3, square, 2.8, "middle", "#fff")
        canvas.text(138.5, y + 3.4, "OUT", 2.2, "end")
        for dy, name, color in ((-1, "5V", SUPPLY), (7, "GND", GROUND)):
            canvas.line((154, y + dy), (172, y + dy), color=color, width=0.7)
            canvas.text(173, y + dy, name, 2.6, color=color)
        canvas.capacitor(164, y - 1, y + 7, "")
        canvas.text(168, y + 3, "10n", 2.2)
    canvas.lines(8, 105, _told_of_four_squares(board), 2.6)
    return canvas.svg()


def _divided(board: BoardFile, controller: Controller) -> str:
    """Return what stands beside the converter's input that reads half the supply once its multiplexer is there."""
    chip = (board.scan.supply or 0) // board.scan.channels_per_chip
    return printed_input(controller, controller.sense[chip % len(controller.sense)])


def _told_of_four_squares(board: BoardFile) -> tuple[str, ...]:
    """Return what stands below the first try: what is for this test only, and what is otherwise with a Mega and a Pico."""
    nano, mega, pico = (
        next(one for one in board.controllers if one.chip == chip) for chip in ("atmega328p", "atmega2560", "rp2040")
    )
    select = {one.chip: [printed(one, pin) for pin in one.select] for one in (nano, mega, pico)}
    ends = {chip: f"{pins[0]} to {pins[-1]}" for chip, pins in select.items()}
    return (
        "Flash the bare controller first, then wire it, unplugged. Everything from the Nano's own 5V pin: four sensors take 24 mA.",
        "USB to the computer. 19 mm between the sensors' middles.",
        f"*{_divided(board, nano)} to GND for this test only: without multiplexer 5 the firmware would reckon with what floats there.",
        f"Mega: {ends[mega.chip]} in place of {ends[nano.chip]}; the pair of holes before {select[mega.chip][0]} is 5V.",
        f"*Pico: 3V3, never VBUS, in place of 5V; {ends[pico.chip]} to S0 to S3; "
        f"{printed_input(pico, pico.sense[0])} through 1 kilohm to SIG; {printed(pico, pico.enable[0])}, not GND,",
        f"*to EN; {_divided(board, pico)} to GND in place of {_divided(board, nano)}. Sensors: DRV5055A3.",
    )


def _pi_four_squares() -> str:
    """Return the four sensors of the first try on a Pi's own pins: its header, the decoder, converter 0."""
    board = load_board("travel-pi-mcp3008")
    pi, decoder, converter, *_ = chips_of(board, None)
    pin_of = {leg.net: leg.number for leg in pi.legs}
    canvas = Canvas(196, 126)
    canvas.text(4, 5, "*Four squares on a Pi's own pins: decoder, converter 0, and the sensors of a1, b1, c1, d1", 3.2)
    canvas.box(8, 14, 30, 92, "#dfeee2", r=1)
    canvas.lines(10, 19, ("Raspberry Pi", "header"), 2.8)
    for top, tall, chip in ((26, 42, decoder), (74, 30, converter)):
        canvas.box(76, top, 36, tall, "#e7e2f2", r=1)
        canvas.text(94, top - 2.5, f"*{chip.name}: {chip.part}", 2.6, "middle")
    lines = [net for chip in (decoder, converter) for net in pin_of if net in {leg.net for leg in chip.legs}]
    for n, net in enumerate(net for net in lines if net not in ("GND", "Pi 3V3")):
        y = 32 + 7.5 * n + 12 * (n > 4)
        canvas.text(36.5, y, f"{net}, pin {pin_of[net]}", 2.6, "end")
        canvas.resistor((38, y), (76, y), "1k")
        chip = decoder if n <= 4 else converter
        canvas.text(77.5, y, _leg(chip, net), 2.6)
        if net == "MISO":
            canvas.dot(46, y)
            canvas.resistor((46, y), (46, y + 9), "10k")
            canvas.text(48, y + 10.5, "3.3 V, pin 1", 2.4, color=SUPPLY)
    canvas.line((112, 60), (120, 60), (120, 78), (112, 78))
    canvas.text(110.5, 60, _leg(decoder, "CS 0"), 2.6, "end")
    canvas.text(110.5, 78, _leg(converter, "CS 0"), 2.6, "end")
    for n, square in enumerate(("a1", "b1", "c1", "d1")):
        y = 83 + 5 * n
        canvas.line((112, y), (140, y), color=_SIGNALS[n], width=0.7)
        canvas.text(110.5, y, _leg(converter, f"OUT {square}"), 2.6, "end")
        canvas.text(141, y, f"OUT of {square}", 2.6)
    told = (
        f"decoder: {_leg(decoder, '+3V3')} to 3.3 V; {_leg(decoder, 'GND')} to GND; 100 nF from 3.3 V to GND beside it.",
        f"converter: {_leg(converter, '+3V3')} to 3.3 V; {_leg(converter, 'GND')} to GND; 1 uF from VDD to GND beside it.",
        "sensors: VCC to 3.3 V, GND to GND, 10 nF beside each.",
    )
    canvas.lines(8, 112, told, 2.6)
    canvas.text(124, 23, "3.3 V is pin 1, for this test only:", 2.6, color=SUPPLY)
    canvas.text(124, 27.5, "four sensors take 24 mA. GND is pin 6.", 2.6, color=SUPPLY)
    aside = (
        "In brackets: the number of the leg.",
        "*Wire with the Pi shut down and unplugged.",
        "Pin 1 is at the memory card's end. Pin 2",
        "beside it, and pin 4, are 5 V: nothing there.",
        "Meter, before the Pi is on: no short from",
        "3.3 V to GND, none from 3.3 V to pin 2.",
    )
    canvas.lines(124, 33, aside, 2.6)
    return canvas.svg()


def _one_chip(title: str, chip: Chip, goes_to: Mapping[str, str], told: Sequence[str]) -> tuple[Canvas, float]:
    """Return a chip with its eight squares on the right, where each other leg goes on the left, and where its lowest square is drawn."""
    outs = [leg for leg in chip.legs if leg.net.startswith("OUT ")]
    others = [leg for leg in chip.legs if leg not in outs and leg.net != "-"]
    tall = 6.5 * max(len(others), len(outs)) + 4
    canvas = Canvas(196, tall + 24 + 4.2 * len(told))
    canvas.text(4, 5, f"*{title}", 3.2)
    canvas.box(92, 14, 36, tall, "#e7e2f2", r=1)
    canvas.text(110, 11, f"*{chip.name}: {chip.part}", 2.6, "middle")
    for n, leg in enumerate(others):
        y = 19 + 6.5 * n
        color = GROUND if leg.net == "GND" else SUPPLY if leg.net in _SUPPLIES else INK
        canvas.line((76, y), (92, y), color=color, width=0.6)
        canvas.text(75, y, goes_to.get(leg.name) or goes_to[leg.net], 2.6, "end", color)
        canvas.text(93.5, y, f"{leg.name} ({leg.number})", 2.6)
    for n, leg in enumerate(outs):
        y = 19 + 6.5 * n
        canvas.line((128, y), (144, y), color="#080", width=0.6)
        canvas.text(126.5, y, f"{leg.name} ({leg.number})", 2.6, "end")
        canvas.text(145, y, leg.net.replace("OUT", "OUT of"), 2.6)
    canvas.lines(4, tall + 22, told, 2.6)
    return canvas, 19 + 6.5 * len(outs)


_SUPPLIES = ("+3V3", "Pi 3V3", "own 5V")


def _converters() -> str:
    """Return one converter of a Pi's own pins: eight squares, three lines that all share, and a line of its own from the decoder."""
    board = load_board("travel-pi-mcp3008")
    pi, decoder, _, chip, *_ = chips_of(board, None)
    pin_of = {leg.net: f"Pi, pin {leg.number}, 1 kilohm at the Pi" for leg in pi.legs}
    goes_to = {
        **pin_of,
        "CS 1": f"decoder, {_leg(decoder, 'CS 1')}",
        "+3V3": "the board's +3V3; one 1 uF to GND",
        "VREF": "to VDD beside it",
        "GND": "the board's GND",
    }
    told = (
        "Decoder first, then converter 0, 1, 2 ... CLK, DIN and DOUT run from chip to chip, CS comes from the decoder: one line each.",
        f"Decoder: {_leg(decoder, 'A0')} to {_leg(decoder, 'A3')} and {_leg(decoder, 'CE0')} from the Pi, 1 kilohm in each; "
        f"{_leg(decoder, '+3V3')} to the board's +3V3, one 100 nF",
        f"from there to GND; {_leg(decoder, 'GND')} to GND. No wire from the Pi's pin 1 to +3V3.",
        "10 kilohm from DOUT's line to the Pi's own 3.3 V (pin 1). In brackets: the number of the leg.",
    )
    return _one_chip("Pi's own pins: one converter, eight sensors", chip, goes_to, told)[0].svg()


def _registers() -> str:
    """Return one register of a chain: eight squares, two lines that all share, and the way from register to register."""
    board = load_board("travel-pi-chain")
    pi, first, chip, after, *_ = chips_of(board, None)
    pin_of = {leg.net: f"Pi, pin {leg.number}" for leg in pi.legs}
    goes_to = {
        **pin_of,
        "DATA 1": f"register 0, {_leg(first, 'DATA 1')}",
        "DATA 2": f"register 2, {_leg(after, 'DATA 2')}",
        "Pi 3V3": "Pi's own 3.3 V, pin 1; 100 nF to GND",
        "GND": "GND",
    }
    told = (
        f"Begin with register 0: its {_leg(first, 'DATA 0')} goes to the Pi's pin 21 through 1 kilohm. While the next register is missing, "
        "and behind",
        "the last one, SER goes to the registers' supply. 10 kilohm from each OUT to the registers' supply, at the register.",
        "A microcontroller instead of the Pi: its own 5V (Pico: 3V3) in place of pin 1, and the lines of the page's table Pins.",
    )
    return _one_chip("Digital board: one register, eight sensors", chip, goes_to, told)[0].svg()


def _digital_first() -> str:
    """Return the first test of a digital board: a Nano, register 0, and four of its sensors with their resistors."""
    board = load_board("travel-10x10-digital")
    nano, chip, *_ = chips_of(board, board.controllers[0])
    goes_to = {leg.net: f"Nano, {leg.name}" for leg in nano.legs} | {
        "DATA 1": "Nano, 5V, for this test",
        "own 5V": "Nano, 5V; 100 nF to GND",
        "GND": "Nano, GND",
    }
    told = (
        "Sensors: VCC to the Nano's 5V for this test, GND to GND, 10 nF beside each. 10 kilohm from every input to 5V, also of e1 to h1,",
        "which have no sensor yet. SER at 5V stands for the eleven registers that are missing: their squares read empty.",
        "Mega, Pico: the lines of the page's table Pins, a Pico's 3V3 in place of 5V.",
        "Pi's own pins: 3.3 V (pin 1) in place of 5V, SH/LD to pin 22, CLK to pin 23, QH through 1 kilohm to pin 21, GND to pin 6.",
    )
    canvas, low = _one_chip("Digital board, the first test: Nano, register 0, four sensors", chip, goes_to, told)
    for n in range(8):
        y = 19 + 6.5 * n
        canvas.resistor((160, y), (184, y), "10k")
    canvas.line((184, 19), (184, low - 6.5), color=SUPPLY, width=0.7)
    canvas.text(184, low - 3, "5V", 2.6, "middle", SUPPLY)
    return canvas.svg()


def _leg(chip: Chip, net: str) -> str:
    """Return the legs of a chip that are on a net, each with its number."""
    return ", ".join(f"{leg.name} ({leg.number})" for leg in chip.legs if leg.net == net)


def _supply() -> str:
    """Return the way in of the supply with the points to measure, and what must be read there."""
    canvas = Canvas(180, 86)
    canvas.text(4, 5, "*5 V: before anything is joined. Black lead on the point -, red lead on each point", 3.2)
    y, low = 24.0, 52.0
    _way_in(canvas, y, low)
    canvas.line((76, y), (150, y), color=SUPPLY, width=0.6)
    canvas.line((11.2, low), (150, low), color=GROUND, width=0.6)
    canvas.capacitor(100, y, low, "10u ceramic")
    canvas.text(152, y, "to the rows: +5V", 2.8, color=SUPPLY)
    canvas.text(152, low, "to the rows: GND", 2.8, color=GROUND)
    _points(canvas, y, 20, 52, 120)
    told = (
        "A and B: 4.9 to 5.2 V; below 0: the plug has minus in the middle. C: within 0.05 V of B with nothing joined.",
        "A, not B: the fuse. C 0.3 V or more below B: gate not at -.",
        "Then + and - exchanged on purpose, by two clips, before the socket is soldered: C must read 0 V.",
        "C 3 V or more below 0: drain and source of the AO3401A are exchanged. Put all right before you go on.",
    )
    canvas.lines(4, 64, told, 2.6)
    return canvas.svg()


def _supply_3v3() -> str:
    """Return where the step-down module of a 3.3 V board sits, and what must be read before anything is joined."""
    canvas = Canvas(180, 96)
    canvas.text(4, 5, "*3.3 V, for a Pico or a Pi's own pins: the module sits behind the MOSFET", 3.2)
    y, low = 24.0, 52.0
    _way_in(canvas, y, low)
    canvas.line((76, y), (98, y), color=SUPPLY, width=0.6)
    canvas.box(98, y - 6, 30, 16, "#fffbe8")
    canvas.text(113, y - 3.2, "step-down", 2.6, "middle")
    canvas.text(99.5, y, "IN", 2.6)
    canvas.text(126.5, y, "OUT", 2.6, "end")
    canvas.text(104, y + 7.5, "EN", 2.6, "middle")
    canvas.text(121, y + 7.5, "GND", 2.6, "middle")
    canvas.line((121, y + 10), (121, low), color=GROUND)
    canvas.line((104, y + 10), (104, 40))
    canvas.dot(104, 38)
    canvas.line((104, 38), (92, 38))
    canvas.text(91, 37, "Pi 3V3 (1), only for", 2.2, "end")
    canvas.text(91, 40.5, "converters on a Pi", 2.2, "end")
    canvas.resistor((104, 38), (104, low), "4.7k")
    canvas.line((128, y), (150, y), color=SUPPLY, width=0.6)
    canvas.line((11.2, low), (150, low), color=GROUND, width=0.6)
    canvas.capacitor(140, y, low, "10u")
    canvas.text(152, y, "to the rows: +3V3", 2.8, color=SUPPLY)
    canvas.text(152, low, "to the rows: GND", 2.8, color=GROUND)
    _points(canvas, y, 20, 52, 88, 134)
    told = (
        "First without the module: A, B and C as for 5 V, exchanged on purpose too. Then the module, nothing behind it:",
        "D: 3.2 to 3.4 V with EN as its maker says for always on. More, or a screw that changes it: not this module.",
        "Pico, or registers on a Pi: EN stays so, without the 4.7 kilohm.",
        "*Converters on a Pi: 4.7 kilohm from EN to -, and then in this order, the Pi unplugged:",
        "1. 5 V in: EN must read below 0.3 V, and D below 0.1 V. If EN reads more, not this module. 5 V out again.",
        "2. GND to the Pi's pin 6 first, then EN to pin 1 (3.3 V; pin 2 beside it is 5 V: not there).",
        "3. 5 V in, then the Pi on: D 3.2 to 3.4 V. Pi unplugged: D below 0.1 V. Only then join anything to D.",
    )
    canvas.lines(4, 64, told, 2.6)
    return canvas.svg()


def _way_in(canvas: Canvas, y: float, low: float) -> None:
    """Draw socket, fuse and MOSFET, which the 5 V of every board pass first."""
    canvas.circle(10, y, 1.2)
    canvas.circle(10, low, 1.2)
    canvas.text(6, y - 8, "5 V, + in the middle", 2.8)
    canvas.text(6, low + 5, "-", 3.2)
    canvas.fuse((11.2, y), (58, y), "fuse 1 A, slow")
    gate, source, drain = canvas.p_mosfet(64, y + 2, "", lying=True)
    canvas.text(70, y + 9, "AO3401A", 2.6)
    canvas.line((58, y), (drain[0], y), drain)
    canvas.line(gate, (gate[0], low))
    canvas.line(source, (source[0], y), (76, y), color=SUPPLY, width=0.6)
    canvas.dot(gate[0], low)


def _points(canvas: Canvas, y: float, *places: float) -> None:
    for name, x in zip("ABCD", places, strict=False):
        canvas.circle(x, y, 2.4, "#ff0")
        canvas.text(x, y, name, 2.8, "middle")


def _row() -> str:
    """Return a row of sensors from below, with its two bare wires and capacitors."""
    canvas = Canvas(190, 86)
    canvas.text(4, 5, "*One row, from below: the sensors' faces look away from you", 3.2)
    for n in range(10):
        x = 14 + 17 * n
        canvas.box(x - 4, 16, 8, 6, "#444")
        canvas.text(x, 19, f"{'jihgfedcba'[n]}1", 2.4, "middle", "#fff")
        for dx, end, color in ((3, 34, SUPPLY), (0, 46, GROUND), (-3, 62, "#080")):
            canvas.line((x + dx, 22), (x + dx, end), color=color, width=0.6)
            if dx < 3:  # the legs that cross a bare wire wear a sleeve
                canvas.box(x + dx - 0.8, 24, 1.6, 19 if dx == 0 else 26, "#fff")
        canvas.circle(x + 3, 34, 0.8, SUPPLY, SUPPLY)
        canvas.circle(x, 46, 0.8, GROUND, GROUND)
        canvas.capacitor(x + 6, 34, 46, "")
    canvas.line((6, 34), (184, 34), color=SUPPLY, width=1.0)
    canvas.line((6, 46), (184, 46), color=GROUND, width=1.0)
    canvas.text(185, 31, "+5V", 2.6, "end", SUPPLY)
    canvas.text(185, 49, "GND", 2.6, "end", GROUND)
    canvas.text(
        4,
        66,
        "OUT of each goes by its own insulated wire to the input that the wiring page names; 10 nF beside each sensor.",
        2.6,
    )
    canvas.text(
        4,
        71,
        "White: a sleeve on the GND and OUT legs where they pass a bare wire. From below VCC is the right leg, OUT the left one.",
        2.6,
    )
    canvas.text(
        4,
        76,
        "Measure, supply off: no short from +5V (3.3 V boards: +3V3) to GND or to any OUT, none from OUT to GND. Then step 7's table.",
        2.6,
    )
    return canvas.svg()


def _magnets() -> str:
    """Return how the tester tells the poles."""
    canvas = Canvas(170, 70)
    canvas.text(4, 5, "*The pole tester", 3.2)
    for n, (x, fill, name) in enumerate(((24, "#d33", "red piece"), (100, "#36c", "blue piece"))):
        canvas.shape((x - 5, 14), (x + 5, 14), (x + 8, 30), (x - 8, 30), fill=fill)
        canvas.box(x - 4, 28, 8, 3, "#bbb")
        canvas.text(x, 11, name, 2.8, "middle")
        canvas.text(x + 11, 29.5, "foot: S" if n == 0 else "foot: N", 2.8)
        canvas.line((x, 33), (x, 39))
        canvas.shape((x, 32), (x - 1.2, 35), (x + 1.2, 35), fill=INK)
        canvas.shape((x, 40), (x - 1.2, 37), (x + 1.2, 37), fill=INK)
        canvas.box(x - 2, 41, 4, 3, fill)
        canvas.box(x - 2, 44, 4, 3, "#36c" if n == 0 else "#d33")
        canvas.box(x - 1, 47, 2, 14, "#e8d8b0")
        canvas.text(x + 5, 43, "same colour up: pushed away" if n == 0 else "its colour up: pushed away", 2.8)
    canvas.text(
        4,
        66,
        "Pulled instead of pushed: that magnet is the wrong way round. Test each before the glue, and again after it.",
        2.8,
    )
    return canvas.svg()
