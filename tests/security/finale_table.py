"""A game of Duel that is over, at a real table with its files on a disk, and somebody who listens to everything; the clock is told."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from referee.journal.journal import public_rows
from referee.library.games import RECORD
from referee.net.topics.codec import encode_body, encode_public
from referee.rules import Hidden, Rank, Seat, rule_set
from referee.runtime.game_archive import ANSWERS, Archive, Keeping, find
from referee.sensing import Seen
from referee.table import messages
from referee.table.arbiter_commands import TakeBack
from referee.table.inputs import Connection, Input, Leave, Open, Reopen, SeatSays, Tick
from referee.table.settings import TableSettings
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Mode, PublicView
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED

FINALE_MS = 60_000
SET_UPS = {RED: DUEL_RED, BLUE: DUEL_BLUE}
SALTS: Mapping[Seat, str] = {RED: "11" * 16, BLUE: "22" * 16}
_QUIET = logging.getLogger("referee")


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@dataclass
class Heard:
    """What has been said since the end, each with its time: on public topics, and to each seat (sizes and contents)."""

    public: list[tuple[int, bytes]] = field(default_factory=list)
    letters: dict[Seat, list[tuple[int, int, bytes]]] = field(default_factory=lambda: {RED: [], BLUE: []})


class FinaleTable:
    """`folder` is the state directory; the game has ended by itself when this is made, red's giving up 1 s before."""

    def __init__(self, folder: Path, mode: Mode = Mode.ENROL, computers: dict[Seat, int] | None = None) -> None:
        self.state, self.now_ms, self._ids, self._said = folder, 1_000, 0, Counter[Seat]()
        self.heard, self._log = Heard(), _Lines()
        _QUIET.addHandler(self._log)
        rules, salts = rule_set("duel"), Hidden(SALTS)
        settings = TableSettings("t1", "g1", rules, mode, secret=Hidden(b"\x05" * 32), salts=salts)
        settings = replace(settings, finale_ms=FINALE_MS, computers=computers or {}, date="2026-11-26")
        self.table, self.keeping = Table(settings), Keeping.open(folder / "games" / "one", settings)
        self._archive = Archive(self.keeping, self.table, dict)
        self.put(Open())
        for seat, set_up in SET_UPS.items():
            if mode is Mode.ENROL:
                self.say(seat, messages.Enrol(id=self.new_id(), set_up=set_up))
            self.say(seat, messages.Ready(id=self.new_id()))
        at = {rules.board.square(name): seat for seat, set_up in SET_UPS.items() for name in set_up}
        self.put(Seen(at, 0))
        self.end()

    @property
    def folder(self) -> Path:
        """Return the folder of the game."""
        return self.state / "games" / "one"

    def new_id(self) -> str:
        """Return a message's id."""
        self._ids += 1
        return f"m{self._ids}"

    def put(self, given: Input) -> Step:
        """Put something in, and stand in the event loop's place: first the ledger, then what everybody hears, then letters."""
        step = self.table.apply(given, self.now_ms)
        if step.facts:
            self._archive.write(step.facts)
        said: list[bytes] = [encode_public(fact.event) for fact in step.facts if fact.event is not None]
        said += [encode_public(self.table.info())] if step.info_changed else []
        said += [encode_public(self.table.view())] if step.view_changed else []
        self.heard.public += [(self.now_ms, payload) for payload in said]
        for letter in step.letters:
            body = letter.body.open_hidden()
            size = messages.message_kind(body).value
            self.heard.letters[letter.seat].append((self.now_ms, size, encode_body(body)))
        return step

    def say(self, seat: Seat, message: messages.FromHandset) -> Step:
        """Send something as a seat's handset."""
        return self.put(SeatSays(seat, message))

    def end(self) -> None:
        """End the game, a second after what came before; what was heard until then is forgotten."""
        self.put(SeatSays(RED, messages.Resign(id=self.new_id())))
        self.heard, self._log.lines = Heard(), []

    def yes(self, seat: Seat, set_up: dict[str, Rank] | None = None) -> bytes:
        """Send a yes; return the answer."""
        wanted = SET_UPS[seat] if set_up is None else set_up
        self._said[seat] += 1
        self.say(seat, messages.Consent(id=f"yes-{self._said[seat]}", set_up=wanted))
        return self.heard.letters[seat][-1][2]

    def no(self, seat: Seat) -> None:
        """Do nothing, as the pages do for a no: the screen puts the question away and says nothing."""

    def away(self, seat: Seat) -> None:
        """Take a seat's phone off the network."""
        self.put(Connection(seat, here=False))

    def wait(self, ms: int) -> None:
        """Let time pass; the table is woken as often as it asked for."""
        self.now_ms += ms
        self.put(Tick())

    def go_back(self) -> None:
        """Undo the end, as an arbiter may."""
        self.put(TakeBack(id=self.new_id(), reason="a slip", ply=0))

    def leave(self) -> None:
        """Begin the next game, as far as this one hears of it."""
        self.put(Leave())

    def cut(self, jump_ms: int = 0) -> None:
        """Pull the plug and start again from what is on the disk; the new clock begins `jump_ms` from nothing."""
        self.keeping.close()
        found = find(self.state, "one", rule_set, self._log.lines.append)
        assert found is not None
        self.table, self.keeping, self.now_ms = found.rebuilt.table, found.keeping, 5 + jump_ms
        self._archive = Archive(self.keeping, self.table, dict)
        self._archive.align()
        self.put(Reopen(jump_ms))

    def view(self) -> PublicView:
        """Return what everybody sees."""
        return self.table.view()

    def rows(self) -> list[tuple[str, Any]]:
        """Return the journal's types and public columns, for which no key is needed."""
        return [(row.type, row.public) for row in public_rows(self.folder / "journal.sqlite")]

    def files(self) -> dict[str, bytes | int]:
        """Return the files of the game: names and sizes, and of those that are no ciphertext their content."""
        kept = sorted(path for path in self.folder.iterdir() if not path.name.startswith("journal.sqlite"))
        return {path.name: path.read_bytes() if path.name == RECORD else path.stat().st_size for path in kept}

    def lines(self) -> list[str]:
        """Return what was logged since the end."""
        return list(self._log.lines)

    def close(self) -> None:
        """Leave nothing open."""
        _QUIET.removeHandler(self._log)
        self.keeping.close()


__all__ = ["ANSWERS", "BLUE", "FINALE_MS", "RED", "SET_UPS", "FinaleTable"]
