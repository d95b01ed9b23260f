"""The two widgets that everything on the screen is made of: a picture of marks, and a line of text that fits its box.

`painted` turns marks into Kivy's graphics instructions; it alone knows both.
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import Any

from kivy import graphics
from kivy.core.text import Label as TextImage
from kivy.graphics.tesselator import Tesselator
from kivy.graphics.texture import Texture
from kivy.properties import DictProperty, NumericProperty
from kivy.uix.label import Label
from kivy.uix.widget import Widget

from kiosk_ui.layout import MEASURED_AT, fitting_size
from referee.presentation.palette import Colour
from referee.presentation.shapes import Block, Disc, Drawing, Fill, Mark, Point, Sprite, Stroke, Text, place

_WHITE_DISC = (Disc(0.5, 0.5, 0.5, 0.5, Colour(255, 255, 255)),)
_FINER = (4, 2, 1)
"""A sprite is drawn at four times its size and halved twice: soft edges on any screen, with or without multisampling."""
_LARGE = 64
"""From this size on, in pixels, twice is fine enough: four times would take megabytes."""


def painted(drawing: Drawing) -> graphics.InstructionGroup:
    """Return one group of instructions that draws these marks, the first one lowest.

    Neighbours that look alike become one mesh: each instruction has buffers of its own, some 0.3 MB with Mesa's software driver.
    """
    group = graphics.InstructionGroup()
    for _, alike in groupby(drawing, key=_kind):
        marks = list(alike)
        first = marks[0]
        # A sprite has its colours already; none may tint it.
        group.add(graphics.Color(1, 1, 1, 1) if isinstance(first, Sprite) else graphics.Color(*first.colour.rgba))
        for instruction in _instructions(marks):
            group.add(instruction)
    return group


def _kind(mark: Mark) -> object:
    """Return what marks have in common that can be one mesh; others have their colour in common."""
    match mark:
        case Sprite():
            return ("sprite", mark.drawing, round(mark.size))
        case Block():
            return ("block", mark.colour, _corner(mark))
        case _:
            return mark.colour


def _instructions(marks: Sequence[Mark]) -> Iterable[Any]:
    match marks[0]:
        case Sprite() as first:
            size = max(1, round(first.size))
            boxes = [(round(mark.x), round(mark.y), size, size) for mark in marks if isinstance(mark, Sprite)]
            return (_quads(boxes, _sprite_texture(first.drawing, size)),)
        case Block():
            return (_blocks([mark for mark in marks if isinstance(mark, Block)]),)
        case _:
            return chain.from_iterable(_instruction(mark) for mark in marks)


def _quads(boxes: Iterable[tuple[float, float, float, float]], texture: Any = None) -> graphics.Mesh:
    """Return one mesh with a rectangle for each box, all with the same texture."""
    return _grids([((x, x + wide), (y, y + high)) for x, y, wide, high in boxes], (0, 1), texture)


def _corner(block: Block) -> int:
    """Return the radius of its corners in whole pixels."""
    return min(round(block.corner), math.floor(block.width / 2), math.floor(block.height / 2))


def _blocks(blocks: Sequence[Block]) -> graphics.Mesh:
    """Return one mesh with blocks whose corners are alike: each corner is a quarter of one disc, whose middle fills the rest."""
    corner = _corner(blocks[0])
    if not corner:
        return _quads([(block.x, block.y, block.width, block.height) for block in blocks])
    grids = [tuple((low, low + corner, high - corner, high) for low, high in _edges(block)) for block in blocks]
    return _grids(grids, (0, 0.5, 0.5, 1), _sprite_texture(_WHITE_DISC, 2 * corner))


def _edges(block: Block) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return its edges left and right, below and above; on whole pixels they are sharp."""
    return (round(block.x), round(block.x + block.width)), (round(block.y), round(block.y + block.height))


def _grids(grids: Iterable[Sequence[Sequence[float]]], shares: Sequence[float], texture: Any) -> graphics.Mesh:
    """Return one mesh of grids, by the lines of each across and upwards; `shares` says where these lie in the texture."""
    vertices: list[float] = []
    indices: list[int] = []
    side = len(shares)
    for n, (across, upwards) in enumerate(grids):
        for y, v in zip(upwards, shares, strict=True):
            for x, u in zip(across, shares, strict=True):
                vertices += (x, y, u, v)
        for row in range(side - 1):
            for column in range(side - 1):
                at = (n * side + row) * side + column
                indices += (at, at + 1, at + side + 1, at, at + side + 1, at + side)
    return graphics.Mesh(vertices=vertices, indices=indices, mode="triangles", texture=texture)


