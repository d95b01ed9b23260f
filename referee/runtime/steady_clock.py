"""A clock that stands still while its own process did: what nobody could have measured is charged to nobody.

A referee that is stopped, swapped out, or held up by a disk reads what hands did meanwhile only afterwards. By the machine's clock
the whole time would be the mover's, and his flag could fall although he had moved at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

BEAT_MS = 250
"""Somebody asks for the time at least so often while the process runs."""
GAP_MS = 500
"""With so long between two askings the process was held up. A shorter stall may be charged in full, so this is the most."""


def monotonic_ms() -> int:
    """Return the machine's time since its start in milliseconds; it never goes back."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """Milliseconds of a clock that never goes back, less the gaps between two askings of `GAP_MS` and more."""

    def __init__(self, machine_ms: Callable[[], int] = monotonic_ms) -> None:
        self._machine_ms = machine_ms
        self._asked_ms = machine_ms()
        self.stalled_ms = 0
        """What was left out so far."""

    def now_ms(self) -> int:
        """Return the time. After a stall it is that of the last asking before it."""
        machine_ms = self._machine_ms()
        gap_ms = machine_ms - self._asked_ms
        if gap_ms >= GAP_MS:
            self.stalled_ms += gap_ms
        self._asked_ms = machine_ms
        return machine_ms - self.stalled_ms
