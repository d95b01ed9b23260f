"""The hall clock at the boards: each game of a round is told once how long the round goes on, and measures that itself.

A table that has a hall clock already is left alone until the round's end is set anew: an arbiter may have given it some minutes more,
and its own journal keeps its clock over a restart and while the link is cut.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from referee.table.arbiter_commands import SetHallClock
from referee.table.views import Phase
from referee.tournament.event.values import AtEnd, RoundEnd
from referee.tournament.hall.errors import RefusedError
from referee.tournament.hall.ordering import Ordering
from referee.tournament.hall.tables import HallTable

MOST_MS = 24 * 3_600_000
"""More no table takes."""
AGAIN_S = 5.0
"""A table that did not answer is told again after this."""


def wall_ms() -> int:
    """Give the station's time of day, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def ends_in(minutes: float, at_end: AtEnd, now_ms: int) -> RoundEnd:
    """Give the end of a round in so many minutes, 0 to a day. Raises `ValueError`."""
    if not 0 <= minutes <= MOST_MS / 60_000:
        raise ValueError("a round goes on for 0 minutes to a day")
    return RoundEnd(now_ms + round(minutes * 60_000), at_end)


@dataclass(frozen=True, slots=True)
class _Told:
    game: str
    ends: RoundEnd | None
    done: bool
    tried_s: float


class RoundClock:
    """Sends what is left of a round to tables. `look` is called under one lock."""

    def __init__(
        self,
        ordering: Ordering,
        clock: Callable[[], float] = time.monotonic,
        now_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self._ordering, self._clock, self._now_ms = ordering, clock, now_ms
        self._told: dict[str, _Told] = {}

    def look(self, table: HallTable, ends: RoundEnd | None, reason: str) -> None:
        """Tell a table of the round when it ends, if its game does not know yet."""
        view, status = table.view, table.status
        if view is None or status is None or view.game != status.game or view.phase in (Phase.LOBBY, Phase.FINISHED):
            return
        told = self._told.get(table.board)
        if told is None or told.game != view.game:
            knows = view.hall_clock is not None or ends is None
            told = _Told(view.game, ends if knows else None, knows, 0.0)
        if told.done and told.ends == ends:
            self._told[table.board] = told
        elif told.ends != ends or self._clock() - told.tried_s >= AGAIN_S:
            self._told[table.board] = told = _Told(view.game, ends, False, self._clock())
            threading.Thread(target=self._send, args=(table.board, told, reason), daemon=True).start()

    def _send(self, board: str, told: _Told, reason: str) -> None:
        ends = told.ends
        left_ms = None if ends is None else min(MOST_MS, max(0, ends.at_ms - self._now_ms()))
        at_end = AtEnd.ARBITER if ends is None else ends.at_end
        act = SetHallClock(id=secrets.token_hex(12), reason=reason, by="station", left_ms=left_ms, at_end=at_end.value)
        try:
            done = self._ordering.send(board, told.game, act).done
        except RefusedError:
            return  # no answer: it is told again
        if done and self._told.get(board) is told:
            self._told[board] = _Told(told.game, ends, True, told.tried_s)
