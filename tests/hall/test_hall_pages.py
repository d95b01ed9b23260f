"""The hall's pages in a real browser, tapped as arbiters do; `HALL_PICTURES=1` writes the pictures of the documents anew."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from referee.rules.values import Seat
from referee.words import words
from tests.hall.open_hall import PASSWORD, SLOW, Client, OpenHall, paused
from tests.patience import PATIENCE_MS

pytestmark = pytest.mark.process

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall of three tables, two of them in a published round."""
    with OpenHall(tmp_path_factory.mktemp("hall"), ("t1", "t2", "t3"), players=4, starts_games=True) as made:
        yield made


class Tab:
    """A browser's page; every fault that it reports is kept."""

    def __init__(self, browser: Browser, width: int = 1280, height: int = 900, language: str = "en-GB") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, locale=language)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def log_in(self, hall: OpenHall, name: str) -> Page:
        """Open the arbiters' page and log in."""
        self.page.goto(hall.web)
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        expect(self.page.locator("button.table")).to_have_count(len(hall.boards))
        return self.page


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    """Yield a tab; afterwards it must have reported no fault."""
    made = Tab(browser)
    yield made
    made.context.close()
    assert made.faults == []


def shot(page: Page, name: str) -> None:
    """Take a picture for the documents where that is wanted."""
    if os.environ.get("HALL_PICTURES"):
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=PICTURES / f"{name}.png")


def test_an_arbiter_pairs_publishes_and_rules(hall: OpenHall, tab: Tab) -> None:
    """From the login over the button that publishes to an order and its answer, all by clicks."""
    page = tab.log_in(hall, "Chief")
    page.get_by_role("tab", name="Event").click()
    page.get_by_role("button", name="Pair the next round").click()
    expect(page.get_by_text("only arbiters see it")).to_be_visible()
    page.get_by_role("button", name="Publish the pairings").click()
    expect(page.get_by_role("heading", name="Round 1", exact=True)).to_be_visible()
    expect(page.locator("#standings tbody tr")).to_have_count(4)
    page.get_by_text("Players", exact=True).click()
    page.get_by_label("Name of a new player").fill("Late Larsen")
    page.get_by_label("Federation").fill("den")
    page.get_by_role("button", name="Add a player").click()
    expect(page.locator("#standings tbody tr")).to_have_count(5)
    late = page.locator("details tr", has_text="Late Larsen")
    expect(late).to_contain_text("DEN")
    bye = page.get_by_label("Plays next round: Late Larsen")
    with page.expect_response("**/api/event/bye"):
        bye.select_option("half")
    expect(bye).to_have_value("half")
    bye.blur()
    with page.expect_response("**/api/event/bye"):
        bye.select_option("")
    expect(bye).to_have_value("")
    assert all(one["bye"] is None for one in Client(hall).log_in("Chief").ask("GET", "/api/event")[1]["players"])
    late.get_by_role("button", name="Withdraw").click()
    page.get_by_label("Reason (if you like)").fill("Went home")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#standings tr", has_text="Late Larsen")).to_contain_text("withdrawn")
    expect(page.locator(".answer.done")).to_have_text("Done: Late Larsen withdrawn")
    page.get_by_text("Players", exact=True).click()
    page.get_by_text("What was done, and by whom").click()
    expect(page.locator("td.said").first).to_have_text("Chief: Late Larsen withdrawn (Went home)")
    page.get_by_role("button", name="Undo: Chief: Late Larsen withdrawn").first.click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("What was done, and by whom").click()
    shot(page, "hall-event")
    _orders_by_clicks(hall, page)
    page.get_by_role("tab", name="Event").click()
    _byes_of_a_later_round(hall, page)
    _along_the_tabs(page)


def _byes_of_a_later_round(hall: OpenHall, page: Page) -> None:
    """Noted for the third round while the second is not paired, and taken away again."""
    page.get_by_text("Byes", exact=True).click()
    page.get_by_label("Who has the bye").select_option("2")
    page.get_by_label("Round of the bye").select_option("Round 3")
    page.get_by_label("What it counts").select_option("full")
    page.locator("form", has=page.get_by_label("What it counts")).get_by_role("button", name="Add").click()
    page.get_by_role("button", name=re.compile("Remove: round 3, .*: Full-point bye")).click()
    expect(page.get_by_role("button", name=re.compile("Remove: round 3"))).to_have_count(0)
    log = Client(hall).log_in("Chief").ask("GET", "/api/event.log")[1]["log"]
    noted = [one["given"] for one in log if one["act"] == "bye"][-2:]
    assert noted == [{"number": 2, "round": 3, "kind": kind} for kind in ("full", None)]
    page.get_by_text("Byes", exact=True).click()


