"""What a board's controller does: scans in, messages out. Pure; times are passed in.

`FirmwareCore` says what is sent when and what becomes of commands, for every firmware in Python: the simulator's, and a `HostFirmware` for
a board that the host scans itself. A host cannot tell its messages from those of a controller with the same sensors, so that everything
behind the wire, recordings included, is the same for both. `LevelFirmware` has digital sensors, `LinearFirmware` linear ones. It says in
Python what hardware/firmware/core/linear says in C: the same whole numbers, squares judged in wire order, each change of a reading taken
out of the 24 squares round it at once. tests/firmware proves that all send the same bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from firmware_bridge import messages as m
from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import Reading
from hardware import BoardFile
from hardware.board_file import (
    DEFAULT_ZERO,
    FULL_FIELD,
    HALF_SUPPLY,
    HIGHEST_COUNT,
    LEAST_GAIN,
    REACH,
    SUPPLY_RANGE,
    default_gain,
    share,
)

VALUES_PER_RAW = 32
_NEVER_MS = -(1 << 40)
_LONGEST_LOG = 64
_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}
_REFUSED = (m.AckResult.BAD_ARGUMENT, 0)
_DONE = (m.AckResult.DONE, 0)
NO_SHIFT = 1 << 15
"""Counts times this, over 2^15, are what they were."""
NEAR = 64
"""A supply that moves by less than one part in so many within LOOK_BACK scans moves slowly."""
LOOK_BACK = 16


class FirmwareCore(ABC):
    """One start of a board's controller. A subclass knows what squares read. `now_ms` is time since that start and never falls."""

    def __init__(
        self, board: BoardFile, firmware: str, boot_count: int = 1, reset: m.ResetCause = m.ResetCause.POWER_ON
    ) -> None:
        self.boot_count = boot_count
        self.reset = reset
        self._board = board
        self._name = firmware
        self._seq = -1
        self._changed = False
        self._changed_ms = self._sent_ms = _NEVER_MS
        self._flags = m.FrameFlag(0)

    @property
    @abstractmethod
    def readings(self) -> tuple[Reading, ...]:
        """What every square shows, in wire order: the same tuple until one changes."""

    @property
    @abstractmethod
    def calibrated(self) -> bool:
        """Return whether zeros and gains were measured on this board; digital sensors have none and always are."""

    @abstractmethod
    def raw(self) -> Sequence[int]:
        """Return what a RAW tells of every square, in wire order."""

    @abstractmethod
    def faults(self) -> Sequence[str]:
        """Return what a self-test finds, a line each."""

    @abstractmethod
    def carry_out(self, command: m.Command) -> tuple[m.AckResult, int]:
        """Obey a command that sets or keeps something; return its result and the detail."""

    def hello(self, now_ms: int) -> m.Hello:
        """Return HELLO, as sent after the start and when asked."""
        board = self._board
        return m.Hello(
            seq=self._next_seq(),
            board_ms=now_ms % m.RANGE_MS,
            protocol=VERSION,
            sensing=m.SensingCode[board.sensing.name],
            reset=self.reset,
            calibrated=self.calibrated,
            squares=len(board.squares),
            channels=board.scan.chips * board.scan.channels_per_chip,
            scan_hz=board.scan.hz,
            boot_count=self.boot_count,
            fingerprint=board.fingerprint,
            board_id=board.id,
            firmware=self._name,
        )

    def scan_done(self, now_ms: int) -> m.Frame | None:
        """Return the KEYFRAME that is due after this scan, or None."""
        if self._changed:
            self._changed = False
            self._changed_ms = now_ms
        return self._keyframe(now_ms) if now_ms >= self.due_ms(now_ms) else None

    def due_ms(self, now_ms: int) -> int:
        """Return when the next KEYFRAME is due at a scan if no square changes from `now_ms` on; `now_ms` itself or earlier: at once."""
        return now_ms if self.still_ms(now_ms) <= ACTIVE_MS else self._sent_ms + IDLE_MS

    def still_ms(self, now_ms: int) -> int:
        """Return for how long nothing has changed."""
        return now_ms - self._changed_ms

    def report(self, flag: m.FrameFlag) -> None:
        """Set a flag of the next KEYFRAME."""
        self._flags |= flag

    def log(self, level: m.LogLevel, text: str, now_ms: int) -> m.Log:
        """Return a LOG, cut to what a LOG can hold."""
        return m.Log(self._next_seq(), now_ms % m.RANGE_MS, level, text[:_LONGEST_LOG])

    def obey(self, command: m.Command, now_ms: int) -> list[m.BoardMessage]:
        """Carry out a command; return its ACK and then what it asked for."""
        found = self.faults() if isinstance(command, m.SelfTest) else ()
        result, detail = (m.AckResult.FAILED, len(found)) if found else _DONE
        if not isinstance(command, m.SelfTest | m.AskHello | m.AskKeyframe):
            result, detail = self.carry_out(command)
        ack = m.Ack(self._next_seq(), now_ms % m.RANGE_MS, command.TYPE, command.seq, result, detail)
        answers: list[m.BoardMessage] = [ack]
        match command:
            case m.AskHello():
                answers.append(self.hello(now_ms))
            case m.AskKeyframe(with_raw=with_raw):
                answers.append(self._keyframe(now_ms))
                answers += self._raw(now_ms) if with_raw else ()
            case m.SelfTest():
                level = m.LogLevel.ERROR if found else m.LogLevel.INFO
                lines = found or [f"{len(self._board.squares)} squares good"]
                answers += [self.log(level, f"self-test: {line}", now_ms) for line in lines]
        return answers

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> m.Frame:
        self._sent_ms = now_ms
        flags, self._flags = self._flags, m.FrameFlag(0)
        if not self.calibrated:
            flags |= m.FrameFlag.UNCALIBRATED
        return m.Frame(self._next_seq(), now_ms % m.RANGE_MS, self.readings, flags)

    def _raw(self, now_ms: int) -> Iterator[m.Raw]:
        values = self.raw()
        for first in range(0, len(values), VALUES_PER_RAW):
            yield m.Raw(self._next_seq(), now_ms % m.RANGE_MS, first, tuple(values[first : first + VALUES_PER_RAW]))


