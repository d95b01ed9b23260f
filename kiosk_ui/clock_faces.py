"""What a clock shows, on the kiosk and in a terminal: its time as text, whether it runs, whether little is left. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.arbitration.views import ClockFace, PublicView
from referee.rules.values import Seat

LOW_MS = 30_000
"""Under this a clock warns."""


@dataclass(frozen=True, slots=True)
class ClockText:
    """One seat's clock as it is read now, or the hall's."""

    seat: Seat | None
    """None for what is left of the round."""
    text: str
    runs: bool
    low: bool
    next_ms: int
    """So long until the text changes, 0 where it does not."""


def clock_texts(view: PublicView, seats: Iterable[Seat], passed_ms: int) -> tuple[ClockText, ...]:
    """Give the clocks of these seats, then the hall's, so long after the view was received. Empty where there is none."""
    own = tuple(_text(view.clocks[seat], seat, passed_ms) for seat in seats if seat in view.clocks)
    return own if view.hall_clock is None else (*own, _text(view.hall_clock, None, passed_ms))


def _text(face: ClockFace, seat: Seat | None, passed_ms: int) -> ClockText:
    left_ms = max(0, face.left_ms - passed_ms) if face.runs else face.left_ms
    next_ms = (left_ms - 1) % 1000 + 1 if face.runs and left_ms else 0
    return ClockText(seat, time_text(left_ms), face.runs, left_ms < LOW_MS, next_ms)


def time_text(left_ms: int) -> str:
    """Give a time as `1:02:03` or `2:03`, rounded up: it is `0:00` only when nothing is left."""
    minutes, seconds = divmod(-(-left_ms // 1000), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
