"""Lines that are typed while a program runs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable

_LONGEST_LINE = 1000


class TypedLines:
    """The lines of stdin as they come, in whatever pieces. Without a usable stdin there are none."""

    def __init__(self) -> None:
        self._rest = b""
        self.cut = 0
        """How often a line was so long that its beginning was dropped."""
        self.fd: int | None = None
        """What to wait for; None when there is nothing more to come."""
        try:
            fd = sys.stdin.fileno()
            os.fstat(fd)
            self.fd = fd
        except (OSError, ValueError, AttributeError):
            pass  # closed, or there is none

    @property
    def kept(self) -> int:
        """Count the bytes of a line that has begun."""
        return len(self._rest)

    def read(self) -> list[str]:
        """Give the lines that what was typed completes; it waits where nothing was."""
        assert self.fd is not None
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            data = b""
        if not data:
            self.fd = None
            return []
        *lines, rest = (self._rest + data).split(b"\n")
        self.cut += len(rest) > _LONGEST_LINE
        self._rest = rest[-_LONGEST_LINE:]
        return [line.decode(errors="replace") for line in lines]


class Orders:
    """Hands every line of stdin to `take`, cut into words, on the running loop."""

    def __init__(self, take: Callable[[list[str]], None]) -> None:
        self._take = take
        self.typed = TypedLines()
        self._loop = asyncio.get_running_loop()
        self._fd = self.typed.fd
        if self._fd is not None:
            try:
                self._loop.add_reader(self._fd, self._read)
            except OSError:
                self._fd = None  # a plain file, which no selector takes

    @property
    def listening(self) -> bool:
        """Whether lines may still come."""
        return self._fd is not None

    def close(self) -> None:
        """Listen no more."""
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            self._fd = None

    def _read(self) -> None:
        for line in self.typed.read():
            self._take(line.split())
        if self.typed.fd is None:
            self.close()
