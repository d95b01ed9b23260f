"""Lines that are typed while an asyncio program runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

_LONGEST_LINE = 1000


class Orders:
    """Hands every line of stdin to `take`, cut into words, on the running loop. Without a usable stdin nothing happens."""

    def __init__(self, take: Callable[[list[str]], None]) -> None:
        self._take = take
        self._rest = b""
        self._loop = asyncio.get_running_loop()
        self._listening = False
        try:
            self._fd = sys.stdin.fileno()
            self._loop.add_reader(self._fd, self._read)
            self._listening = True
        except (OSError, ValueError, AttributeError):
            pass  # closed, or a plain file, which no selector takes

    def close(self) -> None:
        """Listen no more."""
        if self._listening:
            self._listening = False
            self._loop.remove_reader(self._fd)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST_LINE:]
        for line in lines:
            self._take(line.decode(errors="replace").split())
