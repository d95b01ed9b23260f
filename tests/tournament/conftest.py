"""A store for the tests of this folder, on SQLite and on PostgreSQL: one server, its own cluster in a new folder, on a socket there, as an
ordinary user.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from referee.tournament.store import Store, open_store

_SERVERS = Path("/usr/lib/postgresql")
_UNPRIVILEGED = "postgres"


_NAMES = itertools.count(1)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.process)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL or path of a new, empty store."""
    if request.param == "sqlite":
        return str(tmp_path / "events.db")
    server: str = request.getfixturevalue("postgres")
    name = f"hall{next(_NAMES)}"
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as base:
        base.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """Yield an open store."""
    opened = open_store(place)
    yield opened
    opened.close()


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
