"""Finished games: each seat's own view is left for its handset alone, the key goes, and the public rows still prove what they can."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fault_injection.faulty_disk import LoopDisk, why_not
from referee.cli.main import main
from referee.journal.errors import JournalKeyError
from referee.journal.journal import Journal
from referee.journal.journal_to_record import journal_record, record_as_agreed
from referee.journal.owners import OWNERS, own_records, sealed_to_owners
from referee.journal.proof import audit_journal
from referee.journal.records.audit import audit
from referee.journal.records.model import Record, SetUp, View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.library.games import RECORD
from referee.net.credential import KeyPair
from referee.private_file import write_private
from referee.rules import BySeat, Rank, Square, rule_set
from referee.rules.values import Seat
from referee.runtime.frame_log import part_name
from referee.runtime.game_archive import KEY, Keeping, close_finished
from referee.table.settings import TableSettings
from referee.table.step import Fact
from referee.table.views import Mode, Reveal
from tests.table.storm import Storm

DUEL = rule_set("duel")
NAME = "2026-11-26-120000-0a1b2c"


@cache
def game(mode: Mode) -> tuple[TableSettings, tuple[Fact, ...]]:
    """Return an honest game that is over, with its chain."""
    table = Storm(DUEL, mode, Reveal.BOOK, random.Random(3), junk=0.0, lies=False, proves=False)
    table.play(120)
    return table.table._state.settings, tuple(fact for step in table.steps for fact in step.facts)


class Finished:
    """A folder of games with one that is over, whose result nobody has confirmed yet."""

    def __init__(self, folder: Path, mode: Mode = Mode.ENROL, rows: int | None = None) -> None:
        self.games = folder / "games"
        self.folder = self.games / NAME
        self.handsets = {seat: KeyPair.create() for seat in DUEL.seats}
        settings, facts = game(mode)
        keeping = Keeping.open(self.folder, settings)
        keeping.journal.write(facts[:rows])
        keeping.write_owners(keeping.record(None), {seat: keys.public.text for seat, keys in self.handsets.items()})
        keeping.write_record(keeping.record(None), View.ARCHIVE)
        self.secrets = (self.folder / KEY).read_bytes().strip(), *hidden_of(facts)
        keeping.close()
        self.referee = journal_record(self.folder / JOURNAL, self.folder / KEY)

    def close(self, on: str | None = None) -> list[str]:
        """Do what a table does at its start; return what it notes."""
        notes: list[str] = []
        close_finished(self.games, on, notes.append)
        return notes

    def keys(self) -> list[Path]:
        """Return the keys that are left."""
        return list(self.games.glob(f"*/{KEY}*"))

    def check(self, tmp_path: Path) -> None:
        """Hold what is left of it against what it was."""
        path = self.folder / JOURNAL
        assert self.keys() == []
        assert len((self.folder / OWNERS).read_bytes().splitlines()) == len(self.handsets)
        with pytest.raises(JournalKeyError):
            Journal.open(path, path.with_name(KEY))
        record, found = audit_journal(path, None)
        assert record is not None
        assert (found.wrong, record.plies) == ((), view_of(self.referee, View.PUBLIC).plies)
        for seat, keys in self.handsets.items():
            file = tmp_path / f"{seat.value}.key"
            write_private(file, keys.private_text() + "\n")
            (own,) = own_records(path, file)  # without a day, as the chain of such a game
            assert own == replace(view_of(self.referee, View(seat.value)), date=None)
            assert audit(own).wrong == ()


def hidden_of(facts: tuple[Fact, ...]) -> list[bytes]:
    """Return what a thief would like to find: the game's secret, salts, seeds, and set-ups as rows and records have them."""
    found: list[bytes] = []
    for fact in facts:
        if fact.kind == "opened" and fact.hidden is not None:
            found += [str(text).encode() for text in fact.hidden.open_hidden().values()]
        elif fact.kind == "enrolled" and fact.hidden is not None:
            found += [f'"{square}":"{rank}"'.encode() for square, rank in fact.hidden.open_hidden().items()]
    return found


@pytest.mark.parametrize("mode", Mode)
def test_a_confirmed_game_is_its_players_alone(mode: Mode, tmp_path: Path) -> None:
    """The key is gone; public rows, chain and signatures hold, each handset opens its own view and nothing else."""
    finished = Finished(tmp_path, mode)
    for on in (NAME, f"{NAME}-saved1"):
        assert finished.close(on) == []
        assert finished.keys(), "the table comes back to it"
    assert finished.close() == []
    finished.check(tmp_path)
    stranger = tmp_path / "stranger.key"
    KeyPair.load_or_create(stranger)
    with pytest.raises(JournalKeyError, match="nothing in it was kept"):
        own_records(finished.folder / JOURNAL, stranger)


