"""Messages to bytes and back. Pure: no I/O, no clock; the board's own time is in its messages.

`encode` turns one message into one frame: fields, CRC, COBS, end byte. `Decoder` takes the board's bytes, cut anywhere, and returns
messages and faults: it splits frames, checks them, and judges sequence and time. `CommandDecoder` does the same for the board's side.
"""

from __future__ import annotations

import dataclasses
import struct
from binascii import crc_hqx
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import lru_cache
from itertools import chain
from typing import Any, get_args

from firmware_bridge import _wire_constants as constants
from firmware_bridge import messages as m
from firmware_bridge._wire_constants import FIELDS, MessageType

CLASSES: Mapping[MessageType, type[Any]] = {cls.TYPE: cls for cls in (*get_args(m.BoardMessage), *get_args(m.Command))}
MAX_PACKED = constants.MAX_BODY + 3
"""Longest frame without its end byte: body, two bytes of CRC, one of COBS."""

BOARD_HEAD = struct.Struct("<BBI")
"""What every message of the board begins with: head, seq, board_ms. Two frames that show the same differ here alone."""

_END = b"\0"
_MAX_BLOCK = 253
_LENGTHS = [bytes((length + 1,)) for length in range(_MAX_BLOCK + 1)]
_HALF_RANGE_MS = m.RANGE_MS // 2
_CRC_BYTES = 2
_HOST_HEAD = struct.Struct("<BB")
_KEYFRAME_HEAD = struct.Struct("<BBIBB")  # head, seq, board_ms, flags, count of squares
_KEYFRAME_BYTE = constants.VERSION << 4 | MessageType.KEYFRAME
_FIXED = {
    kind: (
        struct.Struct("<" + "".join(letter for _, letter, *_ in fields if len(letter) == 1)),
        [(name, word) for name, letter, word, _ in fields if len(letter) == 1],
    )
    for kind, fields in FIELDS.items()
}
_COUNTED = {kind: [field for field in fields if len(field[1]) > 1] for kind, fields in FIELDS.items()}
_BOARD_TYPES = frozenset(cls.TYPE for cls in get_args(m.BoardMessage))
_KINDS: Mapping[str, Callable[[int], Any]] = {
    "int": int,
    "bool": bool,
    **{name: cls for name, cls in vars(constants).items() if isinstance(cls, type) and issubclass(cls, Enum)},
}
_READINGS = tuple(m.Reading)
_FOUR_READINGS = [tuple(_READINGS[byte >> shift & 3] for shift in (0, 2, 4, 6)) for byte in range(256)]
_FLAGS = [
    m.FrameFlag(value & (1 << len(m.FrameFlag)) - 1) for value in range(256)
]  # bits of a newer firmware are ignored


def pack_readings(squares: Iterable[m.Reading]) -> bytes:
    """Return two bits a square, square 0 in the lowest bits of the first byte; unused bits are 0."""
    values = list(squares)
    values += [m.Reading.EMPTY] * (-len(values) % 4)
    return bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in zip(*[iter(values)] * 4, strict=True))


@lru_cache(maxsize=256)  # a board at rest sends the same bytes again and again; equal frames share one tuple
def unpack_readings(count: int, packed: bytes) -> tuple[m.Reading, ...] | None:
    """Return `count` readings, or None if an unused bit is set. `packed` has the right length."""
    readings = tuple(chain.from_iterable(map(_FOUR_READINGS.__getitem__, packed)))
    if any(readings[count:]):
        return None
    return readings[:count]


# Consistent Overhead Byte Stuffing (Cheshire and Baker 1999) for frames of at most 253 bytes, which are one block. Own code because it is
# these few lines, they must agree with the firmware's, and the package `cobs` has no wheels: it would ask a Raspberry Pi for a compiler.


def cobs_pack(data: bytes) -> bytes:
    """Return `data` without zero bytes, one byte longer; the end byte is not included. ValueError beyond 253 bytes."""
    if len(data) > _MAX_BLOCK:
        raise ValueError(f"{len(data)} bytes are more than one COBS block of {_MAX_BLOCK}")
    return b"".join([_LENGTHS[len(run)] + run for run in data.split(b"\0")])


