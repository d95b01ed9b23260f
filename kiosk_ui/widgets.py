"""The two widgets that everything on the screen is made of: a picture of marks, and a line of text that fits its box."""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kivy.core.text import Label as TextImage
from kivy.graphics import InstructionGroup
from kivy.properties import DictProperty, NumericProperty
from kivy.uix.label import Label
from kivy.uix.widget import Widget

from kiosk_ui.fitting import MEASURED_AT, fitting_size
from kiosk_ui.paint import painted
from referee.presentation.shapes import Drawing


class Picture(Widget):
    """Shows drawings by key, in the order of their keys' first coming; only those that changed are drawn again."""

    drawings: Mapping[str, Drawing] = DictProperty({}, rebind=False)

    def __init__(self, **kwargs: Any) -> None:
        self._shown: dict[str, tuple[Drawing, InstructionGroup]] = {}
        super().__init__(**kwargs)

    def on_drawings(self, _widget: Widget, drawings: Mapping[str, Drawing]) -> None:
        """Take over what is new, drop what is gone, leave the rest alone."""
        for key in [key for key in self._shown if key not in drawings]:
            self.canvas.remove(self._shown.pop(key)[1])
        for key, drawing in drawings.items():
            old = self._shown.get(key)
            if old is not None and old[0] == drawing:
                continue
            group = painted(drawing)
            if old is None:
                self.canvas.add(group)
            else:
                self.canvas.insert(self.canvas.indexof(old[1]), group)
                self.canvas.remove(old[1])
            self._shown[key] = (drawing, group)


class FitLabel(Label):
    """A text on one line, or on as many as `lines` says, as big as its box lets it be and at most `largest` pixels."""

    largest = NumericProperty(20.0)
    lines = NumericProperty(1)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fbind("text", self.refit)
        self.fbind("size", self.refit)
        self.fbind("bold", self.refit)
        self.fbind("largest", self.refit)
        self.fbind("lines", self.refit)
        self.refit()

    def refit(self, *_: object) -> None:
        """Choose the font size again."""
        words = (self.text,) if self.lines == 1 else self.text.split(" ")
        widths = [text_width(word, self.bold) for word in words]
        blank = text_width(" ", self.bold)
        self.font_size = fitting_size(widths, blank, self.width, self.height, self.largest, self.lines)


@lru_cache(maxsize=2048)
def text_width(text: str, bold: bool) -> float:
    """Give the width in pixels of one line, or of one word, at `MEASURED_AT`."""
    width: float = TextImage(text=text, font_size=MEASURED_AT, bold=bold).get_extents(text)[0]
    return width
