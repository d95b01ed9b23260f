"""A whole board in board time: magnets, the hands that move them, scans, and what the firmware says of it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from firmware_bridge.messages import BoardMessage, Command, FrameFlag, Reading, ResetCause
from firmware_bridge.wire import BoardEncoder
from hardware import BoardFile
from simulator.faults import DOWN_MS, FOR_EVER_MS, JAM_MS, GlitchSource, Line, Trouble
from simulator.firmware import Firmware, SensorFault, Sensors, neighbours_of
from simulator.magnets import Field, Magnets, Resting, Track, field_of, stretched
from simulator.motions import Motion, parse_motion, plan
from simulator.profiles import CLEAN, Profile, load_profile
from simulator.script import HandsView, MotionError, landing

QUIET_MS = 700
DEFAULT_POLES: Mapping[str, str] = {"red": "red", "blue": "blue", "green": "red", "yellow": "blue"}
_POLES = {"red": 1, "blue": -1}


class SimBoard:
    """Magnets over sensors. No clock, no thread, no I/O: time passes in `advance` (bytes) or `listen` (messages).

    The same board, profile, seed and calls give the same bytes. `poles` names a pole (red or blue) for each seat word. All times are
    board time since the first power-on; after a reboot messages count from `boot_ms`.
    """

    def __init__(
        self,
        board: BoardFile,
        seed: int = 0,
        poles: Mapping[str, str] = DEFAULT_POLES,
        field: Field | None = None,
        *,
        profile: Profile | str = CLEAN,
        calibrated: bool = True,
        wires: Sequence[int] = (),
    ) -> None:
        """`wires` are the firmware's square that feels what is on each square, where sensors hang on other inputs than the file says."""
        self.board = board
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.now_ms = 0
        self.boot_ms = 0
        field = field or field_of(board.magnet)
        if reach := self.profile.sensors.reach:
            field = stretched(field, reach)
        self._seed = seed
        self._hz = board.scan.hz
        self._random = Random(seed)
        self._poles = dict(poles)
        self._number = {square: number for number, square in enumerate(board.squares)}
        self._wires = tuple(wires) or tuple(range(len(board.squares)))
        self._place = {square: place for place, square in enumerate(self._wires)}
        self._magnets = Magnets(board, field)
        self._sensors = Sensors(board, self.profile.sensors, Random(f"{seed}/sensors"), calibrated=calibrated)
        self._neighbours = neighbours_of(board, field)
        self.firmware = Firmware(board, 1, self._sensors, self._neighbours)
        self._glitches = GlitchSource(
            self.profile.glitches, len(board.squares), self._hz, Random(f"{seed}/glitches"), colour=self._sensors.colour
        )
        self._line = Line(self.profile.link, Random(f"{seed}/line"))
        self._tracks: list[Track] = []
        self._planned: dict[int, Resting] = {}
        self._touched: set[int] = set()
        self._changed_ms = [0] * len(board.squares)
        self._events: list[tuple[int, int, Trouble]] = []
        self._asked = 0
        self._lying = 0
        self._drift_ms: int | None = 0
        self._down = True
        self._scan = 0
        self._jammed_until_ms = 0
        self._encoder = BoardEncoder()

    # ---------------------------------------------------------------- what hands and bad luck do

    @property
    def table(self) -> HandsView:
        """What hands find on the board once every motion that was begun has ended."""
        if not self._tracks:
            self._planned = dict(self._magnets.resting)
        return HandsView(self._index, self.board.places, self._planned, self._pole, self._beside, self.profile.times)

    @property
    def colour(self) -> bool:
        """Return whether the sensors tell red's magnets from blue's."""
        return self._sensors.colour

    @property
    def busy(self) -> bool:
        """Return whether a motion that was begun has not ended. Captured pieces that move beside the squares do not count."""
        return not all(track.beside for track in self._tracks)

    @property
    def is_still(self) -> bool:
        """Return whether no magnet is under way, nor will be."""
        return not self._tracks

    @property
    def rests_ms(self) -> int:
        """When the last magnet that is under way will rest; 0 if none is."""
        return math.ceil(max((track.end_ms for track in self._tracks if not track.beside), default=0))

    def lay(self, occupants: Mapping[str, str]) -> None:
        """Let pieces stand on these squares (square -> seat) as if they always had; what else lay on the board is gone."""
        self._tracks = []
        for place in list(self._magnets.resting):
            self._magnets.take(place)
        for square, seat in occupants.items():
            number = self._index(square)
            self._magnets.rest(
                number, Resting(self._pole(seat), *landing(self.board.places[number], self._random), seat)
            )
        self._touched.update(range(len(self.board.squares)))
        self._wake()

    def begin(self, motion: Motion | dict[str, Any], after_ms: int = 0) -> int:
        """Let a hand begin a motion (a value, or its JSON form) at `now_ms` + `after_ms`; return when its last magnet rests.

        Raise MotionError, nothing having moved, if no hand could make it or the last one has not ended.
        """
        if self.busy:
            raise MotionError("the motion before has not ended")
        if isinstance(motion, dict):
            motion, wait_ms = parse_motion(motion)
            after_ms += wait_ms
        start_ms = self.now_ms + after_ms
        if isinstance(motion, Trouble):
            self.trouble(motion, start_ms)
            return start_ms
        tracks = plan(motion, self.table, start_ms, self._random)
        self.perform(tracks)
        return math.ceil(max((track.end_ms for track in tracks), default=start_ms))

    def perform(self, tracks: Iterable[Track]) -> None:
        """Let magnets go these ways, besides those that are under way already. A track whose piece is not there then does nothing."""
        planned = self.table.resting
        tracks = list(tracks)
        leaves = [(track.start_ms, track.source, None) for track in tracks if track.source is not None]
        comes = [(track.end_ms, track.target, track.rest) for track in tracks if track.target is not None]
        for _, place, rest in sorted([*comes, *leaves], key=lambda event: event[0]):
            if rest is None:
                planned.pop(place, None)
            else:
                planned[place] = rest
        self._tracks += tracks
        self._wake()

    def trouble(self, trouble: Trouble, at_ms: int = 0) -> None:
        """Let something happen to the board itself at that time, or now if that has gone by. Raise MotionError for an unknown square."""
        if trouble.square:
            self._index(trouble.square)
        self._asked += 1
        heapq.heappush(self._events, (at_ms, self._asked, trouble))
        self._wake()

    def obey(self, command: Command) -> list[bytes]:
        """Return what the board answers to a command now."""
        return self._bytes(self.answer(command))

    def answer(self, command: Command) -> list[BoardMessage]:
        """Return the same as messages. A board that is down, or whose line is cut, says nothing."""
        if self._down:
            return []
        self._wake()
        return self._sent(self.firmware.obey(command, self.now_ms - self.boot_ms))

    # ---------------------------------------------------------------- what is so

    def occupied(self) -> dict[str, Reading]:
        """Return the truth: the squares on which magnets rest, and the pole of each."""
        squares = self.board.squares
        return {
            squares[number]: Reading.RED if magnet.pole > 0 else Reading.BLUE
            for number, magnet in sorted(self._magnets.resting.items())
            if number >= 0
        }

    def magnets(self) -> list[tuple[int | None, Resting]]:
        """Return where every magnet is now, at rest or under way, with its place (None: in a hand that is nobody's)."""
        moving = []
        for track in self._tracks:
            if track.begun and (
                self.now_ms < track.end_ms or track.target is not None
            ):  # it may rest at the next scan only
                x, y, height_mm = track.at(min(self.now_ms, track.end_ms))
                place = track.source if track.target is None else track.target
                moving.append((place, Resting(track.pole, x, y, track.seat, height_mm)))
        return [*self._magnets.resting.items(), *moving]

    def amplitudes(self) -> list[int]:
        """Return what a converter reads on every square now, in counts, noise and all."""
        return [self._sensors.converted(number) for number in range(len(self.board.squares))]

    @property
    def supply(self) -> int:
        """What the divider of the sensors' supply reads now, in counts."""
        return self._sensors.watch.supply

    def hang_divider(self) -> None:
        """Leave the input of the supply's divider unconnected (see `Sensors.hang`)."""
        self._sensors.hang()
        self._wake()

    def surround(
        self, supply_percent: float = 100.0, warmer_k: float = 0.0, way: Callable[[int], float] | None = None
    ) -> None:
        """Set the sensors' supply and temperature apart from those of the calibration (see `Sensors.surround`)."""
        self._sensors.surround(supply_percent / 100.0, warmer_k, way)
        self._touched.update(range(len(self.board.squares)))
        self._wake()

    @property
    def calibration(self) -> tuple[Sequence[int], Sequence[int]] | None:
        """What the firmware knows of its sensors, zeros and gains in counts; None if nothing."""
        known = self._sensors.colour and self._sensors.measured
        return (self._sensors.zeros, self._sensors.gains) if known else None

    @property
    def is_cut(self) -> bool:
        """Return whether the line passes nothing now."""
        return self.now_ms < self._line.cut_until_ms

    def changed_ms(self, square: str) -> int:
        """Return the time of the last scan at which a square's reading changed because of a magnet, not of a glitch."""
        return self._changed_ms[self._index(square)]

    @property
    def next_ms(self) -> int:
        """When the next scan is that may send something; nothing happens before it unless a hand or a command comes."""
        return self._scan * 1000 // self._hz

    # ---------------------------------------------------------------- time

    def start(self) -> list[bytes]:
        """Return what the board says after power-on: HELLO and the first KEYFRAME."""
        return self.advance(self.now_ms)

    def advance(self, until_ms: int) -> list[bytes]:
        """Let board time pass up to and including `until_ms`; return the frames sent, in order."""
        return self._bytes(self._run(until_ms))

    def listen(self, until_ms: int) -> list[BoardMessage]:
        """Let board time pass; return the messages that a decoder would make of the bytes (no repeats)."""
        heard: list[BoardMessage] = []
        for message in self._run(until_ms):
            if not heard or message is not heard[-1]:
                heard.append(message)
        return heard

    def play(self, motion: Motion | dict[str, Any], after_ms: int = 0, quiet_ms: int = QUIET_MS) -> list[bytes]:
        """Return every frame of a motion and of the quiet time after it."""
        return self.advance(self.begin(motion, after_ms) + quiet_ms)

    def _run(self, until_ms: int) -> list[BoardMessage]:
        sent: list[BoardMessage] = []
        hz = self._hz
        while (now_ms := self._scan * 1000 // hz) <= until_ms:
            if self._events and self._events[0][0] <= now_ms:
                self._happen(now_ms)
            if now_ms < self.boot_ms:
                self._scan = math.ceil(self.boot_ms * hz / 1000)
                continue
            if self._down:
                self._down = False
                sent += self._sent([self.firmware.hello(now_ms - self.boot_ms)], now_ms)
            self._measure(now_ms)
            if self._glitches.next_scan <= self._scan:
                self._glitches.step(self._scan, self.firmware)
            frame = self.firmware.scan_done(now_ms - self.boot_ms)
            if frame is not None and now_ms < self._jammed_until_ms:
                self.firmware.report(FrameFlag.QUEUE_FULL)
            elif frame is not None:
                copies = self._line.copies(now_ms)
                if copies:
                    sent.append(frame)
                    if copies > 1:
                        sent.append(frame)
            self._scan += 1
            self._skip(now_ms)
        self.now_ms = max(self.now_ms, until_ms)
        if self._down and self._tracks:
            self._sense(self.now_ms)  # hands go on while the controller is down
        return sent

    def _skip(self, now_ms: int) -> None:
        """Leave out the scans at which nothing can happen and nothing is sent."""
        next_ms = self.boot_ms + self.firmware.due_ms(now_ms - self.boot_ms + 1)
        if next_ms <= now_ms + 1 or self._touched or self._sensors.restless or self.firmware.stale:
            return
        for track in self._tracks:
            next_ms = min(next_ms, math.floor(track.start_ms))
        if self._events:
            next_ms = min(next_ms, self._events[0][0])
        if self._drift_ms is not None:
            next_ms = min(next_ms, self._drift_ms)
        self._scan = max(self._scan, min(math.ceil(next_ms * self._hz / 1000), self._glitches.next_scan))

    def _wake(self) -> None:
        # scans that were skipped because nothing moved are due again, from the first after now
        if not self._down:
            self._scan = min(self._scan, math.ceil((self.now_ms + 1) * self._hz / 1000))

    def _sent(self, messages: Iterable[BoardMessage], now_ms: int | None = None) -> list[BoardMessage]:
        at_ms = self.now_ms if now_ms is None else now_ms
        return [message for message in messages for _ in range(self._line.copies(at_ms))]

    def _bytes(self, messages: Iterable[BoardMessage]) -> list[bytes]:
        return [self._encoder.encode(message) for message in messages]

    # ---------------------------------------------------------------- one scan

    def _measure(self, now_ms: int) -> None:
        if self._tracks or self._touched:
            self._sense(now_ms)
        stale = set(self.firmware.stale)
        self.firmware.stale.clear()
        if self._drift_ms is not None and now_ms >= self._drift_ms:
            self._drift_ms = self._sensors.drift(now_ms)
            stale = set(range(len(self.board.squares)))
        if self._sensors.hanging and self._sensors.scan_supply():
            stale = set(range(len(self.board.squares)))
        if stale or self._sensors.marginal:
            again = {self._place[square] for square in stale | self._sensors.marginal}
            self._update(now_ms, dict.fromkeys(again - self._touched, 0.0))

    def _sense(self, now_ms: int) -> None:
        """Set, in the firmware, the fields of all squares that a moving magnet is near or was near at the last scan."""
        felt: dict[int, float] = {}
        near: set[int] = set()
        gone: list[Track] = []
        magnets = self._magnets
        for track in self._tracks:
            if now_ms < track.start_ms:
                continue
            if not track.begun:
                track.begun = True
                if track.source is not None:
                    left = magnets.take(track.source)
                    if left is None:
                        gone.append(track)
                        continue
                    near.update(magnets.near(left.x, left.y))  # it may be high up by now
            if now_ms < track.end_ms:
                magnets.feel(felt, track.pole, *track.at(now_ms))
                continue
            gone.append(track)
            if track.target is not None:
                near.update(magnets.rest(track.target, track.rest))
        for track in gone:
            self._tracks.remove(track)
        for square in self._touched | near:
            felt.setdefault(square, 0.0)
        self._update(now_ms, felt)
        self._touched = {square for square, field in felt.items() if field}

    def _update(self, now_ms: int, felt: Mapping[int, float]) -> None:
        sense, fields, wires = self.firmware.sense, self._magnets.fields, self._wires
        for square, field in felt.items():
            if sense(wires[square], field + fields[square]):
                self._changed_ms[square] = now_ms

    def _happen(self, now_ms: int) -> None:
        while self._events and self._events[0][0] <= now_ms:
            _, _, trouble = heapq.heappop(self._events)
            square, for_ms = trouble.square, trouble.for_ms
            match trouble.kind:
                case "reboot" | "brown-out" | "calibration-lost" as kind:
                    self._restart(kind, for_ms or DOWN_MS)
                case "cut":
                    self._line.cut_until_ms = now_ms + (for_ms or FOR_EVER_MS)
                case "jam":
                    self._jammed_until_ms = now_ms + (for_ms or JAM_MS)
                case "mended":
                    self._break_down(square, None, now_ms)
                case fault:
                    self._break_down(square, SensorFault(fault), now_ms)
                    if for_ms:
                        self.trouble(Trouble("mended", square), now_ms + for_ms)

    def _restart(self, kind: str, down_ms: int) -> None:
        self.boot_ms = (self._scan + max(1, math.ceil(down_ms * self._hz / 1000))) * 1000 // self._hz
        if kind == "calibration-lost":
            self._sensors.forget()
        self._sensors.restart()
        cause = ResetCause.BROWN_OUT if kind == "brown-out" else ResetCause.EXTERNAL
        self.firmware = Firmware(self.board, self.firmware.boot_count + 1, self._sensors, self._neighbours, cause)
        self._touched.update(range(len(self.board.squares)))
        self._down = True

    def _break_down(self, square: str, fault: SensorFault | None, now_ms: int) -> None:
        number = self._index(square)
        self._sensors.break_down(number, fault, now_ms)
        self._drift_ms = now_ms
        self._touched.add(number)

    def _beside(self) -> int:
        self._lying += 1
        return -self._lying

    def _index(self, square: str) -> int:
        try:
            return self._number[square]
        except KeyError:
            raise MotionError(f"the board has no square {square!r}") from None

    def _pole(self, seat: str) -> int:
        if seat not in self._poles:
            raise MotionError(f"seat {seat!r} is none of {', '.join(self._poles)}")
        return _POLES[self._poles[seat]]
