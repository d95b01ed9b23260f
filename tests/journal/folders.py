"""A folder with a small journal in it, and ways to spoil it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from referee.journal import journal as journals
from referee.journal.events import JournalEvent
from referee.journal.journal import Journal
from referee.rules.hidden import Hidden
from referee.rules.values import Rank


def hide(ranks: Mapping[str, Rank]) -> Hidden[Mapping[str, Rank]]:
    """Return ranks as they reach the journal."""
    return Hidden(ranks)


@contextmanager
def clocks_of_journals(clock: Callable[[], int]) -> Iterator[None]:
    """Let this clock say both times of each row that is written meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journals, "_wall_ms", clock)
        patch.setattr(journals, "_monotonic_ms", clock)
        yield


class Folder:
    """A folder with one journal of five rows, and a way to spoil it behind the journal's back."""

    def __init__(self, path: Path) -> None:
        self.path = path / "table.journal"
        self.key_path = path / "journal.key"
        clock = count(1_000)
        journal = Journal.create(self.path, self.key_path)
        with clocks_of_journals(clock.__next__):
            journal.append(JournalEvent("opened", {"ply": 0}))
            journal.append(JournalEvent("enrolled", {"ply": 0}, hide({"a1": Rank.FLAG, "b1": Rank.MARSHAL})))
            journal.append_many([JournalEvent("ready", {"ply": 0}), JournalEvent("begin", {"ply": 0})])
            journal.append(JournalEvent("move.read", {"ply": 1, "source": "a4", "target": "a5"}))
        journal.close()

    def spoil(self, *statements: str) -> None:
        """Change the file as anybody with SQLite could."""
        base = sqlite3.connect(self.path, isolation_level=None)
        for statement in statements:
            base.execute(statement)
        base.close()

    def open(self) -> Journal:
        """Open it again."""
        return Journal.open(self.path, self.key_path)
