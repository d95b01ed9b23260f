"""Which board a simulated one is that nobody names: the first on which the rules can be played."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from firmware_bridge.messages import BoardUrlError
from hardware import BoardFile
from referee.cli.main import main
from referee.journal.records.formats import write_record
from referee.rules import rule_set, rule_set_names
from referee.runtime import boards
from tests.records.recorded_games import random_game

BOARDS = {"10x10": "travel-10x10", "10x8": "compact-10x8", "castle-four": "castle-four", "castle-three": "castle-three"}


@pytest.fixture(autouse=True)
def nothing_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a board say which file it was to be, and not open."""

    def opened(url: str, board: BoardFile, *_: object) -> NoReturn:
        raise BoardUrlError(f"{url} is {board.id}")

    monkeypatch.setattr(boards, "open_source", opened)


@pytest.mark.parametrize("name", rule_set_names())
def test_a_table(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make play RULES=NAME` opens it, too; a board that is named is that one."""
    board = BOARDS[rule_set(name).board.name]
    table = ("table", "--rules", name, "--state", str(tmp_path))
    assert main([*table, "--board", "screen:"]) == 2
    assert main([*table, "--board", "sim:", "--board-file", "tile-10x8"]) == 2
    said = [line.removeprefix("hallmarshal: ") for line in capsys.readouterr().err.splitlines()]
    assert said == [f"screen: is {board}", "sim: is tile-10x8"]


def test_a_recorded_game_and_a_maker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`record show --board` and `doctor` take it, too."""
    record = tmp_path / "game.record"
    record.write_text(write_record(random_game(rule_set("classic"), 2, 3).record, "own"))
    assert main(["record", "show", str(record), "--board", "screen:"]) == 2
    assert main(["doctor", "--board", "sim:", "--rules", "stratego4"]) == 2
    assert main(["doctor", "--board", "sim:"]) == 2
    said = [line.removeprefix("hallmarshal: ") for line in capsys.readouterr().err.splitlines()]
    assert [line.split(" is ")[1] for line in said] == ["compact-10x8", "castle-four", "travel-10x10"]
