"""`hallmarshal station`: the hall itself (serve, account, tables, --demo), and its events: players, rounds, results, standings, files."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from rich.table import Table

from referee.cli.command import LazyParser, Parser, Subparsers, number_in
from referee.runtime.errors import BadInputError, UnreachableError, file_named, told_as
from referee.runtime.state_folder import private_folder, shown, state_folder
from referee.runtime.table_config import host_and_port
from referee.terminal import TerminalConsole
from referee.terminal_text import print_data
from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.event.reports import (
    entries_from_csv,
    event_from_trf,
    exported,
    pairings_from_trf,
    read_trf,
    round_as_told,
    standings_as_told,
    team_standings_as_told,
)
from referee.tournament.public.folder import PublicFolderError, publishing, put_pages, put_prints
from referee.tournament.store import LogEntry, Note, Store, Stored, StoreError, StoreUnreachableError, open_store
from referee.words import LANGUAGES, own_language

_RESULTS = ("red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent")


def add_arguments(parser: LazyParser) -> None:
    """Add the demo's options and the verbs."""
    parser.add_argument("--demo", action="store_true", help="a simulated event of eight tables in one command")
    parser.add_argument("--tables", type=int, default=8, metavar="N", help="of the demo (default: 8)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of the demo (default: 5)")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="of the demo (default: 7)")
    parser.add_argument("--speed", choices=("1", "max"), default="1", help="of the demo's people (default: 1)")
    _add_serving(parser)
    verbs = parser.add_verbs(required=False)
    _add_hall_verbs(verbs)
    listing = _verb(verbs, "list", "all events", event=False)
    _register_new(_verb(verbs, "new", "make an event"))
    entering = _verb(verbs, "enter", "enter a player; once the event has begun he plays from the next round on")
    entering.add_argument("name", metavar="NAME")
    entering.add_argument("--rating", type=int, default=0, metavar="N")
    entering.add_argument("--federation", default="", metavar="ABC")
    _verb(verbs, "withdraw", "take a player out of the rounds to come").add_argument(
        "number", type=int, metavar="NUMBER"
    )
    bye = _verb(verbs, "bye", "note a bye that a player asks for")
    bye.add_argument("number", type=int, metavar="NUMBER")
    bye.add_argument("round", type=int, metavar="ROUND")
    bye.add_argument("kind", choices=("half", "zero"))
    pair = _verb(verbs, "pair", "propose the next round; nobody sees it before `publish`")
    pair.add_argument("--from-trf", type=Path, metavar="FILE", help="as another program paired it")
    _verb(verbs, "publish", "make the proposed round a round")
    result = _verb(verbs, "result", "note the result of a table of the last round")
    result.add_argument("table", type=int, metavar="TABLE")
    result.add_argument("result", choices=_RESULTS)
    result.add_argument("--round", type=int, metavar="N", help="of this round (default: the last)")
    result.add_argument("--correct", action="store_true", help="replace a result that is there")
    act = _verb(verbs, "act", "any act on the event by its word; see docs/reference/event.md")
    act.add_argument("word", choices=(*acts.BY_NAME, "undo"), metavar="WORD", help="edit, reinstate, undo and so on")
    act.add_argument("given", nargs="?", default="{}", metavar="JSON", help='as in \'{"number": 3, "name": "Ada"}\'')
    log = _verb(verbs, "log", "who did what to the event, when and why")
    for verb in (entering, bye, pair, result, act, *(verbs.choices[name] for name in ("withdraw", "publish", "new"))):
        verb.add_argument("--by", default="", metavar="NAME", help="who does it, for the log")
        verb.add_argument("--why", default="", metavar="TEXT", help="the reason, for the log")
    shows = (
        log,
        listing,
        pair,
        _verb(verbs, "show", "the last round, and the proposed one with its reasons"),
        _verb(verbs, "standings", "the standings"),
    )
    for show in shows:
        show.add_argument("--json", action="store_true", help="one JSON document")
    export = _verb(
        verbs, "export", "print the event for other programs, or write its pages for players, public or paper"
    )
    export.add_argument("--to", choices=("trf", "trf26", "csv", "pages", "prints"), required=True)
    export.add_argument("--folder", type=Path, metavar="FOLDER", help="where pages and prints are written")
    _add_publishing(export)


