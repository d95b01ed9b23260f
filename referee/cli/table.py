"""`hallmarshal table`: the referee of a real table, from the lobby through set-up, play and result to the rematch."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from firmware_bridge.checkup import disagreements
from firmware_bridge.talk import Talk
from referee.cli.command import LazyParser, add_board_arguments
from referee.door.front_door import WebAddressError
from referee.journal.errors import JournalError
from referee.net.errors import LinkError
from referee.rules import RuleSet, rule_set
from referee.runtime.announcements import JsonScreen, TableScreen
from referee.runtime.boards import OpenBoard, board_of_recording, opened
from referee.runtime.child_processes import ChildError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.frame_log import FrameTap
from referee.runtime.game_archive import find
from referee.runtime.playback import PlaybackSession, PlaybackSource, Recorded, recorded_config, recorded_in
from referee.runtime.session import TableSession
from referee.runtime.state_file import KeptFile
from referee.runtime.state_folder import alone_in, state_folder
from referee.runtime.table_config import TableConfig, host_and_port, read_broker_url, read_config
from referee.runtime.table_plan import TablePlan, rule_set_named
from referee.table.views import Mode, Reveal
from referee.words import LANGUAGES, own_language

_CONFIGURED = {field.name for field in fields(TableConfig)}


def add_arguments(parser: LazyParser) -> None:
    """Add what `table` takes."""
    add_board_arguments(
        parser,
        "rule set, or house rules FILE.toml (default: original)",
        "one ready line, then one line a public event",
    )
    parser.add_argument("--config", type=Path, metavar="TOML", help="everything else here and more, as a file")
    parser.add_argument("--mode", choices=("declare", "enrol"), help="how ranks reach the referee (default: declare)")
    parser.add_argument(
        "--reveal", choices=("book", "attacker-only", "result-only"), help="who hears a survivor's rank (default: book)"
    )
    parser.add_argument("--language", choices=LANGUAGES, help="of the terminal and the kiosk (default: yours, else en)")
    parser.add_argument("--state", type=Path, metavar="DIR", help="where keys, journals and records are kept")
    parser.add_argument(
        "--web",
        type=lambda text: host_and_port(text, "--web"),
        metavar="HOST:PORT",
        help="where handsets find the table (default: 0.0.0.0:8080; port 0: a free one)",
    )
    parser.add_argument(
        "--broker",
        dest="broker_url",
        type=lambda text: read_broker_url(text, "--broker"),
        metavar="URL",
        help="join the broker at mqtt://HOST[:PORT] (see: hallmarshal broker); default: its own",
    )
    parser.add_argument(
        "--tls", action="store_true", default=None, help="let its own broker listen for terminals, with a certificate"
    )
    parser.add_argument(
        "--frame-log",
        action="store_true",
        default=None,
        help="keep the board's raw frames and what handsets said beside each game's journal",
    )
    parser.add_argument(
        "--hall", type=Path, metavar="PASS", help="the table's pass into a hall (see: hallmarshal station)"
    )
    parser.add_argument("--kiosk", action="store_true", default=None, help="show the kiosk's window")


@told_as(UnreachableError, LinkError, WebAddressError, ChildError, JournalError)
def run(args: argparse.Namespace) -> int:
    """Referee until told to end; exit 0, 2 for bad input, 3 when board, broker or web address cannot be had, 130 on Ctrl-C."""
    recorded = _recorded(args)
    config = _config(args)
    if recorded is not None:
        config = recorded_config(config, recorded)
    rules = rule_set_named(config.rules)
    state = config.state or state_folder(config.name)
    language = config.language or own_language()
    with alone_in(state, "another table is kept in this directory"), _board(args, recorded) as board:
        screen = _screen(args.json, language)
        plan = _plan(config, rules, state, language, args.board, board, screen)
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


def _recorded(args: argparse.Namespace) -> Recorded | None:
    """Give the frame log of a game that is to be played back, None for any other board. Raises `BadInputError`."""
    if not args.board.startswith("replay:"):
        return None
    return recorded_in(args.board, board_of_recording(args))


@contextmanager
def _board(args: argparse.Namespace, recorded: Recorded | None) -> Iterator[OpenBoard]:
    """Open the board: a real or simulated one, a recording of one, or the one of a frame log."""
    if recorded is None:
        with opened(args, lambda news: None, tap=FrameTap()) as board:
            yield board
        return
    with PlaybackSource(args.board) as source:
        yield OpenBoard(source, Talk(source, lambda news: None), board_of_recording(args), None)


def _plan(
    config: TableConfig,
    rules: RuleSet,
    state: Path,
    language: str,
    board_url: str,
    board: OpenBoard,
    screen: TableScreen,
) -> TablePlan:
    """Give the plan of a table: it goes on with the game that it was playing when it was stopped, if it can."""
    kept = KeptFile(state)
    found = find(state, kept.now.game, lambda name: rules if name == rules.name else rule_set(name), screen.note)
    if found is not None:
        try:
            _check_board(found.settings.rule_set, board)
        except BadInputError as error:
            found.keeping.close()
            screen.note(f"{found.keeping.journal_path}: this game cannot be gone on with: {error}")
        else:
            config = kept.now.where_it_was(config)
            return TablePlan(config, found.settings.rule_set, state, language, board_url, kept, found, config.clock)
    _check_board(rules, board)
    return TablePlan(config, rules, state, language, board_url, kept, own_clock=config.clock)


def _config(args: argparse.Namespace) -> TableConfig:
    """Return the configuration of the file, with what was said in its place."""
    said = {name: value for name, value in vars(args).items() if name in _CONFIGURED}
    modes = {"mode": args.mode and Mode(args.mode), "reveal": args.reveal and Reveal(args.reveal)}
    return read_config(args.config, {**said, **modes})


def _check_board(rules: RuleSet, board: OpenBoard) -> None:
    """Raise `BadInputError` for a board of another shape, `UnreachableError` for one that is not what its file says."""
    if not rules.board.is_sensed_by(board.file.squares):
        raise BadInputError(f"rule set {rules.name} is not played on board {board.file.id}")
    faults = disagreements(board.hello, board.file) if board.hello is not None else ()
    if faults:
        raise UnreachableError(f"this board is not what its board file says: {'; '.join(faults)}")


def _screen(json: bool, language: str) -> TableScreen:
    if json:
        return JsonScreen()
    from referee.cli.table_terminal import TerminalScreen  # programs need none of what it imports

    return TerminalScreen(language)
