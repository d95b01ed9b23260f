"""Two people with two phones at a real table: a whole short game of Duel, tapped and read as people do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.phones import Phone, PhoneTable
from tests.web.whole_game import Wires, play, take_seats

pytestmark = pytest.mark.process


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PhoneTable]:
    """A running Duel table whose seats are free."""
    with PhoneTable(tmp_path) as running:
        yield running


@pytest.fixture
def red(browser: Browser) -> Iterator[Phone]:
    """The phone of a player who reads English."""
    phone = Phone(browser)
    yield phone
    phone.close()
    assert phone.faults == []


@pytest.fixture
def blue(browser: Browser) -> Iterator[Phone]:
    """The phone of a player who reads German."""
    phone = Phone(browser, "de-AT")
    yield phone
    phone.close()
    assert phone.faults == []


def test_a_whole_game(table: PhoneTable, red: Phone, blue: Phone, wires: Wires) -> None:
    """From two links to the second game on the same board, and a record that can be judged."""
    play(table, red, blue, wires)


def test_a_sheet_keeps_the_keys_and_gives_them_back(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """The tab key goes round in it, forwards and backwards; Escape closes it, and what opened it has the focus again."""
    take_seats(table, red, blue)
    menu = red.page.get_by_role("button", name="Menu")
    menu.focus()
    red.page.keyboard.press("Enter")
    for key in ("Tab", "Tab", "Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"):
        red.page.keyboard.press(key)
        expect(red.page.locator(".sheet :focus")).to_have_count(1)
    red.page.get_by_role("button", name="Settings").focus()
    red.page.keyboard.press("Space")
    expect(red.page.get_by_role("dialog", name="Settings")).to_be_focused()
    red.page.keyboard.press("Escape")
    expect(red.page.locator(".sheet")).to_have_count(0)
    expect(menu).to_be_focused()


def test_players_are_called_what_they_type(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """Typed when joining, or later in the settings; both phones show it, and it is there again after a reload."""
    red.page.goto(table.ready["join"]["red"])
    red.page.get_by_label("Your name (optional)").fill("Bo")
    blue.page.goto(table.ready["join"]["blue"])
    red.tap("Yes, the same")
    blue.tap("Ja, dieselben")
    expect(blue.page.locator(".clock.red")).to_have_accessible_name("Bo")
    blue.page.reload()
    blue.tap("Men\u00fc")
    blue.tap("Einstellungen")
    blue.page.locator("#name").fill("Wilhelmina")
    blue.page.keyboard.press("Enter")
    expect(red.page.locator(".clock.blue")).to_have_accessible_name("Wilhelmina")
    expect(red.page.locator(".clock.red")).to_have_accessible_name("Bo")
