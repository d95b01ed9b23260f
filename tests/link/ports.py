"""Ports for programs that are started later, or come back to the same one."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from random import SystemRandom

_LEAST = 10_000


def kept_port() -> int:
    """Give a port that is free, and that the kernel gives to nobody who asks for just any: tests beside this one do that all the time."""
    beyond = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])
    chance = SystemRandom()
    while True:
        with (
            contextlib.suppress(OSError),
            socket.create_server(("127.0.0.1", chance.randrange(_LEAST, beyond))) as free,
        ):
            return int(free.getsockname()[1])
