"""What the door asks of the application behind it, and what that answers: values, and their form on the line between both.

A request is one line of JSON and its body, an answer the same; an answer's body ends with the line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, BinaryIO

CHANNEL = "CHANNEL"
"""The method of a request that is a page's WebSocket: its body is the page's first message. Both sides then say JSON, a line each."""
MOST_MESSAGE = 8 * 1024
"""Bytes of one message of a page over its channel."""
PASSED = ("content-type", "cookie", "x-hallmarshal")
"""The headers of which the application hears."""


@dataclass(frozen=True, slots=True)
class Request:
    """A whole request that the door let through: its path without what stands behind `?`, and the address it came from."""

    method: str
    path: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    @property
    def content_type(self) -> str:
        """Return the media type of its body, without what follows it."""
        return self.headers.get("content-type", "").partition(";")[0].strip()

    def written(self) -> bytes:
        """Return it as it goes over the line."""
        fields = [self.method, self.path, self.address, dict(self.headers), len(self.body)]
        return json.dumps(fields).encode() + b"\n" + self.body

    @classmethod
    def read(cls, line: BinaryIO) -> Request:
        """Read what `written` gave. Raises `ValueError` where the line ended before."""
        method, path, address, headers, length = json.loads(line.readline())
        body = line.read(length)
        if len(body) < length:
            raise ValueError("cut short")
        return cls(method, path, address, headers, body)


@dataclass(frozen=True, slots=True)
class Response:
    """The application's HTTP response. A body in pieces streams for as long as both ends like; then the connection is closed."""

    status: int
    kind: str
    body: bytes | Generator[bytes, None, None] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: {"Cache-Control": "no-store"})
    keeps: bool = False
    """It stays the same and is for everybody: the door asks for it once."""
    known: bool = False
    """It went to somebody who is logged in or has taken a seat: his address is no stranger's from now on."""
    hear: Callable[[bytes], None] | None = field(default=None, repr=False)
    """Of a channel: takes each message that comes from the browser, in order; an empty one says that it has gone."""

    @property
    def head(self) -> dict[str, Any]:
        """Return all but the body, as JSON values."""
        return {
            "status": self.status,
            "kind": self.kind,
            "headers": dict(self.headers),
            "keeps": self.keeps,
            "known": self.known,
            "streams": not isinstance(self.body, bytes),
        }


Application = Callable[[Request], Response]
"""What stands behind the door. Called on a thread for each request."""


def json_reply(
    status: int, body: Mapping[str, Any], more: Mapping[str, str] | None = None, *, known: bool = False
) -> Response:
    """Return an answer that says a JSON object."""
    raw = json.dumps(body, ensure_ascii=False).encode()
    return Response(status, "application/json", raw, {"Cache-Control": "no-store", **(more or {})}, known=known)


NOT_FOUND = json_reply(HTTPStatus.NOT_FOUND, {"error": "not-found"})


class BodyError(Exception):
    """What was sent cannot be taken: it is no JSON that can be read, or longer than it may be."""

    def __init__(self, too_long: bool = False) -> None:
        super().__init__("too long" if too_long else "not JSON")
        self.too_long = too_long


def read_json(body: bytes, most: int) -> Any:
    """Read the JSON that was sent, of at most so many bytes. Raises `BodyError`; what is read has neither NaN nor half signs."""
    if len(body) > most:
        raise BodyError(too_long=True)
    try:
        sent = json.loads(body, parse_constant=_finite, parse_float=_finite)
        json.dumps(sent, ensure_ascii=False).encode()  # half a sign (a lone surrogate) cannot be written
    except (ValueError, RecursionError):
        raise BodyError from None
    return sent


def _finite(text: str) -> float:
    """Return a number that JSON has; raises `ValueError` for `NaN`, `Infinity` and what is too large."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
