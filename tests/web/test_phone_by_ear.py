"""The phone's page by keys and by ear: what a screen reader finds in the accessibility tree, and what keys do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from referee.net.topics.codec import FROM_HANDSET, decode_body
from referee.rules.values import Rank
from referee.table import messages as m
from referee.words import words
from tests.web.axe import axe_faults
from tests.web.gallery import gallery, hand_over, screens
from tests.web.test_phone_screens import find

pytestmark = pytest.mark.process
_ENTERED = ("set-up-", "consent", "again", "turned-over")
"""Screens on which ranks are entered, or known to everybody: they have to be heard."""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that shows what it is told to, and obeys keys and taps."""
    with gallery(browser) as open_page:
        hand_over(open_page)
        yield open_page


def said(page: Page) -> list[Any]:
    """Return what the page has said to the referee since the screen was shown."""
    return [decode_body(json.dumps(each).encode(), FROM_HANDSET) for each in page.evaluate("said")]


def cell(page: Page) -> str:
    """Return what a screen reader says of the square that has the focus."""
    return str(page.evaluate("document.activeElement.getAttribute('aria-label')"))


def test_tapping_the_board_attacks(page: Page) -> None:
    """With a piece in the hand its target, otherwise the own piece first; tapped again it is picked no more."""
    find(page, "in-hand").show(page, "en")
    page.locator('[data-square="f6"]').tap()
    assert said(page) == [m.TellAttack("x-1", "f7", "f6")]
    find(page, "my-move").show(page, "en")
    own, target = page.locator('[data-square="i4"]'), page.locator('[data-square="h4"]')
    target.tap()
    own.tap()
    assert (own.get_attribute("aria-selected"), page.locator(".reach").count()) == ("true", 2)
    own.tap()
    assert (own.get_attribute("aria-selected"), page.locator(".reach").count()) == ("false", 0)
    target.tap()
    assert said(page) == []
    own.tap()
    target.tap()
    assert said(page) == [m.TellAttack("x-1", "i4", "h4")]


def test_the_board_is_a_grid_for_keys(page: Page) -> None:
    """One tab stop; arrows go from square to square and over a lake; Enter and space pick and attack."""
    find(page, "my-move").show(page, "en")
    assert page.locator('.board [tabindex="0"]').count() == 1
    page.locator('.board [tabindex="0"]').focus()
    assert cell(page) == "j10: yours"
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert cell(page) == "i8: yours"
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    assert cell(page) == "f6: yours"  # over the lake
    assert page.locator('.board [tabindex="0"]').count() == 1
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    assert cell(page) == "i4: yours, can attack"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert cell(page) == "h4: Red, can be attacked"
    page.keyboard.press("Space")
    assert said(page) == [m.TellAttack("x-1", "i4", "h4")]
    page.locator('[data-square="e5"]').focus()
    assert cell(page) == "e5: Red, last move"


def test_own_ranks_are_heard_only_where_asked_for(page: Page) -> None:
    """No rank that was not captured is read, but among answers, in the rules, where ranks are entered, and with the switch on."""
    ranks = [words("en").rank(rank) for rank in Rank]
    for screen in screens():
        if screen.stage != "table" or screen.name.startswith(_ENTERED):
            continue
        screen.show(page, "en")
        page.evaluate(
            "() => document.querySelectorAll('.choice, .lost-pieces, .brief').forEach((each) => each.remove())"
        )
        tree = page.locator("body").aria_snapshot()
        public = {"attacked-guessed", "turned-over"}  # a guess that was said aloud; armies that all owners turned over
        if screen.name not in public and not screen.name.startswith("verdict"):
            assert not [rank for rank in ranks if re.search(rf"\b{rank}\b(?! (Red|Blue|Green|Yellow))", tree)], (
                screen.name
            )
    find(page, "verdict-won").show(page, "en")
    page.evaluate("() => document.querySelectorAll('.lost-pieces').forEach((each) => each.remove())")
    tree = page.locator("body").aria_snapshot()
    assert "Captain" not in tree  # its own piece stays
    assert "Sergeant" in tree  # the other is captured
    find(page, "my-move").show(page, "en", hears=True)
    expect(page.locator('[data-square="i4"]')).to_have_attribute("aria-label", "i4: yours, Field Marshal, can attack")


