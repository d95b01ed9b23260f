"""What each tap says: the buttons of a screen touched one after the other, and the message that the referee gets of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page

from referee.net.topics.codec import FROM_HANDSET, decode_body
from referee.rules.values import Rank, Seat
from referee.table import messages as m
from referee.table.messages import FromHandset
from tests.demo.test_what_goes_wrong import wait_until
from tests.web.gallery import gallery, screens

X = "x-1"
TAPS: list[tuple[str, tuple[str, ...], FromHandset]] = [
    ("all-stand", ("I am ready",), m.Ready(X)),
    ("going-on", ("Attack f4",), m.TellAttack(X, "e4", "f4")),
    ("in-hand", ("Attack f6",), m.TellAttack(X, "f7", "f6")),
    ("my-move", ("Attack", "i4", "h4"), m.TellAttack(X, "i4", "h4")),
    ("guess", ("Scout",), m.TellInfiltrate(X, "f7", "e5", Rank.SCOUT)),
    ("tell-fire", ("j4",), m.TellFire(X, "j1", "j4")),
    ("tell-leave", ("Done",), m.TellLeave(X, "d5", (Seat.BLUE,))),
    ("tell-leave", ("Blue", "Done"), m.TellLeave(X, "d5", ())),
    ("take-flags", ("Red, Blue",), m.Answer(X, 9, "red,blue")),
    ("slider", ("Leave it",), m.Answer(X, 9, "stay")),
    ("recruit", ("Sergeant",), m.Answer(X, 9, "sergeant")),
    ("recruit", ("None",), m.Answer(X, 9, "none")),
    ("attacked", ("Miner",), m.Declare(X, 9, Rank.MINER)),
    ("answered", ("Change my answer", "Bomb"), m.Declare(X, 9, Rank.BOMB)),
    ("attacked", ("That wasn’t an attack",), m.DenyAttack(X, 9)),
    ("asked-paused", ("Call the arbiter",), m.CallArbiter(X)),
    ("asked-paused", ("Spy",), m.Declare(X, 9, Rank.SPY)),
    ("asked-draw", ("Accept",), m.Answer(X, 9, "accept")),
    ("asked-claim", ("Decline",), m.Answer(X, 9, "refuse")),
    ("asked-claim", ("Accept: I can’t move either",), m.Answer(X, 9, "accept-both")),
    ("paused", ("Resume",), m.AskResume(X)),
    ("my-move", ("Menu", "Offer a draw", "Offer a draw"), m.OfferDraw(X)),
    ("my-move", ("Menu", "I can’t move", "I can’t move"), m.ClaimImmobile(X)),
    ("my-move", ("Menu", "Pause", "Pause"), m.AskPause(X)),
    ("my-move", ("Menu", "Call the arbiter", "Call the arbiter"), m.CallArbiter(X)),
    ("my-move", ("Menu", "Undo my move 136", "Undo my move 136"), m.OfferTakeBack(X, 135)),
    ("rival-to-move", ("Menu", "Undo my move 137", "Undo my move 137"), m.OfferTakeBack(X, 136)),
    ("verdict-won", ("Menu", "Redo the last attack", "Redo the last attack"), m.OfferVoid(X, 137)),
    ("my-move", ("Menu", "Stop without a result", "Stop without a result"), m.OfferAbort(X)),
    ("my-move", ("Menu", "Resign", "Resign"), m.Resign(X)),
]
# What a finger does on the middle of a rank, as (kind, pixels to the right, milliseconds since it came), and whether that is a tap.
TOUCHES: list[tuple[str, tuple[tuple[str, float, float], ...], bool]] = [
    ("short", (("touchStart", 0, 0), ("touchEnd", 0, 90)), True),
    ("trembling", (("touchStart", 0, 0), ("touchMove", 5, 40), ("touchEnd", 5, 90)), True),
    ("long", (("touchStart", 0, 0), ("touchEnd", 0, 450)), False),
    ("shifted", (("touchStart", 0, 0), ("touchMove", 12, 40), ("touchEnd", 12, 90)), False),
    ("sliding", (("touchStart", 0, 0), ("touchMove", 30, 40), ("touchEnd", 30, 90)), False),
    ("sliding back", (("touchStart", 0, 0), ("touchMove", 30, 40), ("touchMove", 0, 60), ("touchEnd", 0, 90)), False),
]
_WATCH = """() => {
    globalThis.ends = [], globalThis.clicks = 0;
    addEventListener("touchend", (event) => ends.push([event.defaultPrevented, said.length]));
    addEventListener("click", () => clicks += 1);
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that shows what it is told to, and obeys taps."""
    with gallery(browser) as open_page:
        yield open_page


@pytest.mark.process
def test_each_tap_says_one_thing(page: Page) -> None:
    """Nothing before the last tap, and then what the referee's own reader takes for this message."""
    shown = {screen.name: screen for screen in screens()}
    for name, taps, wanted in TAPS:
        shown[name].show(page, "en")
        for text in taps:
            assert page.evaluate("said") == [], (name, text)
            page.locator("button", has_text=re.compile(f"{re.escape(text)}$")).last.tap()
        wait_until(lambda: page.evaluate("said.length > 0"))
        (said,) = page.evaluate("said")
        assert decode_body(json.dumps(said).encode(), FROM_HANDSET) == wanted, (name, taps)


DECIDED = [
    (("i4", "i5"), ("i4", "i5")),  # where it goes is free
    (("i4", "h4"), ("i4", "h4")),  # a rival stands there
    (("i4", "j7", "j8"), ("j7", "j8")),  # another piece, on second thoughts
]


@pytest.mark.process
@pytest.mark.parametrize(("taps", "move"), DECIDED)
def test_a_move_is_decided_by_two_taps_on_the_board(page: Page, taps: tuple[str, ...], move: tuple[str, str]) -> None:
    """Of a seat whose moves are made by somebody at the board: the own piece, and then where it goes; nothing is said before."""
    next(screen for screen in screens() if screen.name == "decides").show(page, "en")
    for square in taps:
        assert page.evaluate("said") == []
        page.locator(f'[data-square="{square}"]').tap()
    wait_until(lambda: page.evaluate("said.length > 0"))
    (said,) = page.evaluate("said")
    assert decode_body(json.dumps(said).encode(), FROM_HANDSET) == m.Decide(X, 138, *move)


@pytest.mark.process
@pytest.mark.parametrize(
    ("phase", "final", "due"),
    [("waiting-for-move", True, True), ("piece-in-hand", True, True), ("waiting-for-move", False, False)],
)
def test_how_to_decide_is_said_when_it_can_be_done(page: Page, phase: str, final: bool, due: bool) -> None:
    """Also while somebody at the board has a piece in the hand; not before the other player's move is final."""
    screen = next(screen for screen in screens() if screen.name == "decides")
    (shown,) = [each["value"] for each in screen.happenings if each["type"] == "view"]
    view = {**shown, "phase": phase, "last_move": {**shown["last_move"], "final": final}}
    replace(screen, happenings=(*screen.happenings, {"type": "view", "value": view})).show(page, "en")
    label = page.locator('[data-square="i4"]').get_attribute("aria-label") or ""
    assert ("Tap your piece" in page.inner_text(".headline"), "can move" in label) == (due, due)


def touch(page: Page, steps: tuple[tuple[str, float, float], ...], between: Callable[[], None] = lambda: None) -> None:
    """Put one finger on the rank "Spy" and do these steps with it; `between` happens once it is there."""
    box = page.locator(".choice", has_text="Spy").bounding_box()
    assert box is not None
    screen = page.context.new_cdp_session(page)
    began_s = time.time()
    for kind, right, since_ms in steps:
        point = {"x": box["x"] + box["width"] / 2 + right, "y": box["y"] + box["height"] / 2}
        points = [] if kind == "touchEnd" else [point]
        screen.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": began_s + since_ms / 1000}
        )
        if kind == "touchStart":
            between()
    screen.detach()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.process
