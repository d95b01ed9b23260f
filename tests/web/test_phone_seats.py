"""Whose phone it is: typed codes, links that are worth nothing, phones that are swapped, tabs, and networks that go silent."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect

from referee.net.broker.mosquitto import own_certificate
from referee.net.pairing.lobby import join_url
from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.reliability.test_killed_broker import kill_the_door
from tests.reliability.test_killed_table import Interrupted
from tests.runtime.test_kiosk_at_a_table import TouchScreen
from tests.runtime.test_pair_server import HANDSET, REFEREE, Door
from tests.web.axe import axe_faults
from tests.web.phones import SMALL, Phone, PhoneTable
from tests.web.relay import Relay

pytestmark = pytest.mark.process


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PhoneTable]:
    """A running Duel table whose seats are free."""
    with PhoneTable(tmp_path) as running:
        yield running


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Puts phones and wires away."""
    with ExitStack() as things:
        yield things


def sit_down(table: PhoneTable, stack: ExitStack, browser: Browser) -> tuple[Phone, Phone]:
    """Return both players' phones, paired, in English."""
    phones = (stack.enter_context(closing(Phone(browser))), stack.enter_context(closing(Phone(browser))))
    for phone, seat in zip(phones, ("red", "blue"), strict=True):
        phone.join(table.ready["join"][seat])
        phone.tap("Yes, the same")
        if seat == "red":
            phone.heading("Waiting for Blue")  # said in `pub/status`: no game has begun
    table.set_up(
        {Seat.RED: ["a4", "e4", "i4"] + [f"{c}1" for c in "abcdefg"], Seat.BLUE: [f"{c}7" for c in "abcdefghij"]}
    )
    for phone in phones:
        phone.tap("I am ready")
    phones[0].heading("Your move")
    return phones


def test_a_phone_that_comes_by_https(tmp_path: Path, stack: ExitStack, browser: Browser) -> None:
    """At the port of the plain pages; its MQTT is encrypted, too, and the other phone has none of that."""
    made, config = own_certificate(tmp_path, "table"), tmp_path / "table.toml"
    config.write_text(f"https-certificate = '{made.certificate}'\nhttps-key = '{made.key}'\n")
    table = stack.enter_context(PhoneTable(tmp_path, "duel", "--config", str(config)))
    red = stack.enter_context(closing(Phone(browser, trusts=True)))
    blue = stack.enter_context(closing(Phone(browser)))
    for phone, seat, web in ((red, "red", table.ready["https"]), (blue, "blue", table.ready["web"])):
        phone.join(table.ready["join"][seat].replace(table.ready["web"], web))
        phone.tap("Yes, the same")
        assert phone.places()["ws"] == web.replace("http", "ws") + "/mqtt"
    for phone in (red, blue):
        phone.heading("Set up your pieces.")
        assert phone.faults == []


def new_link(table: PhoneTable, seat: str) -> str:
    """Have the table offer a seat again. Returns its link."""
    table.table.send(f"pair {seat}")
    kept = table.state / "table" / "join.json"
    while True:
        link: str | None = json.loads(kept.read_text()).get(seat)
        if link is not None:
            return link
        table.hands(motion="wait", after_ms=100)


def test_a_phone_is_swapped_and_tabs_do_not_fight(table: PhoneTable, stack: ExitStack, browser: Browser) -> None:
    """The new phone sees the same game and says what the table says; the old one stops and says so, and so does a second tab."""
    red, blue = sit_down(table, stack, browser)
    new = stack.enter_context(closing(Phone(browser)))
    link = new_link(table, "red")
    digits = new.join(link)
    expect(red.page.get_by_role("heading", name="This phone lost its seat")).to_be_visible()
    red.see("Another phone took it.")
    new.tap("Yes, the same")
    new.heading("Your move")
    wait_until(lambda: f"red: {digits} (its earlier handset was thrown off)" in table.table.complaint)
    red.page.reload()  # what it kept opens no door any more
    expect(red.page.get_by_role("heading", name="This phone lost its seat")).to_be_visible()

    tab = new.open()
    tab.goto(link)  # the same link again, in the browser that used it
    expect(tab.locator(".headline h1")).to_have_text("Your move")
    new.see("Open in another tab")
    table.hands(motion="move", **{"from": "a4", "to": "a5"})
    expect(tab.locator(".headline h1")).to_have_text("Blue to move")
    blue.heading("Your move")
    new.see("Open in another tab")
    new.tap("Play here instead")
    new.heading("Blue to move")
    expect(tab.get_by_text("Open in another tab")).to_be_visible()
    late = stack.enter_context(closing(Phone(browser)))
    late.page.goto(link)
    late.see("This code has been used. Ask the table for a new one.")
    assert [phone.faults for phone in (red, blue, new)] == [[], [], []]


