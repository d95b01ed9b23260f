"""Pauses: silence beyond the limit, which the missing answer ends; and pauses on request, which `resume` ends.

In a game with clocks a player has a limited number of pauses, each ends by itself after a while, and an opponent may
end it earlier: nobody gets time to think for nothing. A call for the arbiter uses one of them; with none left it is
still sent, but the clock runs on. In a game without clocks, and once the arbiter was called, everybody has to be ready.
A pause by the kiosk or an arbiter has no limit.
"""

from __future__ import annotations

from referee.rules.values import Seat
from referee.table.arbiter_commands import CorrectionError, RejectedError
from referee.table.conduct import outages
from referee.table.messages import AskPause, AskResume, CallArbiter
from referee.table.state import AT_REST, OpenPause, TableState, Trigger, is_allowed
from referee.table.step import Collect, Expect, StepBuilder
from referee.table.views import Ask, PauseFace, Phase


def tick(step: StepBuilder) -> None:
    """Pause when a question has been open for longer than its limit; end a player's pause whose time is over."""
    state = step.state
    if state.pause is not None and state.pause.ends_ms is not None and step.now_ms >= state.pause.ends_ms:
        resume(step)
        return
    if state.deadline_ms is None or step.now_ms < state.deadline_ms:
        return
    state.pause = OpenPause(state.phase, silence=True)
    state.deadline_ms = None
    step.go(Trigger.PAUSED)
    step.event("paused", text="no-answer")


def pause(step: StepBuilder, by: Seat | None = None, why: str = "asked") -> None:
    """Pause at somebody's request, perhaps a player's, or for another stable word; the time of an open question stops."""
    state = step.state
    if not is_allowed(state.phase, Trigger.PAUSED):
        return
    left_ms = None if state.deadline_ms is None else max(0, state.deadline_ms - step.now_ms)
    state.pause = OpenPause(state.phase, silence=False, left_ms=left_ms, by=by)
    state.deadline_ms = None
    state.in_hand.clear()
    step.go(Trigger.PAUSED)
    step.event("paused", seat=by, text=why)


def hold(step: StepBuilder, why: str) -> None:
    """Pause the table until an arbiter or somebody at the table resumes it; an earlier pause's own end no longer
    applies.
    """
    pause_ = step.state.pause
    if pause_ is None:
        pause(step, why=why)
        return
    pause_.silence, pause_.by, pause_.ends_ms = False, None, None
    step.event("paused", text=why)


def order(step: StepBuilder, why: str, *, any_pause: bool = False) -> None:
    """Pause the table for an arbiter, also during a player's pause, or during `any_pause`. Raises `CorrectionError`
    where that is impossible.
    """
    paused = step.state.pause
    if not (is_allowed(step.state.phase, Trigger.PAUSED) or (paused and (any_pause or paused.by is not None))):
        raise CorrectionError("not-now", "there is no game that could be paused")
    hold(step, why)


def order_resume(step: StepBuilder) -> None:
    """Resume by an arbiter's order. Raises `CorrectionError` when nothing is paused."""
    if step.state.pause is None:
        raise CorrectionError("not-now", "the game is not paused")
    resume(step)


def ask_for(step: StepBuilder, seat: Seat, message: AskPause | CallArbiter) -> None:
    """Take a player's wish to stand still, or for the arbiter, who may be called in a pause as well."""
    state = step.state
    calls = isinstance(message, CallArbiter)
    if seat in state.out or not (is_allowed(state.phase, Trigger.PAUSED) or (calls and state.pause is not None)):
        raise RejectedError("not-now")
    has_pause = pauses_left(state, seat) != 0
    if not calls and not has_pause:
        raise RejectedError("no-pause-left")
    step.accept(seat, message.id)
    if state.pause is None and has_pause:
        pause(step, seat)
        _limit(step, seat)
    if state.pause is not None:
        state.pause.ready.clear()
        if calls:
            state.pause.ends_ms = None
    step.touch()
    if calls and seat not in state.called:
        state.called.append(seat)
        step.event("arbiter.called", seat=seat)


def _limit(step: StepBuilder, seat: Seat) -> None:
    """Count a player's pause, and set when it ends by itself."""
    state = step.state
    if state.limits.pauses is not None and state.pause is not None:
        state.pauses_taken[seat] += 1
        state.pause.ends_ms = step.now_ms + state.limits.pause_ms


