"""`hallmarshal handset`: a handset in the terminal, for people without a phone at hand, over ssh, and for scripts."""

from __future__ import annotations

import argparse

from referee.cli.command import Subparsers
from referee.words import LANGUAGES, own_language


def register(subparsers: Subparsers) -> None:
    """Add `handset`."""
    parser = subparsers.add_parser("handset", help="a handset in the terminal", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--join", required=True, metavar="URL", help="the link that the table shows; - reads it from stdin's first line"
    )
    parser.add_argument("--language", choices=LANGUAGES, default=own_language(), help="default: yours, else en")
    parser.add_argument("--json", action="store_true", help="one line a message in and out, for scripts")


def run(args: argparse.Namespace) -> int:
    """Be a handset until told to end; exit 0, 2 for a link that is worth nothing, 3 when the table is out of reach, 130 on Ctrl-C."""
    from referee.cli.handset_terminal import serve

    return serve(args)
