"""The page of a board on a screen with whatever a table can say, for measuring it and for pictures of it; nothing here is a played game.

.venv/bin/python -m tests.web.screen_gallery                             the picture in docs/how-to/board-on-a-screen.md
.venv/bin/python -m tests.web.screen_gallery --all DIR [--language de]   every moment in each size
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect

from benchmarks.handset import chromium
from hardware import load_board
from kiosk_ui.fixtures import Sample, samples
from referee.door.front_door import listening
from referee.rules import rule_set
from referee.runtime.screen_board import sentence, set_up
from referee.table.views import PublicInfo, PublicView
from referee.web.pair_server import PairServer
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_MS
from tests.web.phone_pictures import PICTURES
from tests.web.screens import HIGH, WIDE, Screen, ScreenTable

SIZES: dict[str, ViewportSize] = {
    "phone": HIGH,
    "small": {"width": 360, "height": 640},
    "lying": {"width": 844, "height": 390},
    "laptop": WIDE,
}
_LINE = """
globalThis.requestAnimationFrame = (draw) => queueMicrotask(() => draw(performance.now()));
globalThis.sent = [];
globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    constructor() { globalThis.line = this; setTimeout(() => this.onopen()); }
    send(text) { sent.push(JSON.parse(text)); }
};
"""
TELL = """
async (said) => {
    for (const each of said) line.onmessage({ data: JSON.stringify(each) });
    document.querySelector(".tabs button").click();
    await null;
}
"""
"""Shows a moment, with the board in front of the phone."""


def moments() -> dict[str, tuple[PublicInfo, PublicView]]:
    """Return what tables of two seats say."""
    found = {sample.name: _seen(sample) for sample in samples()}
    return {name: seen for name, seen in found.items() if seen is not None}


def _seen(sample: Sample) -> tuple[PublicInfo, PublicView] | None:
    if sample.info is None or sample.view is None or len(sample.info.seats) > 2:
        return None
    return sample.info, sample.view


def told(info: PublicInfo, view: PublicView, language: str) -> list[dict[str, Any]]:
    """Return what the page is told of a moment: all pieces stand in the middle of their squares."""
    rules, file = rule_set(info.rule_set), load_board("compact-10x8" if info.board.rows == 8 else "travel-10x10")
    places = dict(zip(file.squares, file.places, strict=True))
    magnets = [
        [number, seat.value, *places[square], 35 if square in view.in_hand else 0]
        for number, (square, seat) in enumerate(view.occupants.items())
    ]
    return [{"hands": 1, **set_up(rules, file)}, {"magnets": magnets}, {"says": sentence((info, view), language)}]


@contextmanager
def screen_gallery(browser: Browser, size: ViewportSize, language: str) -> Iterator[Page]:
    """A page of one who is alone at the board, whose line is ours."""
    server = PairServer.start([listening("127.0.0.1", 0)], lambda sent, address: {}, open_door=ThreadDoor)
    context = browser.new_context(viewport=size, locale=language, has_touch=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.add_init_script(_LINE)
    try:
        page.goto(f"http://127.0.0.1:{server.port}/screen#secret~seat")
        page.wait_for_function("() => globalThis.line !== undefined", polling=20)
        yield page
    finally:
        context.close()
        server.stop()


def draw_for_documents(browser: Browser) -> None:
    """Draw an attack at a real table: the board, and the phones that ask."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ScreenTable(Path(folder), "duel") as table,
        closing(Screen(browser, table.ready["play"], WIDE)) as screen,
    ):
        phones = [screen.page.frame_locator(f"iframe[name={name}]") for name in ("one", "two")]
        screen.press("Set up my pieces")
        for phone in phones:
            phone.get_by_role("button", name="I am ready", exact=True).tap()
        for ply, move in enumerate((("e4", "e5"), ("f7", "f6"), ("e5", "e6"), ("f6", "f5"))):
            expect(phones[ply % 2].locator(".headline h1")).to_have_text("Your move")
            screen.drag(*move)
        expect(phones[0].locator(".headline h1")).to_have_text("Your move")
        screen.touch("e6", 1)
        screen.touch("e7", 2)
        expect(phones[1].locator(".headline h1")).to_have_text("Your piece on e7 is attacked. What is it?")
        screen.page.screenshot(path=PICTURES / "board-on-a-screen.png")


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.web.screen_gallery", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--all", type=Path, metavar="DIR", help="draw every moment in each size into this folder instead"
    )
    parser.add_argument("--language", default="en")
    args = parser.parse_args()
    with chromium() as browser:
        if args.all is None:
            draw_for_documents(browser)
            return
        args.all.mkdir(parents=True, exist_ok=True)
        for size, pixels in SIZES.items():
            with screen_gallery(browser, pixels, args.language) as page:
                for name, moment in moments().items():
                    page.evaluate(TELL, told(*moment, args.language))
                    page.screenshot(path=args.all / f"{name}-{size}-{args.language}.png")


if __name__ == "__main__":
    main()
