"""The types of events that a journal holds, as literal lists.

A type word never changes its meaning. When its fields change, its version rises and an entry in `UPCASTS` says how the earlier
version is read; entries are applied one after the other, and none is ever removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from referee.journal.errors import JournalFormatError, UnknownEventError
from referee.journal.sealing import Secret, as_ranks
from referee.rules import Hidden, Seat
from referee.table.step import Fact
from referee.table.views import PublicEvent

Json = dict[str, Any]

_FIRST: Final = (
    *("opened", "enrolled", "ready", "begin", "end", "consent"),
    *("move.read", "move.revised", "move.taken-back", "move.final", "move.refused"),
    *("attack", "infiltrate", "fire", "declared", "attack.denied", "attack.withdrawn", "verdict"),
    *("pass", "recruited", "flags.taken", "resigned"),
    *("ask", "restored", "board.agrees", "board.link", "arbiter.called", "paused", "resumed"),
    *("draw.offered", "draw.refused", "claim.offered", "claim.refused", "abort.offered", "abort.refused"),
)
"""Types that were there before a row said what its step answers. They say it since version 2."""
_LATER: Final = (
    *("committed", "accepted", "reopened", "move.unread", "recruit.declined", "slider.decided"),
    *("board.health", "broker.link", "named", "phone.link", "clock.adjusted", "hall-clock.set", "round.over"),
    *("take-back.offered", "take-back.refused", "void.offered", "void.refused", "plies.taken-back", "verdict.voided"),
    *("penalty", "ruling", "move.decided", "journal.salvaged", "countersigned", "finale"),
)
"""Types that came since; in version 1 still."""
EVENTS: Final[Mapping[str, int]] = dict.fromkeys(_FIRST, 2) | dict.fromkeys(_LATER, 1)
"""Type word -> the version that is written today. All but `journal.*`, the journal's own, come from arbitration."""


def _without_cause(public: Json) -> Json:
    """Raise: a row of version 1 lacks the cause of its step, so its journal can be read but not continued."""
    return {**public, "cause": None}


UPCASTS: Final[Mapping[tuple[str, int], Callable[[Json], Json]]] = {(word, 1): _without_cause for word in _FIRST}
"""(type, version) -> the public part in the next version."""


@dataclass(frozen=True, slots=True)
class JournalEvent:
    """One event to append: a type of the table above, its public part, and the part that is sealed in the journal."""

    type: str
    public: Json
    hidden: Secret | None = None

    @property
    def version(self) -> int:
        """Return the version in which this type is written today. Raises `UnknownEventError` for an unknown type."""
        if self.type not in EVENTS:
            raise UnknownEventError(f"{self.type!r} is not in the table of events")
        return EVENTS[self.type]


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One row, read and verified, brought up to today's version."""

    seq: int
    """Counts from 1 without gaps."""
    type: str
    version: int
    wall_ms: int
    """Milliseconds since 1970 by the machine's clock, which may have jumped."""
    monotonic_ms: int
    """Milliseconds of a clock that never jumps back, comparable within one start of the machine only."""
    public: Json
    hidden: Hidden[Mapping[str, str]] | None = field(default=None)


def upcast(type_word: str, version: int, public: Json) -> tuple[int, Json]:
    """Return a row's version and public part, brought up to today's version. Raises `JournalFormatError` for a type or
    version unknown here.
    """
    known = EVENTS.get(type_word)
    if known is None or not 1 <= version <= known:
        raise JournalFormatError(
            f"the journal holds {type_word!r} version {version}, which only a later program can read"
        )
    while version < known:
        public, version = UPCASTS[type_word, version](public), version + 1
    return version, public


# Facts of the table as rows of the journal, and back.


def event_of(fact: Fact) -> JournalEvent:
    """Return the row to write for a fact: ply, seat, public event and cause; ranks go into the part that is sealed."""
    public: Json = {
        "ply": fact.ply,
        "seat": fact.seat.value if fact.seat else None,
        "event": msgspec.to_builtins(fact.event),
        "cause": fact.cause,
    }
    return JournalEvent(fact.kind, public, fact.hidden)


def fact_of(row: JournalRow) -> Fact:
    """Return the fact that a row was written from. Raises `JournalFormatError` for a row without the fields of one."""
    try:
        seat, event = row.public["seat"], row.public["event"]
        return Fact(
            kind=row.type,
            ply=int(row.public["ply"]),
            event=msgspec.convert(event, type=PublicEvent) if event is not None else None,
            seat=Seat(seat) if seat is not None else None,
            hidden=row.hidden if row.hidden is None or row.type == "opened" else as_ranks(row.hidden),
            cause=row.public["cause"],
        )
    except (KeyError, TypeError, ValueError, msgspec.ValidationError):
        raise JournalFormatError(f"row {row.seq} ({row.type}) holds no fact of a game") from None
