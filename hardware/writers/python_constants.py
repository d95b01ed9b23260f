"""Writes the Python side of the wire: enums, layouts and limits as a module that the codec imports."""

from __future__ import annotations

from hardware.wire_file import FIXED_TYPES, TAIL_TYPES, MessageKind, Wire, WordList

_HEAD = '''"""The numbers of the wire. Generated from hardware/wire.toml by `python -m hardware.generate`; never edit it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag

'''


def python_constants(wire: Wire) -> str:
    """Return the text of `firmware_bridge/_wire_constants.py`."""
    parts = [_HEAD]
    for name, value in wire.settings.items():
        if isinstance(value, int):
            parts.append(
                f"{name.upper()} = 0x{value:04X}\n" if name.startswith("crc_") else f"{name.upper()} = {value}\n"
            )
    parts += [_enum(words, "IntEnum") for words in wire.enums]
    parts += [_enum(words, "IntFlag") for words in wire.flags]
    parts.append(_message_types(wire))
    parts.append(_layouts(wire))
    return "".join(parts)


def _enum(words: WordList, base: str) -> str:
    lines = [f"\n\nclass {words.name}({base}):\n", f'    """{_sentence(words.about)}"""\n\n']
    for word in words.words:
        number = str(word.number) if base == "IntEnum" else f"1 << {word.number}"
        lines.append(f"    {word.name} = {number}  # {word.about}\n")
    return "".join(lines)


def _message_types(wire: Wire) -> str:
    lines = ["\n\nclass MessageType(IntEnum):\n", '    """The low four bits of a body\'s first byte."""\n\n']
    lines += [f"    {message.name} = {message.number}\n" for message in wire.messages]
    return "".join(lines)


def _layouts(wire: Wire) -> str:
    board = "".join(f"        MessageType.{message.name},\n" for message in wire.messages if message.sender == "board")
    lines = [
        f"\n\nBOARD_TYPES = frozenset(\n    {{\n{board}    }}\n)\n",
        '"""What the board sends; the host sends the others."""\n',
        "\nFIXED_FIELDS: Mapping[MessageType, tuple[str, tuple[tuple[str, str], ...]]] = {\n",
        *(_fixed(message) for message in wire.messages),
        "}\n",
        '"""Fields of fixed length: their `struct` format, and name and kind of each (int, bool, or the name of its words)."""\n',
        "\nCOUNTED_FIELDS: Mapping[MessageType, tuple[tuple[str, str, int], ...]] = {\n",
        *(_counted(message) for message in wire.messages),
        "}\n",
        '"""Fields that begin with a count byte: name, type, and the most that may be counted."""\n',
    ]
    return "".join(lines)


def _fixed(message: MessageKind) -> str:
    fixed = [field for field in message.fields if field.type in FIXED_TYPES]
    letters = "".join(FIXED_TYPES[field.type] for field in fixed)
    kinds = [f'("{field.name}", "{field.words or ("bool" if field.type == "bool" else "int")}")' for field in fixed]
    return f'    MessageType.{message.name}: (\n        "<{letters}",\n        {_lines(kinds, 2)},\n    ),\n'


def _counted(message: MessageKind) -> str:
    counted = [field for field in message.fields if field.type in TAIL_TYPES]
    items = [f'("{field.name}", "{field.type}", {field.maximum})' for field in counted]
    return f"    MessageType.{message.name}: {_lines(items, 1)},\n"


def _lines(items: list[str], depth: int) -> str:
    # the forms that the formatter leaves alone: one item on the same line, several on lines of their own
    if len(items) < 2:
        return f"({items[0]},)" if items else "()"
    indent = "    " * depth
    return "(\n" + "".join(f"{indent}    {item},\n" for item in items) + indent + ")"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
