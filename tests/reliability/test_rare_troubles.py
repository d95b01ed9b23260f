"""What goes wrong seldom: a cable with a piece in the air, the machine's clock, a journal damaged or of other rules while nobody plays."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from benchmarks.kills import once
from fault_injection.faults import cable_out
from fault_injection.interrupted_game import InterruptedGame, Script, faults, script
from referee.journal.errors import JournalWriteError
from referee.journal.journal import public_rows
from referee.journal.records.formats import read_record
from referee.journal.stored import JOURNAL
from referee.rules import rule_set
from referee.rules.values import Square
from referee.runtime.game_archive import find
from referee.table.views import Mode, Phase

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def played() -> Script:
    """Return a short game with attacks."""
    return script(rule_set("duel"), Mode.DECLARE, seed=2, plies=8)


@pytest.fixture(scope="module")
def unbroken(played: Script) -> InterruptedGame:
    """Return that game played without any fault."""
    return once(played, None)


@pytest.mark.process
def test_the_cable_goes_with_a_piece_in_the_air(played: Script, unbroken: InterruptedGame, tmp_path: Path) -> None:
    """Before every ply its piece is lifted, the cable comes out and in, and the piece is back where it stood."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    done: set[int] = set()
    while not game.over:
        view = game.view
        if view is not None and view.phase is Phase.WAITING_FOR_MOVE and view.ply not in {*done, len(played.plies)}:
            done.add(view.ply)
            game.wait(2200)
            source = played.plies[view.ply].source
            seat = game.physical.pop(source)
            game.wait(300)
            cable_out(game)
            game.physical[source] = seat
            game.wait(1500)
        game.turn()
    game.end()
    assert len(done) == len(played.plies)
    assert faults(unbroken, game) == []


@pytest.mark.process
@pytest.mark.parametrize("phase", [Phase.WAITING_FOR_MOVE, Phase.WAITING_FOR_DECLARATIONS, Phase.WAITING_FOR_BOARD])
def test_hands_move_a_piece_while_the_referee_is_gone(
    phase: Phase, played: Script, unbroken: InterruptedGame, tmp_path: Path
) -> None:
    """Even the very move that is due counts for nothing: the board is compared, both squares are shown until they are right."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    while game.view is None or game.view.phase is not phase:
        game.turn()
    ply = game.view.ply
    due = played.plies[ply] if phase is Phase.WAITING_FOR_MOVE else None
    source = due.source if due else list(game.physical)[-1]
    target = due.target if due else next(sq for sq in map(Square, game.board.squares) if sq not in game.physical)
    assert target not in game.physical
    game.physical[target] = game.physical.pop(source)
    game.kill()
    game.wait(4_000)
    assert game.view.ply == ply
    if phase is not Phase.WAITING_FOR_DECLARATIONS:  # there nobody looks at the board before the verdict
        assert {source.name, target.name} <= {fix.square for fix in game.view.fixes}
    while not game.over:
        game.turn()
    game.end()
    assert faults(unbroken, game) == []


@pytest.mark.process
def test_the_machines_clock_jumps(
    played: Script, unbroken: InterruptedGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a year later or earlier whenever it is asked; nothing of the game depends on it."""
    years = itertools.cycle((0, 40, -30, 1))
    now_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now_ns + next(years) * 365 * 86_400 * 10**9)
    monkeypatch.setattr(time, "time", lambda: time.time_ns() / 1e9)
    game = InterruptedGame(played, tmp_path)
    game.start()
    game.turn()
    game.kill()
    while not game.over:
        game.turn()
    game.end()
    assert faults(unbroken, game) == []
    times = [row.wall_ms for row in public_rows(tmp_path / "games" / "game" / JOURNAL)]
    assert any(after < before for before, after in itertools.pairwise(times))  # it really jumped


