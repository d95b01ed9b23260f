"""A handset for scripts: one line of JSON a message.

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
from types import TracebackType
from typing import Self

import msgspec

from referee.cli.handset_events import THROWN_OFF, Events
from referee.net.errors import LinkFullError
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined
from referee.net.topics.payloads import HandsetIncoming, LinkDown, LinkUp, PeerFault, Status, ToSeat
from referee.table.messages import FromHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView


class LineHandset:
    """Prints what comes, sends what it reads."""

    def __init__(self, joined: Joined, link: HandsetLink) -> None:
        self._joined = joined
        self._link = link
        self._prefix = secrets.token_hex(4)
        self._said = 0
        self._game: str | None = None

    def __enter__(self) -> Self:
        credential = self._joined.credential
        seat = credential.seat.value if credential.seat else None
        _say(paired={"seat": seat, "board": credential.board, "digits": self._joined.digits})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def serve(self, events: Events) -> str | None:
        """Go on until None comes; give why the broker refuses this handset, None if it was told to end."""
        while (item := events.get()) is not None:
            if isinstance(item, str):
                self._send(item)
            elif isinstance(item, LinkDown) and item.refused:
                return THROWN_OFF
            else:
                self._print(item)
        return None

    def _print(self, value: HandsetIncoming) -> None:
        match value:
            case LinkUp():
                _say(link="up")
            case LinkDown():
                _say(link="down")
            case Status():
                _say(status=value)
            case PublicInfo():
                self._game = value.game
                _say(info=value)
            case PublicView():
                _say(state=value)
            case PublicEvent():
                _say(event=value)
            case ToSeat():
                _say(letter=value.message)
            case PeerFault():
                _say(error=value.text)

    def _send(self, line: str) -> None:
        if not line.strip():
            return
        if self._game is None:
            _say(error="no game was announced yet")
            return
        try:
            message = self._message(line)
            self._link.send(message)
        except (ValueError, msgspec.ValidationError, RecursionError):
            _say(error="that is no message of a handset")  # what stood there is left out: it may be a rank
        except LinkFullError as error:
            _say(error=str(error))
        else:
            _say(sent=message.id, type=message.__struct_config__.tag)

    def _message(self, line: str) -> FromHandset:
        said = json.loads(line)
        if not isinstance(said, dict):
            raise ValueError("not an object")
        if "id" not in said:
            self._said += 1
            said["id"] = f"{self._prefix}-{self._said}"
        message: FromHandset = msgspec.convert(said, type=FromHandset)
        return message


def _say(**line: object) -> None:
    print(msgspec.json.encode(line).decode(), flush=True)
