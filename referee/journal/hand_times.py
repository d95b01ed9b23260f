"""How long the hands took for each ply of a game: by the open columns of its journal (no key is needed, and no rank is read), or as a hall
that saw the game noted it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.journal.errors import JournalError
from referee.journal.journal import public_rows
from referee.journal.stored import JOURNAL

TIMES = "times.json"
"""Beside the record of a game without a journal: what `between` returned for it."""
PLAYED = frozenset({"move.read", "move.revised", "attack", "infiltrate", "fire", "pass"})


def hand_times(path: Path) -> Sequence[int | None]:
    """Return by ply how many seconds after the one before it was played, the first after the game began.

    A ply that was played several times, since it was taken back, counts as it was played last. None where nobody can say: the machine
    was started again in between. Empty where the journal is missing or cannot be read.
    """
    at: dict[int, int] = {}
    try:
        for row in public_rows(path):
            ply = row.public.get("ply")
            if row.type == "begin":
                at[0] = row.monotonic_ms
            elif row.type in PLAYED and isinstance(ply, int):
                at[ply] = row.monotonic_ms
    except (JournalError, OSError):
        return ()
    return between(at)


def times_in(folder: Path) -> Sequence[int | None]:
    """Return the times of a kept game, of its journal or as they were noted beside its record; empty where there are none."""
    if (folder / JOURNAL).exists():
        return hand_times(folder / JOURNAL)
    try:
        noted = json.loads((folder / TIMES).read_bytes())
    except (OSError, ValueError):
        return ()
    return noted if isinstance(noted, list) and all(time is None or type(time) is int for time in noted) else ()


def between(at: Mapping[int, int]) -> Sequence[int | None]:
    """Return how many seconds each ply was played after the one before it; `at` has milliseconds by ply, 0 the begin."""
    return tuple(_between(at.get(ply - 1), at.get(ply)) for ply in range(1, max(at, default=0) + 1))


def _between(before_ms: int | None, ms: int | None) -> int | None:
    return None if before_ms is None or ms is None or ms < before_ms else round((ms - before_ms) / 1000)
