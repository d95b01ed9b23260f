"""The converter and the calibration of the emulated firmware: field strengths in, counts and readings out."""

from __future__ import annotations

import math
from enum import Enum
from random import Random

from firmware_bridge.messages import MEASURE_GAIN, MEASURE_ZERO, Reading
from hardware import BoardFile, Sensing
from simulator.profiles import PERFECT, SensorNoise

HIGHEST_COUNT = 1023  # ten bits, as the ATmega's
TRUE_ZERO = 512
TRUE_GAIN = 310  # counts that red's centred magnet adds
FULL_FIELD = 16_000  # a centred field in whole numbers, as in the real firmware: both then judge alike, to the last bit
LEAST_GAIN = 20  # with less the thresholds would lie inside the converter's own noise
ZERO_SPREAD_COUNTS = 9.7  # standard deviation of the zeros of 64 real SS49E: 1.9 % of half the supply
GAIN_SPREAD = 0.1  # of real sensors, before anybody calibrates
WEAK = 0.3  # of the field is left behind thin steel, or of a ferrite magnet
DRIFT_PER_S = 0.02  # how fast a sick sensor's zero runs away, in fractions of the centred field
FARTHEST_DRIFT = 0.4
_RUN_AWAY_MS = 500  # how often a zero that runs away is looked at
_WANDER_MS = 10_000  # and those that wander
_SIGMAS = 4.0  # farther from a threshold than this many standard deviations, noise is not drawn: it would decide 1 in 30,000 times
_SLOWEST_S, _FASTEST_S = 3600.0, 1200.0  # period of a zero's daily wandering, here shortened


class SensorFault(Enum):
    """What can be wrong with one sensor."""

    DEAD = "dead"  # it shows its zero, whatever is there
    STUCK = "stuck"  # it shows red's magnet, whatever is there
    OPEN = "open"  # a broken wire: the converter reads 0
    WEAK = "weak"  # it sees little
    DRIFTING = "drifting"  # its zero runs away


