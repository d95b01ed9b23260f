"""A voice of a simulated board: a Raspberry Pi that scans it itself, with strict doubles of the parts on its pins."""

from __future__ import annotations

import tempfile
from pathlib import Path

from firmware_bridge import CommandDecoder, WireFault
from firmware_bridge.host_firmware import Settings
from firmware_bridge.sources.gpio import write_calibration
from simulator.board import SimBoard
from simulator.errors import ChipError
from simulator.pi import double_of, scanner_of, show
from simulator.voices import felt


class Scanned:
    """A Raspberry Pi that scans the board itself: its scanner as it is, strict doubles of the parts on its pins, a scan at each period.

    The thread that keeps the scanner's pace on a real Pi is not in it: time is the simulated board's.
    """

    def __init__(self, board: SimBoard) -> None:
        wired = board.board
        if not (wired.gpio or wired.spi or wired.mcp3008) or board.colour is not (wired.mcp3008 is not None):
            raise ChipError(f"board file {wired.id} is not wired to a Raspberry Pi for sensing {wired.sensing.value}")
        self._board = board
        self._period_ms = 1000 // wired.scan.hz
        self._folder = tempfile.TemporaryDirectory()
        store = Path(self._folder.name) / "calibration.json"
        if board.calibration:
            limits = (round(1000 * wired.thresholds.on), round(1000 * wired.thresholds.off))
            zeros, gains = board.calibration
            write_calibration(store, wired, Settings(*limits, tuple(zeros), tuple(gains)))
        self._double = double_of(wired)
        self._store = store
        self._commands = CommandDecoder()
        self._booted_ms = 0
        self._greeted = False
        self._scanner = scanner_of(self._double, wired, store)

    def start(self) -> list[bytes]:
        """Switch the power on; it speaks when time passes."""
        self._board.start()
        return []

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass, a scan at a time."""
        sent: list[bytes] = []
        while (now_ms := self._board.now_ms) < until_ms:
            sent += self._scan(min(now_ms + self._period_ms, until_ms))
        return sent

    def hear(self, data: bytes) -> list[bytes]:
        """Carry out commands."""
        heard = self._commands.feed(data)
        now_ms = self._board.now_ms - self._board.boot_ms
        said = [self._scanner.obey(command, now_ms) for command in heard if not isinstance(command, WireFault)]
        return [] if self._board.is_cut else said

    @property
    def next_ms(self) -> int:
        """The next scan."""
        return self._board.now_ms + self._period_ms

    def close(self) -> None:
        """Let the pins go."""
        self._scanner.close()
        self._folder.cleanup()

    def _scan(self, until_ms: int) -> list[bytes]:
        board = self._board
        board.advance(until_ms)
        if board.boot_ms != self._booted_ms:
            self._booted_ms, self._greeted = board.boot_ms, False
            self._scanner.close()
            self._scanner = scanner_of(self._double, board.board, self._store)
        now_ms = until_ms - board.boot_ms
        if now_ms <= 0:
            return []  # it is still being restarted
        said = b"" if self._greeted else self._scanner.start(now_ms)
        self._greeted = True
        show(self._double, board.board, felt(board))
        said += self._scanner.scan(now_ms)
        return [said] if said and not board.is_cut else []
