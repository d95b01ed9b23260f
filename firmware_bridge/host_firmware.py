"""What a board's controller does, for a board that has none: scans in, the wire's own bytes out. Pure; times are passed in.

A host cannot tell the bytes from those of a controller with the same sensors, so that everything behind the wire, recordings
included, is the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    Command,
    FrameFlag,
    Hello,
    Log,
    LogLevel,
    Raw,
    Reading,
    ResetCause,
    SelfTest,
    SensingCode,
)
from firmware_bridge.wire import encode, keyframe, pack_readings
from hardware import BoardFile

_RANGE_MS = 1 << 32
_VALUES_PER_RAW = 32
_NEVER_MS = -(1 << 40)
_LONGEST_LOG = 64


class HostSensors(Protocol):
    """What the firmware asks of sensors, digital (`LevelSensors`) or linear (`LinearSensors`). All sequences are in wire order."""

    sensing: SensingCode

    @property
    def calibrated(self) -> bool:
        """Whether zeros and gains were measured on this board; digital sensors have none and always are."""

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square reads now."""

    @property
    def raw(self) -> Sequence[int]:
        """What a RAW tells of every square."""

    def scanned(self, values: Sequence[int]) -> bool:
        """Take a whole scan; tell whether a reading changed."""

    def carry_out(self, command: Command) -> tuple[AckResult, int, bool]:
        """Obey a command that sets or keeps something; give its result, the detail, and whether a reading changed by it."""


class HostFirmware:
    """One start of a board that is scanned by the host itself. `now_ms` is time since that start and never falls."""

    def __init__(self, board: BoardFile, firmware: str, sensors: HostSensors) -> None:
        self._board = board
        self._firmware = firmware
        self._sensors = sensors
        self._packed = pack_readings(sensors.readings)
        self._seq = -1
        self._changed = False
        self._changed_ms = self._sent_ms = _NEVER_MS
        self._flags = FrameFlag(0)

    def hello(self, now_ms: int) -> bytes:
        """Give HELLO, as sent after the start and when asked. A start has no number here: nothing counts them."""
        board = self._board
        return encode(
            Hello(
                seq=self._next_seq(),
                board_ms=now_ms % _RANGE_MS,
                protocol=VERSION,
                sensing=self._sensors.sensing,
                reset=ResetCause.POWER_ON,
                calibrated=self._sensors.calibrated,
                squares=len(board.squares),
                channels=board.scan.chips * board.scan.channels_per_chip,
                scan_hz=board.scan.hz,
                boot_count=1,
                fingerprint=board.fingerprint,
                board_id=board.id,
                firmware=self._firmware,
            )
        )

    def scanned(self, values: Sequence[int], now_ms: int) -> bytes:
        """Take a whole scan, in wire order; give the KEYFRAME if one is due now, else nothing."""
        if self._sensors.scanned(values):
            self._note_change()
        if self._changed:
            self._changed = False
            self._changed_ms = now_ms
        due = self.still_ms(now_ms) <= ACTIVE_MS or now_ms >= self._sent_ms + IDLE_MS
        return self._keyframe(now_ms) if due else b""

    def still_ms(self, now_ms: int) -> int:
        """Give for how long nothing has changed."""
        return now_ms - self._changed_ms

    def confess(self, flag: FrameFlag) -> None:
        """Set a flag of the next KEYFRAME."""
        self._flags |= flag

    def log(self, level: LogLevel, text: str, now_ms: int) -> bytes:
        """Give a LOG, cut to what a LOG can hold."""
        return encode(Log(self._next_seq(), now_ms % _RANGE_MS, level, text[:_LONGEST_LOG]))

    def obey(self, command: Command, now_ms: int, faults: Callable[[], Sequence[str]]) -> bytes:
        """Give the answer to a command: its ACK and what it asked for. `faults` finds what a self-test must tell, a line each."""
        found = faults() if isinstance(command, SelfTest) else ()
        match command:
            case SelfTest():
                result, detail = (AckResult.FAILED, len(found)) if found else (AckResult.DONE, 0)
            case AskHello() | AskKeyframe():
                result, detail = AckResult.DONE, 0
            case _:
                result, detail, changed = self._sensors.carry_out(command)
                if changed:
                    self._note_change()
        answer = encode(Ack(self._next_seq(), now_ms % _RANGE_MS, command.TYPE, command.seq, result, detail))
        match command:
            case AskHello():
                answer += self.hello(now_ms)
            case AskKeyframe(with_raw=with_raw):
                answer += self._keyframe(now_ms) + (self._raw(now_ms) if with_raw else b"")
            case SelfTest():
                for line in found or [f"{len(self._board.squares)} squares good"]:
                    answer += self.log(LogLevel.ERROR if found else LogLevel.INFO, f"self-test: {line}", now_ms)
        return answer

    def _note_change(self) -> None:
        self._changed = True
        self._packed = pack_readings(self._sensors.readings)

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> bytes:
        self._sent_ms = now_ms
        flags, self._flags = self._flags, FrameFlag(0)
        if not self._sensors.calibrated:
            flags |= FrameFlag.UNCALIBRATED
        return keyframe(self._next_seq(), now_ms % _RANGE_MS, flags, len(self._board.squares), self._packed)

    def _raw(self, now_ms: int) -> bytes:
        values = self._sensors.raw
        return b"".join(
            encode(Raw(self._next_seq(), now_ms % _RANGE_MS, first, tuple(values[first : first + _VALUES_PER_RAW])))
            for first in range(0, len(values), _VALUES_PER_RAW)
        )
