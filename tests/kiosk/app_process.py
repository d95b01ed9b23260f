"""The kiosk's application in a process of its own, by a clock that the test drives: under fingers, under a monkey, while a clock runs.

Its argument says which; prints one JSON object of what came of it. Not a test itself.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from kiosk_ui.display import Backlight, prepare_kivy
from kiosk_ui.fixtures import Sample, samples, touch_samples
from kiosk_ui.touch_state import ScreenSettings, Showing
from referee.net.topics.payloads import KioskWish
from referee.presentation.shapes import Box
from referee.rules.values import Rank, Seat
from referee.table.views import ClockFace, GameEnd, Phase, PublicEvent
from tests.kiosk.boxes import holds

SIZE = (800, 480)
SAMPLES = {sample.name: sample for sample in (*samples(), *touch_samples())}


class Living:
    """A kiosk's application in a window without a screen, frame by frame."""

    def __init__(self, lights: Path | None = None, **settings: Any) -> None:
        prepare_kivy(offscreen=True)
        os.environ["SDL_AUDIODRIVER"] = "dummy"  # a machine without a loudspeaker complains on stderr
        from kiosk_ui.window import draw_changes, open_window

        self.window = open_window(SIZE, frames_a_second=0)
        from kivy.base import EventLoop  # type: ignore[import-untyped]  # Kivy ships no types
        from kivy.clock import Clock  # type: ignore[import-untyped]  # as above

        from kiosk_ui.app import KioskApp

        self.now_s = 1000.0
        Clock.time = lambda: self.now_s
        Clock.tick()
        self.wishes: list[KioskWish] = []
        light = Backlight(lights) if lights is not None else None
        self.app = KioskApp(
            ScreenSettings("en", **settings), self.wishes.append, clock=lambda: self.now_s, backlight=light
        )
        self.screen = self.app.screen
        self.window.add_widget(self.screen)
        draw_changes(self.window, self.screen.take_changes)
        self._loop = EventLoop
        EventLoop.ensure_window()
        EventLoop.start()

    def settle(self, passed_s: float = 0.0) -> None:
        """Let time pass, then draw what there is to draw."""
        self.now_s += passed_s
        self._loop.idle()
        self._loop.idle()

    def show(self, sample: Sample) -> None:
        """Show a made-up table on a screen whose pages are closed."""
        self.app.touch_state = self.app.touch_state.closed()
        self.app.show(sample.received)
        self.settle()

    def buttons(self) -> Iterator[tuple[str, Any]]:
        """Return the buttons that can be touched, and where they are seen."""
        for panel in self.screen.panels:
            for button, box in panel.buttons if panel.box.width else ():
                if button.enabled:
                    yield button.key, panel.seen_at(box)

    def drag(self, down: tuple[float, float], up: tuple[float, float]) -> None:
        """Put a finger down and take it off elsewhere."""
        from kivy.tests.common import UnitTestTouch  # type: ignore[import-untyped]  # as above

        finger = UnitTestTouch(*down)
        finger.touch_down()
        finger.touch_move(*up)
        finger.touch_up()
        self.settle()

    def touch(self, key: str) -> None:
        """Touch a button."""
        centre = next(box.centre for name, box in self.buttons() if name == key)
        self.drag(centre, centre)

    def texts(self) -> dict[str, Any]:
        """Return what is written now: each text with the picture of its letters."""
        from kiosk_ui.widgets import FitLabel

        labels = [widget for panel in self.screen.panels for widget in panel.walk(restrict=True)]
        return {widget.text: widget.texture for widget in labels if isinstance(widget, FitLabel) and widget.text}

    def picture(self) -> Image.Image:
        """Return what is seen, its lowest line first; it was drawn change by change and must be what drawing all of it gives."""
        seen = self._seen()
        self.window.dispatch("on_draw")
        assert ImageChops.difference(seen, self._seen()).getbbox() is None
        return seen

    def _seen(self) -> Image.Image:
        from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels  # type: ignore[import-untyped]  # as above

        return Image.frombytes("RGBA", SIZE, glReadPixels(0, 0, *SIZE, GL_RGBA, GL_UNSIGNED_BYTE)).convert("RGB")


