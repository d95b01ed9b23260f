"""A sheet to draw circuits and parts on: lines, texts, and the few symbols that our schematics need, as SVG.

Coordinates are millimetres at 1:1, x to the right, y down. The same calls write the same bytes, so a test can tell a stale drawing.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

Point = tuple[float, float]
INK, FAINT, SUPPLY, GROUND = "#111", "#888", "#b00", "#05c"


class Canvas:
    """Collects shapes; `svg` returns them on a white sheet of the given size in millimetres."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._shapes: list[str] = []

    def line(self, *points: Point, color: str = INK, width: float = 0.3, dashed: bool = False) -> None:
        """Draw a line through the points."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dash = ' stroke-dasharray="1.2 0.8"' if dashed else ""
        self._shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{_n(width)}"{dash}/>'
        )

    def box(
        self, x: float, y: float, width: float, height: float, fill: str = "none", color: str = INK, r: float = 0
    ) -> None:
        """Draw a rectangle, with corners of radius `r`."""
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        self._shapes.append(f'<rect {size} rx="{_n(r)}" fill="{fill}" stroke="{color}" stroke-width="0.3"/>')

    def circle(self, x: float, y: float, radius: float, fill: str = "none", color: str = INK) -> None:
        """Draw a circle."""
        place = f'cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"'
        self._shapes.append(f'<circle {place} fill="{fill}" stroke="{color}" stroke-width="0.3"/>')

    def shape(self, *points: Point, fill: str) -> None:
        """Fill a polygon."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        self._shapes.append(f'<polygon points="{path}" fill="{fill}" stroke="{INK}" stroke-width="0.3"/>')

    def text(self, x: float, y: float, text: str, size: float = 2.6, align: str = "start", color: str = INK) -> None:
        """Write a text with its middle line at `y`; `align` is start, middle, or end; a bold one begins with `*`."""
        weight = ' font-weight="bold"' if text.startswith("*") else ""
        words = escape(text.removeprefix("*"))
        place = f'x="{_n(x)}" y="{_n(y + 0.35 * size)}" font-size="{_n(size)}" text-anchor="{align}" fill="{color}"'
        self._shapes.append(f"<text {place}{weight}>{words}</text>")

    def lines(self, x: float, y: float, texts: Iterable[str], size: float = 2.6) -> None:
        """Write texts below one another."""
        for n, text in enumerate(texts):
            self.text(x, y + 1.5 * size * n, text, size)

    # ---------------------------------------------------------------- symbols; each from one end to the other

    def net(self, x: float, y: float, name: str, align: str = "start", size: float = 2.6) -> None:
        """Name the net that ends here: red for a supply, blue for ground."""
        color = GROUND if name == "GND" else SUPPLY if name.startswith(("+", "Pi 3V3", "own", "supply")) else INK
        gap = {"start": 0.8, "end": -0.8, "middle": 0.0}[align]
        self.text(x + gap, y, name, size, align, color)

    def dot(self, x: float, y: float) -> None:
        """Join two wires."""
        self.circle(x, y, 0.5, INK)

    def resistor(self, start: Point, end: Point, value: str) -> None:
        """Draw a resistor between two points, along one axis."""
        self._two_legs(start, end, value, 5.0)

    def fuse(self, start: Point, end: Point, value: str) -> None:
        """Draw a fuse between two points, along one axis."""
        self._two_legs(start, end, value, 6.0)
        self.line(start, end)

    def _two_legs(self, start: Point, end: Point, value: str, length: float) -> None:
        (x1, y1), (x2, y2) = start, end
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        half = length / 2
        if y1 == y2:
            self.line(start, (x - half, y))
            self.line((x + half, y), end)
            self.box(x - half, y - 1.0, length, 2.0)
            self.text(x, y - 2.4, value, align="middle")
        else:
            self.line(start, (x, y - half))
            self.line((x, y + half), end)
            self.box(x - 1.0, y - half, 2.0, length)
            self.text(x + 1.8, y, value)

    def capacitor(self, x: float, top: float, bottom: float, value: str) -> None:
        """Draw an upright capacitor between two heights."""
        middle = (top + bottom) / 2
        self.line((x, top), (x, middle - 0.6))
        self.line((x, middle + 0.6), (x, bottom))
        for y in (middle - 0.6, middle + 0.6):
            self.line((x - 1.8, y), (x + 1.8, y), width=0.5)
        self.text(x + 2.4, middle, value)

    def diode(self, x: float, y: float, name: str) -> tuple[Point, Point]:
        """Draw a lying Schottky diode from a point to the right; return anode and cathode."""
        self.line((x, y), (x + 12, y))
        self.shape((x + 4.5, y - 1.5), (x + 4.5, y + 1.5), (x + 7.5, y), fill=INK)
        self.line(
            (x + 7, y - 1.1),
            (x + 7, y - 1.5),
            (x + 7.5, y - 1.5),
            (x + 7.5, y + 1.5),
            (x + 8, y + 1.5),
            (x + 8, y + 1.1),
        )
        self.text(x + 6, y - 3.4, name, align="middle")
        return (x, y), (x + 12, y)

    def p_mosfet(self, x: float, y: float, name: str, *, lying: bool = False) -> tuple[Point, Point, Point]:
        """Draw a P-channel MOSFET round a point; return gate, source and drain. Upright: source on top; lying: source right."""

        def at(dx: float, dy: float) -> Point:
            return (x - dy, y - dx) if lying else (x + dx, y + dy)

        gate, source, drain = at(-5, 0), at(2, -5), at(2, 5)
        self.circle(x, y, 4.2, color=FAINT)
        self.line(gate, at(-1.6, 0))
        self.line(at(-1.6, -2.2), at(-1.6, 2.2))
        for dy in (-2.0, 0.0, 2.0):
            self.line(at(-0.6, dy - 0.7), at(-0.6, dy + 0.7), width=0.5)
        self.line(source, at(2, -2), at(-0.6, -2))
        self.line(drain, at(2, 2), at(-0.6, 2))
        self.line(at(-0.6, 0), at(2, 0), at(2, -2))
        self.shape(at(1.6, 0), at(0.2, -0.8), at(0.2, 0.8), fill=INK)  # the arrow leaves the channel: P
        self.text(*(at(-6.4, 0) if lying else at(5.2, 0)), name, align="middle" if lying else "start")
        return gate, source, drain

    def svg(self) -> str:
        """Return the sheet; opened or printed at its natural size it is 1:1."""
        width, height = _n(self.width), _n(self.height)
        size = f'width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="DejaVu Sans, Arial, sans-serif">'
        sheet = f'<rect width="{width}" height="{height}" fill="#fff"/>'
        return "\n".join([head, sheet, *self._shapes, "</svg>\n"])


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
