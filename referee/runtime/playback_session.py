"""A table that plays a frame log back: the game begins at once, nobody needs to come, and its end is the table's end."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace

from referee.runtime.announcements import TableScreen
from referee.runtime.boards import OpenBoard
from referee.runtime.errors import BadInputError
from referee.runtime.playback import Playback, PlaybackSource, Recorded
from referee.runtime.session import TableSession
from referee.runtime.table_config import TableConfig
from referee.runtime.table_plan import TablePlan, rule_set_named
from referee.table.settings import SettingsError, settings_from


def recorded_config(config: TableConfig, recorded: Recorded) -> TableConfig:
    """Give the configuration by which the recorded game was played. Raises `BadInputError` where its rules are not at hand."""
    try:
        name = recorded.settings["rules"]
        rules = rule_set_named(config.rules if config.rules.endswith(".toml") else name)
        told = settings_from(recorded.settings, rules)
    except (KeyError, TypeError, ValueError, SettingsError) as error:
        raise BadInputError(f"the frame log's game cannot be played: {error}") from None
    return replace(
        config,
        rules=config.rules if config.rules.endswith(".toml") else name,
        mode=told.mode,
        reveal=told.reveal,
        names=told.names,
        clock=told.clock,
        answer_limit_s=told.answer_limit_ms // 1000,
        frame_log=False,
    )


class PlaybackSession(TableSession):
    """Plays one recorded game."""

    def __init__(self, plan: TablePlan, board: OpenBoard, screen: TableScreen, recorded: Recorded) -> None:
        super().__init__(plan, board, screen)
        self._recorded = recorded

    def _start(self, stack: AsyncExitStack) -> None:
        super()._start(stack)
        self._table.begin_at_once()
        assert self._table.game is not None
        assert isinstance(self._board.source, PlaybackSource)
        playback = Playback(
            self._recorded, self._board.source, self._table.game.shell, lambda: self._end(0), self._screen.note
        )
        stack.callback(playback.close)
        playback.start()
