"""Every page of the hall in six languages, in a real browser: nothing is left in English, nothing is cut off, nothing lies over another."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

import referee
from referee.journal.events import EVENTS
from referee.net.topics.payloads import AlertKind
from referee.rules import EndReason
from referee.table.arbiter_commands import STALE
from referee.table.views import GameEnd, Health
from referee.tournament.event.acts import BY_NAME
from referee.tournament.event.event import ByeKind, ReasonWord, Result, System, TieBreak
from referee.tournament.hall.rounds import result_of
from referee.web.files import station_files
from referee.words import LANGUAGES, words
from tests.door.thread_door import body_of
from tests.hall.shown_hall import BESIDES, EVENT_NAME, JUNIORS, NAMES, VIEWS, ShownHall, event, shown
from tests.patience import PATIENCE_MS
from tests.web.axe import axe_faults

_MEASURE = Path(__file__).with_name("measure.js").read_text(encoding="utf-8").split("\n", 1)[1]
_CONTRAST = (Path(__file__).parents[1] / "web" / "contrast.js").read_text(encoding="utf-8").split("\n", 1)[1]
_PLAIN = (JUNIORS, EVENT_NAME, "Hallmarshal", "TRF", "CSV", "Ann", "NED", *NAMES, *VIEWS, *BESIDES)
"""What is the same in every language: names of people, boards, files and of the program."""
PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
LAPTOP, PHONE, NARROW, WALL = (1280, 900), (360, 740), (320, 640), (1600, 900)


@dataclass(frozen=True, slots=True)
class Shown:
    """One page in one state: its address, what is there first, the windows it has to fit, and what is touched to come there."""

    path: str
    first: str
    windows: tuple[tuple[int, int], ...]
    touched: Callable[[Page, ShownHall], None] = lambda page, hall: None


def _press(page: Page, order: str) -> None:
    """Open an order by its place among the buttons, whatever it is called."""
    names = [
        "pause",
        "resume",
        "set-clock",
        "set-hall-clock",
        "take-back",
        "void-verdict",
        "ruling",
        "penalty",
        "pair",
        "begin",
        "adjourn",
    ]
    button = page.locator(".verbs button").nth([*names, "end-game"].index(order))
    button.click()
    expect(page.locator("form.order h3")).to_have_text(button.inner_text())


def _refused(page: Page, hall: ShownHall) -> None:
    hall.refuses = "stale"
    _press(page, "ruling")
    page.locator("input.reason").fill("12")
    page.locator("form.order button.main").click()
    expect(page.locator(".answer.no")).to_be_visible()
    hall.refuses = ""
    page.locator("svg.board rect.space").first.click()
    expect(page.locator("table.sheet")).to_be_visible()


def test_every_word_that_a_page_names_is_served_to_it() -> None:
    """What the scripts ask for by its whole key is among the words that they are given, in every language."""
    scripts = sorted(Path(referee.__file__).parent.glob("web/station/*.js"))
    named = {
        key
        for path in scripts
        for key in re.findall(r'\bt\(\s*"([a-z-]+\.[a-z.-]+)"', path.read_text(encoding="utf-8"))
    }
    assert {"text.labelled", "hall.title"} <= named
    for language, kept in json.loads(body_of(station_files()["/words.json"])).items():
        assert named - set(kept) == set(), language


def test_what_the_page_calls_a_draw_is_one_in_the_event() -> None:
    """The reasons without a winner that count as a draw are the same on the page and in the standings."""
    text = (Path(referee.__file__).parent / "web/station/cards.js").read_text(encoding="utf-8")
    (found,) = re.findall(r"^const DRAWN = (\[.*\]);$", text, re.MULTILINE)
    drawn = {reason.value for reason in EndReason if result_of(GameEnd(None, reason.value)) is Result.DRAW}
    assert set(json.loads(found)) == drawn


def _with_times(page: Page, hall: ShownHall) -> None:
    page.locator(".panel .bar button").click()
    expect(page.locator(".history tr").first.locator("td")).to_have_count(6)
    _press(page, "end-game")


def _whole_event(page: Page, hall: ShownHall) -> None:
    """Open all that is folded, and a correction that is refused, then another one."""
    if page.locator("form.asked").count():  # it stays open in another language, and speaks it
        spoken = words(str(page.evaluate("document.documentElement.lang")))["hall.correct-result"]
        expect(page.locator("form.asked strong")).to_have_text(re.compile(f"^{spoken.split('{')[0]}"))
        return
    page.locator("details").evaluate_all("(all) => all.forEach((each) => (each.open = true))")
    expect(page.get_by_text("12)").first).to_be_visible()
    _correct(page)
    hall.refuses = "stale"
    page.locator("form.asked input").fill("12")
    page.locator("form.asked button.main").click()
    expect(page.locator(".answer.no li")).to_have_count(3)
    hall.refuses = ""
    _correct(page)


def _unfolded(page: Page, hall: ShownHall) -> None:
    page.locator("details").evaluate_all("(all) => all.forEach((each) => (each.open = true))")
    expect(page.get_by_text("12)").first).to_be_visible()


def _correct(page: Page) -> None:
    chosen = page.locator("tr").filter(has=page.locator(".who")).locator("select:enabled").nth(0)
    chosen.select_option("red")
    expect(page.locator("form.asked")).to_be_visible()
    chosen.blur()


def _office(page: Page, hall: ShownHall) -> None:
    """Have passes made, with the form of a new event open."""
    if page.locator(".pass").count():
        return
    page.locator("summary").click()
    page.locator("form:has(input.short) button").click()
    expect(page.locator(".pass")).to_have_count(2)


def _plain(page: Page, hall: ShownHall) -> None:
    expect(page.locator("code")).to_be_visible()


PAGES: Mapping[str, Shown] = {
    "tables": Shown("/", "button.table", (LAPTOP, PHONE)),
    "table": Shown("/#table/called", "svg.board", (LAPTOP, PHONE), _refused),
    "table-times": Shown("/#table/illegal-move", "svg.board", (LAPTOP, PHONE), _with_times),
    "event": Shown("/#event", "#standings", (LAPTOP, PHONE, NARROW), _whole_event),
    "event-teams": Shown("/#event/juniors", "#teams", (LAPTOP, PHONE, NARROW), _unfolded),
    "office": Shown("/#office", "summary", (LAPTOP, PHONE, NARROW), _office),
    "office-plain": Shown("/#office", "code", (LAPTOP, PHONE), _plain),
    "screen": Shown("/screen", "article.table", (WALL, LAPTOP)),
    "live": Shown("/live", ".game .board", (LAPTOP, PHONE)),
    "seats": Shown("/public/cup/", ".language select", (LAPTOP, PHONE)),
    "round": Shown("/public/cup/round-1.html", ".language select", (LAPTOP, PHONE)),
    "cross": Shown("/public/cup/cross.html", ".language select", (LAPTOP, PHONE)),
    "card": Shown("/public/cup/player-7.html", ".language select", (LAPTOP, PHONE)),
    "slips": Shown("/prints/cup/slips.html", ".language select", (LAPTOP, PHONE)),
    "login": Shown("/", "form.login", (LAPTOP, PHONE)),
    "first-chief": Shown("/", "form.login", (LAPTOP, PHONE, NARROW)),
}


@pytest.fixture(scope="module")
def made(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ShownHall, str]]:
    """Yield a made-up hall with its pages."""
    with shown(tmp_path_factory.mktemp("shown")) as found:
        yield found


@contextmanager
def _opened(browser: Browser, made: tuple[ShownHall, str], what: str, marked: bool = False) -> Iterator[Page]:
    """Yield a page; with `marked` each of its words stands between marks."""
    web = made[1]
    context = browser.new_context(viewport={"width": LAPTOP[0], "height": LAPTOP[1]}, locale="de-DE")
    context.set_default_timeout(PATIENCE_MS)
    made[0].secure = what != "office-plain"
    made[0].first_chief.is_awaited = what == "first-chief"
    if what not in ("login", "first-chief"):
        context.add_cookies([{"name": "hallmarshal", "value": "secret", "url": web}])
    if marked:
        context.route("**/words.json", _mark)
    page = context.new_page()
    page.goto(web + PAGES[what].path)
    expect(page.locator(PAGES[what].first).first).to_be_visible()
    yield page
    context.close()


def _mark(route: Route) -> None:
    said = route.fetch().json()
    route.fulfill(json={one: {key: f"⟦{text}⟧" for key, text in kept.items()} for one, kept in said.items()})


@pytest.mark.process
@pytest.mark.parametrize("what", PAGES)
def test_no_text_is_left_untranslated(what: str, browser: Browser, made: tuple[ShownHall, str]) -> None:
    """Each word that a page shows or reads aloud comes from the word files: what does not is a name, a square or a figure."""
    with _opened(browser, made, what, marked=True) as page:
        PAGES[what].touched(page, made[0])
        assert page.locator("main").inner_text().count("⟦") > 2
        found = page.evaluate(_MEASURE, _PLAIN)
    assert [fault for fault in found if fault.startswith(("no word", "not translated"))] == []


@pytest.mark.process
@pytest.mark.parametrize("what", PAGES)
def test_everything_fits_in_every_language(what: str, browser: Browser, made: tuple[ShownHall, str]) -> None:
    """On an arbiter's laptop and phone, on the room's screen, with every alert, reason and kind of event there is."""
    faults = {}
    with _opened(browser, made, what) as page:
        for language in LANGUAGES:
            page.locator("select:has([lang])").select_option(language)
            PAGES[what].touched(page, made[0])
            for width, height in PAGES[what].windows:
                page.set_viewport_size({"width": width, "height": height})
                if "HALL_PICTURES" in os.environ and (what, language, width) == ("screen", "nl", WALL[0]):
                    page.screenshot(path=PICTURES / "hall-alerts.png")
                if "HALL_SHEETS" in os.environ:
                    page.screenshot(path=f"{os.environ['HALL_SHEETS']}/{what}-{language}-{width}.png", full_page=True)
                if found := page.evaluate(_MEASURE, _PLAIN):
                    faults[f"{language} {width}"] = found
            page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
    assert faults == {}, json.dumps(faults, indent=1, ensure_ascii=False)


@pytest.mark.process
@pytest.mark.parametrize("what", PAGES)
def test_everything_stands_out(what: str, browser: Browser, made: tuple[ShownHall, str]) -> None:
    """WCAG 2.1 AA: 4.5 for text, 3 for large text and for the shapes of the armies."""
    with _opened(browser, made, what) as page:
        PAGES[what].touched(page, made[0])
        assert page.evaluate(_CONTRAST) == []


@pytest.mark.process
@pytest.mark.parametrize("what", ["live", "cross", "card"])
def test_pages_for_the_public_stand_out_in_the_dark(what: str, browser: Browser, made: tuple[ShownHall, str]) -> None:
    """The same where the reader's system is dark."""
    with _opened(browser, made, what) as page:
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(_CONTRAST) == []