def cobs_unpack(packed: bytes) -> bytes | None:
    """Return what was packed, or None if a length byte points beyond the end or nothing is there. `packed` holds no zero byte."""
    data = bytearray(packed)
    at, end = 0, len(data)
    while at < end:  # each length byte stands where a zero was, and says where the next one stands
        step = data[at]
        data[at] = 0
        at += step
    return bytes(data[1:]) if data and at == end else None


def seal(body: bytes) -> bytes:
    """Return the whole frame of a body: CRC added, COBS packed, end byte added."""
    return cobs_pack(body + crc_hqx(body, constants.CRC_START).to_bytes(_CRC_BYTES, "big")) + _END


def keyframe(seq: int, board_ms: int, flags: int, count: int, packed: bytes) -> bytes:
    """Return the whole frame of a KEYFRAME whose readings are packed already: the board's way, which packs only on change."""
    return seal(_KEYFRAME_HEAD.pack(_KEYFRAME_BYTE, seq, board_ms, flags, count) + packed)


def encode(message: m.BoardMessage | m.Command) -> bytes:
    """Return the whole frame of a message, end byte included; raise WireValueError if a value does not fit."""
    kind = message.TYPE
    head = constants.VERSION << 4 | kind
    layout, fields = _FIXED[kind]
    try:
        if isinstance(message, m.BoardMessage):
            body = BOARD_HEAD.pack(head, message.seq, message.board_ms)
        else:
            body = _HOST_HEAD.pack(head, message.seq)
        body += layout.pack(*[getattr(message, name) for name, _ in fields])
    except struct.error as error:
        raise m.WireValueError(f"{kind.name}: {error}") from error
    for name, field_type, _, maximum in _COUNTED[kind]:
        body += _pack_counted(f"{kind.name}.{name}", getattr(message, name), field_type, maximum)
    return seal(body)


def _pack_counted(place: str, value: Any, field_type: str, maximum: int) -> bytes:
    if len(value) > maximum:
        raise m.WireValueError(f"{place}: {len(value)} are more than {maximum}")
    count = bytes((len(value),))
    if field_type == "readings":
        return count + pack_readings(value)
    if field_type == "u16-list":
        try:
            return count + struct.pack(f"<{len(value)}H", *value)
        except struct.error as error:
            raise m.WireValueError(f"{place}: {error}") from error
    if not (value.isascii() and value.isprintable()):
        raise m.WireValueError(f"{place}: only printable ASCII goes over the wire")
    return count + bytes(value, "ascii")


def unseal(packed: bytes) -> bytes | m.WireFault:
    """Return the body inside a frame without its end byte, CRC checked and taken off."""
    body = cobs_unpack(packed)
    if body is None:
        return m.WireFault(m.FaultKind.BAD_COBS, f"{len(packed)} bytes")
    if len(body) < _HOST_HEAD.size + _CRC_BYTES:
        return m.WireFault(m.FaultKind.TOO_SHORT, f"{len(body)} bytes")
    if crc_hqx(body, constants.CRC_START):  # over body and CRC the sum is 0
        return m.WireFault(m.FaultKind.BAD_CRC, f"{len(body)} bytes")
    return body[:-_CRC_BYTES]


def _decode(body: bytes, head: struct.Struct, *, from_board: bool) -> Any:
    """Return the message that a body holds, the board's or the host's, or what is wrong with it."""
    if body[0] == _KEYFRAME_BYTE and from_board:
        return _decode_keyframe(body)
    kind = _kind_of(body, from_board=from_board)
    if isinstance(kind, m.WireFault):
        return kind
    values = _decode_fields(kind, body, head.size)
    if isinstance(values, m.WireFault):
        return values
    _, *numbers = head.unpack_from(body)  # seq, and of the board's messages its time
    return CLASSES[kind](**dict(zip(("seq", "board_ms"), numbers, strict=False)), **values)


def _kind_of(body: bytes, *, from_board: bool) -> MessageType | m.WireFault:
    version, number = body[0] >> 4, body[0] & 15
    if version != constants.VERSION:
        return m.WireFault(m.FaultKind.OTHER_VERSION, f"version {version}, this side speaks {constants.VERSION}")
    if number not in CLASSES:
        return m.WireFault(m.FaultKind.UNKNOWN_TYPE, f"message number {number}")
    kind = MessageType(number)
    if (kind in _BOARD_TYPES) != from_board:
        return m.WireFault(m.FaultKind.WRONG_SENDER, f"{kind.name} comes from the other side")
    return kind


