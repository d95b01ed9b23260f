"""The pages of a station behind the front door: for arbiters and the room's screen, what they ask, and what they are told as it happens.

    GET  /, /screen, files           the pages
         /public/, and below it      the files for players and public (docs/reference/public-pages.md), to everybody
         /prints/EVENT/FILE          what is printed                      arbiters
         /live                       the way to the boards among them
    GET  /api/live                   every board as it was some minutes ago (server-sent events), to everybody
         /games, and below it        the games that spectators have seen (docs/reference/library.md), to everybody
    POST /api/login, /api/screen     a session, in a cookie that scripts cannot read
    POST /api/first                  the same, for the first chief, who is made by the code that `serve` printed; https only
    POST /api/logout
    GET  /api/me                     who is logged in
    GET  /api/hall                   every table, then each as it changes (server-sent events)
    GET  /api/posted                 pairings and standings for the room's screen
    GET  /api/tables/BOARD           all that is public of a table        arbiters
    POST /api/order                  an order to a table, and its answer  arbiters
    GET  /api/event, /api/event/ID   an event that is played, without an id the first                 arbiters
    GET  /api/event.trf, .trf26, .csv, /api/event/ID.trf, ...                                         arbiters
    GET  /api/event.log, /api/event/ID.log                                who did what in it, and why      arbiters
    POST /api/event/ACT              something done with the event, or with the one that `event` names    arbiters
    GET  /api/office                 events, tables, with https accounts    the chief
    POST /api/office/ACT             something of these set up              the chief

A request that changes something has to be JSON and to carry `X-Hallmarshal: 1`, which no other site's page can make a browser send;
the cookie is `SameSite=Strict` besides.

`RunningHall` is all of a hall at work with its broker and pages, until it is told to end.
"""

from __future__ import annotations

import json
import logging
import os
import re
import select
import signal
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

import msgspec

from referee.door.front_door import FrontDoor, certified_names, listening, machine_names
from referee.door.messages import BodyError, Request, Response, json_reply, read_json
from referee.door.settings import DoorSettings
from referee.library.pages import library
from referee.library.seen_games import SeenGames
from referee.library.shelf import Now
from referee.net.broker.hall_broker import HallBroker, tables_in
from referee.net.broker.mosquitto import Tls
from referee.net.credential import own_address
from referee.net.errors import BrokerError, LinkError
from referee.net.sealing.signing import StationKey
from referee.rules.values import Seat
from referee.runtime.typed_lines import TypedLines
from referee.tournament.hall.accounts import Accounts, RefusedError, Role, Session
from referee.tournament.hall.station import HallEvents, Station, screen_key_in
from referee.tournament.hall.tables import Json
from referee.tournament.public.folder import PublicFiles, Publisher, PublisherThread, Publishing
from referee.tournament.public.prints import prints
from referee.tournament.public.shown import posted
from referee.tournament.store import StoreError
from referee.web import files

_log = logging.getLogger(__name__)

MOST_BYTES = 16 * 1024
LIVE = "/api/live"
BEAT_S = 1.0
"""So often a page that is told nothing hears that the station is there; so soon it is noticed that a page has gone."""
GATHER_S = 0.1
"""What changes within this goes out together."""
LIVE_GATHER_S = 1.0
"""The same for spectators: many watch, and what they see is old."""
COOKIE = "hallmarshal"
RUNNING = "a station is running on this directory"
_EVENT = re.compile(r"/api/event(?:/([a-z0-9-]+))?(?:\.(trf|trf26|csv|log))?")
_POLICY = files.policy("connect-src 'self'")
_MOVED = {"/live": "/public/live.html", "/public": "/public/"}
Changed = Callable[[int, float], tuple[int, str]]
"""Returns the number of the last change, and the tables that changed since a number, as JSON; waits for some seconds until one has."""


