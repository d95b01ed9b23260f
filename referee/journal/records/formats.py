"""Reads and writes records in any of the three formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.journal.errors import RecordFormatError
from referee.journal.records.gravon import is_gsn, read_gsn, read_strados2, write_gsn, write_strados2
from referee.journal.records.model import Record
from referee.journal.records.own_text import is_own, read_own, write_own

MOST_BYTES = 8_000_000
JOURNAL_MAGIC = b"SQLite format 3\0"
"""How a file begins that is no record but a journal (`referee.journal.journal_to_record` reads it)."""

WRITERS: Mapping[str, Callable[[Record], str]] = {"own": write_own, "strados2": write_strados2, "gsn": write_gsn}


def read_record(data: bytes) -> Record:
    """Read a record of ours, StraDoS2 XML or GSN, recognised by how it begins. Raises `RecordFormatError`."""
    if len(data) > MOST_BYTES:
        raise RecordFormatError(f"more than {MOST_BYTES:,} bytes")
    if data.startswith(JOURNAL_MAGIC):
        raise RecordFormatError("a journal is read from its file, not from here")
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<", b"\xfe\xff", b"\xff\xfe")):
        return read_strados2(start)
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError:
        text = start.decode("latin-1")
        if not is_gsn(text):  # only that old format may hold names in an old encoding
            raise RecordFormatError("the text is not UTF-8") from None
    if is_gsn(text):
        return read_gsn(text)
    if is_own(text):
        return read_own(text)
    raise RecordFormatError("neither a record of ours nor StraDoS2 XML nor GSN")


def write_record(record: Record, form: str) -> str:
    """Return the text of a record in the format `form`, a key of `WRITERS`. Raises `KeyError`, and what the writer
    raises.
    """
    return WRITERS[form](record)
