"""A hall as it is used: `hallmarshal station serve` as a program that may be killed, and what its pages are told."""

from __future__ import annotations

import http.client
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from referee.net.broker.hall_broker import new_pass
from referee.net.broker.mosquitto import free_port
from referee.net.sealing.signing import StationKey
from referee.tournament.event.acts import Entry, enter_all
from referee.tournament.event.event import Event
from referee.tournament.hall.accounts import Accounts, Role
from referee.tournament.store import open_store
from tests.hall.open_hall import EVENT, PASSWORD, Client
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable, Program
from tests.web.relay import Relay

HOST = "127.0.0.1"


class RealHall:
    """A station's state directory with a chief, an event and a table's pass; the program is started beside a table's others."""

    def __init__(self, folder: Path, board: str, players: int) -> None:
        self.folder = folder
        self.passed = folder / f"{board}.pass"
        folder.mkdir(mode=0o700)
        self._port, self._starts = free_port(HOST, 0), 0
        self.logs: list[list[str]] = []
        self.secrets: set[str] = set()
        """Passwords, cookies and keys that were used."""
        Accounts(folder / "accounts.json").put("Chief", Role.CHIEF, PASSWORD)
        store = open_store(folder / "events.db")
        store.create(
            enter_all(
                Event(EVENT, "Cup", 3, seed=3), [Entry(f"Player {number}", 1000 + number) for number in range(players)]
            )
        )
        store.close()
        key = StationKey.load_or_create(folder / "station.key")
        self.wire = Relay(HOST, self._port)
        """Between the table's broker and the hall's."""
        new_pass(folder / "broker", board, key.public, HOST, self.wire.port).write(self.passed)

    def open(self, beside: AtTable) -> None:
        """Start the program, the first time or again, and log in."""
        words = f"station serve --json --web {HOST}:0 --port {self._port} --event {EVENT} --begin-games".split()
        self._starts += 1
        self.program: Program = beside.hallmarshal(f"station {self._starts}", *words, "--state", str(self.folder))
        ready = beside.next(self.program.name, lambda line: True)
        self.chief = Client(int(ready["web"].rpartition(":")[2])).log_in("Chief")
        self.secrets |= {PASSWORD, self.chief.cookie.partition("=")[2], ready["screen"].partition("#")[2]}
        self.logs.append(self.program.complaint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.close()

    def kill(self) -> None:
        """Kill the program; its broker dies with it."""
        self.program.end(signal.SIGKILL)

    def event(self) -> dict[str, Any]:
        """Return the event as the page has it."""
        return self.chief.ask("GET", "/api/event")[1]

    def act(self, name: str, **given: Any) -> None:
        """Do something with the event as it is now, which has to go well."""
        wanted = {"revision": self.event()["revision"], **given}
        status, body, _ = self.chief.ask("POST", f"/api/event/{name}", wanted)
        assert status == 200, body

    def seen(self, board: str, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Look at a table after each news of the station, until its state fits. Returns that state."""
        deadline, whole = time.monotonic() + PATIENCE_S, None
        for _ in self.told():
            status, whole, _ = self.chief.ask("GET", f"/api/tables/{board}")
            if status == 200 and fits(whole):
                return whole
            if time.monotonic() > deadline:
                break
        raise AssertionError(f"never: {board} as wanted; it is {whole}")

    def told(self) -> Iterator[bytes]:
        """Yield what the station sends its pages about tables, as it arrives; there is a line at least every ten
        seconds.
        """
        line = http.client.HTTPConnection(HOST, self.chief.port, timeout=PATIENCE_S)
        try:
            line.request("GET", "/api/hall", headers={"Cookie": self.chief.cookie})
            for said in line.getresponse():
                if said.startswith(b"data: "):
                    yield said
        finally:
            line.close()
