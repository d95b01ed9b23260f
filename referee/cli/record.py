"""`hallmarshal record`: judge a record, audit it, show it, write it in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from referee.cli.command import Subparsers
from referee.words import LANGUAGES, own_language

VIEWS = ("referee", "red", "blue", "green", "yellow", "public", "archive")
FORMATS = ("own", "strados2", "gsn")


def register(subparsers: Subparsers) -> None:
    """Add `record` and its verbs."""
    parser = subparsers.add_parser("record", help="records of games: check, audit, show, export")
    verbs = parser.add_subparsers(dest="verb", metavar="verb", required=True)
    check = verbs.add_parser("check", help="is every ply legal?")
    check.add_argument("--json", action="store_true", help="one JSON document")
    show = verbs.add_parser("show", help="print a game: players, set-up, plies, result")
    show.add_argument("--view", choices=VIEWS, help="whose knowledge (default: all that the file holds)")
    show.add_argument("--lang", choices=LANGUAGES, default=own_language(), help="language (default: yours, else en)")
    show.add_argument(
        "--speed", type=_plies_a_second, metavar="N", help="play it on a board in the terminal, N plies a second"
    )
    show.add_argument("--kiosk", action="store_true", help="play it on the kiosk's screen, in a window")
    show.add_argument("--size", metavar="WxH", default="1024x600", help="of that window (default 1024x600)")
    show.add_argument(
        "--shot", metavar="FILE", type=Path, help="with --kiosk: no window, but a PNG of the end of the game"
    )
    export = verbs.add_parser("export", help="write a game in another format or view, to stdout")
    export.add_argument("--to", choices=FORMATS, default="own", help="the format (default own)")
    export.add_argument("--view", choices=VIEWS, help="whose knowledge (default: what the owners let the archive keep)")
    audit = verbs.add_parser("audit", help="was any rank changed, or any verdict wrong?")
    audit.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="SEAT=HEX",
        help="a root as it was published before the first move",
    )
    audit.add_argument("--json", action="store_true", help="one JSON document")
    for verb in (check, audit, show, export):
        verb.add_argument(
            "--rules", metavar="NAME", help="by this rule set (or house rules FILE.toml) instead of the record's own"
        )
        verb.add_argument(
            "file", metavar="FILE", help="a record of ours, StraDoS2 XML, GSN or a journal; - for stdin (no journal)"
        )
        verb.add_argument("--key", type=Path, metavar="FILE", help="a journal's key (default: journal.key beside it)")


def run(args: argparse.Namespace) -> int:
    """Do one of the verbs."""
    from referee.cli.record_screen import do

    return do(args)


def _plies_a_second(text: str) -> float:
    speed = float(text)
    if not 0.01 <= speed <= 1000:  # NaN is not either
        raise argparse.ArgumentTypeError("must be a number from 0.01 to 1000")
    return speed
