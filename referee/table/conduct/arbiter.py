"""The arbiter's orders (values: `arbiter_commands`) carried out: each is checked before anything changes.

That an order is no repeat and does not come too late is judged where it comes in (`referee.runtime.orders`).

Apart from `table`, its only importer, which looks inputs up and decides nothing; and from `endings`, `pauses`, `takeback` and
`timekeeping`, which players reach as well, without an order.
"""

from __future__ import annotations

from referee.rules import EndReason
from referee.rules.values import Seat
from referee.table import arbiter_commands
from referee.table.arbiter_commands import ArbiterVerb, CorrectionError, check_words
from referee.table.conduct import endings, pauses, takeback, timekeeping
from referee.table.state import TableState, Trigger, is_allowed
from referee.table.step import StepBuilder
from referee.table.views import Phase

DRAW, BOTH_LOSE, ABORT = "draw", "both-lose", "abort"


def order(step: StepBuilder, verb: ArbiterVerb) -> None:
    """Do what an arbiter orders. Raises `CorrectionError`, and then nothing has changed."""
    check_words(verb.id, verb.reason, verb.by)
    if step.state.pause is None and step.state.called:  # he is there
        step.state.called.clear()
        step.touch()
    match verb:
        case arbiter_commands.TakeBack():
            takeback.take_back(step, verb.ply, takeback.BY_ARBITER)
        case arbiter_commands.VoidVerdict():
            takeback.void(step, verb.ply, takeback.BY_ARBITER)
        case arbiter_commands.SetClock():
            timekeeping.adjust(step, verb.seat, verb.left_ms)
        case arbiter_commands.SetHallClock():
            timekeeping.set_hall_clock(step, verb.left_ms, verb.at_end)
        case arbiter_commands.EndGame():
            _end(step, verb.result)
        case arbiter_commands.PauseGame():
            mine = step.state.pause is not None and step.state.pause.by is not None  # a player's, which has a limit
            _need(mine or is_allowed(step.state.phase, Trigger.PAUSED))
            pauses.hold(step, "arbiter")
        case arbiter_commands.AdjournGame():
            _need(step.state.pause is not None or is_allowed(step.state.phase, Trigger.PAUSED))
            pauses.hold(step, "adjourned")
        case arbiter_commands.ResumeGame():
            _need(step.state.pause is not None)
            pauses.resume(step)
        case arbiter_commands.Penalise():
            step.event("penalty", seat=_at_table(step.state, verb.seat))
        case arbiter_commands.Rule():
            step.event("ruling", seat=_at_table(step.state, verb.seat) if verb.seat is not None else None)


def _end(step: StepBuilder, result: str) -> None:
    """End the game with a result of the arbiter's, or give one that is over another; a last move that ended it just now stands."""
    state = step.state
    seats = {seat.value: seat for seat in state.seats}
    if result not in (*seats, DRAW, BOTH_LOSE, ABORT):
        raise CorrectionError("no-such-result", f"a game ends with {', '.join(seats)}, {DRAW}, {BOTH_LOSE} or {ABORT}")
    reason = {BOTH_LOSE: EndReason.BOTH_LOSE, ABORT: EndReason.ABORTED}.get(result, EndReason.RULED)
    winner = seats.get(result)
    if state.phase is Phase.FINISHED:
        endings.overrule(step, winner, reason)
    else:
        endings.settle_and_end(step, winner, reason)


def _need(now: bool) -> None:
    if not now:
        raise CorrectionError("not-now", "the table does not stand so that this could be done")


def _at_table(state: TableState, seat: Seat) -> Seat:
    if seat not in state.seats:
        raise CorrectionError("no-such-seat", f"{seat.value} does not play here")
    return seat
