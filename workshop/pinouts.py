"""The legs of every part of the guide, drawn as the part lies before you: `docs/wiring/pinouts.svg`.

From data sheets: Texas Instruments DRV5033 and DRV5055 (SOT-23 is DBZ, TO-92 is LPG), CD74HC4067, SN74HC165; Honeywell SS49E; Microchip
MCP3008; Nexperia 74HC154; Alpha & Omega AO3401A. What is printed on modules, and the Pi's header, by their makers. A Mega's rows: the
XIO and other connectors of Arduino's own schematic (Mega 2560 Rev3), and where they lie by a public footprint for KiCad.
"""

from __future__ import annotations

from hardware import board_names, load_board
from hardware.wiring import DECODER_LEGS, HEADER, printed, printed_input
from workshop.canvas import FAINT, GROUND, INK, SUPPLY, Canvas

_CHIPS = {
    "CD74HC4067E": "SIG,C7,C6,C5,C4,C3,C2,C1,C0,S0,S1,GND,S3,S2,EN,C15,C14,C13,C12,C11,C10,C9,C8,VCC",
    "SN74HC165N": "SH/LD,CLK,E,F,G,H,/QH,GND,QH,SER,A,B,C,D,CLK INH,VCC",
    "MCP3008-I/P": "CH0,CH1,CH2,CH3,CH4,CH5,CH6,CH7,DGND,CS,DIN,DOUT,CLK,AGND,VREF,VDD",
    "74HC154": ",".join(sorted(DECODER_LEGS, key=DECODER_LEGS.__getitem__)),
}
"""Part in a DIP case -> its legs from 1, counted against the clock from the notch; the datasheet calls C0 I0, SIG COMMON, EN E."""
_NANO = (
    "D13,3V3,AREF,A0,A1,A2,A3,A4,A5,A6,A7,5V,RST,GND,VIN",
    "D12,D11,D10,D9,D8,D7,D6,D5,D4,D3,D2,GND,RST,RX0,TX1",
)
_PICO = (
    "GP0,GP1,GND,GP2,GP3,GP4,GP5,GND,GP6,GP7,GP8,GP9,GND,GP10,GP11,GP12,GP13,GND,GP14,GP15",
    "VBUS,VSYS,GND,3V3_EN,3V3,ADC_VREF,GP28,AGND,GP27,GP26,RUN,GP22,GND,GP21,GP20,GP19,GP18,GND,GP17,GP16",
)
_MEGA_DOUBLE = ("5V,D22,D24,D26,,D50,D52,GND", "5V,D23,D25,D27,,D51,D53,GND")
_MEGA_LOW = "-,IOREF,RST,3V3,5V,GND,GND,VIN,,A0,A1,A2,A3,A4,A5,A6,A7,,A8,A9,A10,A11,A12,A13,A14,A15"
_OTHERS = {1: "3V3", 2: "5V", 4: "5V", 17: "3V3", 27: "ID", 28: "ID"} | dict.fromkeys(
    (6, 9, 14, 20, 25, 30, 34, 39), "GND"
)
_BODY = "#444"


def pinouts() -> str:
    """Return the sheet as SVG."""
    canvas = Canvas(200, 388)
    canvas.text(4, 5, "*Flat face towards you, legs down", 3.2)
    for n, (name, legs, note) in enumerate(
        (
            ("SS49E", ("VCC", "GND", "OUT"), "linear"),
            ("DRV5055A3", ("VCC", "GND", "OUT"), "linear, TO-92 (LPG)"),
            ("DRV5033AJ", ("VCC", "GND", "OUT"), "digital, TO-92 (LPG)"),
        )
    ):
        _to92(canvas, 34 + 62 * n, 14, name, legs, note)
    canvas.text(4, 58, "*From above, on the board (SOT-23; the carrier takes sensors of TO-92 only)", 3.2)
    for n, (name, legs) in enumerate(
        (
            ("DRV5055A3", ("VCC", "OUT", "GND")),
            ("DRV5033AJ", ("VCC", "OUT", "GND")),
            ("AO3401A", ("G", "S", "D")),
        )
    ):
        _sot23(canvas, 34 + 62 * n, 72, name, legs)
    canvas.text(4, 92, "*From above, notch up: leg 1 is top left, and they go round against the clock", 3.2)
    for n, (name, names) in enumerate(_CHIPS.items()):
        _dip(canvas, 27 + 49 * n, 103, name, names.split(","))
    _multiplexer_module(canvas, 62, 150)
    canvas.text(4, 168, "*Modules from above, USB up; the Pi's header with pin 1 where the memory card is", 3.2)
    _module(canvas, 32, 178, "Arduino Nano (ATmega328P)", _NANO, 12)
    _module(canvas, 92, 178, "Raspberry Pi Pico", _PICO, 14)
    _header(canvas, 158, 178)
    canvas.text(4, 284, "*Arduino Mega from above, USB on the left: its double row begins with two holes of 5V", 3.2)
    _mega(canvas, 12, 290)
    canvas.text(4, 350, "*Where the supply comes in", 3.2)
    _socket(canvas, 30, 360)
    _step_down(canvas, 98, 360)
    _diode(canvas, 162, 366)
    return canvas.svg()