class Sensors:
    """One sensor a square. A field is a fraction of the centred field, red's pole positive.

    Linear sensors have thresholds and are UNSURE between them; digital ones (an occupancy board) keep what they had. With `calibrated`
    the firmware knows each square's zero and gain as well as the profile allows, otherwise it takes what the datasheet says.
    """

    def __init__(
        self, board: BoardFile, noise: SensorNoise = PERFECT, random: Random | None = None, *, calibrated: bool = True
    ) -> None:
        count = len(board.squares)
        self.colour = board.sensing is Sensing.COLOUR
        self.calibrated = calibrated
        self.fields = [0.0] * count
        self.zeros = [TRUE_ZERO] * count
        self.gains = [TRUE_GAIN] * count
        self.on_permille, self.off_permille = round(1000 * board.thresholds.on), round(1000 * board.thresholds.off)
        self.marginal: set[int] = set()
        """Squares so near a threshold that noise decides: to be measured at every scan."""
        self._random = random or Random(0)
        self._noise = noise
        self._margin = _SIGMAS * noise.noise
        self._true_zeros = [float(TRUE_ZERO)] * count
        self._true_gains = [float(TRUE_GAIN)] * count
        self._shifts = [0.0] * count
        self._waves: list[tuple[float, float, float]] = []
        self._faults: dict[int, tuple[SensorFault, int]] = {}
        if not noise.perfect or not calibrated:
            self._spread(count)
        self._saved = (self.on_permille, self.off_permille, tuple(self.zeros), tuple(self.gains))

    def _spread(self, count: int) -> None:
        random, noise = self._random, self._noise
        self._true_zeros = [TRUE_ZERO + random.gauss(0.0, ZERO_SPREAD_COUNTS) for _ in range(count)]
        self._true_gains = [TRUE_GAIN * random.uniform(1.0 - GAIN_SPREAD, 1.0 + GAIN_SPREAD) for _ in range(count)]
        if self.calibrated:
            for square, (zero, gain) in enumerate(zip(self._true_zeros, self._true_gains, strict=True)):
                self.zeros[square] = round(zero + random.gauss(0.0, noise.zero_spread) * gain)
                self.gains[square] = round(gain * random.uniform(1.0 - noise.gain_spread, 1.0 + noise.gain_spread))
        if noise.drift:
            self._waves = [
                (noise.drift * random.random(), random.uniform(_FASTEST_S, _SLOWEST_S), random.uniform(0.0, math.tau))
                for _ in range(count)
            ]

    def drift(self, now_ms: int) -> int | None:
        """Let every zero wander to where it is at that time; return when to ask again, None if all stay where they are."""
        for square, (reach, period_s, phase) in enumerate(self._waves):
            self._shifts[square] = reach * math.sin(phase + math.tau * now_ms / 1000 / period_s)
        sick = [(n, since_ms) for n, (fault, since_ms) in self._faults.items() if fault is SensorFault.DRIFTING]
        for square, since_ms in sick:
            self._shifts[square] = min((now_ms - since_ms) / 1000 * DRIFT_PER_S, FARTHEST_DRIFT)
        if sick:
            return now_ms + _RUN_AWAY_MS
        return now_ms + _WANDER_MS if self._waves else None

    def break_down(self, square: int, fault: SensorFault | None, now_ms: int) -> None:
        """Let something be wrong with a sensor, or nothing any more."""
        self._faults.pop(square, None)
        self._shifts[square] = 0.0
        if fault is not None:
            self._faults[square] = (fault, now_ms)

    def broken(self) -> list[int]:
        """Return the squares that a self-test finds at an end of the converter's range: all that it can see from one reading."""
        return [square for square in range(len(self.fields)) if not 0 < self.counts(square) < HIGHEST_COUNT]

    def save(self) -> None:
        """Keep thresholds, zeros and gains over a power cut."""
        self.calibrated = True
        self._saved = (self.on_permille, self.off_permille, tuple(self.zeros), tuple(self.gains))

    def forget(self) -> None:
        """Lose what was saved: linear sensors are taken for what the datasheet says. Digital ones have nothing to lose."""
        if self.colour:
            self.calibrated = False
            count = len(self.fields)
            self._saved = (self.on_permille, self.off_permille, (TRUE_ZERO,) * count, (TRUE_GAIN,) * count)

    def restart(self) -> None:
        """Forget what was set and not saved."""
        self.on_permille, self.off_permille, zeros, gains = self._saved
        self.zeros, self.gains = list(zeros), list(gains)

    def counts(self, square: int) -> int:
        """Return what the converter reads, before zero and gain, noise left out."""
        field = self.fields[square] if square not in self._faults else self._sick(square)
        counts = round(self._true_zeros[square] + self._true_gains[square] * (field + self._shifts[square]))
        return counts if 0 <= counts <= HIGHEST_COUNT else min(max(counts, 0), HIGHEST_COUNT)

    def _sick(self, square: int) -> float:
        """Return the field that a sick sensor seems to feel."""
        match self._faults[square][0]:
            case SensorFault.DEAD:
                return 0.0
            case SensorFault.STUCK:
                return 1.0
            case SensorFault.OPEN:
                return -HIGHEST_COUNT / LEAST_GAIN  # far below all that the converter can read
            case SensorFault.WEAK:
                return WEAK * self.fields[square]
            case SensorFault.DRIFTING:
                return self.fields[square]

    def raw(self, square: int) -> int:
        """Return what the converter reads once, noise and all."""
        noise = self._noise.noise
        counts = self.counts(square)
        return (
            min(max(counts + round(self._random.gauss(0.0, noise) * TRUE_GAIN), 0), HIGHEST_COUNT) if noise else counts
        )

    def reading(self, square: int, before: Reading, correction: int = 0) -> Reading:
        """Return what the square reads now.

        `before` is what it read at the last scan, `correction` what the neighbours' magnets do to it, in `FULL_FIELD`ths of its own.
        """
        gain = self.gains[square]
        # the strength times the gain: whole numbers, as the firmware's, which cannot divide fast
        value: float = (self.counts(square) - self.zeros[square]) * FULL_FIELD - correction * gain
        if gain < 0:
            value, gain = -value, -gain
        unit = gain * (FULL_FIELD // 1000)
        on, off = self.on_permille * unit, self.off_permille * unit
        if self._margin:
            margin = self._margin * FULL_FIELD * gain
            if off - margin < abs(value) < on + margin:
                value += self._random.gauss(0.0, self._noise.noise) * FULL_FIELD * gain
                self.marginal.add(square)
            elif square in self.marginal:
                self.marginal.discard(square)
        size = abs(value)
        if size <= off:
            return Reading.EMPTY
        if size < on:
            return Reading.UNSURE if self.colour else before
        return Reading.RED if value > 0.0 or not self.colour else Reading.BLUE

    def set_zero(self, square: int, counts: int) -> None:
        """Set one square's zero, or measure it."""
        self.zeros[square] = self.counts(square) if counts == MEASURE_ZERO else counts

    def set_gain(self, square: int, pole: Reading, counts: int) -> bool:
        """Set one square's gain from what the magnet of that pole adds, or measure it; False if that is too little to be a magnet."""
        added = self.counts(square) - self.zeros[square] if counts == MEASURE_GAIN else counts
        if abs(added) < LEAST_GAIN:
            return False
        self.gains[square] = added if pole is Reading.RED else -added
        return True
