"""A board that is a recorded stream."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from types import TracebackType
from typing import Self

from firmware_bridge.decoder import Decoder
from firmware_bridge.errors import BoardUnreachableError, BoardUrlError, RecordingError
from firmware_bridge.messages import Command, News
from firmware_bridge.recording import Piece, parse_recording
from hardware import BoardFile

_READ_BYTES = 65536


class ReplaySource:
    """Gives the board's side of a recording at the pace of its times, or as fast as it is read. Commands go nowhere.

    A thread writes into a pipe, because a descriptor is needed that becomes readable in time.
    """

    def __init__(self, url: str, path: str, board: BoardFile, *, full_speed: bool = False) -> None:
        self.url = url
        try:
            with open(path, encoding="ascii") as lines:
                pieces = [piece for piece in parse_recording(lines.readlines(), path, board) if piece.from_board]
        except OSError as error:
            raise BoardUrlError(f"board {url}: {error.strerror}") from error
        except (RecordingError, UnicodeDecodeError) as error:
            reason = str(error) if isinstance(error, RecordingError) else f"{path}: not a text"
            raise BoardUrlError(f"board {url}: {reason}") from error
        self._decoder = Decoder()
        self._seq = 0
        self._closed = threading.Event()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._thread = threading.Thread(target=self._play, args=(pieces, full_speed), name="replay", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Give the pipe's descriptor."""
        return self._reader

    def read(self) -> list[News]:
        """Give what is due; raise BoardUnreachableError at the end of the recording."""
        if self._closed.is_set():
            raise BoardUnreachableError(f"board {self.url}: it was closed")
        try:
            data = os.read(self._reader, _READ_BYTES)
        except BlockingIOError:
            return []
        if not data:
            raise BoardUnreachableError(f"board {self.url}: the recording has ended")
        return list(self._decoder.feed(data))

    def send(self, command: Command) -> Command:
        """Do nothing but number the command: a recording answers what it answered then."""
        sent = dataclasses.replace(command, seq=self._seq)
        self._seq = (self._seq + 1) % 256
        return sent

    def close(self) -> None:
        """Stop playing."""
        if not self._closed.is_set():
            self._closed.set()
            os.close(self._reader)  # wakes a writer that waits for room
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _play(self, pieces: list[Piece], full_speed: bool) -> None:
        start_s = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            for piece in pieces:
                wait_s = 0.0 if full_speed else start_s + piece.at_ms / 1000 - time.monotonic()
                if self._closed.wait(max(wait_s, 0.0)):
                    break
                os.write(self._writer, piece.data)  # a blocking pipe takes all of it
        os.close(self._writer)
