"""The journal on a real SQLite file: what is written comes back, and what cannot be written says so."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from referee.journal import journal as journal_module
from referee.journal.errors import (
    JournalFormatError,
    JournalKeyError,
    JournalMissingError,
    JournalWriteError,
    UnknownEventError,
)
from referee.journal.events import JournalEvent, fact_of
from referee.journal.journal import Journal, public_rows
from referee.journal.sealing import disclosed
from referee.rules.values import Rank, Seat
from referee.table.step import Fact
from referee.table.views import PublicEvent
from tests.journal.folders import Folder, hide
from tests.patience import PATIENCE_S


def test_what_was_written_comes_back_in_order(journal: Journal) -> None:
    """Types, numbers, times, public parts and sealed parts are those that were written."""
    rows = list(journal.rows())
    assert [row.type for row in rows] == ["opened", "enrolled", "ready", "begin", "move.read"]
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
    assert [row.wall_ms for row in rows] == [1000, 1002, 1004, 1006, 1008]
    assert rows[4].public == {"ply": 1, "source": "a4", "target": "a5"}
    assert [row.hidden is not None for row in rows] == [False, True, False, False, False]
    assert journal.last_seq == 5


def test_a_second_start_goes_on_where_the_first_ended(folder: Folder) -> None:
    """Rows that are appended after opening continue the chain."""
    first = folder.open()
    assert first.append(JournalEvent("move.final", {"ply": 1})) == 6
    first.close()
    second = folder.open()
    assert [row.seq for row in second.rows()] == [1, 2, 3, 4, 5, 6]
    second.close()


def test_facts_of_arbitration_come_back_equal(folder: Folder) -> None:
    """A fact with an event, and one with hidden ranks only, survive the journal unchanged."""
    event = PublicEvent(
        game="g", seq=3, kind="verdict", ply=7, seat=Seat.RED, source="a4", target="a5", captured={Seat.BLUE: Rank.SPY}
    )
    facts = [Fact("verdict", 7, event, Seat.RED), Fact("declared", 7, None, Seat.BLUE, hide({"a5": Rank.SPY}))]
    journal = folder.open()
    journal.write(facts)
    back = [fact_of(row) for row in journal.rows() if row.seq > 5]
    journal.close()
    assert back[0] == facts[0]
    assert (back[1].kind, back[1].ply, back[1].event, back[1].seat) == ("declared", 7, None, Seat.BLUE)
    assert disclosed(back[1].hidden) == {"a5": Rank.SPY}


def test_the_facts_of_a_saved_game_leave_out_the_journals_own_rows(tmp_path: Path) -> None:
    """A game that was salvaged is gone on with from its own facts; that it was salvaged is no fact of it."""
    facts = [Fact(kind, 0, None, Seat.RED, cause={"input": "tick"}) for kind in ("ready", "paused", "resumed")]
    key_path, path, target = (tmp_path / name for name in ("journal.key", "a.journal", "saved.journal"))
    journal = Journal.create(path, key_path)
    journal.write(facts)
    journal.close()
    saved = Journal.salvage(path, key_path, target)
    assert [row.type for row in saved.rows()] == ["ready", "paused", "resumed", "journal.salvaged"]
    assert saved.facts() == facts
    saved.close()


def test_a_row_that_is_no_fact_says_so(journal: Journal) -> None:
    """A row without the fields of a fact is one clear error, not a broken fact."""
    with pytest.raises(JournalFormatError, match="row 1"):
        fact_of(next(journal.rows()))


def test_what_is_appended_is_on_disk_before_it_returns(folder: Folder) -> None:
    """Another connection sees the row at once, and the file is in WAL mode with full synchronisation."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {"ply": 1}))
    other = sqlite3.connect(folder.path)
    assert other.execute("SELECT max(seq) FROM rows").fetchone() == (6,)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()
    base = journal._base
    assert base.execute("PRAGMA synchronous").fetchone() == (2,)  # 2 is FULL: an fsync at every commit
    journal.close()


def test_events_of_one_step_are_written_all_or_none(folder: Folder) -> None:
    """An event that cannot be written takes the others of its step with it."""
    journal = folder.open()
    with pytest.raises(UnknownEventError):
        journal.append_many([JournalEvent("ask", {}), JournalEvent("no-such-thing", {})])
    assert journal.last_seq == 5
    assert len(list(journal.rows())) == 5
    journal.close()


