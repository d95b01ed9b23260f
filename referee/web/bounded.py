"""An HTTP server with a thread a request, and no more of them at once than it was told; and what both servers' requests share.

Nothing about a request is logged.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import socket
import ssl
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from referee.web.files import Served

MOST_HEAD = 16 * 1024
"""Bytes of a request line and its headers together; browsers send less than one in sixteen of it."""


class WebAddressError(Exception):
    """The address to serve at cannot be had; one clear line."""


class BodyError(Exception):
    """What was sent cannot be taken: it is no JSON that can be read, or longer than it may be."""

    def __init__(self, too_long: bool = False) -> None:
        super().__init__("too long" if too_long else "not JSON")
        self.too_long = too_long


def _finite(text: str) -> float:
    """Give a number that JSON has; raises `ValueError` for `NaN`, `Infinity` and what is too large."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def no_address(host: str, port: int, error: Exception) -> WebAddressError:
    """Give the one line for an address that cannot be had."""
    reason = getattr(error, "strerror", None) or str(error)
    return WebAddressError(f"the web server cannot have {host}:{port}: {reason}")


class BoundedServer(ThreadingHTTPServer):
    """Answers each request on a thread, and hangs up when too many are under way."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128
    """Who comes while another is let in waits; with the library's 5 the kernel resets some of a room that comes at once."""

    def __init__(
        self,
        host: str,
        port: int,
        request: type[BaseHTTPRequestHandler],
        most_at_once: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._most, self._counting = most_at_once, threading.Lock()
        self._under_way = self._refused = 0
        self._tls = tls
        super().__init__((host, port), request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread, or hang up when too many are under way."""
        with self._counting:
            taken = self._under_way < self._most
            self._under_way += taken
            self._refused += not taken
        if taken:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    @property
    def figures(self) -> Mapping[str, int]:
        """Count the requests that are under way, and those that were hung up on because too many were."""
        return {"requests": self._under_way, "refused": self._refused}

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, then make place for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._counting:
                self._under_way -= 1

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands where there is a certificate, here on the request's own thread, then answer."""
        if self._tls is not None:
            request.settimeout(10.0)
            request = self._tls.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)
        if self._tls is not None:
            self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: whoever hung up knows it, and a traceback could hold a password."""


class _Head:
    """A request's bytes, of whose lines no more than `MOST_HEAD` bytes are read in all: the library has a limit for each line only."""

    def __init__(self, sent: io.BufferedIOBase) -> None:
        self._sent, self._left = sent, MOST_HEAD
        self.read, self.close = sent.read, sent.close

    def readline(self, most: int) -> bytes:
        """Return the next line. Raises `LineTooLong`."""
        line = self._sent.readline(min(most, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("head")
        return line


class BoundedRequest(BaseHTTPRequestHandler):
    """One request, whose answer closes the connection.

    A server's own class says `timeout`, the seconds that all of it may take however slowly it comes, and `policy`, its
    Content-Security-Policy.
    """

    server_version = "Hallmarshal"
    sys_version = ""
    timeout: ClassVar[float]
    policy: ClassVar[str]

    def setup(self) -> None:
        """Bound the whole request, not only each read of it."""
        super().setup()
        self._end = threading.Timer(self.timeout, self._hang_up)
        self._end.daemon = True
        self._end.start()

    def finish(self) -> None:
        """Stop the clock of the request."""
        self._end.cancel()
        with contextlib.suppress(OSError):
            super().finish()

    def handle_one_request(self) -> None:
        """Answer, or refuse a head that is too long (the library itself refuses one that is too long behind its first line)."""
        self.rfile = _Head(self.rfile)  # type: ignore[assignment]  # has all that is asked of it
        try:
            super().handle_one_request()
        except LineTooLong:
            self.command = self.requestline = self.request_version = ""
            self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request that can be read. What is still on its way is let in: a reset would overtake the answer."""
        status = HTTPStatus(code)
        self.answer(status, {"error": status.name.lower().replace("_", "-")})
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.rfile.read(MOST_HEAD)

    def log_message(self, format: str, *args: object) -> None:  # the name is http.server's
        """Log nothing."""

    def stay(self) -> None:
        """Let this request last for as long as its two ends like."""
        self._end.cancel()

    def give_file(self, served: Served) -> None:
        """Send a file, packed where that is understood, or say that the browser's own is the newest."""
        more = {"ETag": served.mark, "Cache-Control": "no-cache"}
        if self.headers.get("If-None-Match") == served.mark:
            self.send(HTTPStatus.NOT_MODIFIED, served.kind, b"", more)
            return
        packed = served.packed if "gzip" in self.headers.get("Accept-Encoding", "") else None
        more["Vary"] = "Accept-Encoding"
        if packed is not None:
            more["Content-Encoding"] = "gzip"
        self.send(HTTPStatus.OK, served.kind, served.body if packed is None else packed, more)

    def body(self, most: int) -> Any:
        """Read the JSON that was sent, of at most so many bytes. Raises `BodyError`; what is read has neither NaN nor half signs."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 9:
            raise BodyError
        if int(length) > most:
            raise BodyError(too_long=True)
        try:
            sent = json.loads(self.rfile.read(int(length)), parse_constant=_finite, parse_float=_finite)
            json.dumps(sent, ensure_ascii=False).encode()  # half a sign (a lone surrogate) cannot be written
        except (ValueError, RecursionError):
            raise BodyError from None
        return sent

    def answer(self, status: HTTPStatus, body: Mapping[str, Any], more: Mapping[str, str] | None = None) -> None:
        """Send JSON that nobody keeps."""
        raw = json.dumps(body, ensure_ascii=False).encode()
        self.send(status, "application/json", raw, {"Cache-Control": "no-store", **(more or {})})

    def send(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str]) -> None:
        """Send a whole answer; of one to HEAD its head alone."""
        self.head(status, {"Content-Type": kind, "Content-Length": str(len(body)), **more})
        if self.command != "HEAD":
            self.wfile.write(body)

    def head(self, status: HTTPStatus, more: Mapping[str, str]) -> None:
        """Send what goes before a body."""
        self.close_connection = True
        self.send_response(status)
        headers = {
            "Content-Security-Policy": self.policy,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
            **more,
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
