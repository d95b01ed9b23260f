"""A real disk under the journal that is full, turns read-only, stands still or loses its power in the middle of a game."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from pathlib import Path

import pytest

from benchmarks.faults import trial
from benchmarks.kills import killed_games, once
from fault_injection.faults import DISK_TROUBLES
from fault_injection.faulty_disk import LoopDisk, why_not
from fault_injection.interrupted_game import InterruptedGame, Script, script
from referee.journal import journal
from referee.journal.errors import JournalWriteError
from referee.journal.events import JournalEvent
from referee.journal.journal import Journal, public_rows
from referee.journal.stored import JOURNAL
from referee.rules import rule_set
from referee.runtime.game_archive import KEY, find
from referee.table.views import Mode, Phase

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def _disk(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Leave these tests out where no disk may be mounted."""
    reason = why_not()
    if reason is None:
        try:
            with LoopDisk(tmp_path_factory.mktemp("disk")):
                return
        except (OSError, subprocess.CalledProcessError) as error:
            reason = f"no disk can be mounted here ({error})"
    pytest.skip(reason)


@pytest.fixture(scope="module")
def played() -> Script:
    """Return a short game with attacks."""
    return script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8)


@pytest.fixture(scope="module")
def unbroken(played: Script) -> InterruptedGame:
    """Return that game played without any fault."""
    return once(played, None)


@pytest.mark.parametrize(
    "phase", [Phase.WAITING_FOR_DECLARATIONS, Phase.WAITING_FOR_BOARD], ids=lambda phase: phase.value
)
@pytest.mark.parametrize("name", DISK_TROUBLES)
def test_the_game_goes_on(name: str, phase: Phase, played: Script, unbroken: InterruptedGame) -> None:
    """A table that cannot write ends with one clear error; the next one has everything that anybody heard. All phases: `bench faults`."""
    outcome = trial(played, unbroken, name, phase)
    assert outcome.faults == ()
    assert outcome.deaths == (name != "disk stands still")
    ended = name in ("disk full", "disk turns read-only")
    assert [error.split(":")[0] for error in outcome.forgiven] == ["JournalWriteError"] * ended


def test_the_power_goes(played: Script) -> None:
    """Before a write, between write and word, amid the words: what was heard is on the disk. Every moment: `bench kills --power`."""
    tried = list(killed_games(played, every=19, power=True))
    assert {where for _, (where, _, _) in tried} == {"before the write", "between write and word", "amid the words"}
    assert [found for _, (_, _, found) in tried if found] == []


@pytest.mark.parametrize("what", ["is full", "is read-only"])
def test_a_table_that_is_started_on_a_disk_that_takes_nothing(what: str, played: Script, tmp_path: Path) -> None:
    """Its game is not given up as lost because its journal cannot be opened there; once the disk is right it is gone on with."""
    with LoopDisk(tmp_path) as disk:
        state = disk.path / "state"
        state.mkdir()
        game = InterruptedGame(played, state)
        game.start()
        while game.view is None or game.view.ply < 4:
            game.turn()
        game.stop()
        journal_path = state / "games" / "game" / JOURNAL
        whole = public_rows(journal_path)
        with contextlib.closing(
            sqlite3.connect(journal_path)
        ) as base:  # the last one that closes it clears its log away
            base.execute("SELECT max(seq) FROM rows").fetchone()
        assert not journal_path.with_name(f"{JOURNAL}-wal").exists()
        disk.fill() if what == "is full" else disk.fail()
        notes: list[str] = []
        with pytest.raises(JournalWriteError, match="cannot be opened"):
            find(state, "game", lambda _: played.rules, notes.append)
        assert notes == []
        assert public_rows(journal_path) == whole
        disk.put_right()
        found = find(state, "game", lambda _: played.rules, notes.append)
        assert found is not None
        found.keeping.close()
        assert found.rebuilt.table.view().ply == 4


def test_a_journal_is_read_with_its_log_where_nothing_may_be_written(played: Script, tmp_path: Path) -> None:
    """A card out of another machine, write-protected: also the last rows, which are in the log only, and nothing is left beside it."""
    with LoopDisk(tmp_path) as disk:
        state = disk.path / "state"
        state.mkdir()
        game = InterruptedGame(played, state)
        game.start()
        while game.view is None or game.view.ply < 4:
            game.turn()
        game.stop()
        folder = state / "games" / "game"
        (folder / f"{JOURNAL}-shm").unlink()
        there = {path.name for path in folder.iterdir()}
        assert f"{JOURNAL}-wal" in there
        disk.fail()
        rows = public_rows(folder / JOURNAL)
        assert rows[-1].seq > 10
        saved = Journal.open(folder / JOURNAL, folder / KEY, read_only=True)
        assert len(list(saved.rows())) == len(rows)
        with pytest.raises(JournalWriteError):
            saved.append(JournalEvent("ask", {}))
        saved.close()
        assert {path.name for path in folder.iterdir()} == there


@pytest.fixture
def _careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the journal leave it to the machine when its rows come to the disk."""

    def prepare(base: sqlite3.Connection) -> None:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(journal, "_prepare", prepare)


@pytest.mark.usefixtures("_careless")
def test_rows_that_were_not_synced_would_be_missed(played: Script) -> None:
    """The disk of these tests really forgets, and the comparison notices: some rows are lost, or all of them and with them the game."""
    tried = list(killed_games(played, every=60, power=True))
    lost = {"an event that the journal does not hold, or holds otherwise", "a start that did not go on with the game"}
    assert len(tried) > 1
    # what the machine had no time to write and what it wrote by itself depends on how busy it is
    assert any(lost & set(found) for _, (_, _, found) in tried[1:])
