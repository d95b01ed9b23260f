"""Whose clock runs at a table, what it means that a flag falls, and an arbiter's hand on a clock.

One rule: **a clock runs only while its player alone owes a move on a board that the referee understands.** So it runs from the moment
the move before was read until its own is. It stands still, for nobody shall lose time by the machine or by somebody else,

- while ranks are declared, and while pieces are taken off: both players are busy, and how long it takes is not the mover's doing;
- while flags are taken or a piece is recruited (Stratego 4), and while others answer "I cannot move": their answer is waited for;
- while the board is put right, paused, or not readable; while setting up it is the set-up's clock that stops then.

None of this looks at a rank: it follows from the phase, from whose turn it publicly is, and from what the board and its cable do.

Where a move is revised or taken back, all clocks are as they were when it was read: the time since is nobody's. For as long as that
may still happen no flag falls, since the clock of who is to move next may yet be given back. At most that is sensing's `final_ms`.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules import EndReason
from referee.rules.values import Seat
from referee.table import ends, resignation
from referee.table.arbiter_commands import CorrectionError
from referee.table.books import MOST_BACK
from referee.table.clocks import Clocks
from referee.table.messages import QuestionKind
from referee.table.settings import MOST_MS, ClockKind
from referee.table.state import TableState
from referee.table.step import StepBuilder
from referee.table.views import ClockFace, Phase

_AT_REST = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)


def keep(step: StepBuilder) -> None:
    """Bring the clocks in line with the table as an input has left it."""
    state, before = step.state, step.state.clocks
    control, seats = state.settings.clock, state.settings.rule_set.seats
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
    clocks = clocks.run(_owing(state), step.now_ms)
    if clocks is not before:
        state.clocks = clocks
        step.touch()


def _owing(state: TableState) -> tuple[Seat, ...]:
    """Give the seats whose clock runs now."""
    if state.board_fault is not None:
        return ()
    if state.phase is Phase.SETTING_UP and state.settings.clock.set_up_ms:
        return tuple(seat for seat in state.settings.rule_set.seats if seat not in state.ready)
    if state.phase not in _AT_REST or state.settings.clock.kind is ClockKind.NONE:
        return ()
    public = state.game.public
    claimed = state.offer is not None and state.offer.kind is QuestionKind.CLAIM
    if claimed or public.result is not None or (public.castle is not None and public.castle.owed):
        return ()
    return (public.turn,)


def fall_if_due(step: StepBuilder) -> None:
    """Let a flag fall that should have fallen by now: its seat loses; of more than two it plays no more."""
    state, clocks = step.state, step.state.clocks
    if clocks is None or state.before is not None:
        return
    fallen = clocks.fallen(step.now_ms)
    if not fallen:
        return
    state.clocks = clocks.stopped(step.now_ms)
    if state.phase is not Phase.SETTING_UP:
        resignation.out_of_time(step, fallen[0])
        return
    others = [seat for seat in state.settings.rule_set.seats if seat not in fallen]
    ends.end(step, others[0] if len(others) == 1 else None, EndReason.CLOCK)


def stand_unmeasured(step: StepBuilder) -> None:
    """Stop all clocks as the last row of the journal left them: nobody has measured since, and the next time is another clock's."""
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
    if state.before is not None and state.before.clocks is not None:
        state.before.clocks = state.before.clocks.adjusted(seat, left_ms, step.now_ms)
    step.event("clock.adjusted", seat=seat, text=str(left_ms))


def deadline_ms(state: TableState) -> int | None:
    """Give when a question has been open too long or a flag falls, whichever comes first; None for never."""
    flag_ms = state.clocks.deadline_ms if state.clocks is not None and state.before is None else None
    return min((each for each in (state.deadline_ms, flag_ms) if each is not None), default=None)


def faces(state: TableState, now_ms: int) -> Mapping[Seat, ClockFace]:
    """Give what everybody sees of the clocks, seat by seat in the order of the table."""
    clocks = state.clocks
    if clocks is None:
        return {}
    return {seat: ClockFace(clocks.left(seat, now_ms), seat in clocks.running) for seat in clocks.left_ms}
