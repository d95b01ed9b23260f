"""Why an ordinary move is not one: every reason at once, for those who have to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.actions import Move
from referee.rules.outcomes import Reason, Refusal
from referee.rules.ruleset import Gait
from referee.rules.values import PieceId, Square

if TYPE_CHECKING:
    from referee.rules.game import Game

_FAR = frozenset({Gait.RUN, Gait.RUN_AND_TURN})


def move_refusals(game: Game, action: Move) -> tuple[Refusal, ...]:
    """Give every reason, of pieces and squares, against a move that the seat to move cannot make; never a repetition."""
    found = [*_piece_refusals(game, action), *_way_refusals(game, action)]
    if not found:
        found.append(Refusal(Reason.NOT_A_MOVE, (action.source, action.target)))
    return tuple(found)


def _piece_refusals(game: Game, action: Move) -> list[Refusal]:
    squares = set(game.rule_set.board.squares)
    if action.source not in squares:
        return []
    piece = game.piece_at(action.source)
    if piece is None:
        return [Refusal(Reason.NO_PIECE, (action.source,))]
    if piece.seat is not game.turn:
        return [Refusal(Reason.NOT_YOUR_PIECE, (action.source,))]
    if all(game.rule_set.gait(rank) is Gait.NONE for rank in game.possible(piece)):
        return [Refusal(Reason.IMMOBILE, (action.source,))]
    return []


def _way_refusals(game: Game, action: Move) -> list[Refusal]:
    board = game.rule_set.board
    ends = (action.source, action.target)
    strange = action.source == action.target or action.via or action.leaving
    if strange or not set(ends) <= set(board.squares):
        return [Refusal(Reason.NOT_A_MOVE, ends)]
    ray = next((ray for ray in board.lines(action.source) if action.target in ray), None)
    near = action.target in board.neighbours(action.source)
    found = []
    mover, other = game.piece_at(action.source), game.piece_at(action.target)
    if mover is not None and other is not None and other.seat in game.rule_set.partners(mover.seat):
        found.append(Refusal(Reason.OWN_PIECE, ends))
    if near:
        return found
    if ray is None:
        return [*found, Refusal(Reason.NOT_A_MOVE, ends)]
    if mover is not None and not _may_run(game, mover):
        found.append(Refusal(Reason.TOO_FAR, ends))
    blocked = tuple(square for square in between(ray, action.target) if game.piece_at(square) is not None)
    if blocked:
        found.append(Refusal(Reason.BLOCKED, blocked))
    return found


def _may_run(game: Game, piece: PieceId) -> bool:
    return any(game.rule_set.gait(rank) in _FAR for rank in game.possible(piece))


def between(ray: tuple[Square, ...], target: Square) -> tuple[Square, ...]:
    """Give the squares of a ray before a target on it."""
    return ray[: ray.index(target)]
