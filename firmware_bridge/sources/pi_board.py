"""A board that a Raspberry Pi scans itself: a matrix, a chain or converters in, the wire's own bytes out. Times are passed in."""

from __future__ import annotations

import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

from firmware_bridge.errors import BoardUnreachableError, BoardUrlError
from firmware_bridge.host_firmware import HostFirmware
from firmware_bridge.host_sensors import LevelSensors, LinearSensors
from firmware_bridge.messages import Command, FrameFlag, LogLevel
from firmware_bridge.sources.calibration_file import default_path, read_calibration, write_calibration
from firmware_bridge.sources.chain import Bus, Chain, open_bus
from firmware_bridge.sources.converters import Converters
from firmware_bridge.sources.matrix import Matrix
from firmware_bridge.sources.pin_factory import HeaderNotFoundError
from hardware import BoardFile, Sensing


class PiBoard:
    """The open pins and the firmware behind them. Whoever calls it keeps its pace; `now_ms` is time since the start and never falls.

    `factory` is a gpiozero pin factory, `opened` opens an SPI device and `pause` waits, for tests; by default they are the machine's own.
    `store` is the file that keeps the calibration of linear sensors; None: `calibration_file.default_path`. Raises BoardUnreachableError,
    named by `url`, if the pins cannot be had; what a pin library raises later comes out as it is (`reason_of` says it in one line).
    """

    def __init__(
        self,
        url: str,
        board: BoardFile,
        *,
        factory: object = None,
        opened: Callable[[int, int], Bus] = open_bus,
        pause: Callable[[float], None] = time.sleep,
        store: Path | None = None,
    ) -> None:
        self._board = board
        _check_wiring(url, board)
        self._pins: Matrix | Chain | Converters
        try:
            if board.gpio is not None:
                self._pins = Matrix(board.gpio, factory, pause)
            elif board.spi is not None:
                self._pins = Chain(board, factory, opened, pause)
            else:
                self._pins = Converters(board, factory, opened)
        except Exception as error:  # each pin library raises classes of its own, and none is importable off a Pi
            raise BoardUnreachableError(f"board {url}: {reason_of(error)}") from error
        self._in_wire_order = itemgetter(*board.scan.channels)
        self._store = store or default_path(board)
        self._uncalibrated = ""
        self._sensors = LevelSensors(board) if board.mcp3008 is None else self._linear_sensors()
        name = f"hallmarshal-gpio {'mock' if self._pins.is_mock else 'pins'}"
        self._firmware = HostFirmware(board, name, self._sensors)

    def start(self, now_ms: int) -> bytes:
        """Give HELLO, and a LOG for what everybody should know at once: that no board is connected, or that it is not calibrated."""
        said = self._firmware.hello(now_ms)
        if self._pins.is_mock:
            said += self._firmware.log(LogLevel.WARNING, "mock pins: no board is connected", now_ms)
        if self._uncalibrated:
            said += self._firmware.log(LogLevel.WARNING, f"no calibration: {self._uncalibrated}", now_ms)
        return said

    def scan(self, now_ms: int) -> bytes:
        """Scan all squares; give the KEYFRAME if one is due now, else nothing."""
        return self._firmware.scanned(self._in_wire_order(self._pins.scan()), now_ms)

    def obey(self, command: Command, now_ms: int) -> bytes:
        """Carry out a command on what was scanned last; give its ACK and what it asked for."""
        return self._firmware.obey(command, now_ms, self._faults)

    def still_ms(self, now_ms: int) -> int:
        """Give for how long nothing has changed."""
        return self._firmware.still_ms(now_ms)

    def confess(self, flag: FrameFlag) -> None:
        """Set a flag of the next KEYFRAME."""
        self._firmware.confess(flag)

    def close(self) -> None:
        """Let the pins go. Closing twice is harmless."""
        self._pins.close()

    def _linear_sensors(self) -> LinearSensors:
        found, self._uncalibrated = read_calibration(self._store, self._board)
        return LinearSensors(self._board, found, lambda kept: write_calibration(self._store, self._board, kept))

    def _faults(self) -> list[str]:
        if isinstance(self._sensors, LinearSensors):
            return self._sensors.faults()
        assert not isinstance(self._pins, Converters)  # they are for linear sensors
        stuck = self._pins.stuck_channels()
        named = zip(self._board.squares, self._board.scan.channels, strict=True)
        return [f"{square} is stuck" for square, channel in named if channel in stuck]


def reason_of(error: Exception) -> str:
    """Give what a pin library raised in one line for a user."""
    if isinstance(error, HeaderNotFoundError):
        return str(error)
    if type(error).__name__ in ("BadPinFactory", "PinUnknownPi"):
        return "there are no GPIO pins (no Raspberry Pi, or its pin library is missing: apt install python3-lgpio)"
    if isinstance(error, ModuleNotFoundError) and error.name == "spidev":
        return "spidev is missing (apt install python3-spidev, and an environment made with --system-site-packages)"
    return " ".join(f"{type(error).__name__}: {error}".split())


def _check_wiring(url: str, board: BoardFile) -> None:
    digital = board.gpio is not None or board.spi is not None
    if not (digital or board.mcp3008 is not None):
        raise BoardUrlError(f"board {url}: board file {board.id} has no [gpio], [spi] or [mcp3008] table")
    if (board.sensing is Sensing.OCCUPANCY) is not digital:
        raise BoardUrlError(f"board {url}: board file {board.id} is not wired for sensing {board.sensing.value}")
