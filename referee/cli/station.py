"""`hallmarshal station`: the hall itself (serve, account, tables, --demo), and its events: players, rounds, results, standings, files."""

from __future__ import annotations

import argparse
import csv
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli import station_serve
from referee.cli.command import Parser, Subparsers
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.state_folder import SHOWN, state_folder
from referee.terminal_text import print_data

if TYPE_CHECKING:
    from referee.tournament.event.acts import Entry
    from referee.tournament.event.event import Event, EventId, PlayerNumber, Scoring
    from referee.tournament.store import Store

_STORE = f"{SHOWN}/station/events.db"
_RESULTS = ("red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent")


def register(subparsers: Subparsers) -> None:
    """Add `station` and its verbs."""
    parser = subparsers.add_parser("station", help="the events of a hall: pair, publish, count", description=__doc__)
    parser.add_argument("--demo", action="store_true", help="a simulated event of eight tables in one command")
    parser.add_argument("--tables", type=int, default=8, metavar="N", help="of the demo (default: 8)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="of the demo (default: 5)")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="of the demo (default: 7)")
    parser.add_argument("--speed", choices=("1", "max"), default="1", help="of the demo's people (default: 1)")
    station_serve.add_serving(parser)
    verbs = parser.add_subparsers(dest="verb", metavar="verb")
    station_serve.register(verbs)
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
    shows = (
        listing,
        pair,
        _verb(verbs, "show", "the last round, and the proposed one with its reasons"),
        _verb(verbs, "standings", "the standings"),
    )
    for show in shows:
        show.add_argument("--json", action="store_true", help="one JSON document")
    export = _verb(verbs, "export", "print the event for other programs")
    export.add_argument("--to", choices=("trf", "csv"), required=True)


def _verb(verbs: Subparsers, name: str, text: str, *, event: bool = True) -> Parser:
    verb = verbs.add_parser(name, help=text, description=text)
    if event:
        verb.add_argument("event", metavar="EVENT", help="the event's id: a-z, 0-9 and -")
    verb.add_argument("--store", default=None, metavar="PLACE", help=f"a path or postgresql://... (default: {_STORE})")
    return verb


def _register_new(new: Parser) -> None:
    new.add_argument("--name", help="as on papers (default: the id)")
    new.add_argument("--rounds", type=int, metavar="N", help="how many (round robin: as many as it takes)")
    new.add_argument("--system", choices=("swiss", "round-robin"), default="swiss")
    new.add_argument("--points", default="6-3-1", metavar="W-D-L", help="of a win, a draw, a loss (default: 6-3-1)")
    new.add_argument("--bye-points", metavar="P", help="of a pairing bye (default: a win's)")
    new.add_argument("--seed", type=int, metavar="N", help="repeats all lots (default: drawn, and printed)")
    new.add_argument(
        "--players",
        type=Path,
        metavar="CSV",
        help="a file whose first line names its columns: name, rating, federation",
    )
    new.add_argument("--from-trf", type=Path, metavar="FILE", help="the event of a TRF16 file, with all its rounds")


def run(args: argparse.Namespace) -> int:
    """Do one of the verbs; exit 2 for what the event does not allow, 3 when the store cannot be had."""
    if args.demo:
        from referee.cli.station_demo import run_demo

        return run_demo(args)
    if args.verb is None:
        raise BadInputError("say what the station is to do: hallmarshal station --help")
    if args.verb in station_serve.HALL_VERBS:
        return station_serve.run(args)
    return _keep_events(args)


def _keep_events(args: argparse.Namespace) -> int:
    from referee.tournament.event.event import EventError
    from referee.tournament.store import StoreError, StoreUnreachableError

    try:
        store = _open(args.store)
        try:
            _do(args, store)
        finally:
            store.close()
    except StoreUnreachableError as error:
        raise UnreachableError(str(error)) from None
    except (EventError, StoreError) as error:
        raise BadInputError(str(error)) from None
    return 0


def _open(place: str | None) -> Store:
    if place is None:
        path = state_folder("station") / "events.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        place = str(path)
    return station_serve.store_at(place)


def _do(args: argparse.Namespace, store: Store) -> None:
    from referee.cli import station_sheets as sheets
    from referee.tournament.event.event import EventId

    if args.verb == "list":
        sheets.print_list([store.load(event_id).event for event_id in store.ids()], args.json)
        return
    event_id = EventId(args.event)
    if args.verb == "new":
        made = _new(args, event_id)
        store.create(made)
        print(f"event {made.id}: {len(made.players)} players, seed {made.seed}")
        return
    kept = store.load(event_id)
    if args.verb in _ACTS:
        event = store.save(_ACTS[args.verb](kept.event, args), kept.revision).event
        if args.verb == "pair":
            sheets.print_rounds(event, args.json)
        return
    if args.verb == "export":
        print_data(sheets.exported(kept.event, args.to))
    elif args.verb == "show":
        sheets.print_rounds(kept.event, args.json)
    else:
        sheets.print_standings(kept.event, args.json)


def _new(args: argparse.Namespace, event_id: EventId) -> Event:
    from referee.tournament.event.acts import enter_all
    from referee.tournament.event.event import MAX_ROUNDS, Event, System
    from referee.tournament.event.trf import event_from_trf, read_trf

    seed = secrets.randbelow(2**32) if args.seed is None else args.seed
    if args.from_trf is not None:
        return event_from_trf(read_trf(_read(args.from_trf)), event_id, seed)
    system = System(args.system)
    if args.rounds is None and system is System.SWISS:
        raise BadInputError("a Swiss needs --rounds")
    rounds = args.rounds if args.rounds is not None else MAX_ROUNDS
    event = Event(event_id, args.name or event_id.value, rounds, system, _scoring(args), seed=seed)
    return enter_all(event, [] if args.players is None else _entries(args.players))


def _scoring(args: argparse.Namespace) -> Scoring:
    from referee.tournament.event.event import Scoring, points_from

    parts = args.points.split("-")
    if len(parts) != 3:
        raise BadInputError(f"--points is a win's, a draw's and a loss's, as in 6-3-1, not {args.points!r}")
    win, draw, loss = map(points_from, parts)
    return Scoring(win, draw, loss, win if args.bye_points is None else points_from(args.bye_points))


def _entries(path: Path) -> list[Entry]:
    from referee.tournament.event.acts import Entry

    lines = csv.DictReader(_read(path).splitlines())
    entries = []
    try:
        if "name" not in (lines.fieldnames or ()):
            raise BadInputError(f"{path}: the first line names the columns, one of them `name`")
        for line in lines:
            rating = (line.get("rating") or "0").strip()
            if not (rating.isascii() and rating.isdigit() and len(rating) < 10):
                raise BadInputError(f"{path}, line {lines.line_num}: {rating[:20]!r} is no rating")
            entries.append(Entry((line["name"] or "").strip(), int(rating), (line.get("federation") or "").strip()))
    except csv.Error as error:
        raise BadInputError(f"{path}, line {lines.line_num + 1}: {error}") from None
    return entries


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInputError(f"{path}: not UTF-8") from None
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}") from None


