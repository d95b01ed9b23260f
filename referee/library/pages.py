"""What pages ask of the library over HTTP, and who may (docs/reference/library.md)."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

from nacl.exceptions import CryptoError
from nacl.public import Box

from referee.door.messages import BodyError, Request, Response, json_reply, read_json
from referee.library.games import GameFilter
from referee.library.report import linked
from referee.library.shelf import Now, Shelf, ShelfError, work
from referee.net.credential import KeyPair, PublicKey, read_base64
from referee.net.errors import CredentialError

MOST_BYTES = 4096
MOST_ENTRIES = 50
COOKIE = "hallmarshal-games"
_STATUS = {
    "request-unreadable": HTTPStatus.BAD_REQUEST,
    "log-in": HTTPStatus.UNAUTHORIZED,
    "not-you": HTTPStatus.FORBIDDEN,
    "not-found": HTTPStatus.NOT_FOUND,
    "unreadable": HTTPStatus.INTERNAL_SERVER_ERROR,
    "game-on": HTTPStatus.SERVICE_UNAVAILABLE,
    "busy": HTTPStatus.SERVICE_UNAVAILABLE,
}
_FIELDS = ("player", "rules", "date", "result", "before")
_LONGEST = 100


class Seats:
    """Distinguishes phones that have a seat from everybody else. Safe for any thread."""

    def __init__(self, keys: KeyPair, holders: Callable[[], Iterable[str]]) -> None:
        """`keys` are the referee's, `holders` returns the public keys of the handsets that have seats now."""
        self._keys, self._holders = keys, holders
        self._secret = secrets.token_bytes(32)
        self.challenge = secrets.token_hex(16)

    def enter(self, sent: Mapping[str, object]) -> str:
        """Return the cookie of a handset that shows that it has the key of a seat. Raises `ShelfError`."""
        key = sent.get("key")
        if not isinstance(key, str) or key not in set(self._holders()):
            raise ShelfError("not-you")
        try:
            box = Box(self._keys.nacl(), PublicKey.from_text(key).nacl())
            opened = box.decrypt(read_base64(sent.get("sealed")))
        except (CredentialError, CryptoError, ValueError, TypeError):
            raise ShelfError("not-you") from None
        if not hmac.compare_digest(opened, f"hallmarshal library 1\n{self.challenge}".encode()):
            raise ShelfError("not-you")
        return self._cookie(key)

    def knows(self, request: Request) -> bool:
        """Return whether a request comes with the cookie of a handset that has a seat now."""
        pairs = (pair.strip().partition("=") for pair in request.headers.get("cookie", "").split(";"))
        said = {value for name, _, value in pairs if name == COOKIE}
        return any(self._cookie(key) in said for key in self._holders())

    def _cookie(self, key: str) -> str:
        return hmac.new(self._secret, key.encode(), "sha256").hexdigest()


class LibraryPages:
    """Answers what is asked below `/games/`; without `seats` to everybody."""

    def __init__(self, shelf: Shelf, start: Response, seats: Seats | None) -> None:
        """`start` is the page of the list, which also asks phones to show that they have a seat."""
        self._shelf, self._start, self._seats = shelf, start, seats

    def answer(self, request: Request) -> Response:
        """Return the answer to a request."""
        try:
            return self._enter(request) if request.path == "/games/enter" else self._answered(request)
        except ShelfError as error:
            more = {} if self._seats is None or error.word != "log-in" else {"challenge": self._seats.challenge}
            return json_reply(_STATUS[error.word], {"error": error.word, **more})

    def _answered(self, request: Request) -> Response:
        if self._seats is not None and not self._seats.knows(request):
            if request.method == "POST" or request.path.count("/") > 2:
                raise ShelfError("log-in")
            return Response(HTTPStatus.UNAUTHORIZED, self._start.kind, self._start.body)
        if request.method == "POST":
            if request.path != "/games/list":
                raise ShelfError("not-found")
            return self._list(_wanted(request))
        name, _, file = unquote(request.path.removeprefix("/games/")).partition("/")
        if file == "":
            return self._replay(name)
        if file == "game.html":
            return _file(self._shelf.page(name), "text/html; charset=utf-8", file)
        if file == "game.record":
            return _file(self._shelf.record(name), "text/plain; charset=utf-8", file)
        raise ShelfError("not-found")

    def _replay(self, name: str) -> Response:
        """Return the page of a game; where there is none, the way to the list, which says why."""
        try:
            page = linked(self._shelf.page(name).decode())
        except ShelfError as error:
            return json_reply(HTTPStatus.SEE_OTHER, {"error": error.word}, {"Location": f"/games#{error.word}"})
        return Response(HTTPStatus.OK, "text/html; charset=utf-8", page.encode())

    def _list(self, sent: Mapping[str, object]) -> Response:
        given = {name: sent.get(name, "") for name in _FIELDS}
        if not all(isinstance(value, str) for value in given.values()):
            raise ShelfError("request-unreadable")
        said = {name: str(value)[:_LONGEST].strip() for name, value in given.items()}
        before = said.pop("before")
        found, more = self._shelf.search(GameFilter(**said), before, MOST_ENTRIES)
        return json_reply(HTTPStatus.OK, {"games": [entry.told() for entry in found], "more": more})

    def _enter(self, request: Request) -> Response:
        if self._seats is None or request.method != "POST":
            raise ShelfError("not-found")
        cookie = f"{COOKIE}={self._seats.enter(_wanted(request))}; Path=/games; HttpOnly; SameSite=Strict"
        return json_reply(HTTPStatus.OK, {}, {"Set-Cookie": cookie}, known=True)


def _wanted(request: Request) -> Mapping[str, object]:
    try:
        sent = read_json(request.body, MOST_BYTES)
    except BodyError:
        sent = None
    if request.content_type != "application/json" or not isinstance(sent, dict):
        raise ShelfError("request-unreadable")
    return sent


def _file(body: bytes, kind: str, name: str) -> Response:
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(HTTPStatus.OK, kind, body, headers)


def library(
    state: Path,
    now: Callable[[], Now],
    seats: Seats | None,
    files: Mapping[str, Response],
    work: Callable[..., bytes | None] = work,
) -> Callable[[Request], Response]:
    """Return what answers requests for the games of a state directory; `files` are those of the pages of kept games."""
    return LibraryPages(Shelf(state, now, work), files["/games"], seats).answer
