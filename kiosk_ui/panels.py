"""The panels that every layout shares: banner, board, tray, card, page, clocks.

Each panel has a box of the window and buttons to touch; the screen (`table_screen`) lays them out.

A panel is handed a value and a box; `panels.kv` draws it, upright or upside down. Shown the same value in the same box again it does
nothing. One that seldom changes is painted into a picture of its own and shown as that; one that changes with every move is drawn with
the window, for painting its picture first would cost as much again. What moves between two panels, or over them, is the screen's.
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy import graphics
from kivy.graphics.opengl import GL_BLEND, glDisable, glEnable
from kivy.graphics.scissor_instructions import ScissorPop, ScissorPush
from kivy.lang import Builder
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.widget import Widget

from kiosk_ui import board_picture, layout, styles
from kiosk_ui.screen import QUIET, Button, Card, Idle, PlayerPanel, Sheet, Strip
from kiosk_ui.widgets import FitLabel
from referee.presentation import palette
from referee.presentation.palette import Colour
from referee.presentation.scenes import Scene
from referee.presentation.sentences import Contact, Tone
from referee.presentation.shapes import Box, Point
from referee.presentation.state import Banner, BoardState, ClockText, KioskState, Tray, TrayHead
from referee.rules.values import Seat

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
        """Fill the background with a colour: clearing costs much less than a rectangle."""
        self._back.r, self._back.g, self._back.b, self._back.a = colour.rgba

    def same(self, *inside: Any) -> bool:
        """Return whether this was shown already; remember it if not."""
        if inside == self.inside:
            return True
        self.inside = inside
        return False

    def button_at(self, point: Point) -> tuple[Button, Box] | None:
        """Return the enabled button under a point of the window, and where it is seen."""
        if not self.box.contains(point):
            return None
        inside = layout.upright(point, self.box) if self.turned else point
        for button, box in self.buttons:
            if button.enabled and box.contains(inside):
                return button, self.seen_at(box)
        return None

    def seen_at(self, box: Box) -> Box:
        """Return where a box of the upright plan is seen in the window."""
        if not self.turned:
            return box
        x, y = layout.upright((box.x + box.width, box.y + box.height), self.box)
        return Box(x, y, box.width, box.height)


class PaintedPanel(Panel):
    """Its children are painted into a picture of its own whenever one of them changes, and that picture is shown."""

    def __init__(self, **kwargs: Any) -> None:
        self.canvas, self._fbo = graphics.Canvas(), graphics.Fbo(size=(1, 1))
        self._back, self._shift = graphics.ClearColor(*palette.NIGHT.rgba), graphics.Translate(0, 0, 0)
        for instruction in (self._back, graphics.ClearBuffers(), graphics.PushMatrix(), self._shift):
            self._fbo.before.add(instruction)
        self._fbo.after.add(graphics.PopMatrix())
        self._shown_in = graphics.Rectangle(size=(0, 0))
        # pictures cover what lies below: none of a panel's is transparent, and blending costs a third of its time in software
        whole = (
            graphics.Callback(lambda _: glDisable(GL_BLEND)),
            graphics.Color(1, 1, 1, 1),
            self._shown_in,
            graphics.Callback(lambda _: glEnable(GL_BLEND)),
        )
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
        self.canvas = graphics.Canvas()
        self._seen_in = (0, 0, 0, 0)
        self._back, self._window = graphics.ClearColor(*palette.NIGHT.rgba), ScissorPush(x=0, y=0, width=0, height=0)
        self._shift, self._turn = graphics.Translate(0, 0, 0), graphics.Scale(1, 1, 1)
        # only what is cleared is cut off at the box: a scissor would also cut the pictures that children paint for themselves
        clearing = (self._window, self._back, graphics.ClearBuffers(), ScissorPop())
        for instruction in (*clearing, graphics.PushMatrix(), self._shift, self._turn):
            self.canvas.before.add(instruction)
        self.canvas.after.add(graphics.PopMatrix())
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
        """Fill the background."""
        super().fill(colour)
        self._clear()

    def _clear(self) -> None:
        """Clear the box where the window, which is cleared as a whole, has another colour."""
        same = tuple(self._back.rgba) == palette.NIGHT.rgba
        self._window.x, self._window.y, self._window.width, self._window.height = (
            (0, 0, 0, 0) if same else self._seen_in
        )


# `rebind`: the rules in the .kv file follow what lies inside these values, so they have to look again when one is replaced.
# Properties want a value before the first state comes; none of these is ever drawn.
_BOX = Box(0.0, 0.0, 1.0, 1.0)
_HEAD = TrayHead(Seat.RED, "", "", to_move=False, away=False)
_LONG_LINE = 40
"""A line on a page with more letters than this takes two."""
_TWO_LINES = 80
"""So does a small sentence in the banner."""
_MODULES = 37 + 2 * QUIET
"""A code's side where there is none yet: that of a link of some 90 letters."""
_DIGIT_WIDE = 0.55
"""Of its size: a bold digit is some 0.57 of it wide, a colon half of that."""
MENU, MENU_FAR = Button("menu=near", "", "menu"), Button("menu=far", "", "menu")
WAKE = Button("wake", "")
SLIDE = Button("slide", "")
NOTHING = KioskState(Contact.NO_BROKER, Banner("", (), Tone.CALM))


