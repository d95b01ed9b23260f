"""What is wired to a Raspberry Pi that scans a board itself: strict doubles of its parts, told what every square reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.sources.gpio import PiBoard
from hardware import BoardFile
from simulator.pi.chain import StrictChain
from simulator.pi.converters import StrictConverters
from simulator.pi.matrix import StrictMatrix

__all__ = ["Double", "StrictChain", "StrictConverters", "StrictMatrix", "double_of", "scanner_of", "show"]

Double = StrictMatrix | StrictChain | StrictConverters


def double_of(board: BoardFile) -> Double:
    """Return what is wired to the pins of such a board."""
    if board.gpio is not None:
        return StrictMatrix(board.gpio)
    return StrictChain(board) if board.spi is not None else StrictConverters(board)


def scanner_of(double: Double, board: BoardFile, store: Path) -> PiBoard:
    """Return the board's own scanner with these parts on its pins; `store` is the file that keeps a calibration."""
    if isinstance(double, StrictConverters):
        return PiBoard("gpio:", board, factory=double, opened=double.open, store=store)
    if isinstance(double, StrictChain):
        return PiBoard("gpio:", board, factory=double, opened=double.open, pause=double.pause)
    return PiBoard("gpio:", board, factory=double, pause=double.pause)


def show(double: Double, board: BoardFile, values: Sequence[int]) -> None:
    """Let every square read this, in wire order: counts, or 1 for a magnet."""
    by_channel = dict(zip(board.scan.channels, values, strict=True))
    if isinstance(double, StrictConverters):
        for channel, counts in by_channel.items():
            double.counts[channel] = counts
    else:
        double.magnets = {channel for channel, value in by_channel.items() if value}
        double.history.clear()
