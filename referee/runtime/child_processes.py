"""Processes that watch each other: children that speak JSON, one object a line, and end with their parent; and systemd, which watches us.

Secrets travel through the pipes, never through arguments. A child ends at the end of its standard input, so that a parent that was
killed leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.log_output import pass_on

_log = logging.getLogger(__name__)

Line = dict[str, Any]
_LONGEST_LINE = 1 << 20
_PATIENCE_S = 5.0


class ChildError(Exception):
    """A child process ended or spoke nonsense; one clear line, with what it last wrote on its standard error."""


class Child:
    """One running child. `on_line` gets every object it prints, on the loop's thread."""

    def __init__(
        self, name: str, process: asyncio.subprocess.Process, on_line: Callable[[Line], None], may_leave: bool
    ) -> None:
        self.name = name
        self._may_leave = may_leave
        self._process = process
        self._on_line = on_line
        self._last_words: list[str] = []
        self._stopping = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the child has ended; an error unless it was asked to."""
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._keep_last_words())]

    @classmethod
    async def start(
        cls,
        name: str,
        module: str,
        *arguments: str,
        on_line: Callable[[Line], None],
        may_leave: bool = False,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Child:
        """Start `python -m module arguments`; one that `may_leave` may end by itself with exit code 0.

        `before` is the command that runs it, `environment` all that it finds in its own (None: what this process has).
        """
        process = await asyncio.create_subprocess_exec(
            *before,
            sys.executable,
            "-m",
            module,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"} if environment is None else environment,
            start_new_session=True,  # Ctrl-C is the parent's to answer: it ends its children in order
        )
        _log.info("%s is process %d", name, process.pid)
        return cls(name, process, on_line, may_leave)

    def send(self, line: Line) -> None:
        """Send one object. A child that has ended is reported through `ended`, not here."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(json.dumps(line).encode() + b"\n")

    async def stop(self) -> None:
        """Ask the child to end by closing its input; one that does not is killed."""
        self._stopping = True
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _PATIENCE_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        for task in self._tasks:
            await task
        with contextlib.suppress(ChildError):
            await self.ended

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._on_line(json.loads(line))
        except ValueError:
            self._finish(ChildError(f"{self.name} said something that is not JSON"))
            return
        code = await self._process.wait()
        _log.info("%s (process %d) ended with exit code %d", self.name, self._process.pid, code)
        if self._stopping or (code == 0 and self._may_leave):
            self._finish(None)
        else:
            words = " ".join(self._last_words[-1:])
            self._finish(ChildError(f"{self.name} ended by itself (exit code {code}) {words}".strip()))

    async def _keep_last_words(self) -> None:
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            text = line.decode(errors="replace").strip()
            if not pass_on(self.name, text):
                self._last_words.append(text)
                del self._last_words[:-20]

    def _finish(self, error: ChildError | None) -> None:
        if self.ended.done():
            return
        if error is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(error)
            self.ended.exception()  # seen: whoever waits gets it, nobody has to


# ---- systemd: if a unit with WatchdogSec started us, it is told that the loop still turns, and restarts a table or kiosk that hangs


@dataclass(frozen=True, slots=True)
class Watchdog:
    """The line to systemd. `tell` it every `every_s` seconds, which is twice in the time that it allows."""

    every_s: float
    _line: socket.socket
    _address: str

    def tell(self) -> None:
        """Send systemd the sign of life."""
        with contextlib.suppress(OSError):  # systemd is busy: it hears the next one
            self._line.sendto(b"WATCHDOG=1", self._address)

    def close(self) -> None:
        """Close the line."""
        self._line.close()


def watchdog() -> Watchdog | None:
    """Return the line to systemd, None if it does not wait for us."""
    address, allowed_us = os.environ.get("NOTIFY_SOCKET"), os.environ.get("WATCHDOG_USEC", "")
    if not address or not allowed_us.isdigit() or int(allowed_us) == 0:
        return None
    line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    return Watchdog(int(allowed_us) / 2_000_000, line, "\0" + address[1:] if address.startswith("@") else address)


def keep_alive(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Begin to tell systemd on this loop; give what ends it. Without systemd nothing happens."""
    found = watchdog()
    if found is None:
        return lambda: None
    line: Watchdog = found
    timer: asyncio.TimerHandle | None = None

    def tell() -> None:
        nonlocal timer
        line.tell()
        timer = loop.call_later(line.every_s, tell)

    def end() -> None:
        if timer is not None:
            timer.cancel()
        line.close()

    tell()
    return end
