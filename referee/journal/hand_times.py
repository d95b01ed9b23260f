"""How long the hands took for each ply of a game, by the open columns of its journal: no key is needed, and no rank is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.journal.errors import JournalError
from referee.journal.journal import public_rows

_PLAYED = frozenset({"move.read", "move.revised", "attack", "infiltrate", "fire", "pass"})


def hand_times(path: Path) -> Sequence[int | None]:
    """Return by ply how many seconds after the one before it was played, the first after the game began.

    A ply that was played several times, since it was taken back, counts as it was played last. None where nobody can say: the machine
    was started anew in between. Empty where the journal is missing or cannot be read.
    """
    at: dict[int, int] = {}
    try:
        for row in public_rows(path):
            ply = row.public.get("ply")
            if row.type == "begin":
                at[0] = row.monotonic_ms
            elif row.type in _PLAYED and isinstance(ply, int):
                at[ply] = row.monotonic_ms
    except (JournalError, OSError):
        return ()
    return tuple(_between(at.get(ply - 1), at.get(ply)) for ply in range(1, max(at, default=0) + 1))


def _between(before_ms: int | None, ms: int | None) -> int | None:
    return None if before_ms is None or ms is None or ms < before_ms else round((ms - before_ms) / 1000)
