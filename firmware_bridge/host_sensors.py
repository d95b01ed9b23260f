"""The sensors of a board that the host scans itself: what they were heard to say, judged as a controller's firmware judges. Pure.

`LinearSensors` says in Python what hardware/firmware/core/linear says in C: the same whole numbers, squares judged in wire order, each
change of a reading taken out of the 24 squares round it at once. tests/firmware proves that both send the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_bridge.messages import (
    EVERY_SQUARE,
    MEASURE_GAIN,
    MEASURE_ZERO,
    AckResult,
    Command,
    Reading,
    Save,
    SensingCode,
    SetGain,
    SetThresholds,
    SetZero,
)
from hardware import BoardFile
from hardware.linear import DEFAULT_ZERO, FULL_FIELD, HIGHEST_COUNT, LEAST_GAIN, REACH, default_gain, share

_POLE = {Reading.EMPTY: 0, Reading.RED: 1, Reading.BLUE: -1, Reading.UNSURE: 0}
_REFUSED = (AckResult.BAD_ARGUMENT, 0)
_DONE = (AckResult.DONE, 0)


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
        """Take a whole scan, 1 or True for a magnet; tell whether a reading changed."""
        levels = tuple(map(bool, values))
        changed, self._levels = levels != self._levels, levels
        return changed

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Give what becomes of a command: there is nothing to set, and so nothing to keep."""
        return (AckResult.DONE if isinstance(command, Save) else AckResult.UNKNOWN_COMMAND), 0, False


@dataclass(frozen=True, slots=True)
class Settings:
    """A board's calibration: thresholds in thousandths, zero and gain of each square in counts, in wire order."""

    on_permille: int
    off_permille: int
    zeros: tuple[int, ...]
    gains: tuple[int, ...]


def default_settings(board: BoardFile) -> Settings:
    """Give what the board file says, for a board that nobody has calibrated."""
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
        """Take a whole scan in counts; tell whether a reading changed."""
        self._counts = list(values)
        return self._judge()

    def faults(self) -> list[str]:
        """Give a line for each square that reads an end of the converter's range: dead, shorted, or not connected."""
        ends = (0, HIGHEST_COUNT)
        return [f"square {square} reads {counts}" for square, counts in enumerate(self._counts) if counts in ends]

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Obey a command that sets or keeps something; give its result, the detail, and whether a reading changed by it."""
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
        """Judge every square anew from the last counts, in wire order; tell whether a reading changed."""
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
    """Give for each square the squares that its magnet is corrected for, and by how many `FULL_FIELD`ths."""
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
