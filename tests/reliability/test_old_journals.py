"""Journals of earlier days stay readable for ever. A folder is added when a version rises or events come; none is ever changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from referee.arbitration.resuming import rebuild, told_settings
from referee.journal.journal import Journal
from referee.rules import rule_set
from referee.rules.values import Seat

JOURNALS = Path(__file__).parent / "journals"
PLIES = {"2026-11": 8, "2026-11-corrected": 4}
"""After how many plies each game ended: blue won, since red resigned."""


@pytest.mark.parametrize("day", sorted(path.name for path in JOURNALS.iterdir()))
def test_an_old_journal_gives_its_table_back(day: str, tmp_path: Path) -> None:
    """Every row is verified and understood, sealed ones too, and the table comes to its end again."""
    folder = shutil.copytree(JOURNALS / day, tmp_path / day)
    journal = Journal.open(folder / "journal.sqlite", folder / "journal.key")
    facts = journal.facts()
    journal.close()
    table = rebuild(told_settings(facts, rule_set), facts).table
    assert table.result is not None
    assert (table.result.winner, table.result.reason, table.view().ply) == (Seat.BLUE, "resign", PLIES[day])