class HostFirmware(FirmwareCore):
    """The firmware of a board that the host scans itself. Nothing counts its starts."""

    readings: tuple[Reading, ...] = ()

    def __init__(self, board: BoardFile, firmware: str) -> None:
        super().__init__(board, firmware)
        self.readings = (Reading.EMPTY,) * len(board.squares)

    @abstractmethod
    def scanned(self, values: Sequence[int], now_ms: int) -> m.Frame | None:
        """Take a whole scan, in wire order; return the KEYFRAME if one is due now."""


class LevelFirmware(HostFirmware):
    """Digital sensors: a level is a reading, and nothing can be set. `faults` finds what a self-test must tell."""

    calibrated = True

    def __init__(self, board: BoardFile, firmware: str, faults: Callable[[], Sequence[str]] = tuple) -> None:
        super().__init__(board, firmware)
        self._faults = faults
        self._levels: tuple[bool, ...] = (False,) * len(board.squares)

    def raw(self) -> Sequence[int]:
        """Return one where a magnet is felt."""
        return [int(level) for level in self._levels]

    def faults(self) -> Sequence[str]:
        """Return what is wrong with the pins."""
        return self._faults()

    def scanned(self, values: Sequence[int], now_ms: int) -> m.Frame | None:
        """Take a whole scan, 1 or True for a magnet; return the KEYFRAME if one is due now."""
        levels = tuple(map(bool, values))
        if levels != self._levels:
            self._levels, self._changed = levels, True
            self.readings = tuple(Reading.RED if level else Reading.EMPTY for level in levels)
        return self.scan_done(now_ms)

    def carry_out(self, command: m.Command) -> tuple[m.AckResult, int]:
        """Return what becomes of a command: there is nothing to set, and so nothing to keep."""
        return (m.AckResult.DONE if isinstance(command, m.Save) else m.AckResult.UNKNOWN_COMMAND), 0


@dataclass(frozen=True, slots=True)
class BoardCalibration:
    """A board's calibration: thresholds in thousandths, zero and gain of each square in counts, in wire order.

    `supply` is what the divider of the sensors' supply read when it was saved, and its reading counted.
    """

    on_permille: int
    off_permille: int
    zeros: tuple[int, ...]
    gains: tuple[int, ...]
    supply: int = HALF_SUPPLY


