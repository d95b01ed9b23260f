"""Two players enrol on their phones at a real table: by tapping, by dragging, by pasting; then the game begins, ends, and one consents."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from referee.journal.records.formats import read_record
from referee.rules.values import Rank, Seat, Square
from tests.web.phones import Phone, PhoneTable

pytestmark = pytest.mark.process

RED = {"e1": "flag", "d1": "bomb", "e2": "bomb", "b4": "scout", "h4": "scout", "c3": "miner", "g2": "miner"}
RED |= {"e4": "marshal", "a3": "general", "f3": "spy"}
BLUE = {"a10": "flag", "b10": "bomb", "a9": "bomb", "e8": "marshal", "c8": "general", "e9": "spy"}
BLUE |= {"h7": "scout", "i7": "scout", "f9": "miner", "g9": "miner"}


Seated = tuple[PhoneTable, Phone, Phone]


def tap(phone: Phone, *names: str) -> None:
    """Tap squares, and pieces of the tray."""
    for name in names:
        phone.page.locator(f".zone [data-square={name}], .tray [data-rank={name}]").tap()


def drag(phone: Phone, source: str, target: str) -> None:
    """Drag with one finger, as a touch screen tells it."""
    boxes = [
        phone.page.locator(f"[data-square={name}], .tray [data-rank={name}]").bounding_box()
        for name in (source, target)
    ]
    (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    screen = phone.context.new_cdp_session(phone.page)
    for step in range(9):
        point = {"x": x + (to_x - x) * step / 8, "y": y + (to_y - y) * step / 8}
        screen.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [point]})
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    screen.detach()


def stands(phone: Phone, square: str, word: str | None) -> None:
    """Wait until a piece of this name stands on a square, or none does."""
    label = square if word is None else f"{square} {word}"
    expect(phone.page.locator(f"[data-square={square}]")).to_have_accessible_name(label)


@pytest.fixture
def seated(browser: Browser, tmp_path: Path) -> Iterator[Seated]:
    """A table in enrol mode, with red's phone in English and blue's in German."""
    table = PhoneTable(tmp_path, "duel", "--mode", "enrol")
    with table:
        phones = {Seat.RED: Phone(browser), Seat.BLUE: Phone(browser, "de-DE")}
        for seat, phone in phones.items():
            phone.join(table.ready["join"][seat.value])
            phone.page.locator(".primary").tap()
        yield table, phones[Seat.RED], phones[Seat.BLUE]
        assert phones[Seat.RED].faults + phones[Seat.BLUE].faults == []
        for phone in phones.values():
            phone.close()


def red_taps_and_drags(red: Phone) -> None:
    """Red taps, drags, and looks again after a reload."""
    red.heading("10 still to place")
    tap(red, "flag", "a1", "bomb", "d1", "e2", "scout", "b4", "h4", "miner", "c3", "g2", "marshal", "e4")
    stands(red, "e2", "Bomb")
    drag(red, "a1", "e1")
    drag(red, "general", "a3")
    stands(red, "a1", None)
    stands(red, "a3", "General")
    red.heading("1 still to place")
    expect(red.page.get_by_role("button", name="Submit")).to_be_disabled()
    red.page.reload()
    red.heading("1 still to place")
    drag(red, "e1", "spy")  # onto the tray
    red.heading("2 still to place")
    tap(red, "flag", "e1", "spy", "f3")


def nobody_looks_over_the_shoulder(red: Phone) -> None:
    """Hidden at a tap, and when the phone is put away: not even the document holds a piece."""
    pieces = red.page.locator("[data-square], [data-rank]")
    red.tap("Hide")
    expect(pieces).to_have_count(0)
    red.page.locator(".show").tap()
    stands(red, "e1", "Flag")
    red.page.evaluate("dispatchEvent(new Event('blur'))")
    assert pieces.count() == 0  # not a moment later: the screen is what a stranger would see
    red.tap("Show")
    stands(red, "e1", "Flag")


def red_hands_in(red: Phone) -> None:
    """Handed in, changed, changed back, ready, and looked at once more."""
    red.tap("Submit")
    red.heading("Submitted")
    tap(red, "f3", "b1")
    red.heading("Changed")
    red.tap("Undo")
    red.heading("Submitted")
    red.tap("I am ready")
    red.tap("Change the set-up")
    red.heading("Submitted")
    red.tap("Done")


def blue_pastes(blue: Phone) -> None:
    """What is wrong with the text is said first."""
    blue.page.locator("[data-tool=text]").tap()
    lines = [f"{square} {rank}" for square, rank in BLUE.items()]
    blue.page.locator(".drawer textarea").fill("\n".join([*lines[:-1], "a5 miner"]))
    blue.tap("Übernehmen")
    expect(blue.page.locator(".faults")).to_have_text("Zeile 10: „a5“ liegt nicht in deiner Zone.")
    blue.page.locator(".drawer textarea").fill("\n".join(lines))
    blue.tap("Übernehmen")
    stands(blue, "a10", "Fahne")
    blue.tap("Abgeben")
    blue.heading("Abgegeben")
    blue.page.reload()
    blue.heading("Abgegeben")
    blue.tap("Ich bin bereit")


def test_two_players_enrol(seated: Seated, tmp_path: Path) -> None:
    """From an empty zone to the first move; at the end the record has the set-up of who consents, and not the other's."""
    table, red, blue = seated
    red_taps_and_drags(red)
    nobody_looks_over_the_shoulder(red)
    red_hands_in(red)
    blue_pastes(blue)
    table.set_up({Seat.RED: list(RED), Seat.BLUE: list(BLUE)})
    table.play_on("begin", game=1)
    red.stands("e1: Red")
    red.page.get_by_role("button", name="Hold").focus()
    red.page.keyboard.down("Enter")
    red.stands("e1: Red Flag")
    red.page.keyboard.up("Enter")
    red.stands("e1: Red")
    red.tap("Menu")
    red.see("Your set-up is sealed as")
    red.tap("Resign")
    red.page.locator(".sheet .danger").tap()
    table.play_on("end", game=1)
    red.tap("Yes")
    red.see("You agreed.")
    red.see("Your set-up is shared.")
    (path,) = (tmp_path / "table" / "games").glob("*/*.record")
    assert read_record(path.read_bytes()).set_ups[Seat.RED].known == {}  # nobody knows it before the time
    assert table.table.end(signal.SIGTERM) == 0
    set_ups = read_record(path.read_bytes()).set_ups
    assert set_ups[Seat.RED].known == {Square(square): Rank(rank) for square, rank in RED.items()}
    assert set_ups[Seat.BLUE].known == {}
