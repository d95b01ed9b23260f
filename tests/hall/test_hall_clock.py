"""The hall clock through the station: one act, every game of the round is told, each table ends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.simulated_players.hall_table import Pace
from tests.hall.open_hall import Client, OpenHall, until
from tests.hall.test_rounds_at_boards import act, event, publish_a_round, results

pytestmark = pytest.mark.process

SLOW = Pace((0.3, 0.4), 0.3, at_once=True)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[OpenHall]:
    """Yield a hall for one test, whose first round is played at two tables: each test may run alone or first."""
    with OpenHall(tmp_path, players=4, starts_games=True, pace=SLOW) as made:
        publish_a_round(Client(made).log_in("Chief"))
        for board in made.boards:
            made.seen(board, lambda now: now["ply"] > 0)
        yield made


def test_the_round_ends_at_all_tables_as_the_chief_said(hall: OpenHall) -> None:
    """Set, set anew, taken away by the chief alone; the tables measure it; at its end games are draws without the station's help."""
    chief, ann = Client(hall).log_in("Chief"), Client(hall).log_in("Ann")
    assert act(ann, "clock", minutes=50)[0] == 403
    for wrong in ("soon", -1, 1e9, float("nan")):
        assert act(chief, "clock", minutes=wrong)[0] == 400
    assert act(chief, "clock", minutes=5, at_end="coin")[0] == 400
    assert act(chief, "clock", minutes=50)[0] == 200
    ends = event(chief)["rounds"][-1]["ends"]
    assert ends["at_end"] == "arbiter"
    for board in hall.boards:
        told = hall.seen(board, lambda now: now["hall_clock"] is not None)
        assert 49 * 60_000 < told["hall_clock"]["left_ms"] <= 50 * 60_000
        assert told["hall_clock"]["runs"]
    more = {"type": "set-hall-clock", "left_ms": 55 * 60_000}
    assert ann.order("t2", more)[1]["done"]
    assert act(chief, "clock", minutes=None)[0] == 200
    for board in hall.boards:
        hall.seen(board, lambda now: now["hall_clock"] is None)
    assert act(chief, "clock", minutes=0.002, at_end="draw")[0] == 200
    for board in hall.boards:
        hall.seen(board, lambda now: now["result"] == {"winner": None, "reason": "hall-clock"})
    hall.close_station()
    hall.open_station()
    chief = Client(hall).log_in("Chief")
    until(lambda: results(chief) == ["draw", "draw"], "both are noted")


def test_a_table_that_has_more_time_keeps_it_and_a_later_game_is_told_what_is_left(hall: OpenHall) -> None:
    """Other minutes for one table stay through a new start of the station; who begins late has what is left."""
    chief = Client(hall).log_in("Chief")
    assert act(chief, "clock", minutes=30)[0] == 200
    for board in hall.boards:
        told = hall.seen(board, lambda now: now["hall_clock"] is not None and now["result"] is None)
        assert 29 * 60_000 < told["hall_clock"]["left_ms"] <= 30 * 60_000
    assert chief.order("t1", {"type": "set-hall-clock", "left_ms": 40 * 60_000})[1]["done"]
    hall.seen("t1", lambda now: now["hall_clock"]["left_ms"] > 31 * 60_000)
    hall.close_station()
    hall.open_station()
    chief = Client(hall).log_in("Chief")
    hall.station.rounds.look()  # type: ignore[union-attr]  # an event is played
    told = hall.seen("t1", lambda now: now["up"] and now["hall_clock"] is not None)
    assert told["hall_clock"]["left_ms"] > 31 * 60_000
    game = hall.seen("t2", lambda now: now["up"] and now["view"] is not None)["view"]["game"]
    assert act(chief, "swap-seats", round=1, table=2)[0] == 200
    anew = hall.seen("t2", lambda now: now["view"]["game"] != game and now["hall_clock"] is not None)
    assert 25 * 60_000 < anew["hall_clock"]["left_ms"] <= 30 * 60_000
    assert chief.order("t2", {"type": "set-hall-clock", "left_ms": 0})[1]["done"]
    over = hall.seen("t2", lambda now: now["phase"] == "paused")
    hall.seen("t2", lambda now: "time-over" in [alert["kind"] for alert in now["alerts"]])
    assert over["hall_clock"] == {"left_ms": 0, "runs": False}
