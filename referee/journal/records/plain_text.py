"""Text that can stand in one line of a record."""

from __future__ import annotations

import unicodedata

LONGEST_TEXT = 200


def plain(text: str) -> str:
    """Give the text in one line: runs of white space become one space, control characters go."""
    return " ".join("".join(" " if _is_control(letter) else letter for letter in text).split())[:LONGEST_TEXT].strip()


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs")
