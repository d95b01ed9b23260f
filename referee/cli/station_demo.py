"""`hallmarshal station --demo`: a simulated event in a simulated hall, through the real broker, referee, journals, store and pages.

A file of its own: the one of the station's commands that may import `referee.demo`.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from referee.cli.station_serve import RUNNING, Hall, opened_state
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.state_folder import alone_in

if TYPE_CHECKING:
    from referee.demo.hall_table import HallTable
    from referee.tournament.event.event import Event

EVENT = "demo"
MOST_TABLES = 60
_TROUBLE_S, _GOES_ON_S = 25.0, 40.0
_FIRST = (
    *("Ada", "Bram", "Cleo", "Daan", "Emil", "Femke", "Gus", "Hanna", "Igor", "Jana"),
    *("Kees", "Lena", "Milo", "Nora", "Otto", "Pia", "Quin", "Roos", "Sven", "Tess"),
)
_LAST = ("Akker", "Berg", "Claes", "Dijk", "Elst", "Fabre", "Groen", "Holm", "Ibsen", "Jansen")


def run_demo(args: argparse.Namespace) -> int:
    """Play the event until it is over or told to end; exit 3 when something cannot be had."""
    from referee.net.errors import LinkError

    if not 1 <= args.tables <= MOST_TABLES or not 1 <= args.rounds <= 20:
        raise BadInputError(f"a demo has 1 to {MOST_TABLES} tables and 1 to 20 rounds")
    with ExitStack() as stack:
        made = args.state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-hall-")))
        state = opened_state(made)
        stack.enter_context(alone_in(state, RUNNING))
        try:
            return asyncio.run(_play(args, state, stack))
        except LinkError as error:
            raise UnreachableError(str(error)) from None


async def _play(args: argparse.Namespace, state: Path, stack: ExitStack) -> int:
    from referee.tournament.event.event import EventId
    from referee.tournament.hall.accounts import Accounts, Role
    from referee.tournament.store import open_store

    boards = tuple(f"table-{number}" for number in range(1, args.tables + 1))
    store = open_store(state / "events.db")
    stack.callback(store.close)
    event_id = EventId(EVENT)
    if event_id not in store.ids():
        store.create(_event(args))
    accounts = Accounts(state / "accounts.json")
    passwords = {name: secrets.token_urlsafe(9) for name in ("chief", "arbiter")}
    for name, password in passwords.items():
        accounts.put(name, Role(name), password)
    hall = Hall(state, args, accounts, stack, boards=boards, store=store, event=event_id, begins=True)
    tables = _tables(args, state, hall, boards)
    for table in tables:
        stack.callback(table.stop)
        table.start()
    hall.ready(accounts=passwords)
    troubles = asyncio.create_task(_troubles(tables, Random(args.seed))) if args.speed == "1" else None
    try:
        await _rounds(hall)
    finally:
        if troubles is not None:
            troubles.cancel()
    return await asyncio.to_thread(hall.wait)


def _tables(args: argparse.Namespace, state: Path, hall: Hall, boards: tuple[str, ...]) -> list[HallTable]:
    from referee.demo.hall_table import HUMAN, TOP, HallTable
    from referee.rules import rule_set
    from referee.table.settings import ClockKind, TimeControl

    clock = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
    rules = rule_set("original")
    pace = HUMAN if args.speed == "1" else TOP
    return [
        HallTable(
            board, hall.broker, hall.key.public, rules, state / "games" / board, seed=args.seed, pace=pace, clock=clock
        )
        for board in boards
    ]


async def _rounds(hall: Hall) -> None:
    """Pair and publish each round once the one before has its results; an arbiter at the page may be quicker."""
    from referee.tournament.hall.accounts import Role, Session
    from referee.tournament.hall.errors import HallError

    who = Session("demo", Role.CHIEF, float("inf"))
    rounds = hall.station.rounds
    assert rounds is not None
    while not hall.over:
        told = await asyncio.to_thread(rounds.event)
        open_tables = [table for round_ in told["rounds"][-1:] for table in round_["tables"] if table["result"] is None]
        if not open_tables and len(told["rounds"]) == told["planned"]:
            return
        if not open_tables:
            try:
                await asyncio.to_thread(rounds.act, who, "publish" if told["draft"] else "pair", told["revision"], {})
                continue
            except HallError:
                pass  # somebody at the page was quicker
        await asyncio.sleep(1.0)


async def _troubles(tables: list[HallTable], random: Random) -> None:
    """Let something happen to a table now and then, as in any hall."""
    from referee.rules.values import Seat

    while True:
        await asyncio.sleep(random.uniform(0.5, 1.5) * _TROUBLE_S * 8 / len(tables))
        table, seat = random.choice(tables), random.choice((Seat.RED, Seat.BLUE))
        match random.randrange(3):
            case 0:
                table.call_arbiter(seat)
                asyncio.get_running_loop().call_later(_GOES_ON_S, table.want_to_go_on)
            case 1:
                table.disturb()
            case 2:
                table.drop_handset(seat, random.uniform(8, 25))


def _event(args: argparse.Namespace) -> Event:
    from referee.tournament.event.acts import Entry, enter_all
    from referee.tournament.event.event import Event, EventId

    random = Random(args.seed)
    names = random.sample([f"{first} {last}" for first in _FIRST for last in _LAST], 2 * args.tables)
    entries = [Entry(name, random.randrange(800, 2200)) for name in names]
    return enter_all(Event(EventId(EVENT), "Demo Open", args.rounds, seed=args.seed), entries)
