"""Marks into Kivy's graphics instructions. The only place that knows both."""
# mypy: disable-error-code="import-untyped,misc"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import Any

from kivy.core.text import Label as TextImage
from kivy.graphics import (
    ClearBuffers,
    ClearColor,
    Color,
    Fbo,
    InstructionGroup,
    Mesh,
    Rectangle,
    SmoothEllipse,
    SmoothLine,
    SmoothRoundedRectangle,
)
from kivy.graphics.tesselator import Tesselator
from kivy.graphics.texture import Texture

from kiosk_ui.marks import Block, Disc, Drawing, Fill, Mark, Point, Sprite, Stroke, Text, place

_FINER = (4, 2, 1)
"""A sprite is drawn at four times its size and halved twice: soft edges on any screen, with or without multisampling."""


def painted(drawing: Drawing) -> InstructionGroup:
    """Give one group of instructions that draws these marks, the first one lowest.

    Neighbours that look alike become one mesh: each instruction has buffers of its own, some 0.3 MB with Mesa's software driver.
    """
    group = InstructionGroup()
    for _, alike in groupby(drawing, key=_kind):
        marks = list(alike)
        first = marks[0]
        # A sprite has its colours already; none may tint it.
        group.add(Color(1, 1, 1, 1) if isinstance(first, Sprite) else Color(*first.colour.rgba))
        for instruction in _instructions(marks):
            group.add(instruction)
    return group


def _kind(mark: Mark) -> object:
    """Give what marks have in common that can be one mesh; others have their colour in common."""
    match mark:
        case Sprite():
            return ("sprite", mark.drawing, round(mark.size))
        case Block(corner=0.0):
            return ("block", mark.colour)
        case _:
            return mark.colour


def _instructions(marks: Sequence[Mark]) -> Iterable[Any]:
    match marks[0]:
        case Sprite() as first:
            size = max(1, round(first.size))
            boxes = [(round(mark.x), round(mark.y), size, size) for mark in marks if isinstance(mark, Sprite)]
            return (_quads(boxes, _sprite_texture(first.drawing, size)),)
        case Block(corner=0.0):
            return (_quads([(mark.x, mark.y, mark.width, mark.height) for mark in marks if isinstance(mark, Block)]),)
        case _:
            return chain.from_iterable(_instruction(mark) for mark in marks)


def _quads(boxes: Iterable[tuple[float, float, float, float]], texture: Any = None) -> Mesh:
    """Give one mesh with a rectangle for each box, all with the same texture."""
    vertices: list[float] = []
    indices: list[int] = []
    for n, (x, y, wide, high) in enumerate(boxes):
        vertices += (x, y, 0, 0, x + wide, y, 1, 0, x + wide, y + high, 1, 1, x, y + high, 0, 1)
        indices += (4 * n, 4 * n + 1, 4 * n + 2, 4 * n, 4 * n + 2, 4 * n + 3)
    return Mesh(vertices=vertices, indices=indices, mode="triangles", texture=texture)


def _instruction(mark: Mark) -> Iterable[Any]:
    match mark:
        case Disc():
            size = (2 * mark.radius_x, 2 * mark.radius_y)
            return (SmoothEllipse(pos=(mark.x - mark.radius_x, mark.y - mark.radius_y), size=size, segments=48),)
        case Block():
            corners = (mark.corner,)
            size = (mark.width, mark.height)
            return (SmoothRoundedRectangle(pos=(mark.x, mark.y), size=size, radius=corners, segments=8),)
        case Stroke():
            # Kivy's width of a line is half of what is seen.
            return (
                SmoothLine(
                    points=_flat(mark.points), width=mark.width / 2, close=mark.closed, joint="round", cap="round"
                ),
            )
        case Fill():
            return _filled(mark)
        case Text():
            return (_written(mark),)
        case Sprite():
            raise AssertionError("sprites are drawn as quads")


def _filled(mark: Fill) -> Iterable[Any]:
    tesselator = Tesselator()
    tesselator.add_contour(_flat(mark.points))
    tesselator.tesselate()
    inside = [Mesh(vertices=vertices, indices=indices, mode="triangle_fan") for vertices, indices in tesselator.meshes]
    return (*inside, SmoothLine(points=_flat(mark.points), width=0.5, close=True, joint="round"))


@lru_cache(maxsize=512)
def _sprite_texture(drawing: Drawing, size: int) -> Any:
    edge = drawing[0].colour.faded(0.0).rgba
    content = painted(place(drawing, 0.0, 0.0, size * _FINER[0]))
    for finer, canvas in zip(_FINER, _canvases(), strict=True):
        canvas.clear()
        canvas.size = (size * finer, size * finer)
        canvas.texture.min_filter = canvas.texture.mag_filter = "linear"
        canvas.add(ClearColor(*edge))
        canvas.add(ClearBuffers())
        canvas.add(content)
        canvas.draw()
        content = InstructionGroup()
        content.add(Color(1, 1, 1, 1))
        content.add(Rectangle(texture=canvas.texture, size=(size * finer // 2, size * finer // 2)))
    texture = Texture.create(size=(size, size), colorfmt="rgba")
    texture.blit_buffer(canvas.pixels, colorfmt="rgba", bufferfmt="ubyte")
    return texture


@lru_cache(maxsize=1)
def _canvases() -> tuple[Any, ...]:
    """Give the three canvases on which all sprites are made: each new one would cost a shader program of its own."""
    return tuple(Fbo(size=(1, 1)) for _ in _FINER)


def _flat(points: Iterable[Point]) -> list[float]:
    return [number for point in points for number in point]


def _written(mark: Text) -> Any:
    texture = _text_texture(mark.text, round(mark.size), mark.bold)
    wide, high = texture.size
    return Rectangle(texture=texture, pos=(round(mark.x - wide / 2), round(mark.y - high / 2)), size=(wide, high))


@lru_cache(maxsize=256)
def _text_texture(text: str, size: int, bold: bool) -> Any:
    image = TextImage(text=text, font_size=size, bold=bold)
    image.refresh()
    return image.texture
