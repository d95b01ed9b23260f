"""Pauses: silence beyond the limit, which the missing answer ends; and those that somebody asked for, which only `resume` ends."""

from __future__ import annotations

from referee.rules.values import Seat
from referee.table.messages import AskPause, AskResume, CallArbiter
from referee.table.state import OpenPause, Sheet, TableState
from referee.table.step import Collect, Expect
from referee.table.transitions import Happening, may
from referee.table.views import Ask, Phase


def tick(sheet: Sheet) -> None:
    """Pause when a question has been open for longer than its limit."""
    state = sheet.state
    if state.deadline_ms is None or sheet.now_ms < state.deadline_ms:
        return
    state.pause = OpenPause(state.phase, silence=True)
    state.deadline_ms = None
    sheet.go(Happening.PAUSED)
    sheet.event("paused", text="no-answer")


def pause(sheet: Sheet, by: Seat | None = None, why: str = "asked") -> None:
    """Pause because somebody asked for it, perhaps a player, or for another stable word; the time of an open question stands still."""
    state = sheet.state
    if not may(state.phase, Happening.PAUSED):
        return
    left_ms = None if state.deadline_ms is None else max(0, state.deadline_ms - sheet.now_ms)
    state.pause = OpenPause(state.phase, silence=False, left_ms=left_ms, by=by)
    state.deadline_ms = None
    state.in_hand.clear()
    sheet.go(Happening.PAUSED)
    sheet.event("paused", seat=by, text=why)


def hold(sheet: Sheet, why: str) -> None:
    """Let the table stand still until an arbiter's word, or somebody's at the table; what it stood still for before ends it no more."""
    pause_ = sheet.state.pause
    if pause_ is None:
        pause(sheet, why=why)
        return
    pause_.silence, pause_.by = False, None
    sheet.event("paused", text=why)


def ask_for(sheet: Sheet, seat: Seat, message: AskPause | CallArbiter) -> None:
    """Take a player's wish to stand still, or for the arbiter, who may be called in a pause as well."""
    state = sheet.state
    calls = isinstance(message, CallArbiter)
    if seat in state.out or not (may(state.phase, Happening.PAUSED) or (calls and state.pause is not None)):
        sheet.reject(seat, message.id, "not-now")
        return
    sheet.accept(seat, message.id)
    if state.pause is None:
        pause(sheet, seat)
    assert state.pause is not None
    state.pause.ready.clear()
    sheet.touch()
    if calls and seat not in state.pause.called:
        state.pause.called.append(seat)
        sheet.event("arbiter.called", seat=seat)


def ask_to_go_on(sheet: Sheet, seat: Seat, message: AskResume) -> None:
    """Take a player's word that he is ready to go on; when every seat is, a pause that a player asked for is over.

    What the kiosk or an arbiter has stopped, the handsets do not start again.
    """
    state = sheet.state
    if seat not in owed(state):
        sheet.reject(seat, message.id, "not-now")
        return
    assert state.pause is not None
    sheet.accept(seat, message.id)
    state.pause.ready.add(seat)
    sheet.touch()
    if not owed(state):
        resume(sheet)


def owed(state: TableState) -> tuple[Seat, ...]:
    """Give the seats that have not yet said that they want to go on, in a pause that a player asked for."""
    pause = state.pause
    if pause is None or pause.by is None:
        return ()
    return tuple(seat for seat in state.settings.rule_set.seats if seat not in pause.ready and seat not in state.out)


def resume(sheet: Sheet) -> None:
    """Go on after any pause. What was played or moved meanwhile does not count: the board is compared first."""
    state, pause = sheet.state, sheet.state.pause
    if pause is None:
        return
    state.pause = None
    in_play = pause.phase in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
    sheet.go(Happening.RESUMED, Phase.RESTORING if in_play else pause.phase)
    if in_play:
        state.ask = Ask.RESTORE
    sheet.event("resumed")
    if state.phase is Phase.WAITING_FOR_DECLARATIONS:
        limit_ms = state.settings.answer_limit_ms if pause.left_ms is None else pause.left_ms
        state.deadline_ms = sheet.now_ms + limit_ms
    elif state.phase is Phase.SETTING_UP:
        sheet.order(Collect())
    else:
        sheet.order(Expect(state.game.public.occupants()))


def reopen(sheet: Sheet) -> None:
    """Go on after a restart as after a pause; nobody was there to see what the hands did meanwhile.

    Who is connected and what is in the air is told anew. A pause that was on stays on, and a game that is over stays over.
    """
    state = sheet.state
    state.reopened += 1
    state.connected, state.in_hand = {}, []
    sheet.note("reopened")
    if state.board_fault is not None:
        state.board_fault = None  # or the program would not have started
        sheet.event("board.link", text="back")
    if state.pause is None and may(state.phase, Happening.PAUSED):
        state.deadline_ms = None  # of another clock
        pause(sheet, why="interrupted")
        resume(sheet)
    sheet.touch()


def takes_answers(state: TableState) -> bool:
    """Tell whether an answer about an attack or a decision has its place now: it has in a pause for silence, too."""
    return state.phase is Phase.WAITING_FOR_DECLARATIONS or (state.pause is not None and state.pause.silence)


def break_silence(sheet: Sheet) -> None:
    """Go on if the table was paused for silence: the missing answer has come, or nobody waits for it any more."""
    if sheet.state.pause is not None and sheet.state.pause.silence:
        resume(sheet)


def put_off(sheet: Sheet, phase: Phase) -> Phase:
    """Give the phase to go to: this one, or in a pause that somebody asked for the pause itself, which will end in it."""
    pause = sheet.state.pause
    if pause is None:
        return phase
    pause.phase, pause.left_ms = phase, None
    return Phase.PAUSED
