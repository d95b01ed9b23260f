"""What calls a player to the phone, when, and that an attacker learns nothing of it; and the screen that stays on meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from referee.rules.values import Rank, Seat
from referee.sensing import Agreed
from referee.table.step import Step
from referee.table.views import Attack, DecidedMove, Phase, PublicView
from tests.demo.test_what_goes_wrong import wait_until
from tests.table.sitting import BLUE, RED, Sitting
from tests.web.gallery import gallery
from tests.web.phones import Phone, PhoneTable
from tests.web.whole_game import ARMIES

pytestmark = pytest.mark.process

CALLS = """async ([text, seat]) => {
    const { Caller } = await import("/calls.js");
    return JSON.parse(text).map((views) => {
        const caller = new Caller();
        return views.map((view) => caller.hear(view, seat));
    });
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that has all modules but its beginning."""
    with gallery(browser) as open_page:
        yield open_page


def calls(page: Page, games: list[list[PublicView]], seat: Seat) -> list[list[str | None]]:
    """Return what each of these views calls a seat for."""
    found: list[list[str | None]] = page.evaluate(CALLS, [msgspec.json.encode(games).decode(), seat.value])
    return found


def views_of(attacker: Rank, defender: Rank, first: Seat) -> list[PublicView]:
    """Return what everybody sees of an attack of these two, from the lift to the next move, each time that it changes."""
    sitting = Sitting()
    pieces = {RED: {"e5": attacker, "a1": Rank.FLAG, "d4": Rank.SCOUT}, BLUE: {"e6": defender, "j10": Rank.FLAG}}
    pieces[BLUE]["d7"] = Rank.SCOUT
    sitting.place(pieces, RED)
    views = [sitting.table.view()]

    def note(step: Step) -> None:
        if step.view_changed:
            views.append(sitting.table.view())

    note(sitting.attack("e5", "e6"))
    for seat in sorted(Seat, key=lambda seat: seat is not first)[:2]:
        note(sitting.declare(seat, attacker if seat is RED else defender))
    note(sitting.see(Agreed(sitting.now_ms)))
    return views


def test_a_call_tells_nobody_a_rank_nor_how_it_ends(page: Page) -> None:
    """Every rank against every other, whoever answers first: the same calls with the same views, for both players."""
    movable = [rank for rank in Rank if rank not in (Rank.FLAG, Rank.BOMB, Rank.CANNON, Rank.INFILTRATOR)]
    army = [Rank.MARSHAL, Rank.GENERAL, Rank.MINER, Rank.SCOUT, Rank.SPY]
    assert set(army) <= set(movable)
    pairs = list(product(army, (*army, Rank.BOMB), (RED, BLUE)))
    games = [views_of(*pair) for pair in pairs]
    results = {view.attack.result for game in games for view in game if view.attack is not None}
    assert results == {None, "attacker-wins", "defender-wins", "both-lost"}
    for seat, wanted in ((BLUE, ["attacked", "move"]), (RED, [])):
        heard = calls(page, games, seat)
        assert len({json.dumps(one) for one in heard}) == 1, seat
        assert [call for call in heard[0] if call] == wanted


def test_it_calls_once_for_each_move_and_each_attack(page: Page) -> None:
    """Not for what was there when the page began, not again when the board was put right; again after a move was taken back."""
    view = Sitting().table.view()
    mine = replace(view, turn=RED)
    other = replace(view, turn=BLUE, ply=1)
    fight = replace(
        other, phase=Phase.WAITING_FOR_DECLARATIONS, attack=Attack(BLUE, "d5", "d4"), occupants={"d4": RED, "d5": BLUE}
    )
    wrong = replace(mine, phase=Phase.RESTORING, ply=2)
    decided = replace(other, ply=3, decided=DecidedMove(BLUE, "d5", "d6"))
    told: list[tuple[PublicView, str | None]] = [
        (mine, None),
        (replace(mine, phase=Phase.PIECE_IN_HAND), None),
        (other, None),
        (wrong, None),
        (replace(mine, ply=2), "move"),
        (wrong, None),
        (replace(mine, ply=2), None),
        (other, None),
        (replace(mine, ply=2), "move"),
        (other, None),
        (fight, "attacked"),
        (replace(other, ply=3), None),
        (decided, "move"),
        (replace(decided, phase=Phase.RESTORING), None),
        (decided, None),
        (replace(mine, ply=4), None),
        (replace(other, ply=5), None),
        (replace(decided, ply=5), "move"),
        (other, None),
        (fight, "attacked"),
        (replace(fight, waiting_for=(RED,)), None),
        (replace(fight, phase=Phase.PAUSED), None),
        (fight, None),
        (other, None),
        (fight, "attacked"),
        (replace(other, game="g2"), None),
        (replace(mine, game="g2"), "move"),
    ]
    assert calls(page, [[view for view, _ in told]], RED) == [[call for _, call in told]]


RECORD = """
globalThis.record = [];
Navigator.prototype.vibrate = (pattern) => Boolean(record.push(["shakes", ...pattern]));
const { request } = WakeLock.prototype;
WakeLock.prototype.request = function (kind) { record.push(["awake", kind]); return request.call(this, kind); };
const { start } = OscillatorNode.prototype;
OscillatorNode.prototype.start = function (at) { record.push(["sounds", this.frequency.value]); return start.call(this, at); };
"""
WITHOUT = "delete Navigator.prototype.wakeLock; delete Navigator.prototype.vibrate;"


def heard(phone: Phone, *wanted: list[Any]) -> None:
    """Wait until the phone has called like this since it was asked last."""
    wait_until(lambda: phone.page.evaluate("record.length") >= len(wanted))
    assert phone.page.evaluate("record.splice(0)") == list(wanted)


def test_the_phone_calls_and_stays_awake(browser: Browser, tmp_path: Path) -> None:
    """It shakes, and sounds once that is switched on; where there is no wake lock, as on plain http, a video runs."""
    with PhoneTable(tmp_path) as table:
        red, blue = Phone(browser, script=WITHOUT), Phone(browser, script=RECORD)
        table.begin(ARMIES, red, blue)
        red.heading("Your move")
        heard(blue, ["awake", "screen"])
        video = red.page.locator("video.sleepless")
        wait_until(lambda: video.evaluate("(video) => !video.paused && video.currentTime > 0"))
        blue.tap("Menu")
        blue.tap("Settings")
        blue.tap("Sound")
        heard(blue, ["sounds", 660])
        blue.tap("Close")
        table.hands(motion="move", **{"from": "b4", "to": "b5"})
        heard(blue, ["shakes", 120], ["sounds", 660])
        table.hands(motion="move", **{"from": "e7", "to": "e6"})
        red.heading("Your move")
        table.hands(motion="move", **{"from": "b5", "to": "b6"})
        heard(blue, ["shakes", 120], ["sounds", 660])
        blue.tap("Menu")
        blue.tap("Settings")
        blue.tap("Vibration")
        expect(blue.page.get_by_role("button", name="Vibration")).to_have_attribute("aria-pressed", "false")
        blue.tap("Close")
        table.hands(motion="move", **{"from": "e6", "to": "e5"})
        red.heading("Your move")
        table.hands(motion="both", **{"from": "b6", "target": "b7"})
        heard(blue, ["sounds", 880], ["sounds", 660])
        red.page.get_by_role("button", name="Menu").tap()
        red.tap("Settings")
        expect(red.page.get_by_role("button", name="Vibration")).to_have_count(0)  # it cannot shake
        expect(red.page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")
        red.tap("Keep the screen on")
        wait_until(lambda: video.evaluate("(video) => video.paused"))
        for phone in (red, blue):
            phone.close()
            assert phone.faults == []
