"""The games that spectators have seen to their end, kept as records: what everybody knew, and nothing earlier than spectators know it.

A game of which an event was missed is not kept. Its record goes where its end is taken back.
"""

from __future__ import annotations

import datetime
import logging
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.journal.errors import RecordError
from referee.journal.journal_to_record import record_of
from referee.journal.records.formats import write_record
from referee.journal.records.model import View, options_of
from referee.library.games import RECORD
from referee.private_file import write_private
from referee.rules import BySeat, RulesError, rule_set
from referee.table.conduct.takeback import GOES_BACK
from referee.table.step import Fact
from referee.table.views import PublicEvent, PublicInfo

_log = logging.getLogger(__name__)

MOST_EVENTS = 100_000
"""A game of more is not kept."""
_CHANGE_THE_END = frozenset({"end", "countersigned"})


@dataclass(slots=True)
class _Heard:
    """A game as far as it was heard of, without gaps from its first event on."""

    game: str
    folder: str
    events: list[PublicEvent] = field(default_factory=list)
    over: bool = False


class SeenGames:
    """Takes what spectators are told of boards. Not for several threads."""

    def __init__(self, state: Path) -> None:
        self._games = state / "games"
        self._infos: dict[str, PublicInfo] = {}
        self._heard: dict[str, _Heard | None] = {}
        """By board the game that is heard of; None: one of which something was missed."""

    def take(self, board: str, said: object) -> None:
        """Take one thing that a board has told spectators."""
        match said:
            case PublicInfo() as info:
                self._infos[board] = info
            case PublicEvent() as event:
                self._hear(board, event)

    def _hear(self, board: str, event: PublicEvent) -> None:
        heard = self._heard.get(board)
        if event.seq == 1:
            folder = f"{datetime.datetime.now():%Y-%m-%d-%H%M%S}-{event.game[:6]}"
            heard = self._heard[board] = _Heard(event.game, folder)
        if heard is None or (heard.game == event.game and event.seq <= len(heard.events)):
            return  # missed, or heard before
        if (heard.game, len(heard.events) + 1) != (event.game, event.seq) or event.seq > MOST_EVENTS:
            self._heard[board] = None
            return
        heard.events.append(event)
        if event.kind in GOES_BACK and heard.over:
            heard.over = False
            (self._games / heard.folder / RECORD).unlink(missing_ok=True)
        heard.over = heard.over or event.kind == "end"
        if heard.over and event.kind in _CHANGE_THE_END:
            self._keep(board, heard)

    def _keep(self, board: str, heard: _Heard) -> None:
        """Write the record of a game; one that cannot be told (house rules) is not kept."""
        info = self._infos.get(board)
        if info is None or info.game != heard.game:
            return
        try:
            rules = rule_set(info.rule_set).with_options(info.options)
            record = record_of([Fact(event.kind, event.ply, event, event.seat) for event in heard.events], rules)
            record = replace(
                record,
                view=View.PUBLIC,
                options=options_of(rules),
                mode=info.mode,
                reveal=info.reveal,
                names=BySeat({seat: name for seat, name in info.names.items() if name}),
                computers=BySeat({seat: str(level) for seat, level in info.computers.items()}),
                date=heard.folder[:10],
                table=board,
            )
            folder = self._games / heard.folder
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(folder / RECORD, write_record(record, "own"))
        except (OSError, RecordError, RulesError) as error:
            _log.warning("%s: its game is not kept: %s", board, type(error).__name__)
