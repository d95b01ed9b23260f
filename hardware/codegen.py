"""Writes code: the numbers of the wire for C and for Python, and for each board that a controller scans its C tables and pins."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template

from hardware.board_file import (
    DEFAULT_ZERO,
    FULL_FIELD,
    HALF_SUPPLY,
    SUPPLY_RANGE,
    BoardFile,
    Sensing,
    default_gain,
    share,
)
from hardware.scanners import Controller, Pin
from hardware.wire_file import FIXED_TYPES, MessageKind, Wire, WordList

TEMPLATES = Path(__file__).with_name("templates")
NO_SQUARE = 255


def wire_header(wire: Wire) -> str:
    """Return the text of `hm_wire.h`."""
    words = [*(_words(words, "{}") for words in wire.enums), *(_words(words, "(1 << {})") for words in wire.flags)]
    return filled(
        "wire.h",
        numbers=_defines(_numbers(wire)),
        messages=_defines({message.name: message.number for message in wire.messages}),
        sizes="".join(line for message in wire.messages for line in _sizes(message)),
        words="".join(words),
    )


def _defines(values: Mapping[str, object]) -> str:
    return "".join(f"#define HM_{name} {value}\n" for name, value in values.items())


def _sizes(message: MessageKind) -> Iterable[str]:
    length = struct.calcsize(_layout(message))
    if message.sender == "host" and length:
        yield f"#define HM_{message.name}_BYTES {length}\n"
    for field in message.fields:
        if field.type == "u16-list":
            yield f"#define HM_{message.name}_{field.name.upper()}_MAX {field.maximum}\n"


def _layout(message: MessageKind) -> str:
    """Return the `struct` format of a message's fields of fixed length."""
    return "<" + "".join(FIXED_TYPES[field.type] for field in message.fields if field.type in FIXED_TYPES)


def _numbers(wire: Wire) -> dict[str, str]:
    """Return the wire's own numbers as both languages write them."""
    numbers = {name: value for name, value in wire.settings.items() if isinstance(value, int)}
    return {
        name.upper(): f"0x{value:04X}" if name.startswith("crc_") else f"{value}" for name, value in numbers.items()
    }


def _words(words: WordList, form: str) -> str:
    prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in words.name)
    lines = [f"#define HM{prefix}_{word.name} {form.format(word.number)} /* {word.about} */\n" for word in words.words]
    return "\n" + "".join(lines)


def board_code(board: BoardFile) -> dict[str, str]:
    """Return the texts of a board's `hm_board.h` and `hm_board.c`, by the ends of their names."""
    channels = range(board.scan.chips * board.scan.channels_per_chip)
    square_of = {channel: number for number, channel in enumerate(board.scan.channels)}
    places = [(round(x), round(y)) for x, y in board.places]
    square_at = {place: number for number, place in enumerate(places)}
    grid = [[square_at.get((x, y), NO_SQUARE) for x in range(board.columns)] for y in range(board.rows)]
    values = {
        "about": board.about,
        "id": board.id,
        "sensing": board.sensing.name,
        "squares": len(board.squares),
        "chips": board.scan.chips,
        "channels_per_chip": board.scan.channels_per_chip,
        "channels": len(channels),
        "hz": board.scan.hz,
        "period_ms": 1000 // board.scan.hz,
        "fingerprint": f"0x{board.fingerprint:04X}",
        "no_square": NO_SQUARE,
        "columns": board.columns,
        "rows": board.rows,
        "full_field": FULL_FIELD,
        "on_permille": round(1000 * board.thresholds.on),
        "off_permille": round(1000 * board.thresholds.off),
        "default_zero": DEFAULT_ZERO,
        "default_gain": default_gain(board),
        "supply_channel": NO_SQUARE if board.scan.supply is None else board.scan.supply,
        "half_supply": HALF_SUPPLY,
        "least_supply": SUPPLY_RANGE[0],
        "most_supply": SUPPLY_RANGE[-1],
        "square_of_channel": _rows([square_of.get(channel, NO_SQUARE) for channel in channels], 16),
        "channel_of_square": _rows(board.scan.channels, 16),
        "place_of_square": _rows([f"{{{x}, {y}}}" for x, y in places], 10),
        "square_at": _grid(grid),
        "share_at": _grid([[share(board, across, down) for across in range(3)] for down in range(3)]),
    }
    kind = "linear" if board.sensing is Sensing.COLOUR else "digital"
    return {end: filled(f"{kind}.{end}", **values) for end in ("h", "c")}


