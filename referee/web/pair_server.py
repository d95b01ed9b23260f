"""The referee's HTTP server: the handset's page, and `POST /pair`, which gives a seat to who brings its token.

    POST /pair   one of the two requests of a pairing    ->   200 and its answer (docs/reference/messages.md)
                                                              400, 403, 429, 503 {"error": "a stable word"}
    GET /, /join and what they load, HEAD as well        ->   the files of `referee/web/http_server.py`

A thread a request, at most `MOST_AT_ONCE`; a request has `PATIENCE_S` to be sent and a body of at most `MOST_BYTES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from referee.net.errors import JoinError, LinkError
from referee.rules import RuleSet
from referee.web import http_server

MOST_BYTES = 4096
MOST_AT_ONCE = 64
"""Four phones that open the page at once, each with a browser's usual six connections, and as many again."""
PATIENCE_S = 10.0
_STATUS = {
    "request-unreadable": HTTPStatus.BAD_REQUEST,
    "too-many-tries": HTTPStatus.TOO_MANY_REQUESTS,
    "not-now": HTTPStatus.SERVICE_UNAVAILABLE,
}

GiveSeat = Callable[[object], dict[str, Any]]
"""Answers the JSON value of a pairing's request (`Reception`); raises a `LinkError`. Called on threads of the server."""


class PairServer(http_server.WebServer):
    """A running server. Made by `start`, ended by `stop`."""

    @classmethod
    def start(cls, host: str, port: int, give_seat: GiveSeat, rules: RuleSet | None = None) -> PairServer:
        """Serve at this address; port 0 means a free one. `rules` go to the pages. Raises `WebAddressError`."""
        return cls(_Server(host, port, give_seat, http_server.page_files(rules)), "web")

    def serve_rules(self, rules: RuleSet) -> None:
        """Give these rules to pages that ask from now on."""
        self._server.files = http_server.page_files(rules)


class _Server(http_server.BoundedServer):
    def __init__(self, host: str, port: int, give_seat: GiveSeat, files: Mapping[str, http_server.Served]) -> None:
        self.give_seat = give_seat
        super().__init__(host, port, _Request, MOST_AT_ONCE, files)


class _Request(http_server.BoundedRequest):
    server: _Server
    timeout = PATIENCE_S
    policy = http_server.policy("connect-src 'self' ws:", "manifest-src 'self'")
    """With a WebSocket: the broker listens on another port."""

    def do_POST(self) -> None:  # noqa: N802  # http.server calls it by this name
        """Pair."""
        if self.path != "/pair":
            self.answer(HTTPStatus.NOT_FOUND, {"error": "not-found"})
            return
        try:
            answer = self.server.give_seat(self.body(MOST_BYTES))
        except http_server.BodyError:
            self.answer(HTTPStatus.BAD_REQUEST, {"error": "request-unreadable"})
        except JoinError as error:
            self.answer(_STATUS.get(error.reason, HTTPStatus.FORBIDDEN), {"error": error.reason})
        except LinkError:
            self.answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "not-now"})
        else:
            self.answer(HTTPStatus.OK, answer)
