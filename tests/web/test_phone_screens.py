"""Every screen in every language and both sizes of type on a phone of 360 x 640: nothing is cut off, nothing lies over another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Browser, Page

import referee
from referee.rules import CombatResult, rule_set, rule_set_names
from referee.rules.values import Rank, Seat
from referee.words import LANGUAGES, words
from tests.web.gallery import SHOW, Screen, gallery, hand_over, screens
from tests.web.phone_sheets import DOCS, PAGE, SHEETS, page_text
from tests.web.phones import HEADLINE

MEASURE = Path(__file__).with_name("measure.js").read_text(encoding="utf-8").split("\n", 1)[1]
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8").split("\n", 1)[1]


def _all(measure: str) -> str:
    """Return a script that shows every screen and returns what `measure` finds on each."""
    return f"""
async (wanted) => {{
    const show = {SHOW};
    const measure = {measure};
    const faults = {{}};
    for (const screen of globalThis.screens) {{
        await show({{ ...screen, wishes: {{ ...screen.wishes, ...wanted }} }});
        const found = measure();
        if (found.length > 0) faults[screen.name] = found;
    }}
    return faults;
}}
"""


_MEASURE_ALL = _all(MEASURE)
_READ_ALL = _all(f"""() => [{{
    spoken: document.querySelector('.spoken')?.textContent ?? '',
    letters: [...document.querySelectorAll('input, textarea')].map((each) => parseFloat(getComputedStyle(each).fontSize)),
    faults: ({MEASURE})(),
}}]""")

Read: TypeAlias = Callable[[str], dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that shows what it is told to."""
    with gallery(browser) as open_page:
        hand_over(open_page)
        yield open_page


@pytest.fixture(scope="module")
def read(page: Page) -> Read:
    """Return what is read in normal letters on each screen in a language: all screens are drawn once for the tests that ask."""
    return cache(
        lambda language: {
            name: found for name, (found,) in page.evaluate(_READ_ALL, {"language": language, "large": False}).items()
        }
    )


@pytest.mark.process
@pytest.mark.parametrize("large", [False, True], ids=["normal", "large"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_fits(language: str, large: bool, page: Page, read: Read) -> None:
    """No overflow, no overlap, no button below 48 px, no word missing."""
    if large:
        faults = page.evaluate(_MEASURE_ALL, {"language": language, "large": True})
    else:
        faults = {name: found["faults"] for name, found in read(language).items() if found["faults"]}
    assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)


@pytest.mark.process
def test_a_narrower_phone_shows_the_same_smaller(browser: Browser) -> None:
    """320 x 568: everything is there, the tools of the set-up as well, with no scrolling but what scrolls on a wider one."""
    with gallery(browser, {"width": 320, "height": 568}) as narrow:
        assert narrow.evaluate("() => [innerWidth, innerHeight]") == [360, 639]
        hand_over(narrow)
        for large in (False, True):
            faults = narrow.evaluate(_MEASURE_ALL, {"language": "de", "large": large})
            assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)


@pytest.mark.process
def test_a_phone_on_its_side_shows_the_same_beside_the_board(browser: Browser) -> None:
    """640 x 320, in the languages with the longest words: nothing is cut off, no answer lies out of sight, no button fills the panel."""
    with gallery(browser, {"width": 640, "height": 320}) as side:
        assert side.evaluate("() => [innerWidth, innerHeight]") == [640, 320]
        hand_over(side)
        for language, large in product(("de", "fr"), (False, True)):
            faults = side.evaluate(_MEASURE_ALL, {"language": language, "large": large})
            assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)
        find(side, "won").show(side, "de")
        consent = side.locator(".panel button:visible").bounding_box()
        assert consent is not None
        assert consent["height"] < 70
        rules_are_a_tap_away(side)