def pins_header(controller: Controller) -> str:
    """Return the text of a board's `hm_pins.h` for one chip."""
    numbers: dict[str, object] = {}
    if controller.sense:
        numbers |= {"SENSE_FIRST": controller.sense[0], "SENSE_COUNT": len(controller.sense)}
        numbers |= _pin("SELECT", controller.select[0])
        numbers["ENABLE_COUNT"] = len(controller.enable)
        if controller.enable:
            numbers["ENABLE_PINS"] = ", ".join(str(pin.number) for pin in controller.enable)
    else:
        for name, pin in zip(("LATCH", "CLOCK", "DATA"), controller.chain, strict=True):
            numbers |= _pin(name, pin)
    return filled("pins.h", pins=_defines(numbers))


def _pin(name: str, pin: Pin) -> dict[str, object]:
    if pin.port == "GP":
        return {f"{name}_PIN": pin.number}
    return {
        f"{name}_PORT": f"PORT{pin.port}",
        f"{name}_DDR": f"DDR{pin.port}",
        f"{name}_PIN": f"PIN{pin.port}",
        f"{name}_BIT": pin.number,
    }


def _rows(values: Sequence[object], width: int) -> str:
    lines = (values[i : i + width] for i in range(0, len(values), width))
    return "".join(f"    {', '.join(map(str, line))},\n" for line in lines)


def _grid(rows: Sequence[Sequence[object]]) -> str:
    return "".join(f"    {{{', '.join(map(str, row))}}},\n" for row in rows)


# ---------------------------------------------------------------- Python: a module that the codec imports


def python_constants(wire: Wire) -> str:
    """Return the text of `firmware_bridge/_wire_constants.py`."""
    words = [
        *(_enum(words, "IntEnum", "{}") for words in wire.enums),
        *(_enum(words, "IntFlag", "1 << {}") for words in wire.flags),
    ]
    return filled(
        "wire_constants.py",
        numbers="".join(f"{name} = {value}\n" for name, value in _numbers(wire).items()),
        words="".join(words),
        types="".join(f"    {message.name} = {message.number}\n" for message in wire.messages),
        rows="".join(f"    MessageType.{message.name}: {_fields(message)},\n" for message in wire.messages),
    )


def _enum(words: WordList, base: str, form: str) -> str:
    lines = [f"\n\nclass {words.name}({base}):\n", f'    """{sentence(words.about)}"""\n\n']
    lines += [f"    {word.name} = {form.format(word.number)}  # {word.about}\n" for word in words.words]
    return "".join(lines)


def _fields(message: MessageKind) -> str:
    kinds = [field.words or ("bool" if field.type == "bool" else "int") for field in message.fields]
    letters = [FIXED_TYPES.get(field.type, field.type) for field in message.fields]
    rows = ((field.name, *said, field.maximum) for field, *said in zip(message.fields, letters, kinds, strict=True))
    return repr(tuple(rows)).replace("'", '"')


def filled(template: str, **values: object) -> str:
    """Return a template of `hardware/templates` with these values in it."""
    text = (TEMPLATES / f"{template}.in").read_text(encoding="utf-8")
    return Template(text).substitute(values)


def sentence(text: str) -> str:
    """Return a text as a sentence: with a capital and a full stop, if it has no end of its own."""
    return text[0].upper() + text[1:] + ("" if text[-1] in "?!." else ".")
