"""A table's board while nobody plays: it is read so that no stale frames wait for the game, and what is wrong with it is said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge import disagreements
from referee.runtime.board_health import BoardWatch
from referee.runtime.boards import OpenBoard
from referee.runtime.game import GameScreen
from referee.words import words


class TableBoard:
    """Listens between games; while one is on its shell does, and tells `watch` the same."""

    def __init__(
        self,
        board: OpenBoard,
        screen: GameScreen,
        language: str,
        tell_kiosk: Callable[[str], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._board, self._screen, self._language = board, screen, language
        self._tell_kiosk, self._on_error = tell_kiosk, on_error
        self._loop = asyncio.get_running_loop()
        self._listens = False
        self.watch = BoardWatch(lambda hello: disagreements(hello, board.file), screen.note, self._changed)

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
        """Tell the kiosk, and, where no view says it, whoever looks at the table's own lines."""
        health = self.watch.health
        self._tell_kiosk(health[0].value if health else "")
        if self._listens:
            said = words(self._language)
            for each in health:
                self._screen.note(said[f"health.{each.value}"])
