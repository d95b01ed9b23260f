"""The firmware, emulated: `Sensors` make counts and readings out of fields, `Firmware` says when a KEYFRAME is due and obeys commands.

Takes board time and field strengths, gives messages. The real firmware must behave like this, byte for byte.

Neighbours: a magnet weakens the squares round it, by 1 % of its own field one pitch away and by a tenth when it stands in a full army.
Whenever a square's reading changes, the firmware corrects the 24 squares round it by what a centred magnet of that pole does there.
That is no more than what it can know: a piece that stands badly, or is in the air, is corrected for as if it stood well, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from random import Random
from typing import TypeAlias

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import (
    EVERY_SQUARE,
    MEASURE_GAIN,
    MEASURE_ZERO,
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    BoardMessage,
    Command,
    Frame,
    FrameFlag,
    Hello,
    Log,
    LogLevel,
    Raw,
    Reading,
    ResetCause,
    Save,
    SelfTest,
    SensingCode,
    SetGain,
    SetThresholds,
    SetZero,
)
from hardware import BoardFile, Sensing
from hardware.board_file import DEFAULT_ZERO, FULL_FIELD, HIGHEST_COUNT, LEAST_GAIN
from simulator.field import Field
from simulator.profiles import PERFECT, SensorNoise

FIRMWARE = "hallmarshal-sim 0.2"
VALUES_PER_RAW = 32
CORRECTED_PITCHES = 2.9  # the 24 squares round one on a grid
_TIME_RANGE = 1 << 32
_LONG_AGO_MS = -(1 << 40)
_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}

TRUE_ZERO = DEFAULT_ZERO
TRUE_GAIN = 310  # counts that red's centred magnet adds
ZERO_SPREAD_COUNTS = 9.7  # standard deviation of the zeros of 64 real SS49E: 1.9 % of half the supply
GAIN_SPREAD = 0.1  # of real sensors, before anybody calibrates
WEAK = 0.3  # of the field is left behind thin steel, or of a ferrite magnet
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


class Firmware:
    """One power-on of the board's controller. Sensors outlive it; what it has learned of them (zeros, gains) is kept too."""

    def __init__(
        self,
        board: BoardFile,
        boot_count: int = 1,
        sensors: Sensors | None = None,
        neighbours: Neighbours = (),
        reset: ResetCause = ResetCause.POWER_ON,
    ) -> None:
        self.boot_count = boot_count
        self.reset = reset
        self.dropped = False
        """Messages were dropped since the last KEYFRAME, as the line took no more."""
        self._board = board
        self._count = len(board.squares)
        self._sensors = sensors or Sensors(board)
        self._neighbours = neighbours if self._sensors.colour else ()
        self._corrections = [0] * self._count
        self._true = [Reading.EMPTY] * self._count
        self._glitches: dict[int, Reading] = {}
        self._readings = [Reading.EMPTY] * self._count
        self._shown: tuple[Reading, ...] | None = None
        self._seq = -1
        self._changed = False
        self._changed_ms = self._sent_ms = _LONG_AGO_MS
        self.stale: set[int] = set()
        """Squares whose correction changed: to be sensed at the next scan."""

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square showed at the last scan, in wire order."""
        if self._shown is None:
            self._shown = tuple(self._readings)
        return self._shown

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

    def scan_done(self, now_ms: int) -> Frame | None:
        """Return the KEYFRAME that is due after this scan, or None."""
        if self._changed:
            self._changed = False
            self._changed_ms = now_ms
        return self._keyframe(now_ms) if now_ms >= self.due_ms(now_ms) else None

    def due_ms(self, now_ms: int) -> int:
        """Return when the next KEYFRAME is due at a scan if no square changes from `now_ms` on; `now_ms` itself or earlier: at once."""
        return now_ms if now_ms - self._changed_ms <= ACTIVE_MS else self._sent_ms + IDLE_MS

    def hello(self, now_ms: int) -> Hello:
        """Return HELLO, as sent after the start and when asked."""
        board = self._board
        return Hello(
            seq=self._next_seq(),
            board_ms=now_ms % _TIME_RANGE,
            protocol=VERSION,
            sensing=SensingCode.COLOUR if self._sensors.colour else SensingCode.OCCUPANCY,
            reset=self.reset,
            calibrated=self._sensors.calibrated,
            squares=self._count,
            channels=board.scan.chips * board.scan.channels_per_chip,
            scan_hz=board.scan.hz,
            boot_count=self.boot_count,
            fingerprint=board.fingerprint,
            board_id=board.id,
            firmware=FIRMWARE,
        )

    def obey(self, command: Command, now_ms: int) -> list[BoardMessage]:
        """Carry out a command; return its ACK and then what it asked for."""
        result, detail = self._carry_out(command)
        answers: list[BoardMessage] = [
            Ack(self._next_seq(), now_ms % _TIME_RANGE, command.TYPE, command.seq, result, detail)
        ]
        match command:
            case AskHello():
                answers.append(self.hello(now_ms))
            case AskKeyframe(with_raw=with_raw):
                answers.append(self._keyframe(now_ms))
                if with_raw:
                    answers += self._raw(now_ms)
            case SelfTest():
                bad = self._sensors.broken()
                texts = [f"self-test: square {n} reads {self._sensors.counts(n)}" for n in bad]
                for text in texts or [f"self-test: {self._count} squares good"]:
                    level = LogLevel.ERROR if bad else LogLevel.INFO
                    answers.append(Log(self._next_seq(), now_ms % _TIME_RANGE, level, text))
        return answers

    def _carry_out(self, command: Command) -> tuple[AckResult, int]:
        match command:
            case AskHello() | AskKeyframe():
                return AckResult.DONE, 0
            case SelfTest():
                bad = len(self._sensors.broken())
                return (AckResult.FAILED, bad) if bad else (AckResult.DONE, 0)
            case Save():
                self._sensors.save()
                return AckResult.DONE, 0
            case _ if not self._sensors.colour:
                return AckResult.UNKNOWN_COMMAND, 0  # digital sensors have nothing to set
            case SetThresholds(on_permille=on, off_permille=off):
                if not 0 < off < on < 1000:
                    return AckResult.BAD_ARGUMENT, 0
                self._sensors.on_permille, self._sensors.off_permille = on, off
                failed = 0
            case SetZero(square=square) | SetGain(square=square) if square >= self._count and square != EVERY_SQUARE:
                return AckResult.BAD_ARGUMENT, 0
            case SetZero(counts=counts) if counts > HIGHEST_COUNT and counts != MEASURE_ZERO:
                return AckResult.BAD_ARGUMENT, 0  # no converter reads that
            case SetGain(counts=counts) if abs(counts) > HIGHEST_COUNT:
                return AckResult.BAD_ARGUMENT, 0
            case SetZero(square=square, counts=counts):
                for number in self._meant(square):
                    self._sensors.set_zero(number, counts)
                failed = 0
            case SetGain(pole=Reading.EMPTY | Reading.UNSURE):
                return AckResult.BAD_ARGUMENT, 0
            case SetGain(square=square, pole=pole, counts=counts):
                failed = sum(not self._sensors.set_gain(number, pole, counts) for number in self._meant(square))
        for number in range(self._count):
            self.sense(number, self._sensors.fields[number])
        return (AckResult.FAILED, failed) if failed else (AckResult.DONE, 0)

    def _meant(self, square: int) -> Sequence[int]:
        return range(self._count) if square == EVERY_SQUARE else (square,)

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> Frame:
        self._sent_ms = now_ms
        flags = FrameFlag(0) if self._sensors.calibrated else FrameFlag.UNCALIBRATED
        if self.dropped:
            flags |= FrameFlag.QUEUE_FULL
            self.dropped = False
        return Frame(self._next_seq(), now_ms % _TIME_RANGE, tuple(self.readings), flags)

    def _raw(self, now_ms: int) -> list[BoardMessage]:
        found: list[BoardMessage] = []
        for first in range(0, self._count, VALUES_PER_RAW):
            last = min(first + VALUES_PER_RAW, self._count)
            values = tuple(self._sensors.raw(number) for number in range(first, last))
            found.append(Raw(self._next_seq(), now_ms % _TIME_RANGE, first, values))
        return found
