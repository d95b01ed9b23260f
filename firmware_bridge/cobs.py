"""Consistent Overhead Byte Stuffing (Cheshire and Baker 1999) for frames of at most 253 bytes, which are one block.

Own code because it is these few lines, they must agree with the firmware's, and the package `cobs` has no wheels: it would ask a
Raspberry Pi for a compiler.
"""

from __future__ import annotations

MAX_BLOCK = 253


def pack(data: bytes) -> bytes:
    """Give `data` without zero bytes, one byte longer; the end byte is not included. ValueError beyond 253 bytes."""
    if len(data) > MAX_BLOCK:
        raise ValueError(f"{len(data)} bytes are more than one COBS block of {MAX_BLOCK}")
    return b"".join([bytes((len(run) + 1,)) + run for run in data.split(b"\0")])


def unpack(packed: bytes) -> bytes | None:
    """Give what was packed, or None if a length byte points beyond the end or nothing is there. `packed` holds no zero byte."""
    data = bytearray(packed)
    at, end = 0, len(data)
    while at < end:  # each length byte stands where a zero was, and says where the next one stands
        step = data[at]
        data[at] = 0
        at += step
    return bytes(data[1:]) if data and at == end else None
