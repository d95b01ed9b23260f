"""The one screen of the kiosk: banner, board, two trays. It hands boxes and values to its panels; `table_screen.kv` draws them."""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kivy.lang import Builder
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.widget import Widget

from kiosk_ui import board_picture, looks
from kiosk_ui.marks import Box
from kiosk_ui.plan import BannerPlan, HeadPlan, RowPlan, tray_plan, window_plan
from kiosk_ui.sentences import Contact, Tone
from kiosk_ui.state import Banner, BoardState, Count, KioskState, Tray, TrayHead, TrayRow
from kiosk_ui.widgets import FitLabel, Picture
from referee.rules.values import Rank, Seat

__all__ = ["FitLabel", "Picture", "TableScreen"]

# `rebind`: the rules in the .kv file follow what lies inside these values, so they have to look again when one is replaced.
# Properties want a value before the first state comes; none of these is ever drawn.
_BOX = Box(0.0, 0.0, 1.0, 1.0)
_COUNT = Count(Seat.RED, 0, 0)
_ROW = TrayRow(Rank.SCOUT, "", "", ())
_HEAD = TrayHead(Seat.RED, "", "", to_move=False, away=False)
NOTHING = KioskState(Contact.NO_BROKER, Banner("", None, Tone.CALM), "", "", "", "", None, (), None)


class CountLabel(FitLabel):
    """How many of a rank are out, of how many."""

    count = ObjectProperty(_COUNT, rebind=True)
    box = ObjectProperty(_BOX, rebind=True)


class RowPanel(Widget):
    """Number and name of one rank."""

    row = ObjectProperty(_ROW, rebind=True)
    largest = NumericProperty(15.0)
    plan = ObjectProperty(RowPlan(_BOX, _BOX, _BOX, _BOX, None, ()), rebind=True)


class HeadPanel(Widget):
    """Name of one army, and what is to be said of it."""

    head = ObjectProperty(_HEAD, rebind=True)
    plan = ObjectProperty(HeadPlan(_BOX, _BOX, _BOX, None), rebind=True)
    unit = NumericProperty(1.0)


class TrayPanel(Widget):
    """One sorting tray."""

    def show(self, tray: Tray, box: Box, unit: float) -> None:
        """Show a tray in a box."""
        plan = tray_plan(box, unit, len(tray.heads), len(tray.rows))
        self.ids.picture.drawings = looks.tray_picture(tray, plan, box)
        counts = [
            (count, at)
            for row, rp in zip(tray.rows, plan.rows, strict=True)
            for count, at in zip(row.counts, rp.counts, strict=True)
        ]
        for panel, head, head_plan in zip(
            _children(self.ids.heads, HeadPanel, len(tray.heads)), tray.heads, plan.heads, strict=True
        ):
            panel.unit, panel.plan, panel.head = unit, head_plan, head
        for panel, row, row_plan in zip(
            _children(self.ids.rows, RowPanel, len(tray.rows)), tray.rows, plan.rows, strict=True
        ):
            panel.largest, panel.plan, panel.row = plan.text, row_plan, row
        for label, (count, at) in zip(_children(self.ids.counts, CountLabel, len(counts)), counts, strict=True):
            label.largest, label.box, label.count = plan.text, at, count


class BannerPanel(Widget):
    """Whose turn it is, or what is waited for."""

    state = ObjectProperty(NOTHING, rebind=True)
    plan = ObjectProperty(BannerPlan(_BOX, _BOX, _BOX, _BOX, _BOX, _BOX, _BOX), rebind=True)
    unit = NumericProperty(1.0)


class BoardPanel(Widget):
    """The board from above."""

    def show(self, board: BoardState | None, box: Box, unit: float) -> None:
        """Show a board in a box, or that there is none yet."""
        layers: tuple[board_picture.Layer, ...]
        if board is None:
            layers = ({"idle": looks.idle_picture(box)}, {}, {}, {})
        else:
            ground = board_picture.ground_of(board.shape, box, unit)
            layers = (
                board_picture.ground_layer(ground),
                board_picture.trail_layer(ground, board),
                board_picture.piece_layer(ground, board),
                board_picture.notice_layer(ground, board),
            )
        for name, layer in zip(("ground", "trail", "pieces", "notices"), layers, strict=True):
            self.ids[name].drawings = layer


class TableScreen(FloatLayout):
    """Shows a state; asked for the same state twice it draws nothing again."""

    state = ObjectProperty(NOTHING, rebind=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(size=self.refresh, state=self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Lay out for the window as it is, and show the state in it."""
        state: KioskState = self.state
        columns, rows = (state.board.shape.columns, state.board.shape.rows) if state.board else (10, 10)
        plan = window_plan(self.width, self.height, columns, rows)
        banner = self.ids.banner
        banner.unit, banner.plan = plan.unit, plan.banner
        self.ids.board.show(state.board, plan.board, plan.unit)
        panels = _children(self.ids.trays, TrayPanel, len(state.trays))
        for panel, tray, box in zip(panels, state.trays, plan.trays, strict=False):
            panel.show(tray, box, plan.unit)
        self.ids.veil.drawings = {"veil": looks.veil(state, self.width, self.height)}


def _children(parent: Any, kind: type[Widget], number: int) -> Sequence[Any]:
    """Give so many children of a kind, making or removing what differs."""
    while len(parent.children) > number:
        parent.remove_widget(parent.children[0])
    while len(parent.children) < number:
        parent.add_widget(kind())
    return tuple(reversed(parent.children))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
