"""Which facts of a game still count after it went back: what was played since is no part of it, what was corrected is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from referee.journal.records.corrections import Correction, CorrectionKind
from referee.journal.records.plain_text import plain
from referee.rules.values import Rank, Seat
from referee.table.causes import Cause
from referee.table.views import PublicEvent

Taken: TypeAlias = tuple[str, Seat | None, PublicEvent | None, Mapping[str, Rank] | Mapping[str, str] | None]
"""Type word, seat, event and ranks of a fact."""

_BEGINS = frozenset({"move.read", "move.revised", "attack", "infiltrate", "fire", "pass"})
_COMPLETES = frozenset({"move.final", "verdict", "pass"})
_AFTER_THE_END = frozenset({"end", "consent"})
_KINDS: Mapping[str, CorrectionKind] = {
    "plies.taken-back": CorrectionKind.TAKEN_BACK,
    "verdict.voided": CorrectionKind.VOIDED,
    "clock.adjusted": CorrectionKind.CLOCK,
    "penalty": CorrectionKind.PENALTY,
    "ruling": CorrectionKind.RULING,
    "end": CorrectionKind.ENDED,
}


def ply_gone_back_to(event: PublicEvent) -> int | None:
    """Give the ply after which the game stands since this event, None for one that takes nothing back."""
    match event.kind:
        case "plies.taken-back":
            return event.ply
        case "verdict.voided":
            return event.ply - 1
        case _:
            return None


def standing(taken: Sequence[Taken], ply: int) -> list[Taken]:
    """Give the facts that stand when a game goes back to a ply: those up to it, and of later ones who left before the next was played."""
    begun = _first(taken, _BEGINS, ply + 1)
    done = _first(taken, _COMPLETES, ply + 1)
    return [
        fact
        for at, fact in enumerate(taken)
        if fact[0] not in _AFTER_THE_END and (at < begun or (at < done and fact[0] == "resigned"))
    ]


def _first(taken: Sequence[Taken], kinds: frozenset[str], ply: int) -> int:
    found = (at for at, (kind, _, event, _) in enumerate(taken) if kind in kinds and event and event.ply == ply)
    return next(found, len(taken))


def correction_of(event: PublicEvent, cause: Cause | None) -> Correction | None:
    """Give the correction that an event tells of; an end is one only where an arbiter ordered it."""
    kind = _KINDS.get(event.kind)
    verb = _verb(cause)
    if kind is None or (kind is CorrectionKind.ENDED and verb.get("type") != "end-game"):
        return None
    reason = plain(verb.get("reason", "")) or None
    return Correction(kind, event.ply, event.seat, event.text, reason)


def _verb(cause: Cause | None) -> Mapping[str, str]:
    """Give the order that a step answers, as the journal keeps it; nothing where it was none."""
    if cause is None:
        return {}
    if cause.get("by") == "adjust-clock":  # as it was told before orders were values
        return {"reason": str(cause.get("reason") or "-")}
    verb = cause.get("verb")
    return verb if isinstance(verb, Mapping) else {}
