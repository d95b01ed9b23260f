"""`hallmarshal`: reads the arguments, runs one subcommand, and turns every failure into one line and an exit code.

Exit codes (docs/reference/commands.md): 0 done, 2 bad arguments or input, 3 board or broker not reachable, 130 interrupted,
141 the reader of our output went away, 1 a fault of ours.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence

from referee import log_output
from referee.cli.command import LazyParser, Parser
from referee.runtime.errors import CommandError, crash_in_private, our_fault
from referee.terminal_text import end_with_terminal, visible_output

COMMANDS: Mapping[str, str] = {
    "demo": "referee a whole game on a simulated board",
    "table": "referee a real table: lobby, set-up, play, rematch",
    "handset": "a handset in the terminal",
    "rules": "rule sets: list them, show one, or the legal moves of positions",
    "record": "records of games: check, audit, show, export",
    "kiosk": "show a table on a screen, or make pictures of made-up tables",
    "station": "the events of a hall: pair, publish, count",
    "broker": "print what an existing Mosquitto needs",
    "bench": "measure, and print figures with the machine's name",
    "flash": "put the firmware into the board's controller",
    "doctor": "look at every square of a board",
    "calibrate": "measure every square and keep it in the board",
    "field-trial": "measure how well a real board is read",
    "setup-pi": "let a Raspberry Pi start table and kiosk by itself",
}
"""The modules of `referee.cli` that are subcommands (with `_` for `-`), with a line for `--help`."""

INTERRUPTED = 130
BROKEN_PIPE = 141
OUR_FAULT = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of `argv` (default: the process's own arguments) and give its exit code."""
    if argv is None:
        crash_in_private(_complain)
        end_with_terminal()
        gc.disable()  # while modules are loaded, a tenth of a start: nothing of that is ever thrown away
    arguments = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int:
    args = parser_of_commands().parse_args(arguments or ["--help"])
    log_output.begin(args.log_level)
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    code: int = args.run(args)
    return code


def parser_of_commands() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(prog="hallmarshal", description="A smart board for Stratego: the referee and the tools around it.")
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    parser.add_argument(
        "--log-level",
        metavar="LEVEL",
        type=log_output.level,
        default=os.environ.get(log_output.LEVEL_VARIABLE) or log_output.DEFAULT,
        help=f"log to stderr from this level on: {', '.join(log_output.LEVELS)} (default: {log_output.DEFAULT}); before the command",
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True, parser_class=LazyParser)
    for name, about in COMMANDS.items():
        commands.add_parser(name, help=about)
    return parser


class _Version(argparse.Action):
    """`--version`. Whoever does not ask for it need not wait while it is looked up."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from referee import version

        print(f"hallmarshal {version()}")
        parser.exit()


@visible_output()
def guarded(action: Callable[[], int]) -> int:
    """Return the exit code of `action`; whatever it raises becomes one line on stderr, never a traceback."""
    try:
        code = action()
        sys.stdout.flush()
    except CommandError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except Exception as error:
        if os.environ.get("HALLMARSHAL_TRACEBACK"):
            raise
        _complain(our_fault(error))
        return OUR_FAULT
    return code


def _drop_output() -> None:
    """Point stdout at nothing, so that the interpreter's last flush has no broken pipe to trip over."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def _complain(text: str) -> None:
    print(f"hallmarshal: {' '.join(text.split())}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
