"""A phone whose browser is WebKit or Firefox, driven by the W3C's WebDriver commands: what `Phone` is in Chromium.

    make browsers

brings both browsers and plays a whole game in each. Two clients are needed: Debian has a driver for WebKit, which Selenium speaks to, and
none for Firefox, which takes the same commands itself at its Marionette port. `_Driver` is what both can. Neither hands out its console: a
script keeps the page's errors from the moment when it is loaded on. What fails while it loads leaves a page that does not play.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from tests.demo.test_what_goes_wrong import wait_until
from tests.web.phones import HEADLINE

_FIND = """
const [kind, text, exact] = arguments;
const plain = (said) => said.replace(/\\s+/g, " ").trim().toLowerCase();
const has = (said) => exact ? plain(said) === plain(text) : plain(said).includes(plain(text));
const shown = [...document.querySelectorAll(kind)].filter((each) => each.checkVisibility({ visibilityProperty: true }));
const found = shown.find((each) => [each.getAttribute("aria-label") ?? "", each.innerText].some(has));
found?.scrollIntoView({ block: "nearest" });
return found ?? null;
"""
_TEXTS = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent);"
_HEAR = """
const faults = globalThis.faultsOfThePage = [];
addEventListener("error", (event) => faults.push(String(event.message)));
addEventListener("unhandledrejection", (event) => faults.push(String(event.reason)));
console.error = (...said) => faults.push(said.join(" "));
"""
_HEARD = "return globalThis.faultsOfThePage ?? [];"
_KEPT = "return sessionStorage.getItem('hallmarshal.place');"
_KEEP = "for (const store of [sessionStorage, localStorage]) store.setItem('hallmarshal.place', arguments[0]);"


class _Driver(Protocol):
    """What a browser's driver does."""

    def go(self, url: str) -> None:
        """Open an address."""

    def reload(self) -> None:
        """Load the page anew."""

    def run(self, script: str, *values: object) -> Any:
        """Return what a script of the page returns."""

    def tap(self, element: Any) -> bool:
        """Tap an element in its middle; return whether it was there to be tapped."""

    def picture(self) -> bytes:
        """Return a PNG of what is shown."""

    def close(self) -> None:
        """End the browser."""


class WebKit:
    """WebKitGTK's MiniBrowser, with a screen of its own. It has no touches: its taps are a mouse's clicks."""

    def __init__(self, said: Path) -> None:
        """`said` gets what it says on its output."""
        from selenium import webdriver
        from selenium.common.exceptions import WebDriverException

        self._refusals = WebDriverException
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")))
        options.add_argument("--automation")
        options.add_argument("--full-screen")
        with ExitStack() as begun:
            environment = {**os.environ, "DISPLAY": _screen(begun), "HOME": str(said.parent)}
            service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver", log_output=str(said), env=environment)
            self._driver = webdriver.WebKitGTK(options, service)
            begun.callback(self._driver.quit)
            self._driver.set_window_size(360, 640)
            self._stack = begun.pop_all()

    def go(self, url: str) -> None:
        """Open an address."""
        self._driver.get(url)

    def reload(self) -> None:
        """Load the page anew."""
        self._driver.refresh()

    def run(self, script: str, *values: object) -> Any:
        """Return what a script of the page returns."""
        return self._driver.execute_script(script, *values)

    def tap(self, element: Any) -> bool:
        """Click an element; return whether it was there."""
        try:
            element.click()
        except self._refusals:  # it went away, or something lies over it
            return False
        return True

    def picture(self) -> bytes:
        """Return a PNG of what is shown."""
        shot: bytes = self._driver.get_screenshot_as_png()
        return shot

    def close(self) -> None:
        """End the browser and its screen."""
        self._stack.close()


def _screen(stack: ExitStack) -> str:
    """Return the name of a screen that nobody sees, for a browser that cannot do without."""
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "360x640x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    stack.enter_context(server.stdout)
    stack.callback(_end, server)
    return f":{server.stdout.readline().strip()}"


def _end(program: subprocess.Popen[Any]) -> None:
    """End a program; one that does not obey (Firefox at times) is killed."""
    program.terminate()
    try:
        program.wait(_OBEYS_S)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


_OBEYS_S = 20.0
_PREFS = {
    "dom.w3c_touch_events.enabled": 1,
    "marionette.port": 0,  # a free one; the profile tells which
}


