"""Whose fault it is that a file of SQLite cannot be read, and how to read one where nothing may be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Final

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
    """Tell whether it is the disk, or whoever else has the file, that stands in the way: then nothing is known of the file."""
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
    """Give a copy of the file with all that is in its log."""
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
