"""The real table killed in the middle of a real game: it finds the game, the handsets come back by themselves, the game ends."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.journal.events import fact_of
from referee.journal.journal import public_rows
from referee.rules.values import Seat
from referee.table.views import PublicEvent
from tests.demo.running import hallmarshal
from tests.runtime.at_table import AtTable, Line, Program

pytestmark = pytest.mark.process


class Interrupted(AtTable):
    """A table that is killed and started again with the same words."""

    def start_again(self, how: signal.Signals = signal.SIGKILL, *more: str) -> None:
        """Kill the table, start it anew with `more` arguments, wait until it is ready."""
        self.table.end(how)
        while "table" not in self.ended:
            self.take()
        pty = self.ready["board"]
        self.table = self.hallmarshal(
            "table",
            "table",
            *f"--board {pty} --web 127.0.0.1:0 --json --rules {self.rules.name}".split(),
            *("--state", str(self.state / "table"), *more),
        )
        self.ready = self.next("table", lambda line: "join" in line)


def consistent(events: list[Line]) -> None:
    """Prove that no event contradicts another one with its number; those that were written and never said are missing at most."""
    by_seq: dict[int, Line] = {}
    for event in events:
        assert by_seq.setdefault(event["seq"], event) == event
    assert [event["seq"] for event in events] == sorted(by_seq)


def journalled(journal: Path) -> list[PublicEvent]:
    """Return every public event in a journal."""
    rows = [row for row in public_rows(journal) if not row.type.startswith("journal.")]
    return [event for row in rows if (event := fact_of(row).event) is not None]


def resigned(table: AtTable, red: Program, blue: Program) -> Line:
    """Let red resign. Returns the end of the game."""
    red.send({"type": "resign"})
    return table.play_on("end", game=1)


def broken_off(table: AtTable, red: Program, blue: Program) -> Line:
    """Let red offer to break off and blue accept. Returns the end of the game."""
    red.send({"type": "offer-abort"})
    asked = table.next(blue.name, lambda line: line.get("letter", {}).get("kind") == "abort")["letter"]
    blue.send({"type": "answer", "question": asked["question"], "choice": "accept"})
    return table.play_on("end", game=1)


@pytest.mark.parametrize(
    ("kind", "finish", "end_of_it"),
    [
        ("move.read", broken_off, (None, "aborted")),
        ("attack", resigned, ("blue", "resign")),
        ("verdict", resigned, ("blue", "resign")),
    ],
)
def test_a_killed_table_goes_on(
    kind: str,
    finish: Callable[[AtTable, Program, Program], Line],
    end_of_it: tuple[str | None, str],
    tmp_path: Path,
) -> None:
    """No handset is paired again; both hear the same game from the ply where it was; the record of it is legal.

    Whether it is played on or broken off is for the players: journal and record say how it ended.
    """
    with Interrupted(tmp_path) as table:
        table.take_seats()
        told = table.play_on(kind, game=1)
        players, table.handsets = table.handsets, {}  # from here on nobody plays
        table.start_again()
        assert table.ready["join"] == {}
        names = [player.name for player in players.values()]
        heard = table.everybody(names, lambda line: line.get("state", {}).get("seq", 0) > told["seq"])
        for view in (line["state"] for line in heard.values()):
            assert (view["game"], view["result"]) == (told["game"], None)
            assert view["ply"] >= told["ply"] - 1
        end = finish(table, players[Seat.RED], players[Seat.BLUE])
        assert (end["seat"], end["text"]) == end_of_it
        assert table.table.end(signal.SIGTERM) == 0
        assert any("goes on where it was" in line for line in table.table.complaint)
        consistent(table.events)
        (record,) = (tmp_path / "table").glob("games/*/game.record")
        judged = json.loads(hallmarshal("record", "check", str(record), "--json", state=tmp_path).stdout)
        assert (judged["legal"], judged["winner"], judged["ending"]) == (True, *end_of_it)
        (journal,) = (tmp_path / "table").glob("games/*/journal.sqlite")
        assert [event.text for event in journalled(journal) if event.kind == "end"] == [end_of_it[1]]


def test_a_game_that_is_over_is_not_gone_on_with(tmp_path: Path) -> None:
    """Killed right after the end it shows the end once more, for nobody may have heard it; ended in order it is a new table after that."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.table.send("abort")
        table.play_on("end", game=1)
        names = [handset.name for handset in table.handsets.values()]
        table.handsets.clear()
        table.start_again()
        assert table.ready["join"] == {}
        table.everybody(names, lambda line: line.get("state", {}).get("phase") == "finished")
        table.start_again(signal.SIGTERM)
        assert set(table.ready["join"]) == {"red", "blue"}
