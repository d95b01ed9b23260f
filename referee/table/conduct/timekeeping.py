"""Whose clock runs at a table, what it means that a flag falls or a round is over, and an arbiter's hand on a clock.

One rule: **a clock runs only while its player alone owes a move on a board that the referee understands.** So it runs from the moment
the move before was read until its own is. It stands still, for nobody shall lose time by the machine or by somebody else,

- while ranks are declared, and while pieces are taken off: both players are busy, and how long it takes is not the mover's doing;
- while referee and broker cannot hear each other, since then no player hears anything (`outages`);
- for a while, while its player's phone is not connected (`outages`);
- while a move that was decided elsewhere is carried out: whoever does that at the board is not its player;
- while flags are taken or a piece is recruited (Stratego 4), and while others answer "I cannot move": their answer is waited for;
- while the board is put right, paused, or not readable; while setting up it is the set-up's clock that stops then.

None of this looks at a rank: it follows from the phase, from whose turn it publicly is, and from what the board and its cable do.

A told attack that waited for the plies before it stops its player's clock from when it was told, if it comes about.

Where a move is revised, unread or taken back, all clocks are as they were when it was read: the time since is nobody's. For as long as
that may still happen no flag falls, since the clock of who is to move next may yet be given back. Mostly that is sensing's `rest_ms`.

**The hall's clock** is one time for all tables of a round. An arbiter says how long is left, and each table counts it down by itself.

It runs whatever the table does, in a pause, before the first move and while the referee is started again; only the end of the game
stops it. When it has run out, what was begun still counts: a move that was read is played, an attack is settled. Then

- `arbiter`: the table stands still until an arbiter says what becomes of the game (a result, or some more time);
- `draw`: the game ends as a draw; one that has not begun stands still.

Neither looks at a rank. The players' own clocks go on beside it as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee.rules import EndReason, Seat
from referee.table.arbiter_commands import CorrectionError
from referee.table.clocks import AT_END, Clocks, HallClock
from referee.table.conduct import endings, outages, pauses
from referee.table.dual_game import MOST_BACK
from referee.table.messages import QuestionKind
from referee.table.settings import MOST_MS, ClockKind
from referee.table.state import AT_REST, TableState
from referee.table.step import StepBuilder
from referee.table.views import ClockFace, Phase


def keep(step: StepBuilder) -> None:
    """Bring the clocks in line with the state in which an input has left the table."""
    state, before = step.state, step.state.clocks
    control, seats = state.settings.clock, state.seats
    if not control or state.phase is Phase.LOBBY:
        return
    clocks = before or Clocks.of_set_up(control, seats)
    public = state.dual.public if state.dual else None
    if public is not None and not (public.castle and public.castle.owed):  # a decision belongs to the ply before it
        if clocks.turn is None:
            clocks = Clocks.of_game(control, seats, public.turn)
        if (clocks.turn, clocks.ply) != (public.turn, public.ply):
            clocks = clocks.passed(public.turn, public.ply, step.now_ms)
        if clocks is not before:
            state.clocks_at[clocks.ply] = clocks
            state.clocks_at.pop(clocks.ply - MOST_BACK - 1, None)
    clocks = clocks.run(outages.without_absent(step, _owing(state)), step.now_ms)
    if clocks is not before:
        state.clocks = clocks
        step.touch()


def _owing(state: TableState) -> tuple[Seat, ...]:
    """Return the seats whose clock runs now."""
    if state.board_fault is not None or state.broker_lost:
        return ()
    if state.phase is Phase.SETTING_UP and state.settings.clock.set_up_ms:
        return tuple(seat for seat in state.seats if seat not in state.ready)
    if state.phase not in AT_REST or state.settings.clock.kind is ClockKind.NONE:
        return ()
    if state.decided is not None:
        return ()
    public = state.game.public
    claimed = state.offer is not None and state.offer.kind is QuestionKind.CLAIM
    if claimed or public.result is not None or (public.castle is not None and public.castle.owed):
        return ()
    return (public.turn,)


def fall_if_due(step: StepBuilder) -> None:
    """Let a flag fall if its time is over: its seat loses; of more than two seats it leaves the game."""
    state, clocks = step.state, step.state.clocks
    if clocks is None or state.open_plies:
        return
    fallen = clocks.fallen(step.now_ms)
    if not fallen:
        return
    state.clocks = clocks.stopped(step.now_ms)
    if state.phase is not Phase.SETTING_UP:
        endings.out_of_time(step, fallen[0])
        return
    others = [seat for seat in state.seats if seat not in fallen]
    endings.end(step, others[0] if len(others) == 1 else None, EndReason.CLOCK)


def stand_unmeasured(step: StepBuilder) -> None:
    """Stop all clocks at the journal's last row: the time since was not measured, and the next time is on a different
    clock.
    """
    if step.state.clocks is not None:
        step.state.clocks = step.state.clocks.uncharged()


def adjust(step: StepBuilder, seat: Seat, left_ms: int) -> None:
    """Set what a seat has left. Raises `CorrectionError` once the game is over, and for a clock or a time that there is not."""
    state = step.state
    if state.phase is Phase.FINISHED:
        raise CorrectionError("not-now", "the game is over")
    if state.clocks is None or seat not in state.clocks.left_ms:
        raise CorrectionError("no-such-clock", f"{seat.value} has no clock now")
    if not 0 <= left_ms <= MOST_MS:
        raise CorrectionError("no-such-clock", f"{left_ms} ms is no time for a clock: 0 to {MOST_MS}")
    state.clocks = state.clocks.adjusted(seat, left_ms, step.now_ms)
    for ply in state.open_plies:
        if ply.clocks is not None:
            ply.clocks = ply.clocks.adjusted(seat, left_ms, step.now_ms)
    step.event("clock.adjusted", seat=seat, text=str(left_ms))


def deadline_ms(state: TableState) -> int | None:
    """Return when a question has been open too long, a flag falls, a grace or a pause ends, whichever comes first; None for never."""
    flag_ms = state.clocks.deadline_ms if state.clocks is not None and not state.open_plies else None
    pause_ms = state.pause.ends_ms if state.pause is not None else None
    ends = (state.deadline_ms, flag_ms, pause_ms, *(each.until_ms for each in state.absences.values()))
    return min((each for each in ends if each is not None), default=None)


def faces(state: TableState, now_ms: int) -> Mapping[Seat, ClockFace]:
    """Return what everybody sees of the clocks, seat by seat in the order of the table."""
    clocks = state.clocks
    if clocks is None:
        return {}
    return {seat: ClockFace(clocks.left(seat, now_ms), seat in clocks.running) for seat in clocks.left_ms}


# --- the hall's clock -------------------------------------------------------------------------------------------------


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
    """End the round here if its time is over, no ply is open and no attack is being settled."""
    state = step.state
    due_ms = round_deadline_ms(state)
    if due_ms is None or step.now_ms < due_ms:
        return
    clock = state.hall_clock
    assert clock is not None
    state.hall_clock = replace(clock, left_ms=0, over=True)
    step.event("round.over", text=clock.at_end)
    if clock.at_end == "draw" and state.dual is not None:
        endings.settle_and_end(step, None, EndReason.HALL_CLOCK)
    else:
        pauses.hold(step, "round-over")


def round_deadline_ms(state: TableState) -> int | None:
    """Return when the round's time runs out; None without one, after its end, and while a ply is open or an attack
    being settled.
    """
    clock = state.hall_clock
    if clock is None or clock.over or state.phase in (Phase.LOBBY, Phase.FINISHED) or _still_counts(state):
        return None
    return clock.since_ms + clock.left_ms


def _still_counts(state: TableState) -> bool:
    """Return whether a move can still be revised or an attack is being settled. Both end soon, or in a question or a
    pause.
    """
    return state.phase is Phase.WAITING_FOR_DECLARATIONS or (bool(state.open_plies) and not state.in_doubt)


def round_is_over(state: TableState) -> bool:
    """Return whether the table is paused because the round is over: only an arbiter may then resume it."""
    return state.hall_clock is not None and state.hall_clock.over and state.phase is Phase.PAUSED


def count_on(step: StepBuilder, was_ms: int, away_ms: int) -> None:
    """Continue the hall's clock after a restart: the last time written was `was_ms` of another clock, `away_ms` have
    passed since.
    """
    clock = step.state.hall_clock
    if clock is not None:
        left_ms = max(0, clock.left(was_ms) - max(0, away_ms))
        step.state.hall_clock = replace(clock, left_ms=left_ms, since_ms=step.now_ms)


def hall_face(state: TableState, now_ms: int) -> ClockFace | None:
    """Return what everybody sees of it."""
    clock = state.hall_clock
    if clock is None:
        return None
    left_ms = clock.left(now_ms)
    return ClockFace(left_ms, left_ms > 0 and state.phase is not Phase.FINISHED)
