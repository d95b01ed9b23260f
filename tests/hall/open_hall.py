"""A hall for tests: a real Mosquitto, a station with its pages, a store, and simulated tables on a loop of their own."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from referee.net.broker.hall_broker import HallBroker
from referee.net.sealing.signing import StationKey
from referee.net.topics.payloads import StationIncoming
from referee.rules import rule_set
from referee.simulated_players.hall_table import BotTable, Pace
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import PublicView
from referee.tournament.event.acts import Entry, enter_all
from referee.tournament.event.event import Event, EventId
from referee.tournament.hall.accounts import Accounts, Role
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.rounds import Rounds
from referee.tournament.hall.station import HallEvents, Station
from referee.tournament.store import Store, open_store
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_S

PASSWORD = "a long password"
QUICK = Pace((0.05, 0.1), 0.3, at_once=True)
"""Faster than people, slow enough that an order finds a game in its middle."""
SLOW = Pace((1.0, 1.0), 0.3, at_once=True)
"""So slow that no game of this comes to its end by itself while a test does something else first."""
CLOCK = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
EVENT = EventId("cup")
T = TypeVar("T")


class News:
    """Counts what happens in halls, so that who waits for something looks again after each of them and never by the clock."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.count = 0

    def note(self) -> None:
        """Note that something has happened, and wake who waits."""
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def later_than(self, count: int, patience_s: float) -> None:
        """Wait until more has happened than so much."""
        with self._changed:
            self._changed.wait_for(lambda: self.count > count, patience_s)


NEWS = News()
"""Of all halls of this process: what boards and links say, rounds that were looked at, games that have ended."""


def until(what: Callable[[], T | None], why: str) -> T:
    """Wait until something is true, looking after each news of a hall. Returns it."""
    deadline = time.monotonic() + PATIENCE_S
    while (left_s := deadline - time.monotonic()) > 0:
        known = NEWS.count
        if found := what():
            return found
        NEWS.later_than(known, left_s)
    raise AssertionError(f"never: {why}")


class NotedStation(Station):
    """The station itself, which says when it has heard or done something."""

    def _taken_up(self, name: str) -> Rounds:
        made = super()._taken_up(name)
        look = made.look

        def looked() -> None:
            look()
            NEWS.note()

        made.look = looked  # type: ignore[method-assign]
        return made

    def _take(self, value: StationIncoming) -> None:
        super()._take(value)
        NEWS.note()


def _over(_view: PublicView) -> None:
    NEWS.note()


class TablesOnALoop:
    """Simulated tables, each on a thread's loop."""

    def __init__(
        self,
        broker: HallBroker,
        key: StationKey,
        folder: Path,
        boards: Iterable[str],
        pace: Pace,
        rules: str,
        clock: TimeControl = CLOCK,
    ) -> None:
        self._clock = clock
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.tables: dict[str, BotTable] = {}
        for board in boards:
            self.tables[board] = self.call(partial(self._made, broker, key, folder, board, pace, rules))

    def _made(self, broker: HallBroker, key: StationKey, folder: Path, board: str, pace: Pace, rules: str) -> BotTable:
        made = BotTable(
            board,
            partial(broker.credential, board),
            key.public,
            rule_set(rules),
            folder / board,
            seed=5,
            pace=pace,
            clock=self._clock,
            on_end=_over,
        )
        made.start()
        return made

    def call(self, act: Callable[[], T]) -> T:
        """Do something on the loop's thread. Returns what came of it."""

        async def there() -> T:
            return act()

        return asyncio.run_coroutine_threadsafe(there(), self.loop).result(PATIENCE_S)

    def stop(self) -> None:
        """Stop all tables, and the loop."""
        for table in self.tables.values():
            self.call(table.stop)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE_S)
        self.loop.close()