def _decode_keyframe(body: bytes) -> m.Frame | m.WireFault:
    # the one message that comes a hundred times a second has its own short way
    size = _KEYFRAME_HEAD.size
    if len(body) < size or len(body) != size + (body[size - 1] + 3) // 4:
        return m.WireFault(m.FaultKind.BAD_LENGTH, f"KEYFRAME of {len(body)} bytes")
    _, seq, board_ms, flags, count = _KEYFRAME_HEAD.unpack_from(body)
    squares = unpack_readings(count, body[size:])
    if squares is None:
        return m.WireFault(m.FaultKind.BAD_VALUE, "KEYFRAME: an unused bit is set")
    return m.Frame(seq, board_ms, squares, _FLAGS[flags])


def _decode_fields(kind: MessageType, body: bytes, offset: int) -> dict[str, Any] | m.WireFault:
    layout, fields = _FIXED[kind]
    wrong_length = m.WireFault(m.FaultKind.BAD_LENGTH, f"{kind.name} of {len(body)} bytes")
    if len(body) < offset + layout.size:
        return wrong_length
    values: dict[str, Any] = {}
    numbers = struct.unpack_from(layout.format.replace("?", "B"), body, offset)
    for (name, word), number in zip(fields, numbers, strict=True):
        try:
            if word == "bool" and number > 1:
                raise ValueError
            values[name] = _KINDS[word](number)
        except ValueError:
            return m.WireFault(m.FaultKind.BAD_VALUE, f"{kind.name}.{name} is {number}")
    offset += layout.size
    for name, field_type, _, maximum in _COUNTED[kind]:
        count = body[offset] if offset < len(body) else maximum + 1
        length = 2 * count if field_type == "u16-list" else count
        data = body[offset + 1 : offset + 1 + length]
        if count > maximum or len(data) != length:
            return wrong_length
        if field_type == "text" and not (data.isascii() and data.decode("ascii").isprintable()):
            return m.WireFault(m.FaultKind.BAD_VALUE, f"{kind.name}.{name} is not printable")
        values[name] = data.decode("ascii") if field_type == "text" else struct.unpack(f"<{count}H", data)
        offset += 1 + length
    return values if offset == len(body) else wrong_length


assert set(CLASSES) == set(MessageType)
assert all(
    {f.name for f in dataclasses.fields(CLASSES[kind])} - {"seq", "board_ms"} == {name for name, *_ in FIELDS[kind]}
    for kind in MessageType
)


# ---------------------------------------------------------------- streams


class BoardEncoder:
    """Encodes the board's messages into bytes. Readings are packed only when they changed: a board at rest shows one
    tuple again.
    """

    __slots__ = ("_packed", "_shown")

    def __init__(self) -> None:
        self._shown: tuple[m.Reading, ...] = ()
        self._packed = b""

    def encode(self, message: m.BoardMessage) -> bytes:
        """Return the whole frame of a message, end byte included."""
        if not isinstance(message, m.Frame):
            return encode(message)
        if message.squares is not self._shown:
            self._shown, self._packed = message.squares, pack_readings(message.squares)
        return keyframe(message.seq, message.board_ms, message.flags, len(message.squares), self._packed)


class FrameSplitter:
    """Cuts a stream at its end bytes. What is longer than any frame is dropped up to the next end byte and told once."""

    __slots__ = ("_dropping", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | m.WireFault]:
        """Return the frames that `data` completes, without end bytes; empty ones are left out."""
        *complete, rest = (self._rest + data).split(b"\0")
        found: list[bytes | m.WireFault] = []
        for piece in complete:
            if self._dropping:
                self._dropping = False
            elif len(piece) > MAX_PACKED:
                found.append(_too_long())
            elif piece:
                found.append(piece)
        if len(rest) > MAX_PACKED and not self._dropping:
            found.append(_too_long())
            self._dropping = True
        self._rest = b"" if self._dropping else rest
        return found

    def cut(self) -> None:
        """Forget the frame that has begun: what follows comes from another opening of the line."""
        self._rest = b""
        self._dropping = False


