"""The journal on a real SQLite file: what is written comes back, and nothing that was done to the file stays unseen."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.arbitration.step import Fact
from referee.arbitration.views import PublicEvent
from referee.journal import journal as journal_module
from referee.journal.errors import (
    JournalDamagedError,
    JournalError,
    JournalFormatError,
    JournalKeyError,
    JournalMissingError,
    JournalWriteError,
    UnknownEventError,
)
from referee.journal.events import JournalEvent
from referee.journal.facts import fact_of
from referee.journal.journal import Journal
from referee.journal.sealing import disclosed
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat


def hide(ranks: Mapping[str, Rank]) -> Hidden[Mapping[str, Rank]]:
    """Give ranks as they reach the journal."""
    return Hidden(ranks)


class Folder:
    """A folder with one journal of five rows, and a way to spoil it behind the journal's back."""

    def __init__(self, path: Path) -> None:
        self.path = path / "table.journal"
        self.key_path = path / "journal.key"
        clock = count(1_000)
        journal = Journal.create(
            self.path, self.key_path, wall_ms=lambda: next(clock), monotonic_ms=lambda: next(clock)
        )
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


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Give a folder with a journal of five rows."""
    return Folder(tmp_path)


@pytest.fixture
def journal(folder: Folder) -> Iterator[Journal]:
    """Give that journal, open."""
    opened = folder.open()
    yield opened
    opened.close()


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
    with pytest.raises(UnknownEventError):
        journal.append(JournalEvent("ask", {}, version=99))
    assert journal.last_seq == 5
    assert len(list(journal.rows())) == 5
    journal.close()


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
    """Journal, key and SQLite's own files have mode 0600."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {}))
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.path.parent.iterdir()}
    journal.close()
    assert set(modes.values()) == {0o600}
    assert len(modes) == 4


TAMPERINGS: dict[str, tuple[str, int]] = {
    "a public part was edited": ("UPDATE rows SET public = replace(public, 'a5', 'a6') WHERE seq = 5", 4),
    "a public part in the middle was edited": ("UPDATE rows SET public = '{}' WHERE seq = 3", 2),
    "a type was edited": ("UPDATE rows SET type = 'ready' WHERE seq = 1", 0),
    "a time was edited": ("UPDATE rows SET wall_ms = wall_ms + 1 WHERE seq = 4", 3),
    "a version was edited": ("UPDATE rows SET version = 2 WHERE seq = 4", 3),
    "a sealed part was damaged": ("UPDATE rows SET sealed = zeroblob(296) WHERE seq = 2", 1),
    "a sealed part was removed": ("UPDATE rows SET sealed = NULL WHERE seq = 2", 1),
    "a sealed part was put elsewhere": (
        "UPDATE rows SET sealed = (SELECT sealed FROM rows WHERE seq = 2) WHERE seq = 4",
        3,
    ),
    "a row was taken out": ("DELETE FROM rows WHERE seq = 3", 2),
    "the first row was taken out": ("DELETE FROM rows WHERE seq = 1", 0),
    "the last row was cut off": ("DELETE FROM rows WHERE seq = 5", 4),
    "all rows were cut off": ("DELETE FROM rows", 0),
    "a row was put in": (
        "INSERT INTO rows SELECT 6, type, version, wall_ms, monotonic_ms, public, sealed, before, mark FROM rows WHERE seq = 5",
        5,
    ),
    "two rows were exchanged": ("UPDATE rows SET seq = CASE seq WHEN 2 THEN -3 WHEN 3 THEN -2 ELSE seq END", 0),
    "the head was set back": ("UPDATE head SET seq = 4", 5),
    "the head was forged": ("UPDATE head SET mark = zeroblob(32)", 5),
    "the head was removed": ("DELETE FROM head", 0),
    "the table was dropped": ("DROP TABLE rows", 0),
}


