"""A board on a screen: pages that move the magnets of a simulated board, and see where all of them are.

A page is let in by the secret of its link, says what its hands do, and is told where magnets are and what the table says; no rank is known
here. Its messages are in docs/reference/messages.md. Magnets are kept in a file, so that they stand there again after a restart.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import select
import threading
import webbrowser
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from firmware_bridge.messages import BoardUnreachableError
from firmware_bridge.sources import SimSource
from hardware import BoardFile
from referee.door.messages import CHANNEL, MOST_MESSAGE, NOT_FOUND, BodyError, Request, Response, json_reply, read_json
from referee.presentation.sentences import Contact, detail, headline
from referee.private_file import write_private
from referee.rules import RuleSet
from referee.table.projections import board_shape
from referee.table.views import Phase, PublicInfo, PublicView
from referee.words import LANGUAGES, words

_log = logging.getLogger(__name__)

MOST_PAGES = 16
MOST_HANDS = 10
"""Of one page: as many as a player has fingers."""
_LAYING = MOST_PAGES * MOST_HANDS + 1
"""The hand that lays out what stood there before a restart."""
_SECRET_FILE, _MAGNETS_FILE = "screen.key", "screen-magnets.json"
_SECRET_BYTES = 24
_LOOK_S = 0.2
_HANDS = -1_000_000
"""Places below this are hands (docs/reference/simulator.md)."""
_KEYS = {"hand", "takes", "way", "ends"}

_DRAWN = ("phase", "ask", "fixes", "attack", "last_move", "decided")
"""What a page draws of the public view."""

Magnet = tuple[int, str, float, float, int]
"""Place, seat, column, row, mm above the board (docs/reference/simulator.md)."""
Shown = tuple[PublicInfo | None, PublicView | None]


@dataclass(slots=True)
class _Page:
    """A page that is open: its hands are those from `first` on."""

    first: int
    language: str
    gone: bool = False
    errors: list[Mapping[str, object]] = field(default_factory=list)
    magnets: object = None
    shown: Shown | None = None
    said: Mapping[str, object] = field(default_factory=dict)
    """What it was told last."""


class ScreenBoard:
    """All pages of a board on a screen. Called on the door's threads, but for `show`."""

    def __init__(self, source: SimSource, file: BoardFile, rules: RuleSet, state: Path) -> None:
        self._source, self._file, self._rules, self._path = source, file, rules, state / _MAGNETS_FILE
        self.secret = _kept_secret(state / _SECRET_FILE)
        self._changed = threading.Condition()
        self._pages: dict[int, _Page] = {}
        self._magnets: list[Magnet] = []
        self._kept: list[list[object]] = []
        self._moved = False
        """Whether a page has moved anything: what is laid out after a restart is kept already, all of it."""
        self._shown: Shown = (None, None)
        self._ended = False
        self._lay_out()
        self._thread = threading.Thread(target=self._listen, name="magnets", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let all pages go."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join()

    def show(self, info: PublicInfo, view: PublicView) -> None:
        """Let pages say what the table says."""
        with self._changed:
            self._shown = (info, view)
            self._changed.notify_all()

    def serve_rules(self, rules: RuleSet) -> None:
        """Serve pages that are opened from now on the set-up of these rules."""
        self._rules = rules

    def answer(self, request: Request) -> Response:
        """Let a page in, or not."""
        if request.method != CHANNEL:
            return NOT_FOUND
        try:
            match read_json(request.body, MOST_MESSAGE):
                case {"secret": str(secret), "language": str(language), **more} if not more:
                    pass
                case _:
                    raise BodyError
        except BodyError:
            return json_reply(HTTPStatus.BAD_REQUEST, {"error": "request-unreadable"})
        if not compare_digest(secret.encode(), self.secret.encode()):
            _log.info("a page of %s has not this board's link", request.address)
            return json_reply(HTTPStatus.FORBIDDEN, {"error": "not-welcome"})
        with self._changed:
            free = next((each for each in range(MOST_PAGES) if each not in self._pages), None)
            if free is None:
                return json_reply(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "too-many"})
            page = _Page(free * MOST_HANDS + 1, language if language in LANGUAGES else "en")
            self._pages[free] = page
        return Response(HTTPStatus.OK, "application/json", self._tell(page), hear=lambda sent: self._hear(page, sent))

    # ---- what a page does

    def _hear(self, page: _Page, sent: bytes) -> None:
        if not sent:
            self._leave(page)
            return
        try:
            wish = read_json(sent, MOST_MESSAGE)
            if not isinstance(wish, dict) or wish.keys() - _KEYS or wish.get("hand") not in range(MOST_HANDS):
                raise BodyError
            of = {"of": sum(self._rules.army.values())} if isinstance(wish.get("takes"), str) else {}
            self._wish({**wish, **of, "hand": page.first + int(wish["hand"])})
            self._moved = True
        except (BodyError, RecursionError):  # what could just be read may be too deep to be passed on
            self._refuse(page, error="request-unreadable")

    def _leave(self, page: _Page) -> None:
        """Put back what the hands of a page hold that has gone: nobody has moved it."""
        with self._changed:
            if page.gone:
                return
            page.gone = True
            self._changed.notify_all()
        for hand in range(page.first, page.first + MOST_HANDS):
            self._wish({"hand": hand, "ends": "back"})
        with self._changed:  # whoever has these hands from now on finds them empty
            self._pages = {number: each for number, each in self._pages.items() if each is not page}

    def _wish(self, wish: Mapping[str, Any]) -> None:
        with suppress(BoardUnreachableError):  # who reads the board finds out
            self._source.wish(wish)

    def _refuse(self, page: _Page, **said: object) -> None:
        with self._changed:
            page.errors = [*page.errors[-MOST_HANDS:], said]
            self._changed.notify_all()

    # ---- what a page is told

    def _tell(self, page: _Page) -> Generator[bytes, None, None]:
        """Yield what the board is, then what changes, each as it is by then: a page that reads slowly misses what is no longer so."""
        try:
            yield _line({"hands": page.first, **set_up(self._rules, self._file)})
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: page.gone or self._ended or self._has_news(page))
                    if page.gone or self._ended:
                        return
                    before, page.magnets, page.shown = (page.magnets, page.shown), self._magnets, self._shown
                    errors, page.errors = page.errors, []
                lines = [_line(error) for error in errors]
                if page.magnets is not before[0]:
                    lines.append(_line({"magnets": page.magnets}))
                if page.shown is not before[1] and (said := sentence(page.shown, page.language)) != page.said:
                    page.said = said
                    lines.append(_line({"says": said}))
                yield b"".join(lines)
        finally:
            self._leave(page)

    def _has_news(self, page: _Page) -> bool:
        return bool(page.errors) or page.magnets is not self._magnets or page.shown is not self._shown

    def _listen(self) -> None:
        """Hear what the simulated board says of its magnets, until the end."""
        while not self._ended:
            try:
                if not select.select([self._source.answers_fileno()], [], [], _LOOK_S)[0]:
                    continue
                answers = self._source.answers()
            except (BoardUnreachableError, OSError, ValueError):
                return
            for answer in answers:
                self._take(answer)

    def _take(self, answer: Mapping[str, Any]) -> None:
        if "magnets" in answer:
            with self._changed:
                self._magnets = [tuple(magnet) for magnet in answer["magnets"]]
                self._changed.notify_all()
            self._keep()
        elif "hand" in answer:
            number, hand = divmod(answer["hand"] - 1, MOST_HANDS)
            with self._changed:
                owner = self._pages.get(number)
            if owner is not None:
                self._refuse(owner, error=answer["error"], hand=hand)

    # ---- what outlives a restart

    def _keep(self) -> None:
        """Keep where magnets stand, while no hand holds one: where the plug is pulled it then stands again where it was taken."""
        standing = sorted([seat, x, y] for _, seat, x, y, _ in self._magnets)
        if not self._moved or standing == self._kept or any(place < _HANDS for place, *_ in self._magnets):
            return
        try:
            write_private(self._path, json.dumps(standing) + "\n")
            self._kept = standing
        except OSError as error:
            _log.warning("where magnets are cannot be kept: %s", error.strerror)

    def _lay_out(self) -> None:
        """Let the magnets stand where they stood when the table was stopped."""
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=list[tuple[str, float, float]])
        except (OSError, msgspec.DecodeError):
            return
        for seat, x, y in kept:
            self._wish({"hand": _LAYING, "takes": seat, "way": [[1, x, y, 0]], "ends": "down"})


