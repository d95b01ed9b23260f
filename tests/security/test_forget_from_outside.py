"""`record forget` by its page alone: a game by commands, then every byte that is left of it."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.security.outside_programs import HALLMARSHAL, OutsideTable, called, holders, spellings, told_ranks

pytestmark = pytest.mark.process
_ZOE, _ZO = "Zoë Ærligstør", "Zoë"
_KILLS = 3


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the state directory of a table where Zoë Ærligstør lost against Zoë, with a record and a frame log."""
    table = OutsideTable(tmp_path_factory.mktemp("table"), {"red": _ZOE, "blue": _ZO}, "--frame-log", "--keep-keys")
    table.play()
    assert table.quit() == 0
    return table.state


@pytest.fixture
def state(played: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(played, tmp_path / "state"))


def _forgotten(name: str, place: Path) -> tuple[int, dict[str, list[str]]]:
    code, said = called("record", "forget", name, place, "--json")
    return code, json.loads(said)


def _files(folder: Path) -> dict[str, bytes]:
    """Return what lies there, but for what SQLite makes beside a file that is read."""
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("lock", "-shm", "-wal"))
    }


def _audited(game: Path) -> tuple[int, dict[str, object]]:
    code, said = called("record", "audit", game / "game.record", "--json")
    found = json.loads(said)
    return code, {word: found[word] for word in ("plies", "holds", "wrong", "chain")}


def test_all_of_a_player_goes_and_the_audit_stays(state: Path) -> None:
    """Capitals and a decomposed accent do not matter; the other player, of whose name it begins, stays."""
    (game,) = (state / "games").iterdir()
    before = _audited(game)
    assert told_ranks(state) or holders(state, list(spellings(_ZOE)))
    code, said = _forgotten(unicodedata.normalize("NFD", _ZOE).upper(), state)
    assert code == 0
    assert said["games"] == [game.name]
    assert said["left"] == said["unreadable"] == []
    assert not holders(state, list(spellings(_ZOE)))
    assert not told_ranks(state)
    assert [path.name for path in game.iterdir()] == ["game.record"]
    assert not [
        line
        for line in (game / "game.record").read_text().splitlines()
        if line.startswith(("player.red", "salt.red", "seed.red"))
    ]
    assert f"player.blue = {_ZO}" in (game / "game.record").read_text().splitlines()
    assert before[0] == 0
    assert _audited(game) == before
    left = _files(state)
    code, said = _forgotten(_ZOE, state)
    assert code == 0
    assert not said["games"]
    assert _files(state) == left


def test_part_of_a_name_is_nobodys(state: Path) -> None:
    """A part of a name, and words that a seat and ranks have, take nothing away."""
    before = _files(state)
    code, said = _forgotten("Ærligstør", state)
    assert not said["games"]
    assert _files(state) == before
    assert code == (1 if said["left"] else 0)


def test_what_was_exported_beside_is_named(state: Path) -> None:
    """A file that is none of the table's is left and named, whatever its name's case there."""
    (state / "notes.txt").write_text(f"lost by {_ZOE.lower()} again", "utf-8")
    code, said = _forgotten(_ZOE, state)
    assert code == 1
    assert [Path(left).name for left in said["left"]] == ["notes.txt"]
    assert holders(state, list(spellings(_ZOE))) == ["notes.txt"]


def test_killed_at_any_moment_it_goes_on(state: Path) -> None:
    """Whenever it is killed, the next call does what was left."""
    (game,) = (state / "games").iterdir()
    before, drawn = _audited(game), random.Random(26)
    for _ in range(_KILLS):
        with subprocess.Popen([HALLMARSHAL, "record", "forget", _ZOE, str(state)], stdout=subprocess.DEVNULL) as forget:
            try:
                forget.wait(drawn.uniform(0.3, 1.2))
            except subprocess.TimeoutExpired:
                forget.kill()
    assert _forgotten(_ZOE, state)[0] == 0
    assert not holders(state, list(spellings(_ZOE)))
    assert _audited(game) == before


def test_a_player_of_an_event_goes_out_of_its_store(tmp_path: Path) -> None:
    """Name, earlier name and reasons go; standings stay, as does the player whose name begins so. An open game of his refuses."""
    store, players = tmp_path / "station" / "events.db", tmp_path / "players.csv"
    store.parent.mkdir()
    players.write_text("name,rating\nWillemijntje Vos,1500\nWillemijntje Vosse,1400\n", "utf-8")

    def station(*arguments: str) -> str:
        code, said = called("station", *arguments, "--store", store)
        assert code == 0
        return said

    station("new", "open", "--rounds", "1", "--players", str(players))
    station("pair", "open")
    station("publish", "open", "--by", "Willemijntje Vos")
    before = store.read_bytes()
    assert called("record", "forget", "Willemijntje Vos", store.parent)[0] == 2
    assert store.read_bytes() == before
    station("result", "open", "1", "blue", "--by", "Chief", "--why", "Vos was late")
    (first, second) = json.loads(station("standings", "open", "--json"))["standings"]
    assert holders(store.parent, [b"Vos was late"])
    code, said = called("record", "forget", "WILLEMIJNTJE VOS", store.parent, "--json")
    assert code == 0
    assert json.loads(said)["rows"] == [{"event": "open", "player": 1}]
    after = json.loads(station("standings", "open", "--json"))["standings"]
    assert [{**line, "name": ""} for line in after] == [{**line, "name": ""} for line in (first, second)]
    assert sorted(line["name"] for line in after) == ["#1", "Willemijntje Vosse"]
    left = b"".join(path.read_bytes() for path in store.parent.iterdir() if path.is_file())
    assert left.replace(b"Willemijntje Vosse", b"").count(b"Vos") == 0
