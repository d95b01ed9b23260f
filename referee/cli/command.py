"""What a subcommand's module looks like, and the parser it hangs itself into."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn, Protocol

BAD_ARGUMENTS = 2


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(BAD_ARGUMENTS, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[
        Parser
    ]  # argparse gives it no public name, and it is generic in the stubs only
else:
    Subparsers = argparse._SubParsersAction


class Command(Protocol):
    """What a module named in `referee.cli.main.COMMANDS` offers."""

    def register(self, subparsers: Subparsers) -> None:
        """Add the parser of this command, without importing anything heavy."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; give the exit code. Raises `CommandError` with the one line that the user sees."""
