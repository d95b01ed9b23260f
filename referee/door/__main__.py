"""The door's process: `python -m referee.door SETTINGS`, started by `referee.door.front_door`, ended when that has gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import sys
from pathlib import Path
from typing import Any

from referee import log_output
from referee.door.server import Door
from referee.door.settings import DoorSettings

_log = logging.getLogger("referee.door")

MOST_DATA_BYTES = 160 * 1024 * 1024
"""A door whose every place is taken needs half of it; with more it would take the table's memory, so it ends and is opened again."""


async def _run(settings: DoorSettings) -> None:
    asyncio.get_running_loop().set_exception_handler(_broken)
    await Door(settings).run()


def _broken(_loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
    """Log what kind of error it was: its text could hold what was sent."""
    if (error := told.get("exception")) is not None and not isinstance(error, OSError):
        _log.error("a connection ended with %s", type(error).__name__)


def main(settings: str) -> None:
    """Let people in until the application has gone."""
    log_output.begin()
    for library in ("aiohttp", "asyncio"):
        logging.getLogger(library).setLevel(logging.CRITICAL + 1)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA_BYTES, MOST_DATA_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):  # where memory is short the door goes, not the referee
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    asyncio.run(_run(DoorSettings.read(settings)))


if __name__ == "__main__":
    main(sys.argv[1])
