"""A referee that is held up: what nobody measured is charged to nobody (whole programs), and how the clock tells it (a table)."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from referee.rules.values import Seat
from referee.runtime.event_loop import GAP_MS, SteadyClock
from tests.reliability.test_killed_table import consistent
from tests.reliability.test_real_faults import ByCable, end_by

STALL_S = 1.5


@pytest.mark.parametrize(
    ("asked_ms", "shown_ms"),
    [
        ([0, 250, 500], [0, 250, 500]),
        ([0, GAP_MS - 1, 2 * GAP_MS - 2], [0, GAP_MS - 1, 2 * GAP_MS - 2]),
        ([0, GAP_MS], [0, 0]),
        ([0, 200, 15_200, 15_300], [0, 200, 200, 300]),
        ([0, 100, 2100, 2200, 4200, 4201], [0, 100, 100, 200, 200, 201]),
    ],
)
def test_the_clock_leaves_out_what_it_was_not_asked_for(asked_ms: list[int], shown_ms: list[int]) -> None:
    """Gaps of half a second and more; shorter ones are only a busy machine."""
    machine = iter([0, *asked_ms])
    clock = SteadyClock(lambda: next(machine))
    assert [clock.now_ms() for _ in asked_ms] == shown_ms
    assert clock.stalled_ms == asked_ms[-1] - shown_ms[-1]


@pytest.mark.process
def test_a_table_that_is_stopped_charges_nobody_for_it(tmp_path: Path) -> None:
    """SIGSTOP while a player's clock runs and his hand moves: the clock was charged for no more than the referee was awake."""
    config = tmp_path / "table.toml"
    config.write_text('[clock]\nkind = "sudden-death"\nminutes = 30\n')
    with ByCable(tmp_path, "duel", "--config", str(config)) as table:
        names = table.take_seats()
        view = table.everybody(names[:1], lambda line: bool(_clock(line.get("state", {}))))[names[0]]["state"]
        table.rest()
        mover = view["turn"]
        seen_s = time.monotonic()
        os.kill(table.table.process.pid, signal.SIGSTOP)
        threading.Event().wait(STALL_S)  # the stall itself
        slept_s = time.monotonic() - seen_s
        os.kill(table.table.process.pid, signal.SIGCONT)
        later = table.everybody(
            names[:1], lambda line: bool(_clock(line.get("state", {}))) and line["state"]["seq"] >= view["seq"]
        )[names[0]]["state"]
        passed_ms = 1000 * (time.monotonic() - seen_s - slept_s)
        charged_ms = view["clocks"][mover]["left_ms"] - later["clocks"][mover]["left_ms"]
        assert charged_ms <= passed_ms + GAP_MS
        assert end_by(table, Seat.RED)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)


def _clock(view: dict[str, object]) -> bool:
    """Return whether a view is of a move that is being waited for, by the clock."""
    return view.get("phase") == "waiting-for-move" and view.get("ply") == 1
