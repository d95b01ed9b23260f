"""How a kiosk comes to its end: a signal, the end of the process that started it, or a broker that no longer wants it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True, slots=True)
class Ending:
    """Why it ends, as an exit code and, when the user has to know, one line."""

    code: int = 0
    text: str = ""


STOPPED = Ending()
INTERRUPTED = Ending(130)


class Ends:
    """Takes the first ending from whichever thread or signal it comes, and tells `on_end` on a thread of its own."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.ending = STOPPED
        self.coming = threading.Event()
        self._on_end = on_end
        # a SimpleQueue may be fed from a signal handler; a lock may not be taken there
        self._queue: queue.SimpleQueue[Ending] = queue.SimpleQueue()
        threading.Thread(target=self._wait, name="kiosk-end", daemon=True).start()

    def put(self, ending: Ending) -> None:
        """End, unless it was decided already."""
        self._queue.put(ending)

    def heed_signals(self) -> None:
        """End on SIGTERM and SIGINT. To be called on the main thread."""

        def take(number: int, _frame: FrameType | None) -> None:
            self.put(INTERRUPTED if number == signal.SIGINT else STOPPED)

        signal.signal(signal.SIGTERM, take)
        signal.signal(signal.SIGINT, take)

    def follow(self, pipe: int) -> None:
        """End when nobody can write to the pipe any more: the process that started this one holds it open until it dies."""
        threading.Thread(target=self._read_to_end, args=(pipe,), name="kiosk-parent", daemon=True).start()

    def _read_to_end(self, pipe: int) -> None:
        # the bare file descriptor: a thread that waits in a buffered reader would hold its lock when the interpreter ends
        with contextlib.suppress(OSError):  # it was closed on this side
            while os.read(pipe, 4096):
                pass
        self.put(STOPPED)

    def _wait(self) -> None:
        self.ending = self._queue.get()
        self.coming.set()
        self._on_end()