def rules_are_a_tap_away(page: Page) -> None:
    """From every kind of screen of the table, also while an answer is waited for."""
    for name in ("lobby", "setting-up", "set-up-picked", "my-move", "attacked", "clocks", "won"):
        find(page, name).show(page, "en")
        page.get_by_role("button", name="Rules in brief").tap()
        assert page.locator(".sheet .brief").count() == 1, name


@pytest.mark.process
def test_the_rules_are_a_tap_away(page: Page) -> None:
    """On a phone that stands; on its side, see above."""
    rules_are_a_tap_away(page)


@pytest.mark.process
def test_the_measure_finds_what_does_not_fit(page: Page) -> None:
    """A text that is made too long, a button that is made too small, a word that is missing and one that is broken are all seen."""
    find(page, "digits").show(page, "en")
    assert page.evaluate(MEASURE) == []
    page.evaluate("() => { document.querySelector('.digits').textContent = '482 913 482 913 482 913'; }")
    assert any("digits" in fault for fault in page.evaluate(MEASURE))
    page.evaluate("() => { document.querySelector('.digits').textContent = '[page.nothing]'; }")
    assert "no word for [page.nothing]" in page.evaluate(MEASURE)
    page.evaluate(
        "() => { document.querySelector('.quiet').style.cssText = 'min-height: 20px; height: 20px; padding: 0'; }"
    )
    assert any("too small" in fault for fault in page.evaluate(MEASURE))
    page.evaluate(
        "() => { const one = document.querySelector('.quiet');"
        " one.style.cssText = 'width: 60px; overflow-wrap: anywhere'; one.textContent = 'Gespeichert'; }"
    )
    assert "a broken word: Gespeichert" in page.evaluate(MEASURE)


def find(page: Page, name: str) -> Screen:
    """Return a screen by its name."""
    return next(screen for screen in screens() if screen.name == name)


@pytest.mark.process
def test_everything_stands_out(page: Page) -> None:
    """WCAG 2.1 AA on every screen: 4.5 for text, 3 for large text and for the shape of each army wherever it lies."""
    faults = page.evaluate(_all(CONTRAST), {"language": "de", "large": False})
    assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)


@pytest.mark.process
def test_what_only_a_tall_phone_shows_fits_and_stands_out(browser: Browser) -> None:
    """390 x 844: players, what was captured and the last moves stand beside the board, each army's shape among them."""
    with gallery(browser, {"width": 390, "height": 844}) as tall:
        for name in ("named", "four-blue", "four-yellow"):
            find(tall, name).show(tall, "de")
            assert tall.locator(".clocks .shape").first.is_visible()
            assert tall.locator(".trays").is_visible()
            assert [*tall.evaluate(MEASURE), *tall.evaluate(CONTRAST)] == [], name


@pytest.mark.process
def test_the_contrast_is_measured(page: Page) -> None:
    """Grey letters, a thin ground, a pale placeholder and a piece without an outline are all seen."""
    find(page, "four-yellow").show(page, "en")
    assert page.evaluate(CONTRAST) == []
    spoilt = ".headline p, input::placeholder { color: #6d7a87 } .on-board .body { stroke: none } .ply { opacity: 0.5 }"
    page.evaluate(
        "(css) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css); document.adoptedStyleSheets = [sheet]; }",
        spoilt,
    )
    found = " ".join(page.evaluate(CONTRAST))
    assert all(what in found for what in ('" in p.', "g.on-board yellow", '"Move')), found
    find(page, "join").show(page, "en")
    found = page.evaluate(CONTRAST)
    page.evaluate("() => { document.adoptedStyleSheets = []; }")
    assert found == ["the placeholder of input.: 3.48, not 4.5"]


@pytest.mark.process
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_screen_reader_hears_sentences(language: str, read: Read) -> None:
    """What is spoken when a screen changes ends each sentence once."""
    heard = {name: found["spoken"] for name, found in read(language).items()}
    doubled = {name: text for name, text in heard.items() if re.search(r"[.!?:…]\s*\.|[^.!?:…]$", text or ".")}
    assert doubled == {}
    assert any("!" in text for text in heard.values())