def test_a_damaged_journal_gives_its_good_part(played: Script, tmp_path: Path) -> None:
    """Found at the next start, with one line; the game goes on before the damage, in a folder beside; the file stays as it is."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    while game.view is None or game.view.ply < 5:
        game.turn()
    game.stop()
    path = tmp_path / "games" / "game" / JOURNAL
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("UPDATE rows SET public = '{}' WHERE seq = (SELECT max(seq) - 3 FROM rows)")
    base.close()
    before, notes = path.read_bytes(), list[str]()
    found = find(tmp_path, "game", lambda _: played.rules, notes.append)
    assert found is not None
    record = found.keeping.write_record(found.keeping.record("2026-01-01"))  # what is kept of it can be told at its end
    found.keeping.close()
    assert found.salvaged
    assert len(read_record(record.read_bytes()).plies) in (
        found.rebuilt.table.view().ply,
        found.rebuilt.table.view().ply - 1,
    )
    assert found.keeping.folder.name == "game-saved1"
    assert 0 < found.rebuilt.table.view().ply <= 5
    assert len(notes) == 1
    assert "was edited; good up to row" in notes[0]
    assert path.read_bytes() == before


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "a bit flipped"])
def test_a_log_that_was_damaged_while_nobody_plays(cut: bool, played: Script, tmp_path: Path) -> None:
    """SQLite drops the rows behind the damage without a word; the table says that they are gone, and goes on from the good part."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    while game.view is None or game.view.ply < 6:
        game.turn()
    game.stop()
    path = tmp_path / "games" / "game" / JOURNAL
    written = len(public_rows(path))
    log = path.with_name(f"{JOURNAL}-wal")
    content = bytearray(log.read_bytes())
    half = len(content) // 2
    content[half] ^= 1
    log.write_bytes(content[:half] if cut else content)
    damaged = log.read_bytes()
    notes = list[str]()
    found = find(tmp_path, "game", lambda _: played.rules, notes.append)
    assert found is not None
    found.keeping.close()
    assert found.salvaged
    assert 0 < found.rebuilt.table.view().ply < 6
    (said,) = notes
    assert f"{written} rows were written, the last ones are gone; good up to row" in said
    assert log.read_bytes() == damaged


def test_a_good_part_that_cannot_be_saved(played: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged journal on a read-only disk: one clear error, not another game in its place."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    game.turn()
    game.stop()
    log = tmp_path / "games" / "game" / f"{JOURNAL}-wal"
    os.truncate(log, log.stat().st_size - 1)

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(JournalWriteError, match=r"game-saved1: it cannot be written \(Read-only file system\)"):
        find(tmp_path, "game", lambda _: played.rules, fail)


def fail(said: str) -> None:
    """Take a note that must not come."""
    raise AssertionError(said)


@pytest.mark.parametrize("what", [JOURNAL, ""])
def test_a_game_that_is_gone_is_said(what: str, played: Script, tmp_path: Path) -> None:
    """Its journal or its whole folder was deleted while nobody plays: one line says so before the table begins anew."""
    game = InterruptedGame(played, tmp_path)
    game.start()
    game.turn()
    game.stop()
    folder = tmp_path / "games" / "game"
    (folder / what).unlink() if what else shutil.rmtree(folder)
    notes = list[str]()
    assert find(tmp_path, "game", lambda _: played.rules, notes.append) is None
    (said,) = notes
    assert f"{folder / JOURNAL}: the game that was on is gone" in said


def test_a_game_of_other_rules_stays_where_it_is(played: Script, tmp_path: Path) -> None:
    """Rules of that name that are others now: one line, no game to go on with, so the table begins anew; the journal stays as it is.

    A house's options make no other rules: the journal has those that the game was begun by.
    """
    game = InterruptedGame(played, tmp_path)
    game.start()
    while game.view is None or game.view.ply < 3:
        game.turn()
    game.stop()
    path = tmp_path / "games" / "game" / JOURNAL
    before, notes = public_rows(path), list[str]()
    assert find(tmp_path, "game", lambda _: rule_set("barrage"), notes.append) is None
    (said,) = notes
    assert "cannot be gone on with" in said
    assert public_rows(path) == before
    changed = played.rules.with_options({"two_square_limit": 5})
    found = find(tmp_path, "game", lambda _: changed, notes.append)
    assert found is not None
    assert found.settings.rule_set.options == played.rules.options
    found.keeping.close()
