"""The door itself: HTTP and WebSockets of strangers, with a bound for everything that they can send, hold open or leave unread.

Whole requests go to the application behind it, a line each; MQTT goes to the broker. It knows no token, password or game.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import ipaddress
import json
import logging
import socket
import ssl
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web
from aiohttp.web_protocol import RequestHandler

from referee.door.guard import HEAD_S, MOST_BODY, MOST_HEAD, Guard
from referee.door.messages import CHANNEL, MOST_MESSAGE, PASSED, Request
from referee.door.places import Place, Places, Watching
from referee.door.relay import (
    BROKER_S,
    MOST_FIRST,
    MOST_PACKET,
    BrokerStream,
    NotWelcomeError,
    carry_messages,
    first_packet,
    is_admitted,
)
from referee.door.settings import BrokerTarget, DoorSettings

_log = logging.getLogger(__name__)

REQUEST_S = 30.0
"""So long the application may take for its answer, and a browser to read it."""
ASKED_BY_STRANGERS = 24
"""Requests that the application has before it at once, of addresses that are not known; the others wait here."""
ASKED_BY_KNOWN = 48
ASKED_BY_ONE = 8
KNOCKING = 8
"""So many CONNECTs the broker has before it at once, of strangers and of known addresses each; the others wait here."""
FIGURES_S = 1.0
FORGOTTEN_S = 2.5
"""By then the application has noticed that nobody reads its stream any more: until then it counts."""
MQTT = "/mqtt"
BOARD = "/board"
"""Where the page that moves a simulated board's magnets speaks with the application."""
_CONNECTIVITY_CHECKS = frozenset(
    {"/generate_204", "/gen_204", "/hotspot-detect.html", "/library/test/success.html", "/connecttest.txt", "/ncsi.txt"}
    | {"/redirect", "/canonical.html", "/success.txt"}
)
"""What phones and computers of Android, Apple, Windows and Firefox ask for by foreign names, to see whether a Wi-Fi wants something."""

_MOST_ANSWER_HEAD = 64 * 1024
_PIECE = 16 * 1024
_GZIP_FROM_BYTES = 1024
_FRAMES = 256
"""What WebSocket frames and a ping or two may add to a CONNECT."""
_TLS = b"\x16"
"""The first byte of a TLS connection, and of no request."""
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class _ResponseHead:
    """Status and headers of the application's response, whose body has still to be read."""

    status: int
    kind: str
    headers: Mapping[str, str]
    keeps: bool
    known: bool
    streams: bool


