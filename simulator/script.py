"""One hand's doings as tracks, one after the other: take, carry, put down, slide, tap, push."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from simulator import times
from simulator.magnets import Point, Resting, Track
from simulator.profiles import USUAL, HandTimes

IN_HAND_MM = 35.0
HOP_MM = 18.0
TAP_MM = (10.0, 18.0)
"""How far a tapping piece's magnet stays above the one it taps."""

COVERED_PITCHES = 0.30
"""How far from the middle of a square its sensor still sees a magnet, by the thresholds that ship."""

LARGEST_OFFSET = 0.2  # of the pitch
_OFFSET = 0.08


class MotionError(ValueError):
    """A motion that no hand can make: malformed, of squares that the board has not, or that are empty or taken. Nothing has moved."""


@dataclass(frozen=True, slots=True)
class HandsView:
    """What hands find: the squares with their places, what rests on which, and the pole of a seat. Not changed by them."""

    index: Callable[[str], int]
    places: Sequence[tuple[float, float]]
    resting: dict[int, Resting]
    pole: Callable[[str], int]
    beside: Callable[[], int]
    """Returns the next place, a number below zero, for a piece that lies beside the squares."""
    times: HandTimes = USUAL

    def taken(self, square: str) -> int:
        """Return the number of a square that a piece stands on; raise MotionError."""
        number = self.index(square)
        if number not in self.resting:
            raise MotionError(f"no piece stands on {square}")
        return number

    def free(self, square: str) -> int:
        """Return the number of a square that nothing stands on; raise MotionError."""
        number = self.index(square)
        if number in self.resting:
            raise MotionError(f"a piece stands on {square} already")
        return number


def landing(place: tuple[float, float], random: Random) -> tuple[float, float]:
    """Return where a piece that is set down on a square really stands."""
    off = min(abs(random.gauss(0.0, _OFFSET)), LARGEST_OFFSET)
    angle = random.uniform(0.0, 2.0 * math.pi)
    return place[0] + off * math.cos(angle), place[1] + off * math.sin(angle)


@dataclass(frozen=True, slots=True)
class Held:
    """A piece in a hand."""

    seat: str
    pole: int


