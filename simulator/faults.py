"""What goes wrong with board, sensors and line: injected as values (`SimBoard.trouble`), or by chance (`GlitchSource`, `Line`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from firmware_bridge.messages import Reading
from simulator.firmware import Firmware, SensorFault
from simulator.profiles import Glitches, LinkNoise
from simulator.script import MotionError
from toml_tables import keyed

FOR_EVER_MS = 1 << 60
DOWN_MS, JAM_MS = 800, 1000
"""How long a restart and a jam take if nobody says."""

LONGEST_MS = 3_600_000
"""A wish may not last, or wait, for longer."""

_SENSORS = (*(fault.value for fault in SensorFault), "mended")
TROUBLES = (*_SENSORS, "cut", "reboot", "brown-out", "calibration-lost", "jam")
"""What can befall a board. All but the last five are a square's."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault of the board itself: a word of `TROUBLES`, the square if it is a sensor's, and for how many ms (0: the
    usual time of a reboot or jam, else until it is mended).

    A sensor fails, or is `mended`. A `cut` line passes no message; the controller notices nothing. A `jam`med one takes nothing: the
    controller drops whole messages and says so with the next KEYFRAME. With `reboot` the controller restarts: silence, then HELLO, its
    time from 0 again, one more in its boot count; `brown-out` is one for want of power, and with `calibration-lost` its store is damaged
    as well, so that it has to work with defaults from then on.
    """

    kind: str = keyed(choices=TROUBLES)
    square: str = keyed(default="")
    for_ms: int = keyed(default=0, low=0, high=LONGEST_MS)

    def __post_init__(self) -> None:
        if (self.kind in _SENSORS) != bool(self.square):
            raise MotionError(f"trouble: {self.kind} {'needs a' if self.kind in _SENSORS else 'has no'} square")


# ---------------------------------------------------------------- by chance
# Only the next event is ever drawn, not every chance.

NEVER = 1 << 62


def next_gap(chance: float, random: Random) -> int:
    """Return how many tries fail before the next one that does not: geometric; `NEVER` for a chance of 0."""
    if chance <= 0.0:
        return NEVER
    return 0 if chance >= 1.0 else int(math.log(1.0 - random.random()) / math.log1p(-chance))


class GlitchSource:
    """Makes squares show something wrong: for one scan, or for a burst of some tens of milliseconds.

    Every square has the same chance at every scan, whatever is on it; the square shows any of the other readings with equal chances.
    """

    def __init__(self, glitches: Glitches, squares: int, hz: int, random: Random, *, colour: bool) -> None:
        self._glitches = glitches
        self._squares = squares
        self._hz = hz
        self._random = random
        self._readings = tuple(Reading) if colour else (Reading.EMPTY, Reading.RED)
        self._ends: dict[int, int] = {}
        self._flip = next_gap(glitches.flips, random)  # counts squares, scan after scan
        self._burst = self._next_burst(0)
        self.next_scan = min(self._flip // squares, self._burst)
        """The next scan at which something begins or ends."""

    def step(self, scan: int, firmware: Firmware) -> None:
        """Let end and begin what does so at this scan, and what was due since the last one."""
        for square in [square for square, end in self._ends.items() if end <= scan]:
            del self._ends[square]
            firmware.glitch(square, None)
        while self._flip // self._squares <= scan:
            at, square = divmod(self._flip, self._squares)
            self._begin(firmware, square, at, 1, scan)
            self._flip += 1 + next_gap(self._glitches.flips, self._random)
        while self._burst <= scan:
            length = max(1, round(self._random.uniform(*self._glitches.burst_ms) * self._hz / 1000))
            self._begin(firmware, self._random.randrange(self._squares), self._burst, length, scan)
            self._burst = self._next_burst(self._burst)
        self.next_scan = min(self._flip // self._squares, self._burst, *self._ends.values(), NEVER)

    def _begin(self, firmware: Firmware, square: int, at: int, length: int, scan: int) -> None:
        true = firmware.reading(square)
        shown = self._random.choice([reading for reading in self._readings if reading is not true])
        if at + length > scan:  # else it came and went while the controller was down
            self._ends[square] = max(at + length, self._ends.get(square, 0))
            firmware.glitch(square, shown)

    def _next_burst(self, scan: int) -> int:
        rate = self._glitches.bursts_per_s
        return scan + max(1, round(self._random.expovariate(rate / self._hz))) if rate else NEVER


class Line:
    """The cable: loses and repeats messages by chance, and passes nothing while it is cut."""

    def __init__(self, noise: LinkNoise, random: Random) -> None:
        self._noise = noise
        self._random = random
        self._until_lost = next_gap(noise.lost, random)
        self._until_repeated = next_gap(noise.repeated, random)
        self.cut_until_ms = 0
        self._hole_ms = self._next_hole(0)

    def copies(self, now_ms: int) -> int:
        """Return how often the next message arrives: 0, 1 or 2 times."""
        while now_ms >= self._hole_ms:
            ends_ms = self._hole_ms + self._random.randint(*self._noise.hole_ms)
            self.cut_until_ms = max(self.cut_until_ms, ends_ms)
            self._hole_ms = self._next_hole(ends_ms)
        if now_ms < self.cut_until_ms:
            return 0
        self._until_lost -= 1
        self._until_repeated -= 1
        if self._until_lost < 0:
            self._until_lost = next_gap(self._noise.lost, self._random)
            return 0
        if self._until_repeated < 0:
            self._until_repeated = next_gap(self._noise.repeated, self._random)
            return 2
        return 1

    def _next_hole(self, ms: int) -> int:
        every_ms = 1000 * self._noise.hole_every_s
        return ms + round(self._random.uniform(0.5 * every_ms, 1.5 * every_ms)) if every_ms else NEVER
