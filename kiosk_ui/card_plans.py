"""Where things go on the card of a seat: how it is joined, or the digits that are compared. Pure; boxes are in pixels, upright."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kiosk_ui.panel_plans import PAD
from referee.presentation.shapes import Box


@dataclass(frozen=True, slots=True)
class CardPlan:
    """The boxes of one seat's card: sign, name, a sentence, the code or the digits, hints below: an address and what is typed there.

    One that is too low for hints has no box for the first, and the second beside the name.
    """

    unit: float
    box: Box
    sign: Box
    name: Box
    text: Box | None
    picture: Box
    digits: Box
    news: Box
    """Above the digits: what they are for."""
    question: Box
    """Below them."""
    hints: tuple[Box | None, Box]


def card_plans(box: Box, unit: float, cards: int, modules: int) -> tuple[CardPlan, ...]:
    """Give the boxes of the cards of one side, one above the other; `modules` is the side of a code with its quiet zone."""
    beside = box.width > 1.3 * box.height
    gap = 6 * unit
    if beside:
        wide = (box.width - (cards - 1) * gap) / cards
        boxes = [Box(box.x + n * (wide + gap), box.y, wide, box.height) for n in range(cards)]
    else:
        high = (box.height - (cards - 1) * gap) / cards
        boxes = [Box(box.x, box.y + (cards - 1 - n) * (high + gap), box.width, high) for n in range(cards)]
    return tuple(_card(each, unit, modules) for each in boxes)


def _card(box: Box, unit: float, modules: int) -> CardPlan:
    if box.width > 1.3 * box.height:
        return _card_beside(box, unit, modules)
    return _card_below(box, unit, modules) if box.height > 250 * unit else _card_low(box, unit, modules)


def _card_below(box: Box, unit: float, modules: int) -> CardPlan:
    """Give a card with its code below its name."""
    column = box.inset(PAD * unit)
    sign, name, top = _card_head(column, unit)
    side = _whole(min(column.width, column.height - 106 * unit), modules)
    picture = Box(math.floor(box.x + (box.width - side) / 2), math.floor(top - 24 * unit - side), side, side)
    low = picture.y - 54 * unit
    return CardPlan(
        unit, box, sign, name, Box(column.x, top - 20 * unit, column.width, 19 * unit), picture,
        *_compared(Box(column.x, column.y, column.width, top - column.y), unit),
        (Box(column.x, low + 29 * unit, column.width, 20 * unit), Box(column.x, low, column.width, 28 * unit)),
    )  # fmt: skip


def _card_low(box: Box, unit: float, modules: int) -> CardPlan:
    """Give a card with room for name and code only; what is typed stands beside the name."""
    column = box.inset(PAD * unit)
    sign, name, top = _card_head(column, unit)
    half = name.width * 0.48
    side = _whole(min(column.width, top - column.y), modules)
    picture = Box(math.floor(box.x + (box.width - side) / 2), math.floor(top - side), side, side)
    return CardPlan(
        unit, box, sign, Box(name.x, name.y, half - 6 * unit, name.height), None, picture,
        *_compared(Box(column.x, column.y, column.width, top - column.y), unit),
        (None, Box(name.x + half, name.y, name.width - half, name.height)),
    )  # fmt: skip


def _card_beside(box: Box, unit: float, modules: int) -> CardPlan:
    """Give a card with its code on the right."""
    side = _whole(box.height - 2 * PAD * unit, modules)
    picture = Box(
        math.floor(box.x + box.width - PAD * unit - side), math.floor(box.y + (box.height - side) / 2), side, side
    )
    low = box.y + PAD * unit
    column = Box(box.x + PAD * unit, low, picture.x - box.x - 2 * PAD * unit, box.height - 2 * PAD * unit)
    sign, name, top = _card_head(column, unit)
    text = Box(column.x, top - 20 * unit, column.width, 19 * unit)
    first = Box(column.x, low + 29 * unit, column.width, 20 * unit)
    roomy = column.width > 150 * unit
    digits, news, question = _compared(Box(column.x, low, box.width - 2 * PAD * unit, top - low), unit)
    return CardPlan(
        unit=unit,
        box=box,
        sign=sign,
        name=name,
        text=text if roomy else None,
        picture=picture,
        digits=digits,
        news=news,
        question=question,
        hints=(first if roomy else None, Box(column.x, low, column.width, 28 * unit)),
    )


def _compared(room: Box, unit: float) -> tuple[Box, Box, Box]:
    """Give where digits stand in a room, what is said above them, and the question below."""
    news = Box(room.x, room.y + room.height - 36 * unit, room.width, 36 * unit)
    rest = news.y - room.y
    low = max(24 * unit, min(80 * unit, rest * 0.4))
    high = min(120 * unit, rest - low)
    digits = Box(room.x, news.y - high, room.width, high)
    return digits, news, Box(room.x, digits.y - low, room.width, low)


def _card_head(column: Box, unit: float) -> tuple[Box, Box, float]:
    """Give sign and name at the top of a card, and what is left below them."""
    top = column.y + column.height
    sign = Box(column.x, top - 28 * unit, 26 * unit, 26 * unit)
    return sign, Box(sign.x + 33 * unit, top - 29 * unit, column.width - 33 * unit, 28 * unit), top - 31 * unit


def _whole(room: float, modules: int) -> int:
    """Give the side of a code in whole pixels a module, so that a camera sees sharp edges."""
    return max(1, math.floor(room / modules)) * modules
