"""How a journal lies on disk, computed a second time from docs/reference/journal.md; its key; and the words of its errors."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from nacl.secret import SecretBox

from referee.journal import journal as journals
from referee.journal import sealing, stored
from referee.journal.errors import (
    JournalDamagedError,
    JournalError,
    JournalFormatError,
    JournalKeyError,
    JournalMissingError,
    JournalWriteError,
    UnknownEventError,
)
from referee.journal.events import JournalEvent, fact_of, upcast
from referee.journal.journal import Journal, public_rows
from referee.journal.sealing import JournalKey, as_ranks, disclosed
from referee.rules.hidden import Hidden
from referee.rules.values import Rank
from tests.journal.folders import Folder, hide


def with_lengths(*parts: bytes) -> bytes:
    """Return parts in a row, each after its length as 8 bytes, high byte first."""
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def blake(*parts: bytes, key: bytes = b"") -> bytes:
    """Return the BLAKE2b-256 of parts after their lengths."""
    return hashlib.blake2b(with_lengths(*parts), digest_size=32, key=key).digest()


def derived(folder: Folder, purpose: bytes) -> bytes:
    """Return one of the two keys that come from the key file."""
    secret = base64.urlsafe_b64decode(folder.key_path.read_text())
    assert len(secret) == 32
    assert folder.key_path.read_text().endswith("=\n")
    return hashlib.blake2b(secret, digest_size=32, person=b"hallmarshal " + purpose).digest()


def number(value: int) -> bytes:
    """Return a number as decimal text."""
    return str(value).encode()


def test_rows_head_and_head_file_are_as_documented(folder: Folder) -> None:
    """Whoever has the document, the file and its key can check every byte: chain, marks, sealed parts, both slots."""
    folder.open().close()  # which begins its head file anew
    mac = derived(folder, b"mac")
    with closing(sqlite3.connect(folder.path)) as base:
        rows = base.execute("SELECT * FROM rows ORDER BY seq").fetchall()
        ((only, journal, key_mark, seq, last, mark),) = base.execute("SELECT * FROM head")
        pragmas = [base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    assert (pragmas, only, len(journal)) == ([0x484D4A31, 1], 1, 16)
    before = blake(b"hallmarshal journal", journal)
    for at, (row, word, version, wall, monotonic, public, sealed, chained, marked) in enumerate(rows, start=1):
        assert (row, chained) == (at, before)
        told = b"-" if sealed is None else b"+" + sealed
        parts = (number(row), number(version), number(wall), number(monotonic), word.encode(), public.encode(), told)
        assert marked == blake(b"row", *parts, before, key=mac)
        before = blake(*parts, before)
    assert (seq, last) == (5, before)
    assert key_mark == blake(b"key", journal, key=mac)
    assert mark == blake(b"head", journal, b"5", last, key=mac)
    slot = (5).to_bytes(8, "big") + last + blake(b"hallmarshal head", b"5", last)
    assert folder.path.with_name("table.journal-head").read_bytes() == 2 * slot.ljust(4096, b"\0")
    plain = SecretBox(derived(folder, b"seal")).decrypt(rows[1][6])
    body = journal + (2).to_bytes(8, "big") + b'{"a1":"flag","b1":"marshal"}'
    assert plain == (len(body).to_bytes(4, "big") + body).ljust(256, b"\0")


def test_times_are_milliseconds(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the machine's clock since 1970, and by one that never jumps back; how long ago the last row was is never below 0."""
    journal = folder.open()
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000_999_999)
    monkeypatch.setattr(time, "monotonic_ns", lambda: 86_400_000_999_999)
    journal.append(JournalEvent("ask", {}))
    row = list(journal.rows())[-1]
    assert (row.wall_ms, row.monotonic_ms) == (1_700_000_000_000, 86_400_000)
    assert journal.last_ago_ms == 0
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_001_234_000_000)
    assert journal.last_ago_ms == 1234
    monkeypatch.setattr(time, "time_ns", lambda: 1_600_000_000_000_000_000)
    assert journal.last_ago_ms == 0
    journal.close()
    with closing(Journal.create(folder.path.with_name("fresh"), folder.key_path)) as fresh:
        assert (fresh.last_ago_ms, fresh.last_seq, fresh.append_many([])) == (0, 0, 0)


# ---- what is sealed

KEY = JournalKey(bytes(range(32)))
PLACE = b"a place"


