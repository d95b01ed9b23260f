"""Keeps one game: its journal while it is played, its record at the end."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from referee.journal.errors import JournalWriteError
from referee.journal.events import fact_of
from referee.journal.journal import Journal
from referee.journal.journal_to_record import Chronicle
from referee.journal.records import View, view_of, write_record
from referee.journal.sealing import disclosed
from referee.private_file import sync_folder, write_private
from referee.table.settings import TableSettings
from referee.table.step import Fact

JOURNAL, KEY, RECORD = "journal.sqlite", "journal.key", "game.record"
"""The names of the files of a game in its folder."""
_FOLDER: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{6}-[0-9a-f]{6}(-saved[0-9]+)?")
"""Names of games' folders: when each was begun (`referee.runtime.game.new_folder`)."""


class Keeping:
    """The journal of one game, and the record that is written from it. A context; leaving it closes the journal."""

    def __init__(self, journal: Journal, settings: TableSettings, folder: Path) -> None:
        self._journal = journal
        self._settings = settings
        self._folder = folder

    @classmethod
    def open(cls, folder: Path, settings: TableSettings) -> Keeping:
        """Begin a new journal in a folder; the folder's own name survives a power cut too. Raises `JournalError`."""
        with _writing(folder):
            new = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for each in new:
                sync_folder(each.parent)
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

    @property
    def rows(self) -> int:
        """Count the journal's rows."""
        return self._journal.last_seq

    @property
    def last_ago_ms(self) -> int:
        """Give how long ago the last fact was written, by the machine's clock."""
        return self._journal.last_ago_ms

    def write(self, facts: Iterable[Fact]) -> None:
        """Write the facts of one step; they are on disk when this returns."""
        self._journal.write(facts)

    def write_record(self, date: str, view: View = View.REFEREE) -> Path:
        """Write the record in a view (by default the referee's) from what the journal holds, for its owner only; give its path.

        Raises `JournalError`.
        """
        settings = self._settings
        chronicle = Chronicle(
            settings.rule_set, settings.mode, settings.reveal, settings.names, date, settings.occasion
        )
        for row in self._journal.rows():
            fact = fact_of(row)
            chronicle.take(fact.kind, fact.seat, fact.event, disclosed(fact.hidden), fact.cause)
        path = self._folder / RECORD
        with _writing(path):
            write_private(path, write_record(view_of(chronicle.record(), view), "own"))
        return path

    def remove_record(self) -> None:
        """Remove the record, if there is one. Raises `JournalError`."""
        path = self._folder / RECORD
        if path.exists():
            with _writing(path):
                path.unlink()

    def checkpoint(self) -> None:
        """Move the journal's rows from SQLite's log into its file, as far as nobody reads it now."""
        self._journal.checkpoint()

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def __enter__(self) -> Keeping:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_oldest(games: Path, most: int, on: Path) -> int:
    """Remove the oldest folders of games, by their names, until `most` are left; never the one that is `on`. Return how many went.

    What is no game's folder by its name stays, and what cannot be removed now stays until the next time.
    """
    folders = (path for path in games.iterdir() if path.is_dir() and not path.is_symlink())
    found = sorted(path for path in folders if _FOLDER.fullmatch(path.name) and path.name != on.name)
    old = found[: max(0, len(found) + 1 - most)]
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return sum(not path.exists() for path in old)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalWriteError(f"{path}: it cannot be written ({error.strerror})") from None
