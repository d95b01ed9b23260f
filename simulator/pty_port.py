"""A pseudo terminal that behaves like the board's end of a serial cable."""

from __future__ import annotations

import fcntl
import os
import termios
import tty
from collections import deque

_CHUNK = 4096


class PtyPort:
    """The board's end of a raw pty. What is queued is never dropped: it waits until the host has made room.

    Our own opening of the host's end stays open, so that a host may close it and come back as with a real cable.
    """

    def __init__(self) -> None:
        self._board_end, self._host_end = os.openpty()
        # raw on both ways: no echo, no line feed turned into two bytes, no control character with a meaning
        tty.setraw(self._host_end)
        os.set_blocking(self._board_end, False)
        self.path = os.ttyname(self._host_end)
        self._queue: deque[bytes] = deque()
        self.waiting = 0

    def fileno(self) -> int:
        """Return the descriptor to wait on: readable when the host sent something, writable when there is room."""
        return self._board_end

    def send(self, frames: list[bytes]) -> None:
        """Queue frames and write what there is room for; `waiting` says how many bytes are left."""
        self._queue.extend(frames)
        self.waiting += sum(map(len, frames))
        self.write()

    def write(self) -> None:
        """Write what there is room for now."""
        while self._queue:
            data = b"".join(self._queue)
            self._queue.clear()
            try:
                written = os.write(self._board_end, data[:_CHUNK])
            except BlockingIOError:
                written = 0
            self.waiting -= written
            if written < len(data):
                self._queue.append(data[written:])
            if written == 0:
                return

    def read(self) -> bytes:
        """Return what the host sent; empty if nothing."""
        try:
            return os.read(self._board_end, _CHUNK)
        except BlockingIOError:
            return b""

    def drained(self) -> bool:
        """True when nothing is queued and the host has read everything that was written."""
        unread = fcntl.ioctl(self._host_end, termios.FIONREAD, b"\0\0\0\0")
        return self.waiting == 0 and unread == b"\0\0\0\0"

    def close(self) -> None:
        """Close both ends."""
        os.close(self._board_end)
        os.close(self._host_end)
