"""`hallmarshal record`: reads a record or journal, then judges it, audits it, analyses it, writes it in another format
or as one page to keep, or shows it.

A game is shown on paper, or played again on the board in the terminal; on the kiosk's screen `kiosk` plays it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import msgspec

from referee.cli.command import LazyParser, add_board_choice, number_in
from referee.cli.record_list import add_places, list_games
from referee.cli.record_sheet import print_record
from referee.journal.errors import JournalError, RecordError
from referee.journal.hand_times import hand_times
from referee.journal.journal_to_record import journal_record
from referee.journal.owners import own_records
from referee.journal.proof import audit_journal
from referee.journal.records import model
from referee.journal.records.audit import Audit, audit
from referee.journal.records.chained import Chained, Evidence
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import JOURNAL_MAGIC, MOST_BYTES, read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import screens_of, view_of
from referee.journal.stored import JOURNAL
from referee.library.lines import public_lines
from referee.library.report import decisive, figures_of, picture, report
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError, file_named, told_as, write_named
from referee.runtime.game_archive import KEY
from referee.runtime.table_plan import rule_set_named
from referee.table.commitments import STATION
from referee.terminal import show_in_turn
from referee.terminal_text import print_data
from referee.words import LANGUAGES, own_language

WRONG = 1
"""The exit code when something is wrong."""


VIEWS = ("referee", "red", "blue", "green", "yellow", "public", "archive")
LINES = "jsonl"
FORMATS = ("own", "strados2", "gsn", LINES)


def add_arguments(parser: LazyParser) -> None:
    """Add the verbs."""
    verbs = parser.add_verbs()
    check = verbs.add_parser("check", help="is every ply legal?")
    check.add_argument("--json", action="store_true", help="one JSON document")
    analyse = verbs.add_parser("analyse", help="who knew what, when, and where did the game turn?")
    analyse.add_argument("--json", action="store_true", help="all figures, one JSON document")
    report = verbs.add_parser("report", help="write a game as one HTML file: replay, curves, what each knew")
    show = verbs.add_parser("show", help="print a game: players, set-up, plies, result")
    show.add_argument("--view", choices=VIEWS, help="whose knowledge (default: all that the file holds)")
    show.add_argument("--lang", choices=LANGUAGES, default=own_language(), help="language (default: yours, else en)")
    show.add_argument(
        "--speed", type=number_in(0.01, 1000), metavar="N", help="play it on a board in the terminal, N plies a second"
    )
    add_board_choice(show, required=False)
    show.add_argument("--from", dest="begin", type=int, metavar="N", help="with --board: go on after N moves")
    show.add_argument("--kiosk", action="store_true", help="play it on the kiosk's screen, in a window")
    show.add_argument("--spoken", action="store_true", help="print what a kiosk says aloud while it is played")
    show.add_argument("--size", metavar="WxH", default="1024x600", help="of that window (default 1024x600)")
    show.add_argument(
        "--shot", metavar="FILE", type=Path, help="with --kiosk: no window, but a PNG of the end of the game"
    )
    export = verbs.add_parser("export", help="write a game in another format or view, to stdout")
    _add_written_options(report, export)
    audit = verbs.add_parser("audit", help="was any rank changed, or any verdict wrong?")
    audit.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="SEAT=HEX",
        help="a root as it was published before the first move",
    )
    audit.add_argument(
        "--head", type=_head, metavar="N:HEX", help="a head of the game's chain as it was published, 16 digits or more"
    )
    audit.add_argument(
        "--signer",
        action="append",
        default=[],
        metavar="SEAT=KEY",
        help="the key that a seat's handset (or the station) signs with: then it has to have signed the end",
    )
    audit.add_argument("--json", action="store_true", help="one JSON document")
    add_places(verbs)
    for verb in (check, audit, analyse, report, show, export):
        verb.add_argument(
            "--rules", metavar="NAME", help="by this rule set (or house rules FILE.toml) instead of the record's own"
        )
        verb.add_argument(
            "file", metavar="FILE", help="a record of ours, StraDoS2 XML, GSN, a journal or its folder; - for stdin"
        )
        verb.add_argument("--key", type=Path, metavar="FILE", help="a journal's key (default: journal.key beside it)")
        verb.add_argument(
            "--handset", type=Path, metavar="FILE", help="a handset's key (handset --keys FILE): what its seat knew"
        )


def _add_written_options(report: argparse.ArgumentParser, export: argparse.ArgumentParser) -> None:
    export.add_argument("--to", choices=FORMATS, default="own", help="the format (default own)")
    export.add_argument("--view", choices=VIEWS, help="whose knowledge (default: what the owners let the archive keep)")
    report.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to (default: stdout)")
    report.add_argument("--picture", type=Path, metavar="FILE", help="the decisive moment, as .svg or .png, too")
    report.add_argument("--view", choices=VIEWS, help="whose knowledge (default: what the owners let the archive keep)")


@told_as(BadInputError, JournalError)  # which says of which file
def run(args: argparse.Namespace) -> int:
    """Do one of the verbs. Raises `BadInputError` for what cannot be read."""
    if args.verb == "forget":
        from referee.cli.record_forget import forget_player

        return forget_player(args)
    if args.verb == "list":
        return list_games(args)
    if args.file != "-" and Path(args.file).is_dir():
        args.file = str(Path(args.file) / JOURNAL)
    rules = None if args.rules is None else rule_set_named(args.rules)
    try:
        if args.verb == "audit":
            return _audit(args, rules)
        record = _read(args, rules)
        if args.verb == "check":
            return _check(args, record, rules)
        if args.verb == "analyse":
            return _analyse(args, record, rules)
        if args.verb == "show":
            return _show(args, record, rules)
        if args.verb == "report":
            return _report(args, record, rules)
        if args.to == LINES:
            return _lines(args, record, rules)
        print_data(write_record(_kept(args, completed(record, rules)), args.to))
        return 0
    except RecordError as error:
        raise BadInputError(f"{args.file}: {error}") from None


def _data(name: str) -> bytes:
    """Return what the file holds, at most one byte more than a record may have."""
    if name == "-":
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    with file_named(name), Path(name).open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _is_journal(args: argparse.Namespace, data: bytes) -> bool:
    return args.file != "-" and data.startswith(JOURNAL_MAGIC)


def _read(args: argparse.Namespace, rules: RuleSet | None) -> Record:
    """Read the game of a record or journal; of a journal without a key what everybody was told, which is said on stderr."""
    data = _data(args.file)
    if not _is_journal(args, data):
        return read_record(data)
    path = Path(args.file)
    return _own_record(path, args) if args.handset else journal_record(path, _key(path, args), rules)


def _key(path: Path, args: argparse.Namespace) -> Path | None:
    """Return where a journal's key lies, None where there is none, which is said on stderr."""
    key: Path = args.key or path.with_name(KEY)
    if args.key is not None or key.exists():
        return key
    print(f"{path}: no key beside it and no --key: only what is public", file=sys.stderr)
    return None