def of_length(length: int) -> Hidden[Mapping[str, str]]:
    """Return a secret whose body, place and JSON, has this length."""
    return Hidden({"a": "x" * (length - len(PLACE) - len('{"a":""}'))})


@pytest.mark.parametrize(("length", "padded"), [(252, 256), (253, 4096), (4092, 4096), (4093, 65536), (65532, 65536)])
def test_what_is_sealed_is_padded_and_opened_again(length: int, padded: int) -> None:
    """To three sizes; a nonce and a tag come on top."""
    sealed = KEY.seal(of_length(length), PLACE)
    assert len(sealed) == padded + 40
    assert KEY.open(sealed, PLACE).open_hidden() == of_length(length).open_hidden()


def test_what_cannot_be_sealed_or_opened_says_so() -> None:
    """Too long, of another place or key, or no column at all."""
    with pytest.raises(JournalError) as caught:
        KEY.seal(of_length(65533), PLACE)
    assert str(caught.value) == "what is to be sealed has 65533 bytes, more than 65536"
    sealed = KEY.seal(of_length(100), PLACE)
    with pytest.raises(JournalKeyError) as other:
        KEY.open(sealed, b"elsewhere")
    assert str(other.value) == "a sealed column belongs to another row"
    for key, column in (
        (JournalKey(bytes(32)), sealed),
        (KEY, sealed[:-1]),
        (KEY, b""),
        (KEY, KEY.seal(of_length(90), b"")),
    ):
        with pytest.raises(JournalKeyError) as broken:
            key.open(column, PLACE if column else b"")
        assert str(broken.value) in (
            "a sealed column cannot be opened with this key",
            "a sealed column belongs to another row",
        )
    assert KEY.fits(KEY.mark(b"a", b"bc"), b"a", b"bc")
    assert not KEY.fits(KEY.mark(b"a", b"bc"), b"ab", b"c")


def test_words_that_come_back_are_ranks() -> None:
    """Or one error that repeats none of them."""
    ranks = disclosed(as_ranks(Hidden({"a1": "spy"})))
    assert ranks == {"a1": Rank.SPY}
    with pytest.raises(ValueError, match=r"^a sealed column holds a word that is no rank$"):
        as_ranks(Hidden({"a1": "king"}))
    assert disclosed(None) is None


def test_a_key_that_cannot_be_read_or_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, too short, a folder, in no folder, or behind a disk that fails: each names the file."""
    path = tmp_path / "journal.key"
    missing = f"{path}: the journal's key file is missing; without it no rank can be read"
    with pytest.raises(JournalKeyError) as caught:
        JournalKey.load(path)
    assert str(caught.value) == missing
    for make in (lambda: path.write_text("abcd\n"), path.unlink, path.mkdir):
        make()
        if path.exists():
            with pytest.raises(JournalKeyError) as caught:
                JournalKey.load_or_create(path)
            assert str(caught.value) == f"{path}: no key can be read from this file"
    nowhere = tmp_path / "no" / "key"
    with pytest.raises(JournalKeyError) as caught:
        JournalKey.load_or_create(nowhere)
    assert str(caught.value) == f"{nowhere}: the journal's key cannot be written (No such file or directory)"

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sealing, "read_start", fail)
    with pytest.raises(JournalWriteError) as broken:
        JournalKey.load(path)
    assert str(broken.value) == f"{path}: the journal's key cannot be read (Input/output error)"


# ---- the words of errors


def message(act: Callable[[], object]) -> str:
    """Return the words of the journal's error that this ends with."""
    with pytest.raises(JournalError) as caught:
        act()
    return str(caught.value)


def test_every_error_names_its_file(folder: Folder) -> None:
    """Of files that are not there or there already, no journals, of another key, or of a later format."""
    path, key = folder.path, folder.key_path
    nothing = path.with_name("nothing")
    there = f"{path}: there is a journal already"
    assert message(lambda: Journal.create(path, key)) == there
    assert message(lambda: Journal.salvage(path, key, path)) == there
    gone = f"{nothing}: there is no journal here"
    assert message(lambda: Journal.open(nothing, key)) == gone
    assert message(lambda: public_rows(nothing)) == gone
    with pytest.raises(JournalMissingError):
        public_rows(nothing)
    other = path.with_name("other.key")
    JournalKey.load_or_create(other)
    assert message(lambda: Journal.open(path, other)) == f"{path}: this key belongs to another journal"
    for statement, said in (
        ("PRAGMA user_version = 2", "the journal has format 2, this program reads format 1"),
        ("PRAGMA application_id = 7", "this is no journal of Hallmarshal"),
    ):
        folder.spoil(statement)
        for act in (lambda: public_rows(path), folder.open, lambda: Journal.open(path, key, read_only=True)):
            assert message(act) == f"{path}: {said}"
    path.write_text("a1=red " * 1000)
    for act in (lambda: public_rows(path), folder.open):
        assert message(act) == f"{path}: this is no journal (file is not a database)"


