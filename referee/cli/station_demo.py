"""`hallmarshal station --demo`: a simulated event in a simulated hall, through the real broker, referee, journals, store and pages.

A file of its own: the one command that may import `referee.simulated_players`.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path
from random import Random

from referee.cli.station_serve import RUNNING, open_hall, opened_state, print_ready, wait
from referee.door.front_door import WebAddressError
from referee.net.errors import LinkError
from referee.runtime.errors import BadInputError, UnreachableError, told_as
from referee.runtime.state_folder import alone_in
from referee.simulated_players import hall_event
from referee.tournament.event.event import EventId
from referee.tournament.hall.accounts import Accounts, Role
from referee.tournament.hall.station import Played
from referee.tournament.store import open_store

EVENT = "demo"
MOST_TABLES = 60


@told_as(UnreachableError, LinkError, WebAddressError)
def run_demo(args: argparse.Namespace) -> int:
    """Play the event until it is over or told to end; exit 3 when something cannot be had."""
    if not 1 <= args.tables <= MOST_TABLES or not 1 <= args.rounds <= 20:
        raise BadInputError(f"a demo has 1 to {MOST_TABLES} tables and 1 to 20 rounds")
    with ExitStack() as stack:
        made = args.state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-hall-")))
        state = opened_state(made)
        stack.enter_context(alone_in(state, RUNNING))
        return asyncio.run(_play(args, state, stack))


async def _play(args: argparse.Namespace, state: Path, stack: ExitStack) -> int:
    boards = tuple(f"table-{number}" for number in range(1, args.tables + 1))
    store = open_store(state / "events.db")
    stack.callback(store.close)
    event_id = EventId(EVENT)
    if event_id not in store.ids():
        store.create(hall_event.new_event(event_id, args.tables, args.rounds, args.seed))
    accounts = Accounts(state / "accounts.json")
    passwords = {name: secrets.token_urlsafe(9) for name in ("chief", "arbiter")}
    for name, password in passwords.items():
        accounts.put(name, Role(name), password)
    hall = open_hall(args, state, stack, accounts, boards, Played(store, event_id, begins=True))
    human = args.speed == "1"
    tables = hall_event.hall_tables(hall, boards, state / "games", args.seed, human=human)
    for table in tables:
        stack.callback(table.stop)
        table.start()
    print_ready(args, {**hall.addresses, "accounts": passwords})
    await hall_event.play(hall, tables, Random(args.seed) if human else None)
    return await asyncio.to_thread(wait, hall)
