"""Silence beyond the limit pauses a game; the answer that was missing lets it go on."""

from __future__ import annotations

from referee.arbitration.state import Sheet
from referee.arbitration.transitions import Happening
from referee.arbitration.views import Phase


def tick(sheet: Sheet) -> None:
    """Pause when a question has been open for longer than its limit."""
    state = sheet.state
    if state.deadline_ms is None or sheet.now_ms < state.deadline_ms:
        return
    state.deadline_ms = None
    state.paused_from = state.phase
    sheet.go(Happening.PAUSED)
    sheet.event("paused", text="no-answer")


def answer_came(sheet: Sheet) -> None:
    """Go on with the question that the game was paused for."""
    state = sheet.state
    if state.phase is not Phase.PAUSED or state.paused_from is not Phase.WAITING_FOR_DECLARATIONS:
        return
    sheet.go(Happening.RESUMED, state.paused_from)
    state.paused_from = None
    state.deadline_ms = sheet.now_ms + state.settings.answer_limit_ms
    sheet.event("resumed")
