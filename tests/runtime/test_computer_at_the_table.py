"""The computer at a table, chosen there: it takes its seat as a handset does; people carry its moves out at the board.

It is killed in the middle of a ply of red's, and so is the table; and what it could look at from where it runs is looked at.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.rules.actions import Move
from referee.rules.values import Seat
from referee.runtime.computer_processes import MODULE
from referee.simulated_players.player import BotAct, Do, Motion
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.reliability.test_killed_table import Interrupted
from tests.runtime.at_table import Line

pytestmark = pytest.mark.process

MODE = ("--mode", "enrol")
FIRST, SECOND, LAST = 6, 12, 18
"""After so many plies the computer is killed, and the table; and so many are played."""
_LOOK = """
import json, os, sys
found = []
for path in sys.argv[1:]:
    try:
        found.append([path, os.listdir(path)] if os.path.isdir(path) else [path, open(path, "rb").read(1).hex()])
    except OSError:
        pass
print(json.dumps(found))
"""


class AgainstTheComputer(Interrupted):
    """Red plays as ever, and red's hands do blue's moves as well."""

    state_now: Line
    named: Line
    """The seats that screens call the computer's."""
    placed = False
    asked = 0
    freeze = 0
    """A process that is stopped before red's next move, so that it cannot hear of it."""
    by_hand = -1
    """After so many plies red moves as this test says: it attacks nothing that the stopped computer would have to answer for."""
    carried = -1
    _again = False

    def _deeds(self, seat: Seat, line: Line) -> Iterable[Any]:
        if "info" in line:
            self.named = line["info"]["computers"]
        if "state" in line:
            self.state_now = line["state"]
            yield from map(Do, self._set_up())
            waits = (self.state_now["phase"], self.state_now["turn"]) == ("waiting-for-move", "red")
            if self.freeze and waits and self.state_now["ply"] > self.by_hand:
                os.kill(self.freeze, signal.SIGSTOP)
                self.freeze, self.by_hand = 0, self.state_now["ply"]
                yield Do(self._plain_move())
            if self.state_now["phase"] == "restoring" and not self._again:  # a hand went on while the table was away
                self._again = True
                yield Do({"motion": "restore", "squares": self.state_now["occupants"], "after_ms": 500})
            decided, ply = self.state_now["decided"], self.state_now["ply"]
            if self.state_now["phase"] == "waiting-for-move":
                again, self._again = self._again, False
                if decided and (again or self.carried != ply):
                    self.carried = ply
                    yield from map(Do, self._carry_out(decided))
        if "state" not in line or self.freeze or self.state_now["ply"] != self.by_hand:
            yield from super()._deeds(seat, line)
        if "event" in line:
            yield from self._hands(line["event"])

    def _plain_move(self) -> Motion:
        game = self._players[Seat.RED].bot.game
        assert game is not None
        moves = (one for one in game.legal_actions() if isinstance(one, Move) and not game.is_attack(one))
        move = min(moves, key=repr)
        return {"motion": "move", "from": move.source.name, "to": move.target.name, "style": "lift", "after_ms": 2_000}

    def _set_up(self) -> Iterator[Motion]:
        """Put blue pieces where the table says that they are missing."""
        state = self.state_now
        squares = [fix["square"] for fix in state["fixes"] if fix["wanted"] == "blue"]
        if state["phase"] == "setting-up" and squares and not self.placed:
            self.placed = True
            yield {"motion": "place", "seat": "blue", "squares": squares}

    def _hands(self, event: Line) -> Iterator[BotAct]:
        if event["kind"] == "move.read" and event["seat"] == "red":
            yield Do({"motion": "wait", "after_ms": 4_000})  # until it is final; board time costs no waiting here
        elif event["kind"] == "ask":
            self.asked += 1
        elif event["kind"] == "verdict" and event["seat"] == "blue":
            stays = {"attacker-wins": "blue", "flag-taken": "blue", "defender-wins": "red"}.get(event["result"])
            if stays:
                yield Do({"motion": "put", "seat": stays, "square": event["target"]})

    def _carry_out(self, decided: Line) -> Iterator[Motion]:
        source, target = decided["source"], decided["target"]
        if target in self.state_now["occupants"]:
            yield {"motion": "both", "from": source, "target": target, "after_ms": 2_000}
        else:
            yield {"motion": "move", "from": source, "to": target, "style": "lift", "after_ms": 2_000}

    def play_to(self, ply: int) -> None:
        """Play until so many plies are played, or the game is over."""
        while self.state_now["ply"] < ply and self.state_now["phase"] != "finished":
            self.take()

    def play_unheard(self, computer: int) -> None:
        """Stop the computer, and let red play a ply that it does not hear of."""
        self.freeze, self.by_hand = computer, self.state_now["ply"]  # red may have begun the ply after it by itself
        while self.freeze:
            self.take()
        begun = len(self.events)
        while not any((one["kind"], one["seat"]) == ("move.final", "red") for one in self.events[begun:]):
            self.take()


