"""Tries again and again to open what is not there, off the thread that reads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class Reopening(Generic[Found]):
    """Calls `attempt` each `retry_s` seconds until it raises none of `expected`, then rings `bell` (an eventfd) once.

    Every failure counts as not there yet: a port that has just appeared belongs to nobody for a moment, or to another program.
    """

    def __init__(
        self, attempt: Callable[[], Found], expected: tuple[type[Exception], ...], retry_s: float, bell: int
    ) -> None:
        self._attempt = attempt
        self._expected = expected
        self._retry_s = retry_s
        self._bell = bell
        self._found: Found | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reopening", daemon=True)
        self._thread.start()

    def found(self) -> Found | None:
        """Give what was opened, or None; never waits."""
        return self._found

    def stop(self) -> Found | None:
        """Try no more; give what was opened, which is then the caller's to close."""
        self._stopped.set()
        self._thread.join()
        return self._found

    def _run(self) -> None:
        while not self._stopped.wait(self._retry_s):
            try:
                self._found = self._attempt()
            except self._expected:
                continue
            os.eventfd_write(self._bell, 1)
            return
