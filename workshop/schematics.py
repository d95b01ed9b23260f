"""The complete schematic of each board and controller, as SVG.

Wires are joined by the names of their nets, so that every leg of every chip is in the picture and no wire crosses another. On top stand
where the supply comes in, one sensor for all, and what scans them; then what stands between them; below, every chip.
"""

from __future__ import annotations

from hardware import BoardFile
from hardware.scanners import Controller
from hardware.wiring import is_linear, schematic_names, sensor_of
from workshop.canvas import Canvas
from workshop.netlist import NOT_CONNECTED, Chip, Leg, chips_of, logic_of, supply_of

_ACROSS = 3
_COLUMN, _LEG, _BODY = 64.0, 4.0, 24.0
_MARGIN = 6.0
_5V_OPEN = {
    "atmega328p": "*Uno: leave 5V open, it feeds the Pi; no D1.",
    "atmega2560": "*Leave 5V open: it feeds the Pi.",
}
_HEAD = 76.0  # supply, sensor, and what stands between


def schematics(board: BoardFile) -> dict[str, str]:
    """Return every schematic of a board: name of its file -> SVG."""
    return {name: schematic(board, controller) for name, controller in schematic_names(board).items()}


def schematic(board: BoardFile, controller: Controller | None) -> str:
    """Return the schematic for one controller, or for the Pi's own pins."""
    first, *others = chips_of(board, controller)
    rows = [others[n : n + _ACROSS] for n in range(0, len(others), _ACROSS)]
    top = max(_HEAD, _tall(first) + 14)
    height = top + sum(max(map(_tall, row)) + 12 for row in rows) + 2
    canvas = Canvas(2 * _MARGIN + _ACROSS * _COLUMN, height)
    supply = supply_of(board, controller)
    reader = "a Raspberry Pi" if controller is None else first.part
    canvas.text(_MARGIN, 4, f"*{board.id} with {reader}. Wires of one name are joined.", 3.2)
    _supply(canvas, board, supply)
    logic = logic_of(board, controller)
    _sensor(canvas, board, (supply, logic), sensor_of(board, controller is not None and controller.chip == "rp2040"))
    _between(canvas, board, controller, supply)
    _chip(canvas, first, _MARGIN + 2 * _COLUMN, 12)
    for row in rows:
        for n, chip in enumerate(row):
            _chip(canvas, chip, _MARGIN + n * _COLUMN, top)
        top += max(map(_tall, row)) + 12
    return canvas.svg()


def _tall(chip: Chip) -> float:
    return max(len(chip.left), len(chip.right)) * _LEG + 2


def _chip(canvas: Canvas, chip: Chip, left: float, top: float) -> None:
    """Draw a chip as a box, its legs left and right, and the net of each at its end."""
    x = left + (_COLUMN - _BODY) / 2
    canvas.text(left + _COLUMN / 2, top - 2.5, f"*{chip.name}: {chip.part}", 2.8, "middle")
    canvas.box(x, top, _BODY, _tall(chip), "#fffbe8")
    for side, legs in ((-1, chip.left), (1, chip.right)):
        edge = x if side < 0 else x + _BODY
        for n, leg in enumerate(legs):
            y = top + 3 + n * _LEG
            canvas.line((edge, y), (edge + side * 5, y))
            canvas.text(edge - side * 1.0, y, leg.name, 2.4, "start" if side < 0 else "end")
            canvas.text(edge + side * 0.6, y - 1.1, leg.number, 1.7, "end" if side < 0 else "start")
            _end(canvas, leg, edge + side * 5, y, "end" if side < 0 else "start")


def _end(canvas: Canvas, leg: Leg, x: float, y: float, align: str) -> None:
    if leg.net == NOT_CONNECTED:
        canvas.line((x - 0.8, y - 0.8), (x + 0.8, y + 0.8))
        canvas.line((x - 0.8, y + 0.8), (x + 0.8, y - 0.8))
    else:
        canvas.net(x, y, leg.net, align)


