"""`hallmarshal station`: an event from entry to standings by commands alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.tournament.event.event import EventId
from referee.tournament.store import open_store


class Hall:
    """Types commands on one store."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store = str(folder / "events.db")
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run a verb and give what it printed: on stdout if it worked, else on stderr."""
        assert main(["station", *words, "--store", self.store]) == code
        printed = self._capsys.readouterr()
        return printed.err if code else printed.out

    def json(self, *words: str) -> Any:
        """Run a verb with --json."""
        return json.loads(self(*words, "--json"))


@pytest.fixture
def hall(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Hall:
    """Return a hall with an empty store."""
    return Hall(tmp_path, capsys)


@pytest.fixture
def players(tmp_path: Path) -> Path:
    """Return a file of five players, as a spreadsheet writes it."""
    path = tmp_path / "players.csv"
    path.write_text(
        "name,rating,federation\nAn,1800,NED\nBo,1900,BEL\nCé,,\n[red]Dan[/],1700,\nEva,1600,DEN\n", "utf-8-sig"
    )
    return path


def test_from_entry_to_standings(hall: Hall, players: Path) -> None:
    """Pair, publish, results, a late entry, a bye, a withdrawal, standings, files."""
    hall("new", "open", "--rounds", "2", "--players", str(players), "--seed", "1", "--name", "The Open")
    assert hall.json("list")["events"] == [
        {"event": "open", "name": "The Open", "system": "swiss", "players": 5, "rounds": 0}
    ]
    draft = hall.json("pair", "open")["draft"]
    assert draft["byes"] == [
        {"player": {"number": 5, "name": "Cé"}, "kind": "pairing", "reasons": ["bye-lowest-points"]}
    ]
    assert "[red]Dan[/]" in hall("show", "open")
    assert hall.json("show", "open")["round"] is None
    hall("publish", "open")
    for table in ("1", "2"):
        hall("result", "open", table, "red")
    assert "already" in hall("result", "open", "1", "draw", code=2)
    hall("result", "open", "1", "blue", "--correct")
    hall("enter", "open", "Fay", "--rating", "2000")
    hall("bye", "open", "1", "2", "half")
    hall("withdraw", "open", "5")
    second = hall.json("pair", "open")["draft"]
    assert (len(second["tables"]), [bye["kind"] for bye in second["byes"]]) == (2, ["half"])
    hall("publish", "open")
    for table in ("1", "2"):
        hall("result", "open", table, "draw")
    rows = hall.json("standings", "open")["standings"]
    assert sorted(float(row["points"]) for row in rows) == sorted([3.0 + 0, 6, *points_of_round_one(rows)])
    assert hall("export", "open", "--to", "csv").startswith("place,number,name")
    assert "all 2 rounds" in hall("pair", "open", code=2)
    assert "The Open" in hall("list")
    assert "buchholz" in hall("standings", "open")


def test_every_act_by_its_word(hall: Hall, players: Path) -> None:
    """With who and why in the log; what is not understood is one line."""
    hall("new", "open", "--rounds", "2", "--players", str(players), "--by", "Ada")
    hall("act", "open", "edit", '{"number": 2, "name": "Anna"}', "--by", "Ada", "--why", "misspelt")
    hall("act", "open", "undo", '{"entry": 2}', "--by", "Bram")
    told = hall.json("log", "open")["log"]
    assert [(row["act"], row["who"], row["why"], row["undone"]) for row in told] == [
        ("create", "Ada", "", False),
        ("edit", "Ada", "misspelt", True),
        ("undo", "Bram", "", False),
    ]
    assert "(edit)" in hall("log", "open")
    for wrong in ('{"number": "2"}', "[1]", "{", "{}", '{"number": 2, "name": 3, "rating": "x"}'):
        assert "does not understand" in hall("act", "open", "edit", wrong, code=2)
    assert "one line of 1 to 200" in hall("withdraw", "open", "1", "--why", "x" * 201, code=2)


def points_of_round_one(rows: list[dict[str, Any]]) -> list[float]:
    """Return the points of those who sat at tables: round one's 6 or 1, and three for a draw or a half bye."""
    return [(6.0 if row["rounds"][0].endswith("1") else 1.0) + 3 for row in rows if row["rounds"][0] not in ("U", "Z")]


