"""A hall's pages asked in process, by whoever wants: no broker, no socket, no process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self, cast

from referee.door.messages import Request, Response
from referee.net.broker import dynsec
from referee.net.broker.hall_broker import HallBroker, HallPass
from referee.net.credential import Address, Credential
from referee.net.sealing.signing import OrderKey, StationKey
from referee.net.topics.topics import Role as Client
from referee.tournament.hall.accounts import Accounts, Role
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.station import HallEvents, Station
from referee.tournament.store import open_store

PASSWORD = "a long password"
ADDRESS = "10.0.0.9"


class NoBroker:
    """Lets tables in without a broker: passes are as real as the station's own."""

    def __init__(self) -> None:
        self.admitted: list[tuple[str, bool]] = []
        """Boards that got a pass, and whether it was a new one."""

    def client(self, role: Client) -> Credential:
        """Return a credential that leads nowhere."""
        return Credential(role, "nobody", "nothing", Address("127.0.0.1", 9), "hall")

    def open(self) -> None:
        """Listen on the network: there is none."""

    def admit(self, board: str, station: OrderKey, host: str, *, anew: bool = False) -> HallPass:
        """Return the pass of a table."""
        self.admitted.append((board, anew))
        return HallPass(board, host, 1884, dynsec.table_user(board), f"secret{len(self.admitted)}", station.text)


class Office:
    """A station with a store and accounts `Chief`, `Ann` (an arbiter), and its pages."""

    def __init__(self, folder: Path, *, secure: bool = True, code: str = "") -> None:
        """`secure`: asked by https. With `code` there is no account, and that code makes the first chief."""
        self.accounts = Accounts(folder / "accounts.json")
        if not code:
            self.accounts.put("Chief", Role.CHIEF, PASSWORD)
            self.accounts.put("Ann", Role.ARBITER, PASSWORD)
        self.store = open_store(folder / "events.db")
        self.broker = NoBroker()
        self.station = Station(
            cast(HallBroker, self.broker),
            StationKey.create(),
            (),
            self.accounts,
            "screen-key",
            HallEvents(self.store, None, False),
            None,
            chosen=folder / "events.json",
            first_code=code,
        )
        self.pages = StationServer(self.station, secure)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def person(self, name: str = "", address: str = ADDRESS) -> Person:
        """Return somebody who has a browser, logged in unless nameless."""
        made = Person(self, address)
        if name:
            assert made.post("login", {"name": name, "password": PASSWORD})[0] == 200
        return made


class Person:
    """A browser without pictures."""

    def __init__(self, office: Office, address: str) -> None:
        self.office, self._address, self.cookie = office, address, ""

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> Response:
        """Return the answer to a request, whatever it is; underscores of `headers` are hyphens."""
        sent = {"cookie": self.cookie} if self.cookie else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.office.pages.answer(Request(method, path, self._address, sent, body))
        if cookie := dict(answer.headers).get("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        return answer

    def post(self, path: str, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
        """Return status and JSON of `POST /api/PATH`; bytes are sent as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"content_type": "application/json", "x_hallmarshal": "1", **headers}
        answer = self.raw("POST", f"/api/{path}", raw, **sent)
        return answer.status, json.loads(cast(bytes, answer.body))

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """Return status and JSON of `GET /api/PATH`."""
        answer = self.raw("GET", f"/api/{path}")
        return answer.status, json.loads(cast(bytes, answer.body))

    def act(self, act: str, event: str = "", **fields: object) -> tuple[int, dict[str, Any]]:
        """Return what came of an act on an event as it is now (or at the `revision` that is given)."""
        if "revision" not in fields:
            fields["revision"] = self.get(f"event/{event}" if event else "event")[1].get("revision", 0)
        return self.post(f"event/{act}", {**fields, "event": event} if event else fields)
