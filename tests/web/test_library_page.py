"""The library in a browser, through the front door: a phone with a seat finds a game, sees it with its own ranks and keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from referee.door.front_door import listening
from referee.library.pages import Seats, library
from referee.library.shelf import Now
from referee.library.worker import work
from referee.net.credential import KeyPair
from referee.rules import Seat, rule_set
from referee.web.files import library_files
from referee.web.pair_server import PairServer
from tests.library.kept import FIRST, SECOND, game_of, keep
from tests.web.axe import axe_faults

pytestmark = pytest.mark.process
REFEREE, HANDSET = KeyPair(bytes(range(32))), KeyPair(bytes(range(1, 33)))
KEEP = """([place, game, own]) => {
  localStorage.setItem("hallmarshal.place", JSON.stringify(place));
  localStorage.setItem("hallmarshal.signed-with", JSON.stringify([["R".repeat(43), 1]]));
  localStorage.setItem("hallmarshal.own-ranks", JSON.stringify([[game, own]]));
}"""


SHARED = """() => { navigator.canShare = ({ files }) => files.length === 1;
navigator.share = async ({ files }) => { globalThis.sent = [files[0].name, files[0].type, await files[0].text()];
  document.body.dataset.sent = ""; }; }"""


def expect_it_is_sent_where_all_consented(page: Page, home: str) -> None:
    """Expect the share sheet to get the one file, which a browser without such a sheet keeps; else there is no such button."""
    page.goto(f"{home}/games/{FIRST}")
    send = page.get_by_role("button", name="Envoyer cette partie")
    page.evaluate("delete Navigator.prototype.canShare")
    with page.expect_download() as kept:
        send.click()
    file = Path(kept.value.path()).read_text()
    page.evaluate(SHARED)
    send.click()
    expect(page.locator("body[data-sent]")).to_be_attached()
    name, kind, sent = page.evaluate("globalThis.sent")
    assert (name, kind, sent == file) == ("Anna (Rouge) \u2013 Bram 3 (Bleu).html", "text/html", True)
    page.goto(f"{home}/games/{SECOND}")
    expect(page.get_by_role("link", name="Enregistrer cette partie")).to_be_visible()
    expect(send).to_have_count(0)


def test_a_phone_sees_the_games_of_its_table(browser: Browser, tmp_path: Path) -> None:
    """In French, on a phone; axe finds nothing, and nothing is wider than the phone. Without a seat there is no game."""
    shown = game_of(4)
    keep(tmp_path, FIRST, game_of(3, frozenset({Seat.RED, Seat.BLUE})))
    keep(tmp_path, SECOND, shown)
    seats = Seats(REFEREE, lambda: [HANDSET.public.text])
    answer = library(tmp_path, Now, seats, library_files(), work)
    server = PairServer.start([listening("127.0.0.1", 0)], lambda *_: {}, rule_set("barrage"), library=answer)
    home, faults = f"http://127.0.0.1:{server.port}", list[str]()
    try:
        with browser.new_context(viewport={"width": 390, "height": 844}, locale="fr-FR") as context:
            page = context.new_page()
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.goto(f"{home}/games/{SECOND}")
            expect(page.get_by_role("status")).to_contain_text("Seuls les téléphones")
            assert "Anna" not in page.content()
            place = {"own": HANDSET.private_text(), "peer": REFEREE.public.text}
            ranks = {square.name: "spy" for square in shown.set_ups[Seat.BLUE]}
            page.evaluate(KEEP, [place, shown.game, {"seat": "blue", "squares": ranks}])
            page.reload()
            expect(page.locator("#names")).to_contain_text("Bram 4 (Bleu)")
            hidden = page.locator(".piece[aria-label*='Bleu, Espion']")
            expect(hidden.first).to_be_visible()
            page.get_by_label("Vue").select_option("red")
            expect(hidden).to_have_count(0)
            assert axe_faults(page) == []
            page.get_by_role("link", name="Toutes les parties").click()
            expect(page.locator(".kept")).to_have_count(2)
            assert axe_faults(page) == []
            page.get_by_label("Joueur").fill("bram 3")
            expect(page.locator(".kept")).to_have_count(1)
            page.get_by_label("Seulement mes parties").check()
            expect(page.locator(".kept")).to_have_count(1)
            with page.expect_download() as kept:
                page.get_by_role("link", name="Enregistrer cette partie").click()
            assert b"Bram 3" in Path(kept.value.path()).read_bytes()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            expect_it_is_sent_where_all_consented(page, home)
    finally:
        server.stop()
    assert faults == []