@pytest.mark.parametrize(("language", "large", "step"), [("en", False, 1), ("de", True, 5)])
def test_axe_finds_nothing(language: str, large: bool, step: int, page: Page) -> None:
    """On any screen; on every fifth in large letters, and by its own measure of contrast, too (test_phone_screens.py measures each)."""
    found = {}
    for screen in screens()[::step]:
        screen.show(page, language, large=large)
        if faults := axe_faults(page, contrast=large):
            found[screen.name] = faults
    assert found == {}, json.dumps(found, indent=1, ensure_ascii=False)


def test_keys_reach_what_scrolls_on_a_phone_on_its_side(browser: Browser) -> None:
    """640 x 320, where lists scroll that have room elsewhere: axe finds nothing there."""
    with gallery(browser, {"width": 640, "height": 320}) as side:
        for name in ("set-up-refused", "game", "rules"):
            find(side, name).show(side, "fr")
            assert axe_faults(side) == [], name


def test_axe_is_asked(page: Page) -> None:
    """A button without a name, a heading too few and a grid without rows are found."""
    find(page, "my-move").show(page, "en")
    page.evaluate("""() => {
        document.querySelector('h1').remove();
        document.querySelectorAll('.bar .side span').forEach((each) => each.remove());
        document.querySelectorAll('[role=row]').forEach((each) => each.removeAttribute('role'));
    }""")
    rules = {fault.split(":")[0] for fault in axe_faults(page)}
    assert {"button-name", "page-has-heading-one", "aria-required-parent"} <= rules


def test_what_changes_is_said_once(page: Page) -> None:
    """One live region on each screen, and it is there while a sheet lies over the screen."""
    live = "[aria-live], [role=alert], [role=status], [role=log]"
    for screen in screens():
        screen.show(page, "en")
        regions = page.locator(live)
        assert regions.count() <= 1, screen.name
        assert screen.stage != "table" or page.locator(".spoken").count() == 1, screen.name
        if page.locator(".sheet").count():
            assert page.locator("main[inert]").count() == 1
            assert page.locator("[inert] .spoken").count() == 0
    find(page, "rejected").show(page, "en")
    assert page.locator(".spoken").inner_text().startswith("Lift the attacking piece first.")


def test_a_sentence_that_stays_is_not_said_again(page: Page) -> None:
    """When only the paragraph changes the headline's part of the live region is left alone."""
    find(page, "my-move").show(page, "en")
    page.evaluate("() => document.querySelector('[data-headline]').classList.add('heard')")
    find(page, "in-hand").show(page, "en")
    assert page.locator(".spoken p").all_inner_texts() == ["Your move.", "In hand: f7."]
    assert page.locator(".spoken .heard").all_inner_texts() == ["Your move."]


def test_nothing_is_said_between_two_messages_that_belong_together(page: Page) -> None:
    """How an attack or an offer ended comes before the board after it: of what is still on the old one nothing is said any more."""
    for name, letter, said in (
        (
            "attacked",
            {"type": "verdict", "ply": 138, "result": "attacker-wins", "own": "scout", "other": None},
            ["You lost the piece."],
        ),
        ("attacked", {"type": "closed"}, []),
        ("asked-draw", {"type": "closed"}, []),
    ):
        screen = find(page, name)
        happened = (*screen.happenings, {"type": "letter", "value": {**letter, "question": 9}})
        replace(screen, happenings=happened).show(page, "en")
        assert page.locator(".spoken p").all_inner_texts() == said


def test_a_board_that_is_only_compared_is_not_spoken_of(page: Page) -> None:
    """After a pause or an attack the headline shows it for a moment; said is what follows: whose move it is, or what is wrong."""
    screen = find(page, "my-move")
    view = next(each["value"] for each in screen.happenings if each["type"] == "view")
    compared = {**view, "seq": view["seq"] + 1, "phase": "restoring", "ask": "restore"}
    taken = {**compared, "phase": "waiting-for-board", "ask": "remove-captured"}
    wrong = {**compared, "seq": view["seq"] + 2, "fixes": [{"square": "e5", "wanted": "red"}]}
    for change, headline, said in (
        (compared, "Checking the board: hands off", []),
        (taken, "Checking the board: hands off", []),
        (wrong, "Fix the board", ["Fix the board.", "Set the board as shown. e5: Red belongs here."]),
    ):
        replace(screen, happenings=(*screen.happenings, {"type": "view", "value": change})).show(page, "en")
        assert page.inner_text(".headline h1") == headline
        assert page.locator(".spoken p").all_inner_texts() == said