_STATUS = {
    "log-in": HTTPStatus.UNAUTHORIZED,
    "too-long": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "wait": HTTPStatus.TOO_MANY_REQUESTS,
    "no-answer": HTTPStatus.GATEWAY_TIMEOUT,
    "not-understood": HTTPStatus.BAD_REQUEST,
    **dict.fromkeys(("not-allowed", "not-from-here", "not-secure", "wrong", "wrong-code"), HTTPStatus.FORBIDDEN),
    **dict.fromkeys(("not-found", "no-such-table", "no-event"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("no-referee", "cut", "no-broker", "no-store"), HTTPStatus.SERVICE_UNAVAILABLE),
}
"""What a word is in HTTP; every other one is a conflict with what is there."""


class StationServer(files.Pages):
    """The pages of a hall, open to browsers. Made by `start`, ended by `stop`."""

    def __init__(
        self,
        hall: Station,
        secure: bool,
        state: Path | None = None,
        public: PublicFiles | None = None,
        how: Publishing | None = None,
    ) -> None:
        """`state` is where games are kept that spectators have seen; None: nowhere. `public` may have a folder on disk."""
        self._hall, self._secure = hall, secure
        self._public, self._how = public or PublicFiles(), how or Publishing()
        self._files = files.station_files()
        self._library = None if state is None else library(state, Now, None, self._files)
        self._publisher = self._new_publisher()
        self._publishing = PublisherThread(self._publisher)

    @classmethod
    def start(
        cls,
        host: str,
        port: int,
        hall: Station,
        tls: Tls | None = None,
        *,
        shown: str = "",
        state: Path | None = None,
        public: PublicFiles | None = None,
        how: Publishing | None = None,
        open_door: type[FrontDoor] = FrontDoor,
    ) -> StationServer:
        """Open the door at this address; port 0 means a free one, `shown` is the address that others know. Raises `WebAddressError`."""
        listener = listening(host, port)
        home = f"http{'s' if tls else ''}://{shown or host}:{listener.getsockname()[1]}"
        how = how or Publishing()
        games = "" if state is None else f"{home}/games"
        how = replace(how, address=how.address or f"{home}/public/", games=games)
        made = cls(hall, tls is not None, state, public, how)
        certificate, key = ("", "") if tls is None else (str(tls.certificate), str(tls.key))
        names = machine_names(host, shown, *certified_names(certificate))
        settings = DoorSettings(_POLICY, names, home, certificate=certificate, key=key, watched=LIVE)
        made.door = open_door([listener], made.answer, settings)
        made._publishing.start()
        return made

    @property
    def public_address(self) -> str:
        """Return where players and public find their pages."""
        return self._how.address

    def stop(self) -> None:
        """Close the door, and let the files for the public stay as they are."""
        self._publishing.stop()
        super().stop()

    def _new_publisher(self) -> Publisher:
        hall = self._hall

        def boards(after: int) -> tuple[int, list[Json]]:
            return hall.spectators.changed(after)

        return Publisher(
            self._public,
            self._how,
            lambda: [(kept.event, kept.revision) for kept in hall.kept_events()],
            boards,
            lambda: hall.spectators.delay_s,
        )

    def answer(self, request: Request) -> Response:
        """Return the answer to a request: a file, what a page asks, or what came of what it wants."""
        if self._library is not None and request.path.startswith("/games/"):
            return self._library(request)
        try:
            if request.method == "POST":
                return self._post(request)
            if request.path.startswith("/public/"):
                return self._posted(unquote(request.path.removeprefix("/public/")))
            return self._files.get(request.path) or self._get(request)
        except StoreError as error:
            refused = RefusedError("no-store", str(error))
        except RefusedError as error:
            refused = error
        status = _STATUS.get(refused.word, HTTPStatus.CONFLICT)
        _log.info("a request of %s is refused: %d %s", request.address, status, refused.word)
        said: Json = {"error": refused.word, "text": str(refused), "about": refused.about}
        if refused.changes:
            said["changes"] = refused.changes
        return json_reply(status, said, known=self._hall.find(_secret(request)) is not None)

    def _posted(self, name: str) -> Response:
        """Return a file for players and public; a name is looked up and never becomes a path."""
        found = self._public.get(name)
        if found is None:
            raise RefusedError("not-found")
        return files.public_file(name if "." in name else f"{name}index.html", *found)

    def _get(self, request: Request) -> Response:
        if request.path == LIVE:
            return self._live()
        if request.path in _MOVED:
            return json_reply(HTTPStatus.SEE_OTHER, {}, {"Location": _MOVED[request.path]})
        if not request.path.startswith(("/api/", "/prints/")):
            raise RefusedError("not-found")
        return replace(self._get_as(self._who(request), request), known=True)

    def _get_as(self, who: Session, request: Request) -> Response:
        hall, parts = self._hall, request.path.strip("/").split("/")
        if parts == ["api", "me"]:
            return json_reply(HTTPStatus.OK, hall.told_of(who))
        if parts == ["api", "hall"]:
            return self._all(_secret(request))
        if parts == ["api", "posted"]:
            events = [posted(kept.event, self._how.names_of(kept.event)) for kept in hall.kept_events()]
            return json_reply(HTTPStatus.OK, {"events": events})
        if not who.may_rule:
            raise RefusedError("not-allowed")
        if len(parts) == 3 and parts[:2] == ["api", "tables"]:
            if (found := hall.tables.whole(unquote(parts[2]))) is None:
                raise RefusedError("no-such-table")
            return json_reply(HTTPStatus.OK, found)
        if parts == ["api", "office"]:
            if who.role is not Role.CHIEF:
                raise RefusedError("not-allowed")
            return json_reply(HTTPStatus.OK, self._with_names(hall.office.told(self._secure)))
        if parts[0] == "prints" and len(parts) == 3:
            return self._printed(parts[1], parts[2])
        if (named := _EVENT.fullmatch(request.path)) is None:
            raise RefusedError("not-found")
        event, form = hall.playing(named[1] or ""), named[2]
        if form == "log":
            return json_reply(HTTPStatus.OK, {"log": event.log()})
        if form:
            return Response(HTTPStatus.OK, "text/plain; charset=utf-8", event.exported(form).encode())
        return json_reply(HTTPStatus.OK, {**event.event(), "played": hall.named_events()})

    def _with_names(self, told: Json) -> Json:
        """Return what a chief sets up, with what players are called in public where their event does not say."""
        return {**told, "names": self._how.names.value}

    def _printed(self, event_id: str, name: str) -> Response:
        event = next((kept.event for kept in self._hall.kept_events() if kept.event.id.value == event_id), None)
        cards = f"{self._how.address}{event_id}/"
        page = None if event is None else prints(event, self._how.language, "/public/", cards).get(name)
        if page is None:
            raise RefusedError("not-found")
        return Response(HTTPStatus.OK, "text/html; charset=utf-8", page.encode())

    def _post(self, request: Request) -> Response:
        if request.headers.get("x-hallmarshal") != "1":
            raise RefusedError("not-from-here")
        hall, wanted = self._hall, _wanted(request)
        parts = request.path.strip("/").split("/")
        if parts in (["api", "login"], ["api", "screen"], ["api", "first"]):
            is_first = parts[1] == "first"
            if is_first and not self._secure:
                raise RefusedError("not-secure")
            secret = (hall.make_chief if is_first else hall.log_in)(wanted, request.address)
            visitor = hall.find(secret)
            assert visitor is not None
            return json_reply(HTTPStatus.OK, hall.told_of(visitor), {"Set-Cookie": self._cookie(secret)}, known=True)
        who = self._who(request)
        if parts == ["api", "logout"]:
            hall.sessions.end(_secret(request))
            return json_reply(HTTPStatus.OK, {}, {"Set-Cookie": self._cookie("", "; Max-Age=0")})
        if not who.may_rule:
            raise RefusedError("not-allowed")
        if parts == ["api", "order"]:
            done = hall.ordering.order(who, wanted)
            return json_reply(HTTPStatus.OK, msgspec.to_builtins(done, str_keys=True), known=True)
        if len(parts) == 3 and parts[:2] == ["api", "event"]:
            if type(revision := wanted.get("revision")) is not int:
                raise RefusedError("not-understood")
            event = hall.playing(str(wanted.get("event", "")))
            changed = {**event.act(who, parts[2], revision, wanted), "played": hall.named_events()}
            return json_reply(HTTPStatus.OK, changed, known=True)
        if len(parts) == 3 and parts[:2] == ["api", "office"]:
            told = self._with_names(hall.office.act(who, parts[2], wanted, self._secure))
            return json_reply(HTTPStatus.OK, told, known=True)
        raise RefusedError("not-found")

    def _all(self, secret: str) -> Response:
        """Stream every table to the page, then each as it changes, until the page leaves or its session ends. The room's screen has the
        names that everybody reads.
        """
        hall, visitor = self._hall, self._hall.find(secret)

        def shown(after: int, patience_s: float, named: Callable[[Json], Json]) -> tuple[int, str]:
            change, tables = hall.tables.wait(after, patience_s)
            return change, json.dumps(list(map(named, tables)), ensure_ascii=False)

        def whole(after: int, patience_s: float) -> tuple[int, str]:
            return shown(after, patience_s, dict)

        return _stream(
            self._told(
                whole if visitor is not None and visitor.may_rule else self._named(shown),
                lambda: {"connected": hall.link.up, "event": hall.event_changes, "names": hall.event_names()},
                lambda: hall.find(secret) is not None,
            )
        )

    def _live(self) -> Response:
        """Stream to a spectator's page what spectators may see: every board, delayed."""
        seen = self._hall.spectators
        return _stream(
            self._told(self._named(seen.wait), lambda: {"delay_s": seen.delay_s}, lambda: True, LIVE_GATHER_S)
        )

    def _named(self, shown: Callable[[int, float, Callable[[Json], Json]], tuple[int, str]]) -> Changed:
        """Return what is shown with players called as on the pages for everybody: all of it again once they are called otherwise."""
        told = self._publisher.named

        def changed(after: int, patience_s: float) -> tuple[int, str]:
            nonlocal told
            before, told = told, self._publisher.named
            return shown(after if told is before else 0, patience_s, told)

        return changed

    def _told(
        self, changed: Changed, besides: Callable[[], Json], welcome: Callable[[], bool], gather_s: float = GATHER_S
    ) -> Generator[bytes, None, None]:
        at = 0
        while welcome() and not self._hall.tables.ended:
            at, tables = changed(at, BEAT_S)
            told = json.dumps(besides(), ensure_ascii=False)
            yield f'data: {{"tables": {tables}, {told[1:]}\n\n'.encode()
            threading.Event().wait(gather_s)

    def _who(self, request: Request) -> Session:
        visitor = self._hall.find(_secret(request))
        if visitor is None:
            raise RefusedError("log-in", about="first" if self._hall.first_chief.is_awaited else "")
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


def _stream(pieces: Generator[bytes, None, None]) -> Response:
    return Response(HTTPStatus.OK, "text/event-stream", pieces)


# ---- a hall at work


INTERRUPTED = 130


class RunningHall:
    """A hall that is open: broker, station and pages, ended by the stack that it was given."""

    def __init__(
        self,
        state: Path,
        stack: ExitStack,
        accounts: Accounts,
        *,
        web: tuple[str, int],
        tls: Tls | None,
        port: int | None,
        delay_s: float,
        boards: tuple[str, ...] | None,
        played: HallEvents | None,
        public: PublicFiles,
        how: Publishing,
        first_code: str = "",
    ) -> None:
        """Open it. Raises `LinkError`, `WebAddressError`.

        `boards` are simulated ones, which have no broker of their own; None: those that have a pass. `port` is the broker's; None: the
        usual one, or for simulated boards a free one.
        """
        self._ended, self._bell = threading.Event(), os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)  # rings at the end
        stack.callback(os.close, self._bell)
        self._code = 0
        self._fault: LinkError | None = None
        host, shown = web[0], own_address() if web[0] in ("0.0.0.0", "::") else web[0]  # noqa: S104 # compared with
        folder = state / "broker"
        self.key = StationKey.load_or_create(state / "station.key")
        self.broker = HallBroker.start(
            folder,
            host=host,
            port=(1884 if port is None else port) if boards is None else (port or 0),
            is_open=boards is None and bool(tables_in(folder)),
            whole=boards or (),
            on_end=self._broker_ended,
        )
        stack.callback(self.broker.stop)
        called = partial(self._called, how)
        seen, turned = (SeenGames(state, turned_over=only, called=called) for only in (False, True))
        self.station = Station(
            self.broker,
            self.key,
            tables_in(folder) if boards is None else boards,
            accounts,
            screen_key_in(state),
            played,
            delay_s,
            lambda said: seen.take(said.board, said.value),
            lambda said: turned.take(said.board, said.value),
            reached=shown,
            chosen=state / "events.json",
            first_code=first_code,
        )
        self.station.start()
        stack.callback(self.station.stop)
        self._pages = StationServer.start(*web, self.station, tls, shown=shown, state=state, public=public, how=how)
        stack.callback(self._pages.stop)
        self._url = f"http{'s' if tls is not None else ''}://{shown}:{self._pages.port}"
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._told_to_end)

    def _called(self, how: Publishing, names: Mapping[Seat, str]) -> Mapping[Seat, str]:
        """Return what players are called in the games that are kept here; nobody anything while the events cannot be read."""
        try:
            return how.kept_names([kept.event for kept in self.station.kept_events()], names)
        except StoreError:
            return {}

    @property
    def addresses(self) -> Mapping[str, object]:
        """Return where the hall is: its pages, the screen's and the spectators' page, and the broker for tables."""
        address = self.broker.address
        return {
            "web": self._url,
            "screen": f"{self._url}/screen#{self.station.screen_key}",
            "live": f"{self._url}/live",
            "public": self._pages.public_address,
            "broker": f"{address.host}:{address.port}",
        }

    def wait(self, answer: Callable[[str], None]) -> int:
        """Wait until told to end; `answer` takes the lines that are typed meanwhile. Return the exit code. Raises `LinkError`."""
        typed = TypedLines()
        while not self._ended.is_set():
            waited = [self._bell] if typed.fd is None else [self._bell, typed.fd]
            if self._bell not in select.select(waited, [], [])[0]:
                for line in typed.read():
                    answer(line)
        if self._fault is not None:
            raise self._fault
        return self._code

    def status(self) -> Mapping[str, object]:
        """Return the station's queue lengths, and the numbers of dropped messages where a limit was reached."""
        return {
            "delay": self.station.spectators.figures(),
            "link": asdict(self.station.link.figures()),
            "web": dict(self._pages.figures),
        }

    @property
    def over(self) -> bool:
        """Return whether the hall was asked to end."""
        return self._ended.is_set()

    def _told_to_end(self, number: int, _frame: object) -> None:
        self._code = INTERRUPTED if number == signal.SIGINT else 0
        self._end()

    def _end(self) -> None:
        self._ended.set()
        os.eventfd_write(self._bell, 1)

    def _broker_ended(self, error: BrokerError) -> None:
        """Start the broker again; everybody comes back by themselves. Called on the thread of the one that ended."""

        def again() -> None:
            try:
                self.broker.restart()
            except LinkError as failed:
                self._fault = failed
                self._end()

        if not self._ended.is_set():
            _log.warning("%s; it is started again", error)
            threading.Thread(target=again, daemon=True).start()
