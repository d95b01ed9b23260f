"""What everybody knew of a game, ply by ply, as the JSON lines that docs/reference/analysis.md defines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from referee.analysis.figures import PUBLIC, Figures
from referee.journal.records.model import Decision, Record, View
from referee.journal.records.own_text import write_decision
from referee.journal.records.views import plies_as_told
from referee.rules import Move
from referee.table.event_actions import action_text

VERSION = 1


def public_lines(record: Record, found: Figures) -> Iterator[Mapping[str, Any]]:
    """Yield the line about the game and one for each ply, from 0 on; `found` are the figures of this record."""
    result = record.result
    yield {
        "hallmarshal": "public knowledge",
        "version": VERSION,
        "rules": record.rules,
        "options": dict(record.options),
        "mode": record.mode.value,
        "reveal": record.reveal.value,
        "date": record.date,
        "seats": [seat.value for seat in record.seats],
        "computers": {seat.value: int(level) for seat, level in record.computers.items()},
        "plies": found.plies,
        "analysed": found.analysed,
        "winner": None if result is None else result.winner_word,
        "reason": None if result is None else result.reason.value,
    }
    if not record.seats:
        return
    observer = found.observers[PUBLIC]
    bits = dict.fromkeys((seat.value for seat in record.seats), None)
    for number, told in enumerate(_told(record, found.analysed)):
        known = [one for one in observer.knows if one.ply == number]
        bits |= {one.army.value: one.bits for one in known}
        if observer.unknown_from is not None and number >= observer.unknown_from:
            bits = dict.fromkeys(bits, None)
        knows = [{"army": one.army, "error": one.error, "groups": one.groups} for one in known]
        yield {"ply": number, **told, "bits": bits, "knows": msgspec.to_builtins(knows, str_keys=True)}


def _told(record: Record, plies: int) -> Iterator[dict[str, Any]]:
    """Yield what is said of each ply, as everybody was told it; before the first one only what had been decided."""
    nothing = dict.fromkeys(("seat", "action", "result", "attacker", "defender"), None)
    yield {**nothing, "leaving": [], "decisions": _decided(record.before)}
    for ply, _ in list(plies_as_told(record, View.PUBLIC))[:plies]:
        action = ply.action
        yield {
            "seat": ply.seat.value,
            "action": action_text(action, ply.result is not None),
            "result": ply.result and ply.result.value,
            "attacker": ply.attacker and ply.attacker.value,
            "defender": ply.defender and ply.defender.value,
            "leaving": [seat.value for seat in action.leaving] if isinstance(action, Move) else [],
            "decisions": _decided(ply.decisions),
        }


def _decided(decisions: Sequence[Decision]) -> list[str]:
    return [write_decision(decision).strip() for decision in decisions]
