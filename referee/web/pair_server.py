"""The pages of a table behind the front door: the handset's page, and `POST /pair`, which gives a seat to who brings its token.

POST /pair   one of the requests of a pairing, as JSON   ->   200 and its answer (docs/reference/messages.md)
                                                              400, 403, 429, 503 {"error": "a stable word"}
GET /, /join and what they load                          ->   the files of `referee/web/files.py`
GET /games, and all that is below it                     ->   the library, where the table has one (docs/reference/library.md)
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol

from referee.door.front_door import FrontDoor, certified_names, machine_names
from referee.door.messages import CHANNEL, NOT_FOUND, BodyError, Request, Response, json_reply, read_json
from referee.door.settings import BrokerTarget, DoorSettings
from referee.net.errors import JoinError, LinkError
from referee.rules import RuleSet
from referee.web import files

_log = logging.getLogger(__name__)

MOST_BYTES = 4096
_OWN = ("connect-src 'self' ws: wss:", "manifest-src 'self'", "media-src data:")
_POLICY = files.policy(*_OWN)
_POLICY_WITH_FRAMES = files.policy(*_OWN, "frame-src 'self'", frames="'self'")
_STATUS = {
    "request-unreadable": HTTPStatus.BAD_REQUEST,
    "too-many-tries": HTTPStatus.TOO_MANY_REQUESTS,
    "not-now": HTTPStatus.SERVICE_UNAVAILABLE,
}

GiveSeat = Callable[[object, str], dict[str, Any]]
"""Answers the JSON value of a pairing's request from an address (`Reception`); raises a `LinkError`. Called on threads of the door."""


Library = Callable[[Request], Response]
"""Answers what is asked below `/games/`."""


class BoardPages(Protocol):
    """What is behind the pages that move a simulated board's magnets."""

    def answer(self, request: Request) -> Response:
        """Return the answer to a page's first message."""

    def serve_rules(self, rules: RuleSet) -> None:
        """Serve these rules to pages that come from now on."""


class PairServer(files.Pages):
    """The pages of a table, open to phones. Made by `start`, ended by `stop`."""

    def __init__(
        self,
        give_seat: GiveSeat,
        rules: RuleSet | None,
        board: BoardPages | None = None,
        library: Library | None = None,
    ) -> None:
        self._give_seat, self._board, self._library = give_seat, board, library
        self._files: Mapping[str, Response] = files.page_files(rules, library=library is not None)

    @classmethod
    def start(
        cls,
        listeners: Sequence[socket.socket],
        give_seat: GiveSeat,
        rules: RuleSet | None = None,
        *,
        shown: str = "",
        broker: BrokerTarget | None = None,
        certificate: tuple[str, str] = ("", ""),
        board: BoardPages | None = None,
        library: Library | None = None,
        open_door: type[FrontDoor] = FrontDoor,
    ) -> PairServer:
        """Open the door at these sockets, which are its own from now on. The first one's port is that of the links.

        `rules` go to the pages; `shown` is the address that others know; `broker` is where phones' MQTT goes; `certificate` and its key
        are files: with them https works there, too. `board` is behind pages that move a simulated board's magnets, and may show phones'
        pages in frames. `library` answers what is asked below `/games/`; without it there is no such thing.
        """
        made = cls(give_seat, rules, board, library)
        home = f"http://{shown or '127.0.0.1'}:{listeners[0].getsockname()[1]}"
        policy = _POLICY if board is None else _POLICY_WITH_FRAMES
        names = machine_names(shown, *certified_names(certificate[0]))
        settings = DoorSettings(policy, names, home, broker, *certificate)
        made.door = open_door(listeners, made.answer, settings)
        return made

    def serve_rules(self, rules: RuleSet) -> None:
        """Serve these rules to pages that ask from now on."""
        self._files = files.page_files(rules, library=self._library is not None)
        if self._board is not None:
            self._board.serve_rules(rules)

    def answer(self, request: Request) -> Response:
        """Return the answer to a request."""
        if self._library is not None and request.path.startswith("/games/") and request.method != CHANNEL:
            return self._library(request)
        if request.method == "GET":
            return self._files.get(request.path, NOT_FOUND)
        if request.method == CHANNEL:
            return NOT_FOUND if self._board is None else self._board.answer(request)
        return self._pair(request) if request.path == "/pair" else NOT_FOUND

    def _pair(self, request: Request) -> Response:
        try:
            if request.content_type != "application/json":
                raise BodyError
            said = self._give_seat(read_json(request.body, MOST_BYTES), request.address)
        except BodyError:
            word, status = "request-unreadable", HTTPStatus.BAD_REQUEST
        except JoinError as error:
            word, status = error.reason, _STATUS.get(error.reason, HTTPStatus.FORBIDDEN)
        except LinkError:
            word, status = "not-now", HTTPStatus.SERVICE_UNAVAILABLE
        else:
            return json_reply(HTTPStatus.OK, said, known="sealed" in said)
        _log.info("a request of %s is refused: %d %s", request.address, status, word)
        return json_reply(status, {"error": word})
