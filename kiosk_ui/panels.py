"""The panels that every layout shares: banner, board, tray, card, page.

A panel is handed a value and a box; `panels.kv` draws it. Shown the same value in the same box again it does nothing. What moves
between two panels, or over them, is the screen's (`table_screen`).
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.widget import Widget

from kiosk_ui import board_picture, looks, page_looks
from kiosk_ui.card_plans import CardPlan, card_plans
from kiosk_ui.panel import OpenPanel, PaintedPanel
from kiosk_ui.panel_plans import (
    BannerPlan,
    HeadPlan,
    RowPlan,
    TrayPlan,
    banner_plan,
    foot_plan,
    sheet_plan,
    tray_plan,
)
from kiosk_ui.sheets import Button, Sheet
from kiosk_ui.sides import QUIET, Card, Side
from kiosk_ui.widgets import FitLabel
from referee.presentation import palette
from referee.presentation.palette import Colour
from referee.presentation.sentences import Contact, Tone
from referee.presentation.shapes import Box
from referee.presentation.state import Banner, BoardState, Count, KioskState, Tray, TrayHead, TrayRow
from referee.rules.values import Rank, Seat

# `rebind`: the rules in the .kv file follow what lies inside these values, so they have to look again when one is replaced.
# Properties want a value before the first state comes; none of these is ever drawn.
_BOX = Box(0.0, 0.0, 1.0, 1.0)
_ROW = TrayRow(Rank.SCOUT, "", "", ())
_HEAD = TrayHead(Seat.RED, "", "", to_move=False, away=False)
_LONG_LINE = 40
"""A line on a page with more letters than this takes two."""
_TWO_LINES = 80
"""So does a small sentence in the banner."""
_MODULES = 37 + 2 * QUIET
"""A code's side where there is none yet: that of a link of some 90 letters."""
NOTHING = KioskState(Contact.NO_BROKER, Banner("", (), Tone.CALM), "", "", "", "", None, (), None)


class CountLabel(FitLabel):
    """How many of a rank are out, of how many."""

    count = ObjectProperty(Count(Seat.RED, 0, 0), rebind=True)
    box = ObjectProperty(_BOX, rebind=True)


class RowPanel(Widget):
    """Number and name of one rank."""

    row = ObjectProperty(_ROW, rebind=True)
    largest = NumericProperty(15.0)
    plan = ObjectProperty(RowPlan(_BOX, _BOX, _BOX, _BOX, None, ()), rebind=True)


class HeadPanel(Widget):
    """Name of one army, and what is to be said of it."""

    head = ObjectProperty(_HEAD, rebind=True)
    plan = ObjectProperty(HeadPlan(_BOX, _BOX, _BOX, _BOX, _BOX, None), rebind=True)
    unit = NumericProperty(1.0)


class ButtonText(FitLabel):
    """What stands on a button."""

    button = ObjectProperty(Button("", ""), rebind=True)
    box = ObjectProperty(_BOX, rebind=True)


class LineText(FitLabel):
    """A line on a page."""

    box = ObjectProperty(_BOX, rebind=True)


class CardTexts(Widget):
    """What stands on a seat's card."""

    card = ObjectProperty(Card(Seat.RED, "", ""), rebind=True)
    plan = ObjectProperty(CardPlan(1.0, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, (_BOX, _BOX)), rebind=True)


