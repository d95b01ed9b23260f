"""The converter and the calibration of the emulated firmware: field strengths in, counts and readings out."""

from __future__ import annotations

from firmware_bridge.messages import MEASURE_GAIN, MEASURE_ZERO, Reading
from hardware import BoardFile, Sensing

HIGHEST_COUNT = 1023  # ten bits, as the ATmega's
TRUE_ZERO = 512
TRUE_GAIN = 310  # counts that red's centred magnet adds
LEAST_GAIN = 20  # with less the thresholds would lie inside the converter's own noise


class Sensors:
    """One sensor a square. A field is a fraction of the centred field, red's pole positive.

    Linear sensors have thresholds and are UNSURE between them; digital ones (an occupancy board) keep what they had.
    """

    def __init__(self, board: BoardFile) -> None:
        self.colour = board.sensing is Sensing.COLOUR
        self.fields = [0.0] * len(board.squares)
        self.zeros = [TRUE_ZERO] * len(board.squares)
        self.gains = [TRUE_GAIN] * len(board.squares)
        self.on, self.off = board.thresholds.on, board.thresholds.off

    def counts(self, square: int) -> int:
        """Give what the converter reads, before zero and gain."""
        return min(max(round(TRUE_ZERO + TRUE_GAIN * self.fields[square]), 0), HIGHEST_COUNT)

    def reading(self, square: int, before: Reading) -> Reading:
        """Give what the square reads now; `before` is what it read at the last scan."""
        strength = (self.counts(square) - self.zeros[square]) / self.gains[square]
        if -self.off <= strength <= self.off:
            return Reading.EMPTY
        if -self.on < strength < self.on:
            return Reading.UNSURE if self.colour else before
        return Reading.RED if strength > 0.0 or not self.colour else Reading.BLUE

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