@pytest.mark.process
@pytest.mark.parametrize("what", PAGES)
def test_axe_finds_nothing(what: str, browser: Browser, made: tuple[ShownHall, str]) -> None:
    """By all of its rules, in each window."""
    with _opened(browser, made, what) as page:
        assert axe_faults(page) == []
        PAGES[what].touched(page, made[0])
        for width, height in PAGES[what].windows:
            page.set_viewport_size({"width": width, "height": height})
            assert axe_faults(page, contrast=False) == []  # which `test_everything_stands_out` measures


@pytest.mark.process
def test_the_switch_changes_what_is_open(browser: Browser, made: tuple[ShownHall, str]) -> None:
    """A page that is open speaks the other language at once and keeps what was typed; so does the page that is opened next."""
    with _opened(browser, made, "table") as page:
        _press(page, "ruling")
        expect(page.locator("input.reason")).to_be_focused()
        page.locator("input.reason").fill("Half a sent")
        for language in ("en", "da"):
            page.locator("select:has([lang])").select_option(language)
            expect(page.locator("form.order h3")).to_have_text(words(language)["hall.order-ruling"])
            expect(page.locator("input.reason")).to_have_value("Half a sent")
            for key in ("hall.orders", "hall.square-any", "hall.happened"):
                expect(page.get_by_role("heading", name=words(language)[key])).to_be_visible()
            expect(page.get_by_text(words(language)["alert.called"])).to_be_visible()
            assert page.evaluate("document.documentElement.lang") == language
        page.goto(f"{made[1]}/live")
        expect(page.get_by_role("heading", name=words("da")["hall.live-title"])).to_be_visible()


