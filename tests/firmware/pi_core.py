"""A Raspberry Pi's own scanner as a core among the others: strict doubles of its parts, told what every square reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_bridge import CommandDecoder, WireFault
from firmware_bridge.sources.pi_board import PiBoard
from hardware import BoardFile
from tests.bridge.chain_double import StrictChain
from tests.bridge.converter_double import StrictConverters
from tests.bridge.matrix_double import StrictMatrix

Double = StrictMatrix | StrictChain | StrictConverters


def double_of(board: BoardFile) -> Double:
    """Give what is wired to the pins of such a board."""
    if board.gpio is not None:
        return StrictMatrix(board.gpio)
    return StrictChain(board) if board.spi is not None else StrictConverters(board)


def show(double: Double, board: BoardFile, values: Sequence[int]) -> None:
    """Let every square read this, in wire order: counts, or 1 for a magnet."""
    by_channel = dict(zip(board.scan.channels, values, strict=True))
    if isinstance(double, StrictConverters):
        for channel, counts in by_channel.items():
            double.counts[channel] = counts
    else:
        double.magnets = {channel for channel, value in by_channel.items() if value}


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
        double = self.double
        if isinstance(double, StrictConverters):
            self._pins = PiBoard("gpio:", self.board, factory=double, opened=double.open, store=self._store)
        elif isinstance(double, StrictChain):
            self._pins = PiBoard("gpio:", self.board, factory=double, opened=double.open, pause=double.pause)
        else:
            self._pins = PiBoard("gpio:", self.board, factory=double, pause=double.pause)
        return self._pins.start(now_ms)

    def scan(self, now_ms: int, values: Sequence[int]) -> bytes:
        """Scan squares that read this, in wire order."""
        assert self._pins is not None
        show(self.double, self.board, values)
        if isinstance(self.double, StrictMatrix):
            self.double.history.clear()
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
