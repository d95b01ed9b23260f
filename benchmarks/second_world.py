"""Magnets that go over a plane, the sensors under it, and the frames that a board sends of them: the world of `second_hands`.

Written from docs/reference/hands.md and docs/reference/wire.md alone, and on purpose without any code of the simulator: two worlds that
were thought up apart find faults in a reader that one of them never shows. A piece is a point; a sensor sees it within its reach, a ball
around the middle of its square. Where two reaches overlap both sensors see a piece on the border, where they do not neither does.
Lengths are in squares, times in milliseconds of the board. Pure: everything is drawn from the random numbers that are passed in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import NamedTuple

from firmware_bridge.messages import Frame, Reading
from hardware import BoardFile, Sensing

ACTIVE_MS, IDLE_MS = 400, 500
"""A frame follows every scan for so long after a change; else one comes so long after the last (docs/reference/wire.md)."""

LATE_MS = 14
"""A change is noticed by the scan at most so late. With a scan's 10 ms it stays below the 25 ms that the page allows."""

KNOWN_HOLE_MS = 1_100
"""Frames that are missing for longer are known to be missing."""

SPREAD = 0.06
"""Sensors differ in their reach by up to this."""

_NEAREST_MS = 4.0
"""So often it is looked which of two magnets over one sensor is the nearer one."""
_FOR_EVER = math.inf
_FLICKERS_APART_MS = 120


class Point(NamedTuple):
    """A place over the board: column and row of the middle of a square are whole numbers, `z` is the height over the sensors."""

    x: float
    y: float
    z: float = 0.0


class Leg(NamedTuple):
    """A piece goes straight and evenly from one place to another."""

    start_ms: float
    end_ms: float
    start: Point
    end: Point

    def later(self, by_ms: float) -> Leg:
        """Return the same at a later time."""
        return Leg(self.start_ms + by_ms, self.end_ms + by_ms, self.start, self.end)


@dataclass(eq=False, slots=True)
class Magnet:
    """One piece: whose, and where it goes. It stays where its last leg ended."""

    seat: str
    place: Point
    """Where it was before its first leg."""
    legs: list[Leg] = field(default_factory=list)

    @property
    def free_ms(self) -> float:
        """Return when its last leg is over; before the beginning of time if it never moved."""
        return self.legs[-1].end_ms if self.legs else -_FOR_EVER

    @property
    def last(self) -> Point:
        """Return where it stays in the end."""
        return self.legs[-1].end if self.legs else self.place

    def at(self, ms: float) -> Point:
        """Return where it is at a time."""
        place = self.place
        for leg in self.legs:
            if ms < leg.start_ms:
                return place
            if ms < leg.end_ms:
                share = (ms - leg.start_ms) / (leg.end_ms - leg.start_ms)
                return Point(*(a + share * (b - a) for a, b in zip(leg.start, leg.end, strict=True)))
            place = leg.end
        return place

    def forget(self, before_ms: float) -> None:
        """Drop the legs that were over before this."""
        while self.legs and self.legs[0].end_ms < before_ms:
            self.place = self.legs.pop(0).end


def in_reach(leg: Leg, middle: Point, reach: float) -> tuple[float, float] | None:
    """Return from when to when a piece on this leg is within reach of a sensor, None for never."""
    px, py, pz = leg.start.x - middle.x, leg.start.y - middle.y, leg.start.z
    vx, vy, vz = leg.end.x - leg.start.x, leg.end.y - leg.start.y, leg.end.z - leg.start.z
    a = vx * vx + vy * vy + vz * vz
    c = px * px + py * py + pz * pz - reach * reach
    if a < 1e-12:
        return (leg.start_ms, leg.end_ms) if c < 0 else None
    half_b = px * vx + py * vy + pz * vz
    root = half_b * half_b - a * c
    if root <= 0:
        return None
    low, high = (-half_b - math.sqrt(root)) / a, (-half_b + math.sqrt(root)) / a
    if high <= 0 or low >= 1:
        return None
    length = leg.end_ms - leg.start_ms
    return leg.start_ms + max(0.0, low) * length, leg.start_ms + min(1.0, high) * length


def seen(legs: Iterable[Leg], middle: Point, reach: float) -> list[tuple[float, float]]:
    """Return the spans of time in which a sensor sees a piece that goes these legs, in order."""
    spans: list[tuple[float, float]] = []
    for leg in legs:
        span = in_reach(leg, middle, reach)
        if span is None:
            continue
        if spans and span[0] - spans[-1][1] < 1e-6:
            spans[-1] = (spans[-1][0], span[1])
        else:
            spans.append(span)
    return spans


