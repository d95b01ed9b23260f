"""Bytes in, in any pieces; messages and faults out. No I/O, no clock: the board's own time is in its messages."""

from __future__ import annotations

from firmware_bridge.messages import BoardMessage, Command, FaultKind, Frame, Hello, WireFault
from firmware_bridge.wire import BOARD_HEAD, MAX_PACKED, decode_board, decode_command, unseal

_HALF_RANGE_MS = 1 << 31
_RANGE_MS = 1 << 32


class FrameSplitter:
    """Cuts a stream at its end bytes. What is longer than any frame is dropped up to the next end byte and told once."""

    __slots__ = ("_dropping", "_rest")

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | WireFault]:
        """Give the frames that `data` completes, without end bytes; empty ones are left out."""
        *complete, rest = (self._rest + data).split(b"\0")
        found: list[bytes | WireFault] = []
        for piece in complete:
            if self._dropping:
                self._dropping = False
            elif len(piece) > MAX_PACKED:
                found.append(_too_long())
            elif piece:
                found.append(piece)
        if len(rest) > MAX_PACKED and not self._dropping:
            found.append(_too_long())
            self._dropping = True
        self._rest = b"" if self._dropping else rest
        return found

    def cut(self) -> None:
        """Forget the frame that has begun: what follows comes from another opening of the line."""
        self._rest = b""
        self._dropping = False


def _too_long() -> WireFault:
    return WireFault(FaultKind.TOO_LONG, f"more than {MAX_PACKED} bytes without an end byte")


class Decoder:
    """The host's ear. Keeps the rest of the last frame, and the last seq, time and boot count to tell gaps and restarts.

    After a gap the next KEYFRAME is whole again, so every message is passed on and nothing is invented. A fault that a message
    shows (gap, restart) comes before that message. The first frames after opening a port may be broken; that is told like any other
    fault.
    """

    __slots__ = ("_boot_count", "_last", "_last_body", "_splitter")

    def __init__(self) -> None:
        self._splitter = FrameSplitter()
        self._last: BoardMessage | None = None
        self._last_body = b""
        self._boot_count: int | None = None

    def feed(self, data: bytes) -> list[BoardMessage | WireFault]:
        """Give what `data` completes, in order. Any cutting of the same bytes gives the same answer in all."""
        out: list[BoardMessage | WireFault] = []
        for piece in self._splitter.feed(data):
            body = piece if isinstance(piece, WireFault) else unseal(piece)
            if isinstance(body, WireFault):
                out.append(body)
                continue
            alike = self._next_alike(body)
            if alike is not None:
                out.append(alike)
                self._last, self._last_body = alike, body
                continue
            message = decode_board(body)
            if isinstance(message, WireFault):
                out.append(message)
                continue
            fault = self._judge(message, body)
            if fault is not None:
                out.append(fault)
            if fault is None or fault.kind is not FaultKind.REPEATED:
                out.append(message)
                self._last, self._last_body = message, body
        return out

    def cut(self) -> None:
        """Begin anew after the line was out. The last seq, time and boot count are kept, so that what was missed is told."""
        self._splitter.cut()

    def _next_alike(self, body: bytes) -> Frame | None:
        """Give the frame that comes right after the last one and shows the same, as nearly all do. None: `body` has to be looked into."""
        last, before = self._last, self._last_body
        if len(body) != len(before) or body[0] != before[0] or not body.endswith(before[BOARD_HEAD.size :]):
            return None
        _, seq, board_ms = BOARD_HEAD.unpack_from(body)
        if not isinstance(last, Frame) or seq != (last.seq + 1) % 256:
            return None
        if (board_ms - last.board_ms) % _RANGE_MS > _HALF_RANGE_MS:
            return None
        return Frame(seq, board_ms, last.squares, last.flags)

    def _judge(self, message: BoardMessage, body: bytes) -> WireFault | None:
        last = self._last
        known, self._boot_count = (
            self._boot_count,
            message.boot_count if isinstance(message, Hello) else self._boot_count,
        )
        if known is not None and self._boot_count != known:
            return WireFault(FaultKind.REBOOTED, f"boot count {known}, then {self._boot_count}")
        if last is None:
            return None
        if (message.board_ms - last.board_ms) % _RANGE_MS > _HALF_RANGE_MS:
            if not isinstance(message, Hello):
                self._boot_count = None  # this start's HELLO was lost; the next one must not be taken for another start
            return WireFault(FaultKind.REBOOTED, f"board time {last.board_ms} ms, then {message.board_ms} ms")
        if body == self._last_body:
            return WireFault(FaultKind.REPEATED, f"seq {message.seq} came twice")
        missing = (message.seq - last.seq - 1) % 256
        return WireFault(FaultKind.GAP, f"seq {last.seq}, then {message.seq}", missing) if missing else None


class CommandDecoder:
    """The board's ear, for the simulator: frames of the host in, commands and faults out."""

    __slots__ = ("_splitter",)

    def __init__(self) -> None:
        self._splitter = FrameSplitter()

    def feed(self, data: bytes) -> list[Command | WireFault]:
        """Give what `data` completes, in order."""
        bodies = [piece if isinstance(piece, WireFault) else unseal(piece) for piece in self._splitter.feed(data)]
        return [body if isinstance(body, WireFault) else decode_command(body) for body in bodies]
