"""Facts of arbitration as rows of the journal, and back."""

from __future__ import annotations

import msgspec

from referee.journal.errors import JournalFormatError
from referee.journal.events import JournalEvent, JournalRow, Json
from referee.journal.sealing import as_ranks
from referee.rules.values import Seat
from referee.table.step import Fact
from referee.table.views import PublicEvent


def event_of(fact: Fact) -> JournalEvent:
    """Give the row that a fact becomes: ply, seat, the public event and the cause of its step, and the ranks apart."""
    public: Json = {
        "ply": fact.ply,
        "seat": fact.seat.value if fact.seat else None,
        "event": msgspec.to_builtins(fact.event, str_keys=True) if fact.event else None,
        "cause": fact.cause,
    }
    return JournalEvent(fact.kind, public, fact.hidden)


def fact_of(row: JournalRow) -> Fact:
    """Give the fact that a row was written from; raises `JournalFormatError` for a row that comes from elsewhere."""
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
