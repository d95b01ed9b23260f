"""Everything that crosses the wire, as frozen values, and what can go wrong with it (`WireFault`).

Field names and meanings are those of docs/reference/wire.md. `seq` counts the sender's messages modulo 256; `board_ms` is the
board's own time since its start, modulo 2^32. A command's seq is given to it by the board source that sends it.
`LinkLost` and `LinkBack` come from a board source, never over the wire.

What may be raised in this package:

BridgeError
    WireValueError         a message holds a value that the wire cannot carry (the caller's mistake)
    BoardUnreachableError  a board cannot be opened, or is gone; the text is one line for a user
        BoardUrlError      because its URL makes no sense, or names a file that cannot be used
    RecordingError         a recorded stream cannot be read; the text names file and line
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeAlias

from firmware_bridge._wire_constants import (
    AckResult,
    FrameFlag,
    LogLevel,
    MessageType,
    Reading,
    ResetCause,
    SensingCode,
)

__all__ = ["AckResult", "FrameFlag", "LogLevel", "MessageType", "Reading", "ResetCause", "SensingCode"]  # and all below


# ---------------------------------------------------------------- errors
# What a broken line brings is no exception but a `WireFault`.


class BridgeError(Exception):
    """Any error of this package."""


class WireValueError(BridgeError, ValueError):
    """A message holds a value that the wire cannot carry."""


class BoardUnreachableError(BridgeError):
    """The board cannot be opened, or is gone."""


class BoardUrlError(BoardUnreachableError):
    """A board's URL makes no sense, or names a file that cannot be used."""


class RecordingError(BridgeError):
    """A recorded stream cannot be read."""


# ---------------------------------------------------------------- messages

EVERY_SQUARE = 255
"""In `SetZero` and `SetGain`: all squares."""

MEASURE_ZERO = 65535
"""In `SetZero`: measure it now."""

MEASURE_GAIN = 0
"""In `SetGain`: measure it now."""

NO_FLAGS = FrameFlag(0)

RANGE_MS = 1 << 32
"""A board's own time begins again at 0 after this."""


@dataclass(frozen=True, slots=True)
class _FromBoard:
    seq: int
    board_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _FromHost:
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Hello(_FromBoard):
    """Who is there. `scan_hz` in scans a second; `boot_count` starts so far, kept over power cuts."""

    TYPE: ClassVar[MessageType] = MessageType.HELLO
    protocol: int
    sensing: SensingCode
    reset: ResetCause
    calibrated: bool
    squares: int
    channels: int
    scan_hz: int
    boot_count: int
    fingerprint: int
    board_id: str
    firmware: str


@dataclass(frozen=True, slots=True)
class Frame(_FromBoard):
    """Every square at one instant (KEYFRAME on the wire); `squares` in the board file's order."""

    TYPE: ClassVar[MessageType] = MessageType.KEYFRAME
    squares: tuple[Reading, ...]
    flags: FrameFlag = NO_FLAGS


@dataclass(frozen=True, slots=True)
class Raw(_FromBoard):
    """Converter counts of the squares from number `first` on, before zero and gain."""

    TYPE: ClassVar[MessageType] = MessageType.RAW
    first: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Log(_FromBoard):
    """A line for people; printable ASCII."""

    TYPE: ClassVar[MessageType] = MessageType.LOG
    level: LogLevel
    text: str


@dataclass(frozen=True, slots=True)
class Ack(_FromBoard):
    """The one answer to the command with that number and seq."""

    TYPE: ClassVar[MessageType] = MessageType.ACK
    command: int
    command_seq: int
    result: AckResult
    detail: int


@dataclass(frozen=True, slots=True)
class AskHello(_FromHost):
    """Asks for a `Hello`."""

    TYPE: ClassVar[MessageType] = MessageType.ASK_HELLO


@dataclass(frozen=True, slots=True)
class AskKeyframe(_FromHost):
    """Asks for a `Frame` now, and for the `Raw` of all squares too if `with_raw`."""

    TYPE: ClassVar[MessageType] = MessageType.ASK_KEYFRAME
    with_raw: bool = False


@dataclass(frozen=True, slots=True)
class SetThresholds(_FromHost):
    """Sets the hysteresis of all squares in thousandths of the own centred field; 0 < off < on < 1000."""

    TYPE: ClassVar[MessageType] = MessageType.THRESHOLDS
    on_permille: int
    off_permille: int


@dataclass(frozen=True, slots=True)
class SetZero(_FromHost):
    """Sets what `square` (or `EVERY_SQUARE`) reads without a magnet, in counts, or has it measured (`MEASURE_ZERO`)."""

    TYPE: ClassVar[MessageType] = MessageType.ZERO
    square: int
    counts: int


@dataclass(frozen=True, slots=True)
class SetGain(_FromHost):
    """Sets what the magnet of `pole` (RED or BLUE) adds to `square` (or `EVERY_SQUARE`), or has it measured (`MEASURE_GAIN`)."""

    TYPE: ClassVar[MessageType] = MessageType.GAIN
    square: int
    pole: Reading
    counts: int


@dataclass(frozen=True, slots=True)
class Save(_FromHost):
    """Keeps thresholds, zeros and gains over a power cut."""

    TYPE: ClassVar[MessageType] = MessageType.SAVE


@dataclass(frozen=True, slots=True)
class SelfTest(_FromHost):
    """Checks every channel; the `Ack` counts the bad ones."""

    TYPE: ClassVar[MessageType] = MessageType.SELF_TEST


BoardMessage: TypeAlias = Hello | Frame | Raw | Log | Ack
"""What the board sends."""

Command: TypeAlias = AskHello | AskKeyframe | SetThresholds | SetZero | SetGain | Save | SelfTest
"""What the host sends."""


class FaultKind(Enum):
    """What can be wrong with a stream. The first nine drop a frame; the last three are told before the message that showed them."""

    TOO_LONG = "too-long"  # more bytes before an end byte than a frame can have
    BAD_COBS = "bad-cobs"  # the packing contradicts itself
    TOO_SHORT = "too-short"  # not even a head and a CRC
    BAD_CRC = "bad-crc"
    OTHER_VERSION = "other-version"
    UNKNOWN_TYPE = "unknown-type"
    WRONG_SENDER = "wrong-sender"  # the other side's message: the line echoes, or two hosts share it
    BAD_LENGTH = "bad-length"  # longer or shorter than the fields say
    BAD_VALUE = "bad-value"  # a field out of range
    GAP = "gap"  # messages are missing: `count` of them, modulo 256
    REPEATED = "repeated"  # the last message came again and was dropped
    REBOOTED = "rebooted"  # the board was restarted


@dataclass(frozen=True, slots=True)
class WireFault:
    """One thing that was wrong. `detail` is for logs; `count` says how many messages are missing in a gap."""

    kind: FaultKind
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The board's cable is out, or its port failed. Nothing more comes until `LinkBack`; `reason` is for logs and makers."""

    reason: str


@dataclass(frozen=True, slots=True)
class LinkBack:
    """The port is open again and the board was asked for HELLO: only that tells which board it is, and whether it was restarted."""


News: TypeAlias = BoardMessage | WireFault | LinkLost | LinkBack
"""What a board source gives."""
