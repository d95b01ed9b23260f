"""A board without a controller: digital sensors on the Pi's own pins, a matrix or a chain, scanned by a thread of this process."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

from firmware_bridge.decoder import Decoder
from firmware_bridge.errors import BoardUnreachableError, BoardUrlError
from firmware_bridge.matrix_firmware import MatrixFirmware
from firmware_bridge.messages import Command, FrameFlag, LogLevel, News
from firmware_bridge.sources.chain import Bus, Chain, open_bus
from firmware_bridge.sources.matrix import Matrix
from firmware_bridge.sources.serial_port import Tap
from firmware_bridge.wire import encode
from hardware import BoardFile, Sensing

_RESTING_SCANS = 10  # while nothing changes only each tenth scan is made: a scan is a thousand calls, and costs as much as all the rest
_MOST_UNREAD = 256  # pieces: a reader that is 2.5 s behind at 100 Hz has stopped reading


class GpioSource:
    """Scans at the board file's rate and says what a controller would say, through the same bytes.

    `factory` is a gpiozero pin factory and `opened` opens an SPI device, for tests; by default they are the machine's own. With
    GPIOZERO_PIN_FACTORY=mock, which must be set by hand, the board says in its HELLO and in a LOG that it has no pins.
    """

    def __init__(
        self,
        url: str,
        board: BoardFile,
        tap: Tap | None = None,
        *,
        factory: object = None,
        opened: Callable[[int, int], Bus] = open_bus,
    ) -> None:
        self.url = url
        self._board = board
        self._tap = tap
        if (board.gpio is None and board.spi is None) or board.sensing is not Sensing.OCCUPANCY:
            raise BoardUrlError(f"board {url}: board file {board.id} has no [gpio] or [spi] table with digital sensors")
        try:
            self._sensors = Matrix(board.gpio, factory) if board.gpio else Chain(board, factory, opened)
        except Exception as error:  # each pin library raises classes of its own, and none is importable off a Pi
            raise BoardUnreachableError(f"board {url}: {_reason(error)}") from error
        name = f"hallmarshal-gpio {'mock' if self._sensors.is_mock else 'pins'}"
        self._firmware = MatrixFirmware(board, name)
        self._decoder = Decoder()
        self._seq = 0
        self._asked: deque[Command] = deque()
        self._said: deque[bytes] = deque()
        self._failed: str | None = None
        self._closed = False
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gpio", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        """Give a descriptor that is readable when `read` has something to say."""
        return self._bell

    def read(self) -> list[News]:
        """Give what was scanned; raise BoardUnreachableError when the pins failed."""
        if self._closed:
            raise BoardUnreachableError(f"board {self.url}: it was closed")
        if self._failed is None:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._bell)
        news: list[News] = []
        while self._said:
            data = self._said.popleft()
            if self._tap:
                self._tap(True, data)
            news += self._decoder.feed(data)
        if self._failed is not None and not news:
            raise BoardUnreachableError(f"board {self.url}: {self._failed}")
        return news

    def send(self, command: Command) -> Command:
        """Give a command to the scanning thread, which obeys between two scans; give it as sent."""
        if self._closed or self._failed is not None:
            raise BoardUnreachableError(f"board {self.url}: {self._failed or 'it was closed'}")
        sent = dataclasses.replace(command, seq=self._seq)
        self._seq = (self._seq + 1) % 256
        if self._tap:
            self._tap(False, encode(sent))
        self._asked.append(sent)
        return sent

    def close(self) -> None:
        """Stop scanning and let the pins go."""
        if self._closed:
            return
        self._closed = True
        self._stopped.set()
        self._thread.join()
        self._sensors.close()
        os.close(self._bell)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._scan_until_stopped()
        except Exception as error:  # as above: whatever a pin library raises
            self._failed = f"the pins failed ({_reason(error)})"
            os.eventfd_write(self._bell, 1)

    def _scan_until_stopped(self) -> None:
        start_ns = time.monotonic_ns()
        pace = Pace(self._board.scan.hz, start_ns)
        self._say(self._firmware.hello(0))
        if self._sensors.is_mock:
            self._say(self._firmware.log(LogLevel.WARNING, "mock pins: no board is connected", 0))
        while not self._stopped.wait(pace.wait_s(time.monotonic_ns())):
            now_ns = time.monotonic_ns()
            if pace.begin(now_ns):
                self._firmware.confess(FrameFlag.SCAN_LATE)
            now_ms = (now_ns - start_ns) // 1_000_000
            self._step(now_ms)
            if not self._firmware.active(now_ms):
                pace.rest(_RESTING_SCANS)

    def _step(self, now_ms: int) -> None:
        scanned = self._sensors.scan()
        said = self._firmware.scanned([scanned[channel] for channel in self._board.scan.channels], now_ms)
        while self._asked:
            said += self._firmware.obey(self._asked.popleft(), now_ms, self._stuck_squares)
        if said:
            self._say(said)

    def _stuck_squares(self) -> list[str]:
        stuck = self._sensors.stuck_channels()
        named = zip(self._board.squares, self._board.scan.channels, strict=True)
        return [square for square, channel in named if channel in stuck]

    def _say(self, data: bytes) -> None:
        if len(self._said) >= _MOST_UNREAD:
            self._firmware.confess(FrameFlag.QUEUE_FULL)
            return
        self._said.append(data)
        os.eventfd_write(self._bell, 1)


class Pace:
    """When scans are due: `hz` a second, from `start_ns` on. Scans that were missed are left out, never made up for."""

    def __init__(self, hz: int, start_ns: int) -> None:
        self._period_ns = 1_000_000_000 // hz
        self._due_ns = start_ns

    def wait_s(self, now_ns: int) -> float:
        """Give how long to wait for the next scan, in seconds; 0 if it is due."""
        return max(self._due_ns - now_ns, 0) / 1_000_000_000

    def rest(self, scans: int) -> None:
        """Let the next scans be left out, so that only the last of so many is made."""
        self._due_ns += (scans - 1) * self._period_ns

    def begin(self, now_ns: int) -> bool:
        """Take the beginning of the scan that is due; tell whether at least one was missed."""
        missed = max(now_ns - self._due_ns, 0) // self._period_ns
        self._due_ns += (missed + 1) * self._period_ns
        return missed > 0


def _reason(error: Exception) -> str:
    if type(error).__name__ in ("BadPinFactory", "PinUnknownPi"):
        return "there are no GPIO pins (no Raspberry Pi, or its pin library is missing: apt install python3-lgpio)"
    if isinstance(error, ModuleNotFoundError) and error.name == "spidev":
        return "spidev is missing (apt install python3-spidev, and an environment made with --system-site-packages)"
    return " ".join(f"{type(error).__name__}: {error}".split())