def _add_hall_verbs(verbs: Subparsers) -> None:
    serve = verbs.add_parser("serve", help="the hall's broker and pages", description="Open the hall.")
    _add_serving(serve)
    serve.add_argument("--event", metavar="EVENT", help="the event that is played (default: those chosen on the pages)")
    serve.add_argument("--store", metavar="PLACE", help="where events are (default: events.db in the state directory)")
    serve.add_argument("--begin-games", action="store_true", help="tables begin once they are told who plays")
    account = verbs.add_parser(
        "account", help="arbiters' accounts", description="Make, change or take away an account."
    )
    account.add_argument("name", metavar="NAME")
    account.add_argument("--role", choices=("chief", "arbiter"), default="arbiter")
    account.add_argument("--remove", action="store_true", help="take it away")
    account.add_argument("--password-stdin", action="store_true", help="read the password's line from stdin")
    tables = verbs.add_parser(
        "tables",
        help="let tables into the hall",
        description="Write a pass for each table that is named; list them all.",
    )
    tables.add_argument("boards", nargs="*", metavar="TABLE", help="names as in the tables' own files")
    tables.add_argument("--host", metavar="HOST", help="where tables reach this machine (default: its own address)")
    tables.add_argument("--port", type=int, default=1884, metavar="N", help="the hall's broker (default: 1884)")
    for verb in (account, tables):
        verb.add_argument("--state", type=Path, default=None, metavar="DIR", help=f"default: {shown('station')}")


def _add_serving(parser: Parser) -> None:
    """Add the options that serving and the demo share."""
    parser.add_argument("--state", type=Path, default=None, metavar="DIR", help=f"default: {shown('station')}")
    parser.add_argument(
        "--web",
        type=lambda text: host_and_port(text, "--web"),
        default=("0.0.0.0", 8090),  # noqa: S104 # for the room
        metavar="HOST:PORT",
        help="the pages (default: 0.0.0.0:8090; port 0: a free one)",
    )
    parser.add_argument("--port", type=int, default=None, metavar="N", help="the broker for tables (default: 1884)")
    parser.add_argument("--https", action="store_true", help="with a certificate of its own, made once")
    parser.add_argument("--certificate", type=Path, metavar="PEM", help="https with this certificate and --key")
    parser.add_argument("--key", type=Path, metavar="PEM", help="the certificate's key")
    parser.add_argument(
        "--delay",
        type=number_in(1, 24 * 60, "minutes"),
        default=15,
        metavar="MINUTES",
        help="spectators see boards so much later (default: 15)",
    )
    parser.add_argument(
        "--public", type=Path, metavar="FOLDER", help="write the pages for players and public here, too"
    )
    _add_publishing(parser)
    parser.add_argument("--json", action="store_true", help="one ready line on stdout")


def _add_publishing(parser: Parser) -> None:
    """Add the options that say how an event is shown in public."""
    own = own_language()
    parser.add_argument(
        "--public-address",
        default="",
        metavar="URL",
        help="where players find that folder on the web (default: this station)",
    )
    parser.add_argument(
        "--public-names",
        choices=[names.value for names in model.PublicNames],
        help="on the web, of events whose settings do not say (default: full)",
    )
    parser.add_argument(
        "--public-language",
        choices=LANGUAGES,
        default=own,
        help=f"of pages where no script runs, and of paper (default: {own})",
    )


def _verb(verbs: Subparsers, name: str, text: str, *, event: bool = True) -> Parser:
    verb = verbs.add_parser(name, help=text, description=text)
    if event:
        verb.add_argument("event", metavar="EVENT", help="the event's id: a-z, 0-9 and -")
    verb.add_argument(
        "--store",
        default=None,
        metavar="PLACE",
        help=f"a path or postgresql://... (default: {shown('station')}/events.db)",
    )
    return verb


