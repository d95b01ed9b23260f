"""One connection of the door: nothing of it reaches the HTTP library before its whole head is there, in time and within its size."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

from aiohttp.web_protocol import RequestHandler

from referee.door.places import Place

MOST_HEAD = 16 * 1024
"""Bytes of a request line and its headers together; browsers send less than one in sixteen of it."""
MOST_BODY = 16 * 1024
"""Bytes behind the head of a request."""
HEAD_S = 5.0
"""So long a head may take, however slowly it comes, and so long a WebSocket may be open before its first packet is there."""
LINGER_S = 1.0
"""What is on its way when a head is refused is let in so long: a reset would overtake the answer."""
_END = b"\r\n\r\n"


class Guard(asyncio.Protocol):
    """Keeps a connection's head until it is whole, hands it to the library, and counts what comes behind it."""

    def __init__(self, place: Place, make: Callable[[Guard], RequestHandler], gone: Callable[[Guard], None]) -> None:
        """`make` gives the library's own half once the head is there; `gone` hears that the connection has ended."""
        self.place = place
        self._make, self._gone = make, gone
        self._inner: RequestHandler | None = None
        self._head = bytearray()
        self._deaf = False
        self.left: int | None = MOST_BODY
        """So many bytes more are let in; None: as many as there are places to keep them."""
        self.lasts = False
        """Whether it goes on for as long as both ends like, so that who sends no more has left."""
        self.greeting: asyncio.Task[object] | None = None
        """What makes the connection, a handshake where there is a certificate."""
        self.transport: asyncio.Transport | None = None
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for the head."""
        self.transport = cast(asyncio.Transport, transport)
        self.hurry(HEAD_S)

    def hurry(self, seconds: float | None) -> None:
        """Close the connection after this time (s) unless this is called again before; None: never."""
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if seconds is not None:
            self._patience = asyncio.get_running_loop().call_later(seconds, self.hang_up)

    def hang_up(self) -> None:
        """End the connection at once."""
        if self.transport is not None:
            self.transport.abort()
        elif self.greeting is not None:
            self.greeting.cancel()

    def data_received(self, data: bytes) -> None:
        """Take what came: of the head, or behind it."""
        if self._deaf:
            return
        if self._inner is not None:
            if self.left is not None:
                self.left -= len(data)
                if self.left < 0:
                    self.hang_up()
                    return
            self._inner.data_received(data)
            return
        looked_at = max(0, len(self._head) - len(_END) + 1)
        self._head += data
        end = self._head.find(_END, looked_at)
        if end < 0 and len(self._head) <= MOST_HEAD:
            return
        if not 0 <= end <= MOST_HEAD - len(_END):
            self._refuse()
            return
        self.left = 2 * MOST_BODY - (len(self._head) - end - len(_END))
        head, self._head = bytes(self._head), bytearray()
        self._inner = self._make(self)
        assert self.transport is not None
        self._inner.connection_made(self.transport)
        self._inner.data_received(head)

    def eof_received(self) -> bool | None:
        """Hear that no more is sent: the end, but for who waits for the answer to a whole request."""
        return self._deaf or (self._inner is not None and not self.lasts)

    def connection_lost(self, exc: Exception | None) -> None:
        """Hear that it is over."""
        self.hurry(None)
        if self._inner is not None:
            self._inner.connection_lost(exc)
        self._gone(self)

    def pause_writing(self) -> None:
        """Pass on that the other end reads slowly."""
        if self._inner is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the other end reads again."""
        if self._inner is not None:
            self._inner.resume_writing()

    def _refuse(self) -> None:
        line = self._head.find(b"\r\n", 0, MOST_HEAD) < 0
        status = HTTPStatus.REQUEST_URI_TOO_LONG if line else HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        body = json.dumps({"error": status.name.lower().replace("_", "-")})
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\nCache-Control: no-store"
        assert self.transport is not None
        self.transport.write(f"{head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        self._head, self._deaf = bytearray(), True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.hurry(LINGER_S)
