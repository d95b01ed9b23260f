"""Draws docs/reference/screens.md: kiosk and phone at their smallest in a long language, one attack as it goes, what was said aloud.

    .venv/bin/python -m tests.contact_sheets [--then DIR]

The attack is a real one: two phones and a kiosk at a table whose hands are simulated. `--then` makes the sheets of an earlier release,
which are kept, from its pictures (`hallmarshal kiosk --shots DIR`, `python -m tests.web.phone_pictures --all DIR`).
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
from kiosk_ui.touch_state import Settings, Showing, TouchState
from referee.net.credential import Credential
from referee.net.links.public_links import KioskLink
from referee.net.topics.payloads import KioskIncoming
from referee.words import words
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_MS
from tests.web.gallery import gallery, screens
from tests.web.phone_pictures import PICTURES, save, shot, side_by_side
from tests.web.phone_sheets import DOCS
from tests.web.phones import Phone, PhoneTable
from tests.web.whole_game import ARMIES

LANGUAGE = "de"
SIZE = (800, 480)
KIOSK = ("joining", "setting-up", "middle", "clocks", "attack", "captured", "four-armies", "clocks-of-four", "screen")
KIOSK_NEW = ("fight", "finale", "idle-joining", "wi-fi")
PHONE = (
    "digits",
    "all-stand",
    "my-move",
    "in-hand",
    "attacked",
    "answered",
    "verdict-won",
    "restoring",
    "clocks",
    "settings",
)
PHONE_NEW = ("named", "game", "rules", "tell-target")
PAGE = DOCS / "reference" / "screens.md"
_MARK = "<!-- said -->"
_KIOSK_WIDE, _PHONE_WIDE = 400, 200


@dataclass(frozen=True, slots=True)
class Moment:
    """What the three screens showed at one moment of the attack."""

    red: Image.Image
    kiosk: ReceivedState
    showing: Showing | None
    blue: Image.Image


def main() -> None:
    """Draw all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--then", type=Path, metavar="DIR", help="pictures of an earlier release")
    then = parser.parse_args().then
    expect.set_options(timeout=PATIENCE_MS)
    if then is not None:
        _save([then / f"kiosk-{name}.png" for name in KIOSK], 3, _KIOSK_WIDE, "screens-kiosk-then")
        _save([then / f"phone-{name}.png" for name in PHONE], 5, _PHONE_WIDE, "screens-phone-then")
        return
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with chromium() as browser:
            with gallery(browser) as page:
                known = {screen.name: screen for screen in screens()}
                for name in (*PHONE, *PHONE_NEW):
                    shot(page, known[name], LANGUAGE).save(state / f"phone-{name}.png")
            moments, said = _attack(browser, state)
        names = ",".join((*KIOSK, *KIOSK_NEW))
        hallmarshal(*f"kiosk --shots {state} --language {LANGUAGE} --size 800x480 --only {names}".split(), state=state)
        _save([state / f"kiosk-{name}.png" for name in (*KIOSK, *KIOSK_NEW)], 3, _KIOSK_WIDE, "screens-kiosk-now")
        _save([state / f"phone-{name}.png" for name in (*PHONE, *PHONE_NEW)], 5, _PHONE_WIDE, "screens-phone-now")
        save(_strip(moments, state), PICTURES / "screens-attack.png", 256)
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(_MARK)
    PAGE.write_text(f"{head}{_MARK}\n\n{said}", encoding="utf-8")


def _save(paths: Sequence[Path], columns: int, wide: int, name: str) -> None:
    pictures = [Image.open(path).convert("RGB") for path in paths]
    save(side_by_side([("", each) for each in pictures], columns, wide), PICTURES / f"{name}.png", 256)


def _attack(browser: Browser, state: Path) -> tuple[list[Moment], str]:
    """Return the moments of one attack of a short game, and what a kiosk says aloud of that game."""
    moments: list[Moment] = []
    with PhoneTable(state) as table:
        kiosk = _Kiosk(state)
        red, blue = Phone(browser, "de-DE"), Phone(browser, "de-DE")

        def seen(showing: Showing | None, headline: str) -> None:
            kiosk.wait(headline)
            shots = (Image.open(io.BytesIO(phone.page.screenshot())).convert("RGB") for phone in (red, blue))
            moments.append(Moment(next(shots), kiosk.received, showing, next(shots)))

        for phone, seat in ((red, "red"), (blue, "blue")):
            phone.join(table.ready["join"][seat])
            phone.tap("Ja, dieselben")
        table.set_up(ARMIES)
        for phone in (red, blue):
            phone.tap("Ich bin bereit")
        red.heading("Sie sind am Zug")
        for source, target in (("b4", "b5"), ("e7", "e6"), ("b5", "b6"), ("e6", "e5")):
            table.hands(motion="move", **{"from": source, "to": target})
            (blue if source[0] == "b" else red).heading("Sie sind am Zug")
        table.hands(motion="both", **{"from": "b6", "target": "b7"})
        for phone in (red, blue):
            phone.count(".question", 1)
        seen(None, "b6 greift b7 an")
        red.pick("Mineur")
        seen(None, "b6 greift b7 an")
        blue.answer("Bombe")
        red.see("Ihre Figur gewinnt")
        seen(Showing.DUEL, "Der Angreifer gewinnt")
        seen(None, "Der Angreifer gewinnt")
        table.hands(motion="put", seat="red", square="b7")
        blue.heading("Sie sind am Zug")
        seen(None, "Blau ist am Zug")
        blue.tap("Men\u00fc")
        blue.tap("Aufgeben")
        blue.tap("Aufgeben")
        kiosk.wait("Rot gewinnt")
        kiosk.link.stop()
        for phone in (red, blue):
            phone.close()
        table.table.end(signal.SIGTERM)
        (record,) = (state / "table").glob("games/*/game.record")
        said = hallmarshal("record", "show", str(record), "--spoken", "--lang", "en", state=state).stdout
    return moments, "".join(f"    {line}\n" for line in said.splitlines())


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


def _strip(moments: Sequence[Moment], folder: Path) -> Image.Image:
    """Return the attacker's phone, the kiosk and the defender's phone above each other, moment by moment."""
    stage = Stage(SIZE)
    put_away = frozenset(chair.digits for moment in moments for chair in moment.kiosk.desk.chairs)
    touched = TouchState(Settings(LANGUAGE), seen=put_away)
    columns = []
    for number, moment in enumerate(moments):
        stage.screen.state = screen_state(moment.kiosk, touched, showing=moment.showing)
        stage.settle()
        stage.save(folder / f"strip-{number}.png")
        columns.append((moment.red, Image.open(folder / f"strip-{number}.png").convert("RGB"), moment.blue))
    return side_by_side([("", each) for row in zip(*columns, strict=True) for each in row], len(columns), 300)


if __name__ == "__main__":
    main()