def fingers(lights: Path) -> dict[str, Any]:
    """Touch the menu, pause, the language and the menu again, wait for it to close by itself, and make the screen darker."""
    kiosk = Living(lights)
    from kiosk_ui.app import LEFT_OPEN_S

    kiosk.show(SAMPLES["captured"])
    said = [kiosk.screen.state.table.banner.text]
    for key in ("menu=near", "pause", "menu=near", "page=language", "language=da", "menu=near"):
        kiosk.touch(key)
    said.append(kiosk.screen.state.table.banner.text)
    opened = [kiosk.screen.state.sheet is not None]
    for passed_s in (LEFT_OPEN_S - 1, 2):
        kiosk.settle(passed_s)
        opened.append(kiosk.screen.state.sheet is not None)
    wishes = [[wish.kind, wish.value] for wish in kiosk.wishes]
    for key in ("menu=near", "page=screen", "brightness=down"):
        kiosk.touch(key)
    light = lights / "panel" / "brightness"
    shone = [[light.read_text(), "dim" in kiosk.screen.over.drawings]]
    light.unlink()
    light.mkdir()  # it can no longer be written
    kiosk.touch("brightness=down")
    shone.append([str(kiosk.app.touch_state.settings.brightness), "dim" in kiosk.screen.over.drawings])
    return {"shone": shone, "wishes": wishes, "said": said, "opened": opened, "settings": kiosk.app.open_settings()}


def countdown() -> dict[str, Any]:
    """Let a player's clock run out, second by second. Returns what is seen of it, and what else has changed."""
    kiosk = Living()
    sample = SAMPLES["clock-runs"]
    assert sample.view is not None
    kiosk.show(
        replace(
            sample,
            view=replace(sample.view, clocks={Seat.RED: ClockFace(600_000, False), Seat.BLUE: ClockFace(32_500, True)}),
        )
    )
    box = kiosk.screen.clocks[1].box
    outside = Box(box.x - 2, box.y - 2, box.width + 4, box.height + 4)
    times, moved, elsewhere, colours = [], [], [], []
    texts, picture = kiosk.texts(), kiosk.picture()
    for _ in range(35):
        kiosk.settle(1.0)
        old, texts = texts, kiosk.texts()
        before, picture = picture, kiosk.picture()
        times.append([text for text, letters in texts.items() if old.get(text) is not letters])
        changed = ImageChops.difference(picture, before).getbbox()
        moved.append(changed is not None)
        left, low, right, high = changed or (box.x, box.y, box.x, box.y)
        elsewhere.append(not holds(outside, Box(left, low, right - left, high - low)))
        colours.append(picture.getpixel((round(box.x + 8), round(box.y + box.height / 2))))
    return {"times": times, "moved": moved, "elsewhere": elsewhere, "colours": colours}


def scenes() -> dict[str, Any]:
    """Let a verdict come, a game end, and nothing happen after it. Returns when each is shown, and what touches wished."""
    kiosk = Living()
    from kiosk_ui.app import SHOWN_S

    before = SAMPLES["captured"].received
    assert before.info is not None
    assert before.view is not None
    kiosk.app.show(before)
    verdict = PublicEvent(before.info.game, 7, "verdict", 138, Seat.RED, "b6", "b7", captured={Seat.BLUE: Rank.SCOUT})
    kiosk.app.show(before.after(verdict))
    kiosk.settle()
    duel = [kiosk.screen.state.scene is not None]
    for passed_s in (0.9, 0.2):
        kiosk.settle(passed_s)
        duel.append(kiosk.screen.state.scene is not None)
    kiosk.settle(SHOWN_S[None] + 1)
    playing = kiosk.screen.state.idle is not None
    over = replace(before, view=replace(before.view, phase=Phase.FINISHED, result=GameEnd(Seat.RED, "flag"), turn=None))
    kiosk.app.show(over)
    kiosk.settle()
    end = [kiosk.screen.state.scene is not None]
    kiosk.touch("wake")
    end.append(kiosk.screen.state.scene is not None)
    idle, places = [kiosk.screen.state.idle is not None], set()
    for passed_s in (SHOWN_S[None] + 1, SHOWN_S[Showing.IDLE] + 1):
        kiosk.settle(passed_s)
        kiosk.picture()
        idle.append(kiosk.screen.state.idle is not None)
        places.add(kiosk.screen.state.idle and kiosk.screen.state.idle.place)
    kiosk.touch("wake")
    return {
        "duel": duel,
        "end": end,
        "wakes": [wish.kind for wish in kiosk.wishes],
        "idle": idle,
        "places": len(places),
        "woken": kiosk.screen.state.idle is not None,
        "playing": playing,
    }


