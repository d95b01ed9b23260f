"""The event of a simulated hall: who enters, the tables, round after round, and what happens to a table now and then."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.state_folder import alone_in, private_folder
from referee.simulated_players.hall_table import HUMAN, TOP, BotTable
from referee.table.settings import ClockKind, TimeControl
from referee.tournament.event.acts import Entry, enter_all
from referee.tournament.event.event import Event, EventId
from referee.tournament.hall.accounts import Accounts, RefusedError, Role, Session
from referee.tournament.hall.pages import RUNNING, RunningHall
from referee.tournament.hall.station import HallEvents
from referee.tournament.store import open_store

_TROUBLE_S, _GOES_ON_S = 25.0, 40.0
_FIRST = (
    *("Ada", "Bram", "Cleo", "Daan", "Emil", "Femke", "Gus", "Hanna", "Igor", "Jana"),
    *("Kees", "Lena", "Milo", "Nora", "Otto", "Pia", "Quin", "Roos", "Sven", "Tess"),
)
_LAST = ("Akker", "Berg", "Claes", "Dijk", "Elst", "Fabre", "Groen", "Holm", "Ibsen", "Jansen")


EVENT = EventId("demo")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The hall's folder (None: one that is gone afterwards), how large the event is, and whether its people think as people do."""

    state: Path | None
    tables: int
    rounds: int
    seed: int
    human: bool


OpenHall = Callable[[Path, ExitStack, Accounts, tuple[str, ...], HallEvents], RunningHall]
"""What opens a hall in a folder for these boards, to be closed by the stack."""


def run(
    wanted: Wanted,
    open_hall: OpenHall,
    ready: Callable[[Mapping[str, object]], object],
    wait: Callable[[RunningHall], int],
) -> int:
    """Play the event, `wait` until its hall is told to end, and return the exit code; `ready` hears where the hall is, and its passwords.

    Raises `BadInputError` for a folder that cannot be used, and what `open_hall` and `wait` raise.
    """
    with ExitStack() as stack:
        made = wanted.state or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-hall-")))
        state = private_folder(made.expanduser())
        stack.enter_context(alone_in(state, RUNNING))
        store = open_store(state / "events.db")
        stack.callback(store.close)
        if EVENT not in store.ids():
            store.create(new_event(EVENT, wanted.tables, wanted.rounds, wanted.seed))
        accounts = Accounts(state / "accounts.json")
        passwords = {name: secrets.token_urlsafe(9) for name in ("chief", "arbiter")}
        for name, password in passwords.items():
            accounts.put(name, Role(name), password)
        boards = tuple(f"table-{number}" for number in range(1, wanted.tables + 1))
        hall = open_hall(state, stack, accounts, boards, HallEvents(store, EVENT, begins=True))

        async def played() -> int:
            tables = hall_tables(hall, boards, state / "games", wanted.seed, human=wanted.human)
            for table in tables:
                stack.callback(table.stop)
                table.start()
            ready({**hall.addresses, "accounts": passwords})
            await play(hall, tables, Random(wanted.seed) if wanted.human else None)
            return await asyncio.to_thread(wait, hall)

        return asyncio.run(played())


def hall_tables(hall: RunningHall, boards: Iterable[str], games: Path, seed: int, *, human: bool) -> list[BotTable]:
    """Return the tables of a hall, one a board; they think as people do (`human`), or not at all. Each keeps its games below `games`."""
    clock = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
    rules, pace = rule_set("original"), HUMAN if human else TOP
    return [
        BotTable(
            board,
            partial(hall.broker.credential, board),
            hall.key.public,
            rules,
            games / board,
            seed=seed,
            pace=pace,
            clock=clock,
        )
        for board in boards
    ]


def new_event(name: EventId, tables: int, rounds: int, seed: int) -> Event:
    """Return an event for which two players a table have entered."""
    random = Random(seed)
    names = random.sample([f"{first} {last}" for first in _FIRST for last in _LAST], 2 * tables)
    entries = [Entry(name, random.randrange(800, 2200)) for name in names]
    return enter_all(Event(name, "Demo Open", rounds, seed=seed), entries)


async def play(hall: RunningHall, tables: list[BotTable], troubles: Random | None) -> None:
    """Play the event until it is over or the hall was told to end; `troubles` draws what happens meanwhile, None: nothing does."""
    troubling = None if troubles is None else asyncio.create_task(_troubles(tables, troubles))
    try:
        await _rounds(hall)
    finally:
        if troubling is not None:
            troubling.cancel()


async def _rounds(hall: RunningHall) -> None:
    """Pair and publish each round once the one before has its results; an arbiter at the page may be quicker."""
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
            except RefusedError:
                pass  # somebody at the page was quicker
        await asyncio.sleep(1.0)


async def _troubles(tables: list[BotTable], random: Random) -> None:
    """Let something happen to a table now and then, as in any hall."""
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
