"""`hallmarshal rules`: the rule sets on paper, and the legal moves of positions."""

from __future__ import annotations

import argparse
import sys

from referee.cli.command import Subparsers
from referee.words import LANGUAGES, own_language


def register(subparsers: Subparsers) -> None:
    """Add `rules` and its three verbs."""
    parser = subparsers.add_parser("rules", help="rule sets: list them, show one, or the legal moves of positions")
    verbs = parser.add_subparsers(dest="verb", metavar="verb", required=True)
    listing = verbs.add_parser("list", help="all rule sets in a table")
    show = verbs.add_parser("show", help="one rule set: board, army, limits, options")
    show.add_argument("name", metavar="NAME", help="a rule set, or the path of a house rule set (FILE.toml)")
    for sheet in (listing, show):
        sheet.add_argument(
            "--lang", choices=LANGUAGES, default=own_language(), help="language (default: yours, else en)"
        )
        sheet.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    verbs.add_parser("moves", help="StraDoS3 positions on stdin, one JSON line each with all legal moves")


def run(args: argparse.Namespace) -> int:
    """Do one of the verbs."""
    if args.verb == "moves":
        from referee.cli.rules_screen import print_moves

        # positions are ASCII; latin-1 lets any other byte through to be refused with its line
        return print_moves(sys.stdin.buffer.read().decode("latin-1"), sys.stdout)
    from referee.cli import rules_screen as sheets
    from referee.rules import rule_set, rule_set_names

    if args.verb == "list":
        sheets.print_list([rule_set(name) for name in rule_set_names()], args.lang, args.json)
    else:
        from referee.runtime.table_plan import rule_set_named

        sheets.print_sheet(rule_set_named(args.name), args.lang, args.json)
    return 0
