"""What `hallmarshal table` shows people in a terminal: QR codes, digits, then the board. Programs need none of what this imports."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import segno
from rich.text import Text

from referee.presentation.sentences import seen
from referee.rules.values import Seat
from referee.runtime.announcements import TableScreen
from referee.table.views import PublicEvent, PublicInfo, PublicView, Sighting
from referee.terminal import LiveBoard, TerminalConsole
from referee.words import words

_HERE = ("127.0.0.1", "::1", "localhost")


class TerminalScreen(TableScreen):
    """QR codes and digits for people, then the board; plain lines where stdout is no terminal."""

    def __init__(self, language: str) -> None:
        self._words = words(language)
        self._console = TerminalConsole()
        self._board: LiveBoard | None = None
        self._info: PublicInfo | None = None
        self._saw: tuple[Sighting, ...] = ()
        self._stack = ExitStack()

    def ready(self, document: Mapping[str, Any]) -> None:
        """Print where the table is."""
        self._say("table.ready", web=document["web"], state=document["state"])
        if "screen" in document:
            self._say("table.screen")
            self._show_link(document["screen"])
            self.beside_board(document["play"])

    def beside_board(self, link: str) -> None:
        """Show the link of a board with phones beside it."""
        self._say("table.play")
        self.note(link)

    def invited(self, seat: Seat, url: str, code: str) -> None:
        """Show the picture and, below it, the link and what to type instead."""
        self._say("table.join", seat=self._words.seat(seat))
        self._show_link(url)
        self._say("table.code", seat=self._words.seat(seat), code=code, web=url.partition("/join")[0])

    def _show_link(self, url: str) -> None:
        """Show a link, and a picture of it for phones, unless it holds on this machine alone."""
        if self._console.is_terminal and urlsplit(url).hostname not in _HERE:
            picture = io.StringIO()
            segno.make(url, error="l").terminal(out=picture, compact=True)
            self._console.print(Text.from_ansi(picture.getvalue()), end="")
        self._console.print(Text(url), soft_wrap=True)

    def paired(self, seat: Seat, digits: str, again: bool) -> None:
        """Show the digits, if there are any to compare."""
        if digits:
            self._say("table.paired-again" if again else "table.paired", seat=self._words.seat(seat), digits=digits)

    def event(self, event: PublicEvent, read_ns: int | None = None) -> None:
        """Print it, where no board is drawn."""
        if self._board is None:
            parts = (event.kind, *self._seats(event), event.source, event.target, event.result, event.text)
            self._console.print(Text(" ".join(str(part) for part in parts if part)), soft_wrap=True)

    def _seats(self, event: PublicEvent) -> list[str]:
        """Return who did it; at the end all who won."""
        if event.seat is None:
            return []
        if event.kind == "end" and self._info is not None:
            return [seat.value for seat in self._info.partners(event.seat)]
        return [event.seat.value]

    def view(self, info: PublicInfo, view: PublicView) -> None:
        """Draw the board; where none is drawn, say what was not understood."""
        if view.saw not in ((), self._saw) and not self._console.is_terminal:
            self.note(seen(view.saw, self._words))
        self._info, self._saw = info, view.saw
        if self._board is None and self._console.is_terminal:
            self._board = self._stack.enter_context(LiveBoard(self._console, self._words.language))
        if self._board is not None:
            self._board.show(info, view)

    def rematch(self, seat: Seat) -> None:
        """Print who waits for another game."""
        self._say("table.rematch", seat=self._words.seat(seat))

    def note(self, text: str) -> None:
        """Print something in one line."""
        self._console.print(Text(text), soft_wrap=True)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _say(self, key: str, **values: object) -> None:
        self.note(self._words.say(key, **values))
