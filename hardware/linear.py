"""What linear sensors need to know of a board besides its file: whole numbers that C firmware and Python firmware both use."""

from __future__ import annotations

from hardware.board_file import BESIDE_PITCHES, BoardFile
from hardware.limits import FULL_FIELD, HIGHEST_COUNT, LEAST_GAIN, counts_of

__all__ = ["DEFAULT_ZERO", "FULL_FIELD", "HIGHEST_COUNT", "LEAST_GAIN", "REACH", "default_gain", "share"]

DEFAULT_ZERO = 512
"""Counts without a magnet, until a board is calibrated: half the supply."""

REACH = 2
"""Squares: a magnet is corrected for on the 24 squares round it."""


def default_gain(board: BoardFile) -> int:
    """Return the counts that red's centred magnet adds by the datasheets, until a board is calibrated."""
    return counts_of(board.magnet.centred_mt, board.sensor.mv_per_mt, board.sensor.supply_mv)


def share(board: BoardFile, across: int, down: int) -> int:
    """Return what a centred magnet adds to the sensor so many columns and rows away, in `FULL_FIELD`ths of its own field."""
    if not across and not down:
        return 0
    nearest = min(range(len(BESIDE_PITCHES)), key=lambda i: abs(BESIDE_PITCHES[i] - (across**2 + down**2) ** 0.5))
    return round(FULL_FIELD * board.magnet.beside[nearest])
