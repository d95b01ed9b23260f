"""Draws docs/reference/screens.md: two games on the smallest kiosk and phone in a long language, one attack, and what was said aloud.

    .venv/bin/python -m tests.contact_sheets

The games are those of `tests.long_game`. The attack is one at a table with two phones, a kiosk and simulated hands.
"""

from __future__ import annotations

import argparse
import io
import json
import signal
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, expect

from benchmarks.handset import chromium
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.screen import screen_state
from kiosk_ui.screenshots import Stage
from kiosk_ui.touch_state import ScreenSettings, Showing, TouchState
from referee.net.credential import Credential
from referee.net.links.public_links import KioskLink
from referee.net.topics.payloads import KioskIncoming
from referee.words import words
from tests.demo.test_what_goes_wrong import wait_until
from tests.long_game import long_games
from tests.patience import PATIENCE_MS
from tests.web.gallery import Screen, gallery
from tests.web.phone_pictures import PICTURES, save, shot, side_by_side
from tests.web.phone_sheets import DOCS
from tests.web.phones import Phone, PhoneTable
from tests.web.whole_game import ARMIES

LANGUAGE = "de"
SIZE = (800, 480)
PAGE = DOCS / "reference" / "screens.md"
_MARK = "<!-- said -->"
_KIOSK_WIDE, _PHONE_WIDE = 400, 200


@dataclass(frozen=True, slots=True)
class Beat:
    """What the three screens showed at one moment of an attack."""

    red: Image.Image
    kiosk: ReceivedState
    showing: Showing | None
    blue: Image.Image


def main() -> None:
    """Draw all of it."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    expect.set_options(timeout=PATIENCE_MS)
    made, said = long_games()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with chromium() as browser:
            with gallery(browser) as page:
                phones = [shot(page, Screen(m.name, "table", m.seat, m.phone, m.rules), LANGUAGE) for m in made]
            strip = _attack(browser, state)
        stage = Stage(SIZE)
        kiosks = [_drawn(stage, moment.kiosk, moment.showing, state) for moment in made]
        save(
            side_by_side([("", each) for each in phones], 6, _PHONE_WIDE),
            PICTURES / "screens-phone-now.png",
            256,
            rare=True,
        )
        save(
            side_by_side([("", each) for each in kiosks], 4, _KIOSK_WIDE),
            PICTURES / "screens-kiosk-now.png",
            256,
            rare=True,
        )
        save(_strip(stage, strip, state), PICTURES / "screens-attack.png", 256)
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(_MARK)
    lines = "".join(f"    {ply:>4}  {text}\n" for ply, text in said)
    PAGE.write_text(f"{head}{_MARK}\n\n{lines}", encoding="utf-8")


def _attack(browser: Browser, state: Path) -> list[Beat]:
    """Return the beats of one attack at a table with a simulated board."""
    beats: list[Beat] = []
    with PhoneTable(state) as table:
        kiosk = _Kiosk(state)
        red, blue = Phone(browser, "de-DE"), Phone(browser, "de-DE")

        def seen(showing: Showing | None, headline: str) -> None:
            kiosk.wait(headline)
            shots = (Image.open(io.BytesIO(phone.page.screenshot())).convert("RGB") for phone in (red, blue))
            beats.append(Beat(next(shots), kiosk.received, showing, next(shots)))

        table.begin(ARMIES, red, blue, ("Ja, dieselben", "Ich bin bereit"))
        red.heading("Du bist am Zug")
        for source, target in (("b4", "b5"), ("e7", "e6"), ("b5", "b6"), ("e6", "e5")):
            table.hands(motion="move", **{"from": source, "to": target})
            (blue if source[0] == "b" else red).heading("Du bist am Zug")
        table.hands(motion="both", **{"from": "b6", "target": "b7"})
        for phone in (red, blue):
            phone.count(".question", 1)
        seen(None, "b6 greift b7 an")
        red.pick("Mineur")
        seen(None, "b6 greift b7 an")
        blue.answer("Bombe")
        red.see("Deine Figur gewinnt")
        seen(Showing.DUEL, "Der Angreifer gewinnt")
        seen(None, "Der Angreifer gewinnt")
        table.hands(motion="put", seat="red", square="b7")
        blue.heading("Du bist am Zug")
        seen(None, "Blau ist am Zug")
        kiosk.link.stop()
        for phone in (red, blue):
            phone.close()
        table.table.end(signal.SIGTERM)
    return beats


class _Kiosk:
    """A kiosk's link, and what it has received."""

    def __init__(self, state: Path) -> None:
        self.received = ReceivedState()
        credential = Credential.from_json(json.loads((state / "table" / "broker" / "kiosk.json").read_text()))
        self.link = KioskLink(credential, on_value=self._hear)
        self.link.start()

    def _hear(self, value: KioskIncoming) -> None:
        self.received = self.received.after(value)

    def wait(self, headline: str) -> None:
        """Wait until its banner says this."""
        wait_until(lambda: self.received.state(words(LANGUAGE)).banner.text == headline)


def _strip(stage: Stage, beats: Sequence[Beat], folder: Path) -> Image.Image:
    """Return the attacker's phone, the kiosk and the defender's phone above each other, beat by beat."""
    columns = [(beat.red, _drawn(stage, beat.kiosk, beat.showing, folder), beat.blue) for beat in beats]
    return side_by_side([("", each) for row in zip(*columns, strict=True) for each in row], len(columns), 300)


def _drawn(stage: Stage, received: ReceivedState, showing: Showing | None, folder: Path) -> Image.Image:
    """Return what a kiosk shows that has received this, its players' digits put away."""
    put_away = frozenset(chair.digits for chair in received.desk.chairs)
    stage.screen.state = screen_state(received, TouchState(ScreenSettings(LANGUAGE), seen=put_away), showing=showing)
    stage.settle()
    stage.save(folder / "kiosk.png")
    with Image.open(folder / "kiosk.png") as picture:
        return picture.convert("RGB")


if __name__ == "__main__":
    main()
