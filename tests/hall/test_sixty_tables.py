"""An event of 60 tables from entry to final standings: the station as its own process, its broker, 60 tables that play at top speed.

Everything that the station counts is counted again here, by another way, from what the tables themselves say.
"""

from __future__ import annotations

import csv
import http.client
import io
import queue
import signal
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.net.broker.hall_broker import HallPass
from referee.tournament.event.event import points_text
from tests.hall.swift_table import SwiftTable
from tests.hall.test_station_demo import ask, event_news
from tests.patience import PATIENCE_S
from tests.runtime.at_table import Heard, Program

pytestmark = pytest.mark.process

TABLES, ROUNDS = 60, 3
LATE, LATER, FREE, GONE = "Late Larsen", "Later Lund", "Player 007", "Player 050"
"""Enter before rounds 2 and 3; asks for half a point in round 3; leaves before it."""
SIGNS = {"1": (6, Fraction(1)), "=": (3, Fraction(1, 2)), "0": (1, Fraction(0))}
FREED = {"U": (6, Fraction(1)), "H": (3, Fraction(1, 2)), "Z": (0, Fraction(0))}
"""What a cell of the cross table is worth: points, and the share of a game."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a station's directory as its own commands make it: an account, 120 entered players, a pass for each table."""
    players = tmp_path / "players.csv"
    lines = [f"Player {number:03},{2400 - 7 * number},NED" for number in range(1, 2 * TABLES + 1)]
    players.write_text("name,rating,federation\n" + "\n".join(lines) + "\n")
    state = tmp_path / "hall"
    monkeypatch.setattr("sys.stdin", io.StringIO("a long password\n"))
    assert main(["station", "account", "Chief", "--role", "chief", "--password-stdin", "--state", str(state)]) == 0
    entered = ["new", "cup", "--rounds", str(ROUNDS), "--players", str(players), "--seed", "5"]
    assert main(["station", *entered, "--store", str(state / "events.db")]) == 0
    boards = [f"t{number}" for number in range(1, TABLES + 1)]
    assert main(["station", "tables", *boards, "--host", "127.0.0.1", "--state", str(state), "--port", "1"]) == 0
    capsys.readouterr()  # sixty lines that nobody needs
    return state


class Chief:
    """The chief arbiter at the pages."""

    def __init__(self, web: str) -> None:
        self.web = web
        _, self.cookie = ask(web, "/api/login", "", {"name": "Chief", "password": "a long password"})

    def event(self) -> Any:
        """Return the event as the pages have it."""
        return ask(self.web, "/api/event", self.cookie)[0]

    def act(self, name: str, /, **given: Any) -> None:
        """Do something with the event as it is now."""
        ask(self.web, f"/api/event/{name}", self.cookie, {"revision": self.event()["revision"], **given})

    def number(self, name: str) -> int:
        """Return a player's number."""
        return next(int(player["number"]) for player in self.event()["players"] if player["name"] == name)

    def played(self, number: int) -> bool:
        """Return whether every table of a round has a result."""
        rounds = self.event()["rounds"]
        return len(rounds) == number and all(table["result"] for table in rounds[-1]["tables"])

    def wait_for(self, number: int) -> None:
        """Wait until a round is played, looking again whenever the station says that the event has changed."""
        assert any(self.played(number) for _ in event_news(self.web, self.cookie))


def test_an_event_of_sixty_tables_from_entry_to_final_standings(folder: Path) -> None:
    """120 players, two come late, one is free once, one leaves; three Swiss rounds; standings, cross table, CSV and TRF agree."""
    heard: queue.Queue[Heard] = queue.Queue()
    words = ["serve", "--event", "cup", "--begin-games", "--state", str(folder), "--web", "127.0.0.1:0"]
    with ExitStack() as stack:
        station = Program("hall", heard, folder.parent, "referee.cli.main", "station", *words, "--port", "0", "--json")
        stack.callback(station.close)
        ready = heard.get(timeout=PATIENCE_S)[1]
        assert ready is not None, station.complaint
        tables = [SwiftTable(_passed(folder, number, ready["broker"]), 3) for number in range(1, TABLES + 1)]
        for table in tables:
            table.start()
        chief = Chief(ready["web"])
        for number in range(1, ROUNDS + 1):
            if number == 2:
                chief.act("enter", name=LATE, rating=1990)
            elif number == 3:
                chief.act("enter", name=LATER, rating=1450)
                chief.act("bye", number=chief.number(FREE), round=3, kind="half")
                chief.act("withdraw", number=chief.number(GONE))
            chief.act("pair")
            chief.act("publish")
            chief.wait_for(number)
        event = chief.event()
        files = {form: _file(chief, form) for form in ("csv", "trf")}
        for table in tables:
            table.stop()
        assert station.end(signal.SIGTERM) == 0
        assert station.complaint == []
    count = Recount(event, tables)
    assert count.met_twice == []
    assert [
        (line["name"], line["points"], line["buchholz"], line["sonneborn-berger"]) for line in event["standings"]
    ] == (count.standings)
    assert {line["name"]: line["rounds"] for line in event["standings"]} == count.cells
    rows = list(csv.reader(io.StringIO(files["csv"])))[1:]
    assert [(row[2], *row[5:8]) for row in rows] == count.standings
    assert {row[2]: row[8:] for row in rows} == count.cells
    assert _trf(files["trf"]) == {name: (count.points[name], cells) for name, cells in count.cells.items()}


