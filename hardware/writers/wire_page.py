"""Writes the reference page of the wire for people: layouts, words, limits and the vectors in hex."""

from __future__ import annotations

from hardware.wire_file import FIXED_TYPES, Field, MessageKind, Vector, Wire, WordList

_LENGTHS = {"u8": "1", "u16": "2", "u32": "4", "i16": "2", "bool": "1", "enum": "1", "flags": "1"}

_INTRODUCTION = """<!-- generated from hardware/wire.toml by `python -m hardware.generate`; never edit it by hand -->
# The wire between board and host

What goes over the serial line, byte by byte, version {version}. It is written once, in `hardware/wire.toml`; this page and the
code on both sides follow from it, and the vectors at the end are tested.

## A frame

| part | bytes | what it is |
|---|---|---|
| head | 1 | high four bits: version {version}; low four bits: message number |
| seq | 1 | counts the sender's messages modulo 256, from 0; each side has its own count |
| board_ms | 4 | only in the board's messages: milliseconds since its start, modulo 2^32 |
| payload | 0 to {max_payload} | the fields of the message, in order |
| CRC | 2 | CRC-16/CCITT-FALSE of everything before it (start {crc_start:#06x}, polynomial 0x1021; of `123456789` it is {crc_check:#06x}) |

The whole is packed with COBS, so that it holds no zero byte, and one `0x00` ends it. A frame is never longer than {max_frame} bytes,
end byte included. Empty frames (two zero bytes in a row) mean nothing: a sender may begin with `0x00` to end whatever noise was there.

- Integers are little-endian: low byte first. Only the CRC goes high byte first, so that the CRC over body and CRC is 0 and every
  burst of up to 16 wrong bits is found.
- `bool` is 0 or 1. An enum is one byte and only the numbers below are valid. Flags are one byte; a receiver ignores bits it does not know.
- `text`, `readings` and `u16-list` begin with one count byte (characters, squares, values). Text is printable ASCII.
- `readings`: two bits a square; square i lies in byte i / 4, bits 2 * (i % 4) (low bit) and 2 * (i % 4) + 1. Unused bits are 0.
- Squares are numbered from 0 in the order of the board file.
- A payload is exactly as long as its fields say.

The line: {baud} baud, 8 data bits, no parity, 1 stop bit, no flow control.

## Who says what when

- After its start the board sends HELLO. It sends HELLO, KEYFRAME, RAW again when asked.
- While any square changed its reading within the last {active_ms} ms, a KEYFRAME follows every scan; otherwise one follows
  {idle_ms} ms after the last. Every KEYFRAME is whole: after a gap in `seq` a host waits for the next one and invents nothing.
- The firmware applies the two thresholds and nothing else: no debouncing. With linear sensors a square up to `off` is EMPTY, from `on`
  upwards RED or BLUE, and UNSURE between them; digital sensors have their own hysteresis and are never UNSURE.
- The board was restarted if HELLO brings another boot count, or if the new `board_ms` minus the last, modulo 2^32, is more than 2^31.
- Every command is answered by one ACK with its number and seq, then by what it asked for. A command may be repeated without harm.
- A frame that is too long, broken, of another version, of an unknown number or with a value out of range is dropped whole.
"""

_RECORDING = """
## A recorded stream

`replay:FILE` plays what was recorded from a line. The file is text:

```text
hallmarshal-stream 1 board=travel-10x10 sensing=colour
# a remark
0 < 05 12 01 e8 03 01 01 05 04 e4 fe f8 00
15 > 02 18 03 97 d5 00
```

The first line names the format, its version, the board file and its sensing. Then comes one line a piece of bytes: milliseconds since the
recording began, never falling; `<` from the board or `>` to it; the bytes in hex, cut as they arrived. Empty lines and those
that begin with `#` mean nothing to a board; `#! 15 text` is a note of whoever recorded it: in a table's [frame
log](table-config.md#the-frame-log) JSON of what came in beside the bytes. A recording of another board is refused.
"""


def wire_page(wire: Wire) -> str:
    """Return the text of `docs/reference/wire.md`."""
    settings = dict(wire.settings)
    body = settings["max_body"]
    introduction = _INTRODUCTION.format(**settings, max_payload=body - 6, max_frame=body + 4)
    parts = [introduction, "\n## From the board\n", *(_message(m, wire) for m in wire.messages if m.sender == "board")]
    parts += ["\n## From the host\n", *(_message(m, wire) for m in wire.messages if m.sender == "host")]
    parts += [
        "\n## Enums and flags\n",
        *(_words(words, "number") for words in wire.enums),
        *(_words(words, "bit") for words in wire.flags),
    ]
    parts += [
        "\n## Vectors\n\nWhole frames, COBS and end byte included.\n",
        *(_vector(vector, wire) for vector in wire.vectors),
    ]
    return "".join([*parts, _RECORDING])


def _message(message: MessageKind, wire: Wire) -> str:
    head = wire.settings["version"] << 4 | message.number
    lines = [f"\n### {message.name} (number {message.number}, head {head:#04x})\n\n{_sentence(message.about)}\n"]
    if not message.fields:
        return lines[0] + "No payload.\n"
    lines.append("\n| at | bytes | field | type | meaning |\n|---|---|---|---|---|\n")
    offset: int | None = 6 if message.sender == "board" else 2
    for field in message.fields:
        at = "..." if offset is None else offset
        lines.append(f"| {at} | {_length(field)} | `{field.name}` | {_type(field)} | {field.about} |\n")
        offset = offset + int(_LENGTHS[field.type]) if offset is not None and field.type in FIXED_TYPES else None
    return "".join(lines)


def _length(field: Field) -> str:
    match field.type:
        case "text":
            return f"1 + up to {field.maximum}"
        case "readings":
            return "1 + a quarter of the squares, rounded up"
        case "u16-list":
            return f"1 + 2 each, up to {field.maximum} values"
        case fixed:
            return _LENGTHS[fixed]


def _type(field: Field) -> str:
    return f"{field.type} [{field.words}](#{field.words.lower()})" if field.words else field.type


def _words(words: WordList, what: str) -> str:
    rows = "".join(f"| {word.number} | `{word.name}` | {word.about} |\n" for word in words.words)
    return f"\n### {words.name}\n\n{_sentence(words.about)}\n\n| {what} | name | meaning |\n|---|---|---|\n{rows}"


def _vector(vector: Vector, wire: Wire) -> str:
    when = "" if vector.board_ms is None else f", board_ms {vector.board_ms}"
    fields = {field.name: field for field in wire.message(vector.message).fields}
    values = "".join(f"  {name} = {_value(value, fields[name])}\n" for name, value in vector.values.items())
    return f"\n{_sentence(vector.name)}\n\n```text\n{vector.message}, seq {vector.seq}{when}\n{values}{_hex(vector.frame)}\n```\n"


def _value(value: object, field: Field) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if field.type == "text":
        return f'"{value}"'
    return str(value)


def _hex(frame: bytes) -> str:
    return "\n".join(frame[i : i + 32].hex(" ") for i in range(0, len(frame), 32))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text[-1] in "?!." else ".")