def _to92(canvas: Canvas, x: float, y: float, name: str, legs: tuple[str, ...], note: str) -> None:
    canvas.shape((x - 8, y + 12), (x - 8, y + 2), (x - 6, y), (x + 6, y), (x + 8, y + 2), (x + 8, y + 12), fill=_BODY)
    canvas.text(x, y + 6, name, 2.5, "middle", "#fff")
    for n, leg in enumerate(legs):
        at = x + 5 * (n - 1)
        end = x + 8 * (n - 1)
        canvas.line((at, y + 12), (at, y + 18), (end, y + 26), color=FAINT, width=0.9)
        canvas.text(at + 1, y + 14.5, str(n + 1), 2.0)
        canvas.text(end, y + 29, leg, 2.4, "middle")
    canvas.text(x, y + 35, note, 2.4, "middle")


def _sot23(canvas: Canvas, x: float, y: float, name: str, legs: tuple[str, ...]) -> None:
    canvas.box(x - 8, y - 6, 16, 12, _BODY, r=0.6)
    canvas.text(x, y, name, 2.3, "middle", "#fff")
    for n, (side, dy) in enumerate(((-1, -3.5), (-1, 3.5), (1, 0.0))):
        canvas.line((x + side * 8, y + dy), (x + side * 12, y + dy), color=FAINT, width=1.6)
        canvas.text(x + side * 13, y + dy, f"{n + 1} {legs[n]}", 2.5, "end" if side < 0 else "start")


def _dip(canvas: Canvas, x: float, y: float, name: str, legs: list[str]) -> None:
    half = len(legs) // 2
    pitch = 4.6
    height = half * pitch
    canvas.box(x - 6, y, 12, height, _BODY)
    canvas.circle(x, y, 1.4, "#fff", _BODY)
    canvas.text(x, y - 4, f"*{name}", 2.6, "middle")
    for n, leg in enumerate(legs):
        left = n < half
        at = y + pitch * ((n if left else 2 * half - 1 - n) + 0.5)
        side = -1 if left else 1
        canvas.line((x + side * 6, at), (x + side * 9, at), color=FAINT, width=0.9)
        canvas.text(x + side * 5.2, at, str(n + 1), 2.0, "start" if left else "end", "#fff")
        canvas.text(x + side * 9.6, at, leg, 2.4, "end" if left else "start")


def _multiplexer_module(canvas: Canvas, x: float, y: float) -> None:
    canvas.text(x + 36, y - 5.5, "*CD74HC4067 module: names are printed, makers order them otherwise", 2.2, "middle")
    canvas.box(x, y, 72, 9, "#e7e2f2", r=1)
    for n in range(16):
        canvas.circle(x + 3 + 4.4 * n, y + 1.6, 0.8, "#fff")
        canvas.text(x + 3 + 4.4 * n, y - 1.8, f"C{n}", 2.0, "middle")
    for n, name in enumerate(("SIG", "S3", "S2", "S1", "S0", "EN", "VCC", "GND")):
        canvas.circle(x + 11 + 7 * n, y + 7.4, 0.8, "#fff")
        canvas.text(x + 11 + 7 * n, y + 11.2, name, 2.2, "middle")


def _module(canvas: Canvas, x: float, y: float, name: str, sides: tuple[str, str], wide: float) -> None:
    pitch = 4.6
    canvas.text(x, y - 4.5, f"*{name}", 2.6, "middle")
    rows = len(sides[0].split(","))
    canvas.box(x - wide, y, 2 * wide, rows * pitch, "#dfeee2", r=1)
    canvas.box(x - 4, y - 2, 8, 5, "#ccc")
    for side, names in ((-1, sides[0]), (1, sides[1])):
        for n, pin in enumerate(names.split(",")):
            at = y + pitch * (n + 0.5)
            canvas.circle(x + side * (wide - 1.6), at, 0.9, "#fff")
            canvas.text(x + side * (wide + 1), at, pin, 2.4, "end" if side < 0 else "start")


def _mega_pins() -> frozenset[str]:
    """Return the pins of a Mega that some board file uses, as they are printed."""
    found = set[str]()
    for controller in (one for name in board_names() for one in load_board(name).controllers):
        if controller.chip == "atmega2560":
            found |= {printed(controller, pin) for pin in controller.pins}
            found |= {printed_input(controller, number) for number in controller.sense}
    return frozenset(found)