def test_who_is_ready_hears_it_once(page: Page) -> None:
    """The button goes that was pressed; the headline takes the focus, and says for whom he waits. Nothing else says that."""
    find(page, "all-stand").show(page, "en")
    page.get_by_role("button", name="I am ready").focus()
    find(page, "ready").show(page, "en")
    assert page.evaluate("document.activeElement.textContent") == "Ready. Waiting for Blue."
    assert page.locator("main").inner_text().count("Waiting for Blue") == 1
    assert "ready" not in page.locator(".panel").inner_text()


def test_the_zone_of_a_set_up_is_a_grid_for_keys(page: Page) -> None:
    """One tab stop; arrows go from square to square; Enter puts there what is picked, and the square keeps the focus."""
    find(page, "set-up-picked").show(page, "en")
    zone = page.get_by_role("grid", name="Your set-up")
    names = [each.get_attribute("data-square") for each in zone.get_by_role("gridcell").all()]
    columns = zone.get_by_role("row").first.get_by_role("gridcell").count()
    assert zone.locator('[tabindex="0"]').count() == 1
    zone.locator('[tabindex="0"]').focus()
    square = "document.activeElement.dataset.square"
    for key, at in (("ArrowUp", 0), ("ArrowRight", 1), ("ArrowDown", columns + 1), ("ArrowLeft", columns)):
        page.keyboard.press(key)
        assert page.evaluate(square) == names[at]
    assert zone.locator('[tabindex="0"]').count() == 1
    here = page.locator(f'.zone [data-square="{names[columns]}"]')
    before = here.inner_text()
    page.keyboard.press("Enter")
    assert here.inner_text() != before
    assert page.evaluate(square) == names[columns]


def test_the_pieces_not_yet_placed_are_one_stop_too(page: Page) -> None:
    """From where the tab key comes to, arrows lead to each of them and Enter picks it; the tab key comes back to it."""
    find(page, "set-up-empty").show(page, "en")
    tray = page.get_by_role("toolbar", name="Pieces not yet placed")
    ranks = [each.get_attribute("data-rank") for each in tray.get_by_role("button").all()]
    columns = tray.locator(".line").first.get_by_role("button").count()
    page.locator('.zone [tabindex="0"]').focus()
    rank = "document.activeElement.dataset.rank"
    for key, at in (("Tab", 0), ("ArrowRight", 1), ("ArrowDown", columns + 1), ("ArrowLeft", columns)):
        page.keyboard.press(key)
        assert page.evaluate(rank) == ranks[at]
    page.keyboard.press("Enter")
    expect(tray.locator('[aria-pressed="true"]')).to_have_attribute("data-rank", str(ranks[columns]))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.tool") == "random"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(rank) == ranks[columns]


def test_each_setting_says_what_it_is_about(page: Page) -> None:
    """Its choices are a group that has the name which is read above it."""
    find(page, "settings").show(page, "en")
    for choice in page.locator(".sheet .pick").all():
        group = choice.locator("xpath=ancestor::*[@role='group'][1]")
        heading = choice.locator("xpath=ancestor::*[contains(@class, 'group')][1]/h3")
        assert group.get_attribute("aria-label") == heading.inner_text()
    hears = page.get_by_role("group", name="Screen reader says my ranks").get_by_role("button")
    assert hears.all_inner_texts() == ["No", "Yes"]


