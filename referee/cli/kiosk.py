"""`hallmarshal kiosk`: the screen that both players look at, as a process of its own; and pictures of it without a screen."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.cli.command import KIOSK_PASSWORD, Subparsers
from referee.words import LANGUAGES, own_language


def register(subparsers: Subparsers) -> None:
    """Add `kiosk`."""
    parser = subparsers.add_parser("kiosk", help="show a table on a screen, or make pictures of made-up tables")
    parser.add_argument("--broker", metavar="URL", help="where the table's broker is: mqtt://HOST[:PORT]")
    parser.add_argument("--board", metavar="ID", help="which board to show")
    parser.add_argument(
        "--credential",
        metavar="FILE|-",
        help="the kiosk's credential as JSON; with - it is the first line of stdin, whose end ends the kiosk "
        f"(without it the password is read from {KIOSK_PASSWORD})",
    )
    parser.add_argument("--shots", metavar="DIR", type=Path, help="write pictures of made-up tables into DIR, and end")
    parser.add_argument("--only", metavar="NAMES", help="with --shots: these tables only, with commas between")
    parser.add_argument(
        "--language", choices=(*LANGUAGES, "all"), default=own_language(), help="language (all: with --shots)"
    )
    parser.add_argument(
        "--size",
        metavar="WxH",
        help="a window of this size instead of the whole screen; with --shots several, with commas",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON line for each state that was drawn")
    parser.add_argument("--turned", action="store_true", help="turn one half round, for players who sit opposite")
    parser.add_argument("--still", action="store_true", help="let no picture move")
    parser.add_argument("--sound", action="store_true", help="play tones for what happens")
    parser.add_argument("--offscreen", action="store_true", help="draw where nobody sees it (for tests and figures)")


def run(args: argparse.Namespace) -> int:
    """Show the kiosk until it is ended, or write the pictures."""
    from referee.cli.kiosk_screen import do

    return do(args)
