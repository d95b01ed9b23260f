"""Marks into Kivy's graphics instructions. The only place that knows both."""
# mypy: disable-error-code="import-untyped,misc"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
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

from kiosk_ui.marks import Block, Disc, Drawing, Fill, Mark, Point, Sprite, Stroke, Text, place

_FINER = (4, 2, 1)
"""A sprite is drawn at four times its size and halved twice: soft edges on any screen, with or without multisampling."""


def painted(drawing: Drawing) -> InstructionGroup:
    """Give one group of instructions that draws these marks, the first one lowest."""
    group = InstructionGroup()
    colour = None
    for mark in drawing:
        if mark.colour != colour and not isinstance(mark, Sprite):
            group.add(Color(*mark.colour.rgba))
        colour = None if isinstance(mark, Sprite) else mark.colour
        for instruction in _instructions(mark):
            group.add(instruction)
    return group


def _instructions(mark: Mark) -> Iterable[Any]:
    match mark:
        case Disc():
            size = (2 * mark.radius_x, 2 * mark.radius_y)
            return (SmoothEllipse(pos=(mark.x - mark.radius_x, mark.y - mark.radius_y), size=size, segments=48),)
        case Block(corner=0.0):
            return (Rectangle(pos=(mark.x, mark.y), size=(mark.width, mark.height)),)
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
            return _stamped(mark)


def _filled(mark: Fill) -> Iterable[Any]:
    tesselator = Tesselator()
    tesselator.add_contour(_flat(mark.points))
    tesselator.tesselate()
    inside = [Mesh(vertices=vertices, indices=indices, mode="triangle_fan") for vertices, indices in tesselator.meshes]
    return (*inside, SmoothLine(points=_flat(mark.points), width=0.5, close=True, joint="round"))


def _stamped(mark: Sprite) -> Iterable[Any]:
    size = max(1, round(mark.size))
    texture = _sprite_texture(mark.drawing, size)
    # The texture has its colours already; whatever colour was set before must not tint it.
    return (Color(1, 1, 1, 1), Rectangle(texture=texture, pos=(round(mark.x), round(mark.y)), size=(size, size)))


@lru_cache(maxsize=512)
def _sprite_texture(drawing: Drawing, size: int) -> Any:
    edge = drawing[0].colour.faded(0.0).rgba
    content = painted(place(drawing, 0.0, 0.0, size * _FINER[0]))
    texture = None
    for finer in _FINER:
        canvas = Fbo(size=(size * finer, size * finer))
        canvas.texture.min_filter = canvas.texture.mag_filter = "linear"
        canvas.add(ClearColor(*edge))
        canvas.add(ClearBuffers())
        if texture is not None:
            content = InstructionGroup()
            content.add(Color(1, 1, 1, 1))
            content.add(Rectangle(texture=texture, size=canvas.size))
        canvas.add(content)
        canvas.draw()
        texture = canvas.texture
    return texture


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
