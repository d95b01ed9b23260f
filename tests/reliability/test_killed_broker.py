"""The table's own broker, or its front door, killed while programs play: they come back by themselves, and the game is where it was."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from referee.rules.values import Seat
from referee.runtime.event_loop import GAP_MS
from referee.simulated_players.player import BotAct
from tests.demo.running import hallmarshal
from tests.reliability.test_killed_table import consistent
from tests.reliability.test_real_faults import ByCable, end_by
from tests.runtime.at_table import AtTable, Line
from tests.runtime.test_whole_table import kill_broker

pytestmark = pytest.mark.process

PHASES = {
    "move.read": ("waiting-for-move",),
    "attack": ("waiting-for-declarations",),
    "verdict": ("waiting-for-board", "waiting-for-move"),  # the latter where both are lost, and up already
}
"""After which event the broker dies, and what the table then waits for."""


class Halting(AtTable):
    """A table whose players stop as soon as any handset hears of an event of this kind, which it does before what follows from it."""

    def __init__(self, state: Path, kind: str) -> None:
        super().__init__(state)
        self._kind, self._halted = kind, False

    def _deeds(self, seat: Seat, line: Line) -> Iterable[BotAct]:
        self._halted = self._halted or line.get("event", {}).get("kind") == self._kind
        return () if self._halted else super()._deeds(seat, line)


def come_back(table: AtTable, names: Iterable[str]) -> dict[str, tuple[Line, Line]]:
    """Wait until each handset has lost its broker, has it again, and was told the whole state. Returns the view and the
    seat's letter.
    """
    missing, gone = set(names), set[str]()
    views, letters = dict[str, Line](), dict[str, Line]()
    while missing:
        who, line = table.take()
        assert line is not None, f"{who} ended"
        if line.get("link") == "down":
            gone.add(who)
        elif who in gone and "state" in line:
            views[who] = line["state"]
        elif who in gone and line.get("letter", {}).get("type") == "state":
            letters[who] = line["letter"]
        missing -= views.keys() & letters.keys()
    return {name: (views[name], letters[name]) for name in views}


def kill_the_broker(table: AtTable) -> None:
    """Kill the table's broker."""
    assert kill_broker(str(table.state / "table" / "broker" / "mosquitto.conf"))


def kill_the_door(table: AtTable) -> None:
    """Kill the table's front door, through which both handsets have come."""
    for path in Path(f"/proc/{table.table.process.pid}/task").glob("*/children"):
        for pid in path.read_text().split():
            if "referee.door" in Path(f"/proc/{pid}/cmdline").read_text(errors="replace"):
                os.kill(int(pid), signal.SIGKILL)
                return
    raise AssertionError("there is no door")


@pytest.mark.parametrize("kind", PHASES)
@pytest.mark.parametrize(
    ("kill", "said"), [(kill_the_broker, "Mosquitto ended by itself"), (kill_the_door, "the door has ended")]
)
def test_a_part_that_dies_in_this_phase(kill: Callable[[AtTable], None], said: str, kind: str, tmp_path: Path) -> None:
    """At rest, between attack and answers, between verdict and removal: nobody pairs again, who is asked is asked, the game goes on."""
    with Halting(tmp_path, kind) as table:
        table.take_seats()
        told = table.play_on(kind, game=1)
        players, table.handsets = table.handsets, {}
        kill(table)
        back = come_back(table, [player.name for player in players.values()])
        for view, letter in back.values():
            assert view["game"] == told["game"]
            assert view["phase"] in PHASES[kind]
            assert view["seq"] >= told["seq"]
            question = letter["question"]
            assert (question["kind"] if question else None) == ("declare" if kind == "attack" else None)
        players[Seat.RED].send({"type": "resign"})
        end = table.play_on("end", game=1)
        assert (end["seat"], end["text"]) == ("blue", "resign")
        assert table.table.end(signal.SIGTERM) == 0
        assert sum(said in line for line in table.table.complaint) == 1
        consistent(table.events)
    (record,) = (tmp_path / "table").glob("games/*/game.record")
    judged = json.loads(hallmarshal("record", "check", str(record), "--json", state=tmp_path).stdout)
    assert (judged["legal"], judged["winner"]) == (True, "blue")


def test_a_broker_that_dies_costs_nobodys_clock(tmp_path: Path) -> None:
    """The mover's clock stands from when the broker was heard last until his phone is back; the journal says when."""
    config = tmp_path / "table.toml"
    config.write_text('[clock]\nkind = "sudden-death"\nminutes = 30\n')
    with ByCable(tmp_path, "duel", "--config", str(config)) as table:
        names = table.take_seats()
        view = table.everybody(names[:1], _first_move)[names[0]]["state"]
        table.rest()
        mover, seen_s = view["turn"], time.monotonic()
        assert kill_broker(str(tmp_path / "table" / "broker" / "mosquitto.conf"))
        killed_s = time.monotonic()
        table.next(names[0], lambda line: line.get("event", {}).get("text") == "back")
        later = table.next(names[0], lambda line: "state" in line)["state"]
        back_s = time.monotonic()
        charged_s = (view["clocks"][mover]["left_ms"] - later["clocks"][mover]["left_ms"]) / 1000
        assert charged_s <= killed_s - seen_s + GAP_MS / 1000 < back_s - seen_s
        assert end_by(table, Seat.RED)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0
        assert [event["text"] for event in table.events if event["kind"] == "broker.link"] == ["lost", "back"]
        consistent(table.events)


def _first_move(line: Line) -> bool:
    """Return whether a line shows that the second move is waited for, on the clock."""
    view = line.get("state", {})
    return bool(view.get("phase") == "waiting-for-move" and view.get("ply") == 1)
