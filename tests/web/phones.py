"""Phones at a real table: Chromium pages that are tapped as people do, and hands that a test moves on a simulated board."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from referee.rules.values import Seat
from tests.patience import PATIENCE_MS
from tests.runtime.at_table import AtTable

SMALL: ViewportSize = {"width": 360, "height": 640}

HEADLINE = ".headline h1:not(:has(*)), .headline h1 > [aria-hidden]"
"""What is read as the headline; where that names a rank, what is heard stands beside it."""


class Phone:
    """One player's phone: a browser's page with storage of its own. Every fault that the page reports is kept."""

    def __init__(self, browser: Browser, language: str = "en-GB", trusts: bool = False, script: str = "") -> None:
        """`trusts`: it believes any certificate, as one in which the table's authority is installed; `script` runs first on each page."""
        self.context = browser.new_context(
            viewport=SMALL,
            locale=language,
            has_touch=True,
            device_scale_factor=2,
            ignore_https_errors=trusts,
            permissions=["screen-wake-lock"],
        )
        self.context.add_init_script(script)
        self.faults: list[str] = []
        self.page = self.open()

    def open(self) -> Page:
        """Open another tab of the same browser."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self._hear(said.type, said.text))
        return page

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error" and not text.startswith("WebSocket"):  # lines that are cut are part of the tests
            self.faults.append(text)

    def join(self, url: str) -> str:
        """Open a link. Returns the six digits."""
        self.page.goto(url)
        return self.digits()

    def digits(self) -> str:
        """Return the six digits that are shown."""
        return self.page.locator(".digits").inner_text().replace(" ", "")

    def tap(self, text: str, *, exact: bool = True) -> None:
        """Tap the button that says this."""
        self.page.get_by_role("button", name=text, exact=exact).tap()

    def see(self, text: str) -> None:
        """Wait until this can be read."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def heading(self, text: str) -> None:
        """Wait until the headline is this."""
        expect(self.page.locator(HEADLINE)).to_have_text(text)

    def offers(self, *answers: str) -> None:
        """Wait until these answers are offered and no others; each by its end, since a rank's number stands before its name."""
        wanted = [re.compile(f"{re.escape(answer)}$") for answer in answers]
        expect(self.page.locator(".question .choice")).to_have_text(wanted)

    def choice(self, text: str) -> Locator:
        """Return the button of an answer."""
        return self.page.locator(".question .choice", has_text=text)

    def pick(self, rank: str) -> None:
        """Tap an answer and wait until it has covered itself, with nothing that tells which it was."""
        self.choice(rank).tap()
        expect(self.page.locator(".question.sent")).to_have_count(1)
        expect(self.page.locator(".question .choice:visible, .question .chosen")).to_have_count(0)

    def answer(self, rank: str) -> None:
        """Tap an answer, be it the one that settles the attack."""
        self.choice(rank).tap()

    def count(self, css: str, number: int) -> None:
        """Wait until there are so many of these."""
        expect(self.page.locator(css)).to_have_count(number)

    def last(self, css: str, text: str) -> None:
        """Wait until the last of these contains this."""
        expect(self.page.locator(css).last).to_contain_text(text)

    def reload(self) -> None:
        """Load the page anew."""
        self.page.reload()

    def stands(self, text: str) -> None:
        """Wait until a piece stands on the board that is described like this: `b7: Red Miner`."""
        expect(self.page.locator(".on-board > title", has_text=re.compile(f"^{re.escape(text)}$"))).to_have_count(1)

    def places(self) -> dict[str, Any]:
        """Return what the page keeps of its seat."""
        kept = self.page.evaluate("() => sessionStorage.getItem('hallmarshal.place')")
        found: dict[str, Any] = json.loads(kept)
        return found

    def move_to(self, ws: str) -> None:
        """Have the page find its broker at another address from its next start on, and start it anew."""
        for store in ("sessionStorage", "localStorage"):
            change = "([store, text]) => window[store].setItem('hallmarshal.place', text)"
            self.page.evaluate(change, [store, json.dumps({**self.places(), "ws": ws})])
        self.page.reload()

    def shoot(self, path: Path) -> None:
        """Take a picture."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)

    def close(self) -> None:
        """Put it away."""
        self.context.close()


class PhoneTable(AtTable):
    """A table whose hands are moved by the test."""

    def hands(self, **motion: object) -> None:
        """Make a motion on the board and wait until it is done."""
        self.board.send(motion)
        self.next("board", lambda line: "done" in line)

    def set_up(self, squares: dict[Seat, list[str]]) -> None:
        """Put pieces on their squares."""
        for seat, names in squares.items():
            self.hands(motion="place", seat=seat.value, squares=names)

    def begin(
        self,
        squares: dict[Seat, list[str]],
        red: Phone,
        blue: Phone,
        says: tuple[str, str] = ("Yes, the same", "I am ready"),
    ) -> None:
        """Seat two phones, put pieces on their squares, and begin; `says` is what their buttons say for that."""
        for phone, seat in ((red, "red"), (blue, "blue")):
            phone.join(self.ready["join"][seat])
            phone.tap(says[0])
        self.set_up(squares)
        for phone in (red, blue):
            phone.tap(says[1])
