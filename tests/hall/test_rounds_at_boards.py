"""A round at the boards: told by a button, played, counted; and what becomes of it when something breaks meanwhile."""

from __future__ import annotations

import os
import signal
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.rules.values import Seat
from referee.simulated_players.hall_table import HUMAN, TOP
from referee.table.messages import Resign
from referee.table.views import GameEnd
from referee.tournament.event import acts
from referee.tournament.event.event import Result
from referee.tournament.hall.rounds import result_of
from tests.hall.open_hall import EVENT, QUICK, SLOW, Client, OpenHall, until
from tests.patience import PATIENCE_S


def event(client: Client) -> dict[str, Any]:
    """Return the event as the page has it."""
    status, body, _ = client.ask("GET", "/api/event")
    assert status == 200, body
    return body


def act(client: Client, name: str, **given: Any) -> tuple[int, dict[str, Any]]:
    """Do something with the event as it is now."""
    status, body, _ = client.ask("POST", f"/api/event/{name}", {"revision": event(client)["revision"], **given})
    return status, body


def publish_a_round(client: Client) -> None:
    """Pair and publish the next round."""
    assert act(client, "pair")[0] == 200
    assert act(client, "publish")[0] == 200


def results(client: Client) -> list[str | None]:
    """Return the results of the last round."""
    return [table["result"] for table in event(client)["rounds"][-1]["tables"]]


def finished(hall: OpenHall, board: str) -> bool:
    """Return whether a table's own game is over, whatever the station knows of it."""
    view = hall.table(board).shown
    return view is not None and view.result is not None


@pytest.mark.process
def test_a_round_is_told_played_and_counted_though_the_station_was_killed(tmp_path: Path) -> None:
    """The pairings reach the boards by name; games that end while no station runs are results once one does; files have them."""
    with OpenHall(tmp_path, players=4, starts_games=True, rules="duel", pace=TOP) as hall:
        chief = Client(hall).log_in("Chief")
        assert Client(hall).log_in("Ann").ask("POST", "/api/event/publish", {"revision": 1})[0] == 403
        publish_a_round(chief)
        names = [(table["red"]["name"], table["blue"]["name"]) for table in event(chief)["rounds"][0]["tables"]]
        for number, board in enumerate(hall.boards):
            whole = hall.seen(board, lambda now: now["phase"] not in (None, "lobby"))
            assert (whole["names"]["red"], whole["names"]["blue"]) == names[number]
            assert whole["occasion"] == {"event": "cup", "round": 1, "table": number + 1}
        hall.close_station()
        for board in hall.boards:
            until(partial(finished, hall, board), f"{board} plays to the end")
        hall.open_station()
        chief = Client(hall).log_in("Chief")
        until(lambda: None not in results(chief), "results of both boards")
        for number, board in enumerate(hall.boards):
            end = hall.table(board).shown
            assert end is not None
            assert end.result is not None
            assert Result(results(chief)[number]) is result_of(end.result)
        assert chief.ask("GET", "/api/event.trf")[1]["text"].startswith("012 Cup")
        assert "Player" in chief.ask("GET", "/api/event.csv")[1]["text"]
        publish_a_round(chief)
        hall.seen("t1", lambda now: now["occasion"] is not None and now["occasion"]["round"] == 2)