class BannerPanel(OpenPanel):
    """Whose turn it is, or what is waited for."""

    state = ObjectProperty(NOTHING, rebind=True)
    plan = ObjectProperty(BannerPlan(_BOX, _BOX, _BOX, _BOX, _BOX, (_BOX, _BOX, _BOX), _BOX), rebind=True)
    unit = NumericProperty(1.0)

    def show(self, state: KioskState, box: Box, turned: bool, unit: float, notes: bool) -> None:
        """Show banner and notes of a state."""
        self.lay(box, turned)
        quiet = replace(state, trays=(), board=None, clocks=())
        plan = banner_plan(box, unit, notes, long=len(state.detail) > _TWO_LINES)
        self.buttons = ((MENU_FAR if turned else MENU, plan.menu),)
        if not self.same(quiet, plan):
            self.unit, self.plan, self.state = unit, plan, quiet
            self.fill(quiet.banner.ground)
            self.ids.picture.drawings = looks.banner_picture(quiet, plan)
            texts = (state.ply, state.rule_set, state.caution) if notes else ()
            ink = state.banner.ink
            show_lines(self.ids.notes, texts, plan.notes, (19 * unit, 14 * unit, 13 * unit), "right", ink)


MENU, MENU_FAR = Button("menu=near", "", "menu"), Button("menu=far", "", "menu")


class SidePanel(PaintedPanel):
    """One player's side: the sorting tray, or cards in its place, and what only this side may touch."""

    def __init__(self, **kwargs: Any) -> None:
        self.plan: TrayPlan | None = None
        super().__init__(**kwargs)

    def show(self, side: Side | None, tray: Tray | None, box: Box, turned: bool, unit: float, flat: bool) -> None:
        """Show a side. The edge of a tray and what glows for a moment are the screen's."""
        self.lay(box, turned)
        buttons = side.buttons if side else ()
        cards = side.cards if side else ()
        rest, feet = foot_plan(box, unit, len(buttons), flat, bool(cards))
        self.buttons = tuple(zip(buttons, feet, strict=True))
        plan = tray_plan(rest, unit, len(tray.heads), len(tray.rows), flat) if tray and not cards else None
        self.plan = plan
        quiet = tray and replace(tray, heads=tuple(replace(head, to_move=False) for head in tray.heads))
        if self.same(buttons, cards, quiet if plan else None, box, unit, flat):
            return
        code = max((len(card.code) for card in cards), default=0)
        modules = code + 2 * QUIET if code else _MODULES
        plans = card_plans(rest, unit, len(cards), modules) if cards else ()
        drawings = dict(looks.tray_picture(quiet, plan, rest)) if quiet and plan else {}
        for card, each in zip(cards, plans, strict=True):
            drawings |= {
                f"{card.seat.value} {name}": drawing for name, drawing in page_looks.card_picture(card, each).items()
            }
        drawings |= page_looks.buttons_pictures(buttons, feet, unit)
        self.ids.picture.drawings = drawings
        self._show_rows(quiet if plan else None, plan, unit)
        for texts, card, each in zip(_children(self.ids.cards, CardTexts, len(cards)), cards, plans, strict=True):
            texts.plan, texts.card = each, card
        show_buttons(self.ids.buttons, buttons, feet, unit)

    def _show_rows(self, tray: Tray | None, plan: TrayPlan | None, unit: float) -> None:
        heads, rows = (tray.heads, tray.rows) if tray and plan else ((), ())
        head_plans, row_plans = (plan.heads, plan.rows) if plan else ((), ())
        text = plan.text if plan else 0.0
        for panel, head, at in zip(_children(self.ids.heads, HeadPanel, len(heads)), heads, head_plans, strict=True):
            panel.unit, panel.plan, panel.head = unit, at, head
        for panel, row, place in zip(_children(self.ids.rows, RowPanel, len(rows)), rows, row_plans, strict=True):
            panel.largest, panel.plan, panel.row = text, place, row
        counts = [
            (count, Box(box.x, place.box.y, box.width, place.box.height))
            for row, place in zip(rows, row_plans, strict=True)
            for count, box in zip(row.counts, place.counts, strict=True)
        ]
        for label, (count, box) in zip(_children(self.ids.counts, CountLabel, len(counts)), counts, strict=True):
            label.largest, label.box, label.count = text, box, count


