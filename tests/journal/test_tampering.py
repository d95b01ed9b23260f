"""Nothing that was done to a journal's file stays unseen, and a bad file is one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.journal.errors import (
    JournalDamagedError,
    JournalError,
    JournalFormatError,
    JournalKeyError,
    JournalMissingError,
)
from referee.journal.journal import Journal, public_rows
from referee.journal.stored import COLUMNS, row_hash
from tests.amount import tries
from tests.journal.folders import Folder

TAMPERINGS: dict[str, tuple[str, int]] = {
    "a public part was edited": ("UPDATE rows SET public = replace(public, 'a5', 'a6') WHERE seq = 5", 4),
    "a public part in the middle was edited": ("UPDATE rows SET public = '{}' WHERE seq = 3", 2),
    "a type was edited": ("UPDATE rows SET type = 'ready' WHERE seq = 1", 0),
    "a time was edited": ("UPDATE rows SET wall_ms = wall_ms + 1 WHERE seq = 4", 3),
    "a version was edited": ("UPDATE rows SET version = version + 1 WHERE seq = 4", 3),
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


ENDLESS = """CREATE VIEW rows AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i AS seq, 'opened' AS type, 1 AS version, 1 AS wall_ms, 1 AS monotonic_ms, '{}' AS public,
NULL AS sealed, zeroblob(32) AS before, zeroblob(32) AS mark FROM n"""
SCHEMAS = {
    "endless rows": ("ALTER TABLE rows RENAME TO kept", ENDLESS),
    "endless head": ("ALTER TABLE head RENAME TO kept", ENDLESS.replace("VIEW rows", "VIEW head")),
    "a view beside them": (ENDLESS.replace("VIEW rows", "VIEW more"),),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END",),
    "a table beside them": ("CREATE TABLE more (x)",),
    "an index": ("CREATE INDEX more ON rows (type)",),
    "a column more": ("ALTER TABLE rows ADD COLUMN more TEXT AS (hex(zeroblob(9)))",),
}


@pytest.mark.parametrize("statements", SCHEMAS.values(), ids=SCHEMAS.keys())
def test_only_a_journals_own_tables_are_read(folder: Folder, statements: tuple[str, ...]) -> None:
    """Anything else in the schema is refused before a row is asked for: a view may never end, a trigger writes."""
    folder.spoil(*statements)
    before, saved = folder.path.read_bytes(), folder.path.with_name("saved.journal")
    for act in (
        folder.open,
        lambda: public_rows(folder.path),
        lambda: Journal.salvage(folder.path, folder.key_path, saved),
    ):
        with pytest.raises(JournalDamagedError, match="its tables are not those of a journal"):
            act()
    assert folder.path.read_bytes() == before
    assert not saved.exists()


def test_a_value_may_not_fill_the_memory(folder: Folder) -> None:
    """Pages in a ring hold a value of any length; SQLite is told how long one may be."""
    folder.spoil("UPDATE rows SET public = printf('%.*c', 16000001, 'x') WHERE seq = 2")
    with pytest.raises(JournalDamagedError, match="too big"):
        public_rows(folder.path)


def test_a_chain_computed_anew_without_the_key_is_found(folder: Folder) -> None:
    """Somebody who edits a row and mends all hashes after it still lacks the marks."""
    base = sqlite3.connect(folder.path, isolation_level=None)
    base.execute("UPDATE rows SET public = '{}' WHERE seq = 4")
    row = base.execute(f"SELECT {COLUMNS} FROM rows WHERE seq = 4").fetchone()
    base.execute("UPDATE rows SET before = ? WHERE seq = 5", (row_hash(row),))
    base.close()
    with pytest.raises(JournalDamagedError) as caught:
        folder.open()
    assert caught.value.last_good == 3


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1]", '"ply"'])
def test_rows_that_fit_and_hold_nonsense_are_damage(folder: Folder, text: str) -> None:
    """Without the key a chain that was computed anew looks whole: a row without an object in it is damage then, and none is good."""
    with closing(sqlite3.connect(folder.path, isolation_level=None)) as base:
        base.execute("UPDATE rows SET public = ?, version = 1 WHERE seq = 5", (text,))
        row = base.execute(f"SELECT {COLUMNS} FROM rows WHERE seq = 5").fetchone()
        base.execute("UPDATE head SET hash = ?", (row_hash(row),))
    folder.path.with_name(f"{folder.path.name}-head").unlink()
    with pytest.raises(JournalDamagedError, match="a row holds what no journal holds") as caught:
        public_rows(folder.path)
    assert caught.value.last_good == 0


@settings(max_examples=tries(40), deadline=None)
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
    assert (
        folder.path.with_name("saved.journal-wal").stat().st_size == 0
    )  # else damage there would take all of it again
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
