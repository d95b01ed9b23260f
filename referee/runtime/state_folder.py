"""Where programs keep what outlives them, unless they are told otherwise. A file of its own: commands import it for their help texts."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.runtime.errors import BadInputError

REFEREE_KEY = "referee.key"


def state_folder(name: str) -> Path:
    """Return the folder `name` below the user's state directory (XDG Base Directory Specification: `XDG_STATE_HOME`, if it is absolute)."""
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".local" / "state"
    return base / "hallmarshal" / name


def shown(name: str) -> str:
    """Return how help texts name that folder: where it lies for this user, with a tilde for the home."""
    return str(state_folder(name)).replace(str(Path.home()), "~", 1).replace("%", "%%")


def private_folder(path: Path) -> Path:
    """Return a folder that is there now, made so that nobody else may look into it; raises `BadInputError`."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}") from None
    return path


@contextmanager
def alone_in(state: Path, other: str) -> Iterator[None]:
    """Hold a state directory; raises `BadInputError` when it cannot be used, or, as `other` says, another process does."""
    try:
        lock = os.open(private_folder(state) / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadInputError(f"{state}: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BadInputError(f"{state}: {other}") from None
    finally:
        os.close(lock)
