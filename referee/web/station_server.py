"""The pages of a station behind the front door: for arbiters and the room's screen, what they ask, and what they are told as it happens.

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
import logging
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import unquote

from referee.door.front_door import FrontDoor, listening, machine_names
from referee.door.messages import Answer, BodyError, Request, answer_json, read_json
from referee.door.settings import Settings
from referee.net.broker.mosquitto import Tls
from referee.web import files

_log = logging.getLogger(__name__)

MOST_BYTES = 16 * 1024
MOST_WATCHING = 128
"""Spectators, who need no name: the other places of the door are not theirs."""
BEAT_S = 10.0
"""So often a page that is told nothing hears that the station is there."""
GATHER_S = 0.1
"""What changes within this goes out together."""
COOKIE = "hallmarshal"
_POLICY = files.policy("connect-src 'self'")
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
        """Give the secret of a new session; raises `RefusedError`."""

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
        """Give a table, the event or a file of it; raises `RefusedError`."""

    def post(self, who: Visitor, what: str, name: str, wanted: Mapping[str, Any]) -> Json:
        """Do what an arbiter wants; raises `RefusedError`."""


class RefusedError(Exception):
    """It could not be done, and nothing was changed.

    `word` is stable, for the page; `about` is the number or name that its sentence is about; the text is English and says more.
    """

    def __init__(self, word: str, text: str = "", about: str = "") -> None:
        super().__init__(text or word)
        self.word, self.about = word, about


_STATUS = {
    "log-in": HTTPStatus.UNAUTHORIZED,
    "too-long": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "wait": HTTPStatus.TOO_MANY_REQUESTS,
    "no-answer": HTTPStatus.GATEWAY_TIMEOUT,
    "not-understood": HTTPStatus.BAD_REQUEST,
    **dict.fromkeys(("not-allowed", "not-from-here", "wrong"), HTTPStatus.FORBIDDEN),
    **dict.fromkeys(("not-found", "no-such-table", "no-event"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("too-many", "no-referee", "cut", "no-broker", "no-store"), HTTPStatus.SERVICE_UNAVAILABLE),
}
"""What a word is in HTTP; every other one is a conflict with what is there."""


class StationServer:
    """The pages of a hall, open to browsers. Made by `start`, ended by `stop`."""

    def __init__(self, hall: Hall, secure: bool) -> None:
        self._hall, self._secure = hall, secure
        self._files = files.station_files()
        self._watching = threading.BoundedSemaphore(MOST_WATCHING)
        self.door: FrontDoor

    @classmethod
    def start(
        cls,
        host: str,
        port: int,
        hall: Hall,
        tls: Tls | None = None,
        *,
        shown: str = "",
        open_door: type[FrontDoor] = FrontDoor,
    ) -> StationServer:
        """Open the door at this address; port 0 means a free one, `shown` is the address that others know. Raises `WebAddressError`."""
        made, listener = cls(hall, tls is not None), listening(host, port)
        home = f"http{'s' if tls else ''}://{shown or host}:{listener.getsockname()[1]}"
        certificate, key = ("", "") if tls is None else (str(tls.certificate), str(tls.key))
        settings = Settings(_POLICY, machine_names(host, shown), home, certificate=certificate, key=key)
        made.door = open_door([listener], made.answer, settings)
        return made

    @property
    def port(self) -> int:
        """Return the port at which browsers come."""
        return self.door.port

    @property
    def figures(self) -> Mapping[str, int]:
        """Return what the door has counted."""
        return self.door.figures

    def stop(self) -> None:
        """Close the door."""
        self.door.stop()

    def answer(self, request: Request) -> Answer:
        """Return the answer to a request: a file, what a page asks, or what came of what it wants."""
        try:
            if request.method == "POST":
                return self._post(request)
            return self._files.get(request.path) or self._get(request)
        except RefusedError as error:
            status = _STATUS.get(error.word, HTTPStatus.CONFLICT)
            _log.info("a request of %s is refused: %d %s", request.address, status, error.word)
            said = {"error": error.word, "text": str(error), "about": error.about}
            return answer_json(status, said, known=self._hall.find(_secret(request)) is not None)

    def _get(self, request: Request) -> Answer:
        if request.path == "/api/live":
            return self._live()
        if not request.path.startswith("/api/"):
            raise RefusedError("not-found")
        return replace(self._get_as(self._who(request), request), known=True)

    def _get_as(self, who: Visitor, request: Request) -> Answer:
        hall, parts = self._hall, request.path.strip("/").split("/")
        if parts == ["api", "me"]:
            return answer_json(HTTPStatus.OK, who.as_told())
        if parts == ["api", "hall"]:
            return self._all(_secret(request))
        if not who.may_rule:
            raise RefusedError("not-allowed")
        if len(parts) == 3 and parts[:2] == ["api", "tables"]:
            return _given(hall.get("table", unquote(parts[2])))
        if parts == ["api", "event"]:
            return _given(hall.get("event", ""))
        if parts in (["api", "event.trf"], ["api", "event.csv"]):
            return _given(hall.get("file", parts[1].rpartition(".")[2]))
        raise RefusedError("not-found")

    def _post(self, request: Request) -> Answer:
        if request.headers.get("x-hallmarshal") != "1":
            raise RefusedError("not-from-here")
        hall, wanted = self._hall, _wanted(request)
        parts = request.path.strip("/").split("/")
        if parts in (["api", "login"], ["api", "screen"]):
            secret = hall.log_in(wanted, request.address)
            visitor = hall.find(secret)
            assert visitor is not None
            return answer_json(HTTPStatus.OK, visitor.as_told(), {"Set-Cookie": self._cookie(secret)}, known=True)
        who = self._who(request)
        if parts == ["api", "logout"]:
            hall.log_out(_secret(request))
            return answer_json(HTTPStatus.OK, {}, {"Set-Cookie": self._cookie("", "; Max-Age=0")})
        if not who.may_rule:
            raise RefusedError("not-allowed")
        if parts == ["api", "order"]:
            return answer_json(HTTPStatus.OK, hall.post(who, "order", "", wanted), known=True)
        if len(parts) == 3 and parts[:2] == ["api", "event"]:
            return answer_json(HTTPStatus.OK, hall.post(who, "event", parts[2], wanted), known=True)
        raise RefusedError("not-found")

    def _all(self, secret: str) -> Answer:
        """Tell the page every table, then each as it changes, for as long as it stays and its session lasts."""
        hall = self._hall
        return _stream(
            self._told(
                hall.changed,
                lambda: {"connected": hall.connected, "event": hall.event_changes},
                lambda: hall.find(secret) is not None,
            )
        )

    def _live(self) -> Answer:
        """Tell a spectator's page the same of what spectators see."""
        hall = self._hall
        if not self._watching.acquire(blocking=False):
            raise RefusedError("too-many")

        def watched() -> Generator[bytes, None, None]:
            try:
                yield b""  # from here on it is closed in the end
                yield from self._told(hall.live, lambda: {"delay_s": hall.delay_s}, lambda: True)
            finally:
                self._watching.release()

        pieces = watched()
        next(pieces)
        return _stream(pieces)

    def _told(
        self, changed: Changed, besides: Callable[[], Json], welcome: Callable[[], bool]
    ) -> Generator[bytes, None, None]:
        at = 0
        while welcome() and not self._hall.ended:
            at, tables = changed(at, BEAT_S)
            told = {"tables": tables, **besides()}
            yield b"data: " + json.dumps(told, ensure_ascii=False).encode() + b"\n\n"
            threading.Event().wait(GATHER_S)

    def _who(self, request: Request) -> Visitor:
        visitor = self._hall.find(_secret(request))
        if visitor is None:
            raise RefusedError("log-in")
        return visitor

    def _cookie(self, secret: str, more: str = "") -> str:
        return f"{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if self._secure else ''}{more}"


def _secret(request: Request) -> str:
    """Return what our cookie says. It needs no quotes, and the library's reader takes square time for those."""
    for pair in request.headers.get("cookie", "").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def _wanted(request: Request) -> Json:
    try:
        sent = read_json(request.body, MOST_BYTES)
    except BodyError as error:
        if error.too_long:
            raise RefusedError("too-long") from None
        raise RefusedError("not-understood") from None
    if request.content_type != "application/json" or not isinstance(sent, dict):
        raise RefusedError("not-understood")
    return sent


def _given(what: Json | str) -> Answer:
    if isinstance(what, str):
        return Answer(HTTPStatus.OK, "text/plain; charset=utf-8", what.encode())
    return answer_json(HTTPStatus.OK, what)


def _stream(pieces: Generator[bytes, None, None]) -> Answer:
    return Answer(HTTPStatus.OK, "text/event-stream", pieces)
