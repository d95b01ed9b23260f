"""What happens to the board itself, as values: to be given to `SimBoard.trouble`. Times are board time since the first power-on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from simulator.motions import Befall
from simulator.sensors import SensorFault

FOR_EVER_MS = 1 << 60


@dataclass(frozen=True, slots=True)
class Reboot:
    """The controller restarts: silence for `down_ms`, then HELLO, its time from 0 again, one more in its boot count."""

    at_ms: int
    down_ms: int = 800


@dataclass(frozen=True, slots=True)
class Cut:
    """No message arrives for a while; the controller notices nothing."""

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


Trouble: TypeAlias = Reboot | Cut | Broken | Mended


def trouble_of(befall: Befall, at_ms: int) -> Trouble:
    """Give the trouble that a wish asks for, at a time."""
    match befall.kind:
        case "reboot":
            return Reboot(at_ms, befall.for_ms) if befall.for_ms else Reboot(at_ms)
        case "cut":
            return Cut(at_ms, befall.for_ms or FOR_EVER_MS)
        case "mended":
            return Mended(at_ms, befall.square)
    return Broken(at_ms, befall.square, SensorFault(befall.kind), befall.for_ms or FOR_EVER_MS)
