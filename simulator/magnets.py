"""Magnets: at rest, on their way through time, and what each sensor feels of all of them.

A `Track` is the way of one magnet: points, where it is between them, and where it stands before and after. What magnets at rest do to each
sensor is summed once, when they come to rest; only magnets in motion are followed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from hardware import BoardFile
from simulator.field import Field

_FAR = 4.2  # pitches: a magnet farther off adds less than 0.02 % of the centred field
_NEAR = 1.7  # pitches: the squares that are looked at while a magnet moves; farther off it adds less than 0.5 %
TOO_HIGH_MM = 20.0  # a magnet up there adds less than 1.5 %, whatever is below


class Point(NamedTuple):
    """Where a magnet is at a board time: column and row (fractions allowed), and height above the board in mm."""

    at_ms: float
    x: float
    y: float
    height_mm: float


@dataclass(frozen=True, slots=True)
class Resting:
    """A magnet at rest: its pole (+1 red's, -1 the other), where exactly it stands, and whose piece it is.

    `height_mm` is above zero for a piece that lies on its side: its magnet is up in the air and turned away.
    """

    pole: int
    x: float
    y: float
    seat: str = ""
    height_mm: float = 0.0


@dataclass(slots=True)
class Track:
    """One magnet's way. It starts where the magnet rests on `source` (None: out of a hand) and ends on `target` (None: in a hand).

    Places are numbers of squares in wire order; below zero for magnets that lie beside the squares. Asked for rising times only. A leg
    with a change of height starts and ends gently, as a hand does; along the board speed is even.
    """

    pole: int
    source: int | None
    target: int | None
    points: tuple[Point, ...]
    seat: str = ""
    begun: bool = False
    _leg: int = 0

    @property
    def start_ms(self) -> float:
        """When the magnet begins to move."""
        return self.points[0].at_ms

    @property
    def end_ms(self) -> float:
        """When it has come to rest or is gone."""
        return self.points[-1].at_ms

    @property
    def beside(self) -> bool:
        """Whether the magnet only comes to, or leaves, a place beside the squares."""
        ends = [place for place in (self.source, self.target) if place is not None]
        return bool(ends) and max(ends) < 0

    @property
    def rest(self) -> Resting:
        """How the magnet stands at the end."""
        last = self.points[-1]
        return Resting(self.pole, last.x, last.y, self.seat, last.height_mm)

    def at(self, now_ms: float) -> tuple[float, float, float]:
        """Return (x, y, height in mm) at a time between start and end."""
        points = self.points
        while now_ms > points[self._leg + 1].at_ms:
            self._leg += 1
        before, after = points[self._leg], points[self._leg + 1]
        share = (now_ms - before.at_ms) / (after.at_ms - before.at_ms)
        if before.height_mm != after.height_mm:
            share = share * share * (3.0 - 2.0 * share)
        return (
            before.x + (after.x - before.x) * share,
            before.y + (after.y - before.y) * share,
            before.height_mm + (after.height_mm - before.height_mm) * share,
        )


class Magnets:
    """All magnets of a board. A sensor's field is a fraction of the centred one, red's pole positive."""

    def __init__(self, board: BoardFile, field: Field) -> None:
        self._places = board.places
        self._pitch_mm = board.pitch_mm
        self._field = field
        self._given: dict[int, tuple[tuple[int, float], ...]] = {}
        self._near: dict[tuple[int, int], tuple[int, ...]] = {}
        self.resting: dict[int, Resting] = {}
        """Magnets at rest by the square they belong to; below zero those beside the squares."""
        self.fields = [0.0] * len(board.places)
        """What magnets at rest do to each sensor."""

    def rest(self, place: int, magnet: Resting) -> Iterable[int]:
        """Let a magnet come to rest; return the squares that feel it."""
        given = []
        pitch_mm, field = self._pitch_mm, self._field
        for square, (x, y) in enumerate(self._places):
            off = math.hypot(x - magnet.x, y - magnet.y)
            if off <= _FAR:
                given.append((square, magnet.pole * field(off * pitch_mm, magnet.height_mm)))
        for square, value in given:
            self.fields[square] += value
        self._given[place] = tuple(given)
        self.resting[place] = magnet
        return self.near(magnet.x, magnet.y)

    def take(self, place: int) -> Resting | None:
        """Take a magnet away from where it rests; None if there is none."""
        magnet = self.resting.pop(place, None)
        if magnet is not None:
            for square, value in self._given.pop(place):
                self.fields[square] -= value
        return magnet

    def near(self, x: float, y: float) -> tuple[int, ...]:
        """Return the squares that feel a magnet at (or very near) that place."""
        cell = (round(4 * x), round(4 * y))
        found = self._near.get(cell)
        if found is None:
            middle = (cell[0] / 4, cell[1] / 4)
            reach = _NEAR + 0.18  # half the diagonal of a cell more
            found = tuple(n for n, place in enumerate(self._places) if math.dist(place, middle) <= reach)
            self._near[cell] = found
        return found

    def feel(self, felt: dict[int, float], pole: int, x: float, y: float, height_mm: float) -> None:
        """Add what a magnet in motion does to the sensors near it."""
        if height_mm > TOO_HIGH_MM:
            return
        places, pitch_mm, field = self._places, self._pitch_mm, self._field
        for square in self.near(x, y):
            place = places[square]
            value = pole * field(math.hypot(place[0] - x, place[1] - y) * pitch_mm, height_mm)
            felt[square] = felt.get(square, 0.0) + value
