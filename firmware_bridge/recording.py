"""A recorded stream: what crossed the line and when, as text, and the board that plays it (`ReplaySource`).

    hallmarshal-stream 1 board=travel-10x10 sensing=colour
    # anything
    0 < 02 11 02 0c ...
    15 > 02 18 03 97 d5 00

First line: what this is, its version, the board file and its sensing. Then one line a piece of bytes: milliseconds since the recording
began (never falling), `<` from the board or `>` to it, and the bytes in hex, cut as they arrived. Empty lines and those that begin
with `#` mean nothing to a board; `#! 15 text` is a note that whoever recorded it understands.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firmware_bridge.messages import BoardUnreachableError, BoardUrlError, Command, News, RecordingError
from firmware_bridge.talk import NumberedSource
from firmware_bridge.wire import Decoder
from hardware import BoardFile, Sensing, load_board

_FIRST = re.compile(r"hallmarshal-stream 1 board=([a-z0-9-]+) sensing=(colour|occupancy)")
_NOTE = re.compile(r"#! (\d{1,12}) (.+)")
_READ_BYTES = 65536
_LINE = re.compile(r"(\d{1,12}) ([<>]) ([0-9a-f ]+)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that crossed the line at once, `at_ms` after the recording began."""

    at_ms: int
    from_board: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note of whoever records, at its place in the stream."""

    at_ms: int
    text: str


def first_line(board: BoardFile) -> str:
    """Return the line that a recording of that board begins with, line feed included."""
    return f"hallmarshal-stream 1 board={board.id} sensing={board.sensing.value}\n"


def piece_line(piece: Piece) -> str:
    """Return the line of one piece, line feed included."""
    return f"{piece.at_ms} {'<' if piece.from_board else '>'} {piece.data.hex(' ')}\n"


def note_line(note: Note) -> str:
    """Return the line of a note, line feed included; its text is one line."""
    return f"#! {note.at_ms} {note.text}\n"


def parse_recording(lines: Iterable[str], name: str, board: BoardFile) -> Iterator[Piece]:
    """Return the pieces of a recording in order; raise RecordingError naming `name` and the line if it is none, or of another board."""
    return (each for each in parse_with_notes(lines, name, board) if isinstance(each, Piece))


def parse_with_notes(lines: Iterable[str], name: str, board: BoardFile) -> Iterator[Piece | Note]:
    """Return the pieces and the notes of a recording in order; raises as `parse_recording`."""
    last_ms = -1
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if number == 1:
            recorded, wanted = _first(text, name), (board.id, board.sensing.value)
            if recorded != wanted:
                raise RecordingError(
                    f"{name}: recorded from board {recorded[0]} ({recorded[1]}), not from {wanted[0]} ({wanted[1]})"
                )
            last_ms = 0
            continue
        if note := _NOTE.fullmatch(text):
            yield Note(int(note[1]), note[2])
        if not text or text.startswith("#"):
            continue
        found = _LINE.fullmatch(text)
        try:
            if found is None or int(found[1]) < last_ms:
                raise ValueError
            piece = Piece(int(found[1]), found[2] == "<", bytes.fromhex(found[3]))
        except ValueError:
            raise RecordingError(f"{name}, line {number}: not 'milliseconds < hex', or time falls") from None
        last_ms = piece.at_ms
        yield piece
    if last_ms < 0:
        raise RecordingError(f"{name}: empty")


def recorded_board(line: str, name: str) -> BoardFile:
    """Return the board that a recording's first line names; raise RecordingError if it is none, BoardFileError if no such board ships."""
    board_id, sensing = _first(line, name)
    return load_board(board_id).with_sensing(Sensing(sensing))


def _first(line: str, name: str) -> tuple[str, str]:
    found = _FIRST.fullmatch(line.strip())
    if found is None:
        raise RecordingError(f"{name}, line 1: not a recorded stream of version 1")
    return found[1], found[2]


@contextlib.contextmanager
def recorded_lines(url: str, path: str) -> Iterator[Iterable[str]]:
    """Open the recording that a board's URL names; raise BoardUrlError if it cannot be read, also for what is found within."""
    try:
        with open(path, encoding="ascii") as lines:
            yield lines
    except OSError as error:
        raise BoardUrlError(f"board {url}: {error.strerror}") from error
    except (RecordingError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, RecordingError) else f"{path}: not a text"
        raise BoardUrlError(f"board {url}: {reason}") from error


class ReplaySource(NumberedSource):
    """Plays the board's side of a recording, at the pace of its times or at full speed. Commands are dropped.

    A thread writes into a pipe, because a descriptor is needed that becomes readable in time.
    """

    def __init__(self, url: str, path: str, board: BoardFile, *, full_speed: bool = False) -> None:
        self.url = url
        with recorded_lines(url, path) as lines:
            pieces = [piece for piece in parse_recording(lines, path, board) if piece.from_board]
        self._decoder = Decoder()
        self._closed = threading.Event()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._thread = threading.Thread(target=self._play, args=(pieces, full_speed), name="replay", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Return the pipe's descriptor."""
        return self._reader

    def read(self) -> list[News]:
        """Return what is due; raise BoardUnreachableError at the end of the recording."""
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
        """Number the command and do nothing else: a recording answers what it answered then."""
        return self.numbered(command)

    def close(self) -> None:
        """Stop playing."""
        if not self._closed.is_set():
            self._closed.set()
            os.close(self._reader)  # wakes a writer that waits for room
            self._thread.join()

    def _play(self, pieces: list[Piece], full_speed: bool) -> None:
        start_s = time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            for piece in pieces:
                wait_s = 0.0 if full_speed else start_s + piece.at_ms / 1000 - time.monotonic()
                if self._closed.wait(max(wait_s, 0.0)):
                    break
                os.write(self._writer, piece.data)  # a blocking pipe takes all of it
        os.close(self._writer)