def _number(args: argparse.Namespace) -> PlayerNumber:
    from referee.tournament.event.event import PlayerNumber

    return PlayerNumber(args.number)


def _enter(event: Event, args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import Entry, enter

    return enter(event, Entry(args.name.strip(), args.rating, args.federation))


def _withdraw(event: Event, args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import withdraw

    return withdraw(event, _number(args))


def _bye(event: Event, args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import request_bye
    from referee.tournament.event.event import ByeKind

    return request_bye(event, _number(args), args.round, ByeKind(args.kind))


def _pair(event: Event, args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import adopt, propose
    from referee.tournament.event.trf import pairings_from_trf, read_trf

    if args.from_trf is None:
        return propose(event)
    return adopt(event, pairings_from_trf(event, read_trf(_read(args.from_trf))))


def _publish(event: Event, _args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import publish

    return publish(event)


def _result(event: Event, args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import record
    from referee.tournament.event.event import Result

    number = len(event.rounds) if args.round is None else args.round
    return record(event, number, args.table, Result(args.result), correction=args.correct)


_ACTS: dict[str, Callable[[Event, argparse.Namespace], Event]] = {
    "enter": _enter,
    "withdraw": _withdraw,
    "bye": _bye,
    "pair": _pair,
    "publish": _publish,
    "result": _result,
}
