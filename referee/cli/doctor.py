"""`hallmarshal doctor`: looks at every square and at the link, and says what is wrong and what to do next."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from referee.cli.command import Subparsers, add_board_arguments

LISTEN_S = 3.0


def register(subparsers: Subparsers) -> None:
    """Add `doctor`."""
    parser = subparsers.add_parser(
        "doctor", help="look at every square of a board", description=__doc__.splitlines()[0]
    )
    add_board_arguments(parser)
    parser.add_argument(
        "--expect",
        choices=("start", "empty"),
        help="what stands on the board: the start position, or nothing (default: what it looks like)",
    )
    parser.add_argument("--once", action="store_true", help="print one report instead of a live picture")
    parser.add_argument(
        "--seconds", type=_seconds, default=LISTEN_S, metavar="N", help="how long to listen for a report (default: 3)"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write the picture to FILE.svg, and end")


def run(args: argparse.Namespace) -> int:
    """Show the board until Ctrl-C, or report once; exit 0 whatever was found, 3 if the board does not answer."""
    from referee.cli.doctor_screen import examine

    return examine(args)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return seconds
