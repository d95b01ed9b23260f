"""What happens to the board itself, as values: to be given to `SimBoard.trouble`. Times are board time since the first power-on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from firmware_bridge.messages import ResetCause
from simulator.motions import Befall
from simulator.sensors import SensorFault

FOR_EVER_MS = 1 << 60
_DOWN_MS, _JAM_MS = 800, 1000


@dataclass(frozen=True, slots=True)
class Reboot:
    """The controller restarts: silence for `down_ms`, then HELLO, its time from 0 again, one more in its boot count."""

    at_ms: int
    down_ms: int = _DOWN_MS
    cause: ResetCause = ResetCause.EXTERNAL
    forgets: bool = False
    """Its store is damaged: it has to work with defaults from now on."""


@dataclass(frozen=True, slots=True)
class Cut:
    """No message arrives for a while; the controller notices nothing."""

    at_ms: int
    for_ms: int


@dataclass(frozen=True, slots=True)
class Jam:
    """The line takes nothing for a while: the controller drops whole messages and says so with the next KEYFRAME."""

    at_ms: int
    for_ms: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A sensor fails, and is well again after a while."""

    at_ms: int
    square: str
    fault: SensorFault
    for_ms: int = FOR_EVER_MS


@dataclass(frozen=True, slots=True)
class Mended:
    """A sensor is well again."""

    at_ms: int
    square: str


Trouble: TypeAlias = Reboot | Cut | Jam | Broken | Mended


def trouble_of(befall: Befall, at_ms: int) -> Trouble:
    """Return the trouble that a wish asks for, at a time."""
    match befall.kind:
        case "reboot" | "brown-out" | "calibration-lost":
            cause = ResetCause.BROWN_OUT if befall.kind == "brown-out" else ResetCause.EXTERNAL
            forgets = befall.kind == "calibration-lost"
            return Reboot(at_ms, befall.for_ms or _DOWN_MS, cause, forgets)
        case "jam":
            return Jam(at_ms, befall.for_ms or _JAM_MS)
        case "cut":
            return Cut(at_ms, befall.for_ms or FOR_EVER_MS)
        case "mended":
            return Mended(at_ms, befall.square)
    return Broken(at_ms, befall.square, SensorFault(befall.kind), befall.for_ms or FOR_EVER_MS)