@pytest.mark.process
def test_every_alert_is_shown_and_the_most_urgent_first(browser: Browser, made: tuple[ShownHall, str]) -> None:
    """Made from views as tables publish them: each has its words, the order is that of need, and a calm table comes last."""
    with _opened(browser, made, "tables") as page:
        page.locator("select:has([lang])").select_option("en")
        expect(page.locator("button.table")).to_have_count(len(VIEWS) + len(BESIDES))
        boards = page.locator("button.table").evaluate_all("(all) => all.map((each) => each.dataset.board)")
        for kind in (*(kind.value for kind in AlertKind), "cut", "result-noted", "other-game"):
            expect(page.locator(f"button.table[data-board={kind}] li").first).to_contain_text(
                words("en")[f"alert.{kind}"]
            )
    awake = ["called", "illegal-move", "claim", "time-over", "disturbed", "board-lost"]
    urgent = [*awake, "away", "empty", "cut", "no-answer", "result-noted", "other-game", "thrown-off"]
    watched = ["link-lost", "board-health", "repetition", "time", "paused"]
    assert boards == [*urgent, *watched, "finished", "none"]


def test_every_stable_word_of_the_hall_has_its_sentence() -> None:
    """Refusals by the sources, everything else by its enumeration."""
    root = Path(referee.__file__).parent
    found = set()
    for path in (
        *root.glob("tournament/**/*.py"),
        *root.glob("net/**/*.py"),
        *root.glob("table/**/*.py"),
        *root.glob("runtime/*.py"),
    ):
        if path.name == "pages.py":  # its words are for browsers that ask for what nobody shows them
            continue
        text = re.sub(r"\bSTALE\b", f'"{STALE}"', path.read_text())
        found |= set(re.findall(r'(?:Refused|Correction)Error\(\s*"([a-z-]+)"', text))
        found |= set(re.findall(r'AccountError\(.*, "([a-z-]+)"\)', text))
        found |= set(re.findall(r'_ack\([\w".]*, (?:DONE if .* else )?"([a-z-]+)"', text))
        for raised in re.findall(r"(?:Act|DoubleResult)Error\((.*?)\n", text.replace("\n            ", " ")):
            found |= set(re.findall(r'", "([a-z-]+)"', raised))
    assert {"stale", "not-signed", "no-such-ply", "namesake", "cut", "double-result"} <= found
    unseen = {"replayed", "other-board"}  # the station has seen to it
    unseen |= {
        "not-found",
        "not-from-here",
        "log-in",
        "too-long",
    }  # what no page of ours asks, or is answered by logging in
    keys = {f"hall.no-{re.sub('^(no-such-|not-|no-)', '', word)}" for word in found - unseen}
    keys |= {f"alert.{kind.value}" for kind in AlertKind} | {f"health.{health.value}" for health in Health}
    keys |= {f"hall.bye-{kind.value}" for kind in ByeKind} | {f"hall.tie-{kind.value}" for kind in TieBreak}
    keys |= {f"hall.log-{word}" for word in BY_NAME}
    keys |= {f"hall.why-{word.value}" for word in ReasonWord} | {f"hall.system-{system.value}" for system in System}
    keys |= {
        f"hall.told-{kind.replace('.', '-')}"
        for kind in EVENTS
        if kind not in ("declared", "accepted", "reopened", "journal.salvaged")
    }
    assert keys - set(words("en")) == set()


def test_the_pages_of_the_test_show_everything() -> None:
    """Each alert that a view makes has its table, each reason of a pairing its line."""
    assert set(VIEWS) - {"none", "finished"} == {kind.value for kind in AlertKind}
    draft = event().draft
    assert draft is not None
    shown_for = [*(one.reasons for one in draft.pairings), *(one.reasons for one in draft.byes)]
    reasons = [reason.word for given in shown_for for reason in given]
    assert set(reasons) == set(ReasonWord)
