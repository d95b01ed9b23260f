"""What spectators will see and when: public values wait here until they are old enough. Pure: times in, values out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from referee.net.topics.topics import Topic
from referee.table.views import PublicEvent, PublicInfo, PublicView

DELAY_S = 15 * 60
"""The delay unless told otherwise: long enough that what a spectator whispers to a player is of no use (design section 8)."""
MOST_WAITING = 2000
"""Of one board: some hundred moves with their states and events come in the quarter of an hour that they wait."""

Told = PublicInfo | PublicView | PublicEvent


@dataclass(frozen=True, slots=True)
class Delayed:
    """A message of a board that may be shown now, as it came."""

    board: str
    topic: Topic
    payload: bytes


class DelayLine:
    """Holds what boards say for `delay_s` seconds. Nothing leaves it earlier; order within a board stays.

    A board of which more than `most` wait loses the oldest of them, counted in `dropped`: a gap, which the next state heals.
    """

    def __init__(self, delay_s: float = DELAY_S, most: int = MOST_WAITING) -> None:
        self.delay_s = delay_s
        self.dropped = 0
        self._most = most
        self._waiting: dict[str, deque[tuple[float, Delayed]]] = {}
        self._last: dict[str, PublicView] = {}

    @property
    def waiting(self) -> int:
        """Count what waits, of all boards."""
        return sum(map(len, self._waiting.values()))

    def take(self, message: Delayed, value: Told, now_s: float) -> None:
        """Take a message, whose meaning is `value`. A state that differs in running clocks alone is not kept: screens count on."""
        if isinstance(value, PublicView):
            plain = replace(value, clocks={}, hall_clock=None)
            if self._last.get(message.board) == plain:
                return
            self._last[message.board] = plain
        line = self._waiting.setdefault(message.board, deque())
        line.append((now_s, message))
        if len(line) > self._most:
            line.popleft()
            self.dropped += 1

    def due(self, now_s: float) -> Iterator[Delayed]:
        """Give, once, what has waited long enough: board by board, in the order in which it came."""
        for line in self._waiting.values():
            while line and now_s - line[0][0] >= self.delay_s:
                yield line.popleft()[1]
