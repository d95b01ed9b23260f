"""Who speaks for a simulated board: the emulated firmware, or the real one in a simulated chip (or `simulator.scanned`).

All give the bytes of the line.
"""

from __future__ import annotations

from typing import Protocol

from firmware_bridge import CommandDecoder, WireFault
from firmware_bridge.messages import Reading, ResetCause
from simulator.board import SimBoard
from simulator.chip import BROWN_OUT, EXTERNAL, MOST_BEGUN, Chip, store_image

_ANSWER_MS = 30  # board time that a chip gets to answer a command


class Voice(Protocol):
    """Board time is the simulated board's; every call gives what was sent, in order."""

    def start(self) -> list[bytes]:
        """Switch the power on."""

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass."""

    def hear(self, data: bytes) -> list[bytes]:
        """Take bytes of the host's."""

    @property
    def next_ms(self) -> int:
        """When something may be sent next, unless a hand or a command comes."""

    def close(self) -> None:
        """End it."""


class Emulated:
    """`simulator.firmware`: fast, and all that most tests need."""

    def __init__(self, board: SimBoard) -> None:
        self._board = board
        self._commands = CommandDecoder()

    def start(self) -> list[bytes]:
        """Return HELLO and the first KEYFRAME."""
        return self._board.start()

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass."""
        return self._board.advance(until_ms)

    def hear(self, data: bytes) -> list[bytes]:
        """Carry out commands. What is broken is ignored, as the firmware does."""
        heard = self._commands.feed(data)
        return [frame for command in heard if not isinstance(command, WireFault) for frame in self._board.obey(command)]

    @property
    def next_ms(self) -> int:
        """The next scan that may send something."""
        return self._board.next_ms

    def close(self) -> None:
        """Nothing to end."""


class Simulated:
    """The real firmware's image. The board's magnets are felt by its pins at every scan, with the noise of the profile's sensors.

    The profile's glitches reach it on a digital board only: a converter's flicker is in the counts already. Messages that the profile's
    line loses or repeats are its own business, so they are not lost here; a cut line is.
    """

    def __init__(self, board: SimBoard, chip: str) -> None:
        self._board = board
        self._period_ms = 1000 // board.board.scan.hz
        calibration = board.calibration
        store = store_image(board.board, *calibration) if calibration else b""
        self.chip = Chip(board.board, chip, store)
        self._booted_ms = 0
        self._begun: list[bool] = []
        """Runs of the chip that were begun and not asked for: whether the line was cut then."""

    def start(self) -> list[bytes]:
        """Switch the power on; the chip speaks when time passes."""
        self._board.start()
        self.chip.start()
        return []

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass, a scan at a time; the chip runs beside the magnets."""
        sent: list[bytes] = []
        while (now_ms := self._board.now_ms) < until_ms:
            self._begin(min(now_ms + self._period_ms, until_ms), b"")
            if len(self._begun) == MOST_BEGUN:
                sent += self._said()
        return sent + self._said()

    def hear(self, data: bytes) -> list[bytes]:
        """Let the chip hear, and give it time to answer."""
        self._begin(self._board.now_ms + self._period_ms, data)
        return self.advance(self._board.now_ms + _ANSWER_MS)

    @property
    def next_ms(self) -> int:
        """The next scan."""
        return self._board.now_ms + self._period_ms

    def close(self) -> None:
        """End the chip."""
        self.chip.close()

    def _begin(self, until_ms: int, heard: bytes) -> None:
        board = self._board
        board.advance(until_ms)
        if board.boot_ms != self._booted_ms:
            self._booted_ms = board.boot_ms
            self.chip.start(BROWN_OUT if board.firmware.reset is ResetCause.BROWN_OUT else EXTERNAL)
        if until_ms <= board.boot_ms:
            return  # it is still being restarted
        self.chip.feel(felt(board))
        self.chip.begin(until_ms - board.boot_ms, b"" if board.is_cut else heard)
        self._begun.append(board.is_cut)

    def _said(self) -> list[bytes]:
        said = [(self.chip.said(), cut) for cut in self._begun]
        self._begun.clear()
        return [sent for sent, cut in said if sent and not cut]


def felt(board: SimBoard) -> list[int]:
    """Return what every square's sensor says: counts, or 1 for a magnet."""
    if board.colour:
        return list(board.amplitudes())
    return [int(reading is not Reading.EMPTY) for reading in board.firmware.readings]
