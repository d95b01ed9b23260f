"""The games that spectators have seen to their end, kept as records: what everybody knew, and nothing earlier than spectators know it,
but for games whose armies both players turned over.

A game of which an event was missed is not kept. Its record goes where its end is taken back.
"""

from __future__ import annotations

import datetime
import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from referee.journal.errors import RecordError
from referee.journal.hand_times import PLAYED, TIMES, between
from referee.journal.journal_to_record import record_of
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, SetUp, View, options_of
from referee.journal.records.views import Follower, view_of
from referee.library.games import RECORD, below
from referee.library.shelf import PAGE
from referee.private_file import write_private
from referee.rules import BySeat, Rank, RulesError, rule_set
from referee.rules.values import Seat
from referee.table.conduct.takeback import GOES_BACK
from referee.table.step import Fact
from referee.table.views import PublicEvent, PublicInfo, PublicView

_log = logging.getLogger(__name__)

MOST_GAMES = 5000
"""Beyond so many the oldest are removed."""
MOST_BYTES = 4_000_000
"""A game whose events are longer is not kept."""
_CHANGE_THE_END = frozenset({"end", "countersigned"})
_GAME = re.compile(r"[0-9a-f]{8,64}")
"""Ids of games; a part of it goes into a folder's name."""
_EVENT = msgspec.json.Decoder(PublicEvent)


@dataclass(slots=True)
class _LiveGame:
    """A game under way as its public events tell it, without gaps from the first event on."""

    game: str
    begun: str
    """When it was heard of first, as the names of folders say it."""
    events: bytearray = field(default_factory=bytearray)
    """A line each: a hall has many games, and as values they would take several times as much."""
    last: int = 0
    """The number of the last event."""
    at: dict[int, int] = field(default_factory=dict)
    """By ply when it was heard of, in milliseconds; 0 is the begin."""
    over: bool = False
    turned: Mapping[str, Rank] = field(default_factory=dict)
    """By square the ranks of both armies once everybody has agreed that they are turned over."""


