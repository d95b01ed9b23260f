"""From a tap to the verdict on both phones: two pages in Chromium at a real table, whose hands are simulated.

Every attack is one scout against another, so that a game holds many of them. The time runs from the touch of the second answer to the
frame that shows the verdict, on the phone that is later; sealing, broker, arbitration and the journal's commit are all in it. On a
virtual machine the host may stop the processors in the middle of an attack: those during which it took
nothing are also told by themselves. In the end comes what the table's processes hold in memory, its kiosk among them. `chromium` is the
browser of the tests of phone and hall pages, too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import LineProcess, StolenTime, above_zero, held, percentiles
from referee.runtime.errors import UnreachableError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
_START_MS = 150_000
"""A machine that is busy takes its time to start one."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Return Debian's Chromium, running without a screen, with an empty profile.

    Its headless shell, where there is one, does without the browser's own windows: a page takes a third less of the processor.
    Raises `UnreachableError` where playwright or Chromium is missing.
    """
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise UnreachableError("this needs Chromium and the Python package playwright (make install brings both)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(FLAGS), timeout=_START_MS)
        try:
            yield browser
        finally:
            browser.close()


TARGET_P99_MS = 50
TARGET_MEMORY_MIB = 500
_PARTS = {"referee": "table", "kiosk": "kiosk", "broker": "mosquitto", "door": "referee.door"}
"""The processes of a table, each with a word of its command line."""
_ATTACKS_A_GAME = 24
_OPEN_COLUMNS = "abefij"
_RULES = Path(__file__).with_name("scouts-only.toml")
_ANSWER = re.compile("Scout|Say its rank")
"""A piece that can be nothing else answers without its name on the screen."""
_WATCH = Path(__file__).with_name("handset_watch.js")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--attacks", type=above_zero, default=200, help="attacks to measure")
    parser.add_argument("--seconds", type=above_zero, default=1, help="go on for so long at least, with more attacks")


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure. Returns the figures. Raises `UnreachableError` without a browser."""
    load = round(os.getloadavg()[0], 1)
    frames: list[float] = []
    documents: list[float] = []
    undisturbed: list[float] = []
    begun_s = time.monotonic()
    memory: list[Mapping[str, float]] = []
    """After each game."""
    with ExitStack() as stack:
        browser = stack.enter_context(chromium())
        state = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        table = stack.enter_context(_table(state))
        phones = table.sit_down(browser, stack)
        while (left := args.attacks - len(frames)) > 0 or time.monotonic() < begun_s + args.seconds:
            table.set_up(phones)
            for source, target in _attacks(min(_ATTACKS_A_GAME, left) if left > 0 else _ATTACKS_A_GAME):
                dom, frame, stolen_ms = table.fight(phones, source, target)
                if not stolen_ms:
                    undisturbed.append(frame)
                documents.append(dom)
                frames.append(frame)
            table.again(phones)
            memory.append(table.memory_mib())
    shown = _told(frames)
    together = [round(sum(each.values()), 1) for each in memory]
    return {
        "attacks": len(frames),
        "tap_to_verdict_ms": shown,
        "tap_to_document_ms": _told(documents),
        "undisturbed": {"attacks": len(undisturbed), "tap_to_verdict_ms": _told(undisturbed) if undisturbed else None},
        "load_before": load,
        "target_p99_ms": TARGET_P99_MS,
        "played_s": round(time.monotonic() - begun_s),
        "memory_mib": {**memory[-1], "together": together[-1], "after_first_game": together[0], "games": len(memory)},
        "target_memory_mib": TARGET_MEMORY_MIB,
        "met": shown["p99"] <= TARGET_P99_MS and together[-1] <= TARGET_MEMORY_MIB,
    }


def _attacks(count: int) -> Iterator[tuple[str, str]]:
    """Yield attacker's and defender's square of each attack, by turns, down the open columns."""
    turns = cycle((True, False))
    pairs = [(f"{column}{4 - depth}", f"{column}{7 + depth}") for depth in range(4) for column in _OPEN_COLUMNS]
    for red, blue in pairs[:count]:
        yield (red, blue) if next(turns) else (blue, red)


