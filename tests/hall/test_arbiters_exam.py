"""What an arbiter has to decide, at the pages of a real station and at tables that play: each case of docs/how-to/arbiter-cases.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from referee.rules.values import Seat
from referee.simulated_players.hall_table import Pace
from tests.hall import arbiter_cases
from tests.hall.open_hall import Client, OpenHall, paused, until
from tests.hall.test_rounds_at_boards import act, event, results

BOARDS = ("t1", "t2", "t3", "t4", "t5", "t6")
LONG = Pace((3.0, 3.0), 0.3, at_once=True)
"""A game of this takes a quarter of an hour, however busy the machine is that tests the tables before it."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall in its first round: five tables play, two players are free since they are late."""
    with OpenHall(tmp_path_factory.mktemp("hall"), BOARDS, players=12, starts_games=True, pace=LONG) as made:
        chief = Client(made).log_in("Chief")
        for number in (11, 12):
            assert act(chief, "bye", number=number, round=1, kind="zero")[0] == 200
        assert act(chief, "pair")[0] == 200
        assert act(chief, "publish")[0] == 200
        for board in BOARDS[:5]:
            made.seen(board, lambda now: now["ply"] > 0)
        yield made


@pytest.fixture
def chief(hall: OpenHall) -> Client:
    """Return the chief's browser."""
    return Client(hall).log_in("Chief")


def noted(chief: Client, table: int, result: str) -> None:
    """Wait until a table has this result in the event."""
    until(lambda: results(chief)[table - 1] == result, f"table {table}: {result}")


def order(hall: OpenHall, chief: Client, board: str, kind: str, **fields: Any) -> None:
    """Order something of a table as it is, however often it goes on meanwhile."""
    until(lambda: chief.order(board, {"type": kind, **fields})[1].get("done"), f"{kind} at {board}")
    del hall


@pytest.mark.process
def test_late_players_play_after_all(hall: OpenHall, chief: Client) -> None:
    """Two who are free since they came late are paired at one table more, whose board begins; the log says why."""
    status, told = act(chief, "pair-free", round=1, red=11, blue=12, why="the train")
    assert status == 200, told
    assert told["rounds"][0]["tables"][5]["reasons"] == ["paired-late"]
    whole = hall.seen("t6", lambda now: now["ply"] > 0)
    assert whole["occasion"] == {"event": "cup", "round": 1, "table": 6}


@pytest.mark.process
def test_who_does_not_come_loses_by_absence(hall: OpenHall, chief: Client) -> None:
    """His game is left without a result at the board, and counts as lost by absence in the event."""
    assert act(chief, "result", round=1, table=1, result="blue-absent", why="nobody came")[0] == 200
    ended = hall.seen("t1", lambda now: now["result"] is not None)
    assert ended["result"]["winner"] is None
    noted(chief, 1, "blue-absent")


@pytest.mark.process
def test_a_flag_that_fell_by_mistake(hall: OpenHall, chief: Client) -> None:
    """The table itself ends a game on time. The chief goes back before it, gives time, and clears the result; the game goes on."""
    seat = paused(hall, chief, "t2")["turn"]
    order(hall, chief, "t2", "set-clock", seat=seat, left_ms=1)
    order(hall, chief, "t2", "resume")
    ended = hall.seen("t2", lambda now: now["result"] is not None)
    assert ended["result"]["winner"] not in (seat, None)
    noted(chief, 2, ended["result"]["winner"])
    assert act(chief, "correct", round=1, table=2, result=None, why="clock set wrongly")[1]["error"] == "board-ended"
    order(hall, chief, "t2", "take-back", ply=ended["ply"])
    order(hall, chief, "t2", "set-clock", seat=seat, left_ms=600_000)
    hall.seen("t2", lambda now: now["result"] is None)
    until(lambda: event(chief)["stuck"], "the result is noted, and the game goes on")
    assert act(chief, "correct", round=1, table=2, result=None, why="clock set wrongly")[0] == 200
    assert results(chief)[1] is None


@pytest.mark.process
def test_a_lost_phone_gets_its_seat_again(hall: OpenHall, chief: Client) -> None:
    """The page shows that it is gone; an arbiter offers the seat anew; when it comes back by itself all is well too."""
    assert hall.on is not None
    phone = hall.table("t3")._handsets[Seat.RED]
    hall.on.call(phone.stop)
    hall.seen("t3", lambda now: any(one["kind"] == "link-lost" and one["seat"] == "red" for one in now["alerts"]))
    order(hall, chief, "t3", "pair", seat="blue", reason="the phone fell")
    hall.on.call(phone.start)
    hall.seen(
        "t3", lambda now: now["here"].get("red") is True and not any(a["kind"] == "link-lost" for a in now["alerts"])
    )


@pytest.mark.process
def test_a_board_that_breaks_is_adjourned_and_then_ruled(hall: OpenHall, chief: Client) -> None:
    """It stands still, also over an attack; goes back to before it, or gets a result, which becomes the event's."""
    whole = paused(hall, chief, "t4")
    order(hall, chief, "t4", "adjourn", reason="a row of sensors is dead")
    assert hall.seen("t4", lambda now: now["phase"] == "paused")["result"] is None
    order(hall, chief, "t4", "take-back", ply=max(0, whole["ply"] - 1))
    order(hall, chief, "t4", "end-game", result="draw", reason="cannot be played on; both agree")
    noted(chief, 4, "draw")


@pytest.mark.process
def test_talk_and_notes_are_a_penalty_that_costs_time(hall: OpenHall, chief: Client) -> None:
    """Paused, noted, the clock set, and on it goes; what is noted is no rank and no reason for the room."""
    paused(hall, chief, "t5")
    order(hall, chief, "t5", "penalty", seat="red", reason="kept notes: canary")
    order(hall, chief, "t5", "set-clock", seat="red", left_ms=900_000)
    told = hall.seen("t5", lambda now: now["clocks"]["red"]["left_ms"] == 900_000)
    assert ("penalty", "red") in {(one["kind"], one["seat"]) for one in told["events"]}
    assert "canary" not in str(told)
    order(hall, chief, "t5", "resume")


@pytest.mark.process
def test_a_wrong_slip_of_an_earlier_day(hall: OpenHall, chief: Client) -> None:
    """A result is corrected with its reason, and taken back by the log; the board's own game stays as it ended."""
    assert act(chief, "result", round=1, table=5, result="red")[0] == 200
    hall.seen("t5", lambda now: now["result"] is not None)
    assert act(chief, "correct", round=1, table=5, result="both-lose", why="they had agreed on it")[0] == 200
    log = chief.ask("GET", "/api/event.log")[1]["log"]
    assert (log[-1]["act"], log[-1]["why"], log[-1]["who"]) == ("correct", "they had agreed on it", "Chief")
    assert results(chief)[4] == "both-lose"
    assert hall.seen("t5", lambda now: True)["result"]["winner"] == "red"


def test_the_documents_say_what_is_done_and_which_test_shows_it() -> None:
    """The table in the documents is the one of `arbiter_cases`, and each of its tests is there."""
    assert arbiter_cases.missing() == []
    assert arbiter_cases.PAGE.read_text(encoding="utf-8") == arbiter_cases.page()
