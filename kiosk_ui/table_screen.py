"""The one screen of the kiosk: it lays the panels out for the window as it is, shows a state in them, and turns touches into keys."""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from kivy.clock import Clock
from kivy.properties import ObjectProperty
from kivy.uix.floatlayout import FloatLayout

from kiosk_ui import styles
from kiosk_ui.layout import Plan, scene_boxes, window_plan
from kiosk_ui.panels import (
    NOTHING,
    SLIDE,
    BannerPanel,
    BoardPanel,
    ClockPanel,
    IdlePanel,
    Panel,
    ScenePanel,
    SheetPanel,
    SidePanel,
    StripPanel,
)
from kiosk_ui.screen import Button, ScreenState
from kiosk_ui.touch_state import BRIGHTEST, ScreenSettings
from kiosk_ui.widgets import Picture
from referee.presentation import palette
from referee.presentation.shapes import Block, Box, Drawing, rounded

_EMPTY = ScreenState(NOTHING, (), None, ScreenSettings(""))
_PULSE_S, _PULSE_STEP_S = 0.9, 1 / 15
"""More pictures a second are not more felt; each leaves 0.7 MB behind for the collector of garbage."""


class TableScreen(FloatLayout):
    """Shows a state; asked for the same state twice it draws nothing again."""

    state = ObjectProperty(_EMPTY, rebind=True)

    def __init__(self, on_key: Callable[[str], None] = lambda key: None, **kwargs: Any) -> None:
        """Make the screen; `on_key` is called with the key of each button that was touched."""
        super().__init__(**kwargs)
        self.on_key = on_key
        self._pressed: tuple[Any, Button, Box] | None = None
        self._pulse_left_s = 0.0
        self._pulse: Any = None
        self.board, self.sheet = BoardPanel(), SheetPanel()
        self.banners, self.sides = (BannerPanel(), BannerPanel()), (SidePanel(), SidePanel())
        self.clocks = (ClockPanel(), ClockPanel())
        self.scenes, self.idle = (ScenePanel(), ScenePanel()), IdlePanel()
        self.strip = StripPanel()
        self.over = Picture()
        for widget in (
            self.board, *self.sides, *self.clocks, *self.scenes, self.sheet, *self.banners, self.strip,
            self.idle, self.over
        ):  # fmt: skip
            self.add_widget(widget)
        self._changed: set[Box | None] = {None}
        self.bind(size=self.refresh, state=self.refresh)
        self.over.bind(drawings=self._change_all)
        self.refresh()

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Return the panels, the uppermost first."""
        return (
            self.idle,
            self.strip,
            *self.banners,
            self.sheet,
            *self.scenes,
            *self.clocks,
            *self.sides,
            self.board,
        )

    def refresh(self, *_: object) -> None:
        """Lay out for the window as it is, and show the state in it."""
        before = [(panel.box, panel.turned, panel.inside) for panel in self.panels]
        self._show(self.state)
        for panel, (box, turned, inside) in zip(self.panels, before, strict=True):
            if (panel.box, panel.turned) != (box, turned):
                self._change_all()
            elif panel.inside is not inside:
                self._changed.add(panel.box)

    def take_changes(self) -> Sequence[Box] | None:
        """Paint what has changed into the panels' pictures. Returns their boxes in the window, or None where all has to
        be drawn.

        They have to be drawn then: the next call returns later changes only.
        """
        changed, self._changed = self._changed, set()
        for panel in self.panels:
            panel.paint()
        boxes = [box for box in changed if box is not None]
        return boxes if boxes and None not in changed else None

    def _change_all(self, *_: object) -> None:
        self._changed.add(None)

    def _show(self, state: ScreenState) -> None:
        table = state.table
        columns, rows = (table.board.shape.columns, table.board.shape.rows) if table.board else (10, 10)
        plan = window_plan(self.width, self.height, columns, rows, state.settings.turned)
        notes = plan.caption is None
        window = Box(0.0, 0.0, self.width, self.height)
        page, driven = state.sheet, int(plan.turned and state.sheet_turned)
        for n, (banner, box) in enumerate(zip_longest(self.banners, plan.banners)):
            if box is None or (page and page.full) or (state.strip and n == driven):
                banner.hide()
            else:
                banner.show(table, box, plan.turned and box is plan.banners[1], plan.unit, notes)
        self.board.show(table, plan.board, plan.middle, plan.caption, plan.unit)
        for n, (panel, box) in enumerate(zip(self.sides, plan.trays, strict=True)):
            side = state.sides[n] if state.sides else None
            tray = table.trays[n] if table.trays else None
            turned = plan.turned and n == 1
            clocks = table.clocks[n] if table.clocks else ()
            panel.show(side, tray, clocks, box, turned, plan.unit, plan.flat)
            strip = panel.plan.clocks if panel.plan else None
            self.clocks[n].show(clocks, panel.seen_at(strip) if strip else None, turned, plan.unit)
        self.sheet.show(page, window if page and page.full else plan.middle, state.sheet_turned, plan.unit)
        self.strip.show(state.strip, plan.banners[driven], bool(driven), plan.unit)
        for n, (panel, box) in enumerate(zip_longest(self.scenes, scene_boxes(plan.middle, plan.unit, plan.turned))):
            panel.show(state.scene, box, n == 1, plan.unit)
        self.idle.show(state.idle, window, plan.unit)
        self.over.drawings = self._overlays(state, plan)

    def pulse(self) -> None:
        """Let what was captured last be felt: a ring that grows and fades around its row."""
        self._pulse_left_s = _PULSE_S
        if self._pulse is None and self.state.settings.motion:
            self._pulse = Clock.schedule_interval(self._beat, _PULSE_STEP_S)

    # ---- touches

    def on_touch_down(self, touch: Any) -> bool:
        """Hold the button that a finger comes down on."""
        if self._pressed is None and (found := self._button_at(touch.pos)) is not None:
            button, box = found
            self._pressed = (touch.uid, button, box)
            if button is SLIDE:
                self._slide(touch)
                return True
            self.over.drawings = {**self.over.drawings, "pressed": _pressed(box)}
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """Take it, so that nothing else does; slide along the line that it came down on."""
        if self._pressed is not None and self._pressed[0] == touch.uid and self._pressed[1] is SLIDE:
            self._slide(touch)
        return True

    def _slide(self, touch: Any) -> None:
        if self.strip.inside:
            self.on_key(f"watch=to-{self.strip.ply_at(touch.pos)}")

    def on_touch_up(self, touch: Any) -> bool:
        """Let go of it: a touch counts where the finger leaves the same button that it came down on."""
        if self._pressed is None or self._pressed[0] != touch.uid:
            return True
        _, button, _ = self._pressed
        self._pressed = None
        self.over.drawings = {key: mark for key, mark in self.over.drawings.items() if key != "pressed"}
        found = self._button_at(touch.pos)
        if found is not None and found[0].key == button.key and button is not SLIDE:
            self.on_key(button.key)
        return True

    def _button_at(self, point: tuple[float, float]) -> tuple[Button, Box] | None:
        for panel in self.panels:
            if panel.box.contains(point):
                return panel.button_at(point)
        return None

    # ---- what lies over the panels

    def _overlays(self, state: ScreenState, plan: Plan) -> dict[str, Drawing]:
        drawings: dict[str, Drawing] = {}
        if state.idle is not None or (state.sheet and state.sheet.full):
            return drawings
        for n, tray in enumerate(state.table.trays):
            drawings[f"edge {n}"] = styles.tray_edge(tray, plan.trays[n], plan.unit)
        drawings["veil"] = styles.veil(state.table, (plan.middle, *plan.trays))
        if (brightness := state.settings.brightness) < BRIGHTEST:
            dark = palette.NIGHT.mixed(palette.INK, 1.0).faded(1 - brightness / 100)
            drawings["dim"] = (Block(0.0, 0.0, self.width, self.height, 0.0, dark),)
        return drawings

    def _beat(self, passed_s: float) -> bool:
        self._pulse_left_s -= passed_s
        over = {key: mark for key, mark in self.over.drawings.items() if key != "pulse"}
        if self._pulse_left_s > 0 and (rings := self._rings(1 - self._pulse_left_s / _PULSE_S)):
            self.over.drawings = {**over, "pulse": rings}
            return True
        self.over.drawings, self._pulse = over, None
        return False

    def _rings(self, share: float) -> Drawing:
        """Return the rings at a share of their time."""
        found: list[Box] = []
        for panel, tray in zip(self.sides, self.state.table.trays, strict=False):
            for row, cells in zip(tray.rows, panel.plan.cells if panel.plan else (), strict=False):
                pairs = zip(row.counts, cells, strict=True)
                found += [panel.seen_at(cell.tile) for count, cell in pairs if count.newest]
        return tuple(
            rounded(
                box.inset(-share * box.height * 0.5),
                box.height * 0.3,
                max(1.0, box.height * 0.22 * (1 - share)),
                palette.GLOW.faded(1 - share),
            )
            for box in found
        )


def _pressed(box: Box) -> Drawing:
    return (Block(box.x, box.y, box.width, box.height, min(box.width, box.height) * 0.17, palette.CHALK.faded(0.3)),)
