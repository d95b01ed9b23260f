"""The firmware, emulated: readings out of fields, when a KEYFRAME is due, and what each command does.

Takes board time and field strengths, gives messages. The real firmware must behave like this, byte for byte.

Neighbours: a magnet weakens the squares round it, by 1 % of its own field one pitch away and by a tenth when it stands in a full army.
Whenever a square's reading changes, the firmware corrects the 24 squares round it by what a centred magnet of that pole does there.
That is no more than what it can know: a piece that stands badly, or is in the air, is corrected for as if it stood well, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import (
    EVERY_SQUARE,
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
from hardware import BoardFile
from simulator.field import Field
from simulator.sensors import FULL_FIELD, HIGHEST_COUNT, Sensors

FIRMWARE = "hallmarshal-sim 0.2"
VALUES_PER_RAW = 32
CORRECTED_PITCHES = 2.9  # the 24 squares round one on a grid
_TIME_RANGE = 1 << 32
_LONG_AGO_MS = -(1 << 40)
_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}

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