def _own_record(path: Path, args: argparse.Namespace) -> Record:
    """Return what a handset's key opens of a game: of what it opens the view that was asked for, or its seat's own."""
    found = own_records(path, args.handset)
    wanted = getattr(args, "view", None)
    return next((record for record in found if record.view.value == wanted), found[0])


def _check(args: argparse.Namespace, record: Record, rules: RuleSet | None) -> int:
    judgement = judge(record, rules)
    winner = None if judgement.result is None else judgement.result.winner_word
    ending = None if judgement.result is None else judgement.result.reason.value
    if args.json:
        document = {
            "file": args.file,
            "plies": len(record.plies),
            "legal": judgement.legal,
            "ply": judgement.ply,
            "reason": judgement.reason,
            "winner": winner,
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
    print(f"winner {winner or 'none'}, ending {ending or 'none'}")
    for note in judgement.notes:
        print(f"note: {note}")
    return 0


def _kept(args: argparse.Namespace, record: Record) -> Record:
    """Return the view of a record that was asked for, without a wish what its owners let the archive keep."""
    view = View(args.view) if args.view else View.ARCHIVE if record.view is View.REFEREE else record.view
    return view_of(record, view)


def _report(args: argparse.Namespace, record: Record, own_rules: RuleSet | None) -> int:
    """Write the page, and the picture; both of the view alone, so that nothing else can be in them."""
    kept = _kept(args, completed(record, own_rules))
    rules, found = model.rules_of(kept, own_rules), figures_of(kept, own_rules)
    info, screens = screens_of(replace(kept, plies=kept.plies[: found.analysed]), rules)
    journal = args.file != "-" and _is_journal(args, _data(args.file))
    page = report(kept, rules, found, hand_times(Path(args.file)) if journal else ())
    if args.output is None:
        print_data(page)
    else:
        write_named(args.output, page)
    if args.picture is None:
        return 0
    if args.picture.suffix == ".png":
        from referee.cli.kiosk import replay_on_kiosk

        asked = argparse.Namespace(speed=None, lang=own_language(), size="1200x630", shot=args.picture)
        return replay_on_kiosk((info, screens[: decisive(found) + 1]), asked)
    write_named(args.picture, picture(kept, rules, found))
    return 0


def _lines(args: argparse.Namespace, record: Record, own_rules: RuleSet | None) -> int:
    """Print what everybody knew, a line a ply; of a record that holds more, made from its public view."""
    if args.view not in (None, View.PUBLIC.value):
        raise BadInputError(f"--to {LINES} is what everybody knew; it goes with no other view")
    if record.view is View.REFEREE:
        shown = view_of(completed(record, own_rules), View.PUBLIC)
    else:  # first, so that nothing is judged by what a seat alone knew
        shown = completed(view_of(record, View.PUBLIC), own_rules)
    lines = public_lines(shown, figures_of(shown, own_rules))
    print_data("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))
    return 0


def _analyse(args: argparse.Namespace, record: Record, own_rules: RuleSet | None) -> int:
    found = figures_of(record, own_rules)
    if args.json:
        about = {"file": args.file, "rules": record.rules, "view": record.view.value, "reveal": record.reveal.value}
        print(json.dumps(about | msgspec.to_builtins(found)))
        return 0
    print(f"{args.file}: {found.plies} plies, {found.analysed} analysed")
    for name, observer in found.observers.items():
        last = {known.army: known for known in observer.knows}
        for army, known in last.items():
            print(f"{name} on {army.value}: {known.bits} bits left after ply {known.ply}")
        if observer.why is not None:
            print(f"{name}: unknown from ply {observer.unknown_from}: {observer.why}")
    for point in found.turning_points:
        print(f"ply {point.ply}: {point.seat.value} loses {point.loss} ({point.kind})")
    return 0


def _show(args: argparse.Namespace, record: Record, own_rules: RuleSet | None) -> int:
    rules = model.rules_of(record, own_rules)
    whole = completed(record, rules)
    shown = whole if args.view is None else view_of(whole, View(args.view))
    if args.shot is not None and not args.kiosk:
        raise BadInputError("--shot goes with --kiosk")
    if args.board is not None:
        from referee.cli.record_on_board import play_on_board

        return play_on_board(shown, rules, own_rules, args)
    if (args.board_file, args.sensing, args.begin) != (None, None, None):
        raise BadInputError("--board-file, --sensing and --from go with --board")
    if args.kiosk:
        from referee.cli.kiosk import replay_on_kiosk

        return replay_on_kiosk(screens_of(shown, rules), args)
    if args.spoken:
        from referee.cli.kiosk import print_said_aloud

        print_said_aloud(screens_of(shown, rules), args.lang)
    elif args.speed is not None:
        info, views = screens_of(shown, rules)
        show_in_turn(info, views, args.speed, args.lang)
    else:
        print_record(shown, rules, args.lang)
    return 0


def _audit(args: argparse.Namespace, rules: RuleSet | None) -> int:
    """Print what was found; return 0 when nothing is wrong, 1 when something is."""
    published = dict(_root(text) for text in args.root)
    known = Evidence(args.head, dict(_signer(text) for text in args.signer))
    data = _data(args.file)
    record: Record | None
    if _is_journal(args, data) and not args.handset:
        path = Path(args.file)
        record, found = audit_journal(path, _key(path, args), published, rules, known)
    else:
        record = _read(args, rules)
        found = audit(record, published, rules, known)
    if args.json:
        print(json.dumps(_document(args.file, record, found)))
    else:
        _print(args.file, found)
    return 0 if found.holds else WRONG


def _root(text: str) -> tuple[Seat, str]:
    name, equals, root = text.partition("=")
    if not equals or name not in [seat.value for seat in Seat] or not re.fullmatch(r"[0-9a-f]{64}", root):
        raise BadInputError(f"--root: SEAT=HEX with 64 hex digits is wanted, not {text!r}")
    return Seat(name), root


def _head(text: str) -> tuple[int, str]:
    found = re.fullmatch(r"([1-9][0-9]{0,6}):([0-9a-f]{16,64})", text.replace(" ", ""))
    if found is None:
        raise argparse.ArgumentTypeError(f"N:HEX with 16 to 64 hex digits is wanted, not {text!r}")
    return int(found[1]), found[2]


def _signer(text: str) -> tuple[str, str]:
    signer, equals, key = text.partition("=")
    if (
        not equals
        or signer not in (STATION, *(seat.value for seat in Seat))
        or not re.fullmatch(r"[\w-]{43}", key, re.ASCII)
    ):
        raise BadInputError(f"--signer: SEAT=KEY or {STATION}=KEY is wanted, not {text!r}")
    return signer, key


def _document(name: str, record: Record | None, found: Audit) -> dict[str, object]:
    return {
        "file": name,
        "plies": len(record.plies) if record is not None else None,
        "holds": found.holds,
        "proven": found.proven,
        "open": found.open,
        "corrected": found.corrected,
        "chain": msgspec.to_builtins(found.chain),
        "wrong": msgspec.to_builtins(found.wrong),
    }


def _chained(chain: Chained) -> str:
    if chain.state == "none":
        return "none, so nothing proves that no ply is missing"
    how = "complete" if chain.state == "complete" else f"{chain.state} after ply {chain.plies}"
    signed = [f"signed by {', '.join(chain.signed)}"] if chain.signed else []
    missing = [f"not signed by {', '.join(chain.missing)}"] if chain.missing else []
    return "; ".join([f"{how}, {chain.plies} plies, head {chain.head}", *signed, *missing])


def _print(name: str, found: Audit) -> None:
    print(f"{name}: {'nothing is wrong' if found.holds else 'something is wrong'}")
    print(f"chain: {_chained(found.chain)}")
    for word, texts in (
        ("wrong", [one.text for one in found.wrong]),
        ("proven", found.proven),
        ("open", found.open),
        ("corrected", found.corrected),
    ):
        for text in texts:
            print(f"{word}: {text}")
