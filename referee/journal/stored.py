"""How a journal lies in its SQLite file: tables, columns, the hash of a row, and the chain that a reader follows."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from referee.journal.errors import JournalDamagedError, JournalError, JournalFormatError, JournalWriteError
from referee.journal.head_file import UNREADABLE, Head
from referee.journal.opening import is_of_the_disk
from referee.journal.sealing import chain

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
    """Return the error of a file that cannot be read: nothing may be said of a journal that the disk does not let us see."""
    if is_of_the_disk(error) or isinstance(error, OSError):
        return JournalWriteError(f"{path}: the journal cannot be opened ({error})")
    return JournalFormatError(f"{path}: this is no journal ({error})")
