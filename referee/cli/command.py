"""What a subcommand's module looks like, the parser it hangs itself into, and arguments that several share. Imports nothing heavy."""

from __future__ import annotations

import argparse
from typing import NoReturn, Protocol, TypeAlias

BAD_ARGUMENTS = 2
KIOSK_PASSWORD = "HALLMARSHAL_KIOSK_PASSWORD"  # noqa: S105 - the name of a variable, not a password
"""The environment variable that a kiosk without a credential reads its password from."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(BAD_ARGUMENTS, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


# argparse gives it no public name, and it is generic in the stubs only
Subparsers: TypeAlias = "argparse._SubParsersAction[Parser]"


class Command(Protocol):
    """What a module named in `referee.cli.main.COMMANDS` offers."""

    def register(self, subparsers: Subparsers) -> None:
        """Add the parser of this command, without importing anything heavy."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; give the exit code. Raises `CommandError` with the one line that the user sees."""


# `table`, `doctor` and `calibrate`: which board, and what is known of it.


def add_board_arguments(
    parser: Parser,
    rules: str = "rule set whose set-up to expect (default: one for this board)",
    json: str = "print one JSON document and nothing else",
) -> None:
    """Add the options that these commands have; of `--rules` and `--json` the help differs."""
    parser.add_argument(
        "--board", required=True, metavar="URL", help="serial:PATH, gpio:FILE, replay:FILE or sim:[?OPTIONS]"
    )
    parser.add_argument(
        "--board-file", metavar="NAME", help="a board file, or its name (default: the one that the board names)"
    )
    parser.add_argument("--sensing", choices=("colour", "occupancy"), help="sensors of a simulated board")
    parser.add_argument("--rules", metavar="NAME", help=rules)
    parser.add_argument("--json", action="store_true", help=json)
