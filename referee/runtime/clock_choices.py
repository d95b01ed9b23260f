"""The clocks that can be chosen at a table, each by a word that a kiosk can spell out: `fischer:20:10` is its kind, minutes, seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee.table.settings import ClockKind, TimeControl

_MINUTE_MS, _SECOND_MS = 60_000, 1_000
_USUAL = (
    TimeControl(),
    TimeControl(ClockKind.SUDDEN_DEATH, 20 * _MINUTE_MS),
    TimeControl(ClockKind.SUDDEN_DEATH, 30 * _MINUTE_MS),
    TimeControl(ClockKind.FISCHER, 10 * _MINUTE_MS, 5 * _SECOND_MS),
    TimeControl(ClockKind.FISCHER, 20 * _MINUTE_MS, 10 * _SECOND_MS),
    TimeControl(ClockKind.PER_MOVE, ply_ms=30 * _SECOND_MS),
)
"""For a short game and a long one; every other clock stands in a table's file."""


def clock_choices(own: TimeControl) -> Mapping[str, TimeControl]:
    """Give the clocks by their words: none, the usual ones, and last the table's own where it is another.

    The time for the set-up goes with all of them.
    """
    given = [replace(control, set_up_ms=own.set_up_ms) for control in _USUAL]
    return {clock_word(control): control for control in (*given, own)}


def clock_word(control: TimeControl) -> str:
    """Give the word: the kind, then the minutes for the game and the seconds for a ply as far as it has them."""
    times = [(control.game_ms, _MINUTE_MS), (control.ply_ms, _SECOND_MS)]
    return ":".join((control.kind.value, *(f"{time_ms / unit_ms:g}" for time_ms, unit_ms in times if time_ms)))
