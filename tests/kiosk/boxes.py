"""How two boxes of a plan lie to each other."""

from __future__ import annotations

from referee.presentation.shapes import Box


def holds(outer: Box, inner: Box) -> bool:
    """Return whether a box lies within another one, half a pixel forgiven."""
    return (
        inner.x >= outer.x - 0.5
        and inner.y >= outer.y - 0.5
        and inner.x + inner.width <= outer.x + outer.width + 0.5
        and inner.y + inner.height <= outer.y + outer.height + 0.5
    )


def meets(one: Box, other: Box) -> bool:
    """Return whether two boxes share more than half a pixel each way."""
    wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return wide > 0.5 and high > 0.5