def test_nothing_is_selected_by_a_long_touch_on_an_iphone() -> None:
    """Safari knows `user-select` by its old name only: each stands beside the other."""
    for path in (Path(referee.__file__).parent / "web").rglob("*.css"):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        for at, line in enumerate(lines):
            if line.startswith("user-select"):
                assert lines[at - 1] == f"-webkit-{line}", f"{path.name}:{at + 1}"


@pytest.mark.process
@pytest.mark.parametrize("language", LANGUAGES)
def test_both_of_a_team_win(language: str, page: Page) -> None:
    """Whose partner made the win reads that he won with him; who lost reads both names."""
    said = words(language)
    find(page, "won-together").show(page, language)
    assert page.inner_text("h1") == said.say("page.you-win-with", seats=said.seat(Seat.GREEN))
    find(page, "lost-together").show(page, language)
    assert page.inner_text("h1") == said.wins((Seat.RED, Seat.GREEN))
    find(page, "won").show(page, language)
    assert page.inner_text("h1") == said["page.you-win"]
    find(page, "lost").show(page, language)
    assert page.inner_text("h1") == said.wins((Seat.RED,))


def test_the_documents_show_every_screen() -> None:
    """Each screen of the gallery stands on one sheet, each sheet's picture is there, and the page is what the program writes."""
    shown = [name for sheet in SHEETS for name in sheet.screens]
    assert sorted(shown) == sorted(screen.name for screen in screens())
    assert all((DOCS / "pictures" / sheet.file).is_file() for sheet in SHEETS)
    assert PAGE.read_text(encoding="utf-8") == page_text()


@pytest.mark.process
@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_ready_with_a_piece_outside_the_zone(language: str, page: Page) -> None:
    """It is not counted, its square is named, the ground outside the zones lies under a veil, and the button cannot be tapped."""
    said = words(language)
    find(page, "outside-zone").show(page, language)
    text = page.evaluate("() => document.querySelector('#page').textContent")
    assert said.say("ask.outside-zone", seat=said.seat(Seat.BLUE), squares="e6") in text
    assert said.say("handset.pieces-first", number=9, all=10) in text
    assert page.locator("button.primary:disabled").count() == 1
    assert page.locator(".board .outside").count() == 12


@pytest.mark.process
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lobby_says_who_is_missing_and_how_it_begins(language: str, page: Page) -> None:
    """While a seat is free it is waited for; once everybody is there nobody is, and the game begins at the table's screen."""
    said = words(language)
    find(page, "lobby").show(page, language)
    assert page.inner_text(".headline h1") == said.say("turn.waiting-for", seat=said.seat(Seat.BLUE))
    find(page, "all-here").show(page, language)
    assert page.inner_text(".headline h1") == said["kiosk.all-here"]
    assert page.inner_text(".headline p") == said.say("page.start-there", start=said["kiosk.start"])


@pytest.mark.process
def test_a_piece_that_lacks_once_everybody_is_ready_is_said(page: Page) -> None:
    """Else both phones would wait for each other."""
    screen = find(page, "outside-zone")
    view = next(happening["value"] for happening in screen.happenings if happening["type"] == "view")
    pieces = {square: seat for square, seat in view["occupants"].items() if square != "e6"}
    ready = {"type": "view", "value": {**view, "occupants": pieces, "waiting_for": []}}
    replace(screen, happenings=(*screen.happenings, ready)).show(page, "en")
    text = page.evaluate("() => document.querySelector('#page').textContent")
    assert "Blue: 9 pieces in the zone, the army has 10" in text


