"""A board without a controller: a matrix, a chain or converters on the Pi's own pins, scanned by a thread of this process."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from firmware_bridge._wire_constants import ACTIVE_MS
from firmware_bridge.decoder import Decoder
from firmware_bridge.errors import BoardUnreachableError
from firmware_bridge.messages import Command, FrameFlag, News
from firmware_bridge.sources.chain import Bus, open_bus
from firmware_bridge.sources.pi_board import PiBoard, reason_of
from firmware_bridge.sources.serial_port import Tap
from firmware_bridge.wire import encode
from hardware import BoardFile

_RESTS_MS = ((5_000, 150), (ACTIVE_MS, 40))
"""For how long nothing has changed, and how far apart scans are then: a scan is a hundred calls and more.

While hands are at work 100 ms are too many, and the referee has to ask; after a long stillness they only let the first change be seen so
late, and what follows it is seen in time: verdicts come no later for it (docs/reference/board-files.md).
"""
_MOST_UNREAD = 256  # pieces: a reader that is 2.5 s behind at 100 Hz has stopped reading


class Bell:
    """Wakes the scanning thread: a lock that whoever rings lets go. An Event of Python's takes twice as long to wait for."""

    def __init__(self) -> None:
        self._silence = threading.Lock()
        self._silence.acquire()

    def ring(self) -> None:
        """Ring; a bell that rings already rings on."""
        with contextlib.suppress(RuntimeError):
            self._silence.release()

    def heard_within(self, seconds: float) -> bool:
        """Wait for it so long at most; tell whether it rang, which ends its ringing."""
        return self._silence.acquire(timeout=seconds)


class Clock(Protocol):
    """What the scanning thread knows of time."""

    def now_ns(self) -> int:
        """Give a time that never falls."""

    def wait(self, bell: Bell, seconds: float) -> bool:
        """Let so much time pass, or less if the bell is rung; tell whether it was."""

    def pause(self, seconds: float) -> None:
        """Let a row settle, or a latch take: microseconds, in the middle of a scan."""


class WallClock:
    """The machine's own."""

    def now_ns(self) -> int:
        """Give the time since the machine was started."""
        return time.monotonic_ns()

    def wait(self, bell: Bell, seconds: float) -> bool:
        """Sleep until the bell rings, but no longer than this."""
        return bell.heard_within(seconds)

    def pause(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


class GpioSource:
    """Scans at the board file's rate and says what a controller would say, through the same bytes.

    `factory`, `opened` and `clock` are for tests: a gpiozero pin factory, what opens an SPI device, and the thread's time. With
    GPIOZERO_PIN_FACTORY=mock, which must be set by hand, the board says in its HELLO and in a LOG that it has no pins. `store` is the
    file that keeps the calibration of linear sensors; None: `calibration_file.default_path`.
    """

    def __init__(
        self,
        url: str,
        board: BoardFile,
        tap: Tap | None = None,
        *,
        factory: object = None,
        opened: Callable[[int, int], Bus] = open_bus,
        store: Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.url = url
        self._hz = board.scan.hz
        self._tap = tap
        self._clock = clock or WallClock()
        self._pins = PiBoard(url, board, factory=factory, opened=opened, pause=self._clock.pause, store=store)
        self._decoder = Decoder()
        self._seq = 0
        self._asked: deque[Command] = deque()
        self._said: deque[bytes] = deque()
        self._failed: str | None = None
        self._closed = False
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopped = False
        self._wanted = Bell()  # a command waits, or the end
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
        """Give a command to the scanning thread, which scans at once and obeys; give it as sent."""
        if self._closed or self._failed is not None:
            raise BoardUnreachableError(f"board {self.url}: {self._failed or 'it was closed'}")
        sent = dataclasses.replace(command, seq=self._seq)
        self._seq = (self._seq + 1) % 256
        if self._tap:
            self._tap(False, encode(sent))
        self._asked.append(sent)
        self._wanted.ring()
        return sent

    def close(self) -> None:
        """Stop scanning and let the pins go."""
        if self._closed:
            return
        self._closed = True
        self._stopped = True
        self._wanted.ring()
        self._thread.join()
        self._pins.close()
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
        except Exception as error:  # whatever a pin library raises
            self._failed = f"the pins failed ({reason_of(error)})"
            os.eventfd_write(self._bell, 1)

    def _scan_until_stopped(self) -> None:
        clock, pins = self._clock, self._pins
        start_ns = clock.now_ns()
        pace = Pace(self._hz, start_ns)
        self._say(pins.start(0))
        while True:
            asked = clock.wait(self._wanted, pace.wait_s(clock.now_ns()))
            if self._stopped:
                return
            now_ns = clock.now_ns()
            if asked:
                pace.hurry(now_ns)  # an answer tells what is so now, also at rest
            if pace.begin(now_ns):
                pins.confess(FrameFlag.SCAN_LATE)
            now_ms = (now_ns - start_ns) // 1_000_000
            said = pins.scan(now_ms)
            while self._asked:
                said += pins.obey(self._asked.popleft(), now_ms)
            if said:
                self._say(said)
            pace.rest(_scans_at_once(pins.still_ms(now_ms), self._hz))

    def _say(self, data: bytes) -> None:
        if len(self._said) >= _MOST_UNREAD:
            self._pins.confess(FrameFlag.QUEUE_FULL)
            return
        self._said.append(data)
        os.eventfd_write(self._bell, 1)


def _scans_at_once(still_ms: int, hz: int) -> int:
    """Give of how many scans only the last is made, after so long a stillness."""
    rest_ms = next((rest_ms for after_ms, rest_ms in _RESTS_MS if still_ms > after_ms), 0)
    return max(1, rest_ms * hz // 1000)


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

    def hurry(self, now_ns: int) -> None:
        """Let the next scan be due now, if it is not already."""
        self._due_ns = min(self._due_ns, now_ns)

    def begin(self, now_ns: int) -> bool:
        """Take the beginning of the scan that is due; tell whether at least one was missed."""
        missed = max(now_ns - self._due_ns, 0) // self._period_ns
        self._due_ns += (missed + 1) * self._period_ns
        return missed > 0