@pytest.mark.parametrize(("statement", "last_good"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_tampering_is_found_with_the_last_good_row(folder: Folder, statement: str, last_good: int) -> None:
    """Whatever is done to the tables, opening says that the journal is damaged and how far it is good."""
    folder.spoil(statement)
    with pytest.raises(JournalDamagedError) as caught:
        folder.open()
    assert caught.value.last_good == last_good
    assert "\n" not in str(caught.value)


def test_a_chain_computed_anew_without_the_key_is_found(folder: Folder) -> None:
    """Somebody who edits a row and mends all hashes after it still lacks the marks."""
    base = sqlite3.connect(folder.path, isolation_level=None)
    base.execute("UPDATE rows SET public = '{}' WHERE seq = 4")
    columns = "seq, type, version, wall_ms, monotonic_ms, public, sealed, before, mark"
    row = base.execute(f"SELECT {columns} FROM rows WHERE seq = 4").fetchone()
    base.execute("UPDATE rows SET before = ? WHERE seq = 5", (journal_module._hash(row),))
    base.close()
    with pytest.raises(JournalDamagedError) as caught:
        folder.open()
    assert caught.value.last_good == 3


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_flipped_byte_goes_unseen(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whichever byte of the file is changed: either every row still reads as it was written, or a journal error says otherwise."""
    folder = Folder(tmp_path_factory.mktemp("flip"))
    sound = folder.open()
    written = [(row.seq, row.type, row.public, row.wall_ms) for row in sound.rows()]
    sound.close()
    content = bytearray(folder.path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    folder.path.write_bytes(content)
    try:
        opened = folder.open()
    except JournalError:
        return
    read = [(row.seq, row.type, row.public, row.wall_ms) for row in opened.rows()]
    opened.close()
    assert read == written


@pytest.mark.parametrize("keep", [0, 1, 100, 4096, 5000, 8192])
def test_a_file_that_was_cut_short_is_found(folder: Folder, keep: int) -> None:
    """A file that ends early is one journal error, whatever is left of it."""
    content = folder.path.read_bytes()
    assert keep < len(content)
    folder.path.write_bytes(content[:keep])
    with pytest.raises(JournalError) as caught:
        folder.open()
    assert "\n" not in str(caught.value)


def test_the_good_part_is_saved_and_the_saving_is_written_down(folder: Folder) -> None:
    """Salvage copies the good rows, says so in the next row, and leaves the damaged file alone."""
    folder.spoil("UPDATE rows SET public = '{}' WHERE seq = 4")
    before = folder.path.read_bytes()
    saved = Journal.salvage(folder.path, folder.key_path, folder.path.with_name("saved.journal"))
    rows = list(saved.rows())
    saved.close()
    assert [row.type for row in rows] == ["opened", "enrolled", "ready", "journal.salvaged"]
    assert rows[-1].public == {"from": "table.journal", "last_good": 3}
    assert folder.path.read_bytes() == before
    again = Journal.open(folder.path.with_name("saved.journal"), folder.key_path)
    assert again.last_seq == 4
    again.close()


def test_a_key_of_another_journal_is_refused(folder: Folder, tmp_path: Path) -> None:
    """The wrong key is told as such, not as damage."""
    other = tmp_path / "other"
    other.mkdir()
    Folder(other)
    with pytest.raises(JournalKeyError, match="another journal"):
        Journal.open(folder.path, other / "journal.key")


def _no_key(folder: Folder) -> None:
    folder.key_path.unlink()


def _short_key(folder: Folder) -> None:
    folder.key_path.write_text("abcd\n")


def _no_text_key(folder: Folder) -> None:
    folder.key_path.write_bytes(b"\xff\xfe\x00")


def _no_journal(folder: Folder) -> None:
    folder.path.unlink()


def _a_folder(folder: Folder) -> None:
    folder.path.unlink()
    folder.path.mkdir()


def _not_sqlite(folder: Folder) -> None:
    folder.path.write_text("a1=red " * 1000)


def _another_base(folder: Folder) -> None:
    folder.path.unlink()
    folder.spoil("CREATE TABLE rows (a)")


def _later_format(folder: Folder) -> None:
    folder.spoil("PRAGMA user_version = 2")


BAD_FILES: list[tuple[Callable[[Folder], None], type[JournalError]]] = [
    (_no_key, JournalKeyError),
    (_short_key, JournalKeyError),
    (_no_text_key, JournalKeyError),
    (_no_journal, JournalMissingError),
    (_a_folder, JournalMissingError),
    (_not_sqlite, JournalFormatError),
    (_another_base, JournalFormatError),
    (_later_format, JournalFormatError),
]


@pytest.mark.parametrize(("spoil", "error"), BAD_FILES)
def test_a_file_that_is_no_journal_is_one_clear_line(
    folder: Folder, spoil: Callable[[Folder], None], error: type[JournalError]
) -> None:
    """Every kind of bad file has its own error, in one line that names the file."""
    spoil(folder)
    with pytest.raises(error) as caught:
        folder.open()
    assert str(folder.path.parent) in str(caught.value)
    assert "\n" not in str(caught.value)


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
        thread.join()
    writer.close()
    assert seen == [7, 9, 11]
