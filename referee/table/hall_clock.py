"""The hall clock: one time for all tables of a round. An arbiter says how long is left, and each table counts it down by itself.

It runs whatever the table does, in a pause, before the first move and while the referee is started again; only the end of the game
stops it. When it has run out, what was begun still counts: a move that was read is played, an attack is settled. Then

- `arbiter`: the table stands still until an arbiter says what becomes of the game (a result, or some more time);
- `draw`: the game ends as a draw; one that has not begun stands still.

Neither looks at a rank. The players' own clocks go on beside it as they are.
"""

from __future__ import annotations

from dataclasses import replace

from referee.rules import EndReason
from referee.table import ends, last_move, pauses
from referee.table.arbiter_commands import CorrectionError
from referee.table.clocks import AT_END, HallClock
from referee.table.settings import MOST_MS
from referee.table.state import TableState
from referee.table.step import StepBuilder
from referee.table.transitions import Trigger, is_allowed
from referee.table.views import ClockFace, Phase


def set_hall_clock(step: StepBuilder, left_ms: int | None, at_end: str) -> None:
    """Set it going with so much left, or take it away (None). Raises `CorrectionError` once the game is over, and for no such time."""
    state = step.state
    if state.phase is Phase.FINISHED:
        raise CorrectionError("not-now", "the game is over")
    if (left_ms is not None and not 0 <= left_ms <= MOST_MS) or at_end not in AT_END:
        raise CorrectionError(
            "no-such-clock", f"a hall clock has 0 to {MOST_MS} ms and ends with {' or '.join(AT_END)}"
        )
    state.hall_clock = None if left_ms is None else HallClock(left_ms, step.now_ms, at_end)
    step.event("hall-clock.set", text="none" if left_ms is None else str(left_ms))


def end_round_if_due(step: StepBuilder) -> None:
    """Let the round end here if its time is over and nothing that was begun has still to come about."""
    state = step.state
    due_ms = round_deadline_ms(state)
    if due_ms is None or step.now_ms < due_ms:
        return
    clock = state.hall_clock
    assert clock is not None
    state.hall_clock = replace(clock, left_ms=0, over=True)
    step.event("round.over", text=clock.at_end)
    if clock.at_end == "draw" and state.dual is not None:
        last_move.settle_last_move(step)  # it may have ended the game
        if is_allowed(state.phase, Trigger.ENDED):
            ends.end(step, None, EndReason.HALL_CLOCK)
    else:
        pauses.hold(step, "round-over")


def round_deadline_ms(state: TableState) -> int | None:
    """Give when it runs out; None without one, after its end, and while something that was begun still counts."""
    clock = state.hall_clock
    if clock is None or clock.over or state.phase in (Phase.LOBBY, Phase.FINISHED) or _still_counts(state):
        return None
    return clock.since_ms + clock.left_ms


def _still_counts(state: TableState) -> bool:
    """Tell whether a move may yet be revised or an attack is being settled. Both end soon, or in a question or a pause."""
    return state.phase is Phase.WAITING_FOR_DECLARATIONS or (state.before is not None and not state.in_doubt)


def round_is_over(state: TableState) -> bool:
    """Tell whether the table stands still since the round is over: then only an arbiter lets it go on."""
    return state.hall_clock is not None and state.hall_clock.over and state.phase is Phase.PAUSED


def count_on(step: StepBuilder, was_ms: int, away_ms: int) -> None:
    """Count on after a restart: the last time that was written down was `was_ms` of another clock, and `away_ms` have passed since."""
    clock = step.state.hall_clock
    if clock is not None:
        left_ms = max(0, clock.left(was_ms) - max(0, away_ms))
        step.state.hall_clock = replace(clock, left_ms=left_ms, since_ms=step.now_ms)


def hall_face(state: TableState, now_ms: int) -> ClockFace | None:
    """Give what everybody sees of it."""
    clock = state.hall_clock
    if clock is None:
        return None
    left_ms = clock.left(now_ms)
    return ClockFace(left_ms, left_ms > 0 and state.phase is not Phase.FINISHED)
