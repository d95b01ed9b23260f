"""`hallmarshal calibrate`: measures zero, gain and pole of every square and keeps them in the board."""

from __future__ import annotations

import argparse

from referee.cli.command import Subparsers, add_board_arguments


def register(subparsers: Subparsers) -> None:
    """Add `calibrate`."""
    parser = subparsers.add_parser(
        "calibrate", help="measure every square and keep it in the board", description=__doc__.splitlines()[0]
    )
    add_board_arguments(parser)
    parser.add_argument("--without", metavar="SQUARES", default="", help="leave broken squares out, e.g. a4,b7")


def run(args: argparse.Namespace) -> int:
    """Calibrate the board; exit 2 naming the squares if something stands wrongly, 3 if the board does not answer."""
    from referee.cli.calibrating import calibrate

    return calibrate(args)
