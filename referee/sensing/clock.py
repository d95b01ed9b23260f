"""Time as sensing counts it: board time without its wrap, and when to look again."""

from __future__ import annotations

NEVER_MS = 1 << 60
_RANGE = 1 << 32


class Clock:
    """Unwraps `board_ms`. A step backwards is a reboot: time goes on from there, and the step counts as a gap."""

    __slots__ = ("_board_ms", "now_ms")

    def __init__(self) -> None:
        self._board_ms: int | None = None
        self.now_ms = 0

    def take(self, board_ms: int) -> int | None:
        """Move to a frame's time; give the milliseconds since the last one, None if nobody can say (first frame, reboot)."""
        if self._board_ms is None:
            self._board_ms = board_ms
            return None
        step_ms = (board_ms - self._board_ms) % _RANGE
        self._board_ms = board_ms
        if step_ms > _RANGE // 2:
            self.now_ms += 1
            return None
        self.now_ms += step_ms
        return step_ms

    def board(self, at_ms: int) -> int:
        """Give an earlier (or this) time as the board counts it, modulo 2^32."""
        return ((self._board_ms or 0) - (self.now_ms - at_ms)) % _RANGE


class Alarm:
    """Remembers the nearest time at which something becomes true if no square changes until then."""

    __slots__ = ("clock", "wake_ms")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.wake_ms = 0

    def sleep(self) -> None:
        """Forget every time: ask again for each that still matters."""
        self.wake_ms = NEVER_MS

    def ring(self) -> None:
        """Look at the next frame, whatever it shows."""
        self.wake_ms = 0

    def reached(self, at_ms: int) -> bool:
        """Whether it is this late; if not, look again then."""
        if self.clock.now_ms >= at_ms:
            return True
        self.wake_ms = min(self.wake_ms, at_ms)
        return False
