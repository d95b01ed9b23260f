"""The parsers of commands, and arguments that several of them share. Imports nothing heavy."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

BAD_ARGUMENTS = 2


class Parser(argparse.ArgumentParser):
    """Reports what is wrong with the arguments in one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(BAD_ARGUMENTS, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


class LazyParser(Parser):
    """The parser of a command whose module in `package` is imported when its arguments are read: no other command waits for it.

    Such a module has `add_arguments(parser)`, and `run(args)`: does it, and returns the exit code. It raises `CommandError` with the one
    line that the user sees.
    """

    package = "referee.cli"
    task = "run"
    """The name by which `run` is found in the parsed arguments."""

    def fill(self) -> None:
        """Import the module, and take from it what it does and which arguments it has."""
        module = import_module(f"{self.package}.{self.prog.split()[-1].replace('-', '_')}")
        self.description = (module.__doc__ or "").partition("\n")[0]
        if hasattr(module, "add_arguments"):
            module.add_arguments(self)
        self.set_defaults(**{self.task: module.run})

    def parse_known_args(self, *args: Any, **options: Any) -> Any:
        """Parse, by the arguments that the module has."""
        self.fill()
        return super().parse_known_args(*args, **options)

    def add_verbs(self, *, required: bool = True) -> Subparsers:
        """Return what a command's verbs are added to; which one was said is `verb` of the parsed arguments."""
        return self.add_subparsers(dest="verb", metavar="verb", required=required, parser_class=Parser)


# argparse gives it no public name, and it is generic in the stubs only
Subparsers: TypeAlias = "argparse._SubParsersAction[Parser]"


def number_in(low: float, high: float, unit: str = "") -> Callable[[str], float]:
    """Return what reads a number from `low` to `high` in an argument; `unit` is what it counts."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:  # NaN is not either
            of = f" of {unit}" if unit else ""
            raise argparse.ArgumentTypeError(f"{text!r} is no number{of} from {low:g} to {high:g}")
        return value

    return read


# `table`, `doctor` and `calibrate`: which board, and what is known of it.


def add_board_choice(parser: Parser, *, required: bool, screens: bool = True) -> None:
    """Add which board it is; with `screens` it may be one on a screen."""
    last = "sim:[?OPTIONS] or screen:[?OPTIONS]" if screens else "sim:[?OPTIONS]"
    kinds = f"serial:PATH, gpio:FILE, replay:FILE{', ' if screens else ' or '}{last}"
    parser.add_argument("--board", required=required, metavar="URL", help=kinds)
    parser.add_argument(
        "--board-file",
        metavar="NAME",
        help="a board file, or its name (default: the one that the board names; simulated: the first for the rules)",
    )
    parser.add_argument("--sensing", choices=("colour", "occupancy"), help="sensors of a simulated board")


def add_board_arguments(
    parser: Parser,
    rules: str = "rule set whose set-up to expect (default: one for this board)",
    json: str = "print one JSON document and nothing else",
    *,
    screens: bool = False,
) -> None:
    """Add the options that these commands have; of `--rules` and `--json` the help differs."""
    add_board_choice(parser, required=True, screens=screens)
    parser.add_argument("--rules", metavar="NAME", help=rules)
    parser.add_argument("--json", action="store_true", help=json)
