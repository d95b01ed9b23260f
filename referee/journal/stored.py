"""How a journal lies on disk: its SQLite file (tables, columns, the hash of a row, the chain) and, beside it, its head file.

SQLite drops a damaged frame of its log, and everything after it, without a word; the `head` table lies in the same log and agrees with
what is left. So number and hash of the last row are written to a small file beside the journal, after each commit and before anybody
hears of it. A journal may be ahead of its head file (killed in between), never behind it.

The head file has two slots, a disk block each, written in turn: a write that is cut off spoils one, and the other holds the commit
before.

Apart from `journal`, which keeps one open: both in one file would be too long to read.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee.journal.errors import JournalDamagedError, JournalError, JournalFormatError, JournalWriteError
from referee.journal.sealing import chain
from referee.private_file import read_start, write_private

JOURNAL: Final = "journal.sqlite"
"""The name of a game's journal in its folder."""
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
    """The head file of a journal that is being written. Replaced whole each time it is created, never half."""

    def __init__(self, journal: Path, head: Head, key: Path | None) -> None:
        """Write the file. `key` is the file of the journal's key, None where nobody knows yet which. Raises `OSError`."""
        path = _path(journal)
        write_private(path, 2 * _slot(head).ljust(_BLOCK, b"\0"))
        self._file = path.open("r+b", buffering=0)
        self._turn = 0
        watched = (journal, journal.with_name(f"{journal.name}-wal"), path, *([] if key is None else [key]))
        self._places = {each: _place(each) for each in watched}

    def advance(self, head: Head) -> None:
        """Note the row that was committed last; it is on disk when this returns. Raises `JournalWriteError` and
        `OSError`.

        The files have to be in their places: a deleted file still takes what is written and loses it when it is closed,
        and without its key a journal cannot be continued.
        """
        for path, place in self._places.items():
            if _place(path) != place:
                raise JournalWriteError(f"{path}: the file was deleted or replaced; the game is kept nowhere now")
        self._turn = 1 - self._turn
        os.pwrite(self._file.fileno(), _slot(head), self._turn * _BLOCK)
        os.fdatasync(self._file.fileno())

    def forget(self, key: Path) -> None:
        """Continue without the journal's key file, which was destroyed."""
        self._places.pop(key, None)

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


# How a journal lies in its SQLite file: tables, columns, the hash of a row, and the chain that a reader follows.


APPLICATION = 0x484D4A31  # "HMJ1", so that `file` and SQLite know whose it is
FORMAT = 1
BROKEN = (sqlite3.Error, UnicodeDecodeError)  # a damaged schema may come back as text that is no UTF-8
SCHEMA = """
CREATE TABLE rows (
    seq INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    monotonic_ms INTEGER NOT NULL,
    public TEXT NOT NULL,
    sealed BLOB,
    before BLOB NOT NULL,
    mark BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    journal BLOB NOT NULL,
    key_mark BLOB NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    mark BLOB NOT NULL
) STRICT;
"""
COLUMNS = "seq, type, version, wall_ms, monotonic_ms, public, sealed, before, mark"

Columns = tuple[int, str, int, int, int, str, bytes | None, bytes, bytes]


def check_format(path: Path, base: sqlite3.Connection) -> None:
    """Raise `JournalFormatError` for a file that is no journal, or one of another format, `JournalDamagedError` for other tables.

    Nothing of a file is asked before this: a view that is named `rows` may go on for ever, a trigger writes what it likes.
    """
    try:
        (application,) = base.execute("PRAGMA application_id").fetchone()
        (version,) = base.execute("PRAGMA user_version").fetchone()
        schema = _schema_of(base)
    except BROKEN as error:
        raise unreadable(path, error) from None
    if application != APPLICATION:
        raise JournalFormatError(f"{path}: this is no journal of Hallmarshal")
    if version != FORMAT:
        raise JournalFormatError(f"{path}: the journal has format {version}, this program reads format {FORMAT}")
    if schema != _own_schema():
        raise JournalDamagedError(f"{path}: its tables are not those of a journal", 0)


