"""The referee's HTTP server: the handset's page, and `POST /pair`, which gives a seat to who brings its token.

    POST /pair   one of the two requests of a pairing    ->   200 and its answer (docs/reference/messages.md)
                                                              400, 403, 429, 503 {"error": "a stable word"}
    GET /, /join and what they load, HEAD as well        ->   the files of `referee/web/http_server.py`

A thread a request, at most `MOST_AT_ONCE`; a request has `PATIENCE_S` to be sent and a body of at most `MOST_BYTES`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from referee.net.errors import JoinError, LinkError
from referee.rules import RuleSet
from referee.web.http_server import (
    BodyError,
    BoundedRequest,
    BoundedServer,
    Served,
    WebAddressError,
    no_address,
    page_files,
)

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

__all__ = ["PairServer", "WebAddressError"]

GiveSeat = Callable[[object], dict[str, Any]]
"""Answers the JSON value of a pairing's request (`Reception`); raises a `LinkError`. Called on threads of the server."""


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
            raise no_address(host, port, error) from None

    def serve_rules(self, rules: RuleSet) -> None:
        """Give these rules to pages that ask from now on."""
        self._server.files = page_files(rules)

    @property
    def figures(self) -> Mapping[str, int]:
        """Count the requests that are under way, and those that were hung up on because too many were."""
        return self._server.figures

    def stop(self) -> None:
        """Serve no more; requests that are under way end by themselves."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(BoundedServer):
    def __init__(self, host: str, port: int, give_seat: GiveSeat, files: Mapping[str, Served]) -> None:
        self.give_seat = give_seat
        self.files = files
        super().__init__(host, port, _Request, MOST_AT_ONCE)


class _Request(BoundedRequest):
    server: _Server
    timeout = PATIENCE_S
    policy = _POLICY

    def do_GET(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Give a file of the page."""
        served = self.server.files.get(self.path.partition("?")[0])
        if served is None:
            self.answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
        else:
            self.give_file(served)

    def do_HEAD(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Give what `do_GET` says of a file, without the file."""
        self.do_GET()

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Pair."""
        if self.path != "/pair":
            self.answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
            return
        try:
            answer = self.server.give_seat(self.body(MOST_BYTES))
        except BodyError:
            self.answer(HTTPStatus.BAD_REQUEST, {"error": "request-unreadable"})
        except JoinError as error:
            self.answer(_STATUS.get(error.reason, HTTPStatus.FORBIDDEN), {"error": error.reason})
        except LinkError:
            self.answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "not-now"})
        else:
            self.answer(HTTPStatus.OK, answer)