def _mega(canvas: Canvas, x: float, y: float) -> None:
    """Draw the two rows of a Mega that boards use, and where on them the first hole is; the top row is left out."""
    wide, tall, pitch, used = 162.0, 44.0, 6.0, _mega_pins()
    canvas.box(x, y, wide, tall, "#dfeee2", r=1)
    canvas.box(x - 3, y + 6, 9, 9, "#ccc")
    canvas.text(x + 8, y + 10.5, "USB", 2.4)
    canvas.text(x + 50, y + 10, "Bold: what our boards use.", 2.6)
    canvas.text(x + 50, y + 14.5, "Count from the 5V end, twice.", 2.6)

    def pin(name: str, at: tuple[float, float], label: tuple[float, float], align: str) -> None:
        color = SUPPLY if name == "5V" else GROUND if name == "GND" else INK
        canvas.circle(*at, 0.9, color if name == "5V" else "#fff")
        canvas.text(*label, f"*{name}" if name in used else name, 2.2, align, color)

    for n, name in enumerate(_MEGA_LOW.split(",")):
        along = x + 6 + pitch * n
        if name:
            pin(name, (along, y + tall - 1.8), (along, y + tall + 2.2), "middle")
    across = x + wide - 5
    for at, label, align, names in (
        (across - 2, -2.0, "end", _MEGA_DOUBLE[0]),
        (across + 2, 4.6, "start", _MEGA_DOUBLE[1]),
    ):
        for n, name in enumerate(names.split(",")):
            down = y + 3 + 4.6 * n
            if name:
                pin(name, (at, down), (at + label, down), align)
            else:
                canvas.text(at, down, "...", 2.4, "middle")


def _socket(canvas: Canvas, x: float, y: float) -> None:
    canvas.text(x, y - 3.5, "*Socket 5.5 x 2.1 mm, from behind", 2.6, "middle")
    canvas.circle(x, y + 8, 7, "#ddd")
    for dx, dy, name, color in (
        (0.0, 0.0, "+ middle pin", SUPPLY),
        (0.0, -5.0, "- sleeve", GROUND),
        (-5.0, 0.0, "", FAINT),
    ):
        canvas.box(x + dx - 1, y + 8 + dy - 1, 2, 2, "#fff", color)
        canvas.text(x + 9, y + 8 + dy, name, 2.4, color=color)
    told = ("A third lug stays free. Makers place them otherwise:", "plug in, measure, then solder.")
    canvas.lines(4, y + 19, told, 2.2)


def _step_down(canvas: Canvas, x: float, y: float) -> None:
    canvas.text(x, y - 3.5, "*Step-down module", 2.6, "middle")
    canvas.box(x - 20, y, 40, 12, "#fffbe8", r=1)
    legs = (("PG", FAINT), ("EN", INK), ("VIN", SUPPLY), ("GND", GROUND), ("VOUT", SUPPLY))
    for n, (name, color) in enumerate(legs):
        canvas.circle(x - 16 + 8 * n, y + 9.5, 0.9, "#fff")
        canvas.text(x - 16 + 8 * n, y + 6, name, 2.4, "middle", color)
    told = ("Names are printed; makers order them otherwise.", "VIN 5 V, VOUT 3.3 V; PG, if it is there, stays free.")
    canvas.lines(x - 26, y + 19, told, 2.2)


def _diode(canvas: Canvas, x: float, y: float) -> None:
    canvas.text(x, y - 9.5, "*1N5819", 2.6, "middle")
    canvas.line((x - 16, y), (x + 16, y), color=FAINT, width=0.9)
    canvas.box(x - 6, y - 2.5, 12, 5, _BODY)
    canvas.box(x + 3, y - 2.5, 1.6, 5, "#ddd")
    canvas.text(x - 17, y + 4, "the board's +5V", 2.2, "middle")
    canvas.text(x + 17, y + 4, "Nano's 5V", 2.2, "middle")
    canvas.text(x, y + 13, "The ring looks towards the Nano.", 2.2, "middle")


def _header(canvas: Canvas, x: float, y: float) -> None:
    name_of = _OTHERS | {pin: f"GPIO {number}" for number, pin in HEADER.items()}
    pitch = 4.6
    canvas.text(x, y - 4.5, "*Raspberry Pi, pins 1 to 40", 2.6, "middle")
    canvas.box(x - 7, y, 14, 20 * pitch, "#dfeee2", r=1)
    for pin in range(1, 41):
        side, align = (-1, "end") if pin % 2 else (1, "start")
        at = y + pitch * ((pin - 1) // 2 + 0.5)
        if pin == 1:
            canvas.box(x - 6, at - 1, 2, 2, "#fff")
        else:
            canvas.circle(x + side * 5, at, 1.0, "#fff")
        canvas.text(x + side * 0.6, at, str(pin), 2.0, align)
        canvas.text(x + side * 8, at, name_of[pin], 2.4, align)
