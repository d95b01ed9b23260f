"""What a board's controller does, for a matrix that has none: readings in, the wire's own bytes out. Pure; times are passed in.

A host cannot tell the bytes from those of a controller with digital sensors, so that everything behind the wire, recordings
included, is the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    Save,
    SelfTest,
    SensingCode,
)
from firmware_bridge.wire import encode, keyframe, pack_readings
from hardware import BoardFile

_RANGE_MS = 1 << 32
_VALUES_PER_RAW = 32
_NEVER_MS = -(1 << 40)
_LONGEST_LOG = 64


class MatrixFirmware:
    """One start of a board that is scanned by the host itself. `now_ms` is time since that start and never falls."""

    def __init__(self, board: BoardFile, firmware: str) -> None:
        self._board = board
        self._firmware = firmware
        self._magnets: tuple[bool, ...] = (False,) * len(board.squares)
        self._packed = pack_readings([Reading.EMPTY] * len(board.squares))
        self._seq = -1
        self._changed_ms = self._sent_ms = _NEVER_MS
        self._flags = FrameFlag(0)

    def hello(self, now_ms: int) -> bytes:
        """Give HELLO, as sent after the start and when asked. A start has no number here: nothing is kept over a power cut."""
        board = self._board
        return encode(
            Hello(
                seq=self._next_seq(),
                board_ms=now_ms % _RANGE_MS,
                protocol=VERSION,
                sensing=SensingCode.OCCUPANCY,
                reset=ResetCause.POWER_ON,
                calibrated=True,
                squares=len(board.squares),
                channels=board.scan.chips * board.scan.channels_per_chip,
                scan_hz=board.scan.hz,
                boot_count=1,
                fingerprint=board.fingerprint,
                board_id=board.id,
                firmware=self._firmware,
            )
        )

    def scanned(self, magnets: Sequence[bool], now_ms: int) -> bytes:
        """Take a whole scan, in wire order; give the KEYFRAME if one is due now, else nothing."""
        if tuple(magnets) != self._magnets:
            self._magnets = tuple(magnets)
            self._packed = pack_readings([Reading.RED if magnet else Reading.EMPTY for magnet in magnets])
            self._changed_ms = now_ms
        return self._keyframe(now_ms) if self.active(now_ms) or now_ms >= self._sent_ms + IDLE_MS else b""

    def active(self, now_ms: int) -> bool:
        """Tell whether anything changed lately, so that every scan counts."""
        return now_ms - self._changed_ms <= ACTIVE_MS

    def confess(self, flag: FrameFlag) -> None:
        """Set a flag of the next KEYFRAME."""
        self._flags |= flag

    def log(self, level: LogLevel, text: str, now_ms: int) -> bytes:
        """Give a LOG, cut to what a LOG can hold."""
        return encode(Log(self._next_seq(), now_ms % _RANGE_MS, level, text[:_LONGEST_LOG]))

    def obey(self, command: Command, now_ms: int, stuck: Callable[[], Sequence[str]]) -> bytes:
        """Give the answer to a command: its ACK and what it asked for. `stuck` finds the squares that a self-test must name."""
        found = stuck() if isinstance(command, SelfTest) else ()
        match command:
            case SelfTest() if found:
                result, detail = AckResult.FAILED, len(found)
            case AskHello() | AskKeyframe() | Save() | SelfTest():
                result, detail = AckResult.DONE, 0
            case _:
                result, detail = AckResult.UNKNOWN_COMMAND, 0  # digital sensors have nothing to set
        answer = encode(Ack(self._next_seq(), now_ms % _RANGE_MS, command.TYPE, command.seq, result, detail))
        match command:
            case AskHello():
                answer += self.hello(now_ms)
            case AskKeyframe(with_raw=with_raw):
                answer += self._keyframe(now_ms) + (self._raw(now_ms) if with_raw else b"")
            case SelfTest():
                lines = [f"self-test: {square} is stuck" for square in found]
                for line in lines or [f"self-test: {len(self._magnets)} squares good"]:
                    answer += self.log(LogLevel.ERROR if found else LogLevel.INFO, line, now_ms)
        return answer

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> bytes:
        self._sent_ms = now_ms
        flags, self._flags = self._flags, FrameFlag(0)
        return keyframe(self._next_seq(), now_ms % _RANGE_MS, flags, len(self._magnets), self._packed)

    def _raw(self, now_ms: int) -> bytes:
        values = [int(magnet) for magnet in self._magnets]
        return b"".join(
            encode(Raw(self._next_seq(), now_ms % _RANGE_MS, first, tuple(values[first : first + _VALUES_PER_RAW])))
            for first in range(0, len(values), _VALUES_PER_RAW)
        )
