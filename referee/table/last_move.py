"""The last move while it can still be revised: taken back where it is in doubt, otherwise final, never in silence."""

from __future__ import annotations

from referee.rules.values import Square
from referee.table.ends import close_last_move
from referee.table.step import StepBuilder
from referee.table.views import Fix


def take_last_move_back(step: StepBuilder) -> None:
    """Unsay the move that was read last and is not final: game, repetition and record are as if it had never been.

    The event names the ply that never was. The caller says what the board shall become.
    """
    state, before, last = step.state, step.state.before, step.state.last_move
    assert before is not None
    assert last is not None
    ply, source, target = state.ply, Square(last.source), Square(last.target)
    state.before = None
    state.dual, state.last_move, state.shown_attack = before.dual, before.last_move, before.shown_attack
    state.clocks = before.clocks
    step.event("move.taken-back", seat=last.seat, source=source, target=target, ply=ply)


def settle_last_move(step: StepBuilder) -> None:
    """Settle the last move where the game ends, or a seat leaves it, for another reason.

    While the board shows the move and nothing speaks against it, it is final: it was played, and it may have ended the game first.
    Once the board has been asked about or is not watched, nobody knows whether the hand had let go: then it is taken back.
    """
    state, last = step.state, step.state.last_move
    if not state.in_doubt:
        close_last_move(step)
        return
    assert last is not None
    take_last_move_back(step)
    wanted = {square.name: owner for square, owner in state.game.public.occupants().items()}
    names = dict.fromkeys((last.source, last.target, *(fix.square for fix in state.fixes)))
    state.fixes = tuple(Fix(name, wanted.get(name)) for name in names)
