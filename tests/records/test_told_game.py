"""A journal read as a record: all with its key, only what everybody was told without, nothing of a damaged one; and its replay."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.errors import JournalDamagedError
from referee.journal.journal_to_record import journal_record
from referee.journal.proof import audit_journal
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import View, rules_of
from referee.journal.records.views import view_of, views
from referee.rules import OptionValue
from referee.rules.values import Seat
from referee.table.chain import option_text
from referee.table.views import Mode, Reveal
from tests.records.audited_games import DUEL, facts, game, honest, journal
from tests.table.storm import Storm

OLD = Path(__file__).parents[1] / "reliability" / "journals" / "2026-11"


@pytest.mark.parametrize("mode", Mode)
def test_without_the_key_it_is_the_public_view(mode: Mode, tmp_path: Path) -> None:
    """Rank for rank what `view_of` lets everybody see, although that one starts from all ranks."""
    path = journal(tmp_path, list(facts(mode)))
    whole = journal_record(path, tmp_path / "journal.key")
    assert whole.plies == honest(mode).plies
    assert whole.set_ups == honest(mode).set_ups
    (tmp_path / "journal.key").unlink()
    assert journal_record(path, None) == view_of(whole, View.PUBLIC)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM rows WHERE seq = 9",
        "DELETE FROM rows WHERE seq > 20",
        "UPDATE rows SET public = replace(public, 'red', 'blue') WHERE seq = 12",
        "UPDATE head SET seq = seq + 1",
        "DELETE FROM head",
        "UPDATE rows SET public = '{' || public WHERE seq = 3",
    ],
)
@pytest.mark.parametrize("with_key", [True, False])
def test_a_damaged_journal_is_one_error(
    damage: str, with_key: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found with the key and without; nothing of the game is printed, and one line says what is wrong."""
    path = journal(tmp_path, list(facts(Mode.DECLARE)))
    base = sqlite3.connect(path, isolation_level=None)
    base.execute(damage)
    base.close()
    with pytest.raises(JournalDamagedError):
        journal_record(path, tmp_path / "journal.key" if with_key else None)
    if not with_key:
        (tmp_path / "journal.key").unlink()
    for verb in ("show", "export"):
        assert main(["record", verb, str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == (1 if with_key else 2)
        assert "good up to row" in err.splitlines()[-1]


def test_show_and_export_read_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The journal of an old table in each view; the key may lie elsewhere; without one it stays with what is public."""
    path, key = tmp_path / "old.sqlite", tmp_path / "elsewhere"
    shutil.copy(OLD / "journal.sqlite", path)
    shutil.copy(OLD / "journal.key", key)
    whole = journal_record(path, key)
    for view in (View.REFEREE, View.RED, View.BLUE, View.PUBLIC, View.ARCHIVE):
        assert main(["record", "export", str(path), "--key", str(key), "--view", view.value]) == 0
        text, err = capsys.readouterr()
        assert err == ""
        assert read_record(text.encode()) == view_of(whole, view)
    assert main(["record", "export", str(path)]) == 0
    text, err = capsys.readouterr()
    assert read_record(text.encode()) == view_of(whole, View.PUBLIC)
    assert "only what is public" in err
    assert main(["record", "show", str(path), "--view", "red"]) == 2
    assert main(["record", "show", str(path), "--key", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", Mode)
def test_a_replay_shows_what_was_shown(mode: Mode) -> None:
    """After each ply one square more is empty, the pieces are those of the true game, captured ones are counted."""
    record = honest(mode)
    screens = list(views(record, rules_of(record)))
    assert len(screens) == len(record.plies) + 1
    for (before, after), ply in zip(pairwise(screens), record.plies, strict=True):
        lost = len(before.occupants) - len(after.occupants)
        assert lost == (0 if ply.result is None else 2 if ply.result.value == "both-lost" else 1)
        assert sum(sum(counts.values()) for counts in after.captured.values()) == 2 * sum(DUEL.army.values()) - len(
            after.occupants
        )
    assert record.result is not None
    assert screens[-1].result is not None
    assert screens[-1].result.reason == record.result.reason.value


def test_show_with_speed_ends_with_the_last_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last screen stays; a speed that is none is refused."""
    path = tmp_path / "game.record"
    record = game(Mode.ENROL, 0)[1]
    path.write_text(write_record(record, "own"))
    assert main(["record", "show", str(path), "--speed", "1000", "--lang", "en"]) == 0
    assert f"Move {len(record.plies)}" in capsys.readouterr().out
    for speed in ("0", "nan", "fast"):
        with pytest.raises(SystemExit, match="2"):
            main(["record", "show", str(path), "--speed", speed])


def test_a_record_says_what_its_game_counted_for_and_who_played(tmp_path: Path) -> None:
    """As the game was opened; a journal of before that was told is read as one of a game for itself, by the rules that are named."""
    opened, *rest = facts(Mode.DECLARE)
    assert opened.cause is not None
    said = {**opened.cause["settings"], "names": {"red": "Ann"}, "occasion": {"event": "cup", "round": 3, "table": 7}}
    (tmp_path / "now").mkdir()
    path = journal(tmp_path / "now", [replace(opened, cause={**opened.cause, "settings": said}), *rest])
    record = journal_record(path, None)
    assert (dict(record.names), record.event, record.round, record.table) == ({Seat.RED: "Ann"}, "cup", "3", "7")
    path = journal(tmp_path, [replace(opened, cause=None), *rest])
    record = journal_record(path, None, DUEL)
    assert (dict(record.names), record.event, record.round, record.table) == ({}, None, None, None)
    assert record.plies == journal_record(tmp_path / "now" / "journal.sqlite", None).plies


def test_a_record_names_the_options_that_were_chosen(tmp_path: Path) -> None:
    """What players chose in the lobby is how the game is judged, shown and audited afterwards; an old journal has its own day's."""
    chosen: dict[str, OptionValue] = {
        "two_square_limit": 5,
        "spy_against_spy": "both-lost",
        "repetition": "situation",
    }
    table = Storm(
        DUEL.with_options(chosen), Mode.ENROL, Reveal.BOOK, random.Random(3), junk=0.0, lies=False, proves=False
    )
    table.play(20)
    path = journal(tmp_path, [fact for step in table.steps for fact in step.facts])
    record = journal_record(path, tmp_path / "journal.key")
    assert record.options == {name: option_text(value) for name, value in chosen.items()}
    assert {name: rules_of(record).options[name].value for name in chosen} == chosen
    assert rules_of(record, DUEL).options["two_square_limit"].value == 5
    assert audit_journal(path, tmp_path / "journal.key")[1].wrong == ()
    old = shutil.copytree(OLD, tmp_path / "old")
    assert journal_record(old / "journal.sqlite", None).options["spy_against_spy"] == "both-lost"
