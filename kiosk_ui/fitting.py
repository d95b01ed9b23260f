"""How big a text may be written so that it fits its box. Pure: widths at one size are measured by the caller."""

from __future__ import annotations

import math
from collections.abc import Sequence

MEASURED_AT = 100.0
"""The font size in pixels at which widths are measured; they grow in proportion."""
_LINE = 1.2  # height of a line in font sizes
_SPARE = 0.985  # hinting makes a text a little wider at some sizes


def fitting_size(
    word_widths: Sequence[float], blank: float, box_width: float, box_height: float, largest: float, lines: int = 1
) -> float:
    """Give the font size in whole pixels, at most `largest`, at which a text fits the box both ways; at least 1.

    `word_widths` are those of its words and `blank` that of a blank, at `MEASURED_AT`. It is broken at blanks into as many as `lines`
    where that lets it be bigger; no word is torn. Whole pixels, because a font is loaded once for each size.
    """
    wide = box_width * _SPARE * MEASURED_AT
    for size in range(math.floor(largest), 1, -1):
        most = min(lines, math.floor(box_height / (size * _LINE) + 1e-9))
        if 0 < _broken(word_widths, blank, wide / size) <= most:
            return float(size)
    return 1.0


def _broken(word_widths: Sequence[float], blank: float, wide: float) -> int:
    """Give how many lines the words take, as full as each can be; 0 where a word is wider than a line."""
    lines, end = 1, -blank
    for width in word_widths:
        if width > wide:
            return 0
        end += blank + width
        if end > wide:
            lines, end = lines + 1, width
    return lines
