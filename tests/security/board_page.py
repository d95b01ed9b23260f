"""A page of a board on a screen without its page: the channel alone, from which anything may be said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import urlsplit

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError

from hardware import load_board
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable

PLACES = dict(zip(load_board("travel-10x10").squares, load_board("travel-10x10").places, strict=True))


class ScreenTable(AtTable):
    """A table whose board is on a screen; what its players ask of hands is done over the channel of a page."""

    def board_url(self) -> str:
        """The table starts the board itself."""
        return "screen:"

    def open(self, secret: str | None = None, **headers: str) -> BoardPage:
        """Open a channel, with a secret that is said first."""
        page = BoardPage(self.ready["web"], headers)
        if secret is not None:
            page.say({"secret": secret, "language": "en"})
        return page

    def play_by(self, page: BoardPage) -> None:
        """Let players' hands be those of this page."""
        self.board = page  # type: ignore[assignment]  # it takes motions as the simulated board does


class BoardPage:
    """An open channel. Everything that was heard is kept."""

    def __init__(self, web: str, headers: Mapping[str, str]) -> None:
        self._runner = asyncio.Runner()
        self.heard: list[dict[str, Any]] = []
        self.status = 101
        self._runner.run(self._open(f"ws://{urlsplit(web).netloc}/board", headers))

    async def _open(self, url: str, headers: Mapping[str, str]) -> None:
        self._session = ClientSession()
        self._line: ClientWebSocketResponse | None = None
        try:
            self._line = await self._session.ws_connect(url, headers=headers)
        except WSServerHandshakeError as error:
            self.status = error.status

    def say(self, said: object) -> None:
        """Send a message: bytes and text as they are, anything else as JSON."""
        assert self._line is not None
        if isinstance(said, bytes):
            self._runner.run(self._line.send_bytes(said))
        else:
            self._runner.run(self._line.send_str(said if isinstance(said, str) else json.dumps(said)))

    def send(self, motion: dict[str, Any]) -> None:
        """Do with hands what a motion says, as far as a game begins with it."""
        if motion["motion"] == "place":
            for square in motion["squares"]:
                self.say({"hand": 0, "takes": motion["seat"], "way": [[50, *PLACES[square], 35]], "ends": "down"})

    def hear(self, key: str) -> Any:
        """Wait for the next message that has this key; None where the channel is closed before."""
        while (said := self._runner.run(self._receive())) is not None:
            if key in said:
                return said[key]
        return None

    def stand(self, count: int) -> list[list[Any]]:
        """Wait until so many magnets stand on the board and none is in a hand. Returns the magnets."""
        while True:
            magnets: list[list[Any]] | None = self.hear("magnets")
            assert magnets is not None
            if len(magnets) == count and all(place > -1_000_000 and mm == 0 for place, *_, mm in magnets):
                return magnets

    async def _receive(self) -> dict[str, Any] | None:
        if self._line is None:
            return None
        message = await self._line.receive(PATIENCE_S)
        if message.type is not WSMsgType.TEXT:
            return None
        self.heard.append(json.loads(message.data))
        return self.heard[-1]

    def close(self) -> None:
        """Go away without a word."""
        if not self._session.closed:
            self._runner.run(self._session.close())
            self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
