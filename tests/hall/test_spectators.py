"""What spectators see: every board, late, without a name; and nothing of it before its time."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from referee.door import places
from tests.hall.open_hall import Client, OpenHall, paused, until
from tests.hall.test_hall_pages import Tab, shot
from tests.patience import PATIENCE_MS, PATIENCE_S

pytestmark = pytest.mark.process


def _first_told(hall: OpenHall) -> dict[str, Any]:
    """Return the first message of a spectator's stream."""
    line = http.client.HTTPConnection("127.0.0.1", hall.server.port, timeout=PATIENCE_S)
    line.request("GET", "/api/live")
    answer = line.getresponse()
    assert answer.status == 200
    told: dict[str, Any] = json.loads(answer.readline().removeprefix(b"data: "))
    line.close()
    return told


def test_nothing_is_told_before_its_time(tmp_path: Path) -> None:
    """A quarter of an hour: the station knows the game, the delay service holds it, spectators are told two empty tables."""
    with OpenHall(tmp_path) as hall:
        hall.begin("t1")
        until(lambda: hall.station.spectators.figures()["waiting"] > 0 or None, "the delay service holds something")
        told = _first_told(hall)
        assert told["delay_s"] == 900
        assert [(one["board"], one["view"], one["info"], one["phase"]) for one in told["tables"]] == [
            ("t1", None, None, None),
            ("t2", None, None, None),
        ]


def test_a_spectator_gets_nothing_else_and_keeps_no_arbiter_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a session every other door is shut; one watcher too many is refused in words, and an arbiter logs in all the same."""
    monkeypatch.setattr(places, "MOST_WATCHING", 1)
    with OpenHall(tmp_path, plays=False) as hall:
        closed = ("hall", "posted", "tables/t1", "event", "event.trf", "event.csv", "me")
        for path in (*(f"/api/{name}" for name in closed), "/prints/cup/slips.html"):
            assert Client(hall).ask("GET", path)[0] == 401, path
        assert Client(hall).ask("GET", "/live")[2]["Location"] == "/public/live.html"
        assert Client(hall).ask("GET", "/public/live.html")[0] == 200
        line = http.client.HTTPConnection("127.0.0.1", hall.server.port, timeout=PATIENCE_S)
        line.request("GET", "/api/live")
        watched = line.getresponse()
        assert watched.status == 200
        status, body, _ = Client(hall).ask("GET", "/api/live")
        assert (status, body["error"]) == (503, "too-many")
        Client(hall).log_in("Ann")
        watched.close()
        line.close()


def test_the_page_draws_the_boards_whose_time_has_come(browser: Browser, tmp_path: Path) -> None:
    """Without a delay everybody is told the boards, nobody logs in; in a real browser, two boards and how long ago they looked so."""
    with OpenHall(tmp_path, delay_s=0) as hall:
        hall.station.spectators.delay_s = 900  # what the page says; the copy itself comes at once
        hall.begin("t1", "t2")

        def shown() -> dict[str, Any] | None:
            told = _first_told(hall)
            return next((one for one in told["tables"] if one["view"] is not None), None)

        board = until(shown, "the board is shown")
        chief = Client(hall).log_in("Chief")
        for name in ("t1", "t2"):  # most pieces are still there, however long the rest takes
            paused(hall, chief, name)
        assert board["board"] in ("t1", "t2")
        assert board["info"]["rule_set"] == "original"
        assert set(board) == {
            *("board", "number", "names", "turn", "phase", "ply", "result", "clocks", "age_ms", "info", "view")
        }
        tab = Tab(browser, 980, 620)
        page = tab.page
        page.goto(f"{hall.web}/live")
        expect(page.locator(".game .board")).to_have_count(2, timeout=PATIENCE_MS)
        expect(page.get_by_text("You see the games as they were 15 min ago")).to_be_visible()
        assert page.locator(".game .piece").count() > 40
        shot(page, "hall-live")
        tab.context.close()
        assert tab.faults == []
