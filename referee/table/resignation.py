"""How a game ends before its time: by resigning, by abort; and how one of several seats gives up."""

from __future__ import annotations

from referee.rules import EndReason
from referee.rules.values import Seat
from referee.table import pauses
from referee.table.ends import end, end_if_over
from referee.table.last_move import settle_last_move
from referee.table.offers import drop_offer
from referee.table.messages import Resign
from referee.table.step import Expect, StepBuilder
from referee.table.transitions import Trigger, is_allowed
from referee.table.views import Ask, Fix, Phase

_IN_PLAY = frozenset(
    {
        Phase.WAITING_FOR_MOVE,
        Phase.PIECE_IN_HAND,
        Phase.WAITING_FOR_DECLARATIONS,
        Phase.WAITING_FOR_BOARD,
        Phase.RESTORING,
        Phase.PAUSED,
    }
)


def abort(step: StepBuilder, reason: EndReason) -> None:
    """End the game without a result, unless its last move has just ended it or it was over before."""
    settle_last_move(step)
    if is_allowed(step.state.phase, Trigger.ENDED):
        end(step, None, reason)


def resign(step: StepBuilder, seat: Seat, message: Resign) -> None:
    """Take a resignation: with two seats the other one wins. What the last move ended before stays ended by it."""
    state = step.state
    if state.phase not in _IN_PLAY or state.dual is None or seat in state.out:
        step.reject(seat, message.id, "not-now")
        return
    step.accept(seat, message.id)
    settle_last_move(step)
    if state.phase is Phase.FINISHED:
        return
    _leave(step, seat, EndReason.RESIGN)


def out_of_time(step: StepBuilder, seat: Seat) -> None:
    """Let a seat lose whose flag has fallen: with two seats the other one wins. The caller knows that no move is open."""
    _leave(step, seat, EndReason.CLOCK)


def _leave(step: StepBuilder, seat: Seat, reason: EndReason) -> None:
    others = [other for other in step.state.settings.rule_set.seats if other is not seat]
    if len(others) == 1:
        end(step, others[0], reason)
    else:
        _drop_out(step, seat, None if reason is EndReason.RESIGN else reason.value)


def _drop_out(step: StepBuilder, seat: Seat, why: str | None) -> None:
    """Let one of several seats give up: its pieces leave the board, the others play on until one team is left.

    An attack between two others goes on; what is left of the board is cleared with its verdict.
    """
    state = step.state
    goes_on = state.attack is not None and seat not in state.attack.pieces
    if not goes_on:
        pauses.break_silence(step)
    gone = [square.name for square, owner in state.game.public.occupants().items() if owner is seat]
    state.game.drop_out(seat)
    drop_offer(step, None)
    state.leaving = {}
    occupants = state.game.public.occupants()
    wanted = {square.name: owner for square, owner in occupants.items()}
    names = dict.fromkeys([*(fix.square for fix in state.fixes), *gone])
    state.fixes = tuple(Fix(name, wanted.get(name)) for name in names)
    if goes_on:
        step.go(Trigger.DROPPED_OUT, state.phase)
        step.event("resigned", seat=seat, text=why)
        return
    if state.shown_attack is not None and state.shown_attack.result is None:
        state.shown_attack = None
    step.close_all()
    state.barred = None
    state.in_hand.clear()
    step.go(Trigger.DROPPED_OUT, pauses.put_off(step, Phase.WAITING_FOR_BOARD))
    state.ask = Ask.REMOVE_CAPTURED
    step.event("resigned", seat=seat, text=why)
    step.order(Expect(occupants))
    end_if_over(step)
