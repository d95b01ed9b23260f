"""What may be raised here:

BridgeError
    WireValueError         a message holds a value that the wire cannot carry (the caller's mistake)
    BoardUnreachableError  a board cannot be opened, or is gone; the text is one line for a user
        BoardUrlError      because its URL makes no sense, or names a file that cannot be used
    RecordingError         a recorded stream cannot be read; the text names file and line

What a broken line brings is no exception but a `WireFault`.
"""

from __future__ import annotations


class BridgeError(Exception):
    """Any error of this package."""


class WireValueError(BridgeError, ValueError):
    """A message holds a value that the wire cannot carry."""


class BoardUnreachableError(BridgeError):
    """The board cannot be opened, or is gone."""


class BoardUrlError(BoardUnreachableError):
    """A board's URL makes no sense, or names a file that cannot be used."""


class RecordingError(BridgeError):
    """A recorded stream cannot be read."""
