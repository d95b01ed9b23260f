"""A table with clocks as it is used: its file, the broker, two handsets, a simulated board; nobody moves, so somebody loses on time."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from referee.rules.values import Seat
from tests.runtime.at_table import AtTable, Line

pytestmark = pytest.mark.process


def test_a_game_that_is_lost_on_time(tmp_path: Path) -> None:
    """The flag falls by itself, at the table and on the handset, and shows that nothing is left."""
    config = tmp_path / "table.toml"
    config.write_text('[clock]\nkind = "sudden-death"\nminutes = 0.02\n')
    with AtTable(tmp_path, "duel", "--config", str(config)) as table:
        table.take_seats()
        table.play_on("begin", game=1)
        table.rest()
        handset = table.handsets[Seat.RED].name
        heard = table.everybody(("table", handset), _is_over)
        end, over = heard["table"], heard[handset]["state"]
        assert end["text"] == "clock"
        assert over["result"] == {"winner": end["seat"], "reason": "clock"}
        (loser,) = {"red", "blue"} - {end["seat"]}
        assert over["clocks"][loser] == {"left_ms": 0, "runs": False}
        assert 0 < over["clocks"][end["seat"]]["left_ms"] <= 1_200
        assert table.table.end(signal.SIGTERM) == 0


def _is_over(line: Line) -> bool:
    """Return whether a line of a table or a handset shows that the game has ended."""
    return line.get("kind") == "end" or ("state" in line and line["state"]["phase"] == "finished")
