"""What may be raised here: MotionError, a motion that no hand can make, nothing having moved; ChipError, no simulated chip."""

from __future__ import annotations


class MotionError(ValueError):
    """A motion that is malformed, names no square of the board, or finds its squares empty or taken."""


class ChipError(Exception):
    """The firmware cannot be built or simulated; the text is one line for a user."""