def test_a_picked_piece_is_let_go_with_its_attack_and_with_the_game(page: Page) -> None:
    """It is picked for one attack: not for what is on the board once that was withdrawn, nor for another game."""
    screen = find(page, "my-move")
    own = page.locator('[data-square="i4"]')
    picked = replace(screen, happenings=(*screen.happenings, {"type": "pick", "square": "i4"}))
    picked.show(page, "en")
    expect(own).to_have_attribute("aria-selected", "true")
    info, view = (
        next(each["value"] for each in screen.happenings if each["type"] == kind) for kind in ("info", "view")
    )
    attack: dict[str, Any] = {
        "seat": "blue",
        "source": "i4",
        "target": "h4",
        "result": None,
        "fires": False,
        "guess": None,
        "denied": [],
    }
    fought = {**view, "seq": view["seq"] + 1, "phase": "waiting-for-declarations", "attack": attack}
    for events in (
        ({"type": "view", "value": fought}, {"type": "view", "value": {**view, "seq": view["seq"] + 2}}),
        (
            {"type": "info", "value": {**info, "game": "another"}},
            {"type": "view", "value": {**view, "game": "another"}},
        ),
    ):
        replace(picked, happenings=(*picked.happenings, *events)).show(page, "en")
        expect(own).to_have_attribute("aria-selected", "false")


def test_the_answers_take_the_focus_and_show_it_to_keys_alone(page: Page) -> None:
    """The button that was pressed goes; the question is not said again. With keys a ring shows where one is, with a finger nothing does."""
    script = "() => [document.activeElement.textContent, document.activeElement.matches(':focus-visible')]"
    find(page, "asked-covered").show(page, "en")
    page.locator(".question button").tap()
    assert page.evaluate(script) == ["Answers", False]
    find(page, "asked-covered").show(page, "en")
    page.locator(".question button").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(script) == ["Answers", True]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "choice"


def test_no_attack_keeps_the_focus(page: Page) -> None:
    """It is called unavailable until the opponent has said so too, and says nothing more."""
    screen = find(page, "attacked")
    screen.show(page, "en")
    button = page.get_by_role("button", name="That wasn’t an attack")
    button.focus()
    page.keyboard.press("Enter")
    assert said(page) == [m.DenyAttack("x-1", 9)]
    view = next(each["value"] for each in screen.happenings if each["type"] == "view")
    denied = {**view, "seq": view["seq"] + 1, "attack": {**view["attack"], "denied": ["blue"]}}
    replace(screen, happenings=(*screen.happenings, {"type": "view", "value": denied})).show(page, "en")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    assert said(page) == []


def test_one_answer_alone_names_no_rank(page: Page) -> None:
    """Who knows his piece taps its rank and hears that he tells it; several answers are a group that is called by the question."""
    find(page, "attacks-only").show(page, "en", ranks="open")
    answer = page.locator(".choice")
    assert answer.locator("span[aria-hidden]").inner_text() == "Captain"
    expect(answer).to_have_accessible_name("Say its rank")
    find(page, "attacked").show(page, "en")
    group = page.get_by_role("group", name=re.compile("is attacked. What is it"))
    assert group.locator("[aria-pressed]").count() == 0
    assert group.get_by_role("button").count() > 3


def test_only_a_piece_that_may_run_is_offered_to(page: Page) -> None:
    """A square that only a scout reaches is offered while the piece may be one: not once it is known, or every scout is."""
    find(page, "my-move").show(page, "en")
    page.locator('[data-square="f6"]').tap()
    assert page.locator(".reach").count() == 0
    find(page, "covered").show(page, "en")  # by what everybody knows it may be a scout
    page.locator('[data-square="f6"]').tap()
    assert page.locator(".reach").count() > 0


def test_a_no_after_the_game_is_said_to_nobody_and_asked_no_more(page: Page) -> None:
    """The question goes, nothing is sent, and the set-up can still be given to the record."""
    find(page, "turn-over").show(page, "en")
    expect(page.locator(".headline")).to_contain_text("Reveal the armies?")
    page.locator(".answers button").nth(1).tap()
    expect(page.locator(".headline")).not_to_contain_text("Reveal the armies?")
    assert (said(page), page.locator(".answers button").count()) == ([], 0)


def test_what_the_game_has_told_is_filled_in(page: Page) -> None:
    """In the set-up that a player gives after a game whose ranks were declared."""
    find(page, "consent-known").show(page, "en")
    expect(page.get_by_role("button", name="Flag 0")).to_be_visible()
    expect(page.get_by_role("button", name="Scout 7")).to_be_visible()