@dataclass(frozen=True, slots=True)
class _CachedResponse:
    """A response that is the same for everybody: its body, the same gzipped, and its ETag."""

    told: _ResponseHead
    body: bytes = field(repr=False)
    packed: bytes | None = field(repr=False)
    mark: str

    @classmethod
    def of(cls, told: _ResponseHead, body: bytes) -> Self:
        packed = gzip.compress(body, mtime=0) if len(body) >= _GZIP_FROM_BYTES else None
        return cls(told, body, packed, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class _RejectedError(Exception):
    """The door itself refuses the request, with an HTTP status."""

    def __init__(self, status: HTTPStatus, word: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(word)
        self.status, self.word, self.headers = status, word, headers or {}


class _GuardedRequest(RequestHandler):
    """The library's half of a connection, which knows its guard."""

    guard: Guard

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Refuse what is no request that can be read, in a word."""
        if exc is not None and not isinstance(exc, web.HTTPException | OSError):  # who has gone fills no log
            _log.log(logging.ERROR if status >= 500 else logging.DEBUG, "a request ended with %s", type(exc).__name__)
        word = HTTPStatus(status).name.lower().replace("_", "-")
        return _whole(HTTPStatus(status), {"error": word}, {})


class Door:
    """Lets people in until the application behind it is gone."""

    def __init__(self, settings: DoorSettings) -> None:
        self._settings = settings
        self._control = socket.socket(fileno=settings.control)
        self._control.setblocking(False)
        self._listeners = [socket.socket(fileno=number) for number in settings.listeners]
        self._places, self._watching = Places(), Watching()
        self._guards: dict[Place, Guard] = {}
        self._kept: dict[str, _CachedResponse] = {}
        self._relayed = 0
        self._asked = {True: asyncio.Semaphore(ASKED_BY_KNOWN), False: asyncio.Semaphore(ASKED_BY_STRANGERS)}
        self._knocking = {True: asyncio.Semaphore(KNOCKING), False: asyncio.Semaphore(KNOCKING)}
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._http = web.Server(self._answer, handler_cancellation=True)
        self._tls: ssl.SSLContext | None = None
        if settings.certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
            self._tls.load_cert_chain(settings.certificate, settings.key)

    async def run(self) -> None:
        """Let people in; return once the application has gone."""
        loop = asyncio.get_running_loop()
        gone: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._control, gone.cancel)
        tasks = [loop.create_task(self._let_in(listener)) for listener in self._listeners]
        tasks.append(loop.create_task(self._tell_figures()))
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await gone
        finally:
            loop.remove_reader(self._control)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for guard in tuple(self._guards.values()):
                guard.hang_up()
            while self._guards:  # each is gone once its own end has come round
                await asyncio.sleep(0)
            for each in (*self._listeners, self._control):
                each.close()

    async def _let_in(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                line, (address, *_) = await _accepted(listener)
            except OSError:  # no descriptor is left: somebody has to go first
                await asyncio.sleep(0.05)
                continue
            place = Place(address)
            here, goes = self._places.come(place)
            if goes is not None and (guard := self._guards.get(goes)) is not None:
                guard.hang_up()
            if not here:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                line.close()
                continue
            guard = self._guards[place] = Guard(place, self._make, self._gone)
            guard.greeting = loop.create_task(self._greet(line, guard))
            guard.greeting.add_done_callback(partial(self._greeted, line, guard))

    async def _greet(self, line: socket.socket, guard: Guard) -> None:
        """Make a connection: with TLS if the other end begins so and there is a certificate."""
        tls = self._tls if self._tls is not None and await _begins_tls(line) else None
        patience_s = None if tls is None else HEAD_S
        await asyncio.get_running_loop().connect_accepted_socket(
            lambda: guard, line, ssl=tls, ssl_handshake_timeout=patience_s
        )

    def _greeted(self, line: socket.socket, guard: Guard, made: asyncio.Task[object]) -> None:
        """Close what became no connection: its handshake failed, or it had to make room before that was over."""
        if made.cancelled() or made.exception() is not None:
            line.close()
            self._gone(guard)

    def _make(self, guard: Guard) -> RequestHandler:
        handler = _GuardedRequest(
            self._http,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]  # None is what turns it off
            max_line_size=MOST_HEAD,
            max_field_size=MOST_HEAD,
            lingering_time=1.0,
        )
        handler.guard = guard
        guard.hurry(HEAD_S)
        return handler

    def _gone(self, guard: Guard) -> None:
        self._guards.pop(guard.place, None)
        self._places.leave(guard.place)
        if not self._places.count(guard.place.address):
            self._turns.pop(guard.place.address, None)

    async def _tell_figures(self) -> None:
        told = b""
        while True:
            await asyncio.sleep(FIGURES_S)
            figures = {"connections": self._places.taken, "refused": self._places.refused, "phones": self._relayed}
            said = json.dumps(figures).encode()
            if said != told:
                with contextlib.suppress(BlockingIOError):
                    self._control.send(said)
                    told = said

    # ---- requests

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert isinstance(request.protocol, _GuardedRequest)
        guard = request.protocol.guard
        try:
            self._check(request)
            path = request.raw_path.partition("?")[0]
            if path == MQTT:
                return await self._mqtt(request, guard)
            if path == BOARD and request.headers.get("Upgrade", "").lower() == "websocket":
                return await self._channel(request, guard)
            body = await self._body(request)
            guard.hurry(REQUEST_S)
            self._places.settle(guard.place)
            ask = self._watch if path == self._settings.watched else self._ask
            return await ask(request, body, guard)
        except _RejectedError as refused:
            _log.info("a request of %s is refused: %d %s", guard.place.address, refused.status, refused.word)
            return self._dressed(_whole(refused.status, {"error": refused.word}, refused.headers))

    def _check(self, request: web.BaseRequest) -> None:
        """Raise `_RejectedError` for what comes from another site's page, or by a name that is not ours."""
        host = request.headers.get("Host", "")
        if not self._is_ours(host) or (not request.secure and self._settings.home.startswith("https:")):
            if request.method in ("GET", "HEAD") and request.raw_path in ("/", "/join", "/screen", "/live"):
                where = self._settings.home + request.raw_path
                raise _RejectedError(HTTPStatus.TEMPORARY_REDIRECT, "elsewhere", {"Location": where})
            if request.method in ("GET", "HEAD") and request.raw_path.partition("?")[0] in _CONNECTIVITY_CHECKS:
                raise _RejectedError(
                    HTTPStatus.TEMPORARY_REDIRECT, "elsewhere", {"Location": f"{self._settings.home}/connect"}
                )
            raise _RejectedError(HTTPStatus.MISDIRECTED_REQUEST, "not-from-here")
        origin = request.headers.get("Origin")
        if origin is not None and (_host_of(origin) or "?") not in (_host_of(f"//{host}"), *self._settings.names):
            raise _RejectedError(HTTPStatus.FORBIDDEN, "not-from-here")
        if request.method not in ("GET", "HEAD", "POST"):
            raise _RejectedError(HTTPStatus.METHOD_NOT_ALLOWED, "method-not-allowed")

    def _is_ours(self, host: str) -> bool:
        """Return whether a Host header names this machine. An address does: another site's name is what has to be kept out."""
        name = _host_of(f"//{host}")
        whole_domain = f"*.{(name or '').partition('.')[2]}"
        if name in ("localhost", *self._settings.names) or whole_domain in self._settings.names:
            return True
        with contextlib.suppress(ValueError):
            return bool(ipaddress.ip_address(name or ""))
        return False

    async def _ask(self, request: web.BaseRequest, body: bytes, guard: Guard) -> web.StreamResponse:
        path = request.raw_path.partition("?")[0]
        if request.method != "POST" and (kept := self._kept.get(path)) is not None:
            return await self._give_kept(request, kept)
        headers = {name: value for name in PASSED if (value := request.headers.get(name)) is not None}
        address = guard.place.address
        turn = self._turns.setdefault(address, asyncio.Semaphore(ASKED_BY_ONE))
        async with turn, self._asked[self._places.knows(address)]:
            method = "POST" if request.method == "POST" else "GET"
            told, reader, writer = await self._line(Request(method, path, address, headers, body))
            try:
                if told.known:
                    self._places.remember(address)
                whole = b"" if told.streams else await reader.read()
            except BaseException:
                writer.close()
                raise
        if told.streams:
            return await self._stream(request, guard, told, reader, writer)
        writer.close()
        if told.headers.get("Cache-Control") == "no-cache":  # a browser may keep it, and asks whether it is the newest
            kept = _CachedResponse.of(told, whole)
            if told.keeps:
                self._kept[path] = kept
            return await self._give_kept(request, kept)
        return await self._send(request, told.status, told.kind, whole, told.headers)

    async def _watch(self, request: web.BaseRequest, body: bytes, guard: Guard) -> web.StreamResponse:
        """Let somebody watch whose name nobody asks for. Raises `_RejectedError` where all places for that are taken."""
        here, goes = self._watching.come(guard.place)
        if goes is not None and (other := self._guards.get(goes)) is not None:
            other.hang_up()
        if not here:
            raise _RejectedError(HTTPStatus.SERVICE_UNAVAILABLE, "too-many")
        try:
            return await self._ask(request, body, guard)
        finally:
            asyncio.get_running_loop().call_later(FORGOTTEN_S, self._watching.leave, guard.place)

    async def _body(self, request: web.BaseRequest) -> bytes:
        if (request.content_length or 0) > MOST_BODY:
            raise _RejectedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-long")
        return await request.read() if request.method == "POST" else b""

    async def _line(self, asked: Request) -> tuple[_ResponseHead, asyncio.StreamReader, asyncio.StreamWriter]:
        """Ask the application over a line of its own; return the head of its answer, and the line. Raises `_RejectedError`."""
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as undone:
            undone.callback(ours.close)
            try:
                with theirs:
                    reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_MOST_ANSWER_HEAD)
                    undone.pop_all()
                    undone.callback(writer.close)
                    socket.send_fds(self._control, [b"request"], [theirs.fileno()])
                writer.write(asked.written())
                told = _ResponseHead(**json.loads(await reader.readline()))
            except (OSError, ValueError):
                raise _RejectedError(HTTPStatus.SERVICE_UNAVAILABLE, "not-now") from None
            undone.pop_all()
        return told, reader, writer

    async def _give_kept(self, request: web.BaseRequest, kept: _CachedResponse) -> web.StreamResponse:
        """Send it packed where that is understood, or say that the browser's own is the newest."""
        more = {**kept.told.headers, "ETag": kept.mark}
        if request.headers.get("If-None-Match") == kept.mark:
            return await self._send(request, HTTPStatus.NOT_MODIFIED, kept.told.kind, b"", more)
        packed = kept.packed if "gzip" in request.headers.get("Accept-Encoding", "") else None
        more["Vary"] = "Accept-Encoding"
        if packed is not None:
            more["Content-Encoding"] = "gzip"
        return await self._send(request, kept.told.status, kept.told.kind, packed or kept.body, more)

    async def _send(
        self, request: web.BaseRequest, status: int, kind: str, body: bytes, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        """Send piece by piece, so that of what is left unread no more than a piece or two is kept for a browser."""
        response = self._dressed(web.StreamResponse(status=status, headers={**headers, "Content-Type": kind}))
        response.content_length = len(body)
        await response.prepare(request)
        if request.method != "HEAD":
            for start in range(0, len(body), _PIECE):
                await response.write(body[start : start + _PIECE])
        await response.write_eof()
        return response

    async def _stream(
        self,
        request: web.BaseRequest,
        guard: Guard,
        told: _ResponseHead,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> web.StreamResponse:
        """Pass on what the application says until one of both ends, or the browser reads nothing for too long."""
        response = self._dressed(
            web.StreamResponse(status=told.status, headers={**told.headers, "Content-Type": told.kind})
        )
        try:
            await response.prepare(request)
            guard.hurry(None)
            guard.lasts = True
            while data := await reader.read(_PIECE):
                async with asyncio.timeout(REQUEST_S):
                    await response.write(data)
        finally:
            writer.close()
        return response

    def _dressed(self, response: web.StreamResponse) -> web.StreamResponse:
        """Add what every answer says; the connection ends with it."""
        response.headers.update(
            {
                "Content-Security-Policy": self._settings.policy,
                "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
                "Server": "Hallmarshal",
            }
        )
        response.force_close()
        return response

    # ---- MQTT

    async def _mqtt(self, request: web.BaseRequest, guard: Guard) -> web.StreamResponse:
        target = self._settings.broker
        if target is None or request.method != "GET" or request.headers.get("Upgrade", "").lower() != "websocket":
            raise _RejectedError(HTTPStatus.NOT_FOUND, "not-found")
        phone = web.WebSocketResponse(protocols=("mqtt",), compress=False, max_msg_size=MOST_PACKET, timeout=1.0)
        guard.hurry(HEAD_S)
        guard.lasts, guard.left = True, MOST_FIRST + _FRAMES
        self._places.wait(guard.place)
        await phone.prepare(request)
        try:
            if first := await first_packet(phone):
                self._places.settle(guard.place)
                guard.hurry(2 * BROKER_S)
                await self._relay(phone, target, first, guard)
        except NotWelcomeError:
            _log.info("a WebSocket of %s says no CONNECT first", guard.place.address)
            guard.hang_up()
        except OSError as error:
            _log.info("the broker is not reached: %s", type(error).__name__)
        finally:
            await phone.close()
        return phone

    async def _channel(self, request: web.BaseRequest, guard: Guard) -> web.StreamResponse:
        """Bring a page's messages to the application once that takes the first of them, and what it says to the page."""
        page = web.WebSocketResponse(compress=False, max_msg_size=MOST_MESSAGE, timeout=1.0, heartbeat=2 * BROKER_S)
        guard.hurry(HEAD_S)
        guard.lasts, guard.left = True, MOST_FIRST + _FRAMES
        self._places.wait(guard.place)
        await page.prepare(request)
        first = await page.receive()
        if first.type is not WSMsgType.TEXT:
            guard.hang_up()
            return page
        self._places.settle(guard.place)
        guard.hurry(REQUEST_S)
        address = guard.place.address
        try:
            async with self._asked[self._places.knows(address)]:
                told, reader, writer = await self._line(Request(CHANNEL, BOARD, address, {}, first.data.encode()))
        except _RejectedError:  # it is too late to say so by HTTP
            await page.close()
            return page
        try:
            if told.streams:
                self._places.remember(address)
                guard.hurry(None)
                guard.left = None
                await carry_messages(page, reader, writer)
            else:
                await page.send_str((await reader.read()).decode())
        finally:
            writer.close()
            await page.close()
        return page

    async def _relay(self, phone: web.WebSocketResponse, target: BrokerTarget, first: bytes, guard: Guard) -> None:
        """Send the CONNECT to the broker, and carry on if it lets the phone in. Raises `OSError`."""
        async with self._knocking[self._places.knows(guard.place.address)]:
            line, answer = await BrokerStream.open(target, first)
        try:
            await phone.send_bytes(answer)
            if is_admitted(answer):
                self._places.remember(guard.place.address)
                guard.hurry(None)
                guard.left = None
                self._relayed += 1
                try:
                    await line.carry(phone)
                finally:
                    self._relayed -= 1
        finally:
            line.close()


async def _accepted(listener: socket.socket) -> tuple[socket.socket, tuple[str, int]]:
    """Return the next connection and where it comes from. Raises `OSError`.

    When it is cancelled it has none in its hands: `sock_accept` of asyncio may, and loses it without closing it.
    """
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(BlockingIOError, InterruptedError):
            return listener.accept()
        somebody = asyncio.Event()
        loop.add_reader(listener, somebody.set)
        try:
            await somebody.wait()
        finally:
            loop.remove_reader(listener)


async def _begins_tls(line: socket.socket) -> bool:
    """Wait for what comes first, and tell whether it is TLS; it stays there to be read. Raises `TimeoutError`."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(line, came.set)
    try:
        async with asyncio.timeout(HEAD_S):
            await came.wait()
    finally:
        loop.remove_reader(line)
    return line.recv(1, socket.MSG_PEEK) == _TLS


def _host_of(url: str) -> str | None:
    """Return the name or address in a URL, None where there is none; a page of an earlier version speaks from another port of ours."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).hostname
    return None


def _whole(status: HTTPStatus, body: Mapping[str, Any], headers: Mapping[str, str]) -> web.Response:
    response = web.json_response(dict(body), status=status, headers={**headers, "Cache-Control": "no-store"})
    response.force_close()
    return response
