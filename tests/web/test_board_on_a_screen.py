"""A board on a screen: a whole game whose magnets are moved on two pages, one with a mouse and one with fingers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from referee.words import LANGUAGES
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.axe import axe_faults
from tests.web.gallery import gallery
from tests.web.game_on_a_screen import ScreenPlayer
from tests.web.screen_gallery import SIZES, TELL, moments, screen_gallery, told
from tests.web.screens import HIGH, WIDE, Screen, ScreenTable
from tests.web.test_phone_screens import MEASURE

pytestmark = pytest.mark.process


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScreenTable]:
    """A running Duel table with a board on a screen, which writes down what it would open in a browser."""
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > "$0.opened"\n')
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    with ScreenTable(tmp_path, "duel", "--browser") as running:
        yield running


@pytest.fixture
def mouse(browser: Browser, table: ScreenTable, tmp_path: Path) -> Iterator[Screen]:
    """A wide screen with the board and both phones beside it, as it is opened."""
    opened = tmp_path / "browser.opened"
    wait_until(lambda: opened.exists() and opened.read_text().endswith("\n"))
    with closing(Screen(browser, opened.read_text().strip(), WIDE)) as screen:
        yield screen


@pytest.fixture
def fingers(browser: Browser, table: ScreenTable) -> Iterator[Screen]:
    """Another screen with the same board."""
    with closing(Screen(browser, table.ready["screen"], HIGH)) as screen:
        yield screen


def tap(phone: FrameLocator, text: str) -> None:
    """Tap a button of a phone that is shown beside the board."""
    phone.get_by_role("button", name=text, exact=True).tap()


def headed(phone: FrameLocator, text: str) -> None:
    """Wait for the headline of a phone that is shown beside the board."""
    expect(phone.locator(".headline h1")).to_have_text(text)


def choose(phone: FrameLocator, rank: str) -> None:
    """Answer on a phone that is shown beside the board."""
    phone.locator(".question .choice", has_text=rank).tap()


def test_a_whole_game(mouse: Screen, fingers: Screen, tmp_path: Path) -> None:
    """Lifted, slid, hovering and set back, both pieces in hand, captured ones in the box; what the table says is on both pages."""
    red, blue = (mouse.page.frame_locator(f"iframe[name={name}]") for name in ("one", "two"))
    mouse.press("Set up my pieces")
    fingers.stands({"a4": "Red", "j7": "Blue", "e5": "empty"})
    fingers.reads("red", "Red: 0 in the box")
    assert axe_faults(fingers.page) == []
    tap(red, "I am ready")
    headed(red, "Ready. Waiting for Blue.")  # the table has heard it
    mouse.page.reload()  # each phone is still its own seat's
    tap(blue, "I am ready")
    headed(red, "Your move")

    mouse.drag("b4", "b5", "b6", "b4")  # it was only looked at
    mouse.drag("c4", "d4")  # two own pieces on one square: it goes back
    fingers.stands({"c4": "Red", "d4": "Red"})
    mouse.drag("b4", "b5")
    headed(blue, "Your move")
    fingers.press("Slide pieces")
    fingers.touch("e7")
    fingers.carry("e6")
    fingers.reads("e6", "Blue")  # it lies on the board
    fingers.release()
    fingers.press("Slide pieces")
    headed(red, "Your move")
    mouse.drag("b5", "b6")
    headed(blue, "Your move")
    fingers.touch("j7")
    fingers.carry("j6")
    mouse.reads("j6", "Blue, in the hand")  # while nobody has let go, both screens show it
    fingers.release()
    headed(red, "Your move")

    fingers.touch("b6", 1)
    fingers.touch("b7", 2)
    headed(red, "Your piece on b6 attacks b7. What is it?")
    choose(red, "Miner")
    choose(blue, "Bomb")
    heard = "".join(mouse.told + fingers.told).lower()
    assert not any(rank in heard for rank in ("marshal", "general", "scout", "spy", "flag"))
    fingers.carry("box of blue", 2)
    fingers.release(2)
    fingers.carry("b7", 1)
    fingers.release(1)
    headed(blue, "Your move")
    mouse.reads("blue", "Blue: 1 in the box")
    mouse.keys("j6", "Enter", "ArrowDown", "Enter")
    headed(red, "Your move")

    mouse.drag("a4", "a7")  # onto the other: that is taken up by the other hand
    headed(red, "Your piece on a4 attacks a7. What is it?")
    tap(red, "Say its rank")  # no other piece runs so far
    choose(blue, "Flag")
    headed(red, "You win!")
    mouse.heading("Red wins")
    fingers.heading("Red wins")
    (record,) = (tmp_path / "table").glob("games/*/game.record")
    assert '"legal": true' in hallmarshal("record", "check", str(record), "--json", state=tmp_path).stdout


_REFUSED = """async () => {
    const { Hands } = await import("/screen/hands.js");
    const said = [];
    const state = { setUp: null, magnets: [[4, "red", 0, 0, 0], [5, "red", 3, 3, 0]], holds: new Map() };
    const hands = new Hands(state, (wish) => said.push(wish));
    hands.take("first", [0, 0], { now: 0 });
    hands.take("second", [3, 3], { now: 0 });
    hands.drop(1);
    return [[...state.holds.keys()], said.at(-1)];
}"""


def test_what_cannot_be_done_lets_go_of_one_hand_alone(browser: Browser) -> None:
    """What the board has in it all the same goes back; what others hold stays in them."""
    with gallery(browser) as page:
        assert page.evaluate(_REFUSED) == [["first"], {"hand": 1, "ends": "back"}]


_MEASURE_ALL = f"""async (moments) => {{
    const [tell, measure] = [{TELL}, {MEASURE}];
    const faults = {{}};
    for (const [name, said] of Object.entries(moments)) {{
        await tell(said);
        const headline = document.querySelector(".headline");
        const found = headline.scrollHeight > headline.clientHeight + 1 ? ["the headline has to be scrolled"] : [];
        if (found.push(...measure())) faults[name] = found;
    }}
    return faults;
}}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_fits(language: str, browser: Browser) -> None:
    """On phones and on a laptop, whatever the table says: nothing is cut off, covered, or too small for a thumb."""
    said = {name: told(*moment, language) for name, moment in moments().items()}
    with screen_gallery(browser, HIGH, language) as page:
        for name, size in SIZES.items():
            page.set_viewport_size(size)
            assert page.evaluate(_MEASURE_ALL, said) == {}, name
            assert language != "de" or axe_faults(page) == [], name


