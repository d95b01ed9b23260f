"""`hallmarshal table`: the referee of a real table, from the lobby through set-up, play and result to the rematch."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from referee.cli.command import LazyParser, add_board_arguments
from referee.door.front_door import WebAddressError
from referee.journal.errors import JournalError
from referee.net.errors import LinkError
from referee.rules.values import Seat
from referee.runtime.announcements import JsonScreen, TableScreen
from referee.runtime.assembly import run_table
from referee.runtime.boards import BoardChoice
from referee.runtime.child_processes import ChildError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.state_folder import shown
from referee.runtime.table_config import TableConfig, config_keys, read_config, read_option
from referee.table.settings import COMPUTER_LEVELS

_OPTIONS: Mapping[str, tuple[str, str | None, str]] = {
    "mode": ("--mode", None, "how ranks reach the referee (default: declare)"),
    "reveal": ("--reveal", None, "who hears a survivor's rank (default: book)"),
    "language": ("--language", None, "of the terminal and the kiosk (default: yours, else en)"),
    "state": ("--state", "DIR", "where keys, journals and records are kept (default: {})"),
    "web": ("--web", "HOST:PORT", "where handsets find the table (default: 0.0.0.0:8080; port 0: a free one)"),
    "broker_url": (
        "--broker",
        "URL",
        "join the broker at mqtt://HOST[:PORT] (see: hallmarshal broker); default: its own",
    ),
    "tls": ("--tls", None, "let its own broker listen for terminals, with a certificate"),
    "frame_log": (
        "--frame-log",
        None,
        "keep raw frames and what handsets said beside each journal, until its key goes",
    ),
    "keep_keys": ("--keep-keys", None, "keep the keys of games that are over: who has the disk can read them"),
    "hall": ("--hall", "PASS", "the table's pass into a hall (see: hallmarshal station)"),
    "kiosk": ("--kiosk", None, "show the kiosk's window"),
    "browser": ("--browser", None, "show a board on a screen in this machine's browser, with phones beside it"),
}
"""The keys of the file that are options too, by their field of `TableConfig`: option, what it takes, help."""


def add_arguments(parser: LazyParser) -> None:
    """Add what `table` takes."""
    add_board_arguments(
        parser,
        "rule set, or house rules FILE.toml (default: original)",
        "one ready line, then one line a public event",
        screens=True,
    )
    parser.add_argument("--config", type=Path, metavar="TOML", help="everything else here and more, as a file")
    for seat in ("red", "blue"):
        parser.add_argument(f"--{seat}", metavar="computer:LEVEL", help=f"let the computer play {seat}, from 1 to 5")
    keys = config_keys("") | config_keys("broker")
    for name, (option, takes, about) in _OPTIONS.items():
        if keys[name].kind == "true or false":
            parser.add_argument(option, action="store_true", default=None, help=about)
        else:
            choices = keys[name].choices or None
            parser.add_argument(option, dest=name, choices=choices, metavar=takes, help=about.format(shown("NAME")))


@told_as(UnreachableError, LinkError, WebAddressError, ChildError, JournalError)
def run(args: argparse.Namespace) -> int:
    """Referee until told to end; exit 0, 2 for bad input, 3 when board, broker or web address cannot be had, 130 on Ctrl-C."""
    board = BoardChoice(args.board, args.board_file, args.sensing)
    return run_table(board, _config(args), lambda language: _screen(args.json, language))


def _config(args: argparse.Namespace) -> TableConfig:
    """Return the configuration of the file, with what was said in its place. Raises `BadInputError`."""
    said: dict[str, object] = {"rules": args.rules}
    for name, (option, _, _) in _OPTIONS.items():
        if (value := getattr(args, name)) is not None:
            said[name] = read_option(name, value, option)
    if players := {seat: value for seat in ("red", "blue") if (value := getattr(args, seat)) is not None}:
        said["computers"] = {Seat(seat): _level(seat, value) for seat, value in players.items()}
    return read_config(args.config, said)


def _level(seat: str, who: str) -> int:
    kind, _, level = who.partition(":")
    if kind != "computer" or level not in map(str, COMPUTER_LEVELS):
        raise BadInputError(f"--{seat}: computer:1 to computer:5, not {who!r}")
    return int(level)


def _screen(json: bool, language: str) -> TableScreen:
    if json:
        return JsonScreen()
    from referee.cli.table_terminal import TerminalScreen  # programs need none of what it imports

    return TerminalScreen(language)