def _instruction(mark: Mark) -> Iterable[Any]:
    match mark:
        case Disc():
            size = (2 * mark.radius_x, 2 * mark.radius_y)
            return (
                graphics.SmoothEllipse(pos=(mark.x - mark.radius_x, mark.y - mark.radius_y), size=size, segments=48),
            )
        case Stroke():
            # Kivy's width of a line is half of what is seen.
            return (
                graphics.SmoothLine(
                    points=_flat(mark.points), width=mark.width / 2, close=mark.closed, joint="round", cap="round"
                ),
            )
        case Fill():
            return _filled(mark)
        case Text():
            return (_written(mark),)
        case Sprite() | Block():
            raise AssertionError("sprites and blocks are drawn as meshes")


def _filled(mark: Fill) -> Iterable[Any]:
    tesselator = Tesselator()
    tesselator.add_contour(_flat(mark.points))
    tesselator.tesselate()
    inside = [
        graphics.Mesh(vertices=vertices, indices=indices, mode="triangle_fan")
        for vertices, indices in tesselator.meshes
    ]
    return (*inside, graphics.SmoothLine(points=_flat(mark.points), width=0.5, close=True, joint="round"))


@lru_cache(maxsize=512)
def _sprite_texture(drawing: Drawing, size: int) -> Any:
    edge = drawing[0].colour.faded(0.0).rgba
    steps = _FINER if size < _LARGE else _FINER[1:]
    content = painted(place(drawing, 0.0, 0.0, size * steps[0]))
    for finer, canvas in zip(steps, _canvases()[-len(steps) :], strict=True):
        canvas.clear()
        canvas.size = (size * finer, size * finer)
        canvas.texture.min_filter = canvas.texture.mag_filter = "linear"
        canvas.add(graphics.ClearColor(*edge))
        canvas.add(graphics.ClearBuffers())
        canvas.add(content)
        canvas.draw()
        content = graphics.InstructionGroup()
        content.add(graphics.Color(1, 1, 1, 1))
        content.add(graphics.Rectangle(texture=canvas.texture, size=(size * finer // 2, size * finer // 2)))
    texture = Texture.create(size=(size, size), colorfmt="rgba")
    texture.blit_buffer(canvas.pixels, colorfmt="rgba", bufferfmt="ubyte")
    return texture


@lru_cache(maxsize=1)
def _canvases() -> tuple[Any, ...]:
    """Return the three canvases on which all sprites are made: each new one would cost a shader program of its own."""
    return tuple(graphics.Fbo(size=(1, 1)) for _ in _FINER)


def _flat(points: Iterable[Point]) -> list[float]:
    return [number for point in points for number in point]


def _written(mark: Text) -> Any:
    texture = _text_texture(mark.text, round(mark.size), mark.bold)
    wide, high = texture.size
    return graphics.Rectangle(
        texture=texture, pos=(round(mark.x - wide / 2), round(mark.y - high / 2)), size=(wide, high)
    )


@lru_cache(maxsize=256)
def _text_texture(text: str, size: int, bold: bool) -> Any:
    image = TextImage(text=text, font_size=size, bold=bold)
    image.refresh()
    return image.texture


class Picture(Widget):
    """Shows drawings by key, in the order of their keys' first coming; only those that changed are drawn again."""

    drawings: Mapping[str, Drawing] = DictProperty({}, rebind=False)

    def __init__(self, **kwargs: Any) -> None:
        self._shown: dict[str, tuple[Drawing, graphics.InstructionGroup]] = {}
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
        for measured in ("text", "size", "bold", "largest", "lines"):
            self.fbind(measured, self.refit)
        self.refit()

    def refit(self, *_: object) -> None:
        """Choose the font size again."""
        words = (self.text,) if self.lines == 1 else self.text.split(" ")
        widths = [text_width(word, self.bold) for word in words]
        blank = text_width(" ", self.bold)
        self.font_size = fitting_size(widths, blank, self.width, self.height, self.largest, self.lines)


@lru_cache(maxsize=2048)
def text_width(text: str, bold: bool) -> float:
    """Return the width in pixels of one line, or of one word, at `MEASURED_AT`."""
    width: float = TextImage(text=text, font_size=MEASURED_AT, bold=bold).get_extents(text)[0]
    return width
