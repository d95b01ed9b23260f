"""Where every magnet is, and what each sensor feels of all of them.

What magnets at rest do to each sensor is summed once, when they come to rest; only magnets in motion are followed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from hardware import BoardFile
from simulator.field import Field
from simulator.tracks import Resting

_FAR = 4.2  # pitches: a magnet farther off adds less than 0.02 % of the centred field
_NEAR = 1.7  # pitches: the squares that are looked at while a magnet moves; farther off it adds less than 0.5 %
TOO_HIGH_MM = 20.0  # a magnet up there adds less than 1.5 %, whatever is below


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
