"""The report of a game in a browser: from a file, without network, in German and French, on a phone, by keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from referee.cli.main import main
from referee.journal.records.formats import write_record
from referee.rules import rule_set
from tests.records.recorded_games import random_game
from tests.web.axe import axe_faults

pytestmark = pytest.mark.process


def test_a_game_is_replayed_from_a_file(browser: Browser, tmp_path: Path) -> None:
    """Steps, attacks, eyes, languages and a piece's chances; axe finds nothing, and nothing is wider than a phone."""
    source, output = tmp_path / "game.txt", tmp_path / "game.html"
    source.write_text(write_record(random_game(rule_set("duel"), 3, 40).record, "own"))
    assert main(["record", "report", str(source), "-o", str(output), "--view", "referee"]) == 0
    faults, asked = list[str](), list[str]()
    with browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", locale="de-DE") as context:
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(output.as_uri())
        expect(page.locator("#position")).to_contain_text("Zug 0")
        page.get_by_label("Stelle in der Partie").press("ArrowRight")
        expect(page.locator("#position")).to_contain_text("Zug 1, Rot: ")
        page.get_by_label("Nächster Angriff").click()
        expect(page.locator("#position")).to_contain_text(re.compile(r"[a-j][0-9]+x[a-j][0-9]+ \("))
        blue = page.locator(".piece[aria-label*=Blau]:visible").first
        page.get_by_label("Ansicht").select_option("red")
        expect(page.locator(".piece[aria-label*=Unbekannt]:visible").first).to_be_visible()
        blue.focus()
        blue.press("Enter")
        expect(page.locator("#figures meter").first).to_be_visible()
        assert axe_faults(page) == []
        page.get_by_label("Sprache").select_option("fr")
        expect(page.get_by_role("heading", name="Tournants")).to_be_visible()
        for ply in range(41):
            page.locator("#controls input").fill(str(ply))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert axe_faults(page) == []
    assert (faults, asked) == ([], [output.as_uri()])