class _Table:
    """A simulated board and a table, as processes."""

    def __init__(self, board: LineProcess, table: LineProcess, ready: dict[str, Any]) -> None:
        self._board, self._table, self._ready, self._begun = board, table, ready, False

    def sit_down(self, browser: Browser, stack: ExitStack) -> list[Page]:
        """Return the two phones, paired."""
        phones = []
        for seat in ("red", "blue"):
            context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, locale="en-GB")
            stack.callback(context.close)
            page = context.new_page()
            page.goto(self._ready["join"][seat])
            _tap(page, "Yes, the same")
            page.evaluate(_WATCH.read_text())
            phones.append(page)
        return phones

    def set_up(self, phones: list[Page]) -> None:
        """Fill both zones and begin."""
        for seat, rows in (("red", (1, 2, 3, 4)), ("blue", (7, 8, 9, 10))):
            self._do(motion="place", seat=seat, squares=[f"{column}{row}" for row in rows for column in "abcdefghij"])
        if not self._begun:
            self._table.say("start")  # the first game waits for somebody who has compared the digits on the kiosk
            self._begun = True
        for page in phones:
            _tap(page, "I am ready")
        _read(phones[0], "Your move")

    def fight(self, phones: list[Page], source: str, target: str) -> tuple[float, float, int]:
        """Let one piece attack another. Returns milliseconds to the document and to the frame of the later phone, and
        those stolen.
        """
        self._do(motion="both", **{"from": source, "target": target})
        for page in phones:
            page.locator(".question .choice").first.wait_for()
            page.evaluate("() => document.watched.again()")
        first, second = phones
        _choose(first)
        first.locator(".question.sent").wait_for()
        stolen = StolenTime()
        _choose(second)
        # a promise, and no looking again with every frame: that would take frames of its own
        shown = [page.evaluate("() => document.watched.shown") for page in phones]
        stolen_ms = stolen.ms()
        tapped = second.evaluate("() => document.watched.tapped")
        return max(each["dom"] for each in shown) - tapped, max(each["frame"] for each in shown) - tapped, stolen_ms

    def again(self, phones: list[Page]) -> None:
        """Stop without a result and ask for another one."""
        self._table.say("abort")
        self._do(motion="clear")
        for page in phones:
            _tap(page, "Another game")
        _read(phones[0], "Set up your pieces.")

    def memory_mib(self) -> Mapping[str, float]:
        """Return the MiB that each process of the table holds, of what they share its part. All of `_PARTS` are there."""
        table = Path("/proc", str(self._table.process.pid))
        found: dict[str, float] = {}
        for pid in (table.name, *" ".join(path.read_text() for path in table.glob("task/*/children")).split()):
            words = [Path(word).name for word in Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")]
            found |= {name: round(held(int(pid)) / 2**20, 1) for name, word in _PARTS.items() if word in words}
        assert found.keys() == _PARTS.keys(), found
        return found

    def _do(self, **motion: object) -> None:
        self._board.say(json.dumps(motion))
        answer = json.loads(self._board.hear())
        assert "done" in answer, answer


@contextmanager
def _table(state: Path) -> Iterator[_Table]:
    with LineProcess("simulator.process", "--board", "travel-10x10", "--speed", "max") as board:
        pty = json.loads(board.hear())["pty"]
        arguments = ("--board", f"serial:{pty}", "--rules", str(_RULES), "--state", str(state / "table"))
        command = ("referee.cli.main", "table", *arguments, "--web", "127.0.0.1:0", "--json", "--kiosk")
        os.environ["SDL_VIDEODRIVER"] = "OFFSCREEN"  # in capitals it passes for a screen
        # events go to a file: nobody reads them here, and a pipe that is full would stop the table
        with (state / "events").open("w") as events, LineProcess(*command, output=events) as table:
            yield _Table(board, table, _first_line(state / "events", table.process))


def _first_line(path: Path, process: subprocess.Popen[str]) -> dict[str, Any]:
    while process.poll() is None:
        line, end, _ = path.read_text().partition("\n")
        if end:
            ready: dict[str, Any] = json.loads(line)
            return ready
    raise AssertionError("the table ended before it was ready")


def _tap(page: Page, text: str) -> None:
    page.get_by_role("button", name=text, exact=True).tap()


def _choose(page: Page) -> None:
    page.locator(".question .choice", has_text=_ANSWER).tap()


def _read(page: Page, text: str) -> None:
    page.locator(".headline h1", has_text=text).wait_for()


def _told(values: list[float]) -> Mapping[str, float]:
    return percentiles(values, p50=0.5, p99=0.99, max=1.0)
