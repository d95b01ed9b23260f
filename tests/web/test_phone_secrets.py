"""Secrets by sight: what somebody who looks over a player's shoulder can see, and for how long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.gallery import Screen, gallery, screens
from tests.web.phones import HEADLINE, Phone, PhoneTable
from tests.web.whole_game import ARMIES

pytestmark = pytest.mark.process

RANKS = re.compile("Marshal|General|Colonel|Major|Captain|Lieutenant|Sergeant|Miner|Scout|Spy|Bomb|Flag")

_READ = """(main) => [...main.querySelectorAll("*")]
    .filter((each) => !each.closest(".for-ears") && each.checkVisibility({ visibilityProperty: true }))
    .flatMap((each) => [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data))
    .join(" ")"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that shows what it is told to, and obeys taps."""
    with gallery(browser) as open_page:
        yield open_page


def show(page: Page, name: str, **wished: Any) -> None:
    """Draw a screen by its name."""
    screen: Screen = next(screen for screen in screens() if screen.name == name)
    screen.show(page, "en", **wished)


def seen(page: Page) -> list[str]:
    """Return every rank that can be seen: as a name anywhere, as a number or sign on a piece."""
    text = page.locator("main").evaluate(_READ)
    pictures = page.locator("main .piece:visible .number, main .on-board .number").count()
    return [*RANKS.findall(text), *["picture"] * pictures]


def test_an_answer_covers_itself_and_every_rank(page: Page) -> None:
    """At once, without a trace of which it was; it is changed by asking for the ranks again, and even then it is not marked."""
    show(page, "attacked")
    assert seen(page)
    page.locator(".choice", has_text="Miner").tap()
    page.evaluate("() => { said.length = 0; }")
    show(page, "answered")
    assert seen(page) == []
    assert page.locator(".chosen, [aria-pressed=true].choice").count() == 0
    page.get_by_role("button", name="Change my answer").tap()
    assert page.locator(".choice:visible").count() == 12
    assert page.locator(".chosen, [aria-pressed=true].choice").count() == 0
    page.locator(".choice", has_text="Spy").tap()
    assert page.evaluate("said") == [["declare", "x-1", 9, "spy"]]


def test_who_wants_it_sees_all_the_time(page: Page) -> None:
    """With "Always" the chosen rank is framed and the board shows what is known, as the player asked for."""
    show(page, "answered", ranks="open")
    assert page.locator(".chosen").inner_text().endswith("Miner")
    assert "picture" in seen(page)


def test_a_verdict_covers_itself(page: Page) -> None:
    """What was won stays to be read, whose piece goes where too; no rank does, until the player wants to see them."""
    show(page, "verdict-won")
    assert "Captain" in seen(page)
    show(page, "verdict-covered")
    assert seen(page) == []
    assert page.inner_text(HEADLINE) == "Put your piece on b7"
    assert page.inner_text(".verdict strong") == "Your piece wins"
    page.locator(".bar button").first.tap()
    assert {"Captain", "Sergeant", "picture"} <= set(seen(page))


_SECRECY = """async (infos) => {
    const { secrecy } = await import("/state.js");
    return infos.map((info) => secrecy({ wishes: {}, info }));
}"""


def test_only_who_plays_the_computer_has_nobody_beside_him(page: Page) -> None:
    """Not where a far player's friend may make the moves, nor once somebody else has the computer's seat."""
    two, three = (
        {"mode": "enrol", "seats": seats, "decided": seats[1:]} for seats in (["red", "blue"], ["red", "blue", "green"])
    )
    infos = [{**two, "computers": {"blue": 3}}, {**two, "computers": {}}, two, {**three, "computers": {"blue": 3}}]
    assert page.evaluate(_SECRECY, infos) == ["open", "held", "held", "held"]


def test_entered_ranks_show_while_held(page: Page) -> None:
    """In a game whose set-ups were entered: by a finger, which may slide off, and by a key."""
    show(page, "not-bound")
    assert seen(page) == []
    button = page.get_by_role("button", name="Hold")
    box = button.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    assert seen(page)
    page.mouse.move(box["x"] + 90, box["y"] - 200)
    assert seen(page)
    page.mouse.up()
    assert seen(page) == []
    button.focus()
    for key in ("Enter", " "):
        page.keyboard.down(key)
        assert seen(page)
        page.keyboard.up(key)
        assert seen(page) == []
    page.keyboard.down("Enter")
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.up("Enter")
    assert seen(page) == []


ORDERS = """async (wanted) => {
    const [{ panel }, { patch }] = await Promise.all([import("/panels.js"), import("/toolkit/dom.js")]);
    const place = document.createElement("div");
    return wanted.map((number) => {
        const question = { question: number, kind: "declare", choices: "marshal general miner scout spy bomb flag".split(" ") };
        const info = { army: {}, numbers: {}, mode: "declare", seats: ["red", "blue"] };
        const none = { rules: null, seat: null, answer: null, enrolled: null, told: null, rejected: null };
        const state = { ...none, question, info, view: { attack: null }, place: { seat: "red" }, wishes: { shuffled: true } };
        patch(place, panel(state, () => {}).filter(Boolean));
        return [...place.querySelectorAll(".choice")].map((each) => each.textContent);
    });
}"""


def test_ranks_can_be_shuffled(page: Page) -> None:
    """Another order for each question, the same for as long as it stands; none is lost."""
    show(page, "attacked")
    plain = page.locator(".choice").all_inner_texts()
    show(page, "attacked", shuffled=True)
    assert sorted(page.locator(".choice").all_inner_texts()) == sorted(plain)
    orders = page.evaluate(ORDERS, [number // 2 for number in range(40)])
    assert all(one == other for one, other in zip(orders[::2], orders[1::2], strict=True))
    assert len({tuple(order) for order in orders}) > 10
    assert len({tuple(sorted(order)) for order in orders}) == 1


def test_the_only_rank_left_is_answered_without_being_shown(page: Page) -> None:
    """Both are asked also where only one rank is left; whoever looks on sees which piece it is neither before nor after."""
    show(page, "attacks-only")
    assert seen(page) == []
    page.get_by_role("button", name="Say its rank").tap()
    assert page.evaluate("said") == [["declare", "x-1", 9, "captain"]]


def test_it_covers_itself_after_eight_seconds(browser: Browser, tmp_path: Path) -> None:
    """On the page itself, whose clock the test moves on."""
    with PhoneTable(tmp_path) as table:
        red, blue = Phone(browser), Phone(browser)
        red.page.clock.install()
        table.begin(ARMIES, red, blue)
        red.heading("Your move")
        table.hands(motion="move", **{"from": "b4", "to": "b5"})
        blue.heading("Your move")
        table.hands(motion="move", **{"from": "b7", "to": "b6"})
        red.heading("Your move")
        table.hands(motion="both", **{"from": "b5", "target": "b6"})
        red.pick("Miner")
        blue.choice("Scout").tap()
        red.heading("Put your Miner on b6")
        blue.heading("Put Red\u2019s piece on b6")
        expect(red.page.locator(".fighter").first).to_contain_text("Miner")
        red.page.clock.fast_forward(8000)
        red.heading("Put your piece on b6")
        expect(red.page.locator(".fighter").first).not_to_contain_text("Miner")
        for phone in (red, blue):
            phone.close()
            assert phone.faults == []