class SeenGames:
    """Takes what is told of boards, and keeps the games that have ended. Not for several threads."""

    def __init__(
        self,
        state: Path,
        *,
        turned_over: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
        called: Callable[[Mapping[Seat, str]], Mapping[Seat, str]] = lambda names: names,
    ) -> None:
        """`turned_over`: only games whose armies everybody agreed to turn over, which nobody need wait for. `clock`: nanoseconds.
        `called` returns what players are called where everybody reads it.
        """
        self._games, self._only_turned, self._clock, self._called = state / "games", turned_over, clock, called
        self._infos: dict[str, PublicInfo] = {}
        self._heard: dict[str, _LiveGame | None] = {}
        """By board the game that is heard of; None: one of which something was missed."""

    def take(self, board: str, said: object) -> None:
        """Take one thing that a board has told."""
        match said:
            case PublicInfo() as info:
                self._infos[board] = info
            case PublicEvent() as event:
                self._hear(board, event)
            case PublicView() as view if view.turned:
                heard = self._heard.get(board)
                if heard is not None and heard.game == view.game and heard.over and heard.turned != view.turned:
                    heard.turned = view.turned
                    self._keep(board, heard)

    def _hear(self, board: str, event: PublicEvent) -> None:
        heard = self._heard.get(board)
        if event.seq == 1 and _GAME.fullmatch(event.game):
            heard = self._heard[board] = _LiveGame(event.game, f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}")
        if heard is None or (heard.game == event.game and event.seq <= heard.last):
            return  # missed, or heard before
        if (heard.game, heard.last + 1) != (event.game, event.seq) or len(heard.events) > MOST_BYTES:
            self._heard[board] = None
            return
        heard.events += msgspec.json.encode(event) + b"\n"
        heard.last = event.seq
        if event.kind == "begin" or event.kind in PLAYED:
            heard.at[0 if event.kind == "begin" else event.ply] = self._clock() // 1_000_000
        if event.kind in GOES_BACK and heard.over:
            heard.over, heard.turned = False, {}
            (self._folder(heard) / RECORD).unlink(missing_ok=True)
        heard.over = heard.over or event.kind == "end"
        if heard.over and event.kind in _CHANGE_THE_END:
            self._keep(board, heard)

    def _folder(self, heard: _LiveGame) -> Path:
        """Return where a game is kept: where it is already, perhaps by who heard of it at another time, or by when it began."""
        name = f"{heard.begun}-{heard.game[:6]}"
        there = self._games.glob(f"*-{heard.game[:6]}")
        return next((folder for folder in there if _is_of(folder, heard.game)), self._games / name)

    def _keep(self, board: str, heard: _LiveGame) -> None:
        """Write the record of a game; one that cannot be told (house rules) is not kept."""
        info = self._infos.get(board)
        if info is None or info.game != heard.game or (self._only_turned and not heard.turned):
            return
        try:
            rules = rule_set(info.rule_set).with_options(info.options)
            record = record_of(map(_fact, map(_EVENT.decode, heard.events.splitlines())), rules)
            opened = dict(word.split("=", 1) for word in "".join(record.chain[:1]).split(" ") if "=" in word)
            record = replace(
                record,
                view=View.PUBLIC,
                options=options_of(rules),
                mode=info.mode,
                reveal=info.reveal,
                names=BySeat({seat: name for seat, name in self._called(info.names).items() if name}),
                computers=BySeat({seat: str(level) for seat, level in info.computers.items()}),
                engine=opened.get("engine"),
                date=opened.get("date", heard.begun[:10]),
            )
            record = _turned_over(record, heard.turned) if heard.turned else record
            folder = self._folder(heard)
            path = folder / RECORD
            if not heard.turned and path.exists() and read_record(path.read_bytes()).view is View.ARCHIVE:
                return  # it was turned over, and is told so by the other
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(folder / TIMES, json.dumps(between(heard.at)))
            write_private(path, write_record(record, "own"))
            self._remove_old()
        except (OSError, RecordError, RulesError) as error:
            _log.warning("%s: its game is not kept: %s", board, type(error).__name__)

    def _remove_old(self) -> None:
        """Remove the oldest games beyond the most that are kept; a folder that holds something else besides stays."""
        for folder in below(self._games.parent)[MOST_GAMES:]:
            for name in (RECORD, PAGE, TIMES):
                (folder / name).unlink(missing_ok=True)
            with suppress(OSError):
                folder.rmdir()


def _is_of(folder: Path, game: str) -> bool:
    """Return whether a folder is a game's: whose name begins alike may be another's."""
    try:
        return read_record((folder / RECORD).read_bytes()).game == game
    except (OSError, RecordError):  # none yet, or not any more
        return True


def _fact(event: PublicEvent) -> Fact:
    """Return an event as a journal's fact; of causes a record wants only an end by the arbiter's word, which the chain tells."""
    ruled = event.kind == "end" and any(text.startswith("corrected ") for text in event.links)
    cause = {"verb": {"type": "end-game"} if ruled else {}}
    return Fact(event.kind, event.ply, event, event.seat, cause=cause)


def _turned_over(record: Record, turned: Mapping[str, Rank]) -> Record:
    """Return a record with the ranks of all pieces that stood at the end, as their owners let everybody see them."""
    set_ups = {seat: dict(set_up) for seat, set_up in record.set_ups.items()}
    follower = Follower(record.set_ups)
    deque(follower.follow(record), maxlen=0)
    for square, (seat, start) in follower.standing.items():
        set_ups[seat][start] = turned.get(square.name, set_ups[seat][start])
    whole = frozenset(seat for seat, ranks in set_ups.items() if None not in ranks.values())
    made = BySeat({seat: SetUp(ranks) for seat, ranks in set_ups.items()})
    return view_of(replace(record, view=View.REFEREE, set_ups=made, consent=whole), View.ARCHIVE)
