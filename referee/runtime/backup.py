"""A whole state folder in one file, made while its table plays: what a card or a Pi that breaks does not take along."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from referee.journal import stored
from referee.runtime.errors import BadInputError

_WAIT_S = 5.0
_BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a file that is open; the copy has taken it in."""


def back_up(state: Path, target: Path) -> int:
    """Write all files of a state folder into a new archive (0600, it holds keys) and return how many; raises `BadInputError`.

    Journals come last and each as it stood at one moment, so that no other file tells of more than they hold.
    """
    if not state.is_dir():
        raise BadInputError(f"{state} is no folder")
    try:
        with open(target, "xb", opener=_private) as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            return sum(_add(archive, path, path.relative_to(state)) for path in _files(state, target))
    except (OSError, *stored.BROKEN) as error:
        if not isinstance(error, FileExistsError):
            target.unlink(missing_ok=True)
        why = getattr(error, "strerror", None) or error
        raise BadInputError(f"{target}: {why}") from None


def _files(state: Path, target: Path) -> Iterator[Path]:
    found = [path for path in state.rglob("*") if path.is_file() and not path.name.endswith(_BESIDE)]
    # a lock says who uses the folder now, which is nothing to keep
    yield from sorted(
        (path for path in found if path.name != "lock" and path.absolute() != target.absolute()),
        key=lambda path: (_is_base(path), path),
    )


def _add(archive: tarfile.TarFile, path: Path, name: Path) -> bool:
    """Add a file with its owner and mode; return False for one that is gone meanwhile."""
    try:
        info = archive.gettarinfo(path, str(name))
        with _copied(path) if _is_base(path) else contextlib.nullcontext(path) as source, source.open("rb") as file:
            info.size = os.fstat(file.fileno()).st_size
            archive.addfile(info, file)
    except FileNotFoundError:
        return False
    return True


@contextlib.contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """Copy a file of SQLite as it is at one moment, whoever writes to it."""
    with tempfile.TemporaryDirectory(prefix="hallmarshal-backup-") as folder:
        copy = Path(folder) / path.name
        with (
            contextlib.closing(stored.connect_to_read(path, _WAIT_S)) as base,
            contextlib.closing(sqlite3.connect(copy)) as made,
        ):
            base.backup(made)
        yield copy


def _is_base(path: Path) -> bool:
    return path.suffix == ".sqlite"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
