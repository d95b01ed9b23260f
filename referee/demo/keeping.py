"""Keeps one game: its journal while it is played, its record at the end."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from referee.arbitration.settings import TableSettings
from referee.arbitration.step import Fact
from referee.journal.facts import fact_of
from referee.journal.journal import Journal
from referee.journal.records import View, view_of, write_record
from referee.journal.records.chronicle import Chronicle
from referee.journal.sealing import disclosed

JOURNAL, KEY, RECORD = "journal.sqlite", "journal.key", "game.record"
"""The names of the files of a game in its folder."""


class Keeping:
    """The journal of one game, and the record that is written from it. A context; leaving it closes the journal."""

    def __init__(self, journal: Journal, settings: TableSettings, folder: Path) -> None:
        self._journal = journal
        self._settings = settings
        self._folder = folder

    @classmethod
    def open(cls, folder: Path, settings: TableSettings) -> Keeping:
        """Begin a new journal in a folder. Raises `JournalError`."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        journal = Journal.create(folder / JOURNAL, folder / KEY)
        return cls(journal, settings, folder)

    @property
    def journal_path(self) -> Path:
        """Give where the journal lies."""
        return self._folder / JOURNAL

    @property
    def folder(self) -> Path:
        """Give the folder of the game."""
        return self._folder

    def write(self, facts: Iterable[Fact]) -> None:
        """Write the facts of one step; they are on disk when this returns."""
        self._journal.write(facts)

    def write_record(self, date: str, view: View = View.REFEREE) -> Path:
        """Write the record in a view (by default the referee's) from what the journal holds; give its path."""
        settings = self._settings
        chronicle = Chronicle(settings.rule_set, settings.mode, settings.reveal, settings.names, date)
        for row in self._journal.rows():
            fact = fact_of(row)
            chronicle.take(fact.kind, fact.seat, fact.event, disclosed(fact.hidden))
        path = self._folder / RECORD
        path.write_text(write_record(view_of(chronicle.record(), view), "own"))
        return path

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def __enter__(self) -> Keeping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