class OpenHall:
    """Everything of a hall, as a context."""

    def __init__(
        self,
        folder: Path,
        boards: tuple[str, ...] = ("t1", "t2"),
        *,
        pace: Pace = QUICK,
        players: int = 0,
        starts_games: bool = False,
        plays: bool = True,
        rules: str = "original",
        delay_s: float = 900.0,
        chooses: bool = False,
        clock: TimeControl = CLOCK,
    ) -> None:
        """With `chooses` no event is played until it is chosen on the pages."""
        self._delay_s, self._chooses = delay_s, chooses
        self.folder, self.boards, self._pace, self._starts_games = folder, boards, pace, starts_games
        self.key = StationKey.create()
        self.broker = HallBroker.start(folder / "broker", whole=boards if plays else ())
        self.accounts = Accounts(folder / "accounts.json")
        self.accounts.put("Chief", Role.CHIEF, PASSWORD)
        self.accounts.put("Ann", Role.ARBITER, PASSWORD)
        self.store: Store | None = None
        if players:
            self.store = open_store(folder / "events.db")
            entries = [Entry(f"Player {number}", 1000 + number) for number in range(players)]
            self.store.create(enter_all(Event(EVENT, "Cup", 3, seed=3), entries))
        self.on = TablesOnALoop(self.broker, self.key, folder, boards, pace, rules, clock) if plays else None
        self.open_station()

    def open_station(self) -> None:
        """Start the station and its pages, the first time or again."""
        event = None if self._chooses else EVENT
        played = None if self.store is None else HallEvents(self.store, event, self._starts_games)
        self.station = NotedStation(
            self.broker,
            self.key,
            self.boards,
            self.accounts,
            "screen-key",
            played,
            self._delay_s,
            chosen=self.folder / "events.json",
        )
        self.station.start()
        self.server = StationServer.start("127.0.0.1", 0, self.station, open_door=ThreadDoor)
        self.web = f"http://127.0.0.1:{self.server.port}"

    def close_station(self) -> None:
        """End the station alone; tables and broker go on."""
        self.server.stop()
        self.station.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_station()
        if self.on is not None:
            self.on.stop()
        self.broker.stop()
        if self.store is not None:
            self.store.close()

    def table(self, board: str) -> BotTable:
        """Return the table of a board."""
        assert self.on is not None
        return self.on.tables[board]

    def begin(self, *boards: str) -> None:
        """Begin a game at each of these tables, and wait until the station knows it."""
        assert self.on is not None
        for board in boards:
            assert self.on.call(self.table(board).table.begin) is None
        for board in boards:
            self.seen(board, lambda whole: whole["view"] is not None and whole["view"]["ply"] > 0)

    def play_on(self, board: str) -> None:
        """Let the players of a table begin another game for themselves, now that theirs is over: it counts for nothing."""
        assert self.on is not None
        table = self.table(board).table
        for seat in table.plan.rules.seats:
            self.on.call(partial(table.agree_to_rematch, seat))

    def playing(self, board: str) -> None:
        """See that a game goes on at a table: people play on while a slow machine tests something else, and that game may be over."""
        view = self.table(board).shown
        if view is None or view.result is not None:
            self.begin(board)

    def seen(self, board: str, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the station's state of a table fits. Returns that state."""

        tables, change = self.station.tables, 0
        deadline = time.monotonic() + PATIENCE_S
        while (left_s := deadline - time.monotonic()) > 0:
            whole = tables.whole(board)
            if whole is not None and fits(whole):
                return whole
            change = tables.wait(change, left_s)[0]
        raise AssertionError(f"never: {board} as wanted; it is {tables.whole(board)}")


class Client:
    """A browser without pictures: keeps its cookie."""

    def __init__(self, hall: OpenHall | int) -> None:
        """`hall` may be the port where a station serves its pages."""
        self._hall = hall
        self.cookie = ""

    @property
    def port(self) -> int:
        """Return the port at which the pages are served now."""
        return self._hall if isinstance(self._hall, int) else self._hall.server.port

    def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, Any], http.client.HTTPMessage]:
        """Return status, body and headers of an answer."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = {"Cookie": self.cookie} if self.cookie else {}
        raw = None
        if body is not None:
            raw = json.dumps(body).encode()
            sent |= {"Content-Type": "application/json", "X-Hallmarshal": "1"}
        line.request(method, path, raw, {**sent, **headers})
        answer = line.getresponse()
        text = answer.read().decode()
        line.close()
        if cookie := answer.headers.get("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        kind = answer.headers.get("Content-Type", "")
        return (
            answer.status,
            json.loads(text) if kind.startswith("application/json") else {"text": text},
            answer.headers,
        )

    def log_in(self, name: str, password: str = PASSWORD) -> Self:
        """Log in, which has to go well."""
        status, body, _ = self.ask("POST", "/api/login", {"name": name, "password": password})
        assert status == 200, body
        return self

    def order(self, board: str, act: dict[str, Any], **more: Any) -> tuple[int, dict[str, Any]]:
        """Order something of a table as it is known now, unless told otherwise."""
        view = self.ask("GET", f"/api/tables/{board}")[1]["view"]
        game, seq = (view["game"], view["seq"]) if view else ("", 0)
        wanted = {"board": board, "game": game, "act": {"reason": "because", "seq": seq, **act}, **more}
        status, body, _ = self.ask("POST", "/api/order", wanted)
        return status, body


def paused(hall: OpenHall, chief: Client, board: str) -> dict[str, Any]:
    """Pause a table in the middle of play. Returns all that is public of it."""

    def stands() -> bool:
        hall.playing(board)
        return bool(chief.order(board, {"type": "pause"})[1].get("done"))

    until(stands, "paused")
    return hall.seen(board, lambda whole: whole["phase"] == "paused")
