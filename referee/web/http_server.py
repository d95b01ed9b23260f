"""An HTTP server with a thread a request and no more of them at once than it was told, and the files that it gives to browsers.

The files are the pages' own, the words in all languages, the rules of this table. Of a request is logged that it was
refused, whose it was and the word that it got; never what was sent.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import logging
import math
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from referee.rules import RuleSet
from referee.rules.values import Rank
from referee.words import LANGUAGES, words

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}
_START = "index.html"
_NOT_FOR_PHONES = ("option.", "option-reason.", "record.", "doctor.", "calibrate.", "handset.word-", "hall.", "alert.")
_FOR_HALLS = (
    *("alert.", "ask.", "clock.", "end.", "hall.", "health.", "language.", "phase.", "rank.", "record.", "refusal."),
    *("result.", "saw.apart", "seat.", "seats.", "text.", "turn.", "verdict."),
)
_GZIP_FROM_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Served:
    """One file: its media type, its bytes, the same packed with gzip where that pays, and a mark that changes with them."""

    kind: str
    body: bytes
    packed: bytes | None
    mark: str

    @classmethod
    def of(cls, name: str, body: bytes) -> Served:
        """Give the file of this name."""
        kind = _KINDS[name[name.rindex(".") :]]
        packed = gzip.compress(body, mtime=0) if len(body) >= _GZIP_FROM_BYTES else None
        return cls(kind, body, packed, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page_files(rules: RuleSet | None = None) -> Mapping[str, Served]:
    """Give everything that is served, by its path; the rules are left out where none are given."""
    found = _folder("page")
    start = found.pop(f"/{_START}")
    found |= {"/": start, "/join": start, "/words.json": _words(lambda key: not key.startswith(_NOT_FOR_PHONES))}
    if rules is not None:
        found["/rules.json"] = Served.of("rules.json", _json(rule_sheet(rules)))
    return found


def station_files() -> Mapping[str, Served]:
    """Give everything that a station serves to browsers, by its path; nothing of it is secret."""
    found = _folder("station")
    start = found.pop(f"/{_START}")
    found |= {"/": start, "/screen": start, "/live": start}
    return found | {"/words.json": _words(lambda key: key.startswith(_FOR_HALLS))}


def rule_sheet(rules: RuleSet) -> dict[str, Any]:
    """Give what a page needs of a rule set: ranks, zones, and of every square where a piece can go from it."""
    board = rules.board
    return {
        "name": rules.name,
        "filled": rules.filled,
        "steps_first": rules.steps_first,
        "seats": [seat.value for seat in rules.seats],
        "partners": {seat.value: [other.value for other in rules.partners(seat)] for seat in rules.seats},
        "ranks": {rank.value: _rank(rules, rank) for rank in rules.ranks},
        "zones": {seat.value: [square.name for square in rules.zone(seat)] for seat in rules.seats},
        "squares": {
            square.name: {
                "neighbours": [other.name for other in board.neighbours(square)],
                "lines": [[other.name for other in line] for line in board.lines(square)],
                "shots": [shot.target.name for shot in board.shots(square)],
            }
            for square in board.squares
        },
    }


def _rank(rules: RuleSet, rank: Rank) -> dict[str, Any]:
    rule = rules.ranks[rank]
    return {"count": rule.count, "number": rule.number, "gait": rule.gait.value}


def _words(wanted: Callable[[str], bool]) -> Served:
    """Give the words in all languages whose keys are wanted."""
    said = {language: {key: text for key, text in words(language).items() if wanted(key)} for language in LANGUAGES}
    return Served.of("words.json", _json(said))


def _folder(name: str) -> dict[str, Served]:
    root = resources.files("referee.web")
    walked = (*_walk(root / name, ""), *_walk(root / "toolkit", "toolkit/"))
    return {f"/{path}": Served.of(path, body) for path, body in walked}


def _walk(folder: Traversable, before: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = before + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{name}/")
        elif any(entry.name.endswith(end) for end in _KINDS):
            yield name, entry.read_bytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


# The server, and what both servers' requests share.


_log = logging.getLogger(__name__)

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


def policy(*own: str) -> str:
    """Give a Content-Security-Policy: pages may load and run their own files and what `own` says. No inline script."""
    files = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'")
    return "; ".join((*files, *own, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"))


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
        request: type[BoundedRequest],
        most_at_once: int,
        files: Mapping[str, Served],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Listen; `files` are given to browsers by their path. Raises `WebAddressError`."""
        self.files = files
        self._most, self._counting = most_at_once, threading.Lock()
        self._under_way = self._refused = 0
        self._tls = tls
        try:
            super().__init__((host, port), request)
        except (OSError, OverflowError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise WebAddressError(f"the web server cannot have {host}:{port}: {reason}") from None

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a thread, or hang up when too many are under way."""
        with self._counting:
            taken = self._under_way < self._most
            self._under_way += taken
            self._refused += not taken
        if taken:
            super().process_request(request, client_address)
        else:
            _log.info("hung up on %s: %d requests are under way", client_address[0], self._under_way)
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
        """Log the kind of error: whoever hung up knows it, and its text could hold a password."""
        kind = sys.exc_info()[0] or Exception
        level = logging.DEBUG if issubclass(kind, OSError) else logging.ERROR
        _log.log(level, "a request of %s ended with %s", client_address[0], kind.__name__)


class WebServer:
    """A server that answers on a thread of its own. Made by the `start` of a class that knows whom it serves, ended by `stop`."""

    def __init__(self, server: BoundedServer, name: str) -> None:
        self._server = server
        self.port = int(server.server_address[1])
        self._thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.2}, name=name, daemon=True
        )
        self._thread.start()

    @property
    def figures(self) -> Mapping[str, int]:
        """Count the requests that are under way, and those that were hung up on because too many were."""
        return self._server.figures

    def stop(self) -> None:
        """Serve no more; requests that are under way end by themselves."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


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

    server: BoundedServer
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

    def do_GET(self) -> None:  # http.server calls it by this name
        """Give a file of the pages, or say that there is none."""
        served = self.server.files.get(self.path.partition("?")[0])
        if served is None:
            self.answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
        else:
            self.give_file(served)

    def do_HEAD(self) -> None:  # http.server calls it by this name
        """Give what is said of a file, without the file; of anything else nothing."""
        BoundedRequest.do_GET(self)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request that can be read. What is still on its way is let in: a reset would overtake the answer."""
        status = HTTPStatus(code)
        self.answer(status, {"error": status.name.lower().replace("_", "-")})
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.rfile.read(MOST_HEAD)

    def log_message(self, format: str, *args: object) -> None:  # the name is http.server's
        """Log nothing: the path is the visitor's own text."""

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
        if status >= HTTPStatus.BAD_REQUEST:
            _log.info("a request of %s is refused: %d %s", self.client_address[0], status, body.get("error"))
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
