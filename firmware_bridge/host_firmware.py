"""What a board's controller does, for a board that has none: scans in, the wire's own bytes out. Pure; times are passed in.

A host cannot tell the bytes from those of a controller with the same sensors, so that everything behind the wire, recordings
included, is the same for both. `HostFirmware` speaks; `LevelSensors` (digital) and `LinearSensors` judge scans as firmware judges.
`LinearSensors` says in Python what hardware/firmware/core/linear says in C: the same whole numbers, squares judged in wire order, each
change of a reading taken out of the 24 squares round it at once. tests/firmware proves that both send the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import (
    EVERY_SQUARE,
    MEASURE_GAIN,
    MEASURE_ZERO,
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    Command,
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
from firmware_bridge.wire import encode, keyframe, pack_readings
from hardware import BoardFile
from hardware.board_file import DEFAULT_ZERO, FULL_FIELD, HIGHEST_COUNT, LEAST_GAIN, REACH, default_gain, share

_RANGE_MS = 1 << 32
_VALUES_PER_RAW = 32
_NEVER_MS = -(1 << 40)
_LONGEST_LOG = 64
_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}
_REFUSED = (AckResult.BAD_ARGUMENT, 0)
_DONE = (AckResult.DONE, 0)


class HostSensors(Protocol):
    """What the firmware asks of sensors, digital (`LevelSensors`) or linear (`LinearSensors`). All sequences are in wire order."""

    sensing: SensingCode

    @property
    def calibrated(self) -> bool:
        """Whether zeros and gains were measured on this board; digital sensors have none and always are."""

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square reads now."""

    @property
    def raw(self) -> Sequence[int]:
        """What a RAW tells of every square."""

    def scanned(self, values: Sequence[int]) -> bool:
        """Take a whole scan; return whether a reading changed."""

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Obey a command that sets or keeps something; return its result, the detail, and whether a reading changed by it."""


class HostFirmware:
    """One start of a board that is scanned by the host itself. `now_ms` is time since that start and never falls."""

    def __init__(self, board: BoardFile, firmware: str, sensors: HostSensors) -> None:
        self._board = board
        self._firmware = firmware
        self._sensors = sensors
        self._packed = pack_readings(sensors.readings)
        self._seq = -1
        self._changed = False
        self._changed_ms = self._sent_ms = _NEVER_MS
        self._flags = FrameFlag(0)

    def hello(self, now_ms: int) -> bytes:
        """Return HELLO, as sent after the start and when asked. A start has no number here: nothing counts them."""
        board = self._board
        return encode(
            Hello(
                seq=self._next_seq(),
                board_ms=now_ms % _RANGE_MS,
                protocol=VERSION,
                sensing=self._sensors.sensing,
                reset=ResetCause.POWER_ON,
                calibrated=self._sensors.calibrated,
                squares=len(board.squares),
                channels=board.scan.chips * board.scan.channels_per_chip,
                scan_hz=board.scan.hz,
                boot_count=1,
                fingerprint=board.fingerprint,
                board_id=board.id,
                firmware=self._firmware,
            )
        )

    def scanned(self, values: Sequence[int], now_ms: int) -> bytes:
        """Take a whole scan, in wire order; return the KEYFRAME if one is due now, else nothing."""
        if self._sensors.scanned(values):
            self._note_change()
        if self._changed:
            self._changed = False
            self._changed_ms = now_ms
        due = self.still_ms(now_ms) <= ACTIVE_MS or now_ms >= self._sent_ms + IDLE_MS
        return self._keyframe(now_ms) if due else b""

    def still_ms(self, now_ms: int) -> int:
        """Return for how long nothing has changed."""
        return now_ms - self._changed_ms

    def confess(self, flag: FrameFlag) -> None:
        """Set a flag of the next KEYFRAME."""
        self._flags |= flag

    def log(self, level: LogLevel, text: str, now_ms: int) -> bytes:
        """Return a LOG, cut to what a LOG can hold."""
        return encode(Log(self._next_seq(), now_ms % _RANGE_MS, level, text[:_LONGEST_LOG]))

    def obey(self, command: Command, now_ms: int, faults: Callable[[], Sequence[str]]) -> bytes:
        """Return the answer to a command: its ACK and what it asked for. `faults` finds what a self-test must tell, a line each."""
        found = faults() if isinstance(command, SelfTest) else ()
        match command:
            case SelfTest():
                result, detail = (AckResult.FAILED, len(found)) if found else (AckResult.DONE, 0)
            case AskHello() | AskKeyframe():
                result, detail = AckResult.DONE, 0
            case _:
                result, detail, changed = self._sensors.carry_out(command)
                if changed:
                    self._note_change()
        answer = encode(Ack(self._next_seq(), now_ms % _RANGE_MS, command.TYPE, command.seq, result, detail))
        match command:
            case AskHello():
                answer += self.hello(now_ms)
            case AskKeyframe(with_raw=with_raw):
                answer += self._keyframe(now_ms) + (self._raw(now_ms) if with_raw else b"")
            case SelfTest():
                for line in found or [f"{len(self._board.squares)} squares good"]:
                    answer += self.log(LogLevel.ERROR if found else LogLevel.INFO, f"self-test: {line}", now_ms)
        return answer

    def _note_change(self) -> None:
        self._changed = True
        self._packed = pack_readings(self._sensors.readings)

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> bytes:
        self._sent_ms = now_ms
        flags, self._flags = self._flags, FrameFlag(0)
        if not self._sensors.calibrated:
            flags |= FrameFlag.UNCALIBRATED
        return keyframe(self._next_seq(), now_ms % _RANGE_MS, flags, len(self._board.squares), self._packed)

    def _raw(self, now_ms: int) -> bytes:
        values = self._sensors.raw
        return b"".join(
            encode(Raw(self._next_seq(), now_ms % _RANGE_MS, first, tuple(values[first : first + _VALUES_PER_RAW])))
            for first in range(0, len(values), _VALUES_PER_RAW)
        )


class LevelSensors:
    """Digital sensors: a level is a reading, and nothing can be set."""

    sensing = SensingCode.OCCUPANCY
    calibrated = True

    def __init__(self, board: BoardFile) -> None:
        self._levels: tuple[bool, ...] = (False,) * len(board.squares)

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square reads now."""
        return [Reading.RED if level else Reading.EMPTY for level in self._levels]

    @property
    def raw(self) -> Sequence[int]:
        """One where a magnet is felt."""
        return [int(level) for level in self._levels]

    def scanned(self, values: Sequence[int]) -> bool:
        """Take a whole scan, 1 or True for a magnet; return whether a reading changed."""
        levels = tuple(map(bool, values))
        changed, self._levels = levels != self._levels, levels
        return changed

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Return what becomes of a command: there is nothing to set, and so nothing to keep."""
        return (AckResult.DONE if isinstance(command, Save) else AckResult.UNKNOWN_COMMAND), 0, False


@dataclass(frozen=True, slots=True)
class Settings:
    """A board's calibration: thresholds in thousandths, zero and gain of each square in counts, in wire order."""

    on_permille: int
    off_permille: int
    zeros: tuple[int, ...]
    gains: tuple[int, ...]