def _ratio_at(supply: int) -> int:
    """Return what counts are to be multiplied by, over 2^15, if the divider reads this; a divider that does not work moves nothing."""
    return (HALF_SUPPLY * NO_SHIFT + supply // 2) // supply if supply in SUPPLY_RANGE else NO_SHIFT


class SupplyWatch:
    """What counts are set right for: hardware/firmware/core/linear/hm_sensors.c in Python, and explained there.

    A reading of the divider counts while it moves slowly, or all squares move with it; else the last that counted holds.
    """

    def __init__(self, saved: int = HALF_SUPPLY) -> None:
        self.supply = self.used = saved
        """What the divider reads, and what it read when that last counted."""
        self.ratio = _ratio_at(saved)
        self._before = self._total_before = self._total_last = self._scans = 0
        self._steady = False

    def read(self, divider: Callable[[], int]) -> None:
        """Begin a scan by what the divider reads: once, or four times while nothing counts yet."""
        self.supply = divider()
        if not self._steady:
            first = self._scans == 0
            same = self.supply in SUPPLY_RANGE and (first or _is_near(self.supply, self._before))
            same = same and all(_is_near(divider(), self.supply) for _ in range(3))
            self._scans = 0 if not same else LOOK_BACK if first else self._scans
            self._steady = same and self._scans >= LOOK_BACK
            if not same or self._steady:
                self._before = self.supply
        if (
            self._steady
            and self._scans >= LOOK_BACK
            and self.supply in SUPPLY_RANGE
            and _is_near(self.supply, self._before)
        ):
            self.used, self.ratio = self.supply, _ratio_at(self.supply)

    def judge(self, total: int) -> None:
        """End a scan by the halves of what all squares gave, before anything was set right."""
        looks, slow = self._scans % LOOK_BACK == 0, _is_near(self.supply, self._before)
        together = not slow and self._squares_moved_too(total)
        if looks or not slow or not self._steady:
            self._total_before = total if together or not self._total_last else self._total_last
        self._total_last = total
        if self._steady and (together or (looks and slow)):
            self._before, self._steady = self.supply, self.supply in SUPPLY_RANGE
        elif self._steady and not slow:
            self._scans = 0
        self._scans = LOOK_BACK if self._scans == 255 else self._scans + 1

    def _squares_moved_too(self, total: int) -> bool:
        apart = abs(total * self._before - self._total_before * self.supply)
        return 2 * apart <= self._total_before * abs(self.supply - self._before)


def _is_near(counts: int, before: int) -> bool:
    return abs(counts - before) * NEAR <= before


def at_supply(counts: int, ratio: int) -> int:
    """Return what the converter would read if the sensors' supply were its reference; an end of its range stays one."""
    if not 0 < counts < HIGHEST_COUNT:
        return counts
    return min((counts * ratio + NO_SHIFT // 2) >> 15, HIGHEST_COUNT - 1)


def default_settings(board: BoardFile) -> BoardCalibration:
    """Return the board file's settings, for a board without a calibration."""
    count = len(board.squares)
    on, off = (round(1000 * value) for value in (board.thresholds.on, board.thresholds.off))
    return BoardCalibration(on, off, (DEFAULT_ZERO,) * count, (default_gain(board),) * count)


class LinearCalibration(ABC):
    """Thresholds, zeros and gains of linear sensors, and the commands that change them. A subclass knows what the converter reads."""

    def __init__(self, settings: BoardCalibration, *, measured: bool) -> None:
        self.measured = measured
        """Whether zeros and gains are this board's own."""
        self.settings = settings
        self.watch = SupplyWatch(settings.supply)

    @property
    def settings(self) -> BoardCalibration:
        """What is set now."""
        return BoardCalibration(
            self.on_permille, self.off_permille, tuple(self.zeros), tuple(self.gains), self.saved_supply
        )

    @settings.setter
    def settings(self, settings: BoardCalibration) -> None:
        self.on_permille, self.off_permille = settings.on_permille, settings.off_permille
        self.zeros, self.gains, self.saved_supply = list(settings.zeros), list(settings.gains), settings.supply

    def with_supply(self, counts: Sequence[int], board: BoardFile) -> Sequence[int]:
        """Return what a RAW tells: after all squares the divider now, when it was saved, and as it counts, if the board has one."""
        return counts if board.scan.supply is None else [*counts, self.watch.supply, self.saved_supply, self.watch.used]

    @abstractmethod
    def counts(self, square: int) -> int:
        """Return what the converter reads of a square."""

    @abstractmethod
    def keep(self, settings: BoardCalibration) -> bool:
        """Put a calibration where it outlives a power cut; return whether that worked."""

    def adjust(self, command: m.Command) -> tuple[m.AckResult, int]:
        """Obey a command that sets or keeps something; return its result and the detail."""
        match command:
            case m.Save():
                self.saved_supply = self.watch.used
                kept = self.keep(self.settings)
                self.measured = self.measured or kept
                return _DONE if kept else (m.AckResult.FAILED, 0)
            case m.SetThresholds(on_permille=on, off_permille=off):
                if not 0 < off < on < 1000:
                    return _REFUSED
                self.on_permille, self.off_permille = on, off
                return _DONE
            case m.SetZero(square=square) | m.SetGain(square=square) if (
                square >= len(self.zeros) and square != m.EVERY_SQUARE
            ):
                return _REFUSED
            case m.SetZero(square=square, counts=counts):
                if counts > HIGHEST_COUNT and counts != m.MEASURE_ZERO:
                    return _REFUSED  # no converter reads that
                for number in self._meant(square):
                    self.zeros[number] = self.counts(number) if counts == m.MEASURE_ZERO else counts
                return _DONE
            case m.SetGain(square=square, pole=pole, counts=counts):
                if pole not in (Reading.RED, Reading.BLUE) or abs(counts) > HIGHEST_COUNT:
                    return _REFUSED
                failed = sum(not self._set_gain(number, pole, counts) for number in self._meant(square))
                return (m.AckResult.FAILED, failed) if failed else _DONE
        return m.AckResult.UNKNOWN_COMMAND, 0

    def _set_gain(self, square: int, pole: Reading, counts: int) -> bool:
        added = self.counts(square) - self.zeros[square] if counts == m.MEASURE_GAIN else counts
        if abs(added) < LEAST_GAIN:
            return False  # too little to be a magnet
        self.gains[square] = added if pole is Reading.RED else -added
        return True

    def _meant(self, square: int) -> Sequence[int]:
        return range(len(self.zeros)) if square == m.EVERY_SQUARE else (square,)


class LinearFirmware(HostFirmware, LinearCalibration):
    """Linear sensors: counts of a converter, each square with a zero and a gain of its own.

    `kept` is the calibration that was found, None if there is none; `keep` puts one where it outlives a power cut and returns whether
    that worked.
    """

    def __init__(
        self, board: BoardFile, firmware: str, kept: BoardCalibration | None, keep: Callable[[BoardCalibration], bool]
    ) -> None:
        HostFirmware.__init__(self, board, firmware)
        LinearCalibration.__init__(self, kept or default_settings(board), measured=kept is not None)
        self._keep = keep
        self._counts = [DEFAULT_ZERO] * len(board.squares)
        self._corrections = [0] * len(board.squares)
        self._beside = _neighbours(board)

    @property
    def calibrated(self) -> bool:
        """Return whether zeros and gains were measured on this board."""
        return self.measured

    def raw(self) -> Sequence[int]:
        """Return the counts of the last scan."""
        return self.with_supply(self._counts, self._board)

    def counts(self, square: int) -> int:
        """Return what a square read at the last scan."""
        return self._counts[square]

    def keep(self, settings: BoardCalibration) -> bool:
        """Keep a calibration over a power cut; return whether that worked."""
        return self._keep(settings)

    def faults(self) -> list[str]:
        """Return a line for each square that reads an end of the converter's range: dead, shorted, or not connected."""
        ends = (0, HIGHEST_COUNT)
        return [f"square {square} reads {counts}" for square, counts in enumerate(self._counts) if counts in ends]

    def scanned(self, values: Sequence[int], now_ms: int) -> m.Frame | None:
        """Take a whole scan in counts; return the KEYFRAME if one is due now."""
        self._counts = list(values)
        self._judge()
        return self.scan_done(now_ms)

    def carry_out(self, command: m.Command) -> tuple[m.AckResult, int]:
        """Set or keep something, and judge the last scan by it."""
        result, detail = self.adjust(command)
        if isinstance(command, m.SetThresholds | m.SetZero | m.SetGain) and result is not m.AckResult.BAD_ARGUMENT:
            self._judge()
        return result, detail

    def _judge(self) -> None:
        """Judge every square again from the last counts, in wire order."""
        corrections, readings = self._corrections, list(self.readings)
        on, off = self.on_permille * (FULL_FIELD // 1000), self.off_permille * (FULL_FIELD // 1000)
        for square, (counts, zero, gain) in enumerate(zip(self._counts, self.zeros, self.gains, strict=True)):
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
                self._changed = True
                if step:
                    for other, added in self._beside[square]:
                        corrections[other] += step * added
        if self._changed:
            self.readings = tuple(readings)


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
