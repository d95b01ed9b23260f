"""What a handset has missed of a game, from its journal: public events again, and with each verdict what the seat's own letter said."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import msgspec

from referee.journal.events import fact_of
from referee.journal.journal import Journal
from referee.journal.sealing import disclosed
from referee.rules import CombatResult, Hidden, Rank, Seat
from referee.table.messages import Heard, History, Letter, Missed
from referee.table.play.attacks import reveals_survivor
from referee.table.views import PublicEvent, Reveal

ROOM = 3_900
"""So many bytes of events go into one letter; the rest of it is for its envelope, its id and `re`."""
_RANKS = 40
"""What two ranks take at most with what is around them: counted for every event, so that no length depends on a rank."""
_ATTACKS = ("attack", "infiltrate", "fire")


def history(journal: Journal, seat: Seat, heard: int, reveal: Reveal) -> tuple[Heard, ...]:
    """Return the public events after number `heard` as this seat received them, as many as fit into one message.

    Raises a `JournalError`.
    """
    found: list[Heard] = []
    room = ROOM
    for each in _heard_by(journal, seat, heard, reveal):
        room -= len(msgspec.json.encode(each.event)) + _RANKS
        if room < 0:
            break
        found.append(each)
    return tuple(found)


def answer(journal: Journal, seat: Seat, missed: Missed, reveal: Reveal) -> Letter:
    """Return the answer to a handset that missed part of the game. Raises a `JournalError`."""
    events = history(journal, seat, missed.heard, reveal)
    return Letter(seat, Hidden(History(f"history-{secrets.token_hex(4)}", missed.id, events)))


def _heard_by(journal: Journal, seat: Seat, heard: int, reveal: Reveal) -> Iterator[Heard]:
    """Yield the events; an event's row has its number or a higher one, since some rows are the journal's own."""
    declared: dict[Seat, Rank] = {}
    for row in journal.rows_since(heard, _ATTACKS):
        if row.type.startswith("journal."):
            continue
        fact = fact_of(row)
        if fact.kind in _ATTACKS:
            declared.clear()
        elif fact.kind == "declared" and fact.seat is not None:
            (declared[fact.seat],) = map(Rank, (disclosed(fact.hidden) or {}).values())
        if fact.event is not None and fact.event.seq > heard:
            yield Heard(fact.event, *_letter_of(fact.event, seat, declared, reveal))


def _letter_of(
    event: PublicEvent, seat: Seat, declared: dict[Seat, Rank], reveal: Reveal
) -> tuple[Rank | None, Rank | None]:
    """Return own rank and opponent's rank as this seat's verdict message had them; None where it had none."""
    if event.kind != "verdict" or seat not in declared:
        return None, None
    other = next(each for each in declared if each is not seat)
    told = other in event.captured or reveals_survivor(reveal, CombatResult(event.result), other is event.seat)
    return declared[seat], declared[other] if told else None
