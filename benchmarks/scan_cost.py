"""What a scan of a Raspberry Pi's own pins costs in Python: reading, judging and saying, with pins and bus that answer at once.

`python -m benchmarks.scan_cost` prints one JSON object: for each board that a Pi scans itself the milliseconds of processor time of one
scan, and the calls of pins and bus in it. What a real pin and a real bus take is not in it: docs/reference/board-files.md adds that.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median

from gpiozero.pins.mock import MockFactory, MockPin  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.host_firmware import HostFirmware, LevelFirmware, LinearFirmware
from firmware_bridge.sources.pi_pins import Chain, Converters, Matrix, PiParts
from firmware_bridge.wire import BoardEncoder
from hardware import BoardFile, board_names, load_board

ROUNDS, SCANS = 9, 200
_DOWN_MS = 10


class _Pin(MockPin):  # type: ignore[misc] # its base has no types
    """A pin that counts how often it is told or asked something."""

    def _set_state(self, value: bool) -> None:
        self.factory.calls += 1
        super()._set_state(value)

    def _get_state(self) -> bool:
        self.factory.calls += 1
        return bool(super()._get_state())


class _Pi(MockFactory):  # type: ignore[misc] # its base has no types
    """Pins, and a bus that answers with its quickest answer; `calls` of both are counted."""

    def __init__(self) -> None:
        super().__init__(pin_class=_Pin)
        self.calls = 0
        self.mode = self.max_speed_hz = 0

    def xfer2(self, values: Sequence[int]) -> Sequence[int]:
        """Answer with bytes that change a little from call to call, as a converter's do."""
        self.calls += 1
        return [0, 2, self.calls & 3] if len(values) == 3 else [255] * len(values)

    def close(self) -> None:
        """Close nothing."""


def costs() -> dict[str, dict[str, float]]:
    """Return for each board that a Pi scans the milliseconds and calls of one scan, at rest and with every frame sent."""
    boards = map(load_board, board_names())
    return {board.id: _cost(board) for board in boards if board.gpio or board.spi or board.mcp3008}


def _cost(board: BoardFile) -> dict[str, float]:
    pi = _Pi()
    firmware: HostFirmware = (
        LinearFirmware(board, "bench", None, lambda kept: True) if board.mcp3008 else LevelFirmware(board, "bench")
    )
    encoder = BoardEncoder()
    scan = _scanner(board, pi)

    def once(now_ms: int) -> None:
        scanned = scan()
        frame = firmware.scanned([scanned[channel] for channel in board.scan.channels], now_ms)
        if frame is not None:
            encoder.encode(frame)

    times = []
    for number in range(ROUNDS):
        began_s = time.process_time()
        for turn in range(SCANS):
            once((number * SCANS + turn) * _DOWN_MS)
        times.append((time.process_time() - began_s) / SCANS)
    calls = pi.calls
    once(ROUNDS * SCANS * _DOWN_MS)
    return {"ms": round(1000 * median(times), 3), "calls": pi.calls - calls}


def _scanner(board: BoardFile, pi: _Pi) -> Callable[[], Sequence[int]]:
    parts = PiParts(pi, lambda bus, device: pi, lambda seconds: None)
    if board.gpio is not None:
        return Matrix(board.gpio, parts).scan
    return (Chain(board, parts) if board.spi is not None else Converters(board, parts)).scan


if __name__ == "__main__":
    print(json.dumps({"machine": platform.machine(), "python": platform.python_version(), "boards": costs()}, indent=2))
    sys.exit(0)
