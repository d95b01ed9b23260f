"""A kiosk's screen in a process of its own, for the tests: JSON lines in, what is to be seen out. Not a test itself."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

from kiosk_ui.fixtures import samples, touch_samples
from kiosk_ui.screenshots import Stage
from referee.presentation.shapes import Box

_FRAME_S, _WHILE_S = 1 / 30, 2.0
"""A frame of the screen, and longer than a ring is to be seen."""
_now_s = [1000.0]
"""The screen's time, which stands still but while something moves: how fast the machine is shows in no picture."""


def main() -> None:
    """Answer each line {"sample", "language", "size", "turned", "pixels", "grounds", "touch"} with what is then to be seen.

    `touch` are points where a finger comes down and leaves again; `keys` in the answer are the buttons that were touched.
    """
    stage = Stage((800, 480), (1920, 1080), (1080, 1920))
    from kivy.clock import Clock  # type: ignore[import-untyped]  # Kivy ships no types

    Clock.time = lambda: _now_s[0]
    Clock.tick()
    keys: list[str] = []
    stage.screen.on_key = keys.append
    by_name = {sample.name: sample for sample in (*samples(), *touch_samples())}
    for line in sys.stdin:
        wish = json.loads(line)
        keys.clear()
        stage.resize(tuple(wish["size"]))
        stage.show(by_name[wish["sample"]], wish["language"], wish.get("turned", False))
        print(json.dumps(_answer(stage, wish, keys)), flush=True)


def _answer(stage: Stage, wish: dict[str, Any], keys: list[str]) -> dict[str, Any]:
    if "save" in wish:
        stage.save(Path(wish["save"]))
        return {}
    if "pulse" in wish:
        return _pulse(stage, wish["pulse"])
    for down, up in wish["touch"]:
        _touch(stage, down, up)
    labels = _labels(stage.screen)
    if wish["grounds"]:
        _add_grounds(labels, stage.window)
    return {
        "labels": labels,
        "pixels": _pixels(stage.window, wish["pixels"]),
        "buttons": _buttons(stage.screen),
        "keys": keys,
    }


def _pulse(stage: Stage, motion: bool) -> dict[str, int]:
    """Show a capture. Returns the most marks that the ring had meanwhile, and those it has in the end."""
    screen = stage.screen
    screen.state = replace(screen.state, settings=replace(screen.state.settings, motion=motion))
    screen.pulse()
    marks = []
    for _ in range(round(_WHILE_S / _FRAME_S)):
        _now_s[0] += _FRAME_S
        stage.settle()
        marks.append(len(screen.over.drawings.get("pulse", ())))
    return {"during": max(marks), "after": marks[-1]}


def _touch(stage: Stage, down: tuple[int, int], up: tuple[int, int]) -> None:
    from kivy.tests.common import UnitTestTouch  # type: ignore[import-untyped]  # Kivy ships no types

    touch = UnitTestTouch(*down)
    touch.touch_down()
    touch.touch_move(*up)
    touch.touch_up()
    stage.settle()


def _buttons(screen: Any) -> dict[str, list[float]]:
    """Return the middle of each button that could be touched, by its key; of two that are alike the second."""
    found = {}
    for panel in screen.panels:
        for button, box in panel.buttons if panel.box.width else ():
            if button.enabled:
                seen = panel.seen_at(box)
                found[button.key] = [*seen.pos, *seen.size]
    return found


def _labels(screen: Any) -> list[dict[str, Any]]:
    from kiosk_ui.layout import MEASURED_AT
    from kiosk_ui.widgets import FitLabel, text_width

    found = []
    covers = (screen.sheet, *screen.scenes)
    for panel in screen.panels:
        if not panel.box.width or (panel is screen.board and any(cover.box.width for cover in covers)):
            continue
        whole = screen.idle.box.width and screen.idle
        if screen.state.sheet and screen.state.sheet.full:
            whole = screen.sheet
        if whole and panel is not whole:
            continue
        for widget in panel.walk(restrict=True):
            if isinstance(widget, FitLabel) and widget.text:
                within = widget.width if widget.lines > 1 else None
                wide, high = _measured(widget.text, widget.font_size, widget.bold, within)
                box = panel.seen_at(Box(widget.x, widget.y, widget.width, widget.height))
                found.append(
                    {
                        "text": widget.text,
                        "box": [*box.pos, *box.size],
                        "wide": wide,
                        "high": high,
                        "size": widget.font_size,
                        "word": max(text_width(word, widget.bold) for word in widget.text.split(" "))
                        * widget.font_size
                        / MEASURED_AT,
                        "drawn": list(widget.texture_size),
                        "ink": [round(255 * part) for part in widget.color[:3]],
                    }
                )
    return found


def _add_grounds(labels: list[dict[str, Any]], window: Any) -> None:
    """Add to each text the colour in which most of its box is seen."""
    seen = Image.frombytes("RGBA", window.size, _picture(window))
    for label in labels:
        x, y, wide, high = (round(part) for part in label["box"])
        counted: Any = seen.crop((x, y, x + wide, y + high)).getcolors(wide * high)  # pairs of a number and a colour
        label["ground"] = max(counted)[1][:3]


@cache
def _measured(text: str, font_size: float, bold: bool, within: float | None) -> tuple[float, float]:
    """Return how wide and high a text is on one line, or broken `within` a width; most come again in the next picture."""
    from kivy.core.text import Label as TextImage  # type: ignore[import-untyped]  # Kivy ships no types

    image = TextImage(text=text, font_size=font_size, bold=bold, text_size=(within, None))
    if within is None:
        wide, high = image.get_extents(text)
        return wide, high
    image.refresh()
    wide, high = image.texture.size
    return wide, high


def _pixels(window: Any, points: list[tuple[int, int]]) -> list[list[int]]:
    if not points:
        return []
    data, wide = _picture(window), window.size[0]
    return [list(data[4 * (y * wide + x) : 4 * (y * wide + x) + 3]) for x, y in points]


def _picture(window: Any) -> bytes:
    """Return what is seen, four bytes a pixel, the lowest row first."""
    from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels  # type: ignore[import-untyped]  # as above

    window.dispatch("on_draw")
    return bytes(glReadPixels(0, 0, *window.size, GL_RGBA, GL_UNSIGNED_BYTE))


if __name__ == "__main__":
    main()
