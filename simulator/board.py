"""A whole board in board time: magnets, the hand that moves them, scans, and the bytes that come of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from firmware_bridge.messages import Command, Reading
from hardware import BoardFile
from simulator import hands
from simulator.errors import MotionError
from simulator.field import Field, dipole_field
from simulator.firmware import Firmware
from simulator.hands import Resting
from simulator.motions import Motion, parse_motion
from simulator.tracks import Track

QUIET_MS = 700
DEFAULT_POLES: Mapping[str, str] = {"red": "red", "blue": "blue", "green": "red", "yellow": "blue"}
_POLES = {"red": 1, "blue": -1}
_TOO_HIGH_MM = 20.0  # beyond it no sensor sees a magnet, whatever the thresholds that make sense
_REACH = (
    0.8  # of the pitch: what a magnet does to sensors farther off, the firmware's neighbour cancellation takes away
)


class SimBoard:
    """Magnets over sensors, driven by `begin` and `advance` (or both at once: `play`). No clock, no thread, no I/O.

    The same board, seed and calls give the same bytes. `poles` names a pole (red or blue) for each seat word.
    """

    def __init__(
        self, board: BoardFile, seed: int = 0, poles: Mapping[str, str] = DEFAULT_POLES, field: Field | None = None
    ) -> None:
        self.board = board
        self.now_ms = 0
        self.firmware = Firmware(board)
        self._field = field or dipole_field(board.magnet)
        self._random = Random(seed)
        self._poles = dict(poles)
        self._resting: dict[int, Resting] = {}
        self._tracks: list[Track] = []
        self._touched: set[int] = set()
        self._near: dict[tuple[int, int], tuple[int, ...]] = {}
        self._scan = 0
        self._table = hands.Table(self._index, board.places, self._resting, self._pole)

    def start(self) -> list[bytes]:
        """Give what the board says after power-on: HELLO and the first KEYFRAME."""
        return [self.firmware.hello(self.now_ms), *self.advance(self.now_ms)]

    def begin(self, motion: Motion | dict[str, Any], after_ms: int = 0) -> int:
        """Let a hand begin a motion (a value, or its JSON form) at `now_ms` + `after_ms`; give when its last magnet rests.

        Raise MotionError, nothing having moved, if no hand could make it or the last one has not ended.
        """
        if self._tracks:
            raise MotionError("the motion before has not ended")
        if isinstance(motion, dict):
            motion, wait_ms = parse_motion(motion)
            after_ms += wait_ms
        start_ms = self.now_ms + after_ms
        self._tracks = hands.plan(motion, self._table, start_ms, self._random)
        self._wake()
        return math.ceil(max((track.end_ms for track in self._tracks), default=start_ms))

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass up to and including `until_ms`; give the frames sent, in order."""
        sent = []
        hz = self.board.scan.hz
        while (now_ms := self._scan * 1000 // hz) <= until_ms:
            if self._tracks or self._touched:
                self._sense(now_ms)
            frame = self.firmware.scan_done(now_ms)
            if frame is not None:
                sent.append(frame)
            self._scan += 1
            if not self._tracks and not self._touched:
                self._scan = max(self._scan, math.ceil(self.firmware.due_ms(now_ms + 1) * hz / 1000))
        self.now_ms = max(self.now_ms, until_ms)
        return sent

    def play(self, motion: Motion | dict[str, Any], after_ms: int = 0, quiet_ms: int = QUIET_MS) -> list[bytes]:
        """Give every frame of a motion and of the quiet time after it."""
        return self.advance(self.begin(motion, after_ms) + quiet_ms)

    def obey(self, command: Command) -> list[bytes]:
        """Give what the board answers to a command now."""
        self._wake()
        return self.firmware.obey(command, self.now_ms)

    def occupied(self) -> dict[str, Reading]:
        """Give the truth: the squares on which magnets rest, and the pole of each."""
        squares = self.board.squares
        return {
            squares[number]: Reading.RED if piece.pole > 0 else Reading.BLUE
            for number, piece in sorted(self._resting.items())
        }

    @property
    def next_ms(self) -> int:
        """When the next scan is that may send something; nothing happens before it unless a hand or a command comes."""
        return self._scan * 1000 // self.board.scan.hz

    def _wake(self) -> None:
        # scans that were skipped because nothing moved are due again, from the first after now
        self._scan = math.ceil((self.now_ms + 1) * self.board.scan.hz / 1000)

    def _index(self, square: str) -> int:
        try:
            return self.board.index(square)
        except KeyError:
            raise MotionError(f"the board has no square {square!r}") from None

    def _pole(self, seat: str) -> int:
        if seat not in self._poles:
            raise MotionError(f"seat {seat!r} is none of {', '.join(self._poles)}")
        return _POLES[self._poles[seat]]

    def _sense(self, now_ms: int) -> None:
        """Tell the firmware the fields of all squares that a magnet in motion is near, or was at the last scan."""
        moving: dict[int, float] = {}
        ended: list[Track] = []
        for track in self._tracks:
            if now_ms < track.start_ms:
                continue
            if track.source is not None:
                self._resting.pop(track.source, None)
                moving.setdefault(track.source, 0.0)
            if now_ms >= track.end_ms:
                ended.append(track)
            else:
                self._add(moving, track.pole, *track.at(now_ms))
        for track in ended:
            self._tracks.remove(track)
            if track.target is not None:
                self._resting[track.target] = Resting(track.pole, track.points[-1].x, track.points[-1].y)
                moving.setdefault(track.target, 0.0)
        for square in self._touched | moving.keys():
            self.firmware.sense(square, moving.get(square, 0.0) + self._own(square))
        self._touched = {square for square, field in moving.items() if field}

    def _own(self, square: int) -> float:
        piece = self._resting.get(square)
        if piece is None:
            return 0.0
        return piece.pole * self._field(self._distance_mm(square, piece.x, piece.y), 0.0)

    def _add(self, moving: dict[int, float], pole: int, x: float, y: float, height_mm: float) -> None:
        if height_mm > _TOO_HIGH_MM:
            return
        cell = (round(2 * x), round(2 * y))
        near = self._near.get(cell)
        if near is None:
            reach = _REACH + 0.36  # half the diagonal of a cell more
            middle = (cell[0] / 2, cell[1] / 2)
            near = tuple(n for n, place in enumerate(self.board.places) if math.dist(place, middle) <= reach)
            self._near[cell] = near
        for square in near:
            distance_mm = self._distance_mm(square, x, y)
            if distance_mm <= _REACH * self.board.pitch_mm:
                moving[square] = moving.get(square, 0.0) + pole * self._field(distance_mm, height_mm)

    def _distance_mm(self, square: int, x: float, y: float) -> float:
        place = self.board.places[square]
        return math.hypot(x - place[0], y - place[1]) * self.board.pitch_mm
