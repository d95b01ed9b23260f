"""What a touch means: pages, wishes, the PIN, and that nothing a finger does can do harm. Tables and properties, without Kivy."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk_ui.fixtures import samples, touch_samples
from kiosk_ui.received_state import Chair, Desk, Pin, ReceivedState
from kiosk_ui.screen import Sheet, option_text, qr_rows, screen_state, sheet, sides
from kiosk_ui.touch_state import BRIGHTEST, DIMMEST, LONGEST_PIN, Page, ScreenSettings, TouchState, touch
from referee.net.topics.payloads import KioskNote, KioskWish, LinkUp, Status
from referee.rules.values import Seat
from referee.table.views import Phase, PublicView
from referee.words import LANGUAGES, words

R, B = Seat.RED, Seat.BLUE
SAMPLES = {sample.name: sample for sample in (*samples(), *touch_samples())}
MIDDLE = cast(PublicView, SAMPLES["middle"].view)
DESK = SAMPLES["menu"].desk
EN = words("en")
CLOSED = TouchState(ScreenSettings("en"))
LINK = "http://192.168.1.20:8080/join#5xV0rJ2mQ9yAZk3TnB7cWg&0123456789abcdef0123456789abcdef"

# key -> the page that lies open afterwards, and what the referee is told
TOUCHES: dict[str, tuple[Page | None, list[tuple[str, str]]]] = {
    "menu=near": (Page.MENU, []),
    "menu=far": (Page.MENU, []),
    "page=language": (Page.LANGUAGE, []),
    "page=rules": (Page.RULES, []),
    "language=da": (None, [("option", "language=da")]),
    "rules=duel": (None, [("option", "rules=duel")]),
    "mode=enrol": (None, [("option", "mode=enrol")]),
    "page=clock": (Page.CLOCK, []),
    "clock=fischer:10:5": (None, [("option", "clock=fischer:10:5")]),
    "pause": (None, [("pause", "")]),
    "resume": (None, [("resume", "")]),
    "arbiter": (None, [("arbiter", "")]),
    "start": (None, [("start", "")]),
    "pair=blue": (None, [("pair", "blue")]),
    "page=abort": (Page.ABORT, []),
    "abort=red": (Page.MENU, [("abort", "red")]),
    "rematch=blue": (Page.MENU, [("rematch", "blue")]),
    "play-on": (None, [("abort", "")]),
    "close": (None, []),
    "sound": (Page.MENU, []),
    "no such key": (Page.MENU, []),
    "language=xx": (Page.MENU, []),
}


@pytest.mark.parametrize("key", TOUCHES)
def test_each_button_means_one_thing(key: str) -> None:
    """A touch opens or closes a page, changes this screen, or becomes one wish."""
    page, wishes = TOUCHES[key]
    after, told = touch(replace(CLOSED, page=Page.MENU), DESK, key)
    assert after.page is page
    assert [(wish.kind, wish.value) for wish in told] == wishes


def test_a_page_is_turned_to_who_touched_a_menu_last() -> None:
    """Where a half is turned round, and only there; pages that follow from the menu stay turned, and so does the lobby."""
    turned = replace(CLOSED, settings=replace(CLOSED.settings, turned=True))
    far = touch(turned, DESK, "menu=far")[0]
    language = touch(far, DESK, "page=language")[0]
    received = SAMPLES["joining"].received
    assert [screen_state(received, touch_state).sheet_turned for touch_state in (turned, far, language)] == [
        False,
        True,
        True,
    ]
    assert screen_state(received, touch(language, DESK, "close")[0]).sheet_turned
    assert not screen_state(received, touch(far, DESK, "menu=near")[0]).sheet_turned
    assert not screen_state(received, touch(CLOSED, DESK, "menu=far")[0]).sheet_turned


def test_the_screens_own_settings_stay_within_bounds() -> None:
    """Brightness and volume have a least and a most; tones, voice, motion and the turned half are switches."""
    touch_state = CLOSED
    for name in ("brightness", "volume"):
        for key, bound in ((f"{name}=down", DIMMEST), (f"{name}=up", BRIGHTEST)):
            for _ in range(9):
                touch_state, wishes = touch(touch_state, DESK, key)
                assert not wishes
            assert getattr(touch_state.settings, name) == bound
    for key in ("sound", "spoken", "motion", "turned"):
        once = touch(touch_state, DESK, key)[0]
        assert once != touch_state
        assert touch(once, DESK, key)[0] == touch_state


def test_a_pin_is_asked_for_and_opens_what_it_was_asked_for() -> None:
    """Where a PIN is set, options lead to its page; what was typed is told once and shown never; a right one goes on."""
    guarded = replace(DESK, pin=Pin.WANTED)
    touch_state = touch(CLOSED, guarded, "page=rules")[0]
    assert touch_state.page is Page.PIN
    for key in ("digit=4", "digit=7", "erase", "digit=1"):
        touch_state = touch(touch_state, guarded, key)[0]
    page = sheet(touch_state, guarded, None, EN)
    assert page is not None
    assert page.typed == 2
    assert "41" not in repr(page)
    touch_state, wishes = touch(touch_state, guarded, "enter")
    assert wishes == (KioskWish("pin", "41"),)
    assert "41" not in repr(wishes)
    assert touch_state.settled(replace(guarded, pin=Pin.WRONG)).page is Page.PIN
    assert touch_state.settled(replace(guarded, pin=Pin.OPEN)).page is Page.RULES
    for _ in range(40):
        touch_state = touch(touch_state, guarded, "digit=9")[0]
    assert touch_state.typed == "9" * LONGEST_PIN
    touch_state, wishes = touch(replace(CLOSED, page=Page.MENU), guarded, "pair=blue")
    assert (touch_state.page, wishes) == (Page.PIN, ())
    touch_state = touch_state.settled(replace(guarded, pin=Pin.OPEN))
    assert touch_state.page is Page.MENU
    assert touch(touch_state, replace(guarded, pin=Pin.OPEN), "pair=blue")[1] == (KioskWish("pair", "blue"),)


def keys_of(touch_state: TouchState, desk: Desk, view: PublicView | None) -> set[str]:
    """Return what can be touched on the page that lies open."""
    page = sheet(touch_state, desk, view, EN)
    return {button.key for button in page.buttons if button.enabled} if page else set()


@pytest.mark.parametrize("phase", Phase)
def test_the_menu_offers_what_has_its_place_now(phase: Phase) -> None:
    """Pause in play, go on in a pause, options between games only, breaking off in a game only."""
    keys = keys_of(replace(CLOSED, page=Page.MENU), DESK, replace(MIDDLE, phase=phase))
    playing = phase not in (Phase.LOBBY, Phase.FINISHED)
    assert ("pause" in keys) is (playing and phase is not Phase.PAUSED)
    assert ("resume" in keys) is (phase is Phase.PAUSED)
    assert ("page=abort" in keys) is playing
    assert ("arbiter" in keys) is playing
    assert ("page=rules" in keys) is (phase is Phase.FINISHED)
    assert {"page=language", "page=screen", "close"} <= keys


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("none", "No clock"),
        ("sudden-death:20", "20\u00a0min for the game"),
        ("fischer:2.5:10", "2.5\u00a0min plus 10\u00a0s per move"),
        ("per-move:30", "30\u00a0s per move"),
        ("fischer:5", "fischer:5"),
        ("hourglass:5", "hourglass:5"),
    ],
)
def test_a_clock_is_spelt_out(word: str, text: str) -> None:
    """Each kind in words; what a newer referee may send stays as it is."""
    assert option_text("clock", word, EN) == text


def test_a_referee_that_takes_no_wishes_is_offered_none() -> None:
    """Beside a demo, which tells of no seats, a menu has what is this screen's own."""
    keys = keys_of(replace(CLOSED, page=Page.MENU), Desk(), MIDDLE)
    assert keys == {"page=language", "page=screen", "close"}


