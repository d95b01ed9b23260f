"""A `gpio:` source whose thread has no time but what a test gives it, and the simulator's magnets over the doubles of its parts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from firmware_bridge.messages import BoardMessage, Frame, Hello, Log, Reading
from firmware_bridge.sources.gpio import GpioSource
from firmware_bridge.sources.pi_pins import Bell, Clock
from hardware import BoardFile
from hardware.wiring import is_linear
from simulator.board import SimBoard
from simulator.simulated_pi import double_of, show
from tests.patience import PATIENCE_S

_LOOK_S = 0.02  # so often a parked thread looks whether it is to end


class LockstepClock(Clock):
    """Time stands still until `run` lets it pass; then the thread scans as often as that time has scans, and no oftener."""

    def __init__(self, at: Callable[[int], None]) -> None:
        self._at = at
        self._now_ns = self._until_ns = 0
        self._wanted_ns: int | None = None
        self._turn = threading.Condition()

    def now_ns(self) -> int:
        """Return the time."""
        return self._now_ns

    def wait(self, bell: Bell, seconds: float) -> bool:
        """Wait for the time that `run` grants; the world is told of the time before the scan that follows."""
        wanted_ns = self._now_ns + round(seconds * 1e9)
        with self._turn:
            self._wanted_ns = wanted_ns
            self._turn.notify_all()
            rung = bell.heard_within(0)
            while wanted_ns > self._until_ns and not rung:
                self._turn.wait(_LOOK_S)
                rung = bell.heard_within(0)
            self._wanted_ns = None
        if wanted_ns <= self._until_ns:
            self._now_ns = wanted_ns
            self._at(wanted_ns // 1_000_000)
        return rung

    def run(self, until_ms: int) -> None:
        """Let time pass, and come back when the thread waits for more."""
        with self._turn:
            self._until_ns = until_ms * 1_000_000
            self._turn.notify_all()
            done = self._turn.wait_for(
                lambda: self._wanted_ns is not None and self._wanted_ns > self._until_ns, PATIENCE_S
            )
        assert done, "the scanning thread does not come back"


class PinnedBoard(SimBoard):
    """A simulated board that nobody hears but the Pi's own pins: what it says itself is thrown away."""

    def __init__(self, board: BoardFile, seed: int, store: Path) -> None:
        super().__init__(board, seed)
        self._double = double = double_of(board)
        self._clock = LockstepClock(self._feel)
        self.source = GpioSource("gpio:", board, parts=replace(double.parts, clock=self._clock), store=store)

    def listen(self, until_ms: int) -> list[BoardMessage]:
        """Let board time pass; return what the source says, which must all be whole."""
        self._clock.run(until_ms)
        super().listen(until_ms)
        heard: list[BoardMessage] = []
        for item in self.source.read():
            assert isinstance(item, Hello | Frame | Log), item
            heard.append(item)
        return heard

    def _feel(self, now_ms: int) -> None:
        super().listen(now_ms)
        levels = [int(reading is not Reading.EMPTY) for reading in self.firmware.readings]
        show(self._double, self.board, self.amplitudes() if is_linear(self.board) else levels)
