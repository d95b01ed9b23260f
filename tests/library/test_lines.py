"""`record export --to jsonl`: a line a ply with what everybody knew, the same as `record analyse --json` says of the public view."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.journal.records.check import completed
from referee.journal.records.formats import write_record
from referee.journal.records.model import Record, SetUp, View
from referee.journal.records.views import view_of
from referee.rules import BySeat, Move, Rank, Seat, rule_set
from tests.records.recorded_games import random_game


def said(capsys: pytest.CaptureFixture[str], folder: Path, record: Record, *command: str) -> str:
    """Return what a command says of a record."""
    path = folder / "game.txt"
    path.write_text(write_record(record, "own"))
    assert main(["record", command[0], str(path), *command[1:]]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("rules", "seed"), [("duel", 3), ("infiltrator", 5), ("stratego4-three", 2)])
def test_lines_and_figures_agree(rules: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Entries, bits and plies are those of the figures of the public view; from whatever view the lines were made."""
    game = replace(completed(random_game(rule_set(rules), seed, 24).record), names=BySeat({Seat.RED: "Canary"}))
    public = view_of(game, View.PUBLIC)
    text = said(capsys, tmp_path, game, "export", "--to", "jsonl")
    assert text == said(capsys, tmp_path, public, "export", "--to", "jsonl")
    assert "Canary" not in text
    about, *lines = [json.loads(line) for line in text.splitlines()]
    figures: Any = json.loads(said(capsys, tmp_path, public, "analyse", "--json"))
    assert (about["version"], about["plies"], about["analysed"]) == (1, len(game.plies), figures["analysed"])
    assert [line["ply"] for line in lines] == list(range(figures["analysed"] + 1))
    assert [line["action"] is None for line in lines] == [True, *(len(lines) - 1) * [False]]
    entries = [
        {"ply": line["ply"], "bits": line["bits"][one["army"]], **one} for line in lines for one in line["knows"]
    ]
    assert entries == figures["observers"]["public"]["knows"]
    for ply, line in zip(public.plies, lines[1:], strict=False):
        assert line["seat"] == ply.seat.value
        assert [line["attacker"], line["defender"]] == [rank and rank.value for rank in (ply.attacker, ply.defender)]


def test_an_own_rank_changes_no_line_of_a_game_with_an_illegal_ply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Red's own view says that the piece that moved is a bomb, or a miner: everybody knew neither."""
    game = completed(random_game(rule_set("duel"), 6, 1).record)
    action = game.plies[0].action
    assert isinstance(action, Move)
    said_by = []
    for rank in (Rank.BOMB, game.set_ups[Seat.RED].known[action.source]):
        own = view_of(game, View.RED)
        ranks = SetUp({**dict(own.set_ups[Seat.RED]), action.source: rank})
        own = replace(own, set_ups=BySeat({**dict(own.set_ups), Seat.RED: ranks}))
        said_by.append(said(capsys, tmp_path, own, "export", "--to", "jsonl"))
    assert said_by[0] == said_by[1]


def test_lines_go_with_no_other_view(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A seat's own knowledge is not written as everybody's."""
    path = tmp_path / "game.txt"
    path.write_text(write_record(random_game(rule_set("duel"), 3, 10).record, "own"))
    assert main(["record", "export", str(path), "--to", "jsonl", "--view", "red"]) == 2
    assert "no other view" in capsys.readouterr().err
