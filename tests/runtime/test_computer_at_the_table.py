"""`hallmarshal table --blue computer:1`: the computer takes its seat as a handset does; people carry its moves out at the board."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.rules.values import Seat
from referee.simulated_players.player import Deed, Do, Motion
from tests.runtime.at_table import AtTable, Line

pytestmark = pytest.mark.process

PLIES = 30


class AgainstTheComputer(AtTable):
    """Red plays as ever, and red's hands do blue's moves as well."""

    state_now: Line
    placed = ""
    asked = 0
    _again = False

    def _deeds(self, seat: Seat, line: Line) -> Iterable[Any]:
        yield from super()._deeds(seat, line)
        if "state" in line:
            self.state_now = line["state"]
            yield from map(Do, self._set_up())
            if self.state_now["phase"] == "restoring" and not self._again:  # a hand went on while the table was away
                self._again = True
                yield Do({"motion": "restore", "squares": self.state_now["occupants"], "after_ms": 500})
            elif self.state_now["phase"] == "waiting-for-move" and self._again:
                self._again = False
                yield from map(Do, self._carry_out(self.state_now["decided"]))
        elif "event" in line:
            yield from self._hands(line["event"])

    def _set_up(self) -> Iterator[Motion]:
        """Put blue pieces where the table says that they are missing."""
        state = self.state_now
        squares = [fix["square"] for fix in state["fixes"] if fix["wanted"] == "blue"]
        if state["phase"] == "setting-up" and squares and self.placed != state["game"]:
            self.placed = state["game"]
            yield {"motion": "place", "seat": "blue", "squares": squares}

    def _hands(self, event: Line) -> Iterator[Deed]:
        if event["kind"] == "move.read" and event["seat"] == "red":
            yield Do({"motion": "wait", "after_ms": 4_000})  # until it is final; board time costs no waiting here
        elif event["kind"] == "move.decided":
            yield from map(Do, self._carry_out(event))
        elif event["kind"] == "ask":
            self.asked += 1
        elif event["kind"] == "verdict" and event["seat"] == "blue":
            stays = {"attacker-wins": "blue", "flag-taken": "blue", "defender-wins": "red"}.get(event["result"])
            if stays:
                yield Do({"motion": "put", "seat": stays, "square": event["target"]})

    def _carry_out(self, decided: Line | None) -> Iterator[Motion]:
        if decided is None:
            return
        source, target = decided["source"], decided["target"]
        if target in self.state_now["occupants"]:
            yield {"motion": "both", "from": source, "target": target, "after_ms": 2_000}
        else:
            yield {"motion": "move", "from": source, "to": target, "style": "lift", "after_ms": 2_000}


def test_the_computer_plays_a_seat(tmp_path: Path) -> None:
    """It sets up, decides, answers attacks and begins another game, and nobody is asked anything."""
    more = ("--mode", "enrol", "--blue", "computer:1")
    with AgainstTheComputer(tmp_path, "duel", *more) as table:
        assert set(table.ready["join"]) >= {"red"}
        table.join(Seat.RED, table.ready["join"]["red"])
        table.play_on("begin", game=1)
        while table.state_now["ply"] < PLIES and table.state_now["phase"] != "finished":
            table.take()
        assert table.asked == 0
        played = [one for one in table.events if one["kind"] in ("move.final", "verdict") and one["seat"] == "blue"]
        assert len(played) >= table.state_now["ply"] // 2 - 1
        table.rest()
        if table.state_now["phase"] != "finished":
            table.handsets[Seat.RED].send({"type": "resign"})
            assert table.play_on("end", game=1)["seat"] == "blue"
        table.handsets[Seat.RED].send({"type": "ready"})
        assert table.play_on("enrolled", game=2)["seat"] == "blue"
        assert table.table.end(signal.SIGTERM) == 0
