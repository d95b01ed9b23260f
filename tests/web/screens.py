"""A board on a screen: pages on which a test moves pieces with a mouse and with fingers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from playwright.sync_api import Browser, Locator, ViewportSize, WebSocket, expect

from tests.patience import PATIENCE_MS
from tests.runtime.at_table import AtTable

WIDE: ViewportSize = {"width": 1280, "height": 800}
HIGH: ViewportSize = {"width": 390, "height": 844}
Spot = tuple[float, float]


class ScreenTable(AtTable):
    """A table whose board is on a screen."""

    def board_url(self) -> str:
        """The table starts the board itself."""
        return "screen:"


class Screen:
    """A page that moves magnets. Every fault that it reports is kept, and all that the table tells it."""

    def __init__(self, browser: Browser, link: str, size: ViewportSize, language: str = "en-GB") -> None:
        self.context = browser.new_context(viewport=size, locale=language, has_touch=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.faults: list[str] = []
        self.told: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("websocket", self._listen)
        self.page.goto(link)
        self._touches: dict[int, Spot] = {}
        self._fingers = self.context.new_cdp_session(self.page)

    def _listen(self, line: WebSocket) -> None:
        if line.url.endswith("/board"):
            line.on("framereceived", self._hear)

    def _hear(self, payload: str | bytes) -> None:
        self.told.append(payload if isinstance(payload, str) else payload.decode())

    def spot(self, place: str) -> Spot:
        """Return where a square is, or the `box of blue`."""
        box = place.removeprefix("box of ")
        found = self.page.locator(f'.screen-board [data-{"square" if box == place else "box"}="{box}"]').bounding_box()
        assert found is not None
        return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2

    def drag(self, *way: str) -> None:
        """Lift a piece with the mouse, carry it over these squares, and set it down on the last."""
        mouse = self.page.mouse
        mouse.move(*self.spot(way[0]))
        mouse.down()
        for place in way[1:]:
            mouse.move(*self.spot(place), steps=4)
        mouse.up()

    def touch(self, place: str, finger: int = 1) -> None:
        """Lay a finger on a square."""
        self._touches[finger] = self.spot(place)
        self._say("touchStart")

    def carry(self, place: str, finger: int = 1) -> None:
        """Move a finger to a square."""
        (x, y), (to_x, to_y) = self._touches[finger], self.spot(place)
        for share in (0.25, 0.5, 0.75, 1.0):
            self._touches[finger] = (x + share * (to_x - x), y + share * (to_y - y))
            self._say("touchMove")

    def release(self, finger: int = 1) -> None:
        """Take a finger away."""
        self._say("touchEnd", {finger: self._touches.pop(finger)})

    def _say(self, kind: str, touches: Mapping[int, Spot] | None = None) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in (touches or self._touches).items()]
        self._fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def keys(self, place: str, *keys: str) -> None:
        """Press keys, beginning on a square."""
        self.page.locator(f'.screen-board [data-square="{place}"]').focus()
        for key in keys:
            self.page.keyboard.press(key)

    def press(self, text: str) -> None:
        """Click the button that says this."""
        self.page.get_by_role("button", name=text, exact=True).click()

    def reads(self, place: str, text: str) -> None:
        """Wait until a square or a box is described like this."""
        kind = "box" if place in ("red", "blue") else "square"
        expect(self.page.locator(f'.screen-board [data-{kind}="{place}"]')).to_have_accessible_name(
            re.compile(f"{text}$")
        )

    def stands(self, pieces: Mapping[str, str]) -> None:
        """Wait until these squares hold these pieces."""
        for square, text in pieces.items():
            self.reads(square, text)

    def heading(self, text: str) -> None:
        """Wait until the table says this to everybody."""
        expect(self.page.locator(".table-side .headline h1")).to_have_text(text)

    @property
    def button(self) -> Locator:
        """All buttons of the page below the board."""
        return self.page.locator(".screen .bar button")

    def close(self) -> None:
        """Put it away."""
        self.context.close()
        assert self.faults == []
        assert [said for said in self.told if "error" in said] == []