def pauses_left(state: TableState, seat: Seat) -> int | None:
    """Return how often a player may still pause; None for no limit."""
    most = state.limits.pauses
    return None if most is None else max(0, most - state.pauses_taken[seat])


def ask_to_go_on(step: StepBuilder, seat: Seat, message: AskResume) -> None:
    """Take a player's word that he is ready to resume; a player's pause is over when nobody else has to be (`owed`).

    What the kiosk or an arbiter has stopped, the handsets do not start again.
    """
    state = step.state
    if seat not in owed(state):
        raise RejectedError("not-now")
    assert state.pause is not None
    step.accept(seat, message.id)
    state.pause.ready.add(seat)
    step.touch()
    if not owed(state):
        resume(step)


def owed(state: TableState) -> tuple[Seat, ...]:
    """Return the seats that have not yet agreed to resume a player's pause; none once it may end.

    Where pauses are limited an opponent's word is enough, unless the arbiter was called.
    """
    pause = state.pause
    if pause is None or pause.by is None:
        return ()
    limited = state.limits.pauses is not None and not state.called
    if limited and pause.ready - set(state.rules.partners(pause.by)):
        return ()
    return tuple(seat for seat in state.seats if seat not in pause.ready and seat not in state.out)


def resume(step: StepBuilder) -> None:
    """Resume after any pause. What was played or moved meanwhile does not count: the board is compared first."""
    state, pause = step.state, step.state.pause
    if pause is None:
        return
    state.pause = None
    state.called.clear()
    in_play = pause.phase in AT_REST
    step.go(Trigger.RESUMED, Phase.RESTORING if in_play else pause.phase)
    if in_play:
        state.ask = Ask.RESTORE
    step.event("resumed")
    if state.phase is Phase.WAITING_FOR_DECLARATIONS:
        limit_ms = state.settings.answer_limit_ms if pause.left_ms is None else pause.left_ms
        state.deadline_ms = step.now_ms + limit_ms
    elif state.phase is Phase.SETTING_UP:
        step.order(Collect())
    else:
        step.order(Expect(state.game.public.occupants()))


def reopen(step: StepBuilder) -> None:
    """Resume after a restart as after a pause; nobody was there to see what the hands did meanwhile.

    Who is connected and what is in the air is told again. A pause that was on stays on, and a game that is over stays over.
    """
    state = step.state
    state.reopened += 1
    state.connected, state.in_hand = {}, []
    outages.forget(state)
    step.note("reopened")
    if state.broker_lost:
        state.broker_lost = False  # or the program would not have started
        step.event("broker.link", text="back")
    if state.pause is not None and state.pause.ends_ms is not None:  # by another clock; what was left of it is left
        state.pause.ends_ms += step.now_ms - step.before_ms
    if state.board_fault is not None:
        state.board_fault = None  # or the program would not have started
        step.event("board.link", text="back")
    if state.pause is None and is_allowed(state.phase, Trigger.PAUSED):
        state.deadline_ms = None  # of another clock
        called = list(state.called)
        pause(step, why="interrupted")
        resume(step)
        state.called = called  # for whom play did not stop
    step.touch()


def face(state: TableState, now_ms: int) -> PauseFace | None:
    """Return what everybody sees of a pause that a player asked for; None without one."""
    pause = state.pause
    if pause is None or pause.by is None:
        return None
    return PauseFace(pause.by, None if pause.ends_ms is None else max(0, pause.ends_ms - now_ms))


def takes_answers(state: TableState) -> bool:
    """Return whether answers about an attack or a decision are accepted now: also in a pause for silence."""
    return state.phase is Phase.WAITING_FOR_DECLARATIONS or (state.pause is not None and state.pause.silence)


def break_silence(step: StepBuilder) -> None:
    """Resume if the table was paused for silence: the missing answer has come, or nobody waits for it any more."""
    if step.state.pause is not None and step.state.pause.silence:
        resume(step)


def put_off(step: StepBuilder, phase: Phase) -> Phase:
    """Return the phase to enter: this one, or during a requested pause the pause itself, which will then end in this
    one.
    """
    pause = step.state.pause
    if pause is None:
        return phase
    pause.phase, pause.left_ms = phase, None
    return Phase.PAUSED