class RestartedPhones(Interrupted, PhoneTable):
    """A table with phones that is killed and started again."""


def test_a_phone_hears_that_the_table_lost_its_list(tmp_path: Path, stack: ExitStack, browser: Browser) -> None:
    """Nobody has the seat: no other phone is blamed, and the same phone gets in by the new link."""
    with RestartedPhones(tmp_path) as table:
        red, blue = sit_down(table, stack, browser)
        table.table.end(signal.SIGKILL)
        (tmp_path / "table" / "broker" / "dynamic-security.json").unlink()
        table.start_again()
        for phone, seat in ((red, "red"), (blue, "blue")):
            phone.see("The table was restarted or lost its list of phones.")
            phone.join(table.ready["join"][seat])
            phone.tap("Yes, the same")
        red.heading("Your move")
        faults = [
            text for phone in (red, blue) for text in phone.faults
        ]  # while it is gone nobody answers who has the seat
        assert [text for text in faults if "ERR_CONNECTION_REFUSED" not in text] == []


def test_the_kiosk_hears_that_digits_were_confirmed(
    table: PhoneTable, stack: ExitStack, browser: Browser, tmp_path: Path
) -> None:
    """With the tap on *Yes, the same*, and after the phone has come back as well; not before."""
    screen = TouchScreen(tmp_path)
    stack.callback(screen.link.stop)
    phone = stack.enter_context(closing(Phone(browser)))
    digits = phone.join(table.ready["join"]["red"])
    screen.touch("hello")
    assert [screen.note("paired", Seat.RED), screen.note("join", Seat.BLUE)][0] == digits
    phone.tap("Yes, the same")
    screen.note("compared", Seat.RED)


def test_a_network_that_goes_silent(table: PhoneTable, stack: ExitStack, browser: Browser) -> None:
    """A phone that wakes up in a dead connection notices within seconds, comes back, and shows what happened meanwhile."""
    red, blue = sit_down(table, stack, browser)
    ws = urlsplit(red.places()["ws"])
    wire = stack.enter_context(closing(Relay(ws.hostname or "", ws.port or 0)))
    red.move_to(f"ws://127.0.0.1:{wire.port}/mqtt")
    red.heading("Your move")
    wire.hush()
    table.hands(motion="move", **{"from": "a4", "to": "a5"})
    red.heading("Your move")  # it cannot know
    red.page.evaluate("() => dispatchEvent(new Event('online'))")
    red.heading("Blue to move")

    screen = red.context.new_cdp_session(red.page)
    screen.send("Page.setWebLifecycleState", {"state": "frozen"})  # the phone is locked
    wire.hush()
    table.hands(motion="move", **{"from": "a7", "to": "a6"})
    blue.heading("Red to move")
    screen.send("Page.setWebLifecycleState", {"state": "active"})
    red.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")  # no screen: nobody else tells it
    red.heading("Your move")


def test_an_answer_that_was_lost_is_asked_for_again(stack: ExitStack, browser: Browser) -> None:
    """The network loses the letter that gives the seat: the phone says its own again, and has the seat that was given."""
    door = Door()
    stack.callback(door.server.stop)
    phone = stack.enter_context(closing(Phone(browser)))
    lost: list[int] = []

    def carry(route: Route) -> None:
        if "sealed" in (route.request.post_data or "") and not lost:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    phone.page.route("**/pair", carry)
    digits = phone.join(join_url(door.base, door.lobby.invite(Seat.RED, 0), REFEREE.public))
    assert lost == [200]
    assert [grant.digits for grant in door.grants] == [digits]