def _too_long() -> m.WireFault:
    return m.WireFault(m.FaultKind.TOO_LONG, f"more than {MAX_PACKED} bytes without an end byte")


class Decoder:
    """Decodes the board's bytes. Keeps the rest of the last frame, and the last seq, time and boot count to notice gaps
    and restarts.

    After a gap the next KEYFRAME is whole again, so every message is passed on and nothing is invented. A fault that a message
    shows (gap, restart) comes before that message. The first frames after opening a port may be broken; that is told like any other
    fault.
    """

    __slots__ = ("_boot_count", "_last", "_last_body", "_splitter")

    def __init__(self) -> None:
        self._splitter = FrameSplitter()
        self._last: m.BoardMessage | None = None
        self._last_body = b""
        self._boot_count: int | None = None

    def feed(self, data: bytes) -> list[m.BoardMessage | m.WireFault]:
        """Return what `data` completes, in order. Any cutting of the same bytes gives the same answer in all."""
        out: list[m.BoardMessage | m.WireFault] = []
        for piece in self._splitter.feed(data):
            body = piece if isinstance(piece, m.WireFault) else unseal(piece)
            if isinstance(body, m.WireFault):
                out.append(body)
                continue
            alike = self._next_alike(body)
            if alike is not None:
                out.append(alike)
                self._last, self._last_body = alike, body
                continue
            message: m.BoardMessage | m.WireFault = _decode(body, BOARD_HEAD, from_board=True)
            if isinstance(message, m.WireFault):
                out.append(message)
                continue
            fault = self._judge(message, body)
            if fault is not None:
                out.append(fault)
            if fault is None or fault.kind is not m.FaultKind.REPEATED:
                out.append(message)
                self._last, self._last_body = message, body
        return out

    def cut(self) -> None:
        """Forget the begun frame after the line was out. The last seq, time and boot count are kept, so that losses are
        reported.
        """
        self._splitter.cut()

    def _next_alike(self, body: bytes) -> m.Frame | None:
        """Return the frame that comes right after the last one and shows the same, as nearly all do. None: `body` has to be looked into."""
        last, before = self._last, self._last_body
        if len(body) != len(before) or body[0] != before[0] or not body.endswith(before[BOARD_HEAD.size :]):
            return None
        _, seq, board_ms = BOARD_HEAD.unpack_from(body)
        if not isinstance(last, m.Frame) or seq != (last.seq + 1) % 256:
            return None
        if (board_ms - last.board_ms) % m.RANGE_MS > _HALF_RANGE_MS:
            return None
        return m.Frame(seq, board_ms, last.squares, last.flags)

    def _judge(self, message: m.BoardMessage, body: bytes) -> m.WireFault | None:
        last = self._last
        known, self._boot_count = (
            self._boot_count,
            message.boot_count if isinstance(message, m.Hello) else self._boot_count,
        )
        if known is not None and self._boot_count != known:
            return m.WireFault(m.FaultKind.REBOOTED, f"boot count {known}, then {self._boot_count}")
        if last is None:
            return None
        if (message.board_ms - last.board_ms) % m.RANGE_MS > _HALF_RANGE_MS:
            if not isinstance(message, m.Hello):
                self._boot_count = None  # this start's HELLO was lost; the next one must not be taken for another start
            return m.WireFault(m.FaultKind.REBOOTED, f"board time {last.board_ms} ms, then {message.board_ms} ms")
        if body == self._last_body:
            return m.WireFault(m.FaultKind.REPEATED, f"seq {message.seq} came twice")
        missing = (message.seq - last.seq - 1) % 256
        return m.WireFault(m.FaultKind.GAP, f"seq {last.seq}, then {message.seq}", missing) if missing else None


class CommandDecoder:
    """Decodes the host's bytes, for the simulator: commands and faults."""

    __slots__ = ("_splitter",)

    def __init__(self) -> None:
        self._splitter = FrameSplitter()

    def feed(self, data: bytes) -> list[m.Command | m.WireFault]:
        """Return what `data` completes, in order."""
        bodies = [piece if isinstance(piece, m.WireFault) else unseal(piece) for piece in self._splitter.feed(data)]
        return [
            body if isinstance(body, m.WireFault) else _decode(body, _HOST_HEAD, from_board=False) for body in bodies
        ]
