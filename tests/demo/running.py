"""Runs `hallmarshal demo` as a user does, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 600
"""A whole command, some of which play whole games."""


def hallmarshal(*arguments: str, state: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its state below `state`. Returns its exit code and what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "referee.cli.main", *arguments],
        cwd=ROOT,
        env=environment(state, **more),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def environment(state: Path, **more: str) -> dict[str, str]:
    """Return the environment of a run that writes nothing outside `state`."""
    return {**os.environ, "XDG_STATE_HOME": str(state), "HOME": str(state), **more}


def demo(*arguments: str, state: Path) -> dict[str, Any]:
    """Run a demo that has to succeed without a word on stderr. Returns its one JSON document."""
    done = hallmarshal("demo", "--speed", "max", "--json", *arguments, state=state)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def processes_of(state: Path) -> list[str]:
    """Return the command lines of living processes whose environment names this state folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            told = (entry / "environ").read_bytes()
            status = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if f"XDG_STATE_HOME={state}".encode() in told.split(b"\0") and status != "Z":
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found
