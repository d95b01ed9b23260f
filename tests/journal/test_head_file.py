"""The head file beside a journal: a journal may be ahead of it, never behind it."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.journal import stored
from referee.journal.errors import JournalDamagedError, JournalError, JournalWriteError
from referee.journal.events import JournalEvent
from referee.journal.journal import Journal, public_rows
from referee.journal.proof import audit_journal
from referee.journal.stored import Head, read_head
from tests.amount import tries
from tests.journal.folders import Folder
from tests.patience import PATIENCE_S

BLOCK = 4096


def head_path(folder: Folder) -> Path:
    """Return where the head file lies."""
    return folder.path.with_name("table.journal-head")


def append(folder: Folder, rows: int) -> None:
    """Append rows, one commit each."""
    journal = folder.open()
    for _ in range(rows):
        journal.append(JournalEvent("ask", {"ply": 1}))
    journal.close()


def test_it_holds_the_last_row_of_every_commit(folder: Folder) -> None:
    """When `append` returns, and before it is closed."""
    journal = folder.open()
    for seq in (6, 7, 8):
        journal.append(JournalEvent("ask", {"ply": 1}))
        assert read_head(folder.path) == Head(seq, journal._hash)
    assert head_path(folder).stat().st_size == 2 * BLOCK
    journal.close()


def test_an_older_copy_of_the_journal_is_found(folder: Folder) -> None:
    """Whole and in order by itself, it ends before the row that the head file names."""
    shutil.copyfile(folder.path, older := folder.path.with_name("older"))
    append(folder, 3)
    shutil.copyfile(older, folder.path)
    for read in (folder.open, lambda: public_rows(folder.path)):
        with pytest.raises(JournalDamagedError, match="8 rows were written, the last ones are gone") as caught:
            read()
        assert caught.value.last_good == 5
    _, found = audit_journal(folder.path, folder.key_path)
    assert [one.what for one in found.wrong] == ["journal"]


def test_another_game_under_the_same_numbers_is_found(folder: Folder) -> None:
    """What was gone on with from an older copy, by a program that knew nothing of the head file, is not what was heard."""
    shutil.copyfile(folder.path, older := folder.path.with_name("older"))
    append(folder, 3)
    shutil.copyfile(head_path(folder), heard := folder.path.with_name("heard"))
    shutil.copyfile(older, folder.path)
    head_path(folder).unlink()
    append(folder, 5)
    shutil.copyfile(heard, head_path(folder))
    with pytest.raises(JournalDamagedError, match="row 8 is not the one that was written") as caught:
        folder.open()
    assert caught.value.last_good == 7


def test_a_journal_without_one_is_taken_up(folder: Folder) -> None:
    """One of earlier days, or a copy: it is read as before, and its head file begins when it is gone on with."""
    head_path(folder).unlink()
    assert len(public_rows(folder.path)) == 5
    assert read_head(folder.path) is None
    append(folder, 1)
    found = read_head(folder.path)
    assert found is not None
    assert found.seq == 6


@pytest.mark.parametrize("slot", [0, 1])
def test_a_slot_that_was_cut_off_in_its_middle(slot: int, folder: Folder) -> None:
    """The other slot counts; the journal is at most one commit ahead of that."""
    append(folder, 2)
    content = bytearray(head_path(folder).read_bytes())
    content[slot * BLOCK + 20] ^= 1
    head_path(folder).write_bytes(content)
    found = read_head(folder.path)
    assert found is not None
    assert found.seq in (6, 7)
    folder.open().close()


@pytest.mark.parametrize("content", [b"", bytes(2 * BLOCK), b"x" * 10])
def test_one_that_cannot_be_read_is_told(content: bytes, folder: Folder) -> None:
    """Then nobody knows whether rows are missing; all that are there are good."""
    head_path(folder).write_bytes(content)
    with pytest.raises(JournalDamagedError, match="head file cannot be read") as caught:
        folder.open()
    assert caught.value.last_good == 5
    saved = Journal.salvage(folder.path, folder.key_path, folder.path.with_name("saved"))
    assert [row.type for row in saved.rows()][-2:] == ["move.read", "journal.salvaged"]
    saved.close()


def test_one_of_another_game_is_told(folder: Folder, tmp_path: Path) -> None:
    """A longer game's: rows seem to be missing; a shorter one's: its last row is not the one here."""
    (tmp_path / "other").mkdir()
    other = Folder(tmp_path / "other")
    for longer, said in (
        (0, "row 5 is not the one that was written"),
        (3, "8 rows were written, the last ones are gone"),
    ):
        append(other, longer)
        shutil.copyfile(head_path(other), head_path(folder))
        with pytest.raises(JournalDamagedError, match=said):
            folder.open()


def test_a_folder_in_its_place_is_one_clear_line(folder: Folder) -> None:
    """Nobody knows then what it said, and the journal is not called damaged."""
    head_path(folder).unlink()
    head_path(folder).mkdir()
    with pytest.raises(JournalWriteError, match="the head file cannot be read"):
        folder.open()


@pytest.mark.parametrize("name", ["table.journal-head", "journal.key"])
@pytest.mark.parametrize("endless", [False, True])
def test_what_never_ends_is_no_file_of_a_journal(name: str, endless: bool, folder: Folder) -> None:
    """A pipe that nobody writes to, or a device without an end, in a folder that a stranger packed: refused at once."""
    path = folder.path.with_name(name)
    path.unlink()
    if endless:
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    with pytest.raises(JournalError, match=r"head file cannot be read|no key can be read"):
        folder.open()


def test_killed_between_commit_and_head(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is in the journal, and nobody has heard of it: the journal is ahead, and is gone on with."""

    def fail(handle: int) -> None:
        raise OSError(5, "Input/output error")

    journal = folder.open()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(JournalWriteError, match="cannot be written"):
            journal.append(JournalEvent("ask", {"ply": 1}))
    shutil.copyfile(head_path(folder), as_before := folder.path.with_name("as-before"))
    content = bytearray(as_before.read_bytes())
    content[BLOCK:] = content[:BLOCK]  # the write to the second slot never came to the disk
    head_path(folder).write_bytes(content)
    journal.close()
    again = folder.open()
    assert again.last_seq == 6
    again.close()


