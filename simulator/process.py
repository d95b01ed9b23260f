"""The simulated board as a process behind a real pty: `python -m simulator.process --board NAME`.

Prints {"pty": path} when ready, then reads motions from stdin, one JSON object a line (see `simulator.motions`), and answers each
on stdout when its last magnet rests, the quiet time after it has passed and every byte is written:
{"done": number of the line, "board_ms": time}, or at once {"error": reason, "motion": number of the line}, nothing having moved.

With `--speed max` board time runs as fast as the host takes the bytes while a motion is going on; then the board stands still but for
a heartbeat: every 125 ms of wall time, if the host has read everything, 500 ms of board time pass. With `--speed 1` board time is
wall time, with a number up to 20 so many times that.

With `--fingers` a line with a "hand" moves a magnet at once, beside what motions do (see `simulator.fingers`); it is answered only where it
cannot be done, {"error": reason, "hand": its number}. Where magnets are is then told whenever one has moved, at most every 40 ms:
{"magnets": [[place, seat, column, row, mm above the board], ...]}, a place below zero beside the squares, and -1,000,000 - n in hand n.

It ends when stdin ends or when its parent is gone: a pipe closes and a parent changes however the other process died,
and unlike a death signal neither depends on which thread started this one.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import select
import signal
import sys
import termios
import time
import tty
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import closing

from firmware_bridge._wire_constants import IDLE_MS
from firmware_bridge.learning import orders
from hardware import BoardFileError, Sensing, load_board
from simulator.board import DEFAULT_POLES, QUIET_MS, SimBoard
from simulator.faults import Trouble
from simulator.fingers import Fingers
from simulator.firmware import SensorFault
from simulator.firmware_backends import CHIPS, ChipError, ChipFirmware, FirmwareBackend
from simulator.motions import Both, Move, parse_motion
from simulator.players import Hands
from simulator.profiles import CLEAN, known_profile, load_profile
from simulator.script import MotionError

_FAR_BEHIND = 4096  # bytes that wait for the host: with more, board time stands still
FASTEST = 20
"""So many times wall time board time goes at most, but for `max`."""
_SLICE_MS = 500  # board time in one go at full speed
_BEAT_S = (
    IDLE_MS / 4000
)  # a beat's time at full speed while nothing moves: what waits for board time waits shortly, who answers has time
_CHUNK = 4096
_TOLD_S = 0.04  # magnets that move are told so often
_LOOK_ROUND_S = 0.5  # at least so often it is checked whether the parent still lives


class PtyPort:
    """The board's end of a raw pty. What is queued is never dropped: it waits until the host has made room.

    Our own opening of the host's end stays open, so that a host may close it and come back as with a real cable.
    """

    def __init__(self) -> None:
        self._board_end, self._host_end = os.openpty()
        # raw on both ways: no echo, no line feed turned into two bytes, no control character with a meaning
        tty.setraw(self._host_end)
        os.set_blocking(self._board_end, False)
        self.path = os.ttyname(self._host_end)
        self._queue: deque[bytes] = deque()
        self.waiting = 0

    def fileno(self) -> int:
        """Return the descriptor to wait on: readable when the host sent something, writable when there is room."""
        return self._board_end

    def send(self, frames: list[bytes]) -> None:
        """Queue frames and write what there is room for; `waiting` says how many bytes are left."""
        self._queue.extend(frames)
        self.waiting += sum(map(len, frames))
        self.write()

    def write(self) -> None:
        """Write what there is room for now."""
        while self._queue:
            data = b"".join(self._queue)
            self._queue.clear()
            try:
                written = os.write(self._board_end, data[:_CHUNK])
            except BlockingIOError:
                written = 0
            self.waiting -= written
            if written < len(data):
                self._queue.append(data[written:])
            if written == 0:
                return

    def read(self) -> bytes:
        """Return what the host sent; empty if nothing."""
        try:
            return os.read(self._board_end, _CHUNK)
        except BlockingIOError:
            return b""

    def drained(self) -> bool:
        """True when nothing is queued and the host has read everything that was written."""
        unread = fcntl.ioctl(self._host_end, termios.FIONREAD, b"\0\0\0\0")
        return self.waiting == 0 and unread == b"\0\0\0\0"

    def close(self) -> None:
        """Close both ends."""
        os.close(self._board_end)
        os.close(self._host_end)


class Performance:
    """Plays wished motions one after the other on a board, at wall speed or at the host's."""

    def __init__(
        self,
        hands: Hands,
        firmware: FirmwareBackend,
        port: PtyPort,
        *,
        pace: int,
        quiet_ms: int,
        fingers: Fingers | None = None,
    ) -> None:
        """`pace` is how often board time goes as fast as wall time, 0 as fast as the host takes it."""
        self._fingers = fingers
        self._told: Sequence[tuple[object, ...]] = ()
        self._told_s = 0.0
        self._hands = hands
        self._board = board = hands.board
        self._noisy = board.profile != load_profile(CLEAN)
        self._firmware = firmware
        self._port = port
        self._pace = pace
        self._quiet_ms = quiet_ms
        self._wishes: deque[tuple[int, str]] = deque()
        self._wished = 0
        self._ends_ms: int | None = None
        self._playing = 0
        self._origin_s = self._board_began_s()
        self._beat_s = time.monotonic()
        port.send(firmware.start())

    def wish(self, line: str) -> None:
        """Queue a motion in its JSON form; hands that are moved from outside move at once."""
        self._wished += 1
        if self._fingers is None or (moved := _of_a_hand(line)) is None:
            self._wishes.append((self._wished, line))
            return
        self.step()  # so that it is now by the board's time
        try:
            self._fingers.obey(moved)
        except MotionError as error:
            _say({"error": str(error), "hand": moved["hand"]})

    def hear(self, data: bytes) -> None:
        """Take bytes of the host's and send what answers them."""
        self._port.send(self._firmware.hear(data))

    def step(self) -> float:
        """Let board time go on as far as it may; return the seconds after which to call again if nothing else happens."""
        self._begin_next()
        if self._port.waiting > _FAR_BEHIND:
            self._origin_s = self._board_began_s()
            return _LOOK_ROUND_S
        wait_s = self._step_at_wall_speed() if self._pace else self._step_at_full_speed()
        if self._ends_ms is not None and self._board.now_ms >= self._ends_ms and not self._port.waiting:
            _say({"done": self._playing, "board_ms": self._board.now_ms})
            self._ends_ms = None
            self._beat_s = time.monotonic()
            return 0.0
        return wait_s if self._fingers is None else min(wait_s, self._tell_magnets(self._fingers))

    def _tell_magnets(self, fingers: Fingers) -> float:
        """Show where magnets are if one has moved; return the seconds after which to look again."""
        now_s = time.monotonic()
        if (wait_s := self._told_s + _TOLD_S - now_s) > 0:
            return wait_s
        magnets = tuple(
            (place, piece.seat, round(piece.x, 2), round(piece.y, 2), round(piece.height_mm))
            for place, piece in fingers.magnets()
        )
        if magnets == self._told:
            return _LOOK_ROUND_S if self._board.is_still else _TOLD_S
        self._told, self._told_s = magnets, now_s
        _say({"magnets": magnets})
        return _TOLD_S

    def _begin_next(self) -> None:
        while self._wishes and self._ends_ms is None:
            number, line = self._wishes.popleft()
            try:
                motion, after_ms = parse_motion(json.loads(line))
                if self._noisy and isinstance(motion, Move | Both):
                    self._ends_ms = self._hands.make(motion, after_ms) + self._quiet_ms
                else:
                    self._ends_ms = self._board.begin(motion, after_ms) + self._quiet_ms
                self._playing = number
            except MotionError as error:
                _say({"error": str(error), "motion": number})
            except ValueError:
                _say({"error": "not JSON", "motion": number})

    def _step_at_full_speed(self) -> float:
        if self._ends_ms is not None:
            self._port.send(self._firmware.advance(min(self._board.now_ms + _SLICE_MS, self._ends_ms)))
            return _LOOK_ROUND_S if self._port.waiting else 0.0
        due_s = self._beat_s + _BEAT_S - time.monotonic()
        if due_s <= 0:
            self._beat_s = time.monotonic()
            if self._port.drained():
                self._port.send(self._firmware.advance(self._board.now_ms + IDLE_MS))
            return _BEAT_S
        return due_s

    def _board_began_s(self) -> float:
        """Return when board time was 0, had it always gone at this pace."""
        return time.monotonic() - self._board.now_ms / 1000 / (self._pace or 1)

    def _step_at_wall_speed(self) -> float:
        now_ms = int((time.monotonic() - self._origin_s) * 1000 * self._pace)
        if self._ends_ms is not None:
            now_ms = min(now_ms, self._ends_ms)
        self._port.send(self._firmware.advance(max(now_ms, self._board.now_ms)))
        next_ms = self._firmware.next_ms if self._ends_ms is None else min(self._firmware.next_ms, self._ends_ms)
        return min(max(self._origin_s + next_ms / 1000 / self._pace - time.monotonic(), 0.001), _LOOK_ROUND_S)


