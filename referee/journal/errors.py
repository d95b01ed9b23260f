"""The errors of the journal. Their texts hold no rank and no key.

JournalError
├── JournalMissingError     no journal where one was to be opened, or one where a new one was to be made
├── JournalKeyError         the key file is missing, holds no key, or that of another journal
├── JournalFormatError      not a journal of ours, or of a later version
├── JournalWriteError       the disk is full, read-only or broken, the journal was deleted, or another program has it
├── JournalDamagedError     a row was cut, edited or lost; `last_good` is the last row that can be trusted
└── UnknownEventError       the caller wants to write a type of event that the table of events does not have
"""

from __future__ import annotations


class JournalError(Exception):
    """The root of all errors of the journal."""


class JournalMissingError(JournalError):
    """There is no journal here, or there is one already."""


class JournalKeyError(JournalError):
    """The key cannot be read, or belongs to another journal."""


class JournalFormatError(JournalError):
    """This file is no journal that this version can read."""


class JournalWriteError(JournalError):
    """Full, read-only or broken disk, a deleted file, or somebody else writes. Nobody may hear of what was to be written."""


class JournalDamagedError(JournalError):
    """The journal was cut or edited. Rows up to `last_good` (0: none) are as they were written."""

    def __init__(self, what: str, last_good: int) -> None:
        super().__init__(f"{what}; good up to row {last_good}")
        self.last_good = last_good


class UnknownEventError(JournalError):
    """The table of events does not have this type in this version."""