def _along_the_tabs(page: Page) -> None:
    """The arrow keys go round, Home and End to the ends; only Enter opens a tab, whose page it names."""
    event = page.get_by_role("tab", name="Event")
    event.focus()
    for key, name in (("ArrowRight", "Set up"), ("ArrowRight", "Tables"), ("ArrowLeft", "Set up"), ("Home", "Tables")):
        page.keyboard.press(key)
        expect(page.get_by_role("tab", name=name)).to_be_focused()
    expect(event).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tabpanel", name="Tables").locator("button.table").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tabpanel", name="Event").locator("#standings")).to_be_visible()


def _orders_by_clicks(hall: OpenHall, page: Page) -> None:
    """Pause a table, set its clock and the round's, and look at a square."""
    page.get_by_role("tab", name="Tables").click()
    page.locator("button.table[data-board=t1]").click()
    expect(page.locator("svg.board .piece").first).to_be_visible()
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_label("Reason").fill("Two players talk")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".answer.done")).to_have_text("Done: Pause")
    expect(page.locator("article.table .phase")).to_have_text("Paused")
    page.get_by_role("button", name="Set a clock").click()
    left_ms = hall.seen("t1", lambda now: now["phase"] == "paused")["clocks"]["red"]["left_ms"]
    expect(page.get_by_label("Minutes left")).to_have_value(
        str(left_ms // 60_000)
    )  # nothing is cut by what was filled in
    expect(page.get_by_label("Seconds left")).to_have_value(str(left_ms // 1000 % 60))
    page.get_by_label("Minutes left").fill("12")
    page.get_by_label("Seconds left").fill("0")
    page.get_by_label("Reason").fill("Disturbed by noise")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".answer.done")).to_have_text("Done: Set a clock")
    expect(page.locator(".clock").first).to_have_text("12:00")
    page.locator("svg.board rect.space").first.click()
    expect(page.get_by_text("Touched here")).to_be_visible()
    shot(page, "hall-table")
    page.get_by_role("button", name="Round time").click()
    page.get_by_label("Minutes left").fill("90")
    page.get_by_label("When time is up").select_option("draw")
    page.get_by_label("Reason").fill("They began late")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".answer.done")).to_have_text("Done: Round time")
    hall.seen("t1", lambda now: now["hall_clock"] is not None and now["hall_clock"]["left_ms"] > 80 * 60_000)


def test_a_result_ends_a_game_only_after_a_question_and_can_be_taken_away(tmp_path: Path, tab: Tab) -> None:
    """The chief is asked before a game that goes on is ended; an arbiter's result is taken away with the dash."""
    with OpenHall(tmp_path, ("t1",), players=2, starts_games=True, pace=SLOW) as hall:
        page = tab.log_in(hall, "Chief")
        page.get_by_role("tab", name="Event").click()
        page.get_by_role("button", name="Pair the next round").click()
        page.get_by_role("button", name="Publish the pairings").click()
        hall.seen("t1", lambda now: now["ply"] > 0)  # of which the page is told nothing that changes the event
        _chief_asked_before_a_game_is_ended(hall, page)