class Gesture:
    """A hand at work from `at_ms` on. Each step begins when the one before has ended; `tracks` is what comes of it all.

    `standing` is what rests where after the steps so far; it begins with what the table shows.
    """

    def __init__(self, table: HandsView, random: Random, at_ms: float) -> None:
        self.at_ms = at_ms
        self.tracks: list[Track] = []
        self.standing = dict(table.resting)
        self.table = table
        self.random = random
        hands = table.times
        self._air, self._lost = hands.air_ms / USUAL.air_ms, hands.contact_lost_ms / USUAL.contact_lost_ms
        self._crossed, self._border = hands.crossed_ms / USUAL.crossed_ms, hands.border_ms / USUAL.border_ms

    def wait(self, time: times.Spread | times.Even) -> None:
        """Do nothing for a while."""
        self.at_ms += time.draw(self.random)

    def take(self, place: int, *, fumble: bool = False) -> Held:
        """Lift the piece of a place into the hand; with `fumble` the fingers slip first."""
        piece = self.standing.pop(place)
        points = [Point(self.at_ms, piece.x, piece.y, piece.height_mm)]
        if fumble:
            self._hop(points)
            points.append(Point(points[-1].at_ms + times.CONTACT.draw(self.random), piece.x, piece.y, 0.0))
        rise_ms = times.RISE.draw(self.random) * self._air
        points.append(Point(points[-1].at_ms + rise_ms, piece.x, piece.y, IN_HAND_MM))
        self._add(Track(piece.pole, place, None, tuple(points), piece.seat))
        return Held(piece.seat, piece.pole)

    def carry(self) -> None:
        """Let the hand go to another place."""
        self.at_ms += times.CARRY.draw(self.random) * self._air

    def put(self, held: Held, square: int, *, fumble: bool = False, at: tuple[float, float] | None = None) -> None:
        """Set a piece down on a square, `at` exactly there; with `fumble` it hops before it stands."""
        x, y = at or landing(self.table.places[square], self.random)
        points = [Point(self.at_ms, x, y, IN_HAND_MM)]
        points.append(Point(self.at_ms + times.FALL.draw(self.random) * self._air, x, y, 0.0))
        if fumble:
            points.append(Point(points[-1].at_ms + times.CONTACT.draw(self.random), x, y, 0.0))
            self._hop(points)
        self._add(Track(held.pole, None, square, tuple(points), held.seat))

    def lay_beside(self, held: Held, at: tuple[float, float]) -> int:
        """Put a piece down where no square is; return the number under which it lies there."""
        place = self.table.beside()
        self.put(held, place, at=at)
        return place

    def tap(self, held: Held, square: int) -> None:
        """Touch the piece on a square with the one in the hand."""
        x, y = landing(self.table.places[square], self.random)
        down_ms = self.at_ms + times.FALL.draw(self.random)
        low_mm = self.random.uniform(*TAP_MM)
        up_ms = down_ms + times.TAP.draw(self.random)
        points = [Point(self.at_ms, x, y, IN_HAND_MM), Point(down_ms, x, y, low_mm), Point(up_ms, x, y, low_mm)]
        points.append(Point(up_ms + times.RISE.draw(self.random), x, y, IN_HAND_MM))
        self._add(Track(held.pole, None, None, tuple(points), held.seat))

    def slide(
        self, source: int, way: Sequence[int], rests: Sequence[int] = (), *, fumble: bool = False
    ) -> dict[int, int]:
        """Push the piece of a square along the board over the squares of `way` to its last one.

        Its hand hesitates on the squares of `rests`, which lie on the way. Give how long it stood on each.
        """
        piece = self.standing.pop(source)
        points = [Point(self.at_ms, piece.x, piece.y, 0.0)]
        rested: dict[int, int] = {}
        leaves_ms = times.PUSH_OFF.draw(self.random) * self._crossed
        for n, square in enumerate(way):
            last = n == len(way) - 1
            place = landing(self.table.places[square], self.random) if last else self.table.places[square]
            self._cross(points, place, leaves_ms)
            stay_ms = times.HESITATION.draw(self.random) if square in rests and square not in rested else 0.0
            if stay_ms:
                rested[square] = round(stay_ms)
            seen = times.PUSH_OFF if last or stay_ms else times.DWELL
            leaves_ms = seen.draw(self.random) * self._crossed / 2
            points.append(Point(points[-1].at_ms + leaves_ms, *place, 0.0))
            if stay_ms:
                points.append(Point(points[-1].at_ms + stay_ms, *place, 0.0))
        if fumble:
            points.append(Point(points[-1].at_ms + times.CONTACT.draw(self.random), *points[-1][1:3], 0.0))
            self._hop(points)
        self._add(Track(piece.pole, source, way[-1], tuple(points), piece.seat))
        return rested

    def push(self, place: int, target: int, *, over_edge: bool = False) -> None:
        """Push a piece into the middle of a square; with `over_edge` it is first pushed the wrong way, nearly out of it."""
        piece = self.standing.pop(place)
        points = [Point(self.at_ms, piece.x, piece.y, piece.height_mm)]
        if over_edge:
            angle, off = self.random.uniform(0.0, math.tau), self.random.uniform(0.25, 0.42)
            x, y = self.table.places[target]
            at_ms = points[-1].at_ms + times.ADJUST.draw(self.random) / 2
            points.append(Point(at_ms, x + off * math.cos(angle), y + off * math.sin(angle), 0.0))
        x, y = landing(self.table.places[target], self.random)
        points.append(Point(points[-1].at_ms + times.ADJUST.draw(self.random), x, y, 0.0))
        self._add(Track(piece.pole, place, target, tuple(points), piece.seat))

    def shove(self, place: int, target: int, at: tuple[float, float], during_ms: float, height_mm: float = 0.0) -> None:
        """Let a piece be thrown to `at`, beside its place, while the hand does nothing: `at_ms` stays."""
        piece = self.standing.pop(place)
        points = (Point(self.at_ms, piece.x, piece.y, piece.height_mm), Point(self.at_ms + during_ms, *at, height_mm))
        track = Track(piece.pole, place, target, points, piece.seat)
        self.tracks.append(track)
        self.standing[target] = track.rest

    def _cross(self, points: list[Point], place: tuple[float, float], half_ms: float) -> None:
        """Go from the last point out of its square's sight and into the sight of the next, short of its middle."""
        start_ms, x, y, _ = points[-1]
        distance = math.dist((x, y), place) or 1.0
        share = min(COVERED_PITCHES / distance, 0.45)
        step = (place[0] - x, place[1] - y)
        points.append(Point(start_ms + half_ms, x + step[0] * share, y + step[1] * share, 0.0))
        points.append(
            Point(
                points[-1].at_ms + times.GAP.draw(self.random) * self._border,
                place[0] - step[0] * share,
                place[1] - step[1] * share,
                0.0,
            )
        )

    def _hop(self, points: list[Point]) -> None:
        """Let contact come and go: one to three hops on the spot of the last point."""
        lost_ms = times.CONTACT_LOST.draw(self.random) * self._lost
        hops = 1 if lost_ms < 30 else self.random.randint(1, 3)
        x, y = points[-1][1:3]
        for hop in range(hops):
            at_ms = points[-1].at_ms + (times.CONTACT.draw(self.random) if hop else 0.0)
            if hop:
                points.append(Point(at_ms, x, y, 0.0))
            length_ms = lost_ms / hops
            points.append(Point(at_ms + 0.3 * length_ms, x, y, HOP_MM))
            points.append(Point(at_ms + 0.7 * length_ms, x, y, HOP_MM))
            points.append(Point(at_ms + length_ms, x, y, 0.0))

    def _add(self, track: Track) -> None:
        self.tracks.append(track)
        self.at_ms = track.end_ms
        if track.target is not None:
            self.standing[track.target] = track.rest
