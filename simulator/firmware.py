"""The firmware, emulated: `Sensors` make counts and readings out of fields, `Firmware` says when a KEYFRAME is due and obeys commands.

Takes board time and field strengths, returns messages. The real firmware must behave like this, byte for byte.

Neighbours: a magnet weakens the squares round it, by 1 % of its own field one pitch away and by a tenth when it stands in a full army.
Whenever a square's reading changes, the firmware corrects the 24 squares round it by what a centred magnet of that pole does there.
That is no more than what it can know: a piece that stands badly, or is in the air, is corrected for as if it stood well, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from random import Random
from typing import TypeAlias

from firmware_bridge.host_firmware import (
    LOOK_BACK,
    BoardCalibration,
    FirmwareCore,
    LinearCalibration,
    SupplyWatch,
    at_supply,
)
from firmware_bridge.messages import AckResult, Command, Reading, ResetCause, Save
from hardware import BoardFile, Sensing
from hardware.board_file import DEFAULT_ZERO, FULL_FIELD, HALF_SUPPLY, HIGHEST_COUNT, LEAST_GAIN, default_gain
from simulator.magnets import Field
from simulator.profiles import PERFECT, SensorNoise

FIRMWARE = "hallmarshal-sim 0.2"
CORRECTED_PITCHES = 2.9  # the 24 squares round one on a grid
_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}

TRUE_ZERO = DEFAULT_ZERO
TRUE_GAIN = 140  # counts that red's centred magnet adds: 49 mT on an SS49E at 5 V by its datasheet
ZERO_PER_K = 0.001  # of the zero: how far warmth moves it at most, up or down, each sensor its own way (SS49E)
FIELD_PER_K = -0.002  # of the field that is seen: 0.12 % of it the magnet's, the rest the sensor's
ZERO_SPREAD_COUNTS = 9.7  # standard deviation of the zeros of 64 real SS49E: 1.9 % of half the supply
GAIN_SPREAD = 0.1  # of real sensors, before anybody calibrates
WEAK = 0.3  # of the field is left behind thin steel, or of a ferrite magnet
COLD_SHARE = 0.3  # of what a cold joint lets through nothing arrives
DRIFT_PER_S = 0.02  # how fast a sick sensor's zero runs away, in fractions of the centred field
FARTHEST_DRIFT = 0.4
_RUN_AWAY_MS = 500  # how often a zero that runs away is looked at
_WANDER_MS = 10_000  # and those that wander
_SIGMAS = 4.0  # farther from a threshold than this many standard deviations, noise is not drawn: it would decide 1 in 30,000 times
_SLOWEST_S, _FASTEST_S = 3600.0, 1200.0  # period of a zero's daily wandering, here shortened

Neighbours: TypeAlias = Sequence[Sequence[tuple[int, int]]]
"""For each square: the squares that its magnet is corrected for, and by how many `FULL_FIELD`ths of a centred field."""


def neighbours_of(board: BoardFile, field: Field) -> Neighbours:
    """Return what a centred magnet on each square does to the squares round it."""
    return _neighbours(board.places, board.pitch_mm, field)


@lru_cache(maxsize=16)  # thousands of boards of one kind are made for measurements and tests
def _neighbours(places: tuple[tuple[float, float], ...], pitch_mm: float, field: Field) -> Neighbours:
    found = []
    for square, place in enumerate(places):
        offs = [(n, math.dist(place, other)) for n, other in enumerate(places) if n != square]
        found.append(
            tuple((n, round(FULL_FIELD * field(off * pitch_mm, 0.0))) for n, off in offs if off <= CORRECTED_PITCHES)
        )
    return tuple(found)


class SensorFault(Enum):
    """What can be wrong with one sensor."""

    DEAD = "dead"  # it shows its zero, whatever is there
    STUCK = "stuck"  # it shows red's magnet, whatever is there
    OPEN = "open"  # a broken wire: the converter reads 0
    WEAK = "weak"  # it sees little
    DRIFTING = "drifting"  # its zero runs away
    TURNED = "turned"  # its marked face is down: poles are exchanged
    COLD = "cold"  # a cold joint: every now and then nothing arrives, and the converter reads 0
    SHORTED = "shorted"  # its output touches that of the next square in wire order: both read what lies between them


class Sensors(LinearCalibration):
    """One sensor a square. A field is a fraction of the centred field, red's pole positive.

    Linear sensors have thresholds and are UNSURE between them; digital ones (an occupancy board) keep what they had, unless a matrix
    powers them again. With `calibrated` the firmware knows each square's zero and gain as well as the
    profile allows, otherwise it takes what the datasheet says.
    """

    def __init__(
        self, board: BoardFile, noise: SensorNoise = PERFECT, random: Random | None = None, *, calibrated: bool = True
    ) -> None:
        count = len(board.squares)
        self.colour = board.sensing is Sensing.COLOUR
        self._gain = default_gain(board) if self.colour and board.sensor.mv_per_mt else TRUE_GAIN
        limits = round(1000 * board.thresholds.on), round(1000 * board.thresholds.off)
        super().__init__(BoardCalibration(*limits, (TRUE_ZERO,) * count, (self._gain,) * count), measured=calibrated)
        self.fields = [0.0] * count
        self.marginal: set[int] = set()
        """Squares so near a threshold that noise decides: to be measured at every scan."""
        self._random = random or Random(0)
        self._noise = noise
        self._repowered = board.gpio is not None and not self.colour
        """Whether each scan powers its sensors again: what they read between their two points is then undefined (DRV5033, 7.3.2)."""
        self._margin = _SIGMAS * noise.noise
        self._true_zeros = [float(TRUE_ZERO)] * count
        self._true_gains = [float(self._gain)] * count
        self._shifts = [0.0] * count
        self.hanging = False
        """Whether the divider's input hangs in the air, so that each scan has to read it."""
        self._has_divider = board.scan.supply is not None
        self._waves: list[tuple[float, float, float]] = []
        self._faults: dict[int, tuple[SensorFault, int]] = {}
        self._joined: dict[int, int] = {}
        if not noise.perfect or not calibrated:
            self._spread(count)
        self._saved = self.settings
        self._zeros_now, self._gains_now = self._true_zeros, self._true_gains
        self._divider = HALF_SUPPLY
        self.scan_supply()

    def surround(self, supply: float, warmer_k: float, way: Callable[[int], float] | None = None) -> None:
        """Set the sensors' supply to so many times its value at calibration, and warm the box by `warmer_k` kelvin.

        `way` tells of each square how far up (1) or down (-1) warmth moves its zero; by itself each has a way of its own. The supply
        moves at once; warmth takes minutes, so that the firmware has long seen the supply move when warmth has come.
        """
        for _ in range(LOOK_BACK):  # scans that were left out because nothing moved, or a piece only
            self.scan_supply()
        self._move(supply, [0.0] * len(self.fields), 0.0)
        self._divider = min(round(supply * HALF_SUPPLY), HIGHEST_COUNT)
        for _ in range(2):  # one scan sees it, the next is set right for it
            self.scan_supply()
        ways = Random("ways")
        warm = [(way(n) if way else ways.uniform(-1.0, 1.0)) * warmer_k for n in range(len(self.fields))]
        self._move(supply, warm, warmer_k)

    def _move(self, supply: float, warm: Sequence[float], warmer_k: float) -> None:
        self._zeros_now = [
            supply * zero * (1.0 + ZERO_PER_K * k) for zero, k in zip(self._true_zeros, warm, strict=True)
        ]
        self._gains_now = [supply * gain * (1.0 + FIELD_PER_K * warmer_k) for gain in self._true_gains]

    def hang(self) -> None:
        """Leave the divider's input unconnected: each reading shows a random supply."""
        self.hanging = self._has_divider

    @property
    def restless(self) -> bool:
        """Return whether a scan may find something new although no magnet moves."""
        return bool(self.marginal) or self.hanging

    def scan_supply(self) -> bool:
        """Read the supply divider, if there is one, check it against all squares, and return whether the ratio of counts has changed."""
        if not self._has_divider:
            return False
        ratio = self.watch.ratio
        self.watch.read(self._half_supply)
        self.watch.judge(sum(self._converted(square) // 2 for square in range(len(self.fields))))
        return self.watch.ratio != ratio

    def _half_supply(self) -> int:
        return HALF_SUPPLY + self._random.randint(-100, 100) if self.hanging else self._divider

    def _spread(self, count: int) -> None:
        random, noise = self._random, self._noise
        self._true_zeros = [TRUE_ZERO + random.gauss(0.0, ZERO_SPREAD_COUNTS) for _ in range(count)]
        self._true_gains = [self._gain * random.uniform(1.0 - GAIN_SPREAD, 1.0 + GAIN_SPREAD) for _ in range(count)]
        if self.measured:
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
        """Break a sensor in this way; None mends it."""
        self._faults.pop(square, None)
        self._shifts[square] = 0.0
        self.marginal.discard(square)
        self._joined = {one: other for one, other in self._joined.items() if square not in (one, other)}
        if fault is not None:
            self._faults[square] = (fault, now_ms)
        if fault is SensorFault.SHORTED:
            other = (square + 1) % len(self.fields)
            self._joined |= {square: other, other: square}
            self.marginal |= {square, other}
        elif fault is SensorFault.COLD:
            self.marginal.add(square)

    def broken(self) -> list[int]:
        """Return the squares that a self-test finds at an end of the converter's range: all that it can see from one reading."""
        return [square for square in range(len(self.fields)) if not 0 < self.counts(square) < HIGHEST_COUNT]

    def keep(self, settings: BoardCalibration) -> bool:
        """Keep thresholds, zeros and gains over a power cut."""
        self._saved = settings
        return True

    def forget(self) -> None:
        """Lose what was saved: linear sensors are taken for what the datasheet says. Digital ones have nothing to lose."""
        if self.colour:
            self.measured = False
            count = len(self.fields)
            self._saved = replace(self.settings, zeros=(TRUE_ZERO,) * count, gains=(self._gain,) * count)

    def restart(self) -> None:
        """Forget what was set and not saved."""
        self.settings = self._saved
        self.watch = SupplyWatch(self.saved_supply)
        self.scan_supply()

    def counts(self, square: int) -> int:
        """Return what the converter reads, set right for the supply, before zero and gain, noise left out."""
        return at_supply(self._converted(square), self.watch.ratio)

    def _converted(self, square: int) -> int:
        if square in self._joined:
            return (self._alone(square) + self._alone(self._joined[square])) // 2
        return self._alone(square)

    def _alone(self, square: int) -> int:
        field = self.fields[square] if square not in self._faults else self._sick(square)
        counts = round(self._zeros_now[square] + self._gains_now[square] * (field + self._shifts[square]))
        return counts if 0 <= counts <= HIGHEST_COUNT else min(max(counts, 0), HIGHEST_COUNT)

    def _sick(self, square: int) -> float:
        """Return the field that a sick sensor seems to feel."""
        field = self.fields[square]
        return {
            SensorFault.DEAD: 0.0,
            SensorFault.STUCK: 1.0,
            SensorFault.OPEN: -HIGHEST_COUNT / LEAST_GAIN,  # far below all that the converter can read
            SensorFault.WEAK: WEAK * field,
            SensorFault.DRIFTING: field,
            SensorFault.SHORTED: field,
            SensorFault.TURNED: -field,
            SensorFault.COLD: -HIGHEST_COUNT / LEAST_GAIN if self._random.random() < COLD_SHARE else field,
        }[self._faults[square][0]]

    def converted(self, square: int) -> int:
        """Return what the converter reads once, noise and all, whatever the supply is."""
        noise = self._noise.noise
        counts = self._converted(square)
        return (
            min(max(counts + round(self._random.gauss(0.0, noise) * self._gain), 0), HIGHEST_COUNT) if noise else counts
        )

    def told(self, board: BoardFile) -> Sequence[int]:
        """Return the content of a RAW: every square, and the supply."""
        values = [at_supply(self.converted(square), self.watch.ratio) for square in range(len(self.fields))]
        return self.with_supply(values, board)

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
            elif square in self.marginal and not (square in self._faults or square in self._joined):
                self.marginal.discard(square)
        elif self._repowered:
            self.marginal.discard(square)
        size = abs(value)
        if size <= off:
            return Reading.EMPTY
        if size < on:
            if self.colour or not self._repowered:
                return Reading.UNSURE if self.colour else before
            self.marginal.add(square)
            return self._random.choice((Reading.EMPTY, Reading.RED))
        return Reading.RED if value > 0.0 or not self.colour else Reading.BLUE


class Firmware(FirmwareCore):
    """One power-on of the board's controller. Sensors outlive it; what it has learned of them (zeros, gains) is kept too."""

    def __init__(
        self,
        board: BoardFile,
        boot_count: int = 1,
        sensors: Sensors | None = None,
        neighbours: Neighbours = (),
        reset: ResetCause = ResetCause.POWER_ON,
    ) -> None:
        self._sensors = sensors or Sensors(board)
        super().__init__(board, FIRMWARE, boot_count, reset)
        count = len(board.squares)
        self._neighbours = neighbours if self._sensors.colour else ()
        self._corrections = [0] * count
        self._true = [Reading.EMPTY] * count
        self._glitches: dict[int, Reading] = {}
        self._readings = [Reading.EMPTY] * count
        self._shown: tuple[Reading, ...] | None = None
        self.stale: set[int] = set()
        """Squares whose correction changed: to be sensed at the next scan."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What every square showed at the last scan, in wire order."""
        if self._shown is None:
            self._shown = tuple(self._readings)
        return self._shown

    @property
    def calibrated(self) -> bool:
        """Return whether it knows its sensors' zeros and gains."""
        return self._sensors.measured

    def raw(self) -> Sequence[int]:
        """Return what the converter reads on every square, noise and all, and of the supply."""
        return self._sensors.told(self._board)

    def faults(self) -> list[str]:
        """Return a line for each square that reads an end of the converter's range."""
        return [f"square {number} reads {self._sensors.counts(number)}" for number in self._sensors.broken()]

    def carry_out(self, command: Command) -> tuple[AckResult, int]:
        """Set or keep what linear sensors have; digital ones have nothing to set."""
        if not self._sensors.colour:
            return (AckResult.DONE if isinstance(command, Save) else AckResult.UNKNOWN_COMMAND), 0
        result, detail = self._sensors.adjust(command)
        if result is not AckResult.BAD_ARGUMENT and not isinstance(command, Save):
            for number, field in enumerate(self._sensors.fields):
                self.sense(number, field)
        return result, detail

    def reading(self, square: int) -> Reading:
        """Return what a square reads but for glitches."""
        return self._true[square]

    def sense(self, square: int, field: float) -> bool:
        """Take a square's field at this scan (fraction of the centred one, red positive); return whether its reading changed.

        A square not told keeps its field.
        """
        self._sensors.fields[square] = field
        before = self._true[square]
        reading = self._sensors.reading(square, before, self._corrections[square])
        if reading is before:
            return False
        self._true[square] = reading
        step = _POLE[reading] - _POLE[before]
        if step and self._neighbours:
            for neighbour, share in self._neighbours[square]:
                self._corrections[neighbour] += step * share
                self.stale.add(neighbour)
        self._show(square)
        return True

    def glitch(self, square: int, reading: Reading | None) -> None:
        """Let a square show something wrong, whatever it reads; None ends it."""
        if reading is None:
            self._glitches.pop(square, None)
        else:
            self._glitches[square] = reading
        self._show(square)

    def _show(self, square: int) -> None:
        reading = self._glitches.get(square, self._true[square])
        if reading is not self._readings[square]:
            self._readings[square] = reading
            self._shown = None
            self._changed = True
