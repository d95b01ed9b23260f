"""The journal: an append-only SQLite file, one row an event, each with the hash of the row before.

WAL and synchronous=FULL: when `append` returns, the row survives a power cut. Each row also has a mark that only the
holder of the key can compute, so a chain that was computed again after an edit is found as well. The `head` table holds number, hash
and mark of the last row, renewed in every transaction, so rows cut from the end are found. Rows that SQLite itself drops, since its
log was damaged, and an older copy of the whole file are found by the head file beside it (`stored`).

For one thread at a time. A failed write leaves the object as the file is: without the rows, or with rows that nobody may hear of.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from referee.journal import stored
from referee.journal.errors import JournalDamagedError, JournalKeyError, JournalMissingError, JournalWriteError
from referee.journal.events import JournalEvent, JournalRow, event_of, fact_of, upcast
from referee.journal.sealing import JournalKey
from referee.private_file import sync_folder
from referee.table.step import Fact

_log = logging.getLogger(__name__)

_BUSY_S = 1.0
_Aside = tuple[str, dict[str, Any], bytes | None]
"""Type, public part and sealed part of a row that is to be."""


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class Journal:
    """An open journal. Made by `create`, `open` or `salvage`."""

    def __init__(self, path: Path, base: sqlite3.Connection, key: JournalKey, promised: stored.Head | None) -> None:
        self.path = path
        self._base = base
        self._key = key
        self._promised = promised
        self._head_file: stored.HeadFile | None = None  # of a journal that is written
        self._id, self._seq, self._hash = _read_head(path, base, key)

    @classmethod
    def create(cls, path: Path, key_path: Path) -> Journal:
        """Begin a new journal at a path where there is none; the key is read from its file, or made there when it is missing.

        Raises a `JournalError`.
        """
        if path.exists():
            raise JournalMissingError(f"{path}: there is a journal already")
        key = JournalKey.load_or_create(key_path)
        _log.info("%s: a new journal", path)
        return cls._begin(path, key, key_path, secrets.token_bytes(16))

    @classmethod
    def open(cls, path: Path, key_path: Path, *, read_only: bool = False) -> Journal:
        """Open a journal after verifying every row of it. Raises a `JournalError`; a damaged one says how far it is good.

        One that is only read stays as it was when it was opened, whatever is written to it meanwhile.
        """
        with contextlib.ExitStack() as stack:
            journal = cls._opened(path, key_path, True)  # SQLite clears a damaged log away once it may write
            stack.callback(journal.close)
            for _ in journal.rows():
                pass
            if read_only:
                stack.pop_all()
                return journal
        _log.info("%s: %d rows, all of them good", path, journal.last_seq)
        return cls._opened(path, key_path, False)

    @classmethod
    def salvage(cls, path: Path, key_path: Path, target: Path) -> Journal:
        """Copy the good rows of a damaged journal to a new file, and write there as the next row that this was done.

        The damaged file stays as it is. Raises a `JournalError` when nothing can be read at all.
        """
        if target.exists():
            raise JournalMissingError(f"{target}: there is a journal already")
        with contextlib.closing(cls._opened(path, key_path, True)) as damaged:
            good: list[stored.Columns] = []
            with contextlib.suppress(JournalDamagedError):
                for row in damaged._verified():
                    good.append(row)  # one by one: those before the damage stay
            saved = cls._begin(target, damaged._key, None, damaged._id)
            with _writing(target):
                saved._insert(good)
        saved.append(JournalEvent("journal.salvaged", {"from": path.name, "last_good": len(good)}))
        saved.checkpoint()  # damage at the beginning of the log would take all of them at once
        return saved

    @property
    def last_seq(self) -> int:
        """Return the number of the last row, 0 for an empty journal."""
        return self._seq

    @property
    def last_ago_ms(self) -> int:
        """Return the age of the last row in milliseconds of wall-clock time: 0 or more, 0 for an empty journal."""
        last = self._base.execute("SELECT max(seq), wall_ms FROM rows").fetchone()
        return 0 if last[0] is None else max(0, _wall_ms() - int(last[1]))

    def append(self, event: JournalEvent) -> int:
        """Write one event and return its number; it is on disk when this returns. Raises a `JournalError`."""
        return self.append_many((event,))

    def append_many(self, events: Sequence[JournalEvent]) -> int:
        """Write the events of one step in one transaction, all or none. Returns the number of the last row."""
        rows: list[stored.Columns] = []
        before = self._hash
        for seq, event in enumerate(events, self._seq + 1):
            rows.append(self._row(seq, event, before))
            before = stored.row_hash(rows[-1])
        if rows:
            with _writing(self.path):
                self._insert(rows)
        return self._seq

    def write(self, facts: Iterable[Fact]) -> None:
        """Write the facts of one step of arbitration in one transaction."""
        self.append_many([event_of(fact) for fact in facts])

    def rows(self) -> Iterator[JournalRow]:
        """Return an iterator over all rows in order, each verified. At the first bad row it raises
        `JournalDamagedError`.
        """
        return map(self._disclosed, self._verified())

    def rows_since(self, seq: int, kinds: Sequence[str]) -> Iterator[JournalRow]:
        """Yield the rows since the last one of these types that is not after row `seq`; without one, since row `seq`.

        They are not verified again: they were when the journal was opened, or were written since. Raises a `JournalError`.
        """
        marks = ", ".join("?" * len(kinds))
        last = f"SELECT seq FROM rows WHERE seq <= ? AND type IN ({marks}) ORDER BY seq DESC LIMIT 1"  # noqa: S608  # question marks
        with _reading(self.path):
            found = self._base.execute(last, (seq, *kinds)).fetchone()
            rows = self._base.execute(f"SELECT {stored.COLUMNS} FROM rows WHERE seq >= ? ORDER BY seq", found or (seq,))  # noqa: S608  # a constant
            with contextlib.closing(rows):  # or it would keep the log from being emptied
                yield from map(self._disclosed, rows)

    def _disclosed(self, columns: stored.Columns) -> JournalRow:
        row, sealed = _row_of(columns), columns[6]
        try:
            hidden = None if sealed is None else self._key.open(sealed, self._place(row.seq))
        except JournalKeyError:
            fault = f"{self.path}: the sealed part of row {row.seq} cannot be opened"
            raise JournalDamagedError(fault, row.seq - 1) from None
        return replace(row, hidden=hidden)

    def facts(self) -> list[Fact]:
        """Return the facts of the game in order, verified, without the journal's own rows. Raises a `JournalError`."""
        return [fact_of(row) for row in self.rows() if not row.type.startswith("journal.")]

    def seal_aside(self, facts: Iterable[Fact]) -> bytes:
        """Return facts that are to be written later, sealed in one length whatever they are and however many."""
        rows = [event_of(fact) for fact in facts]
        told = [(row.type, row.public, row.hidden and self._key.seal(row.hidden, self._place(0))) for row in rows]
        return self._key.seal_whole(msgspec.json.encode(told), self._place(0))

    def opened_aside(self, sealed: bytes) -> list[Fact]:
        """Return the facts that `seal_aside` sealed. Raises a `JournalError`."""
        told = msgspec.json.decode(self._key.open_whole(sealed, self._place(0)), type=list[_Aside])
        return [
            fact_of(JournalRow(0, word, 0, 0, 0, public, self._key.open(hidden, self._place(0)) if hidden else None))
            for word, public, hidden in told
        ]

    def checkpoint(self) -> None:
        """Move what SQLite's log holds into the file, and empty the log. Where a reader or the disk is in the way it stays in the log."""
        with contextlib.suppress(*stored.BROKEN):
            self._base.execute("PRAGMA busy_timeout = 0")  # wait for no reader
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._base.execute(f"PRAGMA busy_timeout = {int(_BUSY_S * 1000)}")

    def forget_key(self, key_path: Path) -> None:
        """Continue without the key file, which is about to be destroyed; this open journal can still be read and
        written.
        """
        if self._head_file is not None:
            self._head_file.forget(key_path)

    def _place(self, seq: int) -> bytes:
        return self._id + seq.to_bytes(8)

    def close(self) -> None:
        """Close the file. Nothing is lost when this is not called."""
        self._base.close()
        if self._head_file is not None:
            self._head_file.close()

    @classmethod
    def _begin(cls, path: Path, key: JournalKey, key_path: Path | None, journal: bytes) -> Journal:
        base = _connect(path, "rwc")
        try:
            with _writing(path):
                path.chmod(0o600)
                base.execute(f"PRAGMA application_id = {stored.APPLICATION}")
                base.execute(f"PRAGMA user_version = {stored.FORMAT}")
                _prepare(base)
                base.executescript("BEGIN;" + stored.SCHEMA)
                first = stored.genesis(journal)
                head = (journal, key.mark(b"key", journal), 0, first, key.mark(b"head", journal, b"0", first))
                base.execute("INSERT INTO head VALUES (1, ?, ?, ?, ?, ?)", head)
                base.execute("COMMIT")
                sync_folder(path.parent)
            return cls(path, base, key, None)._to_be_written(key_path)
        except BaseException:
            base.close()
            raise

    @classmethod
    def _opened(cls, path: Path, key_path: Path, read_only: bool) -> Journal:
        if not path.is_file():
            raise JournalMissingError(f"{path}: there is no journal here")
        key = JournalKey.load(key_path)
        promised = stored.read_head(path)
        base = _connect(path, "ro" if read_only else "rw")
        try:
            stored.check_format(path, base)
            if read_only:
                return cls(path, base, key, promised)
            with _writing(path):
                _prepare(base)
            return cls(path, base, key, promised)._to_be_written(key_path)
        except BaseException:
            base.close()
            raise

    def _to_be_written(self, key_path: Path | None) -> Journal:
        with _writing(self.path):
            self._head_file = stored.HeadFile(self.path, stored.Head(self._seq, self._hash), key_path)
        return self

    def _row(self, seq: int, event: JournalEvent, before: bytes) -> stored.Columns:
        text = msgspec.json.encode(event.public).decode()
        sealed = None if event.hidden is None else self._key.seal(event.hidden, self._place(seq))
        columns = (seq, event.type, event.version, _wall_ms(), _monotonic_ms(), text, sealed, before)
        return (*columns, self._key.mark(b"row", *stored.parts(columns)))

    def _insert(self, rows: Sequence[stored.Columns]) -> None:
        if self._head_file is None:
            raise JournalWriteError(f"{self.path}: the journal was opened readonly")
        seq, last = (rows[-1][0], stored.row_hash(rows[-1])) if rows else (self._seq, self._hash)
        self._base.execute("BEGIN IMMEDIATE")
        try:
            self._base.executemany(f"INSERT INTO rows ({stored.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608  # a constant
            mark = self._key.mark(b"head", self._id, b"%d" % seq, last)
            self._base.execute("UPDATE head SET seq = ?, hash = ?, mark = ?", (seq, last, mark))
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self._seq, self._hash = seq, last
        self._head_file.advance(stored.Head(seq, last))

    def _verified(self) -> Iterator[stored.Columns]:
        """Yield the stored columns of each row; raise where the chain, a mark (keyed hash) or the head does not match."""

        def fits(row: stored.Columns) -> bool:
            return self._key.fits(row[8], b"row", *stored.parts(row[:8]))

        return stored.chained(self.path, self._base, (self._id, self._seq, self._hash), self._promised, fits)


def public_rows(path: Path) -> list[JournalRow]:
    """Return all rows without their sealed parts, which needs no key.

    Raises a `JournalError`. The chain of hashes is verified; who edits rows and computes the chain again is found with the key only.
    """
    if not path.is_file():
        raise JournalMissingError(f"{path}: there is no journal here")
    promised = stored.read_head(path)
    base = _connect(path, "ro")
    try:
        stored.check_format(path, base)
        journal, _, seq, last, _ = stored.stored_head(path, base)
        good = list(stored.chained(path, base, (journal, seq, last), promised, lambda _: True))
        return [_row_of(columns) for columns in good]
    except (msgspec.DecodeError, TypeError):
        raise JournalDamagedError(f"{path}: a row holds what no journal holds", 0) from None
    finally:
        base.close()


def _row_of(columns: stored.Columns) -> JournalRow:
    """Return a row brought up to today's version, without its sealed part."""
    seq, word, version, wall_ms, monotonic_ms, text, *_ = columns
    version, public = upcast(word, version, msgspec.json.decode(text))
    return JournalRow(seq, word, version, wall_ms, monotonic_ms, public)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        if mode == "ro":
            base = stored.connect_to_read(path, _BUSY_S)
            base.execute("BEGIN")  # head and rows as they are at one moment, while somebody else may write
            return base
        # isolation_level None: transactions begin and end where this file says so
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_BUSY_S, isolation_level=None
        )
    except (*stored.BROKEN, OSError) as error:
        raise stored.unreadable(path, error) from None


def _prepare(base: sqlite3.Connection) -> None:
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")


def _read_head(path: Path, base: sqlite3.Connection, key: JournalKey) -> tuple[bytes, int, bytes]:
    journal, key_mark, seq, last, mark = stored.stored_head(path, base)
    if not key.fits(key_mark, b"key", journal):
        raise JournalKeyError(f"{path}: this key belongs to another journal")
    if not key.fits(mark, b"head", journal, b"%d" % seq, last):
        seq = -1  # edited: the rows may still be good, and reading them says how far
    return journal, seq, last


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except stored.BROKEN as error:
        raise stored.unreadable(path, error) from None


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError:
        raise JournalWriteError(f"{path}: another program writes this journal") from None
    except (*stored.BROKEN, OSError) as error:
        raise JournalWriteError(f"{path}: the journal cannot be written ({error})") from None