def test_the_lobby_waits_for_every_seat() -> None:
    """Start can be touched once every seat has its handset."""
    joining, here = SAMPLES["joining"].desk, SAMPLES["all-here"].desk
    assert "start" not in keys_of(CLOSED, joining, None)
    assert "start" in keys_of(CLOSED, here, None)
    assert sheet(CLOSED, Desk(), None, EN) is None


def test_the_lobby_waits_for_nobody_once_all_are_there() -> None:
    """The banner says so, once and not again on the page; while a seat is free the page names it."""
    shown = {name: screen_state(SAMPLES[name].received, CLOSED) for name in ("joining", "all-here")}
    assert shown["joining"].table.banner.text == EN["phase.lobby"]
    assert shown["all-here"].table.banner.text == EN["kiosk.all-here"]
    lines = {name: state.sheet.lines if state.sheet else () for name, state in shown.items()}
    assert EN.say("turn.waiting-for", seat="Blue") in lines["joining"]
    assert not {EN["kiosk.all-here"], EN["phase.lobby"]} & set(lines["all-here"])


def test_digits_that_were_confirmed_are_not_asked_for() -> None:
    """They stay to be seen until the game begins: a stranger's phone that confirms at once hides nothing from the player."""
    desk = Desk((Chair(R), Chair(B)))
    asked = []
    for note in (
        KioskNote("paired", "482913", R),
        KioskNote("compared", "", R),
        KioskNote("paired-again", "615240", R),
    ):
        desk = desk.after(note)
        (card,) = sides((R, B), CLOSED, desk, None, EN)[0].cards
        asked.append((card.digits, card.question))
    first, again = "482 913", "615 240"
    assert asked == [(first, EN["kiosk.compare"]), (first, EN["kiosk.compared"]), (again, EN["kiosk.compare"])]