def _chief_asked_before_a_game_is_ended(hall: OpenHall, page: Page) -> None:
    asked: list[str] = []

    def decline(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", decline)
    noted = page.get_by_label("Result at table 1")
    with page.expect_event("dialog"):  # the page looks first whether the game has begun
        noted.select_option("both-lose")
    expect(noted).to_have_value("")
    assert "End the game with this result: Both players lose?" in asked[0]
    ann = Client(hall).log_in("Ann")
    _, body, _ = ann.ask("GET", "/api/event")
    wanted = {"revision": body["revision"], "round": 1, "table": 1, "result": "draw"}
    assert ann.ask("POST", "/api/event/result", wanted)[0] == 200
    noted.blur()
    expect(page.get_by_text("Table 1: Result noted, but the game is still on")).to_be_visible()
    expect(noted).to_have_value("draw")
    noted.select_option("")
    expect(page.get_by_label("Reason", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("form.asked")).to_have_count(0)
    expect(noted).to_have_value("draw")
    noted.select_option("")
    page.get_by_label("Reason", exact=True).fill("Wrong table")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status").filter(has_text="Done: round 1, table 1 corrected")).to_be_visible()
    expect(page.get_by_text("Result noted, but the game is still on")).to_have_count(0)
    expect(noted).to_have_value("")
    assert Client(hall).log_in("Ann").ask("GET", "/api/event")[1]["rounds"][-1]["tables"][0]["result"] is None


def test_a_slow_press_opens_a_table_though_tables_change_meanwhile(hall: OpenHall, tab: Tab) -> None:
    """Nothing is replaced under a finger, also where it takes the focus; what has changed is shown once it is lifted."""
    hall.playing("t2")
    page = tab.log_in(hall, "Chief")
    page.locator("button.table[data-board=t3]").focus()
    page.locator("button.table[data-board=t1]").hover()
    page.mouse.down()
    page.evaluate(
        """() => new Promise((done) => {
          const told = new EventSource("/api/hall");
          let left = 4;
          told.onmessage = () => { left -= 1; if (!left) { told.close(); done(); } };
        })"""
    )
    page.mouse.up()
    expect(page.locator(".verbs")).to_be_visible()


def test_a_form_that_was_opened_before_the_table_went_on_is_refused(hall: OpenHall, tab: Tab) -> None:
    """The order is about the moment that the arbiter saw, not about the one when he pressed the button."""
    paused(hall, Client(hall).log_in("Chief"), "t2")
    page = tab.log_in(hall, "Ann")
    page.locator("button.table[data-board=t2]").click()
    expect(page.locator("article.table .phase")).to_have_text("Paused")
    expect(page.get_by_text(re.compile("entry [0-9]+"))).to_be_visible()
    page.get_by_role("button", name="Penalty").click()
    page.get_by_label("Reason").fill("Touched a piece")
    assert Client(hall).log_in("Chief").order("t2", {"type": "ruling"})[1]["done"]
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".answer.no")).to_contain_text("the game moved on")
    expect(page.get_by_role("button", name="Result")).to_have_count(0)


def test_the_rooms_screen_shows_need_first_in_the_rooms_language(hall: OpenHall, browser: Browser) -> None:
    """A call for the arbiter comes to the top by itself; no square and no piece is shown; the key leaves the address."""
    assert hall.on is not None
    screen = Tab(browser, 1600, 900, "nl-NL")
    page = screen.page
    page.goto(f"{hall.web}/screen#screen-key")
    expect(page.locator("article.table")).to_have_count(3)
    assert "screen-key" not in page.url
    expect(page.get_by_role("heading", name="De toernooizaal")).to_be_visible()
    chief = Client(hall).log_in("Chief")
    hall.playing("t3")
    hall.on.call(lambda: hall.table("t3").call_arbiter(Seat.RED))
    expect(page.locator("article.table").first).to_have_attribute("data-board", "t3")
    expect(page.locator("article.table").first).to_contain_text("Arbiter geroepen: Rood")
    expect(page.locator("svg")).to_have_count(0)
    page.get_by_role("combobox").select_option("en")
    expect(page.locator("article.table").first).to_contain_text("Arbiter called: Red")
    shot(page, "hall-screen")
    assert chief.order("t3", {"type": "resume"})[1]["done"]
    expect(page.locator("article.table[data-board=t3] .urgent")).to_have_count(0)
    assert screen.faults == []
    screen.context.close()


def test_a_wrong_password_is_said_and_a_screen_without_its_key_shows_nothing(hall: OpenHall, tab: Tab) -> None:
    """One sentence each."""
    tab.page.goto(hall.web)
    tab.page.get_by_label("Name").fill("Ann")
    tab.page.get_by_label("Password").fill("not hers at all")
    tab.page.get_by_role("button", name="Log in").click()
    expect(tab.page.get_by_role("alert")).to_have_text("Wrong name or password.")
    tab.page.goto(f"{hall.web}/screen")
    expect(tab.page.get_by_text(words("en")["hall.screen-how"])).to_be_visible()
    tab.page.goto(f"{hall.web}/screen#screen-key")  # into the tab that is open already
    expect(tab.page.locator("article.table")).to_have_count(3)