def default_settings(board: BoardFile) -> Settings:
    """Return what the board file says, for a board that nobody has calibrated."""
    count = len(board.squares)
    on, off = (round(1000 * value) for value in (board.thresholds.on, board.thresholds.off))
    return Settings(on, off, (DEFAULT_ZERO,) * count, (default_gain(board),) * count)


class LinearSensors:
    """Linear sensors: counts of a converter, each square with a zero and a gain of its own.

    `kept` is the calibration that was found, None if there is none; `keep` puts one where it outlives a power cut and tells whether
    that worked.
    """

    sensing = SensingCode.COLOUR

    def __init__(self, board: BoardFile, kept: Settings | None, keep: Callable[[Settings], bool]) -> None:
        settings = kept or default_settings(board)
        self.calibrated = kept is not None
        self._keep = keep
        self._on, self._off = settings.on_permille, settings.off_permille
        self._zeros, self._gains = list(settings.zeros), list(settings.gains)
        count = len(board.squares)
        self._counts = [DEFAULT_ZERO] * count
        self._corrections = [0] * count
        self._readings = [Reading.EMPTY] * count
        self._beside = _neighbours(board)

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square reads now."""
        return self._readings

    @property
    def raw(self) -> Sequence[int]:
        """Counts of the last scan."""
        return self._counts

    def scanned(self, values: Sequence[int]) -> bool:
        """Take a whole scan in counts; return whether a reading changed."""
        self._counts = list(values)
        return self._judge()

    def faults(self) -> list[str]:
        """Return a line for each square that reads an end of the converter's range: dead, shorted, or not connected."""
        ends = (0, HIGHEST_COUNT)
        return [f"square {square} reads {counts}" for square, counts in enumerate(self._counts) if counts in ends]

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Obey a command that sets or keeps something; return its result, the detail, and whether a reading changed by it."""
        match command:
            case Save():
                return (*self._save(), False)
            case SetThresholds(on_permille=on, off_permille=off):
                result, detail = self._set_thresholds(on, off)
            case SetZero(square=square, counts=counts):
                result, detail = self._set_zero(square, counts)
            case SetGain(square=square, pole=pole, counts=counts):
                result, detail = self._set_gain(square, pole, counts)
            case _:
                return AckResult.UNKNOWN_COMMAND, 0, False
        return result, detail, result is not AckResult.BAD_ARGUMENT and self._judge()

    def _judge(self) -> bool:
        """Judge every square anew from the last counts, in wire order; return whether a reading changed."""
        changed = False
        corrections, readings = self._corrections, self._readings
        on, off = self._on * (FULL_FIELD // 1000), self._off * (FULL_FIELD // 1000)
        for square, (counts, zero, gain) in enumerate(zip(self._counts, self._zeros, self._gains, strict=True)):
            # the strength times the gain: whole numbers come out the same on every machine
            value = (counts - zero) * FULL_FIELD - corrections[square] * gain
            size, unit = abs(value), abs(gain)
            if size <= unit * off:
                reading = Reading.EMPTY
            elif size < unit * on:
                reading = Reading.UNSURE
            else:
                reading = Reading.RED if (value > 0) is (gain > 0) else Reading.BLUE
            if reading is not readings[square]:
                step = _POLE[reading] - _POLE[readings[square]]
                readings[square] = reading
                changed = True
                if step:
                    for other, added in self._beside[square]:
                        corrections[other] += step * added
        return changed

    def _save(self) -> tuple[AckResult, int]:
        kept = self._keep(Settings(self._on, self._off, tuple(self._zeros), tuple(self._gains)))
        self.calibrated = self.calibrated or kept
        return _DONE if kept else (AckResult.FAILED, 0)

    def _set_thresholds(self, on: int, off: int) -> tuple[AckResult, int]:
        if not 0 < off < on < 1000:
            return _REFUSED
        self._on, self._off = on, off
        return _DONE

    def _set_zero(self, square: int, counts: int) -> tuple[AckResult, int]:
        if not self._has(square) or (counts > HIGHEST_COUNT and counts != MEASURE_ZERO):
            return _REFUSED
        for number in self._meant(square):
            self._zeros[number] = self._counts[number] if counts == MEASURE_ZERO else counts
        return _DONE

    def _set_gain(self, square: int, pole: Reading, counts: int) -> tuple[AckResult, int]:
        if not self._has(square) or pole not in (Reading.RED, Reading.BLUE) or abs(counts) > HIGHEST_COUNT:
            return _REFUSED
        failed = 0
        for number in self._meant(square):
            added = self._counts[number] - self._zeros[number] if counts == MEASURE_GAIN else counts
            if abs(added) < LEAST_GAIN:
                failed += 1  # too little to be a magnet
            else:
                self._gains[number] = added if pole is Reading.RED else -added
        return (AckResult.FAILED, failed) if failed else _DONE

    def _has(self, square: int) -> bool:
        return square < len(self._readings) or square == EVERY_SQUARE

    def _meant(self, square: int) -> Sequence[int]:
        return range(len(self._readings)) if square == EVERY_SQUARE else (square,)


def _neighbours(board: BoardFile) -> list[list[tuple[int, int]]]:
    """Return for each square the squares that its magnet is corrected for, and by how many `FULL_FIELD`ths."""
    number_at = {(round(x), round(y)): number for number, (x, y) in enumerate(board.places)}
    steps = range(-REACH, REACH + 1)
    return [
        [
            (number_at[x + across, y + down], share(board, abs(across), abs(down)))
            for down in steps
            for across in steps
            if (across or down) and (x + across, y + down) in number_at
        ]
        for x, y in number_at
    ]
