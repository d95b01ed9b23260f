"""When the table listens to its board: in a game at once while hands are at work, a few frames at a time while nothing happens.

Waking up costs more than reading a frame, and a noisy board sends a hundred a second also when nobody touches it. Between games
everything is read, so that no stale frames wait for the next one, and what is wrong with the board is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.checkup import disagreements
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import OpenBoard
from referee.words import words

REST_S = 0.15
"""Between two looks at a quiet board: a piece stands for 80 ms before its move is read, and most slides take 20 ms or more before it
does, so 98 of 100 moves are read no later for it, and none by more than 80 ms; that a piece was lifted may be told some 90 ms later.
"""

_HURRIED_S = (
    5.0  # no rest for so long when a board's time runs faster than the clock: simulated or replayed, it waits for us
)
_COMPARE_S = 0.5  # the two are compared over so long: a busy machine lets frames come late, and then many at once
_JITTER_MS = 200


class Listening:
    """Calls `hear` when the descriptor is readable; while `quiet()` and board time (`board_ms()`) keeps the clock's pace, every 150 ms."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fileno: int,
        hear: Callable[[], None],
        quiet: Callable[[], bool],
        board_ms: Callable[[], int],
    ) -> None:
        self._loop = loop
        self._fileno = fileno
        self._hear = hear
        self._quiet = quiet
        self._board_ms = board_ms
        self._at_s, self._at_ms = loop.time(), board_ms()
        self._hurried_until_s = self._at_s + _HURRIED_S
        self._heard_s = self._at_s
        self._rest: asyncio.TimerHandle | None = None
        self._closed = False
        loop.add_reader(fileno, self._readable)

    def close(self) -> None:
        """Listen no more."""
        self._closed = True
        self._loop.remove_reader(self._fileno)
        if self._rest is not None:
            self._rest.cancel()

    def _readable(self) -> None:
        now_s = self._loop.time()
        often, self._heard_s = now_s - self._heard_s < REST_S, now_s
        self._hear()
        if self._may_rest() and often:  # after a frame that comes alone a rest would only be one waking up more
            self._loop.remove_reader(self._fileno)
            self._rest = self._loop.call_later(REST_S, self._look)

    def _look(self) -> None:
        before_ms = self._board_ms()
        self._hear()
        if self._may_rest() and self._board_ms() != before_ms:
            self._rest = self._loop.call_later(REST_S, self._look)
        elif not self._closed:
            self._rest = None
            self._loop.add_reader(self._fileno, self._readable)

    def _may_rest(self) -> bool:
        now_s, board_ms = self._loop.time(), self._board_ms()
        passed_s, went_ms = now_s - self._at_s, board_ms - self._at_ms
        if went_ms > 2000 * passed_s + _JITTER_MS:
            self._hurried_until_s = now_s + _HURRIED_S
        if passed_s >= _COMPARE_S:
            self._at_s, self._at_ms = now_s, board_ms
        return not self._closed and now_s >= self._hurried_until_s and self._quiet()


# ---- between games


class TableBoard:
    """Listens between games; while one is on its shell does, and tells `watch` the same."""

    def __init__(
        self,
        board: OpenBoard,
        note: Callable[[str], None],
        language: str,
        tell_kiosk: Callable[[str], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._board, self._note, self._language = board, note, language
        self._tell_kiosk, self._on_error = tell_kiosk, on_error
        self._loop = asyncio.get_running_loop()
        self._listens = False
        self.watch = BoardWatch(lambda hello: disagreements(hello, board.file), note, self._changed)

    def listen(self) -> None:
        """Begin to read, with what the board said when it was opened."""
        self._listens = True
        if self._board.hello is not None:
            self.watch.take(self._board.hello)
        self._loop.add_reader(self._board.source.fileno(), self._drain)

    def leave(self) -> None:
        """Read no more: a game does, or the table ends."""
        self._listens = False
        self._loop.remove_reader(self._board.source.fileno())

    def _drain(self) -> None:
        try:
            for news in self._board.source.read():
                self.watch.take(news)
        except Exception as error:
            self._on_error(error)

    def _changed(self) -> None:
        """Notify the kiosk, and, where no view says it, whoever looks at the table's own lines."""
        health = self.watch.health
        self._tell_kiosk(health[0].value if health else "")
        if self._listens:
            said = words(self._language)
            for each in health:
                self._note(said[f"health.{each.value}"])