def test_another_program_takes_part(hall: Hall, players: Path, tmp_path: Path) -> None:
    """Our TRF becomes an event elsewhere; a round more in it becomes our draft."""
    hall("new", "open", "--rounds", "3", "--players", str(players))
    hall("pair", "open")
    hall("publish", "open")
    hall("result", "open", "1", "red")
    hall("result", "open", "2", "draw")
    (tmp_path / "open.trf").write_text(hall("export", "open", "--to", "trf"), newline="")
    hall("new", "copy", "--from-trf", str(tmp_path / "open.trf"))
    hall("pair", "copy")
    hall("publish", "copy")
    (tmp_path / "copy.trf").write_text(hall("export", "copy", "--to", "trf"), newline="")
    draft = hall.json("pair", "open", "--from-trf", str(tmp_path / "copy.trf"))["draft"]
    assert draft["round"] == 2
    assert {why for table in draft["tables"] for why in table["reasons"]} == {"imported"}


def test_a_round_robin_in_chess_points(hall: Hall, players: Path) -> None:
    """As many rounds as it takes; points are free."""
    hall(
        "new", "club", "--system", "round-robin", "--points", "1-0.5-0", "--bye-points", "0", "--players", str(players)
    )
    for _ in range(5):
        hall("pair", "club")
        hall("publish", "club")
        hall("result", "club", "1", "draw")
        hall("result", "club", "2", "draw")
    assert {row["points"] for row in hall.json("standings", "club")["standings"]} == {"2"}
    assert "5 rounds" in hall("pair", "club", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "none"], "there is no event none"),
        (["show", "No Such"], "an event's id"),
        (["new", "x"], "needs its number of rounds"),
        (["new", "x", "--rounds", "0"], "1 to 99 rounds"),
        (["new", "x", "--rounds", "3", "--points", "6-3"], "as in 6-3-1"),
        (["new", "x", "--rounds", "3", "--points", "a-b-c"], "no points"),
        (["new", "x", "--rounds", "3", "--players", "/none.csv"], "No such file"),
        (["new", "x", "--from-trf", "/dev/null"], "no player"),
        (["pair", "there"], "fewer than two"),
        (["publish", "there"], "no draft"),
        (["withdraw", "there", "1"], "no player has the number 1"),
        (["result", "there", "1", "red"], "round 0 is not published"),
        (["enter", "there", ""], "a player's name"),
        (["new", "there", "--rounds", "3"], "already"),
    ],
)
def test_what_cannot_be_done_is_one_line(hall: Hall, words: list[str], said: str) -> None:
    """Exit 2, and nothing changed."""
    hall("new", "there", "--rounds", "3")
    store = open_store(hall.store)
    before = store.load(EventId("there"))
    complaint = hall(*words, code=2)
    assert said in complaint
    assert complaint.count("\n") == 1
    assert (store.ids(), store.load(EventId("there"))) == ((EventId("there"),), before)
    store.close()


def test_a_file_of_players_with_faults(hall: Hall, tmp_path: Path) -> None:
    """The line is named."""
    path = tmp_path / "players.csv"
    for text, said in (
        ("rating,federation\n1500,NED\n", "line 1: 'federation' is no rating"),
        ("name,rating\nAn,x\n,12\nBo,1500\n", "line 2: 'x' is no rating; line 3: a player's name"),
        ("name,rating\nAn," + "9" * 5000 + "\n", "is no rating"),
        ('name\n"' + "A" * 200_000 + '"\n', "line 2: field larger"),
        ("name\nA\na\n", "already"),
    ):
        path.write_text(text)
        assert said in hall("new", "x", "--rounds", "3", "--players", str(path), code=2)
    path.write_bytes(b"name\n\xff\n")
    assert "not UTF-8" in hall("new", "x", "--rounds", "3", "--players", str(path), code=2)


def test_a_store_that_cannot_be_had(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 3."""
    assert main(["station", "list", "--store", str(tmp_path / "none" / "x.db")]) == 3
    assert "unable to open" in capsys.readouterr().err