@pytest.mark.process
@pytest.mark.parametrize("language", LANGUAGES)
def test_who_waits_hears_of_a_lost_phone_and_of_another_game(language: str, page: Page) -> None:
    """In the game while that seat is waited for, and after the end, where it may have said that it wants another."""
    said, blue = words(language), {"seat": words(language).seat(Seat.BLUE)}
    find(page, "phone-lost").show(page, language)
    assert said.say("page.phone-lost", **blue) in page.inner_text(".headline p")
    find(page, "my-move").show(page, language)
    assert said.say("page.phone-lost", **blue) not in page.inner_text(".headline p")
    find(page, "again-wanted").show(page, language)
    lines = page.inner_text(".headline p").splitlines()
    assert lines == [said["end.agreed"], said.say("table.rematch", **blue), said.say("page.phone-lost", **blue)]


@pytest.mark.process
def test_what_is_taken_back_is_named_to_both(page: Page) -> None:
    """Who asks and who is asked read the same moves, with number and army: the own last one, and what was answered to it."""
    moves = "move 136 (Blue), move 137 (Red)"
    find(page, "sure-offer-take-back").show(page, "en")
    assert page.inner_text(".sheet .lead") == f"If your opponent agrees, this is undone: {moves}."
    find(page, "asked-take-back").show(page, "en")
    assert page.inner_text(".headline h1") == f"Blue wants to undo {moves}. OK?"


HEADLINES = [
    ("verdict-won", "Put your Captain on b7", "Put your piece on b7"),
    ("verdict-lost", "Put Red\u2019s piece on b7", "Put Red\u2019s piece on b7"),
    ("verdict-held", "Put your Lieutenant on b7", "Put your piece on b7"),
    ("verdict-to-take", "Take the captured piece off b6", "Take the captured piece off b6"),
    ("verdict-both", "Take both pieces off: b6, b7", "Take both pieces off: b6, b7"),
]


@pytest.mark.process
@pytest.mark.parametrize(("name", "seen", "spoken"), HEADLINES)
def test_after_a_verdict_it_says_what_hands_do(name: str, seen: str, spoken: str, page: Page) -> None:
    """Its owner reads which piece it is; nobody else does, nobody hears it, and it is not said while ranks are hidden."""
    find(page, name).show(page, "en")
    assert page.inner_text(HEADLINE) == seen
    assert spoken in page.locator(".spoken").inner_text()
    page.locator(".bar button").first.tap()
    assert page.inner_text(".headline h1") == spoken


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("asked-draw", "Blue offers a draw."),
        ("asked-claim", "Blue says: I can’t move. Is that right?"),
        ("asked-abort", "Blue wants to stop without a result. OK?"),
        ("asked-void", "Blue wants to redo the last attack. OK?"),
    ],
)
def test_an_offer_says_whose_it_is(name: str, asked: str, page: Page) -> None:
    """Whoever has to agree reads who asks."""
    find(page, name).show(page, "en")
    assert page.inner_text(".headline h1") == asked


@pytest.mark.process
def test_hidden_means_hidden(page: Page) -> None:
    """With the cover on, no rank can be read anywhere but of captured pieces: not on the board, by a screen reader, among the answers.

    Nor anything of a set-up that is entered.
    """
    for name in ("covered", "asked-covered", "set-up-hidden"):
        find(page, name).show(page, "en")
        page.evaluate("() => document.querySelector('.trays')?.remove()")
        read = page.evaluate("() => document.querySelector('#page').textContent")
        assert not any(rank in read for rank in ("Marshal", "Miner", "Scout", "Bomb", "Spy", "General")), name
        assert page.locator(".on-board .number, .enrol .piece").count() == 0
        assert page.locator(".choice").count() == 0


@pytest.mark.process
def test_it_says_what_it_saw_and_then_what_to_put_right(page: Page) -> None:
    """What the sensors showed in one sentence, then what belongs on each square."""
    find(page, "restoring").show(page, "en")
    said = page.locator(".headline").inner_text().splitlines()
    assert [line for line in said if line] == [
        "Something knocked the board. Put every piece back.",
        "I see: c3, d4, b7 empty; Red’s piece on e7.",
        "c3: Red belongs here · d4: Red belongs here · b7: Blue belongs here · e7: must be empty",
    ]


