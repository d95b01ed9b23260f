"""The way of one magnet through time: points, where it is between them, and where it stands before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
