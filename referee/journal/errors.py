"""The errors of the journal and of records, apart from both since commands catch them without loading either. No text holds a rank or key.

JournalError
├── JournalMissingError     no journal where one was to be opened, or one where a new one was to be made
├── JournalKeyError         the key file is missing, holds no key, or that of another journal
├── JournalFormatError      not a journal of ours, or of a later version
├── JournalWriteError       the disk is full, read-only or broken, the journal was deleted, or another program has it
├── JournalDamagedError     a row was cut, edited or lost; `last_good` is the last row that can be trusted
└── UnknownEventError       the caller wants to write a type of event that the table of events does not have
"""

from __future__ import annotations

from collections.abc import Sequence


class JournalError(Exception):
    """The root of all errors of the journal."""


class JournalMissingError(JournalError):
    """There is no journal here, or there is one already."""


class JournalKeyError(JournalError):
    """The key cannot be read, or belongs to another journal."""


class JournalFormatError(JournalError):
    """The file is no journal, or one that this version cannot read."""


class JournalWriteError(JournalError):
    """The disk is full, read-only or broken, the file was deleted, or another program writes. What was to be written
    must not be published.
    """


class JournalDamagedError(JournalError):
    """The journal was cut or edited. Rows up to `last_good` (0: none) are as they were written."""

    def __init__(self, what: str, last_good: int) -> None:
        super().__init__(f"{what}; good up to row {last_good}")
        self.last_good = last_good


class UnknownEventError(JournalError):
    """The table of events does not have this type."""


# RecordError                what was given is no record that can be read, written or judged
# ├── RecordFormatError      a text that breaks its format; names the line where there is one
# └── NotShownError          a view was asked for that the record does not contain


MOST_FAULTS = 10


class RecordError(Exception):
    """A record that cannot be read, written or judged. Its text names places, and no rank."""


class RecordFormatError(RecordError):
    """A text that breaks its format."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


class NotShownError(RecordError):
    """A view was asked for that this record does not contain."""


def listed(faults: Sequence[str]) -> str:
    """Return the faults in one line, at most `MOST_FAULTS` of them, then how many more there are."""
    shown = list(faults[:MOST_FAULTS])
    more = len(faults) - len(shown)
    return "; ".join(shown + ([f"and {more} more"] if more else []))
