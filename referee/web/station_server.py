"""The station's HTTP server: pages for arbiters and for the room's screen, what they ask, and what they are told as it happens.

    GET  /, /screen, /live, files    the pages
    GET  /api/live                   every board as it was some minutes ago (server-sent events), to everybody
    POST /api/login, /api/screen     a session, in a cookie that scripts cannot read
    POST /api/logout
    GET  /api/me                     who is logged in
    GET  /api/hall                   every table, then each as it changes (server-sent events)
    GET  /api/tables/BOARD           all that is public of a table        arbiters
    POST /api/order                  an order to a table, and its answer  arbiters
    GET  /api/event, /api/event.trf, /api/event.csv                       arbiters
    POST /api/event/ACT              something done with the event        arbiters

A request that changes something has to be JSON and to carry `X-Hallmarshal: 1`, which no other site's page can make a browser send;
the cookie is `SameSite=Strict` besides.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import unquote

from referee.web import http_server

MOST_BYTES = 16 * 1024
MOST_AT_ONCE = 256
"""Screens and pages hold one connection each as long as they are open."""
MOST_WATCHING = 128
"""Of them for spectators, who need no name: they never keep an arbiter out."""
PATIENCE_S = 20.0
BEAT_S = 10.0
"""So often a page that is told nothing hears that the station is there."""
GATHER_S = 0.1
"""What changes within this goes out together."""
COOKIE = "hallmarshal"
Json = dict[str, Any]
Changed = Callable[[int, float], tuple[int, list[Json]]]


class Visitor(Protocol):
    """Somebody who is logged in."""

    @property
    def may_rule(self) -> bool:
        """Tell whether it is an arbiter; else a screen, which only looks."""

    def as_told(self) -> Json:
        """Give what the page is told of itself."""


class Hall(Protocol):
    """What the server asks of a station. Called on its threads."""

    def log_in(self, wanted: Mapping[str, Any], address: str) -> str:
        """Give the secret of a new session; raises `NoError`."""

    def find(self, secret: str) -> Visitor | None:
        """Give who holds a session."""

    def log_out(self, secret: str) -> None:
        """End a session."""

    def changed(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Give the number of the last change and the tables that changed after `after`, once there are any or patience ends."""

    def live(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Give the same of what spectators see: each board some minutes ago."""

    @property
    def delay_s(self) -> float:
        """Give how much later spectators see a board."""

    @property
    def ended(self) -> bool:
        """Tell whether the hall has closed."""

    @property
    def connected(self) -> bool:
        """Tell whether the station reaches its broker."""

    @property
    def event_changes(self) -> int:
        """Count how often something of the event has changed."""

    def get(self, what: str, name: str) -> Json | str:
        """Give a table, the event or a file of it; raises `NoError`."""

    def post(self, who: Visitor, what: str, name: str, wanted: Mapping[str, Any]) -> Json:
        """Do what an arbiter wants; raises `NoError`."""


class NoError(Exception):
    """The station says no: a stable word for the page with what it is about, and a sentence in English that says more."""

    def __init__(self, status: int, word: str, text: str = "", about: str = "") -> None:
        super().__init__(word)
        self.status, self.word, self.text, self.about = status, word, text, about


class StationServer(http_server.WebServer):
    """A running server. Made by `start`, ended by `stop`."""

    @classmethod
    def start(cls, host: str, port: int, hall: Hall, tls: ssl.SSLContext | None = None) -> StationServer:
        """Serve at this address; port 0 means a free one. Raises `WebAddressError`."""
        return cls(_Server(host, port, hall, tls), "station-web")


class _Server(http_server.BoundedServer):
    def __init__(self, host: str, port: int, hall: Hall, tls: ssl.SSLContext | None) -> None:
        self.hall, self.secure = hall, tls is not None
        self.watching = threading.BoundedSemaphore(MOST_WATCHING)
        super().__init__(host, port, _Request, MOST_AT_ONCE, http_server.station_files(), tls)


class _Request(http_server.BoundedRequest):
    server: _Server
    timeout = PATIENCE_S
    policy = http_server.policy("connect-src 'self'")

    def do_GET(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Give a file, or what a page asks."""
        path = self.path.partition("?")[0]
        if path in self.server.files:
            super().do_GET()
        else:
            self._guarded(lambda: self._get(path))

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Do what a page wants."""
        self._guarded(lambda: self._post(self.path))

    def _get(self, path: str) -> None:
        if path == "/api/live":
            self._live()
            return
        who, parts = self._who(), path.strip("/").split("/")
        if parts == ["api", "me"]:
            self.answer(HTTPStatus.OK, who.as_told())
        elif parts == ["api", "hall"]:
            self._stream()
        elif not who.may_rule:
            raise NoError(HTTPStatus.FORBIDDEN, "not-allowed")
        elif len(parts) == 3 and parts[:2] == ["api", "tables"]:
            self._give(self.server.hall.get("table", unquote(parts[2])))
        elif parts == ["api", "event"]:
            self._give(self.server.hall.get("event", ""))
        elif parts in (["api", "event.trf"], ["api", "event.csv"]):
            self._give(self.server.hall.get("file", parts[1].rpartition(".")[2]))
        else:
            raise NoError(HTTPStatus.NOT_FOUND, "not-found")

    def _post(self, path: str) -> None:
        if self.headers.get("X-Hallmarshal") != "1":
            raise NoError(HTTPStatus.FORBIDDEN, "not-from-here")
        hall, wanted = self.server.hall, self._wanted()
        parts = path.strip("/").split("/")
        if parts in (["api", "login"], ["api", "screen"]):
            secret = hall.log_in(wanted, str(self.client_address[0]))
            visitor = hall.find(secret)
            assert visitor is not None
            self.answer(HTTPStatus.OK, visitor.as_told(), {"Set-Cookie": self._cookie(secret)})
            return
        who = self._who()
        if parts == ["api", "logout"]:
            hall.log_out(self._secret())
            self.answer(HTTPStatus.OK, {}, {"Set-Cookie": self._cookie("", "; Max-Age=0")})
        elif not who.may_rule:
            raise NoError(HTTPStatus.FORBIDDEN, "not-allowed")
        elif parts == ["api", "order"]:
            self.answer(HTTPStatus.OK, hall.post(who, "order", "", wanted))
        elif len(parts) == 3 and parts[:2] == ["api", "event"]:
            self.answer(HTTPStatus.OK, hall.post(who, "event", parts[2], wanted))
        else:
            raise NoError(HTTPStatus.NOT_FOUND, "not-found")

    def _stream(self) -> None:
        """Tell the page every table, then each as it changes, for as long as it stays and its session lasts."""
        hall, secret = self.server.hall, self._secret()
        self._tell(
            hall.changed,
            lambda: {"connected": hall.connected, "event": hall.event_changes},
            lambda: hall.find(secret) is not None,
        )

    def _live(self) -> None:
        """Tell a spectator's page the same of what spectators see."""
        hall = self.server.hall
        if not self.server.watching.acquire(blocking=False):
            raise NoError(HTTPStatus.SERVICE_UNAVAILABLE, "too-many")
        try:
            self._tell(hall.live, lambda: {"delay_s": hall.delay_s}, lambda: True)
        finally:
            self.server.watching.release()

    def _tell(self, changed: Changed, besides: Callable[[], Json], welcome: Callable[[], bool]) -> None:
        self.stay()
        self.head(HTTPStatus.OK, {"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        self.connection.settimeout(PATIENCE_S)
        at = 0
        while welcome() and not self.server.hall.ended:
            at, tables = changed(at, BEAT_S)
            told = {"tables": tables, **besides()}
            try:
                self.wfile.write(b"data: " + json.dumps(told, ensure_ascii=False).encode() + b"\n\n")
                self.wfile.flush()
            except OSError:
                return
            threading.Event().wait(GATHER_S)

    def _guarded(self, act: Any) -> None:
        try:
            act()
        except NoError as error:
            self.answer(HTTPStatus(error.status), {"error": error.word, "text": error.text, "about": error.about})

    def _who(self) -> Visitor:
        visitor = self.server.hall.find(self._secret())
        if visitor is None:
            raise NoError(HTTPStatus.UNAUTHORIZED, "log-in")
        return visitor

    def _secret(self) -> str:
        for pair in self.headers.get("Cookie", "").split(
            ";"
        ):  # ours needs no quotes, and the library reads those in square time
            name, _, value = pair.strip().partition("=")
            if name == COOKIE:
                return value
        return ""

    def _cookie(self, secret: str, more: str = "") -> str:
        return f"{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if self.server.secure else ''}{more}"

    def _wanted(self) -> Json:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        try:
            sent = self.body(MOST_BYTES)
        except http_server.BodyError as error:
            if error.too_long:
                raise NoError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-long") from None
            raise NoError(HTTPStatus.BAD_REQUEST, "not-understood") from None
        if kind != "application/json" or not isinstance(sent, dict):
            raise NoError(HTTPStatus.BAD_REQUEST, "not-understood")
        return sent

    def _give(self, what: Json | str) -> None:
        if isinstance(what, str):
            self.send(HTTPStatus.OK, "text/plain; charset=utf-8", what.encode(), {"Cache-Control": "no-store"})
        else:
            self.answer(HTTPStatus.OK, what)