class Recount:
    """Counts the event again, from what the tables say of their games and from who was to be free."""

    def __init__(self, event: Any, tables: list[SwiftTable]) -> None:
        number = {player["name"]: player["number"] for player in event["players"]}
        self.cells: dict[str, list[str]] = {name: [] for name in number}
        self.rivals: dict[str, list[str | None]] = {name: [] for name in number}
        for played in range(1, ROUNDS + 1):
            self._free(played, event["rounds"][played - 1])
            for table in tables:
                red, blue, outcome = table.ended[played]
                for name, seat, other in ((red, "red", blue), (blue, "blue", red)):
                    sign = {"draw": "=", seat: "1"}.get(outcome, "0")
                    self.cells[name].append(f"{number[other]}{seat[0]}{sign}")
                    self.rivals[name].append(other)
        assert {len(cells) for cells in self.cells.values()} == {ROUNDS}
        meetings = Counter(frozenset((name, other)) for name in number for other in self.rivals[name] if other)
        self.met_twice = [pair for pair, count in meetings.items() if count > 2]
        self.points = {name: sum(_worth(cell)[0] for cell in cells) for name, cells in self.cells.items()}
        lines = [
            (-self.points[name], *(-each for each in self._tie_breaks(name)), number[name], name) for name in number
        ]
        self.standings = [
            (name, *(points_text(Fraction(-each)) for each in values)) for *values, _, name in sorted(lines)
        ]

    def _free(self, played: int, round_: Any) -> None:
        """Note who did not play: the late ones, the one who asked, the one who left, and with an odd number one by the pairing."""
        known = {(1, LATE): "Z", (1, LATER): "Z", (2, LATER): "Z", (3, FREE): "H", (3, GONE): "Z"}
        free = {name: sign for (when, name), sign in known.items() if when == played}
        drawn = [bye["player"]["name"] for bye in round_["byes"] if bye["kind"] == "pairing"]
        assert len(drawn) == (played == 2)
        for name, sign in {**free, **dict.fromkeys(drawn, "U")}.items():
            self.cells[name].append(sign)
            self.rivals[name].append(None)

    def _tie_breaks(self, name: str) -> tuple[Fraction, Fraction]:
        """Return Buchholz and Sonneborn-Berger; an unplayed round counts as one against oneself, at most a draw a
        round.

        For his opponents the round after one has left counts as a draw.
        """
        own = min(self.points[name], 3 * ROUNDS)
        met = [own if other is None else self.points[other] + 3 * (other == GONE) for other in self.rivals[name]]
        shares = [_worth(cell)[1] for cell in self.cells[name]]
        return Fraction(sum(met)), sum((share * value for share, value in zip(shares, met, strict=True)), Fraction(0))


def _worth(cell: str) -> tuple[int, Fraction]:
    return FREED[cell] if cell in FREED else SIGNS[cell[-1]]


def _passed(folder: Path, number: int, broker: str) -> HallPass:
    """Return a table's pass for the port at which the hall's broker listens now."""
    return replace(HallPass.read(folder / f"t{number}.pass"), port=int(broker.rpartition(":")[2]))


def _file(chief: Chief, form: str) -> str:
    line = http.client.HTTPConnection(chief.web.removeprefix("http://"), timeout=PATIENCE_S)
    line.request("GET", f"/api/event.{form}", headers={"Cookie": chief.cookie})
    text = line.getresponse().read().decode()
    line.close()
    return text


def _trf(text: str) -> dict[str, tuple[int, list[str]]]:
    """Read points and cells of each player by TRF16's columns."""
    found = {}
    for line in text.split("\r\n"):
        if line.startswith("001 "):
            cells = [line[at : at + 10] for at in range(89, 89 + 10 * ROUNDS, 10)]
            seats = {"w": "r", "b": "b"}
            read = [f"{int(cell[2:6])}{seats[cell[7]]}{cell[9]}" if cell[7] in seats else cell[9] for cell in cells]
            found[line[14:47].strip()] = (int(float(line[80:84])), read)
    return found
