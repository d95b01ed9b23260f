"""The clocks of one side, and the hall's, big enough for the other side of the table: a panel of its own: a second changes only these."""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

from typing import Any

from kiosk_ui.panel import PaintedPanel
from kiosk_ui.panel_plans import ClockPlan, clock_plans
from kiosk_ui.panels import LineText
from kiosk_ui.widgets import Picture
from referee.presentation import palette
from referee.presentation.emblems import glyph, sign
from referee.presentation.palette import Colour
from referee.presentation.shapes import Block, Box, Drawing, Fill, Mark, Sprite
from referee.presentation.state import ClockText

_SIGN_WIDE = 0.55
"""A bold digit is some 0.57 of its size wide, a colon half of that."""


class ClockPanel(PaintedPanel):
    """One plate a seat: the sign of its army, a mark while it runs, a call while little is left, and the time."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._picture = Picture()
        self.add_widget(self._picture)
        self._times: list[Any] = []

    def show(self, clocks: tuple[ClockText, ...], box: Box | None, turned: bool, unit: float) -> None:
        """Show these clocks in a box, or nothing without one."""
        if box is None or not clocks:
            self.hide()
            return
        self.lay(box, turned)
        if self.same(tuple((clock.seat, clock.text, clock.runs, clock.low) for clock in clocks), box, turned, unit):
            return
        plans = clock_plans(box, unit, len(clocks))
        self._picture.drawings = {
            clock.seat.value if clock.seat else "hall": _plate(clock, plan)
            for clock, plan in zip(clocks, plans, strict=True)
        }
        while len(self._times) > len(clocks):
            self.remove_widget(self._times.pop())
        while len(self._times) < len(clocks):
            self._times.append(LineText(bold=True, halign="center"))
            self.add_widget(self._times[-1])
        for label, clock, plan in zip(self._times, clocks, plans, strict=True):
            # Digits are never torn: a text that only just fits is broken where the window's pixels are few.
            label.largest = min(plan.time.height * 0.9, plan.time.width / (_SIGN_WIDE * len(clock.text)))
            label.box, label.text = plan.time, clock.text
            label.color = _look(clock)[1].rgba


def _look(clock: ClockText) -> tuple[Colour, Colour]:
    """Give the plate's colour and that of what stands on it."""
    if clock.low:
        return palette.GLOW, palette.INK
    if clock.runs and clock.seat is None:
        return palette.CALM, palette.CHALK
    if clock.runs and clock.seat is not None:
        return palette.ARMY[clock.seat], palette.ON_ARMY[clock.seat]
    return palette.SLOT, palette.MUTED


def _plate(clock: ClockText, plan: ClockPlan) -> Drawing:
    ground, ink = _look(clock)
    box, at = plan.plate, plan.sign
    marks: list[Mark] = [
        Block(box.x, box.y, box.width, box.height, box.height * 0.14, ground),
        Sprite(at.x, at.y, at.width, sign(clock.seat, ink) if clock.seat else glyph("clock", ink, ground)),
    ]
    at = plan.mark
    if clock.low:  # a call, so that it is seen without colours
        wide = at.width * 0.28
        marks.append(Block(at.centre[0] - wide / 2, at.y + at.height * 0.36, wide, at.height * 0.64, 0.0, ink))
        marks.append(Block(at.centre[0] - wide / 2, at.y, wide, at.height * 0.22, 0.0, ink))
    elif clock.runs and clock.seat is not None:
        x, y = at.x, at.y
        marks.append(Fill(((x, y), (x + at.width, y + at.height / 2), (x, y + at.height)), ink))
    return tuple(marks)
