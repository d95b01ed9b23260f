"""Tells systemd that the loop still turns, if a unit with WatchdogSec started us: a table that hangs is restarted and resumes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable


def keep_alive(loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
    """Begin to tell, on this loop, twice in the time that systemd allows; give what ends it. Without systemd nothing happens."""
    address, allowed_us = os.environ.get("NOTIFY_SOCKET"), os.environ.get("WATCHDOG_USEC", "")
    if not address or not allowed_us.isdigit() or int(allowed_us) == 0:
        return lambda: None
    line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    every_s = int(allowed_us) / 2_000_000
    timer: asyncio.TimerHandle | None = None

    def tell() -> None:
        nonlocal timer
        with contextlib.suppress(OSError):  # systemd is busy: it hears the next one
            line.sendto(b"WATCHDOG=1", "\0" + address[1:] if address.startswith("@") else address)
        timer = loop.call_later(every_s, tell)

    def end() -> None:
        if timer is not None:
            timer.cancel()
        line.close()

    tell()
    return end
