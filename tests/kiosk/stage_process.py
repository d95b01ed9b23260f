"""A kiosk's screen in a process of its own, for the tests: JSON lines in, what is to be seen out. Not a test itself."""

from __future__ import annotations

import json
import sys
from typing import Any

from kiosk_ui.samples import samples
from kiosk_ui.shots import Stage


def main() -> None:
    """Answer each line {"sample", "language", "size", "pixels"} with the labels and the asked pixels of that picture."""
    stage = Stage((800, 480), (1920, 1080))
    by_name = {sample.name: sample for sample in samples()}
    for line in sys.stdin:
        wish = json.loads(line)
        stage.resize(tuple(wish["size"]))
        stage.show(by_name[wish["sample"]], wish["language"])
        answer = {"labels": _labels(stage.screen), "pixels": _pixels(stage.window, wish["pixels"])}
        print(json.dumps(answer), flush=True)


def _labels(screen: Any) -> list[dict[str, Any]]:
    from kivy.core.text import Label as TextImage  # type: ignore[import-untyped]  # Kivy ships no types

    from kiosk_ui.table_screen import FitLabel

    found = []
    for widget in screen.walk():
        if isinstance(widget, FitLabel) and widget.text:
            image = TextImage(text=widget.text, font_size=widget.font_size, bold=widget.bold)
            wide, high = image.get_extents(widget.text)
            found.append(
                {
                    "text": widget.text,
                    "box": [widget.x, widget.y, widget.width, widget.height],
                    "wide": wide,
                    "high": high,
                    "size": widget.font_size,
                    "drawn": list(widget.texture_size),
                }
            )
    return found


def _pixels(window: Any, points: list[tuple[int, int]]) -> list[list[int]]:
    if not points:
        return []
    from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels  # type: ignore[import-untyped]  # as above

    window.dispatch("on_draw")
    wide, high = window.size
    data = glReadPixels(0, 0, wide, high, GL_RGBA, GL_UNSIGNED_BYTE)
    return [list(data[4 * (y * wide + x) : 4 * (y * wide + x) + 3]) for x, y in points]


if __name__ == "__main__":
    main()
