"""How a game ends, and what an owner may show of it afterwards."""

from __future__ import annotations

from dataclasses import replace

from referee.rules import ContradictionError, EndReason
from referee.rules.values import Seat, Square
from referee.table.messages import Consent
from referee.table.step import StepBuilder
from referee.table.transitions import Trigger
from referee.table.views import GameEnd, Phase


def close_last_move(step: StepBuilder) -> None:
    """Make the move that was read last final, and end the game if it did.

    Sensing is not told: who closes a move that sensing has not called final gives it an order afterwards, or a revision of that
    move would be waited on for ever.
    """
    state = step.state
    if state.before is None:
        return
    state.before = None
    last = state.last_move
    assert last is not None
    state.last_move = replace(last, final=True)
    state.leaving.pop(last.seat, None)
    step.event("move.final", seat=last.seat, source=Square(last.source), target=Square(last.target))
    end_if_over(step)


def end_if_over(step: StepBuilder) -> None:
    """End the game if the rules say so."""
    result = step.state.game.result
    if result is not None:
        end(step, result.winner, result.reason)


def end(step: StepBuilder, winner: Seat | None, reason: EndReason) -> None:
    """End the game with this result."""
    state = step.state
    step.go(Trigger.ENDED)
    state.before = state.pause = None
    step.close_all()
    state.ask, state.fixes, state.in_hand, state.barred, state.unsettled = None, (), [], None, None
    if state.shown_attack is not None and state.shown_attack.result is None:
        state.shown_attack = None  # it was never settled
    state.result = GameEnd(winner, reason.value)
    step.event("end", seat=winner, text=reason.value)


def overrule(step: StepBuilder, winner: Seat | None, reason: EndReason) -> None:
    """Give a game that is over another result."""
    step.go(Trigger.OVERRULED)
    step.state.result = GameEnd(winner, reason.value)
    step.event("end", seat=winner, text=reason.value)


def consent(step: StepBuilder, seat: Seat, message: Consent) -> None:
    """Take an owner's consent, after the game, to have the set-up in the record; it must fit what was played."""
    state = step.state
    origins = {square.name: (square, piece) for square, piece in state.origins.items() if piece.seat is seat}
    if state.phase is not Phase.FINISHED or state.dual is None:
        step.reject(seat, message.id, "not-now")
        return
    if set(message.set_up) != set(origins):
        step.reject(seat, message.id, "bad-set-up", tuple(sorted(set(message.set_up) ^ set(origins)))[:8])
        return
    known = state.dual.known.copy()
    if state.result is not None and state.result.reason == EndReason.FORFEIT.value:
        known.forget_forfeits({origins[name][1]: rank for name, rank in message.set_up.items()})
    lies = [name for name, rank in message.set_up.items() if rank not in known.possible(origins[name][1])]
    for name, rank in () if lies else message.set_up.items():
        try:
            known.learn(
                origins[name][1], frozenset({rank})
            )  # one by one possible, but an army has only so many of each
        except ContradictionError:
            lies.append(name)
    if lies:
        step.reject(seat, message.id, "contradicts-the-game", tuple(lies[:8]))
        return
    step.accept(seat, message.id)
    step.secret("consent", seat, {origins[name][0]: rank for name, rank in message.set_up.items()})