def _of_a_hand(line: str) -> dict[str, object] | None:
    """Return what a line asks of a hand that is moved from outside; None for any other line."""
    try:
        wish = json.loads(line)
    except ValueError:
        return None
    return wish if isinstance(wish, dict) and "hand" in wish else None


def _say(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


def _run(performance: Performance, port: PtyPort) -> None:
    parent, board_end = os.getppid(), port.fileno()
    wishes = b""
    wait_s = 0.0
    while os.getppid() == parent:
        readable, writable, _ = select.select([0, board_end], [board_end] if port.waiting else [], [], wait_s)
        if writable:
            port.write()
        if board_end in readable:
            performance.hear(port.read())
        if 0 in readable:
            data = os.read(0, 65536)
            if not data:
                return
            *lines, wishes = (wishes + data).split(b"\n")
            for line in lines:
                if line.strip():
                    performance.wish(line.decode(errors="replace"))
        wait_s = performance.step()


def _poles(text: str) -> dict[str, str]:
    return {**DEFAULT_POLES, **_pairs(text, ("red", "blue"), "seat=red or seat=blue", DEFAULT_POLES)}


def _faults(text: str) -> dict[str, str]:
    kinds = [fault.value for fault in SensorFault]
    return _pairs(text, kinds, f"square={'|'.join(kinds)}")


def _pairs(text: str, kinds: Collection[str], form: str, names: Collection[str] | None = None) -> dict[str, str]:
    """Return what `name=kind,name=kind` says, by name; any name may be there if none are given."""
    pairs = {}
    for item in filter(None, text.split(",")):
        name, _, kind = item.partition("=")
        if kind not in kinds or (names is not None and name not in names):
            raise argparse.ArgumentTypeError(f"{item!r} is no {form}")
        pairs[name] = kind
    return pairs


def _within(low: float, high: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {low:g} to {high:g}")
        return value

    return number


def _quiet_ms(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds")
    return int(text)


def _backend(sim: SimBoard, controller: str) -> FirmwareBackend:
    if controller == "emulated":
        return FirmwareBackend(sim)
    if controller != "pi":
        return ChipFirmware(sim, controller)
    from simulator.simulated_pi import PiFirmware  # gpiozero takes its time

    return PiFirmware(sim)


def _add_surroundings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--supply",
        type=_within(80, 120),
        default=100,
        help="the sensors' supply in per cent of what it was when the board was calibrated",
    )
    parser.add_argument(
        "--divider",
        choices=["joined", "hanging"],
        default="joined",
        help="whether the input of the supply's divider is joined to it, or hangs in the air",
    )
    parser.add_argument(
        "--warmer", type=_within(-40, 40), default=0, help="kelvins that the box is warmer than when it was calibrated"
    )


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m simulator.process", description="A simulated board behind a pty.")
    parser.add_argument("--board", required=True, help="name of a board, or a board file")
    parser.add_argument(
        "--sensing", choices=[sensing.value for sensing in Sensing], help="other sensors than the file says"
    )
    parser.add_argument(
        "--speed",
        choices=["max", *map(str, range(1, FASTEST + 1))],
        metavar=f"max|1-{FASTEST}",
        default="1",
        help="board time: as fast as it goes, or so many times wall time",
    )
    parser.add_argument("--seed", type=int, default=0, help="hands with the same seed move alike")
    parser.add_argument(
        "--poles", type=_poles, default=dict(DEFAULT_POLES), help="pole of each seat: red=red,blue=blue,..."
    )
    parser.add_argument(
        "--noise",
        type=known_profile,
        default=CLEAN,
        help="what sensors, line and hands are like: a profile, or its file",
    )
    parser.add_argument(
        "--calibrated",
        choices=["yes", "no"],
        default="yes",
        help="whether the firmware knows its sensors' zeros and gains",
    )
    parser.add_argument("--faults", type=_faults, default={}, help="sick sensors: c3=dead,d4=stuck,...")
    parser.add_argument(
        "--wires",
        type=int,
        default=0,
        help="sensors hang on the inputs by another order (1 to 16), 0: as the file says",
    )
    _add_surroundings(parser)
    parser.add_argument(
        "--controller",
        choices=["emulated", *CHIPS, "pi"],
        default="emulated",
        help="who speaks: the firmware's emulation, its real image in a simulated chip, or a Pi's scanner on simulated parts",
    )
    parser.add_argument(
        "--fingers", action="store_true", help="let lines with a `hand` move magnets, and tell where magnets are"
    )
    parser.add_argument(
        "--quiet-ms", type=_quiet_ms, default=QUIET_MS, help="board time after a motion before it counts as done"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run until stdin ends; return the exit code."""
    wanted = _arguments(arguments)
    try:
        board = load_board(wanted.board)
        if wanted.sensing:
            board = board.with_sensing(Sensing(wanted.sensing))
        known = wanted.calibrated == "yes"
        wires = orders(board)[wanted.wires % len(orders(board))]
        sim = SimBoard(board, wanted.seed, wanted.poles, profile=wanted.noise, calibrated=known, wires=wires)
        for square, kind in wanted.faults.items():
            sim.trouble(Trouble(kind, square))
        if (wanted.supply, wanted.warmer) != (100, 0):
            sim.surround(wanted.supply, wanted.warmer)
        if wanted.divider == "hanging":
            sim.hang_divider()
    except (BoardFileError, MotionError) as error:
        print(error, file=sys.stderr)
        return 2
    if not sys.stdin.isatty():  # Ctrl-C goes to the whole group; whoever started us ends us in order
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    hands = Hands(sim, wanted.seed, healed=1.0)  # whoever drives a process has no hands to put accidents right with
    try:
        with closing(_backend(sim, wanted.controller)) as firmware, closing(PtyPort()) as port:
            pace = 0 if wanted.speed == "max" else int(wanted.speed)
            fingers = Fingers(sim) if wanted.fingers else None
            performance = Performance(hands, firmware, port, pace=pace, quiet_ms=wanted.quiet_ms, fingers=fingers)
            _say({"pty": port.path})
            _run(performance, port)
    except BrokenPipeError:
        pass  # nobody listens any more: the same as the end of stdin
    except ChipError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