def _register_new(new: Parser) -> None:
    new.add_argument("--name", help="as on papers (default: the id)")
    new.add_argument("--rounds", type=int, metavar="N", help="how many (round robin: as many as it takes)")
    new.add_argument("--system", choices=("swiss", "round-robin", "knock-out"), default="swiss")
    new.add_argument("--team-boards", type=int, metavar="N", help="teams meet on so many boards, 2 to 6")
    new.add_argument("--points", default="6-3-1", metavar="W-D-L", help="of a win, a draw, a loss (default: 6-3-1)")
    new.add_argument("--bye-points", metavar="P", help="of a pairing bye (default: a win's)")
    new.add_argument("--seed", type=int, metavar="N", help="repeats all lots (default: drawn, and printed)")
    new.add_argument(
        "--players",
        type=Path,
        metavar="CSV",
        help="a list: name, rating, federation, group, team",
    )
    new.add_argument("--from-trf", type=Path, metavar="FILE", help="the event of a TRF16 file, with all its rounds")


@told_as(BadInputError, model.EventError, StoreError, PublicFolderError)
@told_as(UnreachableError, StoreUnreachableError)
def run(args: argparse.Namespace) -> int:
    """Do one of the verbs; exit 2 for what the event does not allow, 3 when the store cannot be had."""
    if args.demo:
        from referee.cli.station_demo import run_demo

        return run_demo(args)
    if args.verb is None:
        raise BadInputError("say what the station is to do: hallmarshal station --help")
    if args.verb in ("serve", "account", "tables"):
        from referee.cli import station_serve  # whoever keeps an event need not wait for all that a hall is made of

        return station_serve.run(args)
    with closing(_open(args.store)) as store:
        _keep_events(args, store)
    return 0


def _open(place: str | None) -> Store:
    return open_store(private_folder(state_folder("station")) / "events.db" if place is None else place)


def _keep_events(args: argparse.Namespace, store: Store) -> None:
    if args.verb == "list":
        _print_list([store.load(event_id).event for event_id in store.ids()], args.json)
        return
    event_id = model.EventId(args.event)
    if args.verb == "new":
        if event_id.value in model.NO_IDS:
            raise BadInputError(f"no event can be called {event_id}: the public pages have a folder of that name")
        made = store.create(_new(args, event_id), Note(args.by, args.why)).event
        print(f"event {made.id}: {len(made.players)} players, seed {made.seed}")
        return
    kept = store.load(event_id)
    if args.verb == "export":
        _export(kept.event, args)
    elif args.verb == "show":
        _print_rounds(kept.event, args.json)
    elif args.verb == "standings":
        _print_standings(kept.event, args.json)
    elif args.verb == "log":
        _print_log(store.log(event_id), args.json)
    else:
        event = _changed(store, kept, args).event
        if args.verb == "pair":
            _print_rounds(event, args.json)


def _export(event: model.Event, args: argparse.Namespace) -> None:
    if args.to not in ("pages", "prints"):
        print_data(exported(event, args.to))
        return
    if args.folder is None:
        raise BadInputError(f"export --to {args.to} needs --folder")
    if args.public_names:  # here the option counts more than what the event says
        event = replace(event, public_names=model.PublicNames(args.public_names))
    (put_prints if args.to == "prints" else put_pages)(args.folder, event, publishing(args))


def _changed(store: Store, kept: Stored, args: argparse.Namespace) -> Stored:
    note, word, given = Note(args.by, args.why), args.verb, vars(args)
    if word == "pair" and args.from_trf is not None:
        draft = acts.adopt(kept.event, pairings_from_trf(kept.event, read_trf(_read(args.from_trf))))
        return store.save(draft, kept.revision, replace(note, act="adopt"))
    if word == "result":
        word = "correct" if args.correct else "result"
        given = {**given, "round": len(kept.event.rounds) if args.round is None else args.round}
    if word != "act":
        return store.act(kept.event.id, kept.revision, word, given, note)
    try:
        told = json.loads(args.given)
        return store.act(kept.event.id, kept.revision, args.word, told, note)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise BadInputError(
            f"{args.word} does not understand {args.given[:80]!r}: see docs/reference/event.md"
        ) from None


