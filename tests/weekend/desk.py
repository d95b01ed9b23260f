"""An arbiter at the station's pages: every act is a click, a choice or a text in a browser of his own."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Dialog, Download, Locator, Page, Response, expect

from tests.patience import PATIENCE_MS, PATIENCE_S
from tests.weekend.programme import Part

Json = dict[str, Any]
LONG_MS = 30 * 60_000
"""A round lasts as long as the machine needs for it."""


class Desk:
    """One arbiter's browser. It asks the station itself for nothing but what it is to be held against."""

    def __init__(self, browser: Browser, web: str, name: str, password: str, code: str = "") -> None:
        """With a `code` he becomes the hall's first chief; else he has an account, and logs in."""
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 900}, locale="en-GB", ignore_https_errors=True, accept_downloads=True
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        self.faults: list[str] = []
        self.asked: list[str] = []
        """What the page asked before it did something that cannot be undone."""
        self.acts: Counter[str] = Counter()
        """What was done at the pages, by the station's word or the order's name."""
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", self._agree)
        self.page.goto(web)
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(password)
        if code:
            self.page.get_by_label("Code", exact=True).fill(code)
        self.page.get_by_role("button", name="Become chief arbiter" if code else "Log in").click()
        expect(self.page.get_by_role("tab", name="Event")).to_be_visible()

    def _agree(self, dialog: Dialog) -> None:
        self.asked.append(dialog.message)
        dialog.accept()

    def look(self, path: str) -> Json:
        """Return what the station tells this browser under a path, to hold it against something."""
        told: Json = self.page.evaluate("(path) => fetch(path).then((answer) => answer.json())", path)
        return told

    def event(self, name: str) -> Json:
        """Return an event as the page has it."""
        return self.look(f"/api/event/{name}")

    # ---- Set up

    def office(self) -> None:
        """Open the page *Set up*."""
        self.page.get_by_role("tab", name="Set up").click()
        expect(self.page.get_by_role("heading", name="Events")).to_be_visible()

    def add_account(self, name: str, password: str) -> None:
        """Make an account for a second arbiter."""
        self.page.get_by_label("Name of the new arbiter").fill(name)
        self.page.get_by_label("Password", exact=True).fill(password)
        self._sent("account", self.page.get_by_role("button", name="Add an arbiter"))

    def make_passes(self, count: int, folder: Path) -> list[Path]:
        """Let so many tables in, and save their passes."""
        self.page.get_by_label("Tables to add").fill(str(count))
        self._sent("tables", self.page.get_by_role("button", name="Create passes"))
        saved: list[Path] = []

        def save(told: Download) -> None:
            saved.append(folder / told.suggested_filename)
            told.save_as(saved[-1])

        self.page.on("download", save)
        self.page.get_by_role("button", name="Save all").click()
        deadline = time.monotonic() + PATIENCE_S
        while len(saved) < count and time.monotonic() < deadline:
            self.page.wait_for_timeout(100)
        assert len(saved) == count, f"{len(saved)} passes were saved"
        self.page.get_by_role("button", name="Put away").click()
        return saved

    def make_event(self, part: Part) -> None:
        """Make an event of a list of players."""
        self.office()
        form = self.page.locator("details", has=self.page.get_by_text("New event", exact=True))
        if form.get_attribute("open") is None:
            form.locator("summary").click()
        form.get_by_label("Name of the event").fill(part.name)
        form.get_by_label("System").select_option(part.system)
        form.get_by_label("Rounds").fill(str(part.rounds))
        form.get_by_label("Boards per team").fill(str(part.boards))
        form.get_by_label("Tables of this hall").fill(part.tables)
        for at in range(1, 6):
            form.get_by_role("combobox", name=str(at), exact=True).select_option((*part.tie_breaks, *[""] * 5)[at - 1])
        form.get_by_label("Players, one per line").fill("\n".join(("name,rating,federation,group,team", *part.players)))
        self._sent("event", form.get_by_role("button", name="Create the event"), "office")
        expect(self.page.get_by_role("status")).to_contain_text(part.name)

    def play(self, names: Iterable[str]) -> None:
        """Tick the events that are played, and no other."""
        self.office()
        wanted = set(names)
        listed = self.page.locator("label.tick", has=self.page.get_by_role("checkbox"))
        off: list[str] = []
        on: list[str] = []
        for tick in listed.all():
            box, name = tick.get_by_role("checkbox"), tick.inner_text().strip()
            if box.is_checked() != (name in wanted):
                (on if name in wanted else off).append(name)
        for name in (*off, *on):
            box = self.page.get_by_role("checkbox", name=name, exact=True)
            with self.page.expect_response("**/api/office/play") as told:
                box.click()
            self._heard("play", told.value)

    def _sent(self, act: str, button: Locator, at: str = "office") -> None:
        with self.page.expect_response(f"**/api/{at}/{act}") as told:
            button.click()
        self._heard(act, told.value)

    def _heard(self, act: str, answer: Response) -> None:
        assert answer.ok, (act, answer.text())
        self.acts[act] += 1

    # ---- the event

    def open(self, event: str) -> None:
        """Open the page of an event."""
        self.page.get_by_role("tab", name="Event").click()
        expect(self.page.locator("a[href^='/public/']")).to_be_visible()
        chosen = self.page.get_by_role("combobox", name="Event", exact=True)  # where several are played
        if chosen.count():
            chosen.select_option(event)
        expect(self.page.locator(f"a[href='/public/{event}/']")).to_be_visible()

    def next_round(self, event: str) -> tuple[Json, Json]:
        """Pair the next round and publish it. Return the event before it was paired, and the proposal."""
        self.open(event)
        before = self.event(event)
        pair = self.page.get_by_role("button", name="Pair the next round")
        expect(pair).to_be_enabled(timeout=LONG_MS)
        self._sent("pair", pair, "event")
        proposal: Json = self.event(event)["draft"]
        publish = self.page.get_by_role("button", name="Publish the pairings")
        expect(publish).to_be_enabled()
        self._sent("publish", publish, "event")
        return before, proposal

    def confirm(self, act: str, why: str) -> None:
        """Write the reason into the form at the foot of the page, and apply."""
        form = self.page.locator("form.asked")
        form.get_by_label(re.compile("^Reason")).fill(why)
        self._sent(act, form.get_by_role("button", name="Apply"), "event")
        expect(form).to_have_count(0)

    def result(self, table: int, result: str) -> None:
        """Enter the result of the hall's table."""
        choice = self.page.get_by_label(f"Result at table {table}", exact=True)
        with self.page.expect_response("**/api/event/result") as told:
            choice.select_option(result)
        self._heard("result", told.value)

    def correct(self, table: int, result: str, why: str) -> None:
        """Correct a result of the round that is shown."""
        self.page.get_by_label(f"Result at table {table}", exact=True).select_option(result)
        self.confirm("correct", why)

    def round(self, number: int) -> None:
        """Show an earlier round."""
        self.page.get_by_role("button", name=f"Round {number}", exact=True).click()
        expect(self.page.get_by_role("heading", name=f"Round {number}", exact=True)).to_be_visible()

    def change_seats(self, table: int) -> None:
        """Let the two of the hall's table change seats."""
        with self.page.expect_response("**/api/event/swap-seats") as told:
            self.page.get_by_label(f"Swap table {table}", exact=True).select_option("seats")
        self._heard("swap-seats", told.value)

    def came_late(self, red: str, blue: str, why: str) -> None:
        """Let two who are free in the last round play after all."""
        form = self.page.locator("form", has=self.page.get_by_role("button", name="Let them play"))
        form.get_by_label("Red", exact=True).select_option(label=red)
        form.get_by_label("Blue", exact=True).select_option(label=blue)
        form.get_by_role("button", name="Let them play").click()
        self.confirm("pair-free", why)

    def end_round_in(self, minutes: int) -> None:
        """Set the clock of the round."""
        form = self.page.locator("form", has=self.page.get_by_label("Minutes until the round ends"))
        form.get_by_label("Minutes until the round ends").fill(str(minutes))
        self._sent("clock", form.get_by_role("button", name="Set", exact=True), "event")

    def _players(self) -> Locator:
        panel = self.page.locator("details", has=self.page.locator("summary", has_text=re.compile("^Players$")))
        if panel.get_attribute("open") is None:
            panel.locator("summary").click()
        return panel

    def bye(self, name: str, kind: str) -> None:
        """Note that a player is free in the next round."""
        with self.page.expect_response("**/api/event/bye") as told:
            self._players().get_by_label(f"Plays next round: {name}", exact=True).select_option(kind)
        self._heard("bye", told.value)

    def withdraw(self, name: str, why: str) -> None:
        """Take a player out of the rounds to come."""
        row = self._players().locator("tr", has_text=name)
        row.get_by_role("button", name="Withdraw").click()
        self.confirm("withdraw", why)

    def log(self) -> Locator:
        """Open the log of the event."""
        panel = self.page.locator("details", has=self.page.get_by_text("What was done, and by whom"))
        if panel.get_attribute("open") is None:
            panel.locator("summary").click()
        expect(panel.locator("td.said").last).to_be_visible()
        return panel

    def undo(self, text: str, why: str) -> None:
        """Take an act back by the log."""
        self.log().get_by_role("button", name=re.compile(f"^Undo: .*{re.escape(text)}")).first.click()
        self.confirm("undo", why)

    def wait_for_round(self, event: str) -> None:
        """Wait until every table of the last round has its result."""
        self.open(event)
        expect(self.page.get_by_text(re.compile("^Tables without a result"))).to_have_count(0, timeout=LONG_MS)

    def keep(self, folder: Path, name: str) -> None:
        """Keep what the page shows as a picture, and its text."""
        self.page.screenshot(path=folder / f"{name}.png", full_page=True)
        (folder / f"{name}.txt").write_text(self.page.locator("main").inner_text(), encoding="utf-8")

    # ---- a table

    def order(self, board: str, order: str, why: str, **choices: str) -> None:
        """Open a table and give it an order. Where the table went on meanwhile he looks again, as people do."""
        for _ in range(20):
            self.page.get_by_role("tab", name="Tables").click()
            self.page.locator(f"button.table[data-board={board}]").click()
            self.page.locator(".verbs").get_by_role("button", name=order, exact=True).click()
            form = self.page.locator("form.order")
            for label, value in choices.items():
                form.get_by_label(label, exact=True).select_option(value)
            form.get_by_label("Reason").fill(why)
            with self.page.expect_response("**/api/order") as told:
                form.get_by_role("button", name="Apply").click()
            answer = told.value.json()
            if answer.get("done"):
                self.acts[f"order: {order}"] += 1
                return
            self.acts["order refused as stale"] += 1
            assert answer.get("word") == "stale", (answer, told.value.request.post_data)
        raise AssertionError(f"never: {order} at {board}")