def _supply(canvas: Canvas, board: BoardFile, supply: str) -> None:
    """Draw where the 5 V come in: fuse, what withstands reverse polarity, for 3.3 V the step-down module, capacitor."""
    canvas.text(_MARGIN, 10, "*where the supply comes in", 2.8)
    y, low = 20.0, 34.0
    canvas.circle(_MARGIN + 1, y, 0.8)
    canvas.circle(_MARGIN + 1, low, 0.8)
    canvas.text(_MARGIN, y - 5.2, "socket: 5 V, 3 A")
    canvas.text(_MARGIN, y + 3.2, "+ middle", 2.2)
    canvas.text(_MARGIN, low - 3.2, "-")
    canvas.text(_MARGIN, low + 3.2, "F1 1 A slow; Q0 AO3401A")
    canvas.fuse((_MARGIN + 1.8, y), (19, y), "F1")
    gate, source, drain = canvas.p_mosfet(24, y + 2, "", lying=True)
    canvas.line((19, y), (drain[0], y), drain)
    canvas.line(gate, (gate[0], low))
    canvas.dot(gate[0], low)
    canvas.line(source, (source[0], y), (56, y))
    if supply == "+3V3":
        canvas.box(33, y - 4, 13, 10, "#fffbe8")
        canvas.text(39.5, y - 2.2, "step-down", 2.2, "middle")
        canvas.text(34, y, "IN", 2.2)
        canvas.text(45, y, "OUT", 2.2, "end")
        canvas.text(39.5, y + 4.5, "GND", 2.2, "middle")
        canvas.line((39.5, y + 6), (39.5, low))
        canvas.dot(39.5, low)
        enabled = "Pi 3V3, pin 1, and 4.7k to GND" if board.mcp3008 is not None else "as its maker says for always on"
        canvas.text(_MARGIN, low + 7, f"EN of the step-down: {enabled}", 2.2)
    canvas.dot(50, y)
    canvas.capacitor(50, y, low, "10u")
    canvas.dot(50, low)
    canvas.net(56, y, supply)
    canvas.line((_MARGIN + 1.8, low), (56, low))
    canvas.net(56, low, "GND")


def _sensor(canvas: Canvas, board: BoardFile, supplies: tuple[str, str], part: str) -> None:
    """Draw one sensor with its capacitor, and what pulls a digital one up to its chip's supply. Legs as in TO-92."""
    supply, logic = supplies
    left = _MARGIN + _COLUMN
    canvas.text(left + 4, 10, f"*{len(board.squares)} times: one under each square", 2.8)
    x, vcc, gnd = left + 28.0, 20.0, 34.0
    canvas.box(x, vcc - 3, 17, gnd - vcc + 6, "#fffbe8")
    canvas.text(x + 8.5, vcc + 9, part, 2.6, "middle")
    for y, number, name in ((vcc, "1", "VCC"), (gnd, "2", "GND")):
        canvas.line((x - 16, y), (x, y))
        canvas.text(x + 1, y, name, 2.4)
        canvas.text(x - 0.6, y - 1.1, number, 1.7, "end")
    canvas.net(x - 16, vcc, supply, "end")
    canvas.net(x - 16, gnd, "GND", "end")
    canvas.dot(x - 9, vcc)
    canvas.dot(x - 9, gnd)
    canvas.capacitor(x - 9, vcc, gnd, "10n")
    out = x + 17
    canvas.line((out, vcc), (out + 8, vcc))
    canvas.text(out - 1, vcc, "OUT", 2.4, "end")
    canvas.text(out + 0.6, vcc - 1.1, "3", 1.7)
    canvas.net(out + 8, vcc, "OUT a1 ...")
    if not is_linear(board):
        canvas.dot(out + 6, vcc)
        canvas.resistor((out + 6, vcc), (out + 6, gnd), "10k")
        canvas.net(out + 6, gnd + 2, logic, "middle")