@pytest.mark.parametrize("name", ["table.journal", "table.journal-wal", "table.journal-head", "journal.key"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_taken_away_is_noticed(name: str, replaced: bool, folder: Folder) -> None:
    """A deleted file goes on taking what is written, a key is needed to read it again: the next write says that it is gone."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {"ply": 1}))
    path = folder.path.with_name(name)
    content = path.read_bytes()
    with path.open("rb"):  # else the number of the deleted file may be given out again
        path.unlink()
        if replaced:
            path.write_bytes(content)
        with pytest.raises(JournalWriteError, match=f"{name}: the file was deleted or replaced"):
            journal.append(JournalEvent("ask", {"ply": 1}))
    journal.close()


def read_public(folder: Folder) -> int:
    """Return how many rows a reader without the key finds."""
    return len(public_rows(folder.path))


def read_with_key(folder: Folder) -> int:
    """Return how many rows a reader with the key finds."""
    journal = Journal.open(folder.path, folder.key_path, read_only=True)
    try:
        return len(list(journal.rows()))
    finally:
        journal.close()


@pytest.mark.parametrize("read", [read_public, read_with_key])
def test_a_journal_that_is_being_written_is_no_damaged_one(
    read: Callable[[Folder], int], folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that come while it is read are not looked for, wherever the reader is by then."""
    writer = folder.open()
    real = {name: getattr(stored, name) for name in ("read_head", "check_format", "stored_head")}

    def then_append(name: str) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            found = real[name](*arguments)
            writer.append(JournalEvent("ask", {"ply": 1}))
            return found

        return call

    for name in real:
        before = writer.last_seq
        with monkeypatch.context() as patch:
            patch.setattr(stored, name, then_append(name))
            assert before <= read(folder) <= writer.last_seq
    writer.close()


@pytest.mark.parametrize("read", [read_public, read_with_key])
def test_a_reader_beside_a_busy_writer(read: Callable[[Folder], int], folder: Folder) -> None:
    """A hundred times while rows are written as fast as they can be, as many as a reader reads quickly."""
    writer = folder.open()
    enough = threading.Event()

    def look() -> None:
        try:
            counts = [read(folder) for _ in range(tries(100))]
            assert counts == sorted(counts)
        except BaseException as error:
            failures.append(error)
        finally:
            enough.set()

    failures: list[BaseException] = []
    thread = threading.Thread(target=look)
    thread.start()
    while not enough.is_set() and writer.last_seq < 500:
        writer.append(JournalEvent("ask", {"ply": 1}))
    thread.join(PATIENCE_S)
    writer.close()
    assert failures == []


def test_the_head_file_is_synced_after_the_commit(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a commit, when the rows are there for everybody already."""
    journal = folder.open()
    real, seen = os.fdatasync, list[int]()

    def sync(handle: int) -> None:
        seen.append(read_public(folder))
        real(handle)

    monkeypatch.setattr(os, "fdatasync", sync)
    journal.append_many([JournalEvent("ask", {"ply": 1}), JournalEvent("restored", {"ply": 1})])
    journal.append(JournalEvent("ask", {"ply": 1}))
    journal.close()
    assert seen == [7, 8]
