"""A sample of `python -m tests.forget_attack`, without a table: what was written of a game's players is looked for as a stranger does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.records.model import View
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.runtime.game_archive import Keeping
from referee.table.replay import told_settings
from tests.forget_attack.search import confirmed, holds, left, written
from tests.records.test_corrected_games import corrected, facts

ZOE = "Zoe\u0308 O\u2019Brien"
"""The accent is a letter of its own, as some keyboards type it."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a state directory with two games, of which one is Zoë's."""
    state = tmp_path_factory.mktemp("forget") / "table"
    for number, names in enumerate(({Seat.RED: ZOE, Seat.BLUE: "Zoe"}, {Seat.RED: "Bram", Seat.BLUE: "Zoe"}), 1):
        salts = {seat: f"{number}{at:031x}" for at, seat in enumerate(Seat, 1)}
        sitting = corrected(names=names, salts=Hidden(salts), date="2026-11-26")
        keeping = Keeping.open(state / "games" / str(number), told_settings(facts(sitting), rule_set))
        keeping.journal.write(facts(sitting))
        keeping.write_record(keeping.record(None), View.ARCHIVE)
        keeping.close()
    return state


@pytest.fixture
def state(played: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return shutil.copytree(played, tmp_path / "table")


def forget(name: str, state: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[str]]]:
    """Return exit code and document of the command; nothing where it printed none."""
    capsys.readouterr()
    code = main(["record", "forget", name, str(state), "--json"])
    return code, json.loads(capsys.readouterr().out or "{}")


def test_a_stranger_finds_what_is_there(state: Path) -> None:
    """The search itself: the name and its salt are there before, and each spelling of a name is found in bytes of any kind."""
    assert "games/1/game.record" in left(state, ZOE)
    assert confirmed(state, ZOE) == ["games/1/game.record: red"] * len(confirmed(state, ZOE)) != []
    for text in written(ZOE):
        for held in (text.encode(), text.encode("utf-16-le"), json.dumps(text).encode(), text.encode().hex().encode()):
            assert holds(b"\0\xff " + held + b" \0", ZOE)
    assert not holds(b"Annabel, Joanna", "Anna")


@pytest.mark.parametrize("asked", [ZOE, "Zo\u00eb O\u2019Brien", " ZO\u00cb O\u2019BRIEN"])
def test_nothing_is_left_however_the_name_is_typed(asked: str, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a spelling of it nor a salt that would confirm a guess; the other Zoe stays, and both games still audit."""
    draft = state / "table.json.new"
    draft.write_text(json.dumps({"names": {"red": ZOE}}))
    other = {path: path.read_bytes() for path in (state / "games" / "2").iterdir()}
    assert forget(asked, state, capsys)[1]["games"] == ["1"]
    assert (left(state, ZOE, frozenset({"Zoe"})), confirmed(state, ZOE)) == ([], [])
    assert other == {path: path.read_bytes() for path in other}
    assert "player.blue = Zoe" in (state / "games" / "1" / "game.record").read_text()
    for file in ("1/game.record", "2/journal.sqlite"):
        assert main(["record", "audit", str(state / "games" / file)]) == 0
    assert forget(asked, state, capsys)[1]["games"] == []


def test_copies_beside_the_games_are_named(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What somebody laid there, or behind a link, is not the table's to change: it is told, and the exit code says so."""
    outside = state.parent / "elsewhere"
    shutil.move(state / "games" / "1", outside)
    (state / "games" / "1").symlink_to(outside)
    (state / "games" / "loop").symlink_to(state)
    (state / "mine.txt").write_text(f"player.red = {ZOE.upper()}\n")
    code, told = forget(ZOE, state, capsys)
    assert code == 1
    assert {Path(path).relative_to(state).as_posix() for path in told["left"]} == set(left(state, ZOE)) != set()
    (state / "mine.txt").unlink()
    (state / "games" / "1").unlink()
    assert forget(ZOE, state, capsys) == (0, dict(told, left=[]))


def test_no_name_is_nobodys(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is changed where no name is given, or one that nobody has, however long."""
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file() and path.name != "lock"}
    for name, code in (("", 2), (" ", 2), ("nobody", 0), ("A" * 100_000, 0), (".*", 0), ("Zo", 0)):
        assert forget(name, state, capsys)[0] == code
    assert before == {path: path.read_bytes() for path in before}


def test_a_record_that_cannot_be_read_goes_with_the_name(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is nothing else that tells who played."""
    game = state / "games" / "1"
    for path in game.glob("journal*"):
        path.unlink()
    record = game / "game.record"
    record.write_text(record.read_text().replace("[game]", "[gome]"))
    assert forget(ZOE, state, capsys)[0] == 0
    assert left(state, ZOE, frozenset({"Zoe"})) == []