@pytest.mark.process
def test_each_seat_sits_at_the_bottom(page: Page) -> None:
    """The own army is at the lower edge of the board, whoever looks."""
    for seat in ("red", "blue", "green", "yellow"):
        find(page, f"four-{seat}").show(page, "en")
        middle = page.locator("svg.board").bounding_box()
        assert middle is not None
        tops = [box["y"] for box in (piece.bounding_box() for piece in page.locator(f".on-board.{seat}").all()) if box]
        assert sum(tops) / len(tops) > middle["y"] + middle["height"] / 2, seat


@pytest.mark.process
def test_the_last_moves_follow_what_was_seen(page: Page) -> None:
    """Moves and attacks by number, the last one first; what was taken back goes, and a view that came twice is one move."""
    screen = find(page, "game")
    screen.show(page, "en")
    lines = [line.replace("\n", " ") for line in page.locator(".sheet .moves li").all_inner_texts()]
    assert lines == [
        "137 Red e4 \u2013 e5",
        "136 Blue i7 \u00d7 i4 Both pieces are lost",
        "135 Red d4 \u00d7 d6 The defender wins",
        "134 Blue f7 \u2013 f6",
        "133 Red a3 \u2013 a4",
    ]
    view = screen.happenings[-2]["value"]
    back = {"type": "view", "value": {**view, "ply": 134, "last_move": None, "seq": view["seq"] + 1}}
    replace(screen, happenings=(*screen.happenings, back, back)).show(page, "en")
    numbers = page.locator(".sheet .moves b").all_inner_texts()
    assert numbers == ["134", "133"]


@pytest.mark.process
def test_players_are_named(page: Page) -> None:
    """Who plays, what he has lost and what time he has left can be read, and heard."""
    find(page, "named").show(page, "en")
    heard = [page.locator(".clock").nth(at).get_attribute("aria-label") for at in range(2)]
    assert heard == ["Bo lost 10: 0:24", "Wilhelmina van den Berg lost 9: 1:02:03"]


@pytest.mark.process
def test_an_iphone_zooms_into_no_field(page: Page, read: Read) -> None:
    """Safari does that where letters are smaller than 16 px; the one field that has smaller ones has a rule for it alone."""
    small = {name for name, found in read("de").items() if min(found["letters"], default=16) < 16}
    assert small == {"set-up-text", "set-up-text-faults"}
    rules = "[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])"
    for_safari = page.evaluate(f"{rules}.find((rule) => rule.conditionText?.includes('-webkit-touch-callout')).cssText")
    assert "font-size: 16px" in for_safari


@pytest.mark.process
@pytest.mark.parametrize("name", rule_set_names())
def test_the_rules_in_short_are_those_that_are_played(name: str, page: Page) -> None:
    """Made from the values of the rule set: who never moves and who runs, the order, what it does not say, the limits."""
    rules, said = rule_set(name), words("en")
    replace(find(page, "rules"), rules=name).show(page, "en")
    lines = page.locator(".brief li").all_inner_texts()
    assert said.say("rules.two-square-limit", number=rules.two_square_limit) in lines
    for gait in ("none", "run", "run-and-turn", "two-steps", "gun"):
        ranks = ", ".join(said.rank(rank) for rank in rules.army if rules.gait(rank).value == gait)
        assert (said.say(f"brief.gait-{gait}", ranks=ranks) in lines) == (ranks != ""), gait
    assert ("Miner against Bomb: The attacker wins" in lines) == ({Rank.MINER, Rank.BOMB} <= set(rules.army))
    equal = rules.combat(Rank.SPY, Rank.SPY) is CombatResult.BOTH_LOST
    assert any(line.startswith("Spy against Spy") for line in lines) == (not equal)
    assert any(line.startswith("Infiltrator:") for line in lines) == (Rank.INFILTRATOR in rules.army)
