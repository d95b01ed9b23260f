"""Writes files that only their owner can read."""

from __future__ import annotations

import os
from pathlib import Path

_MOST_AT_ONCE = 1 << 20


def write_private(path: Path, content: str | bytes) -> None:
    """Write a file with mode 0600, whole or not at all, and on disk when this returns. Raises `OSError`."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync_folder(path.parent)


def read_start(path: Path, most: int) -> bytes:
    """Return the first bytes of a file, at most `most`; of an empty pipe or an endless device in its place, too. Raises `OSError`."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        return file.read(most) or b""


def destroy(path: Path) -> None:
    """Overwrite a file where it lies, then remove it: not only its name goes. Raises `OSError`.

    A card that writes elsewhere than where it is told to may keep what was there, and nobody can forbid that.
    """
    with path.open("r+b", buffering=0) as file:
        left = path.stat().st_size
        while left:
            left -= file.write(os.urandom(min(left, _MOST_AT_ONCE)))
        os.fsync(file.fileno())
    path.unlink()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut: the folder's own entry is written out too."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
