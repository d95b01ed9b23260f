"""How long hands take, and the tracks that their motions are made of.

The times are estimates until somebody films a game: air time of a lift 300 to 1,500 ms; in a slide a crossed square is covered for about
60 ms (lognormal, sigma 0.5) and then the border for about 35; a piece lands up to a fifth of the pitch off centre.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from simulator.errors import MotionError
from simulator.motions import Both, Clear, Lift, Motion, Move, Place, Put, Remove, Wait
from simulator.tracks import Point, Track

IN_HAND_MM = 35.0
COVERED_SHARE = 0.63  # of the way across a square that its sensor sees the magnet, by the thresholds that ship
LARGEST_OFFSET = 0.2  # of the pitch


@dataclass(frozen=True, slots=True)
class Spread:
    """A lognormal time: its median and sigma, cut off at both ends. All in milliseconds but sigma."""

    median_ms: float
    sigma: float
    least_ms: float
    most_ms: float

    def draw(self, random: Random) -> float:
        """Give one time in milliseconds."""
        return min(max(random.lognormvariate(math.log(self.median_ms), self.sigma), self.least_ms), self.most_ms)


RISE = Spread(160, 0.3, 90, 350)  # from the board to 35 mm
FALL = Spread(200, 0.3, 110, 450)
CARRY = Spread(350, 0.45, 120, 900)  # between them, with the hover above the target: air time is all three
ACROSS = Spread(60 / COVERED_SHARE, 0.5, 40, 400)  # a slide from one square to the next
PACE = Spread(450, 0.3, 200, 1200)  # from one piece out of the box to the next
SWEEP = Spread(90, 0.4, 40, 250)  # between pieces when a board is cleared
BETWEEN_LIFTS = Spread(320, 0.4, 120, 900)  # attacker lifted, then its target


@dataclass(frozen=True, slots=True)
class Resting:
    """A magnet at rest: its pole (+1 red's, -1 the other) and where exactly it stands."""

    pole: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Table:
    """What hands find: the squares with their places, what rests on which, and the pole of a seat. Not changed by them."""

    index: Callable[[str], int]
    places: Sequence[tuple[float, float]]
    resting: dict[int, Resting]
    pole: Callable[[str], int]

    def taken(self, square: str) -> int:
        """Give the number of a square that a piece stands on; raise MotionError."""
        number = self.index(square)
        if number not in self.resting:
            raise MotionError(f"no piece stands on {square}")
        return number

    def free(self, square: str) -> int:
        """Give the number of a square that nothing stands on; raise MotionError."""
        number = self.index(square)
        if number in self.resting:
            raise MotionError(f"a piece stands on {square} already")
        return number


Plan: TypeAlias = list[Track]


def plan(motion: Motion, table: Table, start_ms: float, random: Random) -> Plan:
    """Give the tracks of a motion that begins at `start_ms`; raise MotionError if no hand could make it."""
    match motion:
        case Place(seat, squares):
            return _place(table, seat, squares, start_ms, random)
        case Move(source, target, slide, via):
            return [_move(table, source, target, slide, via, start_ms, random)]
        case Lift(square) | Remove(square):
            return [_lift(table, table.taken(square), start_ms, random)]
        case Put(seat, square):
            return [_put(table, table.pole(seat), table.free(square), start_ms, random)]
        case Both(source, target):
            first, second = table.taken(source), table.taken(target)
            if first == second:
                raise MotionError(f"{source} cannot attack itself")
            later_ms = start_ms + BETWEEN_LIFTS.draw(random)
            return [_lift(table, first, start_ms, random), _lift(table, second, later_ms, random)]
        case Clear():
            tracks = []
            for number in sorted(table.resting):
                tracks.append(_lift(table, number, start_ms, random))
                start_ms += SWEEP.draw(random)
            return tracks
        case Wait():
            return []


def _place(table: Table, seat: str, squares: tuple[str, ...], start_ms: float, random: Random) -> Plan:
    if len(set(squares)) != len(squares):
        raise MotionError("place: a square stands twice")
    tracks = []
    for number in [table.free(square) for square in squares]:
        tracks.append(_put(table, table.pole(seat), number, start_ms, random))
        start_ms += PACE.draw(random)
    return tracks


def _lift(table: Table, number: int, start_ms: float, random: Random) -> Track:
    piece = table.resting[number]
    gone = Point(start_ms + RISE.draw(random), piece.x, piece.y, IN_HAND_MM)
    return Track(piece.pole, number, None, (Point(start_ms, piece.x, piece.y, 0.0), gone))


def _put(table: Table, pole: int, number: int, start_ms: float, random: Random) -> Track:
    x, y = _landing(table.places[number], random)
    return Track(
        pole, None, number, (Point(start_ms, x, y, IN_HAND_MM), Point(start_ms + FALL.draw(random), x, y, 0.0))
    )


def _move(
    table: Table, source: str, target: str, slide: bool, via: tuple[str, ...], start_ms: float, random: Random
) -> Track:
    first = table.taken(source)
    last = table.free(target)
    piece = table.resting[first]
    points = [Point(start_ms, piece.x, piece.y, 0.0)]
    if slide:
        way = [table.places[table.free(square)] for square in via]
        for x, y in [*way, _landing(table.places[last], random)]:
            squares = max(1, round(math.dist(points[-1][1:3], (x, y))))
            at_ms = points[-1].at_ms + sum(ACROSS.draw(random) for _ in range(squares))
            points.append(Point(at_ms, x, y, 0.0))
    else:
        x, y = _landing(table.places[last], random)
        risen_ms = start_ms + RISE.draw(random)
        over_ms = risen_ms + CARRY.draw(random)
        points.append(Point(risen_ms, piece.x, piece.y, IN_HAND_MM))
        points.append(Point(over_ms, x, y, IN_HAND_MM))
        points.append(Point(over_ms + FALL.draw(random), x, y, 0.0))
    return Track(piece.pole, first, last, tuple(points))


def _landing(place: tuple[float, float], random: Random) -> tuple[float, float]:
    off = min(abs(random.gauss(0.0, 0.08)), LARGEST_OFFSET)
    angle = random.uniform(0.0, 2.0 * math.pi)
    return place[0] + off * math.cos(angle), place[1] + off * math.sin(angle)
