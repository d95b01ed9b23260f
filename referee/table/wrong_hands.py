"""Hands that moved one piece as no rule allows: which rule it was, by what everybody sees. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import Board, Game, Move, Reason
from referee.rules.values import Square
from referee.sensing import Difference, Reading


def fault_of(public: Game, board: Board, differences: Sequence[Difference]) -> str | None:
    """Return the word of the fault (key `refusal.<word>` of the words), None where the hands did not simply move one piece.

    `public` is the book that knows only what everybody knows, so that no word rests on a hidden rank.
    """
    gone = [d for d in differences if d.wanted is not None and d.seen == Reading.EMPTY]
    come = [d for d in differences if d not in gone]
    if len(gone) == 2 and not come and all(d.wanted is public.turn for d in gone):
        return Reason.OWN_PIECE.value
    if len(gone) != 1 or len(come) != 1:
        return None
    (left,), (reached,) = gone, come
    if reached.seen == Reading.UNSURE or reached.whose not in (None, left.wanted):
        return None
    if left.wanted is not public.turn:
        return "out-of-turn"
    refusals = public.refusals(Move(left.square, reached.square))
    return named(board, left.square, reached.square, refusals[0].reason) if refusals else None


def named(board: Board, source: Square, target: Square, reason: Reason) -> str:
    """Return the word of a refusal; what is no move of any piece is told by where it went: `diagonal`, through a `lake`, or neither."""
    if reason is not Reason.NOT_A_MOVE or board.ring is not None:
        return reason.value
    (x1, y1), (x2, y2) = board.shape(source)[:2], board.shape(target)[:2]
    if x1 != x2 and y1 != y2:
        return "diagonal"
    low, high = sorted(((x1, y1), (x2, y2)))
    crossed = any(low[0] <= column + 0.5 <= high[0] and low[1] <= row + 0.5 <= high[1] for column, row in board.lakes)
    return "lake" if crossed else reason.value
