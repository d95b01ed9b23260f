"""The head file: the last row that was said to be on disk, kept outside SQLite's own files.

SQLite drops a damaged frame of its log, and everything after it, without a word; the `head` table lies in the same log and agrees with
what is left. So number and hash of the last row are written to a small file beside the journal, after each commit and before anybody
hears of it. A journal may be ahead of its head file (killed in between), never behind it.

The file has two slots, a disk block each, written in turn: a write that is cut off spoils one, and the other one holds the commit before.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.journal.errors import JournalWriteError
from referee.journal.sealing import chain
from referee.private_file import read_start, write_private

_BLOCK: Final = 4096
_SLOT: Final = struct.Struct(">q32s32s")


@dataclass(frozen=True, slots=True)
class Head:
    """Number and hash of a journal's last row."""

    seq: int
    hash: bytes


UNREADABLE: Final = Head(-1, b"")
"""What a head file holds of which no slot can be read."""


def read_head(journal: Path) -> Head | None:
    """Return what the head file of a journal holds, None where there is none: a journal of earlier days, or a copy without it.

    Read it before the journal: then one that is being written is ahead of it at most. Raises `JournalWriteError`.
    """
    try:
        content = read_start(_path(journal), 2 * _BLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise JournalWriteError(f"{_path(journal)}: the head file cannot be read ({error.strerror})") from None
    heads = [head for at in (0, _BLOCK) if (head := _head(content[at : at + _SLOT.size])) is not None]
    return max(heads, key=lambda head: head.seq, default=UNREADABLE)


class HeadFile:
    """The head file of a journal that is being written; begun anew each time, whole or not at all."""

    def __init__(self, journal: Path, head: Head, key: Path | None) -> None:
        """Write the file. `key` is the file of the journal's key, None where nobody knows yet which. Raises `OSError`."""
        path = _path(journal)
        write_private(path, 2 * _slot(head).ljust(_BLOCK, b"\0"))
        self._file = path.open("r+b", buffering=0)
        self._turn = 0
        watched = (journal, journal.with_name(f"{journal.name}-wal"), path, *([] if key is None else [key]))
        self._places = {each: _place(each) for each in watched}

    def advance(self, head: Head) -> None:
        """Note the row that was committed last; it is on disk when this returns. Raises `JournalWriteError` and `OSError`.

        Deleted files go on taking what is written, and lose it when they are closed, and without its key a journal cannot be
        gone on with: so each has to be where it was.
        """
        for path, place in self._places.items():
            if _place(path) != place:
                raise JournalWriteError(f"{path}: the file was deleted or replaced; the game is kept nowhere now")
        self._turn = 1 - self._turn
        os.pwrite(self._file.fileno(), _slot(head), self._turn * _BLOCK)
        os.fdatasync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _path(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-head")


def _place(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _slot(head: Head) -> bytes:
    return _SLOT.pack(head.seq, head.hash, _checksum(head))


def _head(slot: bytes) -> Head | None:
    if len(slot) < _SLOT.size:
        return None
    seq, last, checksum = _SLOT.unpack(slot)
    head = Head(seq, last)
    return head if checksum == _checksum(head) else None


def _checksum(head: Head) -> bytes:
    return chain(b"hallmarshal head", b"%d" % head.seq, head.hash)