@pytest.mark.process
def test_a_double_result_is_shown_and_the_chief_decides(tmp_path: Path) -> None:
    """What was noted first stands; what the board says otherwise is shown beside it; an arbiter is refused, the chief corrects."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, rules="duel", pace=SLOW) as hall:
        chief, ann = Client(hall).log_in("Chief"), Client(hall).log_in("Ann")
        publish_a_round(chief)
        hall.seen("t1", lambda now: now["phase"] not in (None, "lobby", "setting-up"))
        assert act(ann, "result", round=1, table=1, result="both-absent")[0] == 200
        assert hall.on is not None
        hall.on.call(lambda: hall.table("t1")._say(Seat.RED, Resign(id="enough")))
        until(lambda: event(chief)["doubles"], "the contradiction is shown")
        (double,) = event(chief)["doubles"]
        assert (double["round"], double["table"]) == (1, 1)
        assert results(chief) == ["both-absent"]
        status, body = act(ann, "result", round=1, table=1, result="draw")
        assert (status, body["error"]) == (409, "double-result")
        assert act(ann, "correct", round=1, table=1, result=double["says"])[0] == 403
        assert act(chief, "correct", round=1, table=1, result=double["says"])[0] == 200
        assert results(chief) == [double["says"]]
        assert event(chief)["doubles"] == []


@pytest.mark.process
def test_the_chief_notes_a_result_and_the_board_goes_on(tmp_path: Path) -> None:
    """A game that is still on ends as it was noted, once; the board then plays the next round. The result may be taken away before that."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, rules="duel", pace=SLOW) as hall:
        chief = Client(hall).log_in("Chief")
        publish_a_round(chief)
        hall.seen("t1", lambda now: now["phase"] not in (None, "lobby", "setting-up"))
        until(lambda: event(chief)["playing"] == [1], "the page knows that a game is on")
        assert act(chief, "result", round=1, table=1, result="blue")[0] == 200
        whole = hall.seen("t1", lambda now: now["result"] is not None)
        assert (whole["result"], whole["stuck"]) == ({"winner": "blue", "reason": "ruled"}, None)
        assert (event(chief)["doubles"], event(chief)["playing"]) == ([], [])
        status, body = act(chief, "correct", round=1, table=1, result=None)
        assert (status, body["error"]) == (409, "board-ended")  # it would be noted again at once
        assert chief.order("t1", {"type": "take-back", "ply": 0})[1]["done"]
        hall.seen("t1", lambda now: now["stuck"] == "result-noted")
        assert act(chief, "correct", round=1, table=1, result=None)[0] == 200
        hall.seen("t1", lambda now: now["stuck"] is None)
        assert results(chief) == [None]
        assert act(chief, "result", round=1, table=1, result="red-absent")[0] == 200
        hall.seen("t1", lambda now: now["result"] == {"winner": None, "reason": "aborted"})
        assert (results(chief), event(chief)["doubles"]) == (["red-absent"], [])
        publish_a_round(chief)
        hall.seen("t1", lambda now: now["occasion"] and now["occasion"]["round"] == 2 and now["result"] is None)


@pytest.mark.process
def test_an_arbiter_notes_a_result_and_everybody_sees_that_the_game_is_on(tmp_path: Path) -> None:
    """Ending games is the chief's: the table is shown as waiting, until he publishes the next round, which breaks the old game off."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, rules="duel", pace=SLOW) as hall:
        chief, ann = Client(hall).log_in("Chief"), Client(hall).log_in("Ann")
        hall.begin("t1")
        publish_a_round(chief)
        hall.seen("t1", lambda now: now["stuck"] == "other-game")  # what they play for themselves is left alone
        assert event(chief)["stuck"] == [{"table": 1, "why": "other-game"}]
        assert chief.order("t1", {"type": "end-game", "result": "abort"})[1]["done"]
        hall.seen("t1", lambda now: now["occasion"] is not None and now["phase"] == "waiting-for-move")
        assert act(ann, "result", round=1, table=1, result="draw")[0] == 200
        whole = hall.seen("t1", lambda now: now["stuck"] == "result-noted")
        assert whole["result"] is None
        assert event(ann)["stuck"] == [{"table": 1, "why": "result-noted"}]
        publish_a_round(chief)
        whole = hall.seen("t1", lambda now: now["occasion"] and now["occasion"]["round"] == 2 and now["ply"] > 0)
        assert whole["stuck"] is None
        assert event(chief)["stuck"] == []


@pytest.mark.process
def test_two_arbiters_who_change_the_event_at_once(tmp_path: Path) -> None:
    """Both acted on what they saw; one is done, the other refused as stale, and nothing is overwritten."""
    with OpenHall(tmp_path, ("t1",), players=2, plays=False) as hall:
        clients = [Client(hall).log_in("Chief"), Client(hall).log_in("Chief")]
        revision = event(clients[0])["revision"]
        found: list[int] = []

        def enter(client: Client, name: str) -> None:
            found.append(client.ask("POST", "/api/event/enter", {"revision": revision, "name": name})[0])

        threads = [
            threading.Thread(target=enter, args=(client, f"Late {number}")) for number, client in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert sorted(found) == [200, 409]
        assert len(event(clients[0])["players"]) == 3


@pytest.mark.process
def test_the_broker_is_killed_and_everybody_comes_back(tmp_path: Path) -> None:
    """The page says that it may be out of date; after the broker's restart tables are seen and ordered again.

    `HALL_GAP_S=300` lets it be gone for five minutes, while people play at their own pace.
    """
    gap_s = float(os.environ.get("HALL_GAP_S", "0"))
    with OpenHall(tmp_path, ("t1",), pace=HUMAN if gap_s else QUICK) as hall:
        hall.begin("t1")
        chief = Client(hall).log_in("Chief")
        os.kill(hall.broker.pid, signal.SIGKILL)
        until(lambda: not hall.station.link.up, "the station notices")
        status, body = chief.order("t1", {"type": "pause"})
        assert (status, body["error"]) == (503, "no-broker")  # and so it does not come late
        view = hall.table("t1").shown
        assert view is not None
        threading.Event().wait(gap_s)
        hall.broker.restart()
        until(lambda: hall.station.link.up, "the station is back")
        hall.seen("t1", lambda now: now["up"] and now["view"]["ply"] >= view.ply)
        until(lambda: chief.order("t1", {"type": "pause"})[1].get("done"), "an order is carried out again")


def test_what_an_end_is_worth() -> None:
    """A winner, a draw, both lose; what was broken off is nobody's to decide but an arbiter's."""
    assert result_of(GameEnd(Seat.BLUE, "resign")) is Result.BLUE_WINS
    assert result_of(GameEnd(None, "agreed")) is Result.DRAW
    assert result_of(GameEnd(None, "both-lose")) is Result.BOTH_LOSE
    assert result_of(GameEnd(None, "ruled")) is Result.DRAW
    assert result_of(GameEnd(None, "aborted")) is None
    assert result_of(GameEnd(None, "unfinished")) is None
    assert result_of(GameEnd(Seat.GREEN, "flag")) is None


@pytest.mark.process
def test_players_change_seats_and_boards(tmp_path: Path) -> None:
    """The chief's alone; games that were on are broken off, each board is told who plays now, and new games begin."""
    with OpenHall(tmp_path, players=4, starts_games=True) as hall:
        chief, ann = Client(hall).log_in("Chief"), Client(hall).log_in("Ann")
        publish_a_round(chief)
        first = {board: hall.seen(board, lambda now: now["ply"] > 0) for board in hall.boards}
        assert act(ann, "swap-seats", round=1, table=1)[0] == 403
        assert act(chief, "swap-seats", round=1, table=1)[0] == 200
        red, blue = first["t1"]["names"]["red"], first["t1"]["names"]["blue"]
        hall.seen("t1", lambda now: now["names"] == {"red": blue, "blue": red} and now["ply"] > 0)
        assert act(chief, "swap-boards", round=1, table=1, other=2)[0] == 200
        hall.seen("t1", lambda now: now["names"] == first["t2"]["names"] and now["ply"] > 0)
        hall.seen("t2", lambda now: now["names"] == {"red": blue, "blue": red} and now["ply"] > 0)
        assert results(chief) == [None, None]
        assert act(chief, "result", round=1, table=1, result="draw")[0] == 200
        status, body = act(chief, "swap-boards", round=1, table=1, other=2)
        assert (status, body["error"]) == (409, "has-result")


