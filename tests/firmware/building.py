"""Makes what the firmware's tests run, once: `make` leaves alone what is fresh."""

from __future__ import annotations

import fcntl
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "hardware/firmware"


@cache
def made(*arguments: str) -> Path:
    """Run `make` with these arguments; return the folder of what it makes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    build = FIRMWARE / "build"
    build.mkdir(exist_ok=True)
    with (build / ".lock").open(
        "w"
    ) as lock:  # tests may run side by side; simulator/firmware_backends.py locks the same
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "--silent", "--directory", FIRMWARE, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return build