def test_breaking_off_takes_both() -> None:
    """Once one has agreed both sides see their button; the arbiter's is there only while the PIN is open."""
    desk = SAMPLES["abort"].desk
    left, right = sides((R, B), CLOSED, desk, MIDDLE, EN)
    assert [(button.key, button.on) for side in (left, right) for button in side.buttons] == [
        ("abort=red", True),
        ("abort=blue", False),
    ]
    assert keys_of(CLOSED, desk, MIDDLE) == {"page=pin", "play-on"}
    assert "abort=arbiter" in keys_of(CLOSED, replace(desk, pin=Pin.OPEN), MIDDLE)
    assert keys_of(touch(CLOSED, desk, "page=pin")[0], desk, MIDDLE) >= {"digit=0", "close"}
    left, right = sides((R, B), CLOSED, desk, replace(MIDDLE, phase=Phase.FINISHED), EN)
    assert [button.key for button in (*left.buttons, *right.buttons)] == ["rematch=red", "rematch=blue"]


def test_a_second_handset_is_told_in_the_middle_of_a_game() -> None:
    """Digits of a new handset lie over that side's tray until they were seen, on that side alone."""
    desk = SAMPLES["new-handset"].desk
    left, right = sides((R, B), CLOSED, desk, MIDDLE, EN)
    assert (left.cards, [card.digits for card in right.cards]) == ((), ["615 240"])
    assert right.cards[0].text == EN["kiosk.thrown-off"]
    touch_state, wishes = touch(CLOSED, desk, "seen=blue")
    assert not wishes
    assert [side.cards for side in sides((R, B), touch_state, desk, MIDDLE, EN)] == [(), ()]
    other = replace(desk, chairs=(desk.chairs[0], replace(desk.chairs[1], digits="111222")))
    assert sides((R, B), touch_state, other, MIDDLE, EN)[1].cards[0].digits == "111 222"


def test_a_link_that_was_put_away_stays_away_when_it_is_renewed() -> None:
    """Only asking for another handset brings it back."""
    desk = replace(DESK, chairs=(DESK.chairs[0], Chair(B, link="one", paired=True)))
    touch_state = touch(CLOSED, desk, "seen=blue")[0]
    renewed = desk.after(KioskNote("join", "two", B))
    assert sides((R, B), CLOSED, renewed, MIDDLE, EN)[1].cards
    assert not sides((R, B), touch_state, renewed, MIDDLE, EN)[1].cards
    assert sides((R, B), touch(touch_state, renewed, "pair=blue")[0], renewed, MIDDLE, EN)[1].cards


def test_a_link_becomes_a_code_and_something_to_type() -> None:
    """The code is square with its three finders; the address and the typed code stand below it."""
    desk = Desk((Chair(R, link=LINK, code="K7Q 2MX"), Chair(B)))
    card = sides((R, B), CLOSED, desk, None, EN)[0].cards[0]
    assert card.hints == ("192.168.1.20:8080", "K7Q 2MX")
    assert card.code == qr_rows(LINK)
    assert len({len(row) for row in card.code} | {len(card.code)}) == 1
    finder = "1111111"
    assert card.code[0].startswith(finder)
    assert card.code[0].endswith(finder)
    assert card.code[-1].startswith(finder)


