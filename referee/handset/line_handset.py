"""A handset for scripts: one line of JSON a message; and what every handset waits for, whoever it serves.

prints  {"paired": {"seat", "board", "digits"}}       first of all
{"link": "up" | "down"}                       the connection to the broker
{"status": ...} {"info": ...} {"state": ...} {"event": ...}     what everybody hears
{"letter": {"type": ..., ...}}                what this seat alone hears
{"sent": id, "type": ...}                     a line that was read was sent
{"error": text}                               a line that was read, or a message that came, cannot be used
reads   {"type": "declare", "question": 3, "rank": "miner"}    any message of a handset; `id` may be left out
"""

from __future__ import annotations

import json
import secrets
import signal
import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Protocol, Self

import msgspec

from referee.net.errors import LinkFullError
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined
from referee.net.topics.payloads import HandsetIncoming, LinkDown, LinkUp, PeerFault, Status, ToSeat
from referee.table.messages import FromHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView

Events = SimpleQueue[HandsetIncoming | str | None]
"""Values of the link, typed lines, and None when the handset is to end."""

_WORDS = {Status: "status", PublicInfo: "info", PublicView: "state", PublicEvent: "event"}


class Serving(Protocol):
    """A handset that serves somebody, from its beginning to its end."""

    def __enter__(self) -> Self:
        """Show that the seat is taken."""

    def __exit__(self, *_: object) -> None:
        """Show nothing more."""

    def serve(self, events: Events) -> bool:
        """Go on until None comes or the player quits; return whether it ends because the broker refuses this handset."""


def serve(handset: Serving, link: HandsetLink, events: Events, lines: Iterable[str]) -> bool:
    """Let a handset serve until told to end; return whether the broker refuses it. Raises `LinkError`."""

    def listen() -> None:
        for line in lines:
            events.put(line)
        events.put(None)

    signal.signal(signal.SIGTERM, lambda *_: events.put(None))
    with handset:
        threading.Thread(target=listen, daemon=True).start()
        link.start()
        try:
            return handset.serve(events)
        finally:
            link.stop()


class LineHandset:
    """Prints what comes, sends what it reads."""

    def __init__(self, joined: Joined, link: HandsetLink, write: Callable[[str], object]) -> None:
        """`write` takes each line that a script is to read."""
        self._joined, self._link, self._write = joined, link, write
        self._prefix = secrets.token_hex(4)
        self._said = 0
        self._game: str | None = None

    def __enter__(self) -> Self:
        credential = self._joined.credential
        seat = credential.seat.value if credential.seat else None
        self._say(paired={"seat": seat, "board": credential.board, "digits": self._joined.digits})
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def serve(self, events: Events) -> bool:
        """Go on until None comes; return whether the broker refuses this handset."""
        while (item := events.get()) is not None:
            if isinstance(item, str):
                self._send(item)
            elif isinstance(item, LinkDown) and item.refused:
                return True
            else:
                self._print(item)
        return False

    def _print(self, value: HandsetIncoming) -> None:
        match value:
            case LinkUp():
                self._say(link="up")
            case LinkDown():
                self._say(link="down")
            case Status() | PublicInfo() | PublicView() | PublicEvent():
                self._game = value.game if isinstance(value, PublicInfo) else self._game
                self._say(**{_WORDS[type(value)]: value})
            case ToSeat():
                self._say(letter=value.message)
            case PeerFault():
                self._say(error=value.text)

    def _send(self, line: str) -> None:
        if not line.strip():
            return
        if self._game is None:
            self._say(error="no game was announced yet")
            return
        try:
            message = self._message(line)
            self._link.send(message)
        except (ValueError, msgspec.ValidationError, RecursionError):
            self._say(error="that is no message of a handset")  # what stood there is left out: it may be a rank
        except LinkFullError as error:
            self._say(error=str(error))
        else:
            self._say(sent=message.id, type=message.__struct_config__.tag)

    def _message(self, line: str) -> FromHandset:
        said = json.loads(line)
        if not isinstance(said, dict):
            raise ValueError("not an object")
        if "id" not in said:
            self._said += 1
            said["id"] = f"{self._prefix}-{self._said}"
        message: FromHandset = msgspec.convert(said, type=FromHandset)
        return message

    def _say(self, **line: object) -> None:
        self._write(msgspec.json.encode(line).decode())
