"""A state directory with games that were kept, their hidden ranks known, for the tests of the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from referee.door.messages import Request, Response
from referee.journal.records.check import completed
from referee.journal.records.formats import write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.library.pages import LibraryPages, Seats
from referee.library.shelf import Now, Shelf
from referee.library.worker import work
from referee.rules import BySeat, EndReason, GameResult, Seat, rule_set
from referee.web.files import library_files
from tests.records.recorded_games import random_game

FIRST, SECOND = "2026-11-20-201500-aaaaaa", "2026-11-21-201500-bbbbbb"


def game_of(seed: int, consent: frozenset[Seat] = frozenset(), plies: int = 40) -> Record:
    """Return the referee's view of a game that Red won by resignation."""
    whole = completed(random_game(rule_set("barrage"), seed, plies).record)
    names = BySeat({Seat.RED: "Anna", Seat.BLUE: f"Bram {seed}"})
    ended = GameResult(Seat.RED, EndReason.RESIGN)
    signed = {"red": f"{'R' * 43} {'s' * 86}"}
    return replace(
        whole,
        consent=consent,
        names=names,
        game=f"{seed:016x}",
        date=f"2026-11-{seed:02}",
        result=ended,
        signatures=signed,
    )


def keep(state: Path, name: str, record: Record, view: View = View.ARCHIVE) -> Path:
    """Keep a game as a table does; return its folder."""
    folder = state / "games" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "game.record").write_text(write_record(view_of(record, view), "own"))
    return folder


def shelf(state: Path, now: Callable[[], Now] = Now, work: Callable[..., bytes | None] = work) -> Shelf:
    """Return a shelf with the worker in this process, by whose clock it is always time to look at the folders again."""
    return Shelf(state, now, work, count(step=10).__next__)


def pages(state: Path, now: Callable[[], Now] = Now, seats: Seats | None = None) -> Callable[..., Response]:
    """Return what answers `GET` of a path, or `POST` of a body, with the worker in this process."""
    served = LibraryPages(shelf(state, now), library_files()["/games"], seats)

    def ask(path: str, body: bytes | None = None, cookie: str = "") -> Response:
        headers = {"content-type": "application/json", "cookie": cookie}
        return served.answer(Request("GET" if body is None else "POST", path, "192.0.2.7", headers, body or b""))

    return ask
