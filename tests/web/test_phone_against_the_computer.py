"""A phone that is alone at a table: its player lets the computer take the other seat."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, WebSocket, expect

from tests.runtime.at_table import AtTable
from tests.web.axe import axe_faults
from tests.web.phones import Phone

pytestmark = pytest.mark.process


def test_the_computer_takes_the_other_seat(browser: Browser, tmp_path: Path) -> None:
    """It sets up, the page calls it by its level, and no page offers it once a game is on. A page that is loaded again wants it still."""
    with AtTable(tmp_path, "duel", "--mode", "enrol") as table:
        context = browser.new_context(viewport={"width": 320, "height": 568}, has_touch=True)
        page = context.new_page()
        page.goto(table.ready["join"]["red"])
        page.get_by_role("button", name="Yes, the same").tap()
        page.get_by_role("button", name="Play against the computer").tap()
        assert axe_faults(page) == []
        page.get_by_role("button", name="Computer, level 2").tap()
        assert table.play_on("enrolled", game=1)["seat"] == "blue"
        expect(page.locator(".clocks")).to_contain_text("Computer, level 2")
        expect(page.get_by_role("button", name="Play against the computer")).to_have_count(0)
        sent: list[bytes] = []

        def hear(socket: WebSocket) -> None:
            socket.on("framesent", lambda frame: sent.append(frame if isinstance(frame, bytes) else frame.encode()))

        page.on("websocket", hear)
        page.reload()
        expect(page.locator(".clocks")).to_contain_text("Computer, level 2")
        context.close()
    assert [wish for frame in sent for wish in re.findall(rb'"against":(\d)', frame)] == [b"2"]


def test_with_a_pin_the_arbiter_chooses(browser: Browser, tmp_path: Path) -> None:
    """The phone says so where its button would be."""
    config = tmp_path / "table.toml"
    config.write_text('pin = "4711"\n')
    with AtTable(tmp_path, "duel", "--config", str(config)) as table:
        phone = Phone(browser, "de-DE")
        phone.join(table.ready["join"]["red"])
        phone.tap("Ja, dieselben")
        phone.see("Ob der Computer mitspielt, wählt hier der Schiedsrichter.")
        expect(phone.page.get_by_role("button", name="Gegen den Computer spielen")).to_have_count(0)
        assert axe_faults(phone.page) == []
        phone.close()
