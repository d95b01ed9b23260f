"""A table put together from a board, a configuration and what was kept of it, and run until it is told to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from firmware_bridge.checkup import disagreements
from firmware_bridge.sources import SimSource
from firmware_bridge.talk import Talk
from referee.rules import RuleSet, rule_set
from referee.runtime.announcements import TableScreen
from referee.runtime.boards import BoardChoice, OpenBoard, board_of_recording, opened
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.frame_log import FrameTap
from referee.runtime.game_archive import close_finished, find, take_keys
from referee.runtime.playback import PlaybackSession, PlaybackSource, RecordedFrames, recorded_config, recorded_in
from referee.runtime.screen_board import ScreenBoard
from referee.runtime.session import TableSession
from referee.runtime.state_file import KeptFile
from referee.runtime.state_folder import alone_in, state_folder
from referee.runtime.table_config import TableConfig
from referee.runtime.table_plan import TablePlan, rule_set_named
from referee.words import own_language


def run_table(choice: BoardChoice, config: TableConfig, screen_in: Callable[[str], TableScreen]) -> int:
    """Referee at a board until told to end, shown on a screen in the table's language; return the exit code.

    Raises `BadInputError` or `UnreachableError`, and what a session raises.
    """
    choice = replace(choice, rules=config.rules)
    recorded = _recorded(choice)
    if recorded is not None:
        config = recorded_config(config, recorded)
    rules = rule_set_named(config.rules)
    if config.computers and len(rules.seats) > 2:
        raise BadInputError(f"the computer plays rule sets for two, and {rules.name} is none")
    state = config.state or state_folder(config.name)
    language = config.language or own_language()
    with (
        alone_in(state, "another table is kept in this directory"),
        _board(choice, recorded) as opened_board,
        on_screen(opened_board, rules, state) as board,
    ):
        screen = screen_in(language)
        if config.websocket_port:
            screen.note("broker.websocket-port has no effect since phones come through the door, at the port of `web`")
        plan = _plan(config, rules, state, language, choice.url, board, screen)
        if recorded is not None and plan.unfinished is not None:
            plan.unfinished.keeping.close()
            raise BadInputError(
                f"{state}: a game is on in this directory; play the frame log back in one of its own (--state)"
            )

        async def referee() -> int:
            session = (
                TableSession(plan, board, screen)
                if recorded is None
                else PlaybackSession(plan, board, screen, recorded)
            )
            return await session.run()

        with screen:
            return asyncio.run(referee())


def _recorded(choice: BoardChoice) -> RecordedFrames | None:
    """Return the frame log of a game that is to be played back, None for any other board. Raises `BadInputError`."""
    if not choice.url.startswith("replay:"):
        return None
    return recorded_in(choice.url, board_of_recording(choice))


@contextmanager
def _board(choice: BoardChoice, recorded: RecordedFrames | None) -> Iterator[OpenBoard]:
    """Open the board: a real or simulated one, a recording of one, or the one of a frame log."""
    if recorded is None:
        with opened(choice, lambda news: None, tap=FrameTap()) as board:
            yield board
        return
    with PlaybackSource(choice.url) as source:
        yield OpenBoard(source, Talk(source, lambda news: None), board_of_recording(choice), None)


@contextmanager
def on_screen(board: OpenBoard, rules: RuleSet, state: Path) -> Iterator[OpenBoard]:
    """Let pages move the magnets of a board of `screen:`; any other is given back as it is."""
    if not (isinstance(board.source, SimSource) and board.source.url.startswith("screen:")):
        yield board
        return
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(ScreenBoard(board.source, board.file, rules, state)) as page:
        yield replace(board, page=page)


def _plan(
    config: TableConfig,
    rules: RuleSet,
    state: Path,
    language: str,
    board_url: str,
    board: OpenBoard,
    screen: TableScreen,
) -> TablePlan:
    """Return the plan of a table: it goes on with the game that it was playing when it was stopped, if it can."""
    kept = KeptFile(state)
    if config.keys is not None:
        take_keys(config.keys, state, kept.now.referee, kept.now.game)
    found = find(
        state, kept.now.game, lambda name: rules if name == rules.name else rule_set(name), screen.note, config.keys
    )
    coming_back = kept.now.game if found is None else found.keeping.folder.name
    if not config.keep_keys:
        close_finished(state / "games", coming_back, screen.note, config.keys)
    if found is not None:
        try:
            check_board(found.settings.rule_set, board)
        except BadInputError as error:
            found.keeping.close()
            screen.note(f"{found.keeping.journal_path}: this game cannot be gone on with: {error}")
        else:
            played = found.settings.computers.items()  # who plays the game that goes on is no more to be chosen
            computers = {seat: level for seat, level in played if seat not in kept.now.given}
            config = replace(kept.now.where_it_was(config), computers=computers)
            return TablePlan(config, found.settings.rule_set, state, language, board_url, kept, found, config.clock)
    check_board(rules, board)
    return TablePlan(config, rules, state, language, board_url, kept, own_clock=config.clock)


def check_board(rules: RuleSet, board: OpenBoard) -> None:
    """Raise `BadInputError` for a board of another shape, `UnreachableError` for one that is not what its file says."""
    if not rules.board.is_sensed_by(board.file.squares):
        raise BadInputError(f"rule set {rules.name} is not played on board {board.file.id}")
    faults = disagreements(board.hello, board.file) if board.hello is not None else ()
    if faults:
        raise UnreachableError(f"this board is not what its board file says: {'; '.join(faults)}")