def test_boxes_are_as_long_for_every_army() -> None:
    """Their length follows from what everybody knows; the same game with other ranks has boxes of the same length."""
    settings, facts = game(Mode.ENROL)
    record = replace(record_as_agreed(facts, settings.rule_set, None), plies=(), result=None)
    handsets = {seat: KeyPair.create().public.text for seat in record.set_ups}

    def lengths(of: Record) -> set[int]:
        return {len(box) for box in sealed_to_owners(of, handsets).splitlines()}

    short, long = ([rank] * 3 for rank in (Rank.SPY, Rank.INFILTRATOR))
    sizes = set[int]()
    for words in (short, long):
        ranks = iter(words * 200)
        set_ups = {seat: {square: next(ranks) for square in set_up} for seat, set_up in record.set_ups.items()}
        sizes |= lengths(with_set_ups(record, set_ups))
    assert sizes == lengths(record)
    assert len(sizes) == 1


def with_set_ups(record: Record, set_ups: dict[Seat, dict[Square, Rank]]) -> Record:
    """Return the record with other ranks in its set-ups."""
    return replace(record, set_ups=BySeat({seat: SetUp(ranks) for seat, ranks in set_ups.items()}))


@pytest.mark.parametrize("left", ["key", "half a key", "no key", "saved", "frames"])
def test_what_was_cut_off_is_finished(left: str, tmp_path: Path) -> None:
    """Wherever the power goes: before the key was touched, once it was overwritten, once it was removed; copies of it go, too."""
    finished = Finished(tmp_path)
    key = finished.folder / KEY
    if left == "half a key":
        key.write_bytes(os.urandom(len(key.read_bytes())))
    elif left == "no key":
        key.unlink()
    elif left == "saved":
        saved = shutil.copytree(finished.folder, finished.games / f"{NAME}-saved1")
        (saved / f"{KEY}.new").write_bytes(key.read_bytes())
        (finished.folder / OWNERS).rename(saved / OWNERS)
        assert finished.close() == []
        assert finished.keys() == []
        return
    elif left == "frames":
        for number in (1, 2):
            (finished.folder / part_name(number)).write_text("a4 spy")
    assert finished.close() == []
    assert finished.keys() == []
    assert not list(finished.folder.glob("frames-*"))
    assert {JOURNAL, OWNERS, RECORD} < {path.name for path in finished.folder.iterdir()}


def test_a_game_that_goes_on_keeps_its_key(tmp_path: Path) -> None:
    """Also where its end was taken back and the table was killed before it removed what it had left for its players."""
    rows = next(at for at, fact in enumerate(game(Mode.ENROL)[1]) if fact.kind == "end")
    finished = Finished(tmp_path, rows=rows)
    assert finished.close() == []
    assert len(finished.keys()) == 1


def test_a_key_that_the_disk_does_not_let_go_is_noted(tmp_path: Path) -> None:
    """In one line; the next start tries it again."""
    finished = Finished(tmp_path)
    key = finished.folder / KEY
    content = key.read_bytes()
    key.unlink()
    key.mkdir()
    (note,) = finished.close()
    assert "the key of this game is still there" in note
    key.rmdir()
    key.write_bytes(content)
    assert finished.close() == []
    assert finished.keys() == []


def test_the_command_shows_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a folder: everybody's view without a key, an owner's with his handset's; audits hold; a stranger's key is one error."""
    finished = Finished(tmp_path)
    finished.close()
    own, other = tmp_path / "red.key", tmp_path / "other.key"
    write_private(own, finished.handsets[Seat.RED].private_text())
    KeyPair.load_or_create(other)
    folder = str(finished.folder)
    assert main(["record", "export", folder, "--view", "public"]) == 0
    assert "view = public" in capsys.readouterr().out
    assert main(["record", "export", folder, "--handset", str(own)]) == 0
    assert "view = red" in capsys.readouterr().out
    for more in ([], ["--handset", str(own)]):
        assert main(["record", "audit", folder, *more]) == 0
        assert "nothing is wrong" in capsys.readouterr().out
    assert main(["record", "show", folder, "--handset", str(other)]) == 2
    assert "nothing in it was kept for the handset" in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_a_copy_of_the_file_system_tells_nothing_of_finished_games(tmp_path: Path) -> None:
    """Neither its files nor its raw blocks hold key, secret, seed, salt or rank of a game whose result is confirmed; before, they do."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "keys").mkdir()
    with LoopDisk(tmp_path / "disk") as disk:
        finished = Finished(disk.path)
        log = finished.folder / part_name(1)
        write_private(log, b"\n".join(finished.secrets))
        os.sync()
        before = disk.raw()
        assert all(secret in before for secret in finished.secrets)
        finished.close()
        disk.cut()  # what was said to be gone is
        disk.power_up()
        finished.check(tmp_path / "keys")
        after = disk.raw()
        assert [secret for secret in finished.secrets if secret in after] == []
