"""A player is forgotten in a table's state directory: neither name nor salt nor hidden ranks are left, and what stays is still proven."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.hand_times import TIMES
from referee.journal.journal import Journal
from referee.journal.records.audit import audit
from referee.journal.records.formats import read_record
from referee.journal.records.model import View
from referee.journal.stored import JOURNAL
from referee.library.games import RECORD
from referee.library.shelf import INDEX, PAGE
from referee.rules import rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.forgetting import forget, without
from referee.runtime.game_archive import KEY, Keeping
from referee.runtime.state_folder import alone_in
from referee.table.replay import told_settings
from tests.records.test_corrected_games import corrected, facts
from tests.table.random_play import SALTS

RED, BLUE = Seat.RED, Seat.BLUE
GAMES = {"1": ("Anna", "Bram"), "2": ("Cleo", "Änna"), "3": ("Bram", "Anna"), "4": ("Cleo", "Anna")}
KEYLESS, UNRECORDED = "3", "4"


def table(path: Path, over: bool = True) -> Path:
    """Return a state directory of four games: one has lost its key, one was never recorded, or is on where it is not `over`."""
    for name, (red, blue) in GAMES.items():
        sitting = corrected(names={RED: red, BLUE: blue}, salts=Hidden(SALTS), date="2026-11-26")
        keeping = Keeping.open(path / "games" / name, told_settings(facts(sitting), rule_set))
        whole = facts(sitting)
        keeping.journal.write(whole if over or name != UNRECORDED else whole[:20])
        if name != UNRECORDED:
            keeping.write_record(keeping.record(None), View.ARCHIVE)
        keeping.close()
    (path / "games" / KEYLESS / KEY).unlink()
    (path / "table.json").write_text(
        json.dumps(
            {
                "game": UNRECORDED,
                "names": {"red": "anna"},
                "played": {"names": {"blue": "Anna"}, "end": {"winner": None, "reason": "agreed"}},
            }
        )
    )
    return path


def holding(path: Path, *texts: str) -> list[str]:
    """Return which files hold any of these texts."""
    found = (each for each in sorted(path.rglob("*")) if each.is_file())
    return [each.name for each in found if any(text.encode() in each.read_bytes() for text in texts)]


def check_forgotten(state: Path) -> None:
    """Check that Anna is gone, that the others are not, and that each record says nothing wrong."""
    assert not holding(state, "Anna", "anna")
    assert {path.parent.name for path in state.rglob(JOURNAL)} == {"2"}
    records = {path.parent.name: read_record(path.read_bytes()) for path in state.rglob(RECORD)}
    assert {name: dict(one.names) for name, one in records.items()} == {
        "1": {BLUE: "Bram"},
        "2": {RED: "Cleo", BLUE: "Änna"},
        "3": {RED: "Bram"},
        "4": {RED: "Cleo"},
    }
    for name, one in records.items():
        found = audit(one)
        assert (found.holds, found.chain.state, set(one.salts)) == (True, "complete", set(one.names))
        assert any("does not say who played" in text for text in found.open) == (name != "2")


def test_a_player_is_forgotten_and_games_still_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In capitals or not; with names, what salts them and ranks go all files that were sealed. Again it finds nothing."""
    state = table(tmp_path / "t")
    assert main(["record", "forget", " anna", str(state), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["games"], done["names"], done["unreadable"]) == (["1", "3", "4"], 5, [])
    assert done["files"] >= 8  # journals, their head files, two keys
    check_forgotten(state)
    assert main(["record", "forget", "Anna", str(state)]) == 0
    assert capsys.readouterr().out.strip() == "0 games, 0 names, 0 ranks, 0 files"


def test_nobody_is_forgotten_while_he_plays(tmp_path: Path) -> None:
    """Neither where his game is on, nor while the table runs; nothing changes, nor for a name that is not there. Others are forgotten."""
    state = table(tmp_path / "t", over=False)
    index = state / INDEX
    index.write_text('["1", "mark", {"players": {"red": "Anna"}}]\n')
    before = holding(state, "Anna")
    with pytest.raises(BadInputError, match="is on"):
        forget(state, "Anna")
    with alone_in(state, "test"), pytest.raises(BadInputError, match="runs"):
        forget(state, "Bram")
    assert holding(state, "Anna") == before
    forget(state, "Nobody")
    assert INDEX in before
    assert index.exists()
    assert forget(state, "Bram").games == ["1", "3"]
    assert not index.exists()


def test_where_nobody_can_tell_who_played_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken journal that holds the name goes; one that does not stays, and the command says so."""
    state = table(tmp_path / "t")
    for name in ("1", "2"):
        path = state / "games" / name / JOURNAL
        path.write_bytes(path.read_bytes().replace(b"SQLite format 3", b"SQLite format X"))
        (path.parent / RECORD).unlink()
    assert main(["record", "forget", "Anna", str(state)]) == 1
    assert f"{state / 'games' / '2'}: its journal cannot be read" in capsys.readouterr().out
    assert not holding(state, "Anna")


@pytest.mark.process
def test_killed_at_every_moment_it_goes_on_at_the_next_call(tmp_path: Path) -> None:
    """Before each file that it would open for writing, rename or remove; the journals of others can be opened all along."""
    moment, died = 0, True
    while died:
        moment += 1
        state = table(tmp_path / str(moment))
        if (child := os.fork()) == 0:
            _die_at(moment)
            forget(state, "Anna")
            os._exit(0)
        died = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
        Journal.open(state / "games" / "2" / JOURNAL, state / "games" / "2" / KEY, read_only=True).close()
        forget(state, "anna")
        check_forgotten(state)
    assert moment > 20


def _die_at(moment: int) -> None:
    left = iter(range(moment - 1, -1, -1))

    def hook(event: str, args: tuple[object, ...]) -> None:
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or event in ("os.remove", "os.rename", "os.rmdir", "shutil.rmtree")) and next(left) == 0:
            os._exit(9)

    sys.addaudithook(hook)


def test_words_of_the_tables_own_files_are_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is made of another game's record has the words of seats and ranks; what somebody laid there is named."""
    state = table(tmp_path / "t")
    for name in (PAGE, TIMES):
        (state / "games" / "2" / name).write_text('{"red": ["marshal", 12]}')
    for name in ("red", "marshal", "12"):
        assert main(["record", "forget", name, str(state)]) == 0
    (state / "copy.txt").write_text("lost by red\n")
    capsys.readouterr()
    assert main(["record", "forget", "Red", str(state)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{state / 'copy.txt'}: the name still stands here, where only you can take it out",
        "0 games, 0 names, 0 ranks, 0 files",
    ]


def test_the_tables_of_a_demo_are_reached(tmp_path: Path) -> None:
    """Each game of a series, and in a hall each table, has a state directory of its own; one that runs refuses all."""
    for number, (red, blue) in enumerate((("Anna", "Bram"), ("Cleo", "Anna")), 1):
        sitting = corrected(names={RED: red, BLUE: blue}, salts=Hidden(SALTS), date="2026-11-26")
        keeping = Keeping.open(tmp_path / f"game-{number}", told_settings(facts(sitting), rule_set))
        keeping.journal.write(facts(sitting))
        keeping.close()
        (tmp_path / f"game-{number}" / "broker").mkdir()
        (tmp_path / f"game-{number}" / "broker" / "mosquitto.log").write_text("Anna is no client of ours\n")
    state = table(tmp_path / "games" / "table-1")
    before = holding(tmp_path, "Anna")
    with alone_in(state, "test"), pytest.raises(BadInputError, match="runs"):
        forget(tmp_path, "Anna")
    assert holding(tmp_path, "Anna") == before
    done = forget(tmp_path, "Anna")
    assert done.games == ["game-1", "game-2", *(f"games/table-1/games/{name}" for name in ("1", "3", "4"))]
    assert (done.left, holding(tmp_path, "Anna")) == ([], ["mosquitto.log"] * 2)
    check_forgotten(state)


def test_what_a_station_leaves_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that hold the name, and its events' own texts; earlier titles go from the log. Of one that runs the store alone is reached."""
    store, players = str(tmp_path / "events.db"), tmp_path / "players.csv"
    players.write_text("name,rating\nAnna,1500\nBram,1400\n")

    def station(*words: str) -> None:
        assert main(["station", *words, "--store", store]) == 0

    station("new", "cup", "--rounds", "1", "--players", str(players))
    station("act", "cup", "settings", '{"name": "Anna Memorial", "details": {"place": "Annaberg"}}')
    kept = Keeping.open(tmp_path / "games" / "1", told_settings(facts(corrected()), rule_set))
    kept.journal.write(facts(corrected(names={RED: "Bram", BLUE: "Cleo"}, salts=Hidden(SALTS))))
    kept.write_record(kept.record(None), View.ARCHIVE)
    kept.close()
    with alone_in(tmp_path, "test"):
        assert main(["record", "forget", "Anna", str(tmp_path)]) == 2
        capsys.readouterr()
        assert main(["record", "forget", "Bram", store]) == 1
        assert f"{tmp_path / 'games' / '1'}: the name still stands here" in capsys.readouterr().out
    assert forget(tmp_path, "Bram").games == ["1"]
    capsys.readouterr()

    def forgotten() -> tuple[int, list[str], list[object]]:
        code = main(["record", "forget", "anna", str(tmp_path), "--json"])
        told = json.loads(capsys.readouterr().out)
        return code, told["left"], told["rows"]

    assert forgotten() == (1, [str(players), "cup, its title"], [{"event": "cup", "player": 1}])
    players.unlink()
    station("act", "cup", "settings", '{"name": "Memorial"}')
    capsys.readouterr()
    assert forgotten() == (0, [], [])
    assert not holding(tmp_path, "Anna Memorial")
    assert main(["station", "log", "cup", "--store", store, "--json"]) == 0
    assert "# Memorial" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "left"),
    [("Memorial ANNA Open", "Memorial # Open"), ("Annabel", "Annabel"), ("Zoe\u0308 Stra\u00dfe", "#"), ("red", "red")],
)
def test_a_text_without_a_name(text: str, left: str) -> None:
    """In any capitals and in either form; where a letter has more than one capital, the whole text goes."""
    assert without(without(text, "anna"), "ZO\u00cb STRASSE") == left
