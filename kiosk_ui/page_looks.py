"""What pages, cards and buttons look like: colours and small pictures, as values. Pure; the widgets only hold them up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kiosk_ui.card_plans import CardPlan
from kiosk_ui.panel_plans import SheetPlan
from kiosk_ui.sheets import Button, Sheet
from kiosk_ui.sides import QUIET, Card
from referee.presentation import palette
from referee.presentation.emblems import glyph, sign
from referee.presentation.palette import Colour
from referee.presentation.shapes import Block, Box, Disc, Drawing, Mark, Sprite, Stroke

_NARROW = 140.0
"""On a button that is less wide than this, in units, all stands closer together."""


def button_ground(button: Button) -> Colour:
    """Give the colour of a button: its army's, the one of what goes on, or a quiet one."""
    if not button.enabled:
        return palette.PANEL
    if button.seat is not None:
        return palette.ARMY[button.seat]
    return palette.GO if button.strong else palette.SLOT


def button_ink(button: Button) -> Colour:
    """Give what can be read on it."""
    if not button.enabled:
        return palette.MUTED
    if button.seat is not None:
        return palette.ON_ARMY[button.seat]
    return palette.INK if button.strong else palette.CHALK


def button_sign(button: Button, box: Box, unit: float) -> Box:
    """Give where the sign of a button stands: on its left, or in its middle where it says nothing."""
    narrow = box.width < _NARROW * unit
    size = min((20 if narrow else 26) * unit, box.height * 0.62)
    x = box.x + ((5 if narrow else 8) * unit if button.text else (box.width - size) / 2)
    return Box(x, box.y + (box.height - size) / 2, size, size)


def button_text(button: Button, box: Box, unit: float) -> Box:
    """Give where its text stands."""
    narrow = box.width < _NARROW * unit
    signed = button.glyph or button.on is not None or button.seat is not None
    left, right = ((28 if narrow else 40) if signed else 8) * unit, (3 if narrow else 6) * unit
    return Box(box.x + left, box.y, box.width - left - right, box.height)


def button_picture(button: Button, box: Box, unit: float) -> Drawing:
    """Give a button without its text: its ground, an edge where it is a choice that is made, and its sign."""
    ground, ink = button_ground(button), button_ink(button)
    marks: list[Mark] = []
    if button.on:
        marks.append(Block(box.x, box.y, box.width, box.height, 9 * unit, palette.GLOW))
        box = box.inset(2.5 * unit)
    marks.append(Block(box.x, box.y, box.width, box.height, 8 * unit, ground))
    at = button_sign(button, box, unit)
    if button.glyph:
        marks.append(Sprite(at.x, at.y, at.width, glyph(button.glyph, ink, ground)))
    elif button.on is not None:
        marks.append(Sprite(at.x, at.y, at.width, _TICKED if button.on else _UNTICKED))
    elif button.seat is not None:
        marks.append(Sprite(at.x, at.y, at.width, sign(button.seat, ink)))
    return tuple(marks)


def buttons_pictures(buttons: Sequence[Button], boxes: Sequence[Box], unit: float) -> dict[str, Drawing]:
    """Give the pictures of several buttons by what they are for."""
    return {
        f"button {button.key}": button_picture(button, box, unit) for button, box in zip(buttons, boxes, strict=True)
    }


def sheet_picture(page: Sheet, plan: SheetPlan) -> Mapping[str, Drawing]:
    """Give the ground of a page, its buttons, and a dot for each digit that was typed."""
    box = plan.box.inset(2 * plan.unit)
    drawings: dict[str, Drawing] = {
        "ground": (Block(box.x, box.y, box.width, box.height, 10 * plan.unit, palette.PANEL),)
    }
    if plan.typed is not None and page.typed is not None:
        drawings["typed"] = tuple(_dots(page.typed, plan.typed))
    return drawings | buttons_pictures(page.buttons, plan.buttons, plan.unit)


def card_picture(card: Card, plan: CardPlan) -> Mapping[str, Drawing]:
    """Give a card's panel, its army's sign, and its code."""
    box, at = plan.box, plan.sign
    ground = (
        Block(box.x, box.y, box.width, box.height, 8 * plan.unit, palette.ARMY[card.seat]),
        Block(box.x + 2.5 * plan.unit, box.y + 2.5 * plan.unit, box.width - 5 * plan.unit, box.height - 5 * plan.unit,
              6 * plan.unit, palette.PANEL),
    )  # fmt: skip
    drawings: dict[str, Drawing] = {
        "ground": ground,
        "sign": (Sprite(at.x, at.y, at.width, sign(card.seat, palette.ARMY[card.seat])),),
    }
    if card.code:
        drawings["code"] = code_picture(card.code, plan.picture)
    elif not card.digits:
        drawings["state"] = tuple(_waiting(plan.digits))
    return drawings


def code_picture(rows: Sequence[str], box: Box) -> Drawing:
    """Give a QR code, black on white whatever the screen's colours are: cameras want it so."""
    modules = len(rows) + 2 * QUIET
    size = box.width / modules
    marks: list[Mark] = [Block(box.x, box.y, box.width, box.height, 0.0, _WHITE)]
    top = box.y + box.height - QUIET * size
    for n, row in enumerate(rows):
        for start, length in _runs(row):
            marks.append(Block(box.x + (QUIET + start) * size, top - (n + 1) * size, length * size, size, 0.0, _BLACK))
    return tuple(marks)


def _runs(row: str) -> Iterator[tuple[int, int]]:
    """Give start and length of each run of 1."""
    start = None
    for n, module in enumerate(f"{row}0"):
        if module == "1" and start is None:
            start = n
        elif module == "0" and start is not None:
            yield start, n - start
            start = None


def _dots(number: int, box: Box) -> Iterator[Mark]:
    x, y = box.centre
    step = box.height * 0.8
    for n in range(number):
        yield Disc(x + (n - (number - 1) / 2) * step, y, box.height * 0.24, box.height * 0.24, palette.CHALK)


def _waiting(box: Box) -> Iterator[Mark]:
    """Give what stands where neither a code nor digits do: a handset that is there."""
    size = min(box.width, box.height) * 0.5
    x, y = box.centre
    yield Sprite(x - size / 2, y - size / 2, size, glyph("pair", palette.GOOD, palette.PANEL))


_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
_UNTICKED: Drawing = (
    Block(0.14, 0.14, 0.72, 0.72, 0.14, palette.MUTED),
    Block(0.23, 0.23, 0.54, 0.54, 0.07, palette.SLOT),
)
_TICKED: Drawing = (
    Block(0.14, 0.14, 0.72, 0.72, 0.14, palette.GLOW),
    Stroke(((0.29, 0.5), (0.44, 0.35), (0.72, 0.67)), 0.12, palette.INK),
)
