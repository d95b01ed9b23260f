"""The C core in a process of its own, built for this machine with sanitizers; and both Python firmwares fed with the same numbers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from firmware_bridge.host_firmware import BoardCalibration, FirmwareCore, LinearFirmware
from firmware_bridge.messages import BoardMessage, Command, Frame, Reading, Save, SetGain, SetZero, WireFault
from firmware_bridge.wire import CommandDecoder, Decoder, encode
from hardware import BoardFile, load_board
from hardware.board_file import HALF_SUPPLY
from simulator.firmware import TRUE_GAIN, TRUE_ZERO, Firmware, Sensors, neighbours_of
from simulator.magnets import field_of
from tests.firmware.building import made

LINEAR, DIGITAL = load_board("travel-10x10"), load_board("travel-10x10-digital")
COUNT = len(LINEAR.squares)
EMPTY_BOARD = [TRUE_ZERO] * COUNT
SETTINGS: tuple[Command, ...] = (SetZero(255, TRUE_ZERO), SetGain(255, Reading.RED, TRUE_GAIN), Save())

POWER_ON, EXTERNAL, BROWN_OUT = 1, 2, 3


class HostCore:
    """One core. Every method gives the bytes that the firmware sent. A sanitizer's complaint ends the process and fails the test."""

    def __init__(self, board: BoardFile) -> None:
        self.board = board
        program = made("host", f"BOARD={board.id}") / board.id / "host/hm_host"
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self, text: str) -> str:
        """Send one line. Returns the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer.endswith("\n"), f"the core ended at: {text[:80]}"
        return answer.strip()

    def erase(self) -> None:
        """Forget calibration and starts."""
        self.line("erase")

    def boot(self, cause: int = POWER_ON, now_ms: int = 0) -> bytes:
        """Switch the power on; the store stays what it was."""
        return bytes.fromhex(self.line(f"boot {cause} {now_ms}"))

    def scan(self, now_ms: int, values: Sequence[int], supply: int = HALF_SUPPLY) -> bytes:
        """Scan squares that read this, in wire order; spare channels read nothing. The chip's time wraps by itself."""
        channels = [0] * (self.board.scan.chips * self.board.scan.channels_per_chip)
        if self.board.scan.supply is not None:
            channels[self.board.scan.supply] = supply
        for channel, value in zip(self.board.scan.channels, values, strict=True):
            channels[channel] = value
        return bytes.fromhex(self.line(f"scan {now_ms % 2**32} {' '.join(map(str, channels))}"))

    def hear(self, now_ms: int, data: bytes) -> bytes:
        """Hear bytes of the host's."""
        return bytes.fromhex(self.line(f"hear {now_ms} {data.hex()}"))

    def obey(self, now_ms: int, command: Command) -> list[BoardMessage]:
        """Hear a command; return the messages that answer it."""
        return messages(self.hear(now_ms, encode(command)))

    def close(self) -> None:
        """End the process; it must have nothing to complain about."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(20) == 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PythonFirmware:
    """A firmware in Python, told what the converter reads."""

    def __init__(self, firmware: FirmwareCore) -> None:
        self._core = firmware
        self._ears = CommandDecoder()

    def boot(self, now_ms: int = 0) -> bytes:
        """Return HELLO, as sent after the start."""
        return encode(self._core.hello(now_ms))

    def scan(self, now_ms: int, values: Sequence[int]) -> bytes:
        """Take what every square reads, in wire order."""
        frame = self._frame(now_ms, values)
        return encode(frame) if frame else b""

    def hear(self, now_ms: int, data: bytes) -> bytes:
        """Obey every command in these bytes."""
        heard = (item for item in self._ears.feed(data) if not isinstance(item, WireFault))
        return b"".join(encode(answer) for command in heard for answer in self._core.obey(command, now_ms))

    def _frame(self, now_ms: int, values: Sequence[int]) -> Frame | None:
        raise NotImplementedError


class PythonCore(PythonFirmware):
    """`simulator.firmware` told what the converter reads instead of fields."""

    def __init__(self, board: BoardFile, boot_count: int = 1) -> None:
        self._firmware = Firmware(board, boot_count, Sensors(board), neighbours_of(board, field_of(board.magnet)))
        super().__init__(self._firmware)

    def _frame(self, now_ms: int, values: Sequence[int]) -> Frame | None:
        for square, value in enumerate(values):
            self._firmware.sense(square, (value - TRUE_ZERO) / TRUE_GAIN)
        return self._firmware.scan_done(now_ms)


class PiCore(PythonFirmware):
    """What a Raspberry Pi says of linear sensors that it scans itself, told what the converter reads."""

    def __init__(self, board: BoardFile) -> None:
        count = len(board.squares)
        on, off = round(1000 * board.thresholds.on), round(1000 * board.thresholds.off)
        known = BoardCalibration(on, off, (TRUE_ZERO,) * count, (TRUE_GAIN,) * count)
        self._firmware = LinearFirmware(board, "pi", known, lambda kept: True)
        super().__init__(self._firmware)

    def _frame(self, now_ms: int, values: Sequence[int]) -> Frame | None:
        return self._firmware.scanned(values, now_ms)


def messages(data: bytes) -> list[BoardMessage]:
    """Return the messages of some bytes; no fault may be among them."""
    found = Decoder().feed(data)
    assert not [item for item in found if isinstance(item, WireFault)], found
    return [item for item in found if not isinstance(item, WireFault)]


def of_kind(kind: type[BoardMessage], found: Iterable[BoardMessage]) -> list[BoardMessage]:
    """Return the messages of one kind."""
    return [message for message in found if isinstance(message, kind)]


def calibrated(core: HostCore) -> HostCore:
    """Return a core that knows the simulator's sensors, just started."""
    core.erase()
    core.boot()
    for command in SETTINGS:
        core.obey(0, command)
    core.scan(0, EMPTY_BOARD)
    core.boot()
    return core


def with_magnets(**squares: float) -> list[int]:
    """Return what an otherwise empty board reads with fields on some squares."""
    values = list(EMPTY_BOARD)
    for square, field in squares.items():
        values[LINEAR.index(square)] = round(TRUE_ZERO + TRUE_GAIN * field)
    return values
