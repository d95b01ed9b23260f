"""What may be raised here: MotionError, a motion that no hand can make; nothing has moved then."""

from __future__ import annotations


class MotionError(ValueError):
    """A motion that is malformed, names no square of the board, or finds its squares empty or taken."""
