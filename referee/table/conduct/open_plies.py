"""Plies that were read and are not final yet: the oldest becomes final, or the last ones never were. What that leads to is others' part."""

from __future__ import annotations

from dataclasses import replace

from referee.table.step import StepBuilder

UNREAD, TAKEN_BACK = "move.unread", "move.taken-back"
"""What is said of a ply that never was: that sensing has seen it, or that the board was asked about around it."""


def make_oldest_final(step: StepBuilder) -> None:
    """Make the oldest open ply final, whatever it means for the game."""
    state = step.state
    ply = state.open_plies.pop(0)
    if state.open_plies:  # where the reply to it is unsaid, this is the last move again, and final
        reply = state.open_plies[0]
        assert reply.last_move is not None
        reply.last_move = replace(reply.last_move, final=True)
    else:
        assert state.last_move is not None
        state.last_move = replace(state.last_move, final=True)
    step.event("move.final", seat=ply.seat, source=ply.source, target=ply.target, ply=ply.number)


def unsay(step: StepBuilder, plies: int, kind: str) -> None:
    """Unsay the last open plies: game, repetition, clocks and record are as if they had never been.

    One event a ply, the last one first, each with the number of the ply that never was. The caller says what the board shall become.
    """
    for _ in range(plies):
        ply = step.state.unsay_last_ply()
        step.event(kind, seat=ply.seat, source=ply.source, target=ply.target, ply=ply.number)
