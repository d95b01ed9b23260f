"""The errors of this room.

StoreError
├── StoreUnreachableError   no database there, or it does not answer
├── StoreFormatError        a database of another program or of a newer format; a place that is none
├── UnknownEventError       no event of this id
├── EventExistsError        an event of this id is there already
└── StaleError              somebody else changed the event since it was loaded; nothing was written
"""

from __future__ import annotations


class StoreError(Exception):
    """The root of all errors of this room. Its text is one sentence, without passwords."""


class StoreUnreachableError(StoreError):
    """The database cannot be opened or does not answer."""


class StoreFormatError(StoreError):
    """What lies there is no store of ours, or one that this version does not read; or nothing can lie there."""


class UnknownEventError(StoreError):
    """No event of this id is kept here."""


class EventExistsError(StoreError):
    """An event of this id is kept here already."""


class StaleError(StoreError):
    """The event was changed since it was loaded; nothing was written."""