def _new(args: argparse.Namespace, event_id: model.EventId) -> model.Event:
    seed = secrets.randbelow(2**32) if args.seed is None else args.seed
    if args.from_trf is not None:
        return event_from_trf(read_trf(_read(args.from_trf)), event_id, seed)
    given = {name: getattr(args, name) for name in ("name", "rounds", "system", "points", "bye_points", "team_boards")}
    made = acts.new_event(
        event_id, {"seed": seed, **{name: value for name, value in given.items() if value is not None}}
    )
    if args.players is None:
        return made
    try:
        return acts.enter_all(made, entries_from_csv(_read(args.players)))
    except (model.TrfError, model.EventValueError) as error:
        raise BadInputError(f"{args.players}: {error}") from None


def _read(path: Path) -> str:
    try:
        with file_named(path):
            return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: not UTF-8") from None


# What it prints: events, rounds with their reasons, standings.


def _print_list(events: Sequence[model.Event], as_json: bool) -> None:
    rows = [
        {
            "event": event.id.value,
            "name": event.name,
            "system": event.system.value,
            "players": len(event.players),
            "rounds": len(event.rounds),
        }
        for event in events
    ]
    if as_json:
        print(json.dumps({"events": rows}))
    else:
        _print_table(["event", "name", "system", "players", "rounds"], [list(map(str, row.values())) for row in rows])


def _print_rounds(event: model.Event, as_json: bool) -> None:
    """Print the last round, then the proposed one, each pairing with its reasons."""
    last = event.rounds[-1] if event.rounds else None
    if as_json:
        rounds = {
            "round": last and round_as_told(event, last),
            "draft": event.draft and round_as_told(event, event.draft),
        }
        print(json.dumps({"event": event.id.value, **rounds}))
        return
    for title, round_ in (("round", last), ("proposed, not published: round", event.draft)):
        if round_ is not None:
            print(f"{title} {round_.number}")
            _print_round(event, round_)


def _print_standings(event: model.Event, as_json: bool) -> None:
    """Print the standings with the cross table."""
    rows, teams = standings_as_told(event), team_standings_as_told(event)
    if as_json:
        print(json.dumps({"event": event.id.value, "rounds": len(event.rounds), "standings": rows, "teams": teams}))
        return
    for lines in filter(None, (teams, rows)):
        _print_table(
            list(lines[0]), [[" ".join(v) if isinstance(v, list) else str(v) for v in row.values()] for row in lines]
        )


def _print_log(log: Sequence[LogEntry], as_json: bool) -> None:
    """Print the acts, the oldest first; one that is not in force any more in brackets."""
    rows = [entry.as_told() for entry in log]
    if as_json:
        print(json.dumps({"log": rows}))
        return
    words = [f"({row['act']})" if row["undone"] else row["act"] for row in rows]
    _print_table(
        ["act", "when", "who", "what", "given", "why"],
        [
            [
                str(row["revision"]),
                datetime.fromtimestamp(row["at_ms"] / 1000).astimezone().isoformat(" ", "seconds"),
                row["who"],
                word,
                json.dumps(row["given"], ensure_ascii=False) if row["given"] else "",
                row["why"],
            ]
            for row, word in zip(rows, words, strict=True)
        ],
    )


def _print_round(event: model.Event, round_: model.Round) -> None:
    rows = [
        [
            str(pairing.table),
            *(f"{number} {event.player(number).name}" for number in pairing.players),
            "" if pairing.result is None else pairing.result.value,
            _reasons(pairing.reasons),
        ]
        for pairing in round_.pairings
    ]
    rows.extend(
        ["-", f"{bye.player} {event.player(bye.player).name}", "", f"{bye.kind.value} bye", _reasons(bye.reasons)]
        for bye in round_.byes
    )
    _print_table(["table", "red", "blue", "result", "reasons"], rows)


def _reasons(reasons: Sequence[model.Reason]) -> str:
    return ", ".join(map(str, reasons))


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    TerminalConsole().print(table)
