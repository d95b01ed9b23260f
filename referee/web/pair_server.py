"""The referee's HTTP server: the handset's page, and `POST /pair`, which gives a seat to who brings its token.

    POST /pair   one of the two requests of a pairing    ->   200 and its answer (docs/reference/messages.md)
                                                              400, 403, 429, 503 {"error": "a stable word"}
    GET /, /join and what they load                      ->   the files of `referee/web/files.py`

A thread a request, at most `MOST_AT_ONCE`; a request has `PATIENCE_S` to be sent and a body of at most `MOST_BYTES`. Nothing about
a request is logged.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from referee.link.errors import JoinError, LinkError
from referee.rules import RuleSet
from referee.web.files import Served, page_files

MOST_BYTES = 4096
MOST_AT_ONCE = 64
"""Four phones that open the page at once, each with a browser's usual six connections, and as many again."""
PATIENCE_S = 10.0
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self' ws:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""What the page may load and run: its own files, and a WebSocket (the broker listens on another port). No inline script."""
_STATUS = {
    "request-unreadable": HTTPStatus.BAD_REQUEST,
    "too-many-tries": HTTPStatus.TOO_MANY_REQUESTS,
    "not-now": HTTPStatus.SERVICE_UNAVAILABLE,
}

GiveSeat = Callable[[object], dict[str, Any]]
"""Answers the JSON value of a pairing's request (`Reception`); raises a `LinkError`. Called on threads of the server."""


class WebAddressError(Exception):
    """The address to serve at cannot be had; one clear line."""


class PairServer:
    """A running server. Made by `start`, ended by `stop`."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self.port = int(server.server_address[1])
        self._thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.2}, name="web", daemon=True
        )
        self._thread.start()

    @classmethod
    def start(cls, host: str, port: int, give_seat: GiveSeat, rules: RuleSet | None = None) -> PairServer:
        """Serve at this address; port 0 means a free one. `rules` go to the pages. Raises `WebAddressError`."""
        try:
            return cls(_Server(host, port, give_seat, page_files(rules)))
        except (OSError, OverflowError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise WebAddressError(f"the web server cannot have {host}:{port}: {reason}") from None

    def serve_rules(self, rules: RuleSet) -> None:
        """Give these rules to pages that ask from now on."""
        self._server.files = page_files(rules)

    def stop(self) -> None:
        """Serve no more; requests that are under way end by themselves."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, host: str, port: int, give_seat: GiveSeat, files: Mapping[str, Served]) -> None:
        self.give_seat = give_seat
        self.files = files
        self._places = threading.BoundedSemaphore(MOST_AT_ONCE)
        super().__init__((host, port), _Request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread, or hang up when too many are under way."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, then make place for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: whoever hung up knows it, and a traceback could hold a password."""


class _Request(BaseHTTPRequestHandler):
    server: _Server
    server_version = "Hallmarshal"
    sys_version = ""
    timeout = PATIENCE_S

    def setup(self) -> None:
        """Bound the whole request, not only each read of it."""
        super().setup()
        self._end = threading.Timer(PATIENCE_S, self._hang_up)
        self._end.daemon = True
        self._end.start()

    def finish(self) -> None:
        """Stop the clock of the request."""
        self._end.cancel()
        super().finish()

    def do_GET(self) -> None:  # http.server calls it by this name
        """Give a file of the page."""
        served = self.server.files.get(self.path.partition("?")[0])
        if served is None:
            self._answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
        elif self.headers.get("If-None-Match") == served.mark:
            self._send(HTTPStatus.NOT_MODIFIED, served.kind, b"", {"ETag": served.mark})
        else:
            packed = served.packed if "gzip" in self.headers.get("Accept-Encoding", "") else None
            more = {"ETag": served.mark, "Vary": "Accept-Encoding"}
            if packed is not None:
                more["Content-Encoding"] = "gzip"
            self._send(HTTPStatus.OK, served.kind, served.body if packed is None else packed, more)

    def do_POST(self) -> None:  # http.server calls it by this name
        """Pair."""
        if self.path != "/pair":
            self._answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
            return
        try:
            answer = self.server.give_seat(self._wanted())
        except JoinError as error:
            self._answer(_STATUS.get(error.reason, HTTPStatus.FORBIDDEN), {"error": error.reason})
        except LinkError:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "not-now"})
        else:
            self._answer(HTTPStatus.OK, answer)

    def log_message(self, format: str, *args: object) -> None:  # the name is http.server's
        """Log nothing."""

    def _wanted(self) -> object:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or not 0 < int(length[:9]) <= MOST_BYTES or len(length) > 9:
            raise JoinError("request-unreadable")
        try:
            sent: object = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise JoinError("request-unreadable") from None
        return sent

    def _answer(self, status: HTTPStatus, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode(), {"Cache-Control": "no-store"})

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-cache",
            "Content-Security-Policy": _POLICY,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
            **more,
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
