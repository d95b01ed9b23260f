"""A Raspberry Pi's own scanner as a core among the others: strict doubles of its parts, told what every square reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.messages import WireFault
from firmware_bridge.sources.gpio import PiBoard
from firmware_bridge.wire import CommandDecoder
from hardware import BoardFile
from simulator.simulated_pi import double_of, show


class PinCore:
    """The board's pins, its scanner and the firmware behind it. Nothing in it counts starts or tells why it was started."""

    def __init__(self, board: BoardFile, folder: Path) -> None:
        self.board = board
        self.double = double_of(board)
        self._store = folder / f"{board.id}.json"
        self._ears = CommandDecoder()
        self._pins: PiBoard | None = None

    def erase(self) -> None:
        """Forget the calibration."""
        self._store.unlink(missing_ok=True)

    def boot(self, now_ms: int = 0) -> bytes:
        """Start anew; what was kept stays kept."""
        self.close()
        self._pins = PiBoard("gpio:", self.board, self.double.parts, self._store)
        return self._pins.start(now_ms)

    def scan(self, now_ms: int, values: Sequence[int]) -> bytes:
        """Scan squares that read this, in wire order."""
        assert self._pins is not None
        show(self.double, self.board, values)
        return self._pins.scan(now_ms)

    def hear(self, now_ms: int, data: bytes) -> bytes:
        """Obey every command in these bytes; a Pi's own commands cross no line, but the tables' do."""
        assert self._pins is not None
        heard = [item for item in self._ears.feed(data) if not isinstance(item, WireFault)]
        return b"".join(self._pins.obey(command, now_ms) for command in heard)

    def close(self) -> None:
        """Let the pins go."""
        if self._pins is not None:
            self._pins.close()