class LineText(FitLabel):
    """A text in a box."""

    box = ObjectProperty(_BOX, rebind=True)


class HeadPanel(Widget):
    """Name of one army, and what is to be said of it."""

    head = ObjectProperty(_HEAD, rebind=True)
    plan = ObjectProperty(layout.HeadPlan(_BOX, _BOX, _BOX, _BOX, _BOX, None), rebind=True)
    unit = NumericProperty(1.0)


class ButtonText(LineText):
    """The text of a button."""

    button = ObjectProperty(Button("", ""), rebind=True)


class CardTexts(Widget):
    """The texts of a seat's card."""

    card = ObjectProperty(Card(Seat.RED, "", ""), rebind=True)
    plan = ObjectProperty(
        layout.CardPlan(1.0, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX, (_BOX, _BOX)), rebind=True
    )


class BannerPanel(OpenPanel):
    """Whose turn it is, or what is waited for."""

    state = ObjectProperty(NOTHING, rebind=True)
    plan = ObjectProperty(layout.BannerPlan(_BOX, _BOX, _BOX, _BOX, (_BOX, _BOX, _BOX), _BOX), rebind=True)
    unit = NumericProperty(1.0)

    def show(self, state: KioskState, box: Box, turned: bool, unit: float, notes: bool) -> None:
        """Show banner and notes of a state."""
        self.lay(box, turned)
        quiet = replace(state, trays=(), board=None, clocks=())
        plan = layout.banner_plan(box, unit, notes, long=len(state.detail) > _TWO_LINES)
        self.buttons = ((MENU_FAR if turned else MENU, plan.menu),)
        if not self.same(quiet, plan):
            self.unit, self.plan, self.state = unit, plan, quiet
            self.fill(quiet.banner.ground)
            self.ids.picture.drawings = styles.banner_picture(quiet, plan)
            texts = (state.ply, state.rule_set, state.caution) if notes else ()
            ink = state.banner.ink
            show_lines(self.ids.notes, texts, plan.notes, (19 * unit, 14 * unit, 13 * unit), "right", ink)


