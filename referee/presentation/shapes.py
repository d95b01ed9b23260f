"""What pictures are made of: a handful of marks in plain numbers, x to the right and y upwards.

A drawing is made once in its own small space (a square is 1 x 1) and placed where a window wants it. Nothing here draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from referee.presentation.palette import Colour

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: its left lower corner and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        """Return its middle."""
        return (self.x + self.width / 2, self.y + self.height / 2)

    @property
    def pos(self) -> Point:
        """Return its left lower corner."""
        return (self.x, self.y)

    @property
    def size(self) -> Point:
        """Return its width and height."""
        return (self.width, self.height)

    def inset(self, by: float) -> Box:
        """Return the box that lies `by` pixels inside this one on every side."""
        return Box(self.x + by, self.y + by, max(0.0, self.width - 2 * by), max(0.0, self.height - 2 * by))

    def contains(self, point: Point) -> bool:
        """Return whether a point lies in it."""
        return 0 <= point[0] - self.x < self.width and 0 <= point[1] - self.y < self.height


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled ellipse around a middle."""

    x: float
    y: float
    radius_x: float
    radius_y: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Block:
    """A filled rectangle with rounded corners, by its left lower corner."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled polygon whose border does not cross itself."""

    points: tuple[Point, ...]
    colour: Colour


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line with round ends through some points; `closed` joins the last to the first."""

    points: tuple[Point, ...]
    width: float
    colour: Colour
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A short text around a middle; `size` is the height of its line."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Sprite:
    """A small drawing (1 x 1) that is used again and again at one size, by its left lower corner.

    Its first mark is its outline: that mark's colour is what its soft edge fades from.
    """

    x: float
    y: float
    size: float
    drawing: Drawing

    @property
    def colour(self) -> Colour:
        """Return the colour of its outline."""
        return self.drawing[0].colour


Mark: TypeAlias = "Disc | Block | Fill | Stroke | Text | Sprite"
Drawing: TypeAlias = "tuple[Mark, ...]"


_GROWING = ("radius_x", "radius_y", "width", "height", "corner", "size")
"""The fields of marks that are lengths."""


def place(drawing: Iterable[Mark], x: float, y: float, scale: float) -> Drawing:
    """Return a drawing scaled, with its origin at (x, y)."""
    return tuple(_placed(mark, x, y, scale) for mark in drawing)


def _placed(mark: Mark, x: float, y: float, scale: float) -> Mark:
    scaled = {name: getattr(mark, name) * scale for name in _GROWING if hasattr(mark, name)}
    if isinstance(mark, Fill | Stroke):
        points = tuple((x + px * scale, y + py * scale) for px, py in mark.points)
        return replace(mark, points=points, **scaled)
    return replace(mark, x=x + mark.x * scale, y=y + mark.y * scale, **scaled)


def arc(x: float, y: float, radius: float, from_deg: float, to_deg: float, steps: int = 16) -> tuple[Point, ...]:
    """Return points on a circle from one angle to another, both included."""
    angles = [math.radians(from_deg + (to_deg - from_deg) * n / steps) for n in range(steps + 1)]
    return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles)


def rounded(box: Box, corner: float, width: float, colour: Colour) -> Stroke:
    """Return an edge with round corners just inside a box."""
    box = box.inset(width / 2)
    left, low, right, top = box.x + corner, box.y + corner, box.x + box.width - corner, box.y + box.height - corner
    points = (
        *arc(right, top, corner, 0, 90, 6),
        *arc(left, top, corner, 90, 180, 6),
        *arc(left, low, corner, 180, 270, 6),
        *arc(right, low, corner, 270, 360, 6),
    )
    return Stroke(points, width, colour, closed=True)
