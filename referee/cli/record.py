"""`hallmarshal record`: judge a record, audit it, show it, write it in another format."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.command import Subparsers
from referee.runtime.errors import BadInputError
from referee.terminal_text import print_data
from referee.words import LANGUAGES, own_language

if TYPE_CHECKING:
    from referee.journal.records import Record
    from referee.rules import RuleSet

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
    from referee.journal.records import RecordError

    if args.verb == "audit":
        from referee.cli.record_screen import audit_file

        return audit_file(args)
    try:
        record = _read(args)
        if args.verb == "check":
            return _check(args, record)
        if args.verb == "show":
            return _show(args, record)
        return _export(args, record)
    except RecordError as error:
        raise BadInputError(f"{args.file}: {error}") from None


def _plies_a_second(text: str) -> float:
    speed = float(text)
    if not 0.01 <= speed <= 1000:  # NaN is not either
        raise argparse.ArgumentTypeError("must be a number from 0.01 to 1000")
    return speed


def _read(args: argparse.Namespace) -> Record:
    from referee.journal.records import MOST_BYTES, read_record
    from referee.journal.records.formats import JOURNAL_MAGIC

    try:
        if args.file == "-":
            return read_record(sys.stdin.buffer.read(MOST_BYTES + 1))
        path = Path(args.file)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInputError(f"{args.file}: {error.strerror}") from None
    return _from_journal(args, path) if data.startswith(JOURNAL_MAGIC) else read_record(data)


def _from_journal(args: argparse.Namespace, path: Path) -> Record:
    """Read the game of a journal; without a key what everybody was told, which is said on stderr."""
    from referee.journal.errors import JournalError
    from referee.journal.journal_to_record import journal_record

    key: Path | None = args.key or path.with_name("journal.key")
    if args.key is None and key is not None and not key.exists():
        key = None
        print(f"{path}: no key beside it and no --key: only what is public", file=sys.stderr)
    try:
        return journal_record(path, key, _rules(args))
    except JournalError as error:
        raise BadInputError(str(error)) from None


def _rules(args: argparse.Namespace) -> RuleSet | None:
    from referee.runtime.table_plan import rule_set_named

    return None if args.rules is None else rule_set_named(args.rules)


def _check(args: argparse.Namespace, record: Record) -> int:
    from referee.journal.records import judge, winner_word

    judgement = judge(record, _rules(args))
    ending = None if judgement.result is None else judgement.result.reason.value
    if args.json:
        document = {
            "file": args.file,
            "plies": len(record.plies),
            "legal": judgement.legal,
            "ply": judgement.ply,
            "reason": judgement.reason,
            "winner": winner_word(judgement.result),
            "ending": ending,
        }
        print(json.dumps(document))
        return 0
    if judgement.legal:
        print(f"{args.file}: all {len(record.plies)} plies are legal")
    elif judgement.ply is None:
        print(f"{args.file}: {judgement.reason}: {'; '.join(judgement.details)}")
    else:
        print(f"{args.file}: ply {judgement.ply} is illegal: {judgement.reason} ({'; '.join(judgement.details)})")
    print(f"winner {winner_word(judgement.result) or 'none'}, ending {ending or 'none'}")
    for note in judgement.notes:
        print(f"note: {note}")
    return 0


def _show(args: argparse.Namespace, record: Record) -> int:
    from referee.journal.records import View, completed, rules_of, view_of

    rules = rules_of(record, _rules(args))
    whole = completed(record, rules)
    shown = whole if args.view is None else view_of(whole, View(args.view))
    if args.shot is not None and not args.kiosk:
        raise BadInputError("--shot goes with --kiosk")
    if args.kiosk:
        from referee.cli.kiosk import window_size
        from referee.cli.kiosk_replay import replay_on_kiosk

        return replay_on_kiosk(shown, rules, args.speed or 1.0, args.lang, window_size(args.size), args.shot)
    if args.speed is not None:
        from referee.cli.record_screen import replay

        replay(shown, rules, args.speed, args.lang)
        return 0
    from referee.cli.record_screen import print_record

    print_record(shown, rules, args.lang)
    return 0


def _export(args: argparse.Namespace, record: Record) -> int:
    from referee.journal.records import View, completed, view_of, write_record

    whole = completed(record, _rules(args))
    view = View(args.view) if args.view else View.ARCHIVE if whole.view is View.REFEREE else whole.view
    print_data(write_record(view_of(whole, view), args.to))
    return 0
