"""The one command that copies a state folder: taken while a game is on, given to another table, which goes on with that game."""

from __future__ import annotations

import signal
import stat
import tarfile
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.rules.values import Seat
from tests.runtime.at_table import AtTable


@pytest.mark.process
def test_a_game_goes_on_from_a_copy_that_was_taken_amid_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table plays on while it is copied and is then lost with its folder; another one has all that was in the copy."""
    copy, restored = tmp_path / "copy.tar.gz", tmp_path / "restored"
    with AtTable(tmp_path) as at_table:
        for seat in (Seat.RED, Seat.BLUE):
            at_table.join(seat, at_table.ready["join"][seat.value])
        known = [at_table.play_on("move.final", game=1) for _ in range(4)][-1]
        assert main(["setup-pi", "--backup", str(copy), "--state", str(tmp_path / "table")]) == 0
        assert "keep it private" in capsys.readouterr().out
        at_table.play_on("move.final", game=1)  # nobody has noticed
        at_table.rest()
        assert at_table.table.end(signal.SIGKILL) == -9
        (tmp_path / "table").rename(tmp_path / "lost")
        restored.mkdir()
        with tarfile.open(copy) as archive:
            archive.extractall(restored, filter="data")
        arguments = f"table --board serial:{at_table.board_path} --web 127.0.0.1:0 --json --rules duel".split()
        at_table.hallmarshal("again", *arguments, "--state", str(restored))
        again = at_table.next("again", lambda line: line.get("kind") == "resumed")
        assert again["game"] == known["game"]
        assert again["ply"] >= known["ply"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_what_cannot_be_copied_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No folder, or a file that is there already, which is left as it is: one line and exit code 2."""
    there = tmp_path / "there.tar.gz"
    there.write_text("mine")
    for state, target in ((tmp_path / "nowhere", tmp_path / "new.tar.gz"), (tmp_path, there)):
        assert main(["setup-pi", "--backup", str(target), "--state", str(state)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert there.read_text() == "mine"
    assert not (tmp_path / "new.tar.gz").exists()


def test_only_the_lock_itself_is_left_out(tmp_path: Path) -> None:
    """What merely ends like it is copied, and so is all below."""
    state, copy = tmp_path / "table", tmp_path / "copy.tar.gz"
    (state / "games").mkdir(parents=True)
    for name in ("lock", "clock", "games/padlock"):
        (state / name).write_text(name)
    assert main(["setup-pi", "--backup", str(copy), "--state", str(state)]) == 0
    with tarfile.open(copy) as archive:
        assert sorted(archive.getnames()) == ["clock", "games/padlock"]