class Firefox:
    """Firefox without a screen. Its taps are touches."""

    def __init__(self, said: Path) -> None:
        """`said` gets what it says on its output; its profile lies beside."""
        from marionette_driver import errors
        from marionette_driver.marionette import Marionette

        self._refusals = errors.MarionetteException
        profile = said.with_suffix(".profile")
        profile.mkdir()
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in _PREFS.items())
        )
        command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        with ExitStack() as begun:
            console = begun.enter_context(said.open("w"))
            environment = {**os.environ, "HOME": str(said.parent)}
            browser = subprocess.Popen(command, stdout=console, stderr=console, env=environment)
            begun.callback(_end, browser)
            wait_until((profile / "MarionetteActivePort").exists)
            self._driver = Marionette(port=int((profile / "MarionetteActivePort").read_text()))
            self._driver.start_session()
            begun.callback(self._driver.delete_session)
            self._driver.set_window_rect(width=500, height=900)  # none is narrower
            self._stack = begun.pop_all()

    def go(self, url: str) -> None:
        """Open an address."""
        self._driver.navigate(url)

    def reload(self) -> None:
        """Load the page anew."""
        self._driver.refresh()

    def run(self, script: str, *values: object) -> Any:
        """Return what a script of the page returns."""
        return self._driver.execute_script(script, script_args=values, sandbox=None)

    def tap(self, element: Any) -> bool:
        """Touch an element; return whether it was there."""
        finger = self._driver.actions.sequence("pointer", "finger", {"pointerType": "touch"})
        try:
            finger.pointer_move(0, 0, origin=element).pointer_down().pointer_up().perform()
        except self._refusals:
            return False
        return True

    def picture(self) -> bytes:
        """Return a PNG of what is shown."""
        shot: bytes = self._driver.screenshot(format="binary", full=False)
        return shot

    def close(self) -> None:
        """End the browser."""
        self._stack.close()


class DrivenPhone:
    """One player's phone in such a browser. A `Phone` does the same in Chromium; a whole game needs no more."""

    def __init__(self, browser: Callable[[Path], _Driver], said: Path) -> None:
        """`said` gets what the browser says on its output."""
        self.driver = browser(said)
        self._faults: list[str] = []

    def faults(self) -> list[str]:
        """Return the errors that the page has reported so far."""
        heard: list[str] = self.driver.run(_HEARD)
        return self._faults + heard

    def go(self, url: str) -> None:
        """Open an address."""
        self._faults = self.faults()
        self.driver.go(url)
        self.driver.run(_HEAR)

    def reload(self) -> None:
        """Load the page anew."""
        self._faults = self.faults()
        self.driver.reload()
        self.driver.run(_HEAR)

    def speak(self, url: str, language: str) -> None:
        """Choose the language on the page that asks for a code."""
        self.go(url)
        self.tap(language, exact=False)

    def join(self, url: str) -> str:
        """Open a link; return the six digits."""
        self.go(url)
        self._until(lambda: self._texts(".digits"))
        return self._texts(".digits")[0].replace(" ", "")

    def tap(self, text: str, *, exact: bool = True, kind: str = "button") -> None:
        """Tap the button that says this."""

        def tapped() -> bool:
            found = self.driver.run(_FIND, kind, text, exact)
            return found is not None and self.driver.tap(found)

        self._until(tapped)

    def see(self, text: str) -> None:
        """Wait until this can be read."""
        self._until(lambda: self.driver.run(_FIND, "body", text, False) is not None)

    def heading(self, text: str) -> None:
        """Wait until the headline is this."""
        self._until(lambda: self._texts(HEADLINE) == [text])

    def offers(self, *answers: str) -> None:
        """Wait until these answers are offered and no others; each by its end, since a rank's number stands before its name."""

        def offered() -> bool:
            texts = self._texts(".question .choice")
            return len(texts) == len(answers) and all(map(str.endswith, texts, answers))

        self._until(offered)

    def answer(self, rank: str) -> None:
        """Tap an answer, be it the one that settles the attack."""
        self.tap(rank, exact=False, kind=".question .choice")

    def pick(self, rank: str) -> None:
        """Tap an answer and wait until it has covered itself, with nothing that tells which it was."""
        self.answer(rank)
        self.count(".question.sent", 1)
        assert self.driver.run(_FIND, ".question .choice, .question .chosen", "", False) is None

    def count(self, css: str, number: int) -> None:
        """Wait until there are so many of these."""
        self._until(lambda: len(self._texts(css)) == number)

    def last(self, css: str, text: str) -> None:
        """Wait until the last of these contains this."""
        self._until(lambda: text in "".join(self._texts(css)[-1:]))

    def stands(self, text: str) -> None:
        """Wait until a piece stands on the board that is described like this: `b7: Red Miner`."""
        self._until(lambda: self._texts(".on-board > title").count(text) == 1)

    def places(self) -> dict[str, Any]:
        """Return what the page keeps of its seat."""
        found: dict[str, Any] = json.loads(self.driver.run(_KEPT))
        return found

    def move_to(self, ws: str) -> None:
        """Have the page find its broker at another address from its next start on, and start it anew."""
        self.driver.run(_KEEP, json.dumps({**self.places(), "ws": ws}))
        self.reload()

    def shoot(self, path: Path) -> None:
        """Take a picture."""
        path.write_bytes(self.driver.picture())

    def close(self) -> None:
        """Put it away."""
        self.driver.close()

    def _texts(self, css: str) -> list[str]:
        texts: list[str] = self.driver.run(_TEXTS, css)
        return texts

    def _until(self, wanted: Callable[[], object]) -> None:
        try:
            wait_until(wanted)
        except AssertionError:
            raise AssertionError(
                f"never; the page says: {self.driver.run('return document.body.innerText;')}"
            ) from None
