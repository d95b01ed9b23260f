"""Where our programs log to: stderr, and so the journal of systemd where that has started them; one line a record.

Only our own loggers are written, and no error's text or traceback: libraries log the values that pass through them (SQLAlchemy those of
every statement), and an error may quote what only one seat may read. What is never logged is in docs/why/logging.md.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import re
import sys
from typing import TextIO

LEVEL_VARIABLE = "HALLMARSHAL_LOG_LEVEL"
"""The environment variable by which child processes get the level of their parent."""
LEVELS = ("debug", "info", "warning", "error")
DEFAULT = "warning"
_OURS = ("referee", "firmware_bridge", "kiosk_ui")
_PRIORITIES = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}
"""Those of syslog, which systemd reads at the start of a line (sd-daemon(3))."""
_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ([A-Z]+) ([\w.]+): (.*)")


def level(text: str) -> str:
    """Return one of `LEVELS`; raise `ArgumentTypeError` for anything else."""
    if text not in LEVELS:
        raise argparse.ArgumentTypeError(f"one of {', '.join(LEVELS)}, not {text!r}")
    return text


def begin(chosen: str | None = None) -> None:
    """Log from this level on (None: the parent process's level), also in child processes started from now on."""
    found = os.environ.get(LEVEL_VARIABLE) or DEFAULT
    wanted = chosen or (found if found in LEVELS else DEFAULT)  # a child has no command line to refuse a wrong one on
    if wanted != os.environ.get(LEVEL_VARIABLE, DEFAULT):
        os.environ[LEVEL_VARIABLE] = wanted
    for name in _OURS:
        logger = logging.getLogger(name)
        logger.setLevel(wanted.upper())
        logger.addHandler(_HANDLER)  # once, however often it is called


def pass_on(child: str, line: str) -> bool:
    """Log a line that a child process has logged. Returns False where it is something else."""
    found = _LINE.fullmatch(line)
    if found is not None:
        priority, name, text = found.groups()
        logging.getLogger(name).log(logging.getLevelNamesMapping().get(priority, logging.INFO), "%s: %s", child, text)
    return found is not None


class _Lines(logging.Formatter):
    """A record as one line: with its time, or, where the journal of systemd notes that, with its priority."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; nothing of an error that came with the record."""
        said = f"{record.name}: {' '.join(record.getMessage().split())}"
        if _is_journal(sys.stderr):
            return f"<{_PRIORITIES[record.levelname]}>{said}"
        return f"{self.formatTime(record)} {record.levelname} {said}"


class _Stderr(logging.Handler):
    """Writes to whatever stderr is now: while a command runs, one that makes control characters visible."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; a stderr that has gone ends no game."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()


def _is_journal(stream: TextIO) -> bool:
    """Return whether this stream goes to systemd's journal (`JOURNAL_STREAM`, systemd.exec(5))."""
    try:
        there = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


_HANDLER = _Stderr()
_HANDLER.setFormatter(_Lines())