def test_the_log_says_which_journal_was_made_and_how_many_rows_were_found_good(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    """At `info`: who looks for a game finds its file, and what there was of it."""
    caplog.set_level("INFO", "referee.journal")
    folder.open().close()
    fresh = folder.path.with_name("fresh.sqlite")
    Journal.create(fresh, folder.path.with_name("fresh.key")).close()
    assert [record.getMessage() for record in caplog.records] == [
        f"{folder.path}: 5 rows, all of them good",
        f"{fresh}: a new journal",
    ]


def test_no_rank_stands_in_the_file_or_the_log(folder: Folder, caplog: pytest.LogCaptureFixture) -> None:
    """Canary ranks are found in no file of the folder, and in no repr of what was read."""
    journal = folder.open()
    journal.append(JournalEvent("declared", {"ply": 2}, hide({"d5": Rank.LIEUTENANT})))
    shown = "".join(repr(row) for row in journal.rows()) + repr(journal) + caplog.text
    bytes_ = b"".join(path.read_bytes() for path in folder.path.parent.iterdir())
    journal.close()
    for rank in Rank:
        assert (
            len(rank.value) < 5 or rank.value.encode() not in bytes_
        )  # a short word may come up in ciphertext by chance
        assert rank.value not in shown


def test_sealed_columns_tell_nothing_by_their_length(folder: Folder) -> None:
    """A declared spy and a declared lieutenant make columns of one length; so do two different set-ups."""
    journal = folder.open()
    for rank in Rank:
        journal.append(JournalEvent("declared", {"ply": 2}, hide({"d5": rank})))
    journal.append(JournalEvent("enrolled", {}, hide({f"{c}{r}": Rank.SPY for c in "abcdefghij" for r in range(1, 5)})))
    journal.append(
        JournalEvent("enrolled", {}, hide({f"{c}{r}": Rank.LIEUTENANT for c in "abcdefghij" for r in range(1, 5)}))
    )
    lengths = [
        length for (length,) in journal._base.execute("SELECT length(sealed) FROM rows WHERE seq > 5 ORDER BY seq")
    ]
    journal.close()
    assert set(lengths[: len(Rank)]) == {256 + 40}
    assert set(lengths[len(Rank) :]) == {4096 + 40}


def test_files_are_for_their_owner_only(folder: Folder) -> None:
    """Journal, key, head file and SQLite's own files have mode 0600."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {}))
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.path.parent.iterdir()}
    journal.close()
    assert set(modes.values()) == {0o600}
    assert len(modes) == 5


def test_a_journal_is_never_written_over(folder: Folder) -> None:
    """Creating where one is, or saving onto one, is refused."""
    with pytest.raises(JournalMissingError):
        Journal.create(folder.path, folder.key_path)
    with pytest.raises(JournalMissingError):
        Journal.salvage(folder.path, folder.key_path, folder.path)


def test_a_full_disk_writes_nothing_and_says_so(folder: Folder) -> None:
    """When SQLite runs out of room the error is clear, the chain is unbroken, and writing goes on once there is room."""
    journal = folder.open()
    (pages,) = journal._base.execute("PRAGMA page_count").fetchone()
    journal._base.execute(f"PRAGMA max_page_count = {pages}")
    long = JournalEvent("ask", {"text": "x" * 20_000})
    with pytest.raises(JournalWriteError, match="full"):
        journal.append(long)
    assert journal.last_seq == 5
    journal._base.execute("PRAGMA max_page_count = 100000")
    assert journal.append(long) == 6
    journal.close()
    folder.open().close()


def test_a_read_only_disk_writes_nothing_and_says_so(folder: Folder) -> None:
    """A write to a journal that may only be read is one clear error; reading works."""
    journal = Journal.open(folder.path, folder.key_path, read_only=True)
    with pytest.raises(JournalWriteError, match="readonly"):
        journal.append(JournalEvent("ask", {}))
    assert len(list(journal.rows())) == 5
    journal.close()


def test_a_game_is_read_to_its_end_where_nothing_may_be_written_beside_it(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite reads a log with the help of a third file; where there can be none, what stands in the log is read all the same."""
    journal = folder.open()
    journal.append_many([JournalEvent("ask", {"ply": 1}), JournalEvent("restored", {"ply": 1})])
    beside = folder.path.parent / "copied"
    shutil.copytree(folder.path.parent, beside)
    journal.close()
    copied = beside / folder.path.name
    copied.with_name(f"{copied.name}-shm").unlink()
    copied.with_name(f"{copied.name}-shm").mkdir()  # stops root as well, unlike a mode
    before = sorted(path.name for path in beside.iterdir())
    monkeypatch.chdir(beside)
    assert [row.seq for row in public_rows(copied)] == [1, 2, 3, 4, 5, 6, 7]
    reader = Journal.open(copied, folder.key_path, read_only=True)
    assert [row.seq for row in reader.rows()] == [1, 2, 3, 4, 5, 6, 7]
    reader.close()
    assert sorted(path.name for path in beside.iterdir()) == before


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    """Neither key nor journal can be made in a folder that does not exist."""
    with pytest.raises(JournalKeyError):
        Journal.create(tmp_path / "no" / "a.journal", tmp_path / "no" / "key")
    with pytest.raises(JournalWriteError):
        Journal.create(tmp_path / "no" / "a.journal", tmp_path / "key")


def test_two_writers_are_not_mixed(folder: Folder) -> None:
    """A second program that writes between two of our rows is found at our next write; its rows stay as they are."""
    first, second = folder.open(), folder.open()
    second.append(JournalEvent("ask", {}))
    with pytest.raises(JournalWriteError, match="another program"):
        first.append(JournalEvent("restored", {}))
    first.close()
    second.close()
    third = folder.open()
    assert [row.type for row in third.rows()][-1] == "ask"
    third.close()


def test_a_long_writer_elsewhere_is_waited_for_only_so_long(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that another program holds is a clear error after the stated patience."""
    monkeypatch.setattr(journal_module, "_BUSY_S", 0.05)
    journal = folder.open()
    other = sqlite3.connect(folder.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalWriteError, match="locked"):
        journal.append(JournalEvent("ask", {}))
    other.execute("ROLLBACK")
    other.close()
    assert journal.append(JournalEvent("ask", {})) == 6
    journal.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_somebody_else_has_is_not_called_broken(
    folder: Folder, read_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be read just now is no damaged journal, and no file of another kind: nobody may go on without it."""
    monkeypatch.setattr(journal_module, "_BUSY_S", 0.05)
    other = sqlite3.connect(folder.path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(JournalWriteError, match="cannot be opened"):
        Journal.open(folder.path, folder.key_path, read_only=read_only)
    with pytest.raises(JournalWriteError, match="cannot be opened"):
        public_rows(folder.path)
    other.execute("ROLLBACK")
    other.close()
    folder.open().close()


def test_a_reader_may_look_while_the_game_goes_on(folder: Folder) -> None:
    """Another thread reads a verified journal while rows are appended, and sees only whole steps."""
    writer = folder.open()
    seen: list[int] = []

    def read() -> None:
        reader = Journal.open(folder.path, folder.key_path, read_only=True)
        seen.append(len(list(reader.rows())))
        reader.close()

    for _ in range(3):
        writer.append_many([JournalEvent("ask", {}), JournalEvent("restored", {})])
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(PATIENCE_S)
    writer.close()
    assert seen == [7, 9, 11]


def test_a_checkpoint_moves_the_log_into_the_file(folder: Folder) -> None:
    """Nothing is lost by it, and the journal is gone on with."""
    log = folder.path.with_name(f"{folder.path.name}-wal")
    journal = folder.open()
    journal.append(JournalEvent("ask", {"ply": 1}))
    assert log.stat().st_size > 0
    journal.checkpoint()
    assert log.stat().st_size == 0
    journal.append(JournalEvent("restored", {"ply": 1}))
    journal.close()
    assert [row.type for row in public_rows(folder.path)][-2:] == ["ask", "restored"]


def test_a_checkpoint_waits_for_no_reader(folder: Folder) -> None:
    """Somebody who reads keeps the log, and holds nobody up; a closed journal has no log any more."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {"ply": 1}))
    reader = Journal.open(folder.path, folder.key_path, read_only=True)
    journal.append(JournalEvent("restored", {"ply": 1}))
    journal.checkpoint()
    assert folder.path.with_name(f"{folder.path.name}-wal").stat().st_size > 0
    assert len(list(reader.rows())) == 6
    reader.close()
    journal.append(JournalEvent("ask", {"ply": 1}))
    journal.close()
    journal.checkpoint()
    assert len(public_rows(folder.path)) == 8