@pytest.mark.process
def test_a_game_that_counted_and_was_followed_by_another_while_the_station_was_away(tmp_path: Path) -> None:
    """Its result is entered by what the table tells of it, once, and nobody has to play it again."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, rules="duel") as hall:
        publish_a_round(Client(hall).log_in("Chief"))
        before = hall.seen("t1", lambda now: now["ply"] > 0)
        hall.close_station()
        until(partial(finished, hall, "t1"), "t1 plays to the end")
        view = hall.table("t1").shown
        assert view is not None
        assert view.result is not None
        names = {Seat(seat): name for seat, name in before["names"].items()}
        hall.play_on("t1")
        hall.open_station()
        chief = Client(hall).log_in("Chief")
        until(lambda: results(chief) != [None], "the result is noted")
        assert results(chief) == [result_of(view.result).value]  # type: ignore[union-attr]  # a simulated game ends with one
        now = hall.seen("t1", lambda now: now["up"])
        assert (now["occasion"], now["status"]["played"]["names"]) == (None, {s.value: n for s, n in names.items()})


@pytest.mark.process
def test_players_who_changed_seats_and_the_table_was_not_told(tmp_path: Path) -> None:
    """The station was killed in between. What was played as they sat before counts for nobody; they play as they sit now."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, rules="duel") as hall:
        chief = Client(hall).log_in("Chief")
        publish_a_round(chief)
        before = hall.seen("t1", lambda now: now["ply"] > 0)
        hall.close_station()
        assert hall.store is not None
        kept = hall.store.load(EVENT)
        hall.store.save(acts.swap_seats(kept.event, 1, 1), kept.revision)
        until(partial(finished, hall, "t1"), "t1 plays to the end as it was told first")
        hall.open_station()
        red, blue = before["names"]["red"], before["names"]["blue"]
        hall.seen("t1", lambda now: now["names"] == {"red": blue, "blue": red} and now["ply"] > 0)
        assert results(Client(hall).log_in("Chief")) == [None]