@pytest.mark.parametrize(("steps", "taken"), [case[1:] for case in TOUCHES], ids=[case[0] for case in TOUCHES])
def test_a_tap_answers_when_the_finger_leaves(
    browser: Browser, steps: tuple[tuple[str, float, float], ...], taken: bool
) -> None:
    """With the touch's own end and once only; what is no plain tap is left to the browser."""
    with gallery(browser) as own:
        {screen.name: screen for screen in screens()}["attacked"].show(own, "en")
        own.evaluate(_WATCH)
        touch(own, steps)
        wait_until(lambda: own.evaluate("ends.length === 1"))
        assert own.evaluate("ends") == [[taken, int(taken)]]
        if taken:
            assert (own.evaluate("clicks"), len(own.evaluate("said"))) == (1, 1)


@pytest.mark.process
def test_two_fingers_are_no_tap(browser: Browser) -> None:
    """One comes to a rank and goes while the other rests on the band at the top."""
    with gallery(browser) as own:
        {screen.name: screen for screen in screens()}["attacked"].show(own, "en")
        own.evaluate(_WATCH)
        box = own.locator(".choice", has_text="Spy").bounding_box()
        assert box is not None
        resting, tapping = {"x": 150, "y": 20, "id": 1}, {"x": box["x"] + 9, "y": box["y"] + 9, "id": 2}
        screen = own.context.new_cdp_session(own)
        for kind, points in (("touchStart", [resting]), ("touchStart", [resting, tapping]), ("touchEnd", [tapping])):
            screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        wait_until(lambda: own.evaluate("ends.length === 1"))
        screen.detach()
        assert own.evaluate("[ends, said]") == [[[False, 0]], []]


@pytest.mark.process
def test_a_question_that_goes_under_the_finger_is_not_answered(browser: Browser) -> None:
    """The touch began on a rank of the question that was; nothing of it reaches what stands there now."""
    shown = {screen.name: screen for screen in screens()}
    with gallery(browser) as own:
        shown["attacked"].show(own, "en")
        touch(own, TOUCHES[0][1], lambda: shown["verdict-won"].show(own, "en"))
        assert own.evaluate("said") == []


def test_everything_that_can_be_told_is_tapped() -> None:
    """No word is left out but those that other tests tap, the hello, and what only a terminal or a program says."""
    tapped = {type(wanted) for _, _, wanted in TAPS}
    assert set(FROM_HANDSET.values()) - tapped == {m.Hello, m.Enrol, m.Consent, m.Decide, m.Missed, m.Countersign}
