"""Errors of sensing. What hands do is never one of them: that is an observation.

SensingError
    BoardMismatchError   squares, seats or frames that do not belong to the board this interpreter was made for
    TimingError          a timing that cannot work
"""

from __future__ import annotations


class SensingError(Exception):
    """Any fault in how sensing was called."""


class BoardMismatchError(SensingError):
    """A square, a seat or a frame that does not belong to this board; nothing was changed."""


class TimingError(SensingError):
    """A timing that cannot work, e.g. more votes wanted than the window holds."""