def seen_again() -> dict[str, Any]:
    """Ask for the game that is over, step by touch, by a finger that slides and by keys, let it play to its end, and begin another game."""
    kiosk = Living()
    over, again = SAMPLES["over"], SAMPLES["seen-again"].desk.library
    assert over.view is not None
    assert again is not None
    kiosk.show(over)
    kiosk.touch(f"replay={over.view.game}")
    waits = kiosk.screen.state.sheet.lines[0]
    told = replace(over.received, desk=replace(over.desk, library=again))
    kiosk.app.show(told)
    kiosk.settle()
    at = []

    def seen() -> None:
        strip = kiosk.screen.state.strip
        at.append(strip and strip.at)
        kiosk.picture()

    seen()
    kiosk.touch("watch=on")
    seen()
    line = next(box for key, box in kiosk.buttons() if key == "slide")
    kiosk.drag((line.x + line.width / 2, line.y + 5), (line.x + line.width - 1, line.y + 5))
    seen()
    for key in (278, 275, 281, 113):  # home, right, page down, q
        kiosk.app.key_pressed(kiosk.window, key)
        kiosk.settle()
        seen()
    kiosk.touch("watch=play")
    for _ in range(8):
        kiosk.settle(5.1)
    seen()
    begun = replace(over.view, phase=Phase.SETTING_UP, result=None, game="another")
    kiosk.app.show(replace(told, view=begun))
    kiosk.settle()
    seen()
    return {"waits": waits, "wishes": [[wish.kind, wish.value] for wish in kiosk.wishes], "at": at}


def monkey(seed: int, turned: bool) -> dict[str, Any]:
    """Touch each made-up table at random, and press keys. Returns every wish with the button under the finger, and what
    was tried.
    """
    rng = random.Random(seed)
    kiosk = Living(turned=turned)
    ended: list[str] = []
    kiosk.app.bind(on_stop=lambda _app: ended.append("app"))
    wishes: list[tuple[str, str | None]] = []
    tables = list(SAMPLES.values())[turned::2]  # every other one upright, the rest with one half turned round
    for sample in tables:
        kiosk.show(sample)
        for _ in range(6):
            buttons = list(kiosk.buttons())
            down, up = _two_points(rng, [box for _, box in buttons])
            before, told = kiosk.screen.state, len(kiosk.wishes)
            kiosk.drag(down, up)
            under = ((key, box.contains(up) or key == "slide") for key, box in buttons if box.contains(down))
            hit = next((key for key, held in under if held), None)
            wishes += [(wish.kind, hit) for wish in kiosk.wishes[told:]]
            if hit is None and kiosk.screen.state != before:
                wishes.append(("a touch beside every button", None))
            for key in rng.sample((27, 13, 32, 282, 292, 113), 2):  # Escape, Return, blank, F1, F11, q
                kiosk.window.dispatch("on_keyboard", key, 0, None, [])
        colours = kiosk.picture().getcolors(100_000) or ()
    return {
        "wishes": wishes,
        "ended": ended,
        "drawn": len(colours) > 10,
        "tables": len(tables),
    }


def _two_points(rng: random.Random, boxes: list[Any]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where a finger comes down and leaves: half of them on a button, a quarter of them slide."""
    point = (rng.uniform(0, SIZE[0]), rng.uniform(0, SIZE[1]))
    if boxes and rng.random() < 0.5:
        box = rng.choice(boxes)
        point = (box.x + rng.uniform(0, box.width), box.y + rng.uniform(0, box.height))
    return point, (rng.uniform(0, SIZE[0]), rng.uniform(0, SIZE[1])) if rng.random() < 0.25 else point


def main() -> None:
    """Do what the arguments say."""
    name, *rest = sys.argv[1:]
    plays: dict[str, Callable[[], dict[str, Any]]] = {
        "fingers": lambda: fingers(Path(rest[0])),
        "countdown": countdown,
        "scenes": scenes,
        "seen-again": seen_again,
        "monkey": lambda: monkey(int(rest[0]), rest[1] == "turned"),
    }
    answer = plays[name]()
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
