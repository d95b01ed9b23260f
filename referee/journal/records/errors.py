"""What can be wrong with a record.

RecordError                what was given is no record that can be read, written or judged
├── RecordFormatError      a text that breaks its format; names the line where there is one
└── NotShownError          a view was asked for that the record does not contain
"""

from __future__ import annotations

from collections.abc import Sequence

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
    """Give all faults in one line; beyond `MOST_FAULTS` only how many more there are."""
    shown = list(faults[:MOST_FAULTS])
    more = len(faults) - len(shown)
    return "; ".join(shown + ([f"and {more} more"] if more else []))
