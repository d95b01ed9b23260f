"""`hallmarshal table`: the referee of a real table, from the lobby through set-up, play and result to the rematch."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from referee.cli.command import LazyParser, add_board_arguments
from referee.door.front_door import WebAddressError
from referee.journal.errors import JournalError
from referee.net.errors import LinkError
from referee.runtime.announcements import JsonScreen, TableScreen
from referee.runtime.assembly import run_table
from referee.runtime.child_processes import ChildError
from referee.runtime.errors import UnreachableError, told_as
from referee.runtime.table_config import TableConfig, host_and_port, read_broker_url, read_config
from referee.table.views import Mode, Reveal
from referee.words import LANGUAGES

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
    return run_table(args, _config(args), lambda language: _screen(args.json, language))


def _config(args: argparse.Namespace) -> TableConfig:
    """Return the configuration of the file, with what was said in its place."""
    said = {name: value for name, value in vars(args).items() if name in _CONFIGURED}
    modes = {"mode": args.mode and Mode(args.mode), "reveal": args.reveal and Reveal(args.reveal)}
    return read_config(args.config, {**said, **modes})


def _screen(json: bool, language: str) -> TableScreen:
    if json:
        return JsonScreen()
    from referee.cli.table_terminal import TerminalScreen  # programs need none of what it imports

    return TerminalScreen(language)