def _between(canvas: Canvas, board: BoardFile, controller: Controller | None, supply: str) -> None:
    """Draw what stands between chips and lines: series resistors, the chips' capacitors."""
    x, y = _MARGIN, 48.0
    canvas.text(x, y, "*beside each chip", 2.8)
    canvas.capacitor(x + 16, y + 3, y + 13, "100n")
    canvas.net(x + 15, y + 3, logic_of(board, controller), "end")
    canvas.net(x + 15, y + 13, "GND", "end")
    if board.scan.supply is not None:
        _divider(canvas, x + 40, y, supply)
    if controller is not None and not is_linear(board):
        canvas.text(x + 44, y + 1, "*registers and pull-ups: the controller's own supply, never the sensors'", 2.6)
        return
    x += 38 * (board.scan.supply is not None)
    lines = "each S, SIG, EN" if controller is not None and controller.enable else "each S, SIG"
    ends, why = (f"{lines} at the chips", "its pin"), "*5 mA at most into what is off"
    if controller is None:
        line, why = "DATA 0 of register 0", "*in the line to the Pi: one that is off is not fed"
        if board.mcp3008 is not None:
            line, why = "MISO of converters", "*in the line to the Pi: 3 mA at most into what is off"
        ends = (line, "pin 21")
    canvas.text(x + 50, y, why, 2.6)
    canvas.resistor((x + 80, y + 5), (x + 92, y + 5), "1k")
    canvas.net(x + 80, y + 5, ends[0], "end")
    canvas.net(x + 92 + 12 * (board.mcp3008 is not None), y + 5, ends[1])
    if board.mcp3008 is not None:
        canvas.line((x + 92, y + 5), (x + 104, y + 5))
        canvas.dot(x + 96, y + 5)
        canvas.resistor((x + 96, y + 5), (x + 96, y + 13), "10k")
        canvas.net(x + 96, y + 15, "Pi 3V3", "middle")
        canvas.text(
            x + 44,
            y + 19.5,
            "*and 1k in SCLK, MOSI, CE0 and A0 to A3, at the Pi: 3 mA at most into what is off",
            2.6,
        )
    elif controller is not None and controller.enable:
        canvas.resistor((x + 80, y + 16), (x + 92, y + 16), "10k")
        canvas.net(x + 80, y + 16, "each EN at the chips", "end")
        canvas.net(x + 92, y + 16, supply)
    elif controller is not None and controller.chip == "atmega328p":
        anode, cathode = canvas.diode(x + 80, y + 16, "D1 1N5819")
        canvas.net(*anode, supply, "end")
        canvas.net(*cathode, "a Nano's 5V pin")
    if controller is not None and controller.chip in _5V_OPEN:
        canvas.text(x + 50, y + 21, _5V_OPEN[controller.chip], 2.4)


def _divider(canvas: Canvas, x: float, y: float, supply: str) -> None:
    """Draw what gives half the sensors' supply to the spare input: the firmware takes out what moves there."""
    canvas.text(x, y, "*half the supply", 2.8)
    middle = (x + 8, y + 10)
    canvas.net(middle[0], y + 3, supply, "middle")
    canvas.resistor((middle[0], y + 4), middle, "10k 1 %")
    canvas.dot(*middle)
    canvas.resistor(middle, (middle[0], y + 17), "10k 1 %")
    canvas.net(middle[0], y + 19, "GND", "middle")
    canvas.line(middle, (middle[0] + 22, middle[1]))
    canvas.dot(middle[0] + 20, middle[1])
    canvas.capacitor(middle[0] + 20, middle[1], y + 17, "100n")
    canvas.net(middle[0] + 20, y + 19, "GND", "middle")
    canvas.net(middle[0] + 22, middle[1], "HALF SUPPLY")
