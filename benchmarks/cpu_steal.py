"""What the host of a virtual machine took away while something was measured: time in which this machine stood still.

Linux counts it as `steal` in `/proc/stat` (proc(5)), in steps of 10 ms; on a machine of one's own it stays 0.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_STAT = Path("/proc/stat")
_STEAL = 8


def stolen_ms() -> int:
    """Give the milliseconds, summed over the processors, that the host has given to others since the start; 0 where nobody counts."""
    try:
        with _STAT.open() as lines:
            fields = lines.readline().split()
    except OSError:
        return 0
    return int(fields[_STEAL]) * 1000 // os.sysconf("SC_CLK_TCK") if len(fields) > _STEAL else 0


class StolenTime:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._stolen_ms, self._began_s = stolen_ms(), time.monotonic()

    def ms(self) -> int:
        """Give the milliseconds that were taken away since then, summed over the processors."""
        return stolen_ms() - self._stolen_ms

    def percent(self) -> float:
        """Give their share of all the time that the processors had since then."""
        had_ms = (time.monotonic() - self._began_s) * 1000 * (os.cpu_count() or 1)
        return round(100 * self.ms() / max(1.0, had_ms), 1)
