"""The frame log of a game: the board's raw bytes and, beside them, what handsets, kiosk and arbiter said. It plays the same game again.

    frames-1.log, frames-2.log ...      in the game's folder, mode 0600: they hold ranks in the clear

Text as `firmware_bridge.recording` has it; the notes are JSON. A part that is full is followed by the next, and the oldest is removed
beyond the limit. Nothing here may hold a game up: when the disk is full or broken, or has less left than a journal may need, the log
ends, one line says so, and the game goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from firmware_bridge.recording import Note, Piece, first_line, note_line, piece_line
from hardware import BoardFile

PARTS = 4
"""So many files at most; the limit in bytes is divided among them."""
LEAVE_FREE_BYTES = 64 * 1024 * 1024
"""Below this much room on the disk nothing more is logged: the journal comes first."""
_LOOK_BYTES = 1024 * 1024
"""So often, in bytes written, the room is looked at."""


def part_name(number: int) -> str:
    """Return the name of a part, counted from 1."""
    return f"frames-{number}.log"


class FrameLog:
    """Writes the log of one game. Never raises: what cannot be written ends it, and `note` says why."""

    def __init__(
        self,
        folder: Path,
        board: BoardFile,
        most_bytes: int,
        note: Callable[[str], None],
        *,
        free_bytes: Callable[[Path], int] | None = None,
        now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self._folder, self._board, self._note = folder, board, note
        self._part_bytes = most_bytes // PARTS
        self._free_bytes = free_bytes or _free_bytes
        self._now_ms, self._start_ms = now_ms, now_ms()
        self._file: TextIO | None = None
        self._written = self._unlooked = 0
        self._number = max((int(path.stem.partition("-")[2]) for path in folder.glob("frames-*.log")), default=0)
        self._guarded(self._next_part)

    @property
    def on(self) -> bool:
        """Return whether it still writes."""
        return self._file is not None

    def bytes(self, data: bytes) -> None:
        """Log what came from the board, cut as it came."""
        self._write(piece_line(Piece(self._passed_ms(), True, data)))

    def told(self, what: Mapping[str, Any]) -> None:
        """Log something else that came in, or how the game was opened."""
        self._write(note_line(Note(self._passed_ms(), json.dumps(what, ensure_ascii=True))))

    def close(self) -> None:
        """Close the file."""
        self._guarded(self._shut)

    def _passed_ms(self) -> int:
        return self._now_ms() - self._start_ms

    def _write(self, line: str) -> None:
        if self._file is not None:
            self._guarded(lambda: self._put(line))

    def _put(self, line: str) -> None:
        assert self._file is not None
        if self._written + len(line) > self._part_bytes:
            self._next_part()
        self._file.write(line)
        self._written += len(line)
        self._unlooked += len(line)
        if self._unlooked > _LOOK_BYTES:
            self._look()

    def _look(self) -> None:
        self._unlooked = 0
        if self._free_bytes(self._folder) < LEAVE_FREE_BYTES:
            raise OSError(0, "the disk is nearly full")

    def _next_part(self) -> None:
        self._look()
        self._shut()
        self._number += 1
        path = self._folder / part_name(self._number)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._file = os.fdopen(handle, "w", encoding="ascii", buffering=1)
        self._written = 0
        self._file.write(first_line(self._board))
        (self._folder / part_name(self._number - PARTS)).unlink(missing_ok=True)

    def _shut(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (OSError, ValueError) as error:
            file, self._file = self._file, None
            if file is not None:
                with contextlib.suppress(OSError, ValueError):  # what it still held is lost with the rest
                    file.close()
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._note(f"{self._folder}: the frame log ends here ({reason}); the game goes on")


def _free_bytes(folder: Path) -> int:
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


_LONGEST_FRAME = 1024
"""More bytes without an end are no frame."""


class FrameTap:
    """A tap for `open_source`: hands the board's bytes to the log that is on, if one is, from the beginning of a frame."""

    def __init__(self) -> None:
        self._log: FrameLog | None = None
        self._begun = b""
        """The bytes of the frame that has begun."""

    def log_to(self, log: FrameLog | None) -> None:
        """Log there from now on; None for nowhere."""
        self._log = log
        if log is not None and self._begun:
            log.bytes(self._begun)

    def __call__(self, from_board: bool, data: bytes) -> None:
        """Take bytes that crossed the line."""
        if not from_board:
            return
        if self._log is not None:
            self._log.bytes(data)
        self._begun = (self._begun + data).rpartition(b"\0")[2][-_LONGEST_FRAME:]