def open_browser(link: str) -> None:
    """Open a link in a browser of this machine, where it has a screen for one; never one that would take the terminal."""
    if {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys():
        threading.Thread(target=webbrowser.open, args=(link,), name="browser", daemon=True).start()


def set_up(rules: RuleSet, file: BoardFile) -> dict[str, object]:
    """Return what a page has to know: the board, where its sensors are, and how many pieces of whom begin where."""
    return {
        "board": msgspec.to_builtins(board_shape(rules.board)),
        "places": dict(zip(file.squares, file.places, strict=True)),
        "army": sum(rules.army.values()),
        "zones": {seat.value: [square.name for square in rules.zone(seat)] for seat in rules.seats},
    }


def sentence(shown: Shown, language: str) -> Mapping[str, object]:
    """Return what the table says to everybody, and what of its view is drawn."""
    info, view = shown
    said = words(language)
    text, seats, tone = headline(info, view, said, Contact.LIVE)
    more = detail(info, view, said).replace(said["decided.lift"], said["screen.attack"])
    first = view is not None and view.phase is Phase.WAITING_FOR_MOVE  # nothing else is said before the first move
    return {
        "text": text,
        "detail": more or (said["screen.how"] if first else ""),
        "tone": tone.value,
        "seats": [seat.value for seat in seats],
        "view": None if view is None else {name: msgspec.to_builtins(getattr(view, name)) for name in _DRAWN},
    }


def _line(said: Mapping[str, object]) -> bytes:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _kept_secret(path: Path) -> str:
    """Return the secret of the board's link, the same at every start. Raises `OSError` where none can be kept."""
    with suppress(OSError, ValueError):
        if len(kept := path.read_text(encoding="ascii").strip()) >= _SECRET_BYTES:
            return kept
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    write_private(path, secret + "\n")
    return secret