def _schema_of(base: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Return kind, name and definition of what a file holds: no more than tell it from a journal."""
    return base.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name LIMIT 3").fetchall()


@functools.cache
def _own_schema() -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.executescript(SCHEMA)
        return _schema_of(base)


def stored_head(path: Path, base: sqlite3.Connection) -> tuple[bytes, bytes, int, bytes, bytes]:
    """Return the columns of the `head` table. Raises a `JournalError`."""
    try:
        found = base.execute("SELECT journal, key_mark, seq, hash, mark FROM head LIMIT 2").fetchall()
    except BROKEN as error:
        if is_of_the_disk(error):
            raise unreadable(path, error) from None
        raise JournalDamagedError(f"{path}: the file is broken ({error})", 0) from None
    if len(found) != 1:
        raise JournalDamagedError(f"{path}: the head of the journal is gone", 0)
    journal, key_mark, seq, last, mark = found[0]
    return journal, key_mark, seq, last, mark


def genesis(journal: bytes) -> bytes:
    """Return what the first row of a journal follows."""
    return chain(b"hallmarshal journal", journal)


def parts(columns: tuple[Any, ...]) -> tuple[bytes, ...]:
    """Return the first eight columns as bytes, each type in one way only, an absent sealed part unlike an empty one."""
    seq, type_word, version, wall_ms, monotonic_ms, text, sealed, before = columns
    numbers = (b"%d" % number for number in (seq, version, wall_ms, monotonic_ms))
    return (*numbers, type_word.encode(), text.encode(), b"-" if sealed is None else b"+" + sealed, before)


def row_hash(row: Columns) -> bytes:
    """Return the hash of a stored row."""
    return chain(*parts(row[:8]))


def chained(
    path: Path,
    base: sqlite3.Connection,
    head: tuple[bytes, int, bytes],
    promised: Head | None,
    fits: Callable[[Columns], bool],
) -> Iterator[Columns]:
    """Yield rows as long as each follows the one before and fits, until the head (journal, last number, its hash) is reached.

    What the head file promised has to be among them.
    """
    journal, seq, last = head
    good, before = 0, genesis(journal)
    try:
        for row in base.execute(f"SELECT {COLUMNS} FROM rows ORDER BY seq"):  # noqa: S608  # a constant
            if row[0] != good + 1 or row[7] != before:
                raise JournalDamagedError(f"{path}: row {good + 1} is missing or does not follow the one before", good)
            try:
                as_written, before = fits(row), row_hash(row)
            except (AttributeError, TypeError):  # a damaged column may come back as a value of another type
                as_written = False
            if not as_written:
                raise JournalDamagedError(f"{path}: row {good + 1} was edited", good)
            if promised is not None and promised.seq == row[0] and promised.hash != before:
                raise JournalDamagedError(f"{path}: row {row[0]} is not the one that was written", good)
            yield row
            good = row[0]
    except BROKEN as error:
        raise JournalDamagedError(f"{path}: the file is broken ({error})", good) from None
    if seq < 0:
        raise JournalDamagedError(f"{path}: the head of the journal was edited", good)
    written = max(seq, promised.seq if promised is not None else 0)
    if good < written or before != last:
        raise JournalDamagedError(f"{path}: {written} rows were written, the last ones are gone", good)
    if promised == UNREADABLE:
        raise JournalDamagedError(f"{path}: its head file cannot be read, so rows may be missing", good)


def unreadable(path: Path, error: Exception) -> JournalError:
    """Return the error for a file that cannot be read: a disk that refuses to read says nothing about the journal."""
    if is_of_the_disk(error) or isinstance(error, OSError):
        return JournalWriteError(f"{path}: the journal cannot be opened ({error})")
    return JournalFormatError(f"{path}: this is no journal ({error})")


# Whose fault it is that a file of SQLite cannot be read, and how to read one where nothing may be written.


_OF_THE_DISK: Final = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_NOTHING_BESIDE_IT: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR})
"""What SQLite says where the disk is read-only, or has no room, for what it keeps beside its file."""
_PRIMARY: Final = 0xFF
_MOST_OF_A_VALUE: Final = 16_000_000
"""Bytes. A few pages that follow each other in a ring pretend to hold a value of a gigabyte; ours are far smaller."""


def is_of_the_disk(error: Exception) -> bool:
    """Return whether the disk, or a lock held by another program, caused the error; it says nothing of the file's
    content.
    """
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY in _OF_THE_DISK


def connect_to_read(path: Path, wait_s: float) -> sqlite3.Connection:
    """Open a file of SQLite to be read only, also where nothing can be written beside it, which its log needs.

    Raises `sqlite3.Error` and `OSError`.
    """
    base = _connected(path, wait_s)
    try:
        base.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        base.close()
        if error.sqlite_errorcode & _PRIMARY not in _NOTHING_BESIDE_IT:
            raise
        return _in_memory(path, wait_s)
    except BaseException:
        base.close()
        raise
    return base


def _in_memory(path: Path, wait_s: float) -> sqlite3.Connection:
    """Return a connection to a copy in memory of the file and its write-ahead log; `wait_s` in seconds."""
    with tempfile.TemporaryDirectory(prefix="hallmarshal-read-") as folder:
        for name in (path.name, f"{path.name}-wal"):
            if (source := path.with_name(name)).exists():
                shutil.copyfile(source, Path(folder) / name)
        copy = _connected(Path(folder) / path.name, wait_s)
        try:
            base = sqlite3.connect(":memory:", isolation_level=None)
            copy.backup(base)
        finally:
            copy.close()
    base.execute("PRAGMA query_only = ON")  # what was written here would be nowhere
    return base


def _connected(path: Path, wait_s: float) -> sqlite3.Connection:
    base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=wait_s, isolation_level=None)
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_OF_A_VALUE)
    return base
