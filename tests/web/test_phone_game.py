"""Two people with two phones at a real table: a whole short game of Duel, tapped and read as people do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from referee.rules.values import Seat
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.phones import Phone, PhoneTable
from tests.web.relay import Relay

pytestmark = pytest.mark.process

ARMIES = {Seat.RED: [f"{column}4" for column in "abcdefghij"], Seat.BLUE: [f"{column}7" for column in "abcdefghij"]}

Wires = Callable[[str, int], Relay]


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


@pytest.fixture
def wires() -> Iterator[Wires]:
    """Makes wires, and takes them away."""
    with ExitStack() as stack:

        def make(host: str, port: int) -> Relay:
            return stack.enter_context(closing(Relay(host, port)))

        yield make


def take_seats(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """Join by link, compare the digits, set up, be ready."""
    digits = [red.join(table.ready["join"]["red"]), blue.join(table.ready["join"]["blue"])]
    red.tap("Yes, the same")
    blue.tap("Ja, dieselben")
    red.heading("Set up your pieces.")
    wait_until(lambda: table.table.complaint == [f"red: {digits[0]}", f"blue: {digits[1]}"])
    table.set_up(ARMIES)
    red.see("10 of 10 pieces are on the board")
    red.tap("I am ready")
    red.see("Ready. Waiting for Blue.")
    blue.tap("Ich bin bereit")
    red.heading("Your move")
    blue.heading("Rot ist am Zug")


def move_and_be_corrected(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """Moves without a word; one that is none is put right by what the phones say; a draw is offered and refused."""
    table.hands(motion="move", **{"from": "b4", "to": "b5"})
    blue.heading("Sie sind am Zug")
    table.hands(motion="move", **{"from": "e7", "to": "e6"})
    red.heading("Your move")
    table.hands(motion="move", **{"from": "b5", "to": "b6"})
    blue.heading("Sie sind am Zug")

    table.hands(motion="move", **{"from": "f7", "to": "e5"})
    red.see("f7: a piece of Blue")
    expect(blue.page.locator(".fix")).to_have_count(2)
    table.hands(motion="move", **{"from": "e5", "to": "f7"})
    blue.heading("Sie sind am Zug")
    blue.tap("Menü")
    blue.tap("Unentschieden anbieten")
    blue.see("Der andere kann annehmen oder ablehnen.")
    blue.tap("Unentschieden anbieten")
    red.heading("Blue offers a draw.")
    red.tap("Refuse")
    red.heading("Blue to move")
    blue.see("Rot lehnt das Unentschieden ab.")
    table.hands(motion="move", **{"from": "e6", "to": "e5"})
    red.heading("Your move")


def attack_with_both_hands(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """The hands attack; red changes its mind, and blue's page is loaded anew before it answers."""
    table.hands(motion="both", **{"from": "b6", "target": "b7"})
    red.heading("Your piece on b6 attacks b7: which is it?")
    blue.heading("Ihre Figur auf b7 wird angegriffen: Welche ist es?")
    red.offers("Field Marshal", "General", "Miner", "Scout", "Spy")
    expect(blue.page.locator(".question .choice")).to_have_count(7)
    red.pick("Scout")
    red.see("Said. You can still change it.")
    red.tap("Change my answer")
    red.pick("Miner")
    red.see("Said. You can still change it.")  # the table has it: blue's word may settle the attack from now on
    blue.page.reload()
    blue.heading("Ihre Figur auf b7 wird angegriffen: Welche ist es?")
    blue.choice("Bombe").tap()
    red.see("Your piece wins")
    blue.see("Ihre Figur ist verloren")
    expect(blue.page.locator(".fighter").last).to_contain_text("Mineur")
    table.hands(motion="put", seat="red", square="b7")
    red.heading("Blue to move")
    red.stands("b7: Red")  # ranks have covered themselves
    red.tap("Show")
    red.stands("b7: Red Miner")
    blue.tap("Zeigen")
    blue.stands("b7: Rot Mineur")


def change_language_and_lose_the_line(table: PhoneTable, red: Phone, blue: Phone, wires: Wires) -> None:
    """Blue reads Dutch from here on, and loses its line while the game goes on."""
    blue.tap("Menü")
    blue.tap("Einstellungen")
    blue.page.get_by_role("button", name="Nederlands").tap()
    blue.tap("Sluiten")
    blue.heading("U bent aan zet")
    ws = urlsplit(blue.places()["ws"])
    wire = wires(ws.hostname or "", ws.port or 0)
    blue.move_to(f"ws://127.0.0.1:{wire.port}/mqtt")
    blue.heading("U bent aan zet")
    wire.cut()
    blue.heading("Geen verbinding")
    table.hands(motion="move", **{"from": "j7", "to": "j6"})
    red.heading("Your move")
    wire.mend()
    blue.heading("Rood is aan zet")
    blue.stands("b7: Rood Mineur")


def tell_an_attack_and_win(table: PhoneTable, red: Phone, blue: Phone) -> None:
    """Red tells an attack with the piece in hand, and takes the flag."""
    table.hands(motion="lift", square="a4")
    red.tap("Attack a7")
    blue.heading("Uw stuk op a7 wordt aangevallen: welk is het?")
    red.offers("Scout")
    blue.pick("Vlag")
    red.choice("Scout").tap()
    red.heading("You win!")
    blue.heading("Rood wint")


def test_a_whole_game(table: PhoneTable, red: Phone, blue: Phone, wires: Wires, tmp_path: Path) -> None:
    """From two links to the second game on the same board, and a record that can be judged."""
    take_seats(table, red, blue)
    move_and_be_corrected(table, red, blue)
    attack_with_both_hands(table, red, blue)
    change_language_and_lose_the_line(table, red, blue, wires)
    tell_an_attack_and_win(table, red, blue)
    table.hands(motion="clear")
    red.tap("Another game")
    red.see("Another game: waiting for Blue.")
    blue.see("Rood is klaar voor nog een partij")
    blue.tap("Nog een partij")
    red.heading("Set up your pieces.")
    (record,) = (tmp_path / "table").glob("games/*/game.record")
    assert '"legal": true' in hallmarshal("record", "check", str(record), "--json", state=tmp_path).stdout


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
    red.page.get_by_label("Your name, if you like").fill("Bo")
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
