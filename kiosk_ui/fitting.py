"""How big a text may be written so that it fits its box. Pure: the width at one size is measured by the caller."""

from __future__ import annotations

import math

MEASURED_AT = 100.0
"""The font size in pixels at which widths are measured; they grow in proportion."""
_LINE = 1.2  # height of a line in font sizes
_BROKEN = 0.8  # of two lines, this much is filled: a word is not torn
_SPARE = 0.985  # hinting makes a text a little wider at some sizes


def fitting_size(width_at_100: float, box_width: float, box_height: float, largest: float, lines: int = 1) -> float:
    """Give the font size in whole pixels, at most `largest`, at which a text fits the box both ways; at least 1.

    With two `lines` it may be broken at a blank where that lets it be bigger. Whole, because a font is loaded once for each size.
    """
    by_width = largest if width_at_100 <= 0 else MEASURED_AT * box_width * _SPARE / width_at_100
    size = min(largest, box_height / _LINE, by_width)
    if lines > 1:
        size = max(size, min(largest, box_height / (2 * _LINE), by_width * 2 * _BROKEN))
    return max(1.0, math.floor(size))