class SidePanel(PaintedPanel):
    """One player's side: the sorting tray, or cards in its place, and what only this side may touch."""

    def __init__(self, **kwargs: Any) -> None:
        self.plan: layout.TrayPlan | None = None
        super().__init__(**kwargs)

    def show(
        self,
        side: PlayerPanel | None,
        tray: Tray | None,
        clocks: Sequence[ClockText],
        box: Box,
        turned: bool,
        unit: float,
        flat: bool,
    ) -> None:
        """Show a side, with room for its clocks. The edge of a tray and what glows for a moment are the screen's."""
        self.lay(box, turned)
        buttons = side.buttons if side else ()
        cards = side.cards if side else ()
        rest, feet = layout.foot_plan(box, unit, len(buttons), flat, bool(cards))
        self.buttons = tuple(zip(buttons, feet, strict=True))
        kinds = {bool(clock.seat) for clock in clocks if not (flat and buttons)}
        plan = None
        if tray and not cards:
            plan = layout.tray_plan(rest, unit, len(tray.heads), len(tray.rows), flat, True in kinds, False in kinds)
        self.plan = plan
        quiet = tray and replace(tray, heads=tuple(replace(head, to_move=False) for head in tray.heads))
        if self.same(buttons, cards, quiet if plan else None, plan, box, unit, flat):
            return
        code = max((len(card.code) for card in cards), default=0)
        modules = code + 2 * QUIET if code else _MODULES
        plans = layout.card_plans(rest, unit, len(cards), modules) if cards else ()
        drawings = dict(styles.tray_picture(quiet, plan, rest)) if quiet and plan else {}
        for card, each in zip(cards, plans, strict=True):
            drawings |= {f"{card.name} {name}": drawing for name, drawing in styles.card_picture(card, each).items()}
        drawings |= styles.buttons_pictures(buttons, feet, unit)
        self.ids.picture.drawings = drawings
        self._show_rows(quiet if plan else None, plan, unit)
        show_cards(self.ids.cards, cards, plans)
        show_buttons(self.ids.buttons, buttons, feet, unit)

    def _show_rows(self, tray: Tray | None, plan: layout.TrayPlan | None, unit: float) -> None:
        heads = list(zip(tray.heads, plan.heads, strict=True)) if tray and plan else []
        for panel, (head, at) in zip(_children(self.ids.heads, HeadPanel, len(heads)), heads, strict=True):
            panel.unit, panel.plan, panel.head = unit, at, head
        counts: list[tuple[str, Box, Colour]] = []
        for row, cells in zip(tray.rows, plan.cells, strict=True) if tray and plan else ():
            for count, cell in zip(row.counts, cells, strict=True):
                counts.append((row.number, cell.number, styles.count_ink(count)))
                if count.out > 1:
                    counts.append((f"\u00d7{count.out}", cell.count, palette.CHALK))
        labels = _children(self.ids.counts, LineText, len(counts))
        for label, (text, box, ink) in zip(labels, counts, strict=True):
            label.bold, label.halign, label.color = True, "center", ink.rgba
            label.largest, label.box, label.text = plan.text if plan else 1.0, box, text


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
        layer: board_picture.Layer = {"idle": styles.idle_picture(board_box)}
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
        modules = len(page.code) + 2 * QUIET if page.code else 0
        plan = layout.sheet_plan(box, unit, lines, whole, page.columns, page.typed is not None, modules)
        self.buttons = tuple(zip(page.buttons, plan.buttons, strict=True))
        if self.same(page, plan):
            return
        self.ids.picture.drawings = styles.sheet_picture(page, plan)
        largest = (20 * unit, *(15 * unit for _ in page.lines))
        show_lines(self.ids.lines, (page.title, *page.lines), (plan.title, *plan.lines), largest)
        show_buttons(self.ids.buttons, page.buttons, plan.buttons, unit)


class StripPanel(OpenPanel):
    """What drives a game that is seen again; a finger slides along its line."""

    def __init__(self, **kwargs: Any) -> None:
        self.last = 0
        super().__init__(**kwargs)

    def show(self, strip: Strip | None, box: Box, turned: bool, unit: float) -> None:
        """Show a strip, or none."""
        if strip is None:
            self.hide()
            return
        self.lay(box, turned)
        plan = layout.strip_plan(box, unit, len(strip.buttons))
        buttons = strip.buttons if plan.texts else tuple(replace(button, text="") for button in strip.buttons)
        self.last, self.buttons = strip.last, (*zip(buttons, plan.buttons, strict=True), (SLIDE, plan.slide))
        if self.same(strip, plan):
            return
        self.ids.picture.drawings = styles.strip_picture(replace(strip, buttons=buttons), plan)
        show_lines(self.ids.lines, (strip.text,), (plan.text,), (19 * unit,))
        show_buttons(self.ids.buttons, buttons, plan.buttons, unit)

    def ply_at(self, point: Point) -> int:
        """Return the ply that a point of the window means on the line."""
        line = layout.strip_plan(self.box, self.inside[1].unit, 1).line
        x = layout.upright(point, self.box)[0] if self.turned else point[0]
        return round(max(0.0, min(1.0, (x - line.x) / line.width)) * self.last)


