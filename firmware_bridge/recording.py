"""A recorded stream: what crossed the line and when, as text. Reading and writing of lines; no file is opened here.

    hallmarshal-stream 1 board=travel-10x10 sensing=colour
    # anything
    0 < 02 11 02 0c ...
    15 > 02 18 03 97 d5 00

First line: what this is, its version, the board file and its sensing. Then one line a piece of bytes: milliseconds since the recording
began (never falling), `<` from the board or `>` to it, and the bytes in hex, cut as they arrived. Empty lines and those that begin
with `#` mean nothing to a board; `#! 15 text` is a note that whoever recorded it understands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from firmware_bridge.errors import RecordingError
from hardware import BoardFile, Sensing, load_board

_FIRST = re.compile(r"hallmarshal-stream 1 board=([a-z0-9-]+) sensing=(colour|occupancy)")
_NOTE = re.compile(r"#! (\d{1,12}) (.+)")
_LINE = re.compile(r"(\d{1,12}) ([<>]) ([0-9a-f ]+)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that crossed the line at once, `at_ms` after the recording began."""

    at_ms: int
    from_board: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody who records wants to remember, at its place in the stream."""

    at_ms: int
    text: str


def first_line(board: BoardFile) -> str:
    """Give the line that a recording of that board begins with, line feed included."""
    return f"hallmarshal-stream 1 board={board.id} sensing={board.sensing.value}\n"


def piece_line(piece: Piece) -> str:
    """Give the line of one piece, line feed included."""
    return f"{piece.at_ms} {'<' if piece.from_board else '>'} {piece.data.hex(' ')}\n"


def note_line(note: Note) -> str:
    """Give the line of a note, line feed included; its text is one line."""
    return f"#! {note.at_ms} {note.text}\n"


def parse_recording(lines: Iterable[str], name: str, board: BoardFile) -> Iterator[Piece]:
    """Give the pieces of a recording in order; raise RecordingError naming `name` and the line if it is none, or of another board."""
    return (each for each in parse_with_notes(lines, name, board) if isinstance(each, Piece))


def parse_with_notes(lines: Iterable[str], name: str, board: BoardFile) -> Iterator[Piece | Note]:
    """Give the pieces and the notes of a recording in order; raises as `parse_recording`."""
    last_ms = -1
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if number == 1:
            _check_first(text, name, board)
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


def recorded_board(line: str, name: str) -> BoardFile:
    """Give the board that a recording's first line names; raise RecordingError if it is none, BoardFileError if no such board ships."""
    found = _FIRST.fullmatch(line.strip())
    if found is None:
        raise RecordingError(f"{name}, line 1: not a recorded stream of version 1")
    return load_board(found[1]).with_sensing(Sensing(found[2]))


def _check_first(text: str, name: str, board: BoardFile) -> None:
    found = _FIRST.fullmatch(text)
    if found is None:
        raise RecordingError(f"{name}, line 1: not a recorded stream of version 1")
    if (found[1], found[2]) != (board.id, board.sensing.value):
        raise RecordingError(
            f"{name}: recorded from board {found[1]} ({found[2]}), not from {board.id} ({board.sensing.value})"
        )
