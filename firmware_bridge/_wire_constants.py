"""The numbers of the wire. Generated from hardware/wire.toml by `python -m hardware.generate`; never edit it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, IntFlag

# fmt: off
# ruff: noqa: E501

VERSION = 1
BAUD = 115200
MAX_BODY = 80
MAX_TEXT = 24
CRC_START = 0xFFFF
CRC_CHECK = 0x29B1
ACTIVE_MS = 400
IDLE_MS = 500


class Reading(IntEnum):
    """What one square reads."""

    EMPTY = 0  # no magnet: below the off threshold
    RED = 1  # a magnet of red's pole; on an occupancy board any magnet
    BLUE = 2  # a magnet of the other pole; never sent by an occupancy board
    UNSURE = 3  # between off and on, in either direction: a magnet is coming, leaving or badly placed


class SensingCode(IntEnum):
    """What the board can tell of a magnet."""

    COLOUR = 0  # linear sensors: presence and pole
    OCCUPANCY = 1  # digital sensors: presence only


class ResetCause(IntEnum):
    """Why the firmware started."""

    UNKNOWN = 0  # the chip does not say
    POWER_ON = 1  # power was switched on
    EXTERNAL = 2  # the reset line: a button, or a port that was opened
    BROWN_OUT = 3  # the supply fell too low: a cable or a hub is too weak
    WATCHDOG = 4  # the firmware hung and was restarted


class LogLevel(IntEnum):
    """How much a LOG matters."""

    DEBUG = 0  # for whoever writes firmware
    INFO = 1  # worth a line
    WARNING = 2  # the board works on, but look at it
    ERROR = 3  # readings cannot be trusted


class AckResult(IntEnum):
    """What became of a command."""

    DONE = 0  # carried out
    UNKNOWN_COMMAND = 1  # this firmware has no such command; nothing changed
    BAD_ARGUMENT = 2  # a value out of range; nothing changed
    BUSY = 3  # another command is still running; nothing changed
    FAILED = 4  # tried and failed; `detail` says at how many squares


class FrameFlag(IntFlag):
    """Flags to report in the next KEYFRAME."""

    QUEUE_FULL = 1 << 0  # messages were dropped before this one because the host or the cable was too slow
    SCAN_LATE = 1 << 1  # at least one scan was left out since the last KEYFRAME
    UNCALIBRATED = 1 << 2  # zero and gain are defaults: the calibration store was empty or damaged


class MessageType(IntEnum):
    """The low four bits of a body's first byte."""

    HELLO = 1
    KEYFRAME = 2
    RAW = 3
    LOG = 4
    ACK = 5
    ASK_HELLO = 8
    ASK_KEYFRAME = 9
    THRESHOLDS = 10
    ZERO = 11
    GAIN = 12
    SAVE = 13
    SELF_TEST = 14


FIELDS: Mapping[MessageType, tuple[tuple[str, str, str, int], ...]] = {
    MessageType.HELLO: (("protocol", "B", "int", 255), ("sensing", "B", "SensingCode", 255), ("reset", "B", "ResetCause", 255), ("calibrated", "?", "bool", 255), ("squares", "B", "int", 255), ("channels", "B", "int", 255), ("scan_hz", "H", "int", 255), ("boot_count", "I", "int", 255), ("fingerprint", "H", "int", 255), ("board_id", "text", "int", 24), ("firmware", "text", "int", 24)),
    MessageType.KEYFRAME: (("flags", "B", "FrameFlag", 255), ("squares", "readings", "int", 255)),
    MessageType.RAW: (("first", "B", "int", 255), ("values", "u16-list", "int", 32)),
    MessageType.LOG: (("level", "B", "LogLevel", 255), ("text", "text", "int", 64)),
    MessageType.ACK: (("command", "B", "int", 255), ("command_seq", "B", "int", 255), ("result", "B", "AckResult", 255), ("detail", "H", "int", 255)),
    MessageType.ASK_HELLO: (),
    MessageType.ASK_KEYFRAME: (("with_raw", "?", "bool", 255),),
    MessageType.THRESHOLDS: (("on_permille", "H", "int", 255), ("off_permille", "H", "int", 255)),
    MessageType.ZERO: (("square", "B", "int", 255), ("counts", "H", "int", 255)),
    MessageType.GAIN: (("square", "B", "int", 255), ("pole", "B", "Reading", 255), ("counts", "h", "int", 255)),
    MessageType.SAVE: (),
    MessageType.SELF_TEST: (),
}
"""The fields of each message, in order: name, type, kind (int, bool, or the name of its words), and the most that may be counted.

Fields of fixed length come first, their type is a `struct` letter; the others begin with a count byte and have no kind of their own.
"""