DAMAGE = {
    "UPDATE rows SET public = '{}' WHERE seq = 3": ("row 3 was edited", "row 4 is missing or does not follow the one before", 2, 3),
    "DELETE FROM rows WHERE seq = 3": 2 * ("row 3 is missing or does not follow the one before",) + (2, 2),
    "DELETE FROM rows WHERE seq = 5": 2 * ("5 rows were written, the last ones are gone",) + (4, 4),
    "UPDATE head SET mark = zeroblob(32)": ("the head of the journal was edited", None, 5, 5),
    "DELETE FROM head": 2 * ("the head of the journal is gone",) + (0, 0),
    "CREATE TABLE more (x)": 2 * ("its tables are not those of a journal",) + (0, 0),
}  # fmt: skip


@pytest.mark.parametrize("statement", DAMAGE)
def test_damage_is_said_with_and_without_the_key(statement: str, folder: Folder) -> None:
    """What is wrong, and how far the journal is good; marks need the key."""
    with_key, without, good, public = DAMAGE[statement]
    folder.spoil(statement)
    for act in (folder.open, lambda: Journal.open(folder.path, folder.key_path, read_only=True)):
        assert message(act) == f"{folder.path}: {with_key}; good up to row {good}"
    if without is None:
        assert len(public_rows(folder.path)) == 5
    else:
        assert message(lambda: public_rows(folder.path)) == f"{folder.path}: {without}; good up to row {public}"


def test_a_sealed_part_that_its_mark_fits_but_no_key_opens_is_damage(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows before it are good."""
    monkeypatch.setattr(Journal, "_place", lambda _self, seq: seq.to_bytes(9))
    said = f"{folder.path}: the sealed part of row 2 cannot be opened; good up to row 1"
    assert message(folder.open) == said


def test_a_write_that_fails_names_the_journal(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever step of beginning, opening or writing it is."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = folder.path.with_name("fresh")
    said = "the journal cannot be written ([Errno 28] No space left on device)"
    for owner, name in ((Path, "chmod"), (journals, "_prepare"), (journals, "sync_folder"), (stored, "HeadFile")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            assert message(lambda: Journal.create(path, folder.key_path)) == f"{path}: {said}"
            path.unlink()
    for owner, name in ((journals, "_prepare"), (stored, "HeadFile")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            assert message(folder.open) == f"{folder.path}: {said}"
    second, journal = folder.open(), folder.open()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        assert message(lambda: journal.append(JournalEvent("ask", {}))) == f"{folder.path}: {said}"
    other = f"{folder.path}: another program writes this journal"
    assert message(lambda: second.append(JournalEvent("ask", {}))) == other
    journal.close()
    second.close()
    reader = Journal.open(folder.path, folder.key_path, read_only=True)
    opened = f"{folder.path}: the journal was opened readonly"
    assert message(lambda: reader.append(JournalEvent("ask", {}))) == opened
    reader.close()


def test_a_head_file_that_the_disk_does_not_give_is_one_line(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names that file, and calls nothing damaged."""

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(stored, "read_start", fail)
    said = f"{folder.path}-head: the head file cannot be read (Input/output error)"
    assert message(folder.open) == message(lambda: public_rows(folder.path)) == said


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (OSError(errno.EIO, "broken"), JournalWriteError, "the journal cannot be opened ([Errno 5] broken)"),
        (
            UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
            JournalFormatError,
            "this is no journal ('utf-8' codec can't ",
        ),
        (sqlite3.DatabaseError("no"), JournalFormatError, "this is no journal (no)"),
    ],
)
def test_whose_fault_it_is(error: Exception, kind: type[JournalError], said: str) -> None:
    """The disk's, or the file's: nothing is said of a journal that cannot be seen."""
    found = stored.unreadable(Path("a.journal"), error)
    assert type(found) is kind
    assert str(found).startswith(f"a.journal: {said}")


