"""A board on a serial port, or on a pty that looks like one."""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeAlias

import serial

from firmware_bridge._wire_constants import BAUD
from firmware_bridge.decoder import Decoder
from firmware_bridge.errors import BoardUnreachableError
from firmware_bridge.messages import AskHello, AskKeyframe, BoardMessage, Command, WireFault
from firmware_bridge.wire import encode

_READ_BYTES = 65536
_WRITE_TIMEOUT_S = 1.0  # a command is a few bytes: if they find no room in a second, nobody is there
_REASONS = {
    errno.ENOENT: "there is no such port (is the board plugged in?)",
    errno.EACCES: "permission denied (is this user in the group that owns the port, often dialout?)",
    errno.EBUSY: "another program uses it",
    errno.EAGAIN: "another program uses it",
    errno.ENOTTY: "that is no serial port",
    errno.EINVAL: "that is no serial port",
}


Tap: TypeAlias = Callable[[bool, bytes], None]
"""Is told of all bytes that cross the line: whether they come from the board, and the bytes."""


class SerialSource:
    """An open port, held for this process alone. Opening one may restart a board for a second or two and drops what had arrived."""

    def __init__(self, url: str, path: str, tap: Tap | None = None) -> None:
        self.url = url
        self._tap = tap
        self._decoder = Decoder()
        self._seq = 0
        self._gone: str | None = None
        try:
            self._port = serial.Serial(path, BAUD, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
        except (OSError, ValueError) as error:  # SerialException is an OSError
            raise BoardUnreachableError(f"board {url}: {_reason(error)}") from error
        self.send(AskHello())
        self.send(AskKeyframe())

    def fileno(self) -> int:
        """Give the port's descriptor."""
        return int(self._port.fileno())

    def read(self) -> list[BoardMessage | WireFault]:
        """Give what has arrived; raise BoardUnreachableError when the port is gone."""
        self._check()
        try:
            data: bytes = self._port.read(_READ_BYTES)
        except (OSError, TypeError) as error:  # TypeError: how pyserial reads a port that was closed meanwhile
            raise self._lost(error) from error
        if data and self._tap:
            self._tap(True, data)
        return self._decoder.feed(data) if data else []

    def send(self, command: Command) -> Command:
        """Send a command with the next seq and give it as sent."""
        self._check()
        sent = dataclasses.replace(command, seq=self._seq)
        self._seq = (self._seq + 1) % 256
        frame = encode(sent)
        try:
            self._port.write(frame)
        except OSError as error:
            raise self._lost(error) from error
        if self._tap:
            self._tap(False, frame)
        return sent

    def close(self) -> None:
        """Close the port."""
        self._gone = self._gone or "it was closed"
        self._port.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        if self._gone is not None:
            raise BoardUnreachableError(f"board {self.url}: {self._gone}")

    def _lost(self, error: Exception) -> BoardUnreachableError:
        self._gone = f"the connection is lost ({error})"
        return BoardUnreachableError(f"board {self.url}: {self._gone}")


def _reason(error: Exception) -> str:
    # pyserial wraps a termios.error into an exception without an errno; the number is in what it wrapped
    number = getattr(error, "errno", None)
    if number is None and error.__context__ is not None and error.__context__.args:
        number = error.__context__.args[0]
    return _REASONS.get(number, str(error)) if isinstance(number, int) else str(error)
