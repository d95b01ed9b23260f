"""What every firmware must do, as tables: the C core on linear and on digital sensors, and a Raspberry Pi that scans its own pins.

A digital sensor says *magnet* or *none*: there is no amplitude to set a threshold, a zero or a gain for, no pole, and nothing that a
neighbour's magnet could be taken out of. So each row has two outcomes, for linear sensors and for digital ones; where a row can mean
nothing to digital sensors a `Moot` says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS
from firmware_bridge.messages import (
    AckResult,
    AskHello,
    AskKeyframe,
    Command,
    Reading,
    Save,
    SelfTest,
    SetGain,
    SetThresholds,
    SetZero,
)


@dataclass(frozen=True, slots=True)
class Moot:
    """Why a row means nothing to digital sensors."""

    why: str


OWN_LIMITS = Moot(
    "between none and a whole magnet the sensor itself decides: closing and opening are fixed in the part"
)
NO_AMPLITUDE = Moot(
    "there is no amplitude to take a neighbour's share out of: that is why the guide advises linear sensors"
)
NO_POLE = Moot("a blue piece is a magnet like a red one, so the frame of two armies is another")
NOTHING_KEPT = Moot("there is no calibration: nothing is kept, nothing can be lost, and HELLO always says calibrated")


# ------------------------------------------------------------------------------------------------ what a square reads

FIELDS: list[tuple[float, Reading, Reading | Moot]] = [
    # fraction of a centred red magnet's field; what linear sensors read, what digital ones do
    (0.0, Reading.EMPTY, Reading.EMPTY),
    (0.13, Reading.EMPTY, OWN_LIMITS),
    (-0.13, Reading.EMPTY, OWN_LIMITS),
    (0.14, Reading.UNSURE, OWN_LIMITS),
    (-0.19, Reading.UNSURE, OWN_LIMITS),
    (0.21, Reading.RED, OWN_LIMITS),
    (-0.21, Reading.BLUE, OWN_LIMITS),
    (1.0, Reading.RED, Reading.RED),
    (-1.0, Reading.BLUE, Reading.RED),  # presence only: RED means occupied
]

HOLE: list[tuple[float, Reading, Reading | Moot]] = [
    # an empty-looking square amid a full red army: its own field without what the neighbours do to it
    (0.205, Reading.RED, NO_AMPLITUDE),
    (0.0, Reading.EMPTY, NO_AMPLITUDE),
]

FULL_START: tuple[str, Moot] = ("the filled start position of the travel board", NO_POLE)
"""The vector of wire.toml that must come out to the byte."""


# ------------------------------------------------------------------------------------------------ when it speaks


def keyframe_times(step_ms: int) -> list[int]:
    """Return when KEYFRAMEs are due with scans `step_ms` apart and one change at 740 ms: for all sensors alike."""
    return [0, IDLE_MS, *range(740, 740 + ACTIVE_MS + 1, step_ms), 1140 + IDLE_MS, 1140 + 2 * IDLE_MS]


# ------------------------------------------------------------------------------------------------ commands

Outcome = tuple[AckResult, int]
DONE: Outcome = (AckResult.DONE, 0)
BAD: Outcome = (AckResult.BAD_ARGUMENT, 0)
UNKNOWN: Outcome = (AckResult.UNKNOWN_COMMAND, 0)


def commands(count: int) -> list[tuple[Command, Outcome, Outcome]]:
    """Return commands to a calibrated board of `count` squares with one magnet, and their outcome for linear and for digital sensors."""
    last = count - 1
    return [
        (AskHello(), DONE, DONE),
        (AskKeyframe(), DONE, DONE),
        (AskKeyframe(with_raw=True), DONE, DONE),
        (SelfTest(), DONE, DONE),
        (Save(), DONE, DONE),  # with digital sensors there is nothing to keep, and that is done
        (SetThresholds(220, 150), DONE, UNKNOWN),
        (SetThresholds(150, 220), BAD, UNKNOWN),
        (SetThresholds(1000, 100), BAD, UNKNOWN),
        (SetThresholds(200, 0), BAD, UNKNOWN),
        (SetZero(255, 65535), DONE, UNKNOWN),
        (SetZero(last, 500), DONE, UNKNOWN),
        (SetZero(count, 500), BAD, UNKNOWN),
        (SetZero(last, 1024), BAD, UNKNOWN),
        (SetGain(count, Reading.RED, 300), BAD, UNKNOWN),
        (SetGain(0, Reading.UNSURE, 300), BAD, UNKNOWN),
        (SetGain(0, Reading.RED, -32768), BAD, UNKNOWN),
        (SetGain(0, Reading.BLUE, -300), DONE, UNKNOWN),
        (SetGain(255, Reading.RED, 0), (AckResult.FAILED, last), UNKNOWN),  # a magnet stands on one square only
        (SetGain(0, Reading.RED, 3), (AckResult.FAILED, 1), UNKNOWN),
    ]


# ------------------------------------------------------------------------------------------------ what makes no sense

NONSENSE: list[tuple[str, bytes]] = [
    # bodies with a right CRC that no firmware may answer, whatever its sensors
    ("version 2", bytes((2 << 4 | 9, 0, 0))),
    ("version 0", bytes((0 << 4 | 9, 0, 0))),
    ("HELLO, which is the board's own", bytes((1 << 4 | 1, 0))),
    ("no message at all", bytes((1 << 4 | 15, 0))),
    ("a byte too many", bytes((1 << 4 | 9, 0, 0, 0))),
    ("a byte too few", bytes((1 << 4 | 9, 0))),
    ("neither true nor false", bytes((1 << 4 | 9, 0, 2))),
    ("a pole that there is not", bytes((1 << 4 | 12, 0, 0, 4, 1, 0))),
    ("nothing", b""),
]