class BoardPanel(OpenPanel):
    """The board from above."""

    def show(self, state: KioskState, board_box: Box, box: Box, caption: Box | None, unit: float) -> None:
        """Show a board in its margins, or that there is none yet, and notes over it where the banners have no room."""
        self.lay(box)
        board = state.board
        words = "   ".join(text for text in (state.ply, state.rule_set, state.caution) if text) if caption else ""
        if self.same(board, board_box, box, words, unit):
            return
        show_lines(self.ids.caption, (words,), (caption or _BOX,), (14 * unit,), "center")
        self.ids.ground.show(board, board_box, box, unit)
        layers: Sequence[board_picture.Layer] = ({}, {}, {})
        if board is not None:
            ground = board_picture.ground_of(board.shape, board_box, unit)
            layers = (
                board_picture.trail_layer(ground, board),
                board_picture.piece_layer(ground, board),
                board_picture.notice_layer(ground, board),
            )
        for name, layer in zip(("trail", "pieces", "notices"), layers, strict=True):
            self.ids[name].drawings = layer

    def paint(self) -> None:
        """Paint the ground."""
        self.ids.ground.paint()


class GroundPanel(PaintedPanel):
    """What never moves on a board: frame, squares, lakes, names. A picture within the board's, so that a move does not paint it again."""

    def show(self, board: BoardState | None, board_box: Box, box: Box, unit: float) -> None:
        """Show the ground of a board, or quiet pieces where there is none yet."""
        self.lay(box)
        shape = board.shape if board else None
        if self.same(shape, board_box, unit):
            return
        layer: board_picture.Layer = {"idle": looks.idle_picture(board_box)}
        if shape is not None:
            layer = board_picture.ground_layer(board_picture.ground_of(shape, board_box, unit))
        self.ids.picture.drawings = layer


class SheetPanel(PaintedPanel):
    """A page over the middle of the screen."""

    def show(self, page: Sheet | None, box: Box, turned: bool, unit: float) -> None:
        """Show a page, or none."""
        if page is None:
            self.hide()
            return
        self.lay(box, turned)
        whole = [button.whole for button in page.buttons]
        lines = [2 if len(line) > _LONG_LINE else 1 for line in page.lines]
        plan = sheet_plan(box, unit, lines, whole, page.columns, page.typed is not None)
        self.buttons = tuple(zip(page.buttons, plan.buttons, strict=True))
        if self.same(page, plan):
            return
        self.ids.picture.drawings = page_looks.sheet_picture(page, plan)
        largest = (20 * unit, *(15 * unit for _ in page.lines))
        show_lines(self.ids.lines, (page.title, *page.lines), (plan.title, *plan.lines), largest)
        show_buttons(self.ids.buttons, page.buttons, plan.buttons, unit)


def show_lines(
    parent: Any,
    texts: Sequence[str],
    boxes: Sequence[Box],
    largest: Sequence[float],
    halign: str = "left",
    ink: Colour = palette.CHALK,
) -> None:
    """Show lines of text in boxes, the first one bold."""
    labels = _children(parent, LineText, len(texts))
    for n, (label, text, box, most) in enumerate(zip(labels, texts, boxes, largest, strict=False)):
        label.bold, label.lines = n == 0, 2 if len(text) > _LONG_LINE else 1
        label.halign, label.color = halign, ink.rgba
        label.largest, label.box, label.text = most, box, text


def show_buttons(parent: Any, buttons: Sequence[Button], boxes: Sequence[Box], unit: float) -> None:
    """Show what stands on buttons."""
    for label, button, box in zip(_children(parent, ButtonText, len(buttons)), buttons, boxes, strict=True):
        label.largest = (22 if button.strong or len(button.text) == 1 else 16) * unit
        label.box, label.button = page_looks.button_text(button, box, unit), button


def _children(parent: Any, kind: type[Widget], number: int) -> Sequence[Any]:
    """Give so many children of a kind, making or removing what differs."""
    while len(parent.children) > number:
        parent.remove_widget(parent.children[0])
    while len(parent.children) < number:
        parent.add_widget(kind())
    return tuple(reversed(parent.children))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
