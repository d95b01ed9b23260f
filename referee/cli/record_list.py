"""`hallmarshal record list`: the games that a table or station keeps, read from their records."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from referee.cli.command import Subparsers
from referee.library.games import GameFilter, Unreadable, entries
from referee.runtime.errors import BadInputError
from referee.terminal_text import print_data


def add_places(verbs: Subparsers) -> None:
    """Add the verbs that are about a place with many games: `list` and `forget`."""
    parser = verbs.add_parser("list", help="the games that a table or station keeps, newest first")
    parser.add_argument("place", metavar="PLACE", help="its state directory")
    parser.add_argument("--player", default="", metavar="NAME", help="only games of players with this in their name")
    parser.add_argument(
        "--game-rules", default="", metavar="NAME", help="only games by rule sets with this in their name"
    )
    parser.add_argument("--date", default="", metavar="DATE", help="only games of 2026, 2026-11 or 2026-11-21")
    parser.add_argument("--result", default="", metavar="WHO", help="only games that this seat won; draw or none")
    parser.add_argument("--json", action="store_true", help="one JSON line a game")
    gone = verbs.add_parser(
        "forget", help="take a player's name and ranks out of a table's games, or a station's events"
    )
    gone.add_argument("player", metavar="PLAYER", help="the name, in capitals or not")
    gone.add_argument("place", metavar="PLACE", help="a table's state directory; of a station its own, or its store")
    gone.add_argument("--json", action="store_true", help="one JSON document")


def list_games(args: argparse.Namespace) -> int:
    """Print the games that are kept somewhere; return 1 where one could not be read, which is said on stderr. Raises `BadInputError`."""
    if not Path(args.place).is_dir():
        raise BadInputError(f"{args.place}: there is no such directory")
    unreadable = False
    wanted = GameFilter(args.player, args.game_rules, args.date, args.result)
    for found in entries(Path(args.place)):
        if isinstance(found, Unreadable):
            unreadable = True
            print(f"{found.path}: {found.why}", file=sys.stderr)
        elif not wanted.fits(found):
            continue
        elif args.json:
            print_data(f"{json.dumps(found.told(), ensure_ascii=False)}\n")
        else:
            players = " - ".join(found.players.get(seat) or seat for seat in found.seats)
            ending = f"{found.winner or '-'}  {found.reason or '-'}"
            print(f"{found.name}  {found.date or '?'}  {found.rules}  {players}  {found.plies}  {ending}")
    return 1 if unreadable else 0
