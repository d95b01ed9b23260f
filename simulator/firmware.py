"""The firmware, emulated: when a KEYFRAME is due, and what each command does.

Takes board time and field strengths, gives frames. The real firmware must behave like this, byte for byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS, VERSION
from firmware_bridge.messages import (
    EVERY_SQUARE,
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    Command,
    Hello,
    Log,
    LogLevel,
    Raw,
    Reading,
    ResetCause,
    Save,
    SelfTest,
    SensingCode,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.wire import encode, keyframe
from hardware import BoardFile
from simulator.sensors import Sensors

FIRMWARE = "hallmarshal-sim 0.1"
VALUES_PER_RAW = 32
_TIME_RANGE = 1 << 32
_LONG_AGO_MS = -(1 << 40)


class Firmware:
    """One power-on of the board's controller."""

    def __init__(self, board: BoardFile, boot_count: int = 1) -> None:
        self._board = board
        self._boot_count = boot_count
        self._count = len(board.squares)
        self._sensors = Sensors(board)
        self._readings = [Reading.EMPTY] * self._count
        self._packed = bytearray((self._count + 3) // 4)
        self._seq = -1
        self._changed = False
        self._changed_ms = self._sent_ms = _LONG_AGO_MS

    @property
    def readings(self) -> Sequence[Reading]:
        """What every square read at the last scan, in wire order."""
        return tuple(self._readings)

    def sense(self, square: int, field: float) -> None:
        """Take a square's field at this scan (fraction of the centred one, red positive). A square not told keeps its field."""
        self._sensors.fields[square] = field
        before = self._readings[square]
        reading = self._sensors.reading(square, before)
        if reading is not before:
            self._readings[square] = reading
            at, shift = square >> 2, 2 * (square & 3)
            self._packed[at] = self._packed[at] & ~(3 << shift) | reading << shift
            self._changed = True

    def scan_done(self, now_ms: int) -> bytes | None:
        """Give the KEYFRAME that is due after this scan, or None."""
        if self._changed:
            self._changed = False
            self._changed_ms = now_ms
        return self._keyframe(now_ms) if now_ms >= self.due_ms(now_ms) else None

    def due_ms(self, now_ms: int) -> int:
        """Give when the next KEYFRAME is due at a scan if no square changes from `now_ms` on; `now_ms` itself or earlier: at once."""
        return now_ms if now_ms - self._changed_ms <= ACTIVE_MS else self._sent_ms + IDLE_MS

    def hello(self, now_ms: int) -> bytes:
        """Give HELLO, as sent after the start and when asked."""
        board = self._board
        return encode(
            Hello(
                seq=self._next_seq(),
                board_ms=now_ms % _TIME_RANGE,
                protocol=VERSION,
                sensing=SensingCode.COLOUR if self._sensors.colour else SensingCode.OCCUPANCY,
                reset=ResetCause.POWER_ON,
                calibrated=True,
                squares=self._count,
                channels=board.scan.chips * board.scan.channels_per_chip,
                scan_hz=board.scan.hz,
                boot_count=self._boot_count,
                fingerprint=board.fingerprint,
                board_id=board.id,
                firmware=FIRMWARE,
            )
        )

    def obey(self, command: Command, now_ms: int) -> list[bytes]:
        """Carry out a command; give its ACK and then what it asked for."""
        result, detail = self._carry_out(command)
        ack = Ack(self._next_seq(), now_ms % _TIME_RANGE, command.TYPE, command.seq, result, detail)
        answers = [encode(ack)]
        match command:
            case AskHello():
                answers.append(self.hello(now_ms))
            case AskKeyframe(with_raw=with_raw):
                answers.append(self._keyframe(now_ms))
                if with_raw:
                    answers += self._raw(now_ms)
            case SelfTest():
                text = f"self-test: {self._count} squares good"
                answers.append(encode(Log(self._next_seq(), now_ms % _TIME_RANGE, LogLevel.INFO, text)))
        return answers

    def _carry_out(self, command: Command) -> tuple[AckResult, int]:
        match command:
            case AskHello() | AskKeyframe() | Save() | SelfTest():
                return AckResult.DONE, 0
            case _ if not self._sensors.colour:
                return AckResult.UNKNOWN_COMMAND, 0  # digital sensors have nothing to set
            case SetThresholds(on_permille=on, off_permille=off):
                if not 0 < off < on < 1000:
                    return AckResult.BAD_ARGUMENT, 0
                self._sensors.on, self._sensors.off = on / 1000, off / 1000
                failed = 0
            case SetZero(square=square) | SetGain(square=square) if square >= self._count and square != EVERY_SQUARE:
                return AckResult.BAD_ARGUMENT, 0
            case SetZero(square=square, counts=counts):
                for number in self._meant(square):
                    self._sensors.set_zero(number, counts)
                failed = 0
            case SetGain(pole=Reading.EMPTY | Reading.UNSURE):
                return AckResult.BAD_ARGUMENT, 0
            case SetGain(square=square, pole=pole, counts=counts):
                failed = sum(not self._sensors.set_gain(number, pole, counts) for number in self._meant(square))
        for number in range(self._count):
            self.sense(number, self._sensors.fields[number])
        return (AckResult.FAILED, failed) if failed else (AckResult.DONE, 0)

    def _meant(self, square: int) -> Sequence[int]:
        return range(self._count) if square == EVERY_SQUARE else (square,)

    def _next_seq(self) -> int:
        self._seq = (self._seq + 1) % 256
        return self._seq

    def _keyframe(self, now_ms: int) -> bytes:
        self._sent_ms = now_ms
        return keyframe(self._next_seq(), now_ms % _TIME_RANGE, 0, self._count, bytes(self._packed))

    def _raw(self, now_ms: int) -> list[bytes]:
        found = []
        for first in range(0, self._count, VALUES_PER_RAW):
            values = tuple(
                self._sensors.counts(number) for number in range(first, min(first + VALUES_PER_RAW, self._count))
            )
            found.append(encode(Raw(self._next_seq(), now_ms % _TIME_RANGE, first, values)))
        return found
