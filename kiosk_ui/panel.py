"""What every panel of the screen is: a box of the window with children inside it, shown upright or upside down, and buttons to touch.

One that seldom changes is painted into a picture of its own and shown as that; one that changes with every move is drawn with the
window, for painting its picture first would cost as much again.
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from typing import Any

from kivy.graphics import (
    Callback,
    Canvas,
    ClearBuffers,
    ClearColor,
    Color,
    Fbo,
    PopMatrix,
    PushMatrix,
    Rectangle,
    Scale,
    Translate,
)
from kivy.graphics.opengl import GL_BLEND, glDisable, glEnable
from kivy.graphics.scissor_instructions import ScissorPop, ScissorPush
from kivy.uix.widget import Widget

from kiosk_ui.plan import upright
from kiosk_ui.sheets import Button
from referee.presentation import palette
from referee.presentation.palette import Colour
from referee.presentation.shapes import Box, Point

_NOWHERE = Box(0.0, 0.0, 0.0, 0.0)
_FAR = -100_000
"""So far outside the window nothing is drawn."""


class Panel(Widget):
    """Its box, what was shown in it last, and its buttons; how it comes into its box is a subclass's."""

    _back: Any
    """Clears to the colour behind everything."""

    def __init__(self, **kwargs: Any) -> None:
        self.inside: tuple[Any, ...] = ()
        """What was shown in it last; another object whenever that changes."""
        self.box = _NOWHERE
        self.turned = False
        self.buttons: tuple[tuple[Button, Box], ...] = ()
        super().__init__(**kwargs)

    def lay(self, box: Box, turned: bool = False) -> None:
        """Show this panel in a box of the window."""
        if (box, turned) != (self.box, self.turned):
            self.box, self.turned = box, turned
            self.place((round(box.x), round(box.y)), (max(1, round(box.width)), max(1, round(box.height))))

    def hide(self) -> None:
        """Show nothing, and take no touches."""
        self.buttons = ()
        if self.box != _NOWHERE:
            self.box, self.inside = _NOWHERE, ()
            self.place((0, 0), (0, 0))

    def place(self, corner: tuple[int, int], size: tuple[int, int]) -> None:
        """Be shown in these pixels of the window; none at all with a size of 0."""
        raise NotImplementedError

    def paint(self) -> None:
        """Paint now what is painted into a picture, if it has changed, and not only when the window is drawn."""

    def fill(self, colour: Colour) -> None:
        """Have this colour behind everything: clearing costs much less than a rectangle."""
        self._back.r, self._back.g, self._back.b, self._back.a = colour.rgba

    def same(self, *inside: Any) -> bool:
        """Tell whether this was shown already; remember it if not."""
        if inside == self.inside:
            return True
        self.inside = inside
        return False

    def button_at(self, point: Point) -> tuple[Button, Box] | None:
        """Give the enabled button under a point of the window, and where it is seen."""
        if not self.box.contains(point):
            return None
        inside = upright(point, self.box) if self.turned else point
        for button, box in self.buttons:
            if button.enabled and box.contains(inside):
                return button, self.seen_at(box)
        return None

    def seen_at(self, box: Box) -> Box:
        """Give where a box of the upright plan is seen in the window."""
        if not self.turned:
            return box
        x, y = upright((box.x + box.width, box.y + box.height), self.box)
        return Box(x, y, box.width, box.height)


class PaintedPanel(Panel):
    """Its children are painted into a picture of its own whenever one of them changes, and that picture is shown."""

    def __init__(self, **kwargs: Any) -> None:
        self.canvas, self._fbo = Canvas(), Fbo(size=(1, 1))
        self._back, self._shift = ClearColor(*palette.NIGHT.rgba), Translate(0, 0, 0)
        for instruction in (self._back, ClearBuffers(), PushMatrix(), self._shift):
            self._fbo.before.add(instruction)
        self._fbo.after.add(PopMatrix())
        self._shown_in = Rectangle(size=(0, 0))
        whole = (Callback(_cover), Color(1, 1, 1, 1), self._shown_in, Callback(_blend))
        for instruction in (self._fbo, *whole):
            self.canvas.add(instruction)
        super().__init__(**kwargs)

    def add_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """Add a child, whose canvas goes into the picture."""
        own, self.canvas = self.canvas, self._fbo
        super().add_widget(widget, *args, **kwargs)
        self.canvas = own

    def remove_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """Remove a child, and its canvas from the picture."""
        own, self.canvas = self.canvas, self._fbo
        super().remove_widget(widget, *args, **kwargs)
        self.canvas = own

    def place(self, corner: tuple[int, int], size: tuple[int, int]) -> None:
        """Be shown in these pixels; a picture that is not shown gives its memory back."""
        self._shown_in.pos, self._shown_in.size = corner, size
        if tuple(self._fbo.size) != size:
            self._fbo.size = size if size[0] else (1, 1)
        self._shift.x, self._shift.y = -corner[0], -corner[1]
        texture = self._fbo.texture
        texture.min_filter = texture.mag_filter = "nearest"  # it is shown pixel for pixel
        self._shown_in.texture = texture
        self._shown_in.tex_coords = (1, 1, 0, 1, 0, 0, 1, 0) if self.turned else (0, 0, 1, 0, 1, 1, 0, 1)

    def paint(self) -> None:
        """Paint the picture."""
        self._fbo.draw()


class OpenPanel(Panel):
    """Its children are drawn into the window each time that anything in the window is."""

    def __init__(self, **kwargs: Any) -> None:
        self.canvas = Canvas()
        self._seen_in = (0, 0, 0, 0)
        self._back, self._window = ClearColor(*palette.NIGHT.rgba), ScissorPush(x=0, y=0, width=0, height=0)
        self._shift, self._turn = Translate(0, 0, 0), Scale(1, 1, 1)
        # only what is cleared is cut off at the box: a scissor would also cut the pictures that children paint for themselves
        clearing = (self._window, self._back, ClearBuffers(), ScissorPop())
        for instruction in (*clearing, PushMatrix(), self._shift, self._turn):
            self.canvas.before.add(instruction)
        self.canvas.after.add(PopMatrix())
        super().__init__(**kwargs)

    def place(self, corner: tuple[int, int], size: tuple[int, int]) -> None:
        """Be shown in these pixels."""
        self._seen_in = (*corner, *size)
        self._clear()
        self._turn.x = self._turn.y = -1 if self.turned else 1
        if not size[0]:
            corner = (_FAR, _FAR)
        elif not self.turned:
            corner = (0, 0)
        self._shift.x, self._shift.y = (2 * corner[0] + size[0], 2 * corner[1] + size[1]) if self.turned else corner

    def fill(self, colour: Colour) -> None:
        """Have this colour behind everything."""
        super().fill(colour)
        self._clear()

    def _clear(self) -> None:
        """Clear the box where the window, which is cleared as a whole, has another colour."""
        same = tuple(self._back.rgba) == palette.NIGHT.rgba
        self._window.x, self._window.y, self._window.width, self._window.height = (
            (0, 0, 0, 0) if same else self._seen_in
        )


def _cover(_callback: object) -> None:
    """Let pictures cover what lies below: none of a panel's is transparent, and blending costs a third of its time in software."""
    glDisable(GL_BLEND)


def _blend(_callback: object) -> None:
    glEnable(GL_BLEND)