# notes -> what can be said of the desk after them
NOTES: dict[str, tuple[list[KioskNote], Desk]] = {
    "a lobby": (
        [KioskNote("seats", "red blue"), KioskNote("join", "link", R), KioskNote("code", "ABC 234", R)],
        Desk((Chair(R, link="link", code="ABC 234"), Chair(B))),
    ),
    "a new link": (
        [KioskNote("join", "one", R), KioskNote("code", "ABC 234", R), KioskNote("join", "two", R)],
        Desk((Chair(R, link="two"),)),
    ),
    "paired": (
        [KioskNote("join", "link", R), KioskNote("paired", "123456", R)],
        Desk((Chair(R, digits="123456", paired=True),)),
    ),
    "paired again": ([KioskNote("paired-again", "1", B)], Desk((Chair(B, digits="1", again=True, paired=True),))),
    "options": (
        [KioskNote("choice", "mode=declare enrol"), KioskNote("option", "mode=enrol"), KioskNote("option", "odd")],
        Desk(options={"mode": "enrol"}, choices={"mode": ("declare", "enrol")}),
    ),
    "words": (
        [KioskNote("pin", "wrong"), KioskNote("pin", "odd"), KioskNote("sensors", "uncalibrated")],
        Desk(pin=Pin.WRONG, sensors="uncalibrated"),
    ),
    "agreed and taken back": (
        [KioskNote("seats", "red"), KioskNote("abort", "", R), KioskNote("abort", ""), KioskNote("rematch", "", R)],
        Desk((Chair(R, rematch=True),)),
    ),
    "an end that is taken back": (
        [KioskNote("seats", "red"), KioskNote("rematch", "", R), KioskNote("rematch", "")],
        Desk((Chair(R),)),
    ),
    "of a newer referee": ([KioskNote("weather", "fine"), KioskNote("mood", "good", R)], Desk()),
    "told anew": ([KioskNote("arbiter", "called"), KioskNote("seats", "red mauve")], Desk((Chair(R),))),
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_add_up(name: str) -> None:
    """Each story of notes gives the desk of the table; what is not known changes nothing."""
    desk = Desk()
    for note in NOTES[name][0]:
        desk = desk.after(note)
    assert desk == NOTES[name][1]


def test_what_notes_told_ends_with_the_referee_and_with_the_game() -> None:
    """A referee that goes takes its notes along; another game forgets what was agreed for the last one."""
    sample = SAMPLES["rematch"]
    received = replace(sample.received, desk=sample.desk)
    assert received.after(Status(False, 1, "0" * 16)).desk == Desk()
    assert received.after(LinkUp()).desk == sample.desk
    assert sample.info is not None
    after = received.after(replace(sample.info, game="next"))
    assert [chair.rematch for chair in after.desk.chairs] == [False, False]
    assert after.newest == {}


KEYS = st.sampled_from([*TOUCHES, *(f"digit={n}" for n in range(10)), "erase", "enter", "seen=red", "brightness=up"])
WISHES = {"hello", "start", "option", "pin", "pause", "resume", "arbiter", "pair", "rematch", "abort"}


@given(st.lists(KEYS, max_size=12), st.sampled_from(sorted(SAMPLES)), st.sampled_from(LANGUAGES))
def test_no_touch_does_harm(keys: list[str], name: str, language: str) -> None:
    """Whatever is touched in whatever order, wherever a table stands: a screen can be shown, and wishes are of the known kinds."""
    sample = SAMPLES[name]
    touch_state = TouchState(ScreenSettings(language), sample.page, sample.typed)
    for key in keys:
        touch_state, wishes = touch(touch_state, sample.desk, key)
        assert {wish.kind for wish in wishes} <= WISHES
        assert screen_state(sample.received, touch_state).table.banner.text
    assert screen_state(ReceivedState(), touch_state).sheet is None or touch_state.page is not None


WIFI = ("Club 4", "abcd2345efgh")


def test_the_wifi_stands_between_the_seats_codes_until_somebody_has_joined_or_put_it_away() -> None:
    """Then the lobby and the menu lead to it; no wish and no message names it, and a screen without one has no such button."""
    desk, live = SAMPLES["wi-fi"].desk, SAMPLES["wi-fi"].received
    here = TouchState(ScreenSettings("en", wifi=WIFI))
    first = screen_state(live, here)
    assert first.sheet is not None
    assert (first.sheet.code, first.sheet.lines[1]) == (
        qr_rows("WIFI:T:WPA;S:Club 4;P:abcd2345efgh;;"),
        "Club 4   abcd2345efgh",
    )
    assert all(card.code for side in first.sides for card in side.cards)
    closed, wishes = touch(here, desk, "close")
    lobby = sheet(closed, desk, None, EN)
    assert lobby is not None
    assert (wishes, lobby.title, "page=wi-fi" in keys(lobby)) == ((), EN["kiosk.next-game"], True)
    again, wishes = touch(closed, desk, "page=wi-fi")
    assert (wishes, sheet(again, desk, None, EN)) == ((), first.sheet)
    joined = replace(desk, chairs=tuple(replace(chair, paired=True) for chair in desk.chairs))
    assert sheet(here, joined, None, EN) == sheet(closed, joined, None, EN)
    assert "page=wi-fi" in keys(sheet(replace(here, page=Page.MENU), joined, MIDDLE, EN))
    assert "abcd2345efgh" not in repr(here)
    for page in (Page.MENU, Page.WIFI, None):
        assert "page=wi-fi" not in keys(sheet(replace(CLOSED, page=page), desk, None, EN))


def keys(page: Sheet | None) -> list[str]:
    """Return what can be touched on a page."""
    assert page is not None
    return [button.key for button in page.buttons]
