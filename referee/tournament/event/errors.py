"""The errors of this room.

EventError
├── EventValueError      a value that no event can have: a name, a number of rounds, points
├── UnknownPlayerError   a number that no player of the event has
├── ActError             an act that this event does not allow now; nothing was changed
│   └── DoubleResultError    a table already has another result
└── TrfError             a TRF file with faults, all of them at once
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class EventError(Exception):
    """The root of all errors of this room. Its text is one sentence for the arbiter."""


class EventValueError(EventError):
    """No event can have this value."""


class UnknownPlayerError(EventError):
    """No player of the event has this number."""


class ActError(EventError):
    """The event does not allow this act now; nothing was changed.

    `word` is stable, for pages; `about` is what it is about: a number or a name.
    """

    def __init__(self, text: str, word: str = "refused", about: object = "") -> None:
        super().__init__(text)
        self.word, self.about = word, str(about)


class DoubleResultError(ActError):
    """The table already has another result, which only a correction may replace."""


@dataclass(frozen=True, slots=True)
class TrfFault:
    """One thing wrong in a TRF file: the line, counted from 1, and what."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


class TrfError(EventError):
    """A TRF file that cannot be used; `faults` has all of them, in the order of the lines."""

    def __init__(self, faults: Sequence[TrfFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))
