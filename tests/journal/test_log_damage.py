"""Damage to the files of a journal: SQLite drops what it cannot read of its log without a word, and takes what is left for the whole."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.errors import JournalError
from referee.journal.events import JournalEvent, JournalRow
from referee.journal.journal import Journal, public_rows
from tests.amount import tries
from tests.journal.folders import clocks_of_journals

PLACES = tries(200)
A_DUEL = Path(__file__).parents[1] / "reliability" / "journals" / "2026-11"
MAIN, LOG, KEY = "journal.sqlite", "journal.sqlite-wal", "journal.key"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return two folders with the rows of a Duel: `in play`, as a killed table leaves them, all in the log; and `closed`, without a log."""
    source, closed, in_play = (tmp_path_factory.mktemp(name) for name in ("source", "closed", "in-play"))
    shutil.copytree(A_DUEL, source, dirs_exist_ok=True)
    duel = Journal.open(source / MAIN, source / KEY, read_only=True)
    clock = itertools.count(1_000_000_000_000).__next__  # the same layout in every run
    journal = Journal.create(closed / MAIN, closed / KEY)
    with clocks_of_journals(clock):
        for row in duel.rows():
            journal.append(JournalEvent(row.type, row.public, row.hidden))
    duel.close()
    shutil.copytree(closed, in_play, dirs_exist_ok=True)
    journal.close()
    (in_play / f"{MAIN}-shm").unlink()  # shared memory: no power cut leaves it
    assert (in_play / MAIN).stat().st_size == 4096  # the whole game is in the log
    return {"in play": in_play, "closed": closed}


def flip(content: bytearray, place: int) -> bytearray:
    """Flip one bit."""
    content[place] ^= 1 << place % 8
    return content


def cut(content: bytearray, place: int) -> bytearray:
    """Cut everything from there on."""
    return content[:place]


@pytest.mark.parametrize("spoil", [flip, cut])
@pytest.mark.parametrize(
    ("state", "name", "at_least"), [("in play", LOG, PLACES - 1), ("in play", MAIN, 0), ("closed", MAIN, PLACES // 4)]
)
def test_damage_is_told_or_harmless(
    state: str,
    name: str,
    at_least: int,
    spoil: Callable[[bytearray, int], bytearray],
    folders: dict[str, Path],
    tmp_path: Path,
) -> None:
    """Of a bit that is flipped anywhere, and of a cut anywhere: the whole game is read, or an error says that it is not whole."""
    written = public_rows(folders[state] / MAIN)
    whole = (folders[state] / name).read_bytes()
    told = 0
    for number in range(PLACES):
        folder = shutil.copytree(folders[state], tmp_path / str(number))
        (folder / name).write_bytes(spoil(bytearray(whole), number * len(whole) // PLACES))
        readers = [public, with_key] if number % 4 else [public, with_key, audited, to_be_written]
        found = [outcome(read, folder) for read in readers]
        assert all(rows is None or rows == written for rows in found), number
        told += found[0] is None
    assert told >= at_least


def outcome(read: Callable[[Path], list[JournalRow]], folder: Path) -> list[JournalRow] | None:
    """Return the rows that a reader finds, None where it says that there is an error."""
    try:
        return read(folder)
    except JournalError:
        return None


def public(folder: Path) -> list[JournalRow]:
    """Return the rows that a reader without the key finds."""
    return public_rows(folder / MAIN)


def with_key(folder: Path, *, read_only: bool = True) -> list[JournalRow]:
    """Return the rows that a reader with the key finds, without what is sealed."""
    journal = Journal.open(folder / MAIN, folder / KEY, read_only=read_only)
    try:
        return [replace(row, hidden=None) for row in journal.rows()]
    finally:
        journal.close()


def audited(folder: Path) -> list[JournalRow]:
    """Return the rows where `record audit` ends with exit code 0."""
    if main(["record", "audit", str(folder / MAIN)]) != 0:
        raise JournalError("something is wrong")
    return with_key(folder)


def to_be_written(folder: Path) -> list[JournalRow]:
    """Return the rows that a table finds which goes on with the game; SQLite may clear the log away then."""
    return with_key(folder, read_only=False)
