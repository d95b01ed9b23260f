"""What the kiosk asks of the games that its table keeps: found ones, and one to be seen again (docs/reference/library.md).

One wish after the other, on a thread of its own; of those that wait the newest alone.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import quote

from referee.library.games import GameFilter, GameRow
from referee.library.shelf import Shelf, ShelfError
from referee.net.topics.payloads import KioskNote, KioskWish

GAMES_SHOWN = 5
"""So many fit the kiosk's smallest screen."""
_MOST_CHOICES = 60
_MOST_TEXT = 6000
_MOST_TOLD = 7500
"""Of a list as it lies in its message, where each quotation mark takes two bytes; the topic takes 8,192."""
_FIELDS = ("player", "rules", "date", "result", "before")
_LONGEST = 100


class KioskGames:
    """Answers wishes with notes, on the running loop's thread; `address` returns where phones find the table's pages."""

    def __init__(self, shelf: Shelf, address: Callable[[], str], send: Callable[[KioskNote], None]) -> None:
        self._shelf, self._address, self._send = shelf, address, send
        self._waiting: KioskWish | None = None
        self._task: asyncio.Task[None] | None = None

    def take(self, wish: KioskWish) -> None:
        """Answer a wish as soon as the one before is answered."""
        self._waiting = wish
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._answer())

    @property
    def busy(self) -> bool:
        """Return whether a wish is being answered."""
        return self._task is not None

    async def _answer(self) -> None:
        try:
            while (wish := self._waiting) is not None:
                self._waiting = None
                notes = await asyncio.to_thread(self._notes, wish)
                if notes[0].kind == "replay" and self._shelf.playing:  # its end was taken back meanwhile
                    notes = (KioskNote("games-fault", "game-on"),)
                for note in notes:
                    self._send(note)
        finally:
            self._task = None

    def _notes(self, wish: KioskWish) -> Sequence[KioskNote]:
        """Return the answer. Called on a thread."""
        try:
            return tuple(self._found(wish.value) if wish.kind == "games" else self._replay(wish.value))
        except (ShelfError, OSError) as error:
            return (KioskNote("games-fault", error.word if isinstance(error, ShelfError) else "unreadable"),)

    def _found(self, asked: str) -> Iterator[KioskNote]:
        said = _said(asked)
        before = said.pop("before", "")
        found, more = self._shelf.search(GameFilter(**said), before, GAMES_SHOWN)
        games, choices = [_told(entry) for entry in found], _choices(self._shelf.listed())
        while len(json.dumps(told := json.dumps({"games": games, "more": more, "choices": choices}))) > _MOST_TOLD:
            games = games if any(choices.values()) else games[:-1]
            choices = {field: values[: len(values) // 2] for field, values in choices.items()}
        yield KioskNote("games", told)

    def _replay(self, name: str) -> Iterator[KioskNote]:
        packed, address = base64.b64encode(self._shelf.replay(name)).decode(), self._address()
        yield KioskNote("replay", f"{address}/games/{quote(name, safe='')}" if address else "")
        for begin in range(0, len(packed), _MOST_TEXT):
            yield KioskNote("replay-part", packed[begin : begin + _MOST_TEXT])
        yield KioskNote("replay-part", "")


def _said(asked: str) -> dict[str, str]:
    """Return the fields of a wish; what is none looks for every game."""
    try:
        sent = json.loads(asked) if asked else {}
    except (ValueError, RecursionError):
        sent = {}
    found: Mapping[str, object] = sent if isinstance(sent, dict) else {}
    return {name: value[:_LONGEST] for name in _FIELDS if isinstance(value := found.get(name), str)}


def _told(entry: GameRow) -> dict[str, object]:
    """Return what a line on the kiosk says of a game."""
    told = entry.told()
    return {name: told[name] for name in ("name", "date", "rules", "seats", "players", "computers", "winner", "plies")}


def _choices(entries: Sequence[GameRow]) -> dict[str, list[str]]:
    """Return by field what occurs in the kept games, the newest first."""
    found = {
        "player": (name for entry in entries for name in entry.players.values()),
        "rules": (entry.rules for entry in entries),
        "date": (entry.date[:7] for entry in entries if entry.date),
        "result": (entry.winner or "none" for entry in entries),
    }
    return {name: list(dict.fromkeys(values))[:_MOST_CHOICES] for name, values in found.items()}