class NothingBesideIt(sqlite3.Connection):
    """A file in whose folder SQLite can write nothing, as on a disk that is mounted to be read only."""

    code = 0

    def execute(self, *given: Any) -> sqlite3.Cursor:
        """Refuse the first question."""
        if given[0] == "PRAGMA schema_version":
            error = sqlite3.OperationalError("nothing beside it")
            error.sqlite_errorcode = self.code
            raise error
        return super().execute(*given)


@pytest.mark.parametrize(
    ("code", "read"),
    [
        (sqlite3.SQLITE_CANTOPEN, True),
        (sqlite3.SQLITE_READONLY_CANTINIT, True),
        (sqlite3.SQLITE_IOERR, True),
        (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_CORRUPT, False),
    ],
)
def test_where_sqlite_can_write_nothing_a_copy_in_memory_is_read(
    code: int, read: bool, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what is in the log only, and never to be written; any other refusal is told."""
    journal = folder.open()
    journal.append(JournalEvent("ask", {"ply": 1}))
    real, asked = stored._connected, list[Path]()

    def connected(path: Path, wait_s: float) -> sqlite3.Connection:
        asked.append(path)
        if len(asked) > 1:
            return real(path, wait_s)
        return sqlite3.connect(path, factory=NothingBesideIt, isolation_level=None)

    monkeypatch.setattr(stored, "_connected", connected)
    monkeypatch.setattr(NothingBesideIt, "code", code)
    monkeypatch.chdir(folder.path.parent)
    before = sorted(os.listdir())
    if read:
        with closing(stored.connect_to_read(folder.path, 1.0)) as base:
            assert base.execute("SELECT max(seq) FROM rows").fetchone() == (6,)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                base.execute("DELETE FROM rows")
        assert [path.name for path in asked] == [folder.path.name] * 2
        assert not asked[1].exists()
    else:
        assert message(lambda: public_rows(folder.path)).startswith(f"{folder.path}: ")
        assert len(asked) == 1
    assert sorted(os.listdir()) == before
    journal.close()


@pytest.mark.parametrize(
    ("code", "of_the_disk"),
    [
        (sqlite3.SQLITE_BUSY, True),
        (sqlite3.SQLITE_IOERR_READ, True),
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_CORRUPT, False),
        (sqlite3.SQLITE_NOTADB, False),
        (sqlite3.SQLITE_CORRUPT_VTAB, False),
    ],
)
def test_what_sqlite_says_of_the_disk(code: int, of_the_disk: bool) -> None:
    """By its primary code; the others are the file's."""
    error = sqlite3.OperationalError("it said")
    error.sqlite_errorcode = code
    assert stored.is_of_the_disk(error) is of_the_disk
    assert isinstance(stored.unreadable(Path("a"), error), JournalWriteError) is of_the_disk


def test_events_that_are_no_facts_or_of_another_day_are_named(journal: Journal) -> None:
    """The type that is not known, the version, the row."""
    assert message(lambda: JournalEvent("party", {}).version) == "'party' is not in the table of events"
    with pytest.raises(UnknownEventError):
        journal.append(JournalEvent("party", {}))
    said = "the journal holds 'ask' version 9, which only a later program can read"
    assert message(lambda: upcast("ask", 9, {})) == said
    with pytest.raises(JournalFormatError):
        upcast("ask", 0, {})
    assert message(lambda: fact_of(next(journal.rows()))) == "row 1 (opened) holds no fact of a game"


def test_what_was_saved_says_from_where(folder: Folder) -> None:
    """The damaged file's name, and its last good row; what was there before is good in the new file as well."""
    folder.spoil("UPDATE rows SET public = '{}' WHERE seq = 5")
    target = folder.path.with_name("saved")
    with closing(Journal.salvage(folder.path, folder.key_path, target)) as saved:
        rows = list(saved.rows())
    assert json.loads(json.dumps(rows[-1].public)) == {"from": "table.journal", "last_good": 4}
    assert disclosed(rows[1].hidden) == {"a1": "flag", "b1": "marshal"}
    assert disclosed(hide({"a1": Rank.SPY})) == {"a1": Rank.SPY}
    with pytest.raises(JournalDamagedError):
        folder.open()