class ClockPanel(PaintedPanel):
    """The clocks of one side, and the hall's, big enough for the other side of the table; a second changes only these."""

    def show(self, clocks: tuple[ClockText, ...], box: Box | None, turned: bool, unit: float) -> None:
        """Show these clocks in a box, or nothing without one."""
        if box is None or not clocks:
            self.hide()
            return
        self.lay(box, turned)
        if self.same(tuple((clock.seat, clock.text, clock.runs, clock.low) for clock in clocks), box, turned, unit):
            return
        own = sum(clock.seat is not None for clock in clocks)
        plans = layout.clock_plans(box, unit, own, own < len(clocks))
        self.ids.picture.drawings = {
            clock.seat.value if clock.seat else "hall": styles.clock_picture(clock, plan)
            for clock, plan in zip(clocks, plans, strict=True)
        }
        labels = _children(self.ids.times, LineText, len(clocks))
        for label, clock, plan in zip(labels, clocks, plans, strict=True):
            label.bold, label.halign = True, "center"
            # Digits are never torn: a text that only just fits is broken where the window's pixels are few.
            label.largest = min(plan.time.height * 0.9, plan.time.width / (_DIGIT_WIDE * len(clock.text)))
            label.box, label.text = plan.time, clock.text
            label.color = styles.clock_colours(clock)[1].rgba


class ScenePanel(PaintedPanel):
    """A verdict or the end of a game, large over the board for a moment; a touch puts it away."""

    def show(self, scene: Scene | None, box: Box | None, turned: bool, unit: float) -> None:
        """Show a scene, or none."""
        if scene is None or box is None:
            self.hide()
            return
        self.lay(box, turned)
        self.buttons = ((WAKE, box),)
        plan = layout.scene_plan(box, unit, len(scene.figures), len(scene.lines), scene.duel)
        if self.same(scene, plan):
            return
        self.ids.picture.drawings = {"scene": styles.scene_picture(scene, plan)}
        texts = (scene.title, *scene.lines, *(figure.square for figure in scene.figures if plan.under))
        largest = (40 * unit, *(22 * unit for _ in texts[1:]))
        show_lines(self.ids.lines, texts, (plan.title, *plan.lines, *plan.under), largest, "center")


class IdlePanel(PaintedPanel):
    """The whole window while no game is on: how to begin, at another place every half minute; any touch shows the
    table.
    """

    def show(self, idle: Idle | None, box: Box, unit: float) -> None:
        """Show it, or nothing."""
        if idle is None:
            self.hide()
            return
        self.lay(box)
        self.buttons = ((WAKE, box),)
        if self.same(idle, box, unit):
            return
        code = max((len(card.code) for card in idle.cards), default=0)
        title, below, plans = layout.idle_plan(box, unit, len(idle.cards), code + 2 * QUIET, idle.place)
        drawings = {} if idle.cards else {"pieces": styles.idle_picture(below)}
        for card, plan in zip(idle.cards, plans, strict=True):
            drawings |= {f"{card.name} {name}": marks for name, marks in styles.card_picture(card, plan).items()}
        self.ids.picture.drawings = drawings
        show_lines(self.ids.lines, (idle.title,), (title,), (34 * unit,), "center", palette.MUTED)
        show_cards(self.ids.cards, idle.cards, plans)


def show_cards(parent: Any, cards: Sequence[Card], plans: Sequence[layout.CardPlan]) -> None:
    """Show the texts of cards."""
    for texts, card, plan in zip(_children(parent, CardTexts, len(cards)), cards, plans, strict=True):
        texts.plan, texts.card = plan, card


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
    """Show the texts of buttons."""
    for label, button, box in zip(_children(parent, ButtonText, len(buttons)), buttons, boxes, strict=True):
        label.largest = (22 if button.strong or len(button.text) == 1 else 16) * unit
        label.box, label.button = styles.button_text(button, box, unit), button


def _children(parent: Any, kind: type[Widget], number: int) -> Sequence[Any]:
    """Return so many children of a kind, making or removing what differs."""
    while len(parent.children) > number:
        parent.remove_widget(parent.children[0])
    while len(parent.children) < number:
        parent.add_widget(kind())
    return tuple(reversed(parent.children))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
