"""Tells systemd that a loop still turns, if a unit with WatchdogSec started us: a table or kiosk that hangs is restarted."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Watchdog:
    """The line to systemd. `tell` it every `every_s` seconds, which is twice in the time that it allows."""

    every_s: float
    _line: socket.socket
    _address: str

    def tell(self) -> None:
        """Say that all is well."""
        with contextlib.suppress(OSError):  # systemd is busy: it hears the next one
            self._line.sendto(b"WATCHDOG=1", self._address)

    def close(self) -> None:
        """Say no more."""
        self._line.close()


def watchdog() -> Watchdog | None:
    """Give the line to systemd, None if it does not wait for us."""
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
