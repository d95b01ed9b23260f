"""A table as it is used at which blue's moves are decided elsewhere: its file, the broker, two handsets, hands at a simulated board."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from referee.rules.values import Seat
from tests.reliability.test_killed_table import Interrupted
from tests.runtime.at_table import Line

pytestmark = pytest.mark.process


def _waits_for(line: Line, decided: Line) -> bool:
    """Return whether a handset shows a table that waits for this decision to be carried out."""
    state = line.get("state") or {}
    return (state.get("phase"), state.get("decided")) == ("waiting-for-move", decided)


class Still(Interrupted):
    """Players set up, and do nothing of their own accord once they could move."""

    state_now: Line

    def _deeds(self, seat: Seat, line: Line) -> Iterable[Any]:
        if "state" in line:
            self.state_now = line["state"]
        begun = "event" in line or ("state" in line and self.state_now["phase"] not in ("lobby", "setting-up"))
        return () if begun else super()._deeds(seat, line)

    def step_of(self, seat: Seat, least: int = 0) -> tuple[str, str]:
        """Return a step straight ahead that a piece of an army may make as far as anybody knows, not the first `least` of them."""
        ahead = 1 if seat is Seat.RED else -1
        occupants = self.state_now["occupants"]
        steps = [
            (square, f"{square[0]}{int(square[1:]) + ahead}") for square in occupants if occupants[square] == seat.value
        ]
        known = {square.name for square in self.rules.board.squares}
        return [step for step in sorted(steps) if step[1] in known and step[1] not in occupants][least]

    def wait_for_ply(self, ply: int) -> None:
        """Wait until a handset shows a table that waits for the ply after this one."""
        while (self.state_now["ply"], self.state_now["phase"]) != (ply, "waiting-for-move"):
            self.take()

    def hand(self, motion: str, **fields: object) -> None:
        """Let a hand do something, and rest."""
        self.board.send({"motion": motion, **fields})
        self.board.send({"motion": "wait", "after_ms": 4_000})


def test_a_far_player_decides_and_hands_do_it(tmp_path: Path) -> None:
    """By the handset's letter, and it stands though the plug is pulled; another move is asked about, the right one is final."""
    config = tmp_path / "table.toml"
    config.write_text('[moves]\ndecided = ["blue"]\n')
    with Still(tmp_path, "duel", "--config", str(config)) as table:
        table.take_seats()
        table.play_on("begin", game=1)
        red, blue = (table.handsets[seat] for seat in (Seat.RED, Seat.BLUE))
        table.wait_for_ply(0)
        source, target = table.step_of(Seat.RED)
        table.hand("move", **{"from": source, "to": target})
        table.play_on("move.final", game=1)
        table.wait_for_ply(1)

        (source, target), other = table.step_of(Seat.BLUE), table.step_of(Seat.BLUE, 1)
        blue.send({"type": "decide", "ply": 2, "source": source, "target": target})
        decided = {"seat": "blue", "source": source, "target": target}
        shown = table.everybody((red.name, blue.name), lambda line: (line.get("state") or {}).get("decided") == decided)
        assert {each["state"]["phase"] for each in shown.values()} == {"waiting-for-move"}
        table.start_again()
        table.everybody((red.name, blue.name), lambda line: _waits_for(line, decided))

        table.hand("move", **{"from": other[0], "to": other[1]})
        assert table.play_on("ask", game=1)["text"] == "not-decided"
        table.hand("restore", squares=table.state_now["occupants"])
        table.play_on("restored", game=1)
        table.hand("move", **{"from": source, "to": target})
        final = table.play_on("move.final", game=1)
        assert (final["ply"], final["source"], final["target"]) == (2, source, target)
        assert table.table.end(signal.SIGTERM) == 0