def test_codes_and_links_at_the_door(stack: ExitStack, browser: Browser) -> None:
    """A typed code takes a seat; a wrong one, a wrong link and another referee's are each said in a sentence."""
    door = Door()
    stack.callback(door.server.stop)
    red, blue = (door.lobby.invite(seat, 0) for seat in (Seat.RED, Seat.BLUE))
    phone = stack.enter_context(closing(Phone(browser)))
    phone.page.goto(door.base)
    box = phone.page.get_by_label("The code of your seat")
    box.fill("ABC")
    box.press("Enter")
    phone.see("A code has six characters")
    box.fill("222-222")
    phone.tap("Take your seat")
    phone.see("The table doesn’t know this code.")
    phone.page.goto(join_url(door.base, red, HANDSET.public))
    phone.see("This link belongs to another table.")
    assert "#" not in phone.page.url
    box.fill(blue.spelt_code.lower())
    box.press("Enter")
    assert phone.digits() == door.grants[-1].digits
    phone.tap("Yes, the same")
    expect(phone.page.locator(".band strong")).to_have_text("Blue")
    phone.heading("No connection: check the Wi-Fi")
    leave_only_when_asked(phone)


def leave_only_when_asked(phone: Phone) -> None:
    """No button of the settings leaves the seat; the menu's asks, and *Cancel* keeps the seat."""
    phone.tap("Menu")
    phone.tap("Settings")
    expect(phone.page.get_by_role("button", name="Large")).to_be_visible()
    expect(phone.page.get_by_role("button", name="Leave this seat")).to_have_count(0)
    phone.tap("Close")
    phone.tap("Menu")
    phone.tap("Leave this seat")
    phone.see("This phone stops playing for Blue.")
    phone.tap("Cancel")
    assert phone.places()["seat"] == "blue"
    phone.tap("Menu")
    phone.tap("Leave this seat")
    phone.tap("Leave this seat")
    expect(phone.page.get_by_label("The code of your seat")).to_be_visible()


@pytest.mark.parametrize(
    ("agent", "opens"), [("Mozilla/5.0 (Linux; Android 15) Mobile", 1), ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)", 0)]
)
def test_the_window_of_a_wifi_hands_the_seats_link_to_the_browser(
    stack: ExitStack, browser: Browser, agent: str, opens: int
) -> None:
    """From six characters it makes the link that takes the seat; Android's browser is asked to open it, others get it copied."""
    door = Door()
    stack.callback(door.server.stop)
    code = door.lobby.invite(Seat.BLUE, 0).spelt_code
    context = stack.enter_context(closing(browser.new_context(viewport=SMALL, locale="de-DE", user_agent=agent)))
    page = context.new_page()
    page.goto(f"{door.base}/connect")
    page.get_by_label("Code deines Platzes").fill(code.lower())
    link = page.get_by_label("Link für den Browser").input_value()
    expect(page.get_by_role("button", name="Im Browser öffnen")).to_have_count(opens)
    assert axe_faults(page) == []
    page.get_by_role("button", name="Link kopieren").click()
    expect(page.get_by_role("button", name="Kopiert")).to_be_visible()
    page.goto(link)
    expect(page.locator(".digits")).to_be_visible()


def test_the_front_door_is_killed_in_an_attack(table: PhoneTable, stack: ExitStack, browser: Browser) -> None:
    """Both pages say so, and are back by themselves: what was answered before counts, what was asked is asked still.

    The table stands still meanwhile, so that there is no door until the pages have been read.
    """
    red, blue = phones = sit_down(table, stack, browser)
    for phone in phones:
        phone.page.evaluate("() => { globalThis.neverLoadedAnew = true; }")
    table.hands(motion="lift", square="a4")
    red.tap("Attack a7")
    blue.pick("Spy")
    blue.see("Sent. You can still change it.")
    red.heading("Your piece on a4 attacks a7. What is it?")
    table.table.process.send_signal(signal.SIGSTOP)
    kill_the_door(table)
    for phone in phones:
        phone.heading("No connection: check the Wi-Fi")
    table.table.process.send_signal(signal.SIGCONT)
    red.answer("Scout")
    red.see("Your piece wins")
    blue.see("You lost the piece")
    assert [phone.page.evaluate("() => globalThis.neverLoadedAnew") for phone in phones] == [True, True]
    assert [phone.faults for phone in phones] == [[], []]
