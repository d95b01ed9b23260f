"""What linear sensors need to know of a board besides its file: whole numbers that C firmware and Python firmware both use."""

from __future__ import annotations

from hardware.board_file import BESIDE_PITCHES, BoardFile

FULL_FIELD = 16_000
"""A centred field in the firmware's whole numbers: a multiple of 1000, so that thresholds in thousandths are whole numbers too."""

HIGHEST_COUNT = 1023
"""Ten bits, whatever the converter has."""

DEFAULT_ZERO = 512
"""Counts without a magnet, until a board is calibrated: half the supply."""

REACH = 2
"""Squares: a magnet is corrected for on the 24 squares round it."""

_LARGEST_SHARE = 1_200  # of FULL_FIELD: the sum of 24 such shares still fits 16 bits


def default_gain(board: BoardFile) -> int:
    """Give the counts that red's centred magnet adds by the datasheets, until a board is calibrated."""
    return round(HIGHEST_COUNT * board.magnet.centred_mt * board.sensor.mv_per_mt / board.sensor.supply_mv)


def share(board: BoardFile, across: int, down: int) -> int:
    """Give what a centred magnet adds to the sensor so many columns and rows away, in `FULL_FIELD`ths of its own field."""
    if not across and not down:
        return 0
    nearest = min(range(len(BESIDE_PITCHES)), key=lambda i: abs(BESIDE_PITCHES[i] - (across**2 + down**2) ** 0.5))
    added = round(FULL_FIELD * board.magnet.beside[nearest])
    assert abs(added) <= _LARGEST_SHARE, f"board {board.id}: magnets so strong that corrections overflow"
    return added
