"""Records what crosses the line, as a tap of a board's source."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.recording import Piece, first_line, piece_line
from hardware import BoardFile


class Recorder:
    """Writes a recording: a `tap` for `open_source`. `write` takes text; `now_ms` gives a time in milliseconds from any start."""

    def __init__(self, write: Callable[[str], object], board: BoardFile, now_ms: Callable[[], int]) -> None:
        self._write = write
        self._now_ms = now_ms
        self._start_ms = now_ms()
        write(first_line(board))

    def __call__(self, from_board: bool, data: bytes) -> None:
        """Write one piece."""
        self._write(piece_line(Piece(self._now_ms() - self._start_ms, from_board, data)))
