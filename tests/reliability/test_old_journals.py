"""Journals of earlier days stay readable for ever. A folder is added when a version rises or events come; none is ever changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from referee.journal.events import EVENTS
from referee.journal.journal import Journal, public_rows
from referee.journal.journal_to_record import journal_record
from referee.journal.proof import audit_journal
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import View
from referee.journal.records.views import view_of
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.game_archive import find
from referee.sensing import Agreed
from referee.table.inputs import Reopen
from referee.table.replay import rebuild, told_settings

JOURNALS = Path(__file__).parent / "journals"
OPEN_PLIES = "2026-11-open-plies"
"""Several plies were open at once: some never were, some were others, one was taken back by a question."""
ENDS = {
    "2026-11": (8, Seat.BLUE, "resign"),
    "2026-11-chain": (4, None, "both-lose"),
    "2026-11-corrected": (4, Seat.BLUE, "resign"),
    "2026-11-decided": (2, Seat.BLUE, "resign"),
    "2026-11-finale": (2, Seat.RED, "resign"),
    "2026-11-four": (40, None, "aborted"),
    "2026-11-four-enrolled": (40, None, "aborted"),
    "2026-11-hall": (4, Seat.BLUE, "resign"),
    "2026-11-names": (2, Seat.RED, "resign"),
    OPEN_PLIES: (11, Seat.RED, "resign"),
    "2026-11-outages": (3, Seat.BLUE, "resign"),
    "2026-11-slider": (72, Seat.RED, "immobile"),
}
"""How each game ended: after how many plies, who won, and why."""
WITHOUT_CAUSES = "2026-11-without-causes"
"""Written by a program of days when no row said what it answered."""
NOT_YET = frozenset({"infiltrate", "journal.salvaged", "pass"})
"""Events that no journal here has. Whoever adds an event adds a journal, too."""


@pytest.mark.parametrize("day", ENDS)
def test_an_old_journal_gives_its_table_back(day: str, tmp_path: Path) -> None:
    """Every row is verified and understood, sealed ones too, and the table comes to its end again."""
    folder = shutil.copytree(JOURNALS / day, tmp_path / day)
    journal = Journal.open(folder / "journal.sqlite", folder / "journal.key")
    facts = journal.facts()
    journal.close()
    table = rebuild(told_settings(facts, rule_set), facts).table
    assert table.result is not None
    assert (table.view().ply, table.result.winner, table.result.reason) == ENDS[day]


@pytest.mark.parametrize("day", [*ENDS, WITHOUT_CAUSES])
def test_an_old_journal_gives_its_record(day: str, tmp_path: Path) -> None:
    """In every view, with the key and without it; what is written of it can be read again."""
    folder = shutil.copytree(JOURNALS / day, tmp_path / day)
    record = journal_record(folder / "journal.sqlite", folder / "journal.key")
    public = journal_record(folder / "journal.sqlite", None)
    assert len(record.plies) == len(public.plies) > 0
    assert view_of(record, View.PUBLIC).plies == public.plies
    for seen in (record, public, view_of(record, View.RED), view_of(record, View.ARCHIVE)):
        assert read_record(write_record(seen, "own").encode()) == seen


def test_an_old_journal_gives_open_plies_back_wherever_it_ends(tmp_path: Path) -> None:
    """As if the table had been killed after each row: as many plies are open as then, and the board says what stands."""
    folder = shutil.copytree(JOURNALS / OPEN_PLIES, tmp_path / OPEN_PLIES)
    journal = Journal.open(folder / "journal.sqlite", folder / "journal.key")
    facts = journal.facts()
    journal.close()
    most = 0
    for cut in range(1, len(facts) + 1):
        again = rebuild(told_settings(facts, rule_set), facts[:cut])
        is_open: list[int] = []
        for fact in (*facts[:cut], *again.owed):
            event = fact.event
            if event is not None and event.kind == "move.read":
                is_open.append(event.ply)
            elif event is not None and event.kind in ("move.unread", "move.taken-back", "move.final"):
                is_open.remove(event.ply)
        assert [ply.number for ply in again.table._state.open_plies] == is_open, f"after row {cut}"
        most = max(most, len(is_open))
        if again.table.result is None and again.table.public_game is not None:
            again.table.apply(Reopen(), 0)
            again.table.apply(Agreed(0), 0)
            assert not again.table._state.open_plies
    assert most == 2


def test_a_journal_without_causes_is_proven_and_not_gone_on_with(tmp_path: Path) -> None:
    """Its first rows are all that is left, as if the table had been killed: one line says that nobody can go on from there."""
    folder = shutil.copytree(JOURNALS / WITHOUT_CAUSES, tmp_path / "games" / "game")
    assert {row.public["cause"] for row in public_rows(folder / "journal.sqlite")} == {None}
    record, found = audit_journal(folder / "journal.sqlite", folder / "journal.key")
    assert record is not None
    assert (len(record.plies), found.wrong) == (104, ())
    assert "9 of 9 verdicts follow from the ranks" in found.proven
    notes: list[str] = []
    assert find(tmp_path, "game", rule_set, notes.append) is None
    (said,) = notes
    assert "cannot be gone on with" in said


def test_every_event_is_in_an_old_journal(tmp_path: Path) -> None:
    """So that a change of its fields without a new version is found here."""
    folders = list(shutil.copytree(JOURNALS, tmp_path / "journals").iterdir())
    rows = [row for folder in folders for row in public_rows(folder / "journal.sqlite")]
    assert {folder.name for folder in folders} == {*ENDS, WITHOUT_CAUSES}
    assert set(EVENTS) - {row.type for row in rows} == NOT_YET


def test_an_old_chain_is_still_whole_and_signed(tmp_path: Path) -> None:
    """By both handsets and the station; journals of before have none, and are no worse for it."""
    for day in ENDS:
        folder = shutil.copytree(JOURNALS / day, tmp_path / day)
        _, found = audit_journal(folder / "journal.sqlite", folder / "journal.key")
        signed = ("red", "blue", "station") if day == "2026-11-chain" else ()
        assert (found.chain.state, found.chain.signed) == ("complete" if signed else "none", signed)