@dataclass(frozen=True, slots=True)
class Noise:
    """What sensors and link do besides. `overlap` is the width of the strip at a border in which both neighbours see a piece."""

    flips: float = 0.0
    """Chance of a square to read wrong in one scan."""
    bursts_per_s: float = 0.0
    burst_ms: tuple[int, int] = (20, 60)
    hole_every_s: float = 0.0
    """0: no holes."""
    hole_ms: tuple[int, int] = (200, 4_000)
    overlap: float = 0.0
    late_ms: int = LATE_MS


class Change(NamedTuple):
    """A sensor's square begins to show something else: when it does, and when the scan notices."""

    ms: float
    noticed_ms: float
    reading: Reading


class World:
    """A board with pieces on it. `run` lets a piece go; `listen` lets time pass and returns the frames that arrived meanwhile."""

    def __init__(self, board: BoardFile, random: Random, noise: Noise) -> None:
        self.board, self.noise, self.colour = board, noise, board.sensing is Sensing.COLOUR
        self.now_ms = 0
        self.period_ms = 1000 // board.scan.hz
        self.magnets: list[Magnet] = []
        self.middles = {name: Point(*place) for name, place in zip(board.squares, board.places, strict=True)}
        spread = SPREAD if noise.late_ms else 0.0
        self.reaches = {name: 0.5 + noise.overlap / 2 + random.uniform(-spread, spread) for name in board.squares}
        self._random = random
        self._readings = [Reading.EMPTY, Reading.RED, *([Reading.BLUE] if self.colour else [])]
        self._index = {name: at for at, name in enumerate(board.squares)}
        self._near: dict[str, dict[Magnet, None]] = {name: {} for name in board.squares}
        self._due: dict[str, list[Change]] = {}
        self._true = dict.fromkeys(board.squares, Reading.EMPTY)
        self._changed_ms = dict.fromkeys(board.squares, 0)
        self._wrong: dict[str, tuple[int, Reading]] = {}
        """Squares that flicker: until when, and what they show."""
        self._well_ms: dict[str, int] = {}
        self._flicker_ms = self._next_flicker(0)
        self._shown: tuple[Reading, ...] = (Reading.EMPTY,) * len(board.squares)
        self._sequence = 0
        self._scanned_ms = self._framed_ms = 0
        self._active_ms = -ACTIVE_MS
        self._hole_ms, self._back_ms = self._next_hole(0), _FOR_EVER
        """When the next hole may begin, and when the one that there is ends."""
        self.changes: list[tuple[float, str, Reading]] = []
        """Every change that was noticed since they were last taken away, without flickers, at the time at which it happened."""

    # ---- pieces

    def lay(self, magnet: Magnet) -> None:
        """Put a piece on the board before anything has begun."""
        self.magnets.append(magnet)
        for name in self._about([Leg(0, 0, magnet.place, magnet.place)]):
            self._near[name][magnet] = None
            self._true[name] = self._reading(name, 0.0)
        self._shown = tuple(self._true[name] for name in self.board.squares)

    def run(self, magnet: Magnet, legs: Sequence[Leg]) -> None:
        """Let a piece go these legs, one after the other, after the ones that it goes already."""
        magnet.forget(self.now_ms - 1_000)
        magnet.legs += legs
        for name in self._about(legs):
            self._near[name][magnet] = None
            self._foresee(name, legs[0].start_ms)

    @property
    def busy(self) -> bool:
        """Return whether a piece is still going."""
        return any(magnet.free_ms > self.now_ms for magnet in self.magnets)

    def occupied(self) -> set[str]:
        """Return the squares whose sensors have a piece in sight."""
        return {name for name, reading in self._true.items() if reading is not Reading.EMPTY}

    def changed_ms(self, square: str) -> int:
        """Return when a piece last changed what a square shows."""
        return self._changed_ms[square]

    def spans(self, legs: Sequence[Leg], square: str) -> list[tuple[float, float]]:
        """Return when the sensor of a square sees a piece that goes these legs."""
        return seen(legs, self.middles[square], self.reaches[square])

    def collides(self, magnet: Magnet, legs: Sequence[Leg]) -> bool:
        """Return whether a piece that goes these legs comes too near to another one that stands or goes about too."""
        others = [other for other in self.magnets if other is not magnet]
        end_ms = legs[-1].end_ms + 1
        ghost = Magnet(magnet.seat, legs[0].start, list(legs))
        xs = [point.x for leg in legs for point in (leg.start, leg.end)]
        ys = [point.y for leg in legs for point in (leg.start, leg.end)]
        low, high = (min(xs) - 1, min(ys) - 1), (max(xs) + 1, max(ys) + 1)
        for other in others:
            moves = other.free_ms > legs[0].start_ms
            if not moves and not (low[0] < other.last.x < high[0] and low[1] < other.last.y < high[1]):
                continue
            until_ms = max(end_ms, other.free_ms) if moves else end_ms
            ms = legs[0].start_ms
            while ms <= until_ms + 20:
                a, b = ghost.at(ms), other.at(ms)
                if a.z < 0.5 and b.z < 0.5 and math.hypot(a.x - b.x, a.y - b.y) < 0.6:
                    return True
                ms += 20
        return False

    def _about(self, legs: Sequence[Leg]) -> list[str]:
        """Return the squares that may see a piece on these legs."""
        xs = [p.x for leg in legs for p in (leg.start, leg.end)]
        ys = [p.y for leg in legs for p in (leg.start, leg.end)]
        west, east, south, north = min(xs) - 1, max(xs) + 1, min(ys) - 1, max(ys) + 1
        return [
            name
            for name, middle in self.middles.items()
            if west < middle.x < east and south < middle.y < north and self.spans(legs, name)
        ]

    # ---- what sensors see

    def _paths(self, name: str, from_ms: float) -> list[tuple[Magnet, list[tuple[float, float]]]]:
        """Return the pieces that come into a sensor's sight from then on, and when they are in it."""
        found = []
        for magnet in list(self._near[name]):
            path, place, ms = [], magnet.place, from_ms
            for leg in magnet.legs:
                if leg.end_ms > from_ms:
                    path += [Leg(ms, leg.start_ms, place, place)] if leg.start_ms > ms else []
                    path.append(leg)
                    ms = leg.end_ms
                place = leg.end
            path.append(Leg(ms, _FOR_EVER, place, place))
            spans = [(max(a, from_ms), b) for a, b in self.spans(path, name) if b > from_ms]
            if spans:
                found.append((magnet, spans))
            elif magnet.free_ms < self.now_ms:
                del self._near[name][magnet]
        return found

    def _reading(self, name: str, ms: float) -> Reading:
        middle, reach = self.middles[name], self.reaches[name]
        nearest, found = reach, Reading.EMPTY
        for magnet in self._near[name]:
            distance = math.dist(magnet.at(ms), middle)
            if distance < nearest:
                nearest, found = distance, self._pole(magnet)
        return found

    def _pole(self, magnet: Magnet) -> Reading:
        return Reading.BLUE if self.colour and magnet.seat == "blue" else Reading.RED

    def _foresee(self, name: str, from_ms: float) -> None:
        """Compute a sensor's coming changes again, from the moment at which pieces move differently than known before."""
        kept = [change for change in self._due.get(name, ()) if change.ms < from_ms]
        reading = kept[-1].reading if kept else self._true[name]
        for ms, found in self._run_of(name, from_ms):
            if found is not reading:
                noticed = ms + self._random.uniform(0, self.noise.late_ms)
                kept.append(Change(ms, max(noticed, kept[-1].noticed_ms if kept else 0.0), found))
                reading = found
        if kept:
            self._due[name] = kept
        else:
            self._due.pop(name, None)

    def _run_of(self, name: str, from_ms: float) -> list[tuple[float, Reading]]:
        """Return what a sensor shows from then on; with two pieces in sight that is the nearer one."""
        paths = self._paths(name, from_ms)
        turns = sorted({from_ms, *(ms for _, spans in paths for span in spans for ms in span)})
        run: list[tuple[float, Reading]] = []
        for start_ms, end_ms in pairwise([*turns, _FOR_EVER] if turns[-1] != _FOR_EVER else turns):
            there = [magnet for magnet, spans in paths if any(a <= start_ms < b for a, b in spans)]
            if len(there) < 2:
                run.append((start_ms, self._pole(there[0]) if there else Reading.EMPTY))
                continue
            ms, last_ms = start_ms, min(end_ms, max(magnet.free_ms for magnet in there) + 2 * _NEAREST_MS)
            while ms < max(last_ms, start_ms + 1):
                middle = self.middles[name]
                distances = {math.dist(magnet.at(ms + 0.01), middle): magnet for magnet in there}
                run.append((ms, self._pole(distances[min(distances)])))
                ms += _NEAREST_MS
        return run

    # ---- frames

    def listen(self, until_ms: int) -> list[Frame]:
        """Let time pass; return the frames that arrive until then."""
        frames: list[Frame] = []
        while True:
            ms = self._next_scan()
            if ms > until_ms:
                break
            self._scanned_ms = self.now_ms = ms
            frame = self._scan(ms)
            if frame is not None:
                frames.append(frame)
        self.now_ms = max(self.now_ms, until_ms)
        return frames

    def _next_scan(self) -> int:
        """Return the next scan that can bring a frame; the ones before it show nothing new."""
        following = self._scanned_ms + self.period_ms
        if self._wrong or following - self._active_ms <= ACTIVE_MS:
            return following
        events = [changes[0].noticed_ms for changes in self._due.values()]
        first = min([*events, self._flicker_ms, self._framed_ms + IDLE_MS, self._back_ms])
        return max(following, math.ceil(first / self.period_ms) * self.period_ms)

    def _scan(self, ms: int) -> Frame | None:
        changed = self._notice(ms) | self._flicker(ms)
        if changed:
            shown = tuple(
                self._wrong[name][1] if name in self._wrong else reading for name, reading in self._true.items()
            )
            if shown != self._shown:
                self._shown, self._active_ms = shown, ms
        comes_back = ms >= self._back_ms
        if ms - self._active_ms > ACTIVE_MS and ms - self._framed_ms < IDLE_MS and not comes_back:
            return None
        self._framed_ms = ms
        self._sequence = (self._sequence + 1) % 256
        if comes_back:  # whoever was without frames asks for one
            self._back_ms = _FOR_EVER
        elif self._back_ms != _FOR_EVER:
            return None
        if ms >= self._hole_ms:  # a hole lies between two frames that arrive
            self._back_ms = ms + self._random.randrange(*self.noise.hole_ms)
            self._hole_ms = self._next_hole(self._back_ms)
        return Frame(self._sequence, ms, self._shown)

    def _next_hole(self, ms: float) -> float:
        every_s = self.noise.hole_every_s
        return ms + 1_000 * self._random.uniform(0.5 * every_s, 1.5 * every_s) if every_s else _FOR_EVER

    def _notice(self, ms: int) -> bool:
        found = False
        for name in list(self._due):
            changes = self._due[name]
            while changes and changes[0].noticed_ms <= ms:
                change = changes.pop(0)
                found = True
                self._true[name], self._changed_ms[name] = change.reading, int(change.ms)
                self.changes.append((change.ms, name, change.reading))
            if not changes:
                del self._due[name]
        return found

    # ---- flickers

    def _next_flicker(self, ms: float) -> float:
        """Return when the next square flickers; they come at any time, whatever the hands do."""
        a_second = self.noise.flips * len(self.middles) * 1_000 / self.period_ms + self.noise.bursts_per_s
        return ms + 1_000 * self._random.expovariate(a_second) if a_second else _FOR_EVER

    def _flicker(self, ms: int) -> bool:
        over = [name for name, (until_ms, _) in self._wrong.items() if ms >= until_ms]
        for name in over:
            del self._wrong[name]
            self._well_ms[name] = ms
        if ms < self._flicker_ms:
            return bool(over)
        noise = self.noise
        flips_a_second = noise.flips * len(self.middles) * 1_000 / self.period_ms
        burst = self._random.random() * (flips_a_second + noise.bursts_per_s) >= flips_a_second
        for_ms = self._random.randrange(noise.burst_ms[0], noise.burst_ms[1] + 1) if burst else self.period_ms
        squares = self._random.randrange(2, 7) if burst and self._random.random() < 0.2 else 1
        for name in self._random.sample(self.board.squares, squares):
            if name not in self._wrong and ms - self._well_ms.get(name, -_FLICKERS_APART_MS) >= _FLICKERS_APART_MS:
                wrong = [reading for reading in self._readings if reading is not self._true[name]]
                self._wrong[name] = (
                    ms + max(self.period_ms, for_ms // self.period_ms * self.period_ms),
                    self._random.choice(wrong),
                )
        self._flicker_ms = self._next_flicker(ms)
        return True