def lift(page: Page, square: str) -> None:
    """Press the mouse on a square of a page of the gallery."""
    box = page.locator(f'.screen-board [data-square="{square}"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()


def test_escape_puts_back_what_is_dragged(browser: Browser) -> None:
    """At once, though the phone beside the board was touched last; letting go is then nothing any more."""
    with screen_gallery(browser, WIDE, "en") as page:
        page.evaluate(TELL, told(*moments()["middle"], "en"))
        page.locator("iframe").focus()  # a click at a place would come too soon for a frame that is not laid out yet
        assert page.evaluate("document.activeElement.tagName") == "IFRAME"
        lift(page, "b7")
        page.mouse.move(500, 300)
        page.keyboard.press("Escape")
        page.wait_for_function("() => sent.at(-1).ends === 'back'", polling=20)
        said = len(page.evaluate("sent"))
        page.mouse.up()
        lift(page, "f7")  # the page goes on with the next one
        assert [sorted(wish) for wish in page.evaluate("sent")[said:]] == [["hand", "takes", "way"]]


def test_the_phone_comes_before_the_board_while_a_piece_is_in_the_hand(browser: Browser) -> None:
    """Lifted from both squares of an attack, they are set down where they were seen last, wherever on the phone fingers leave."""
    with screen_gallery(browser, HIGH, "en") as page:
        page.evaluate(TELL, told(*moments()["middle"], "en"))
        lift(page, "b7")
        page.evaluate("(said) => line.onmessage({ data: JSON.stringify(said) })", told(*moments()["attack"], "en")[-1])
        expect(page.locator(".screen-board")).to_be_hidden()
        page.mouse.move(200, 700)
        page.mouse.up()
        page.wait_for_function("() => sent.at(-1).ends !== undefined", polling=20)
        (*_, last) = [point for wish in page.evaluate("sent") for point in wish.get("way", ())]
        assert last[1:3] == [1, 6]
        assert page.evaluate("sent.at(-1).ends") == "down"


def test_the_phone_comes_before_the_board_where_it_asks(browser: Browser) -> None:
    """In a pause, which it ends, and while an offer waits for its answer; then the board comes again."""
    with screen_gallery(browser, HIGH, "en") as page:
        page.evaluate(TELL, told(*moments()["middle"], "en"))
        for name in ("paused", "middle", "draw-offered", "draw-declined"):
            page.evaluate("(said) => line.onmessage({ data: JSON.stringify(said) })", told(*moments()[name], "en")[-1])
            expect(page.locator(".screen-board")).to_be_visible(visible=name in ("middle", "draw-declined"))


def test_what_is_to_be_put_right_is_marked(browser: Browser) -> None:
    """On each square that the table wants put right, for eyes and for ears; on an empty board, where everything is, on none."""
    info, view = moments()["restoring"]
    with screen_gallery(browser, WIDE, "en") as page:
        page.evaluate(TELL, told(info, view, "en"))
        for fix in view.fixes:
            square = page.locator(f'[data-square="{fix.square}"]')
            expect(square).to_have_accessible_name(
                re.compile("must be empty" if fix.wanted is None else "belongs here")
            )
        expect(page.locator(".screen-board .fix")).to_have_count(len(view.fixes))
        page.evaluate(TELL, [{"magnets": []}])
        expect(page.locator(".screen-board .fix")).to_have_count(0)


def test_a_game_against_the_computer_begins_on_its_page(browser: Browser, tmp_path: Path) -> None:
    """A sample of `python -m tests.web.game_on_a_screen`: nothing but a set-up is asked for before the first move."""
    with (
        ScreenTable(tmp_path, "duel", "--blue", "computer:1", "--mode", "enrol") as table,
        closing(Screen(browser, table.ready["play"], WIDE, "de")) as screen,
    ):
        player = ScreenPlayer(screen, "de", Random("sample"), touches=False)
        player.begin()
        player.play(most=2)
        assert player.findings == []
