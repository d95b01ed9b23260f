"""One PostgreSQL server for the tests of this folder: its own cluster in a new folder, on a socket there, as an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SERVERS = Path("/usr/lib/postgresql")
_UNPRIVILEGED = "postgres"


@pytest.fixture(scope="session", name="postgres")
def _postgres() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@contextmanager
def postgres_server() -> Iterator[str]:
    """Yield the URL of an empty server; a missing one is a failure, because `.ci/apt-packages` brings it."""
    folders = sorted(_SERVERS.glob("*/bin/initdb"))
    assert folders, "PostgreSQL is missing: .ci/install-apt installs it"
    binaries = folders[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="hm-pg-"))  # short: the path of a socket has 107 bytes at most
    user = _UNPRIVILEGED if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    if user:
        shutil.chown(folder, user)
    control = [str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-s", "-w"]
    try:
        _run(
            [str(binaries / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "hall", "-N", "-E", "UTF8"],
            folder,
            user,
        )
        _run([*control, "-o", f"-k {folder} -c listen_addresses= -F", "-l", str(folder / "log"), "start"], folder, user)
        try:
            yield f"postgresql://hall@/postgres?host={folder}"
        finally:
            _run([*control, "-m", "immediate", "stop"], folder, user)
    finally:
        shutil.rmtree(folder)


def _run(command: list[str], folder: Path, user: str | None) -> None:
    quiet = subprocess.DEVNULL
    done = subprocess.run(command, cwd=folder, user=user, stdin=quiet, stdout=quiet, stderr=quiet, check=False)
    assert done.returncode == 0, f"{command} failed"
