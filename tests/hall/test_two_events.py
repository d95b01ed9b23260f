"""Two events in one hall: made and chosen on the pages, each at its own tables, also after the station was started again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hall.open_hall import SLOW, Client, OpenHall, until

BOARDS = ("t1", "t2", "t3")


def office(chief: Client, act: str, **given: Any) -> dict[str, Any]:
    """Set something up, which has to go well."""
    status, told, _ = chief.ask("POST", f"/api/office/{act}", given)
    assert status == 200, told
    return told


def act(chief: Client, event: str, name: str, **given: Any) -> dict[str, Any]:
    """Do something with an event as it is now, which has to go well."""
    now = chief.ask("GET", f"/api/event/{event}")[1]
    status, told, _ = chief.ask("POST", f"/api/event/{name}", {"event": event, "revision": now["revision"], **given})
    assert status == 200, told
    return told


def occasions(hall: OpenHall) -> list[tuple[str, int]]:
    """Return what each board plays: the event and its table."""
    return [
        (now["occasion"]["event"], now["occasion"]["table"])
        for board in BOARDS
        for now in (hall.seen(board, lambda now: now["occasion"] is not None and now["ply"] > 0),)
    ]


@pytest.mark.process
def test_two_events_share_a_hall(tmp_path: Path) -> None:
    """The open at tables 1 and 2, the juniors at 3; a result counts in its event alone; one that is played no longer is left alone."""
    with OpenHall(tmp_path, BOARDS, players=4, starts_games=True, pace=SLOW, chooses=True) as hall:
        chief = Client(hall).log_in("Chief")
        assert chief.ask("GET", "/api/event")[:2][0] == 404
        juniors = {"name": "Juniors", "system": "swiss", "rounds": 3, "tie_breaks": ["buchholz"], "text": "Jo\nKim\n"}
        assert office(chief, "event", **juniors)["made"] == "juniors"
        assert chief.ask("POST", "/api/office/play", {"events": ["cup", "juniors"]})[1]["error"] == "same-tables"
        office(chief, "play", events=["juniors"])
        act(chief, "juniors", "settings", tables=[3])
        office(chief, "play", events=["cup", "juniors"])
        for event in ("cup", "juniors"):
            act(chief, event, "pair")
            told = act(chief, event, "publish")
            assert [one["name"] for one in told["played"]] == ["Cup", "Juniors"]
        assert occasions(hall) == [("cup", 1), ("cup", 2), ("juniors", 1)]
        hall.close_station()
        hall.open_station()
        chief = Client(hall).log_in("Chief")
        hall.seen("t3", lambda now: now["up"] and now["names"])
        act(chief, "juniors", "result", round=1, table=1, result="red")
        ended = hall.seen("t3", lambda now: now["result"] is not None)
        assert ended["result"]["winner"] == "red"
        found = [chief.ask("GET", f"/api/event/{event}")[1]["rounds"][0]["tables"] for event in ("cup", "juniors")]
        assert [[one["result"] for one in tables] for tables in found] == [[None, None], ["red"]]
        until(
            lambda: chief.order("t1", {"type": "end-game", "result": "draw"})[1].get("done"),
            "an order that is not stale",
        )
        until(lambda: chief.ask("GET", "/api/event/cup")[1]["rounds"][0]["tables"][0]["result"], "table 1")
        office(chief, "play", events=["cup"])
        assert chief.ask("GET", "/api/event/juniors")[0] == 404