def computer_of(table: int) -> int:
    """Return the computer's own process, which runs below others that keep it apart."""
    below, found = [table], list[int]()
    while below:
        pid = below.pop()
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            below += map(int, children.read_text().split())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if command[0] == sys.executable.encode() and command[2] == MODULE.encode():
            found.append(pid)
    (computer,) = found
    return computer


def seen_from_inside(computer: int, paths: Iterable[Path]) -> list[Any]:
    """Return what of these can be read from where the computer runs, by somebody there who may do more than it may."""
    enter = ("nsenter", f"--target={computer}", "--user", "--mount", "--preserve-credentials")
    looks = [*enter, sys.executable, "-c", _LOOK, *map(str, paths)]
    done = subprocess.run(looks, capture_output=True, text=True, check=True, cwd="/")
    return list(json.loads(done.stdout))


def the_seat_changes_hands(table: AgainstTheComputer, links: Path) -> None:
    """Hand the seat to a person in mid-game, also across a pulled plug, and then back to the computer."""
    red = table.handsets[Seat.RED].name

    def screens_name(**computers: int) -> None:
        table.next(red, lambda line: "info" in line and line["info"]["computers"] == computers)

    table.table.send("pair blue")  # for somebody else: it does not take its seat back
    screens_name()
    wait_until(lambda: "blue" in json.loads(links.read_text()))
    blue = table.join(Seat.BLUE, json.loads(links.read_text())["blue"])
    table.next(blue.name, lambda line: (line.get("letter") or {}).get("type") == "state")
    table.start_again(signal.SIGKILL, *MODE)  # its seat is that player's from now on
    assert table.ready["join"] == {}
    table.everybody((red, blue.name), lambda line: (line.get("letter") or {}).get("type") == "state")
    assert table.named == {}
    table.table.send("set blue-player computer-2")  # not in this game
    table.table.send("set blue-player computer-1")  # back to whom it was given by
    screens_name(blue=1)
    while blue.name not in table.ended:
        table.take()


def test_the_computer_plays_a_seat(tmp_path: Path) -> None:
    """It sets up, decides, answers attacks, and begins another game; nobody is asked anything.

    It is killed, and so is the table, each time after a ply that it has not heard of: it goes on with the same game. At the end the
    audit makes all its choices again.
    """
    with AgainstTheComputer(tmp_path, "original", *MODE) as table:  # no large army loses its flag so soon
        table.join(Seat.RED, table.ready["join"]["red"])
        table.table.send("set blue-player computer-1")
        table.play_on("begin", game=1)
        table.play_to(FIRST)
        assert table.asked == 0

        state = tmp_path / "table"
        (folder,) = (state / "games").iterdir()
        computer = computer_of(table.table.process.pid)
        hidden = [state, state / "referee.key", state / "join.json", folder / "journal.sqlite", folder / "journal.key"]
        assert all(path.exists() for path in hidden)
        memory = Path(f"/proc/{table.table.process.pid}/mem")
        assert seen_from_inside(computer, [*hidden, memory, Path(sys.prefix, "pyvenv.cfg")]) == [
            [str(Path(sys.prefix, "pyvenv.cfg")), b"h".hex()]
        ]

        table.play_unheard(computer)
        os.kill(computer, signal.SIGKILL)
        table.play_to(SECOND)
        assert any("it is started again" in line for line in table.table.complaint)

        table.play_unheard(computer_of(table.table.process.pid))
        table.start_again(signal.SIGKILL, *MODE)  # who plays is the game's to say
        assert table.ready["join"] == {}
        table.play_to(LAST)
        table.rest()
        if table.state_now["phase"] != "finished":
            table.handsets[Seat.RED].send({"type": "resign"})
            assert table.play_on("end", game=1)["seat"] == "blue"
        said = hallmarshal("record", "audit", str(folder / "journal.sqlite"), state=tmp_path)
        assert said.returncode == 0, said.stdout
        assert "choices of its computer (level 1) follow from its seed and what it was told" in said.stdout

        links = state / "join.json"
        table.table.send("pair blue")
        wait_until(lambda: "blue" in json.loads(links.read_text()))
        red = table.handsets[Seat.RED]
        red.send({"type": "ready"})  # now nobody plays blue who could have agreed to another game
        table.next(red.name, lambda line: (line.get("letter") or {}).get("type") == "accepted")
        table.table.send("set blue-player computer-1")
        assert table.play_on("enrolled", game=2)["seat"] == "blue"

        the_seat_changes_hands(table, links)
        assert table.table.end(signal.SIGTERM) == 0
