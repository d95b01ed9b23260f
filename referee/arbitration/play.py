"""Ordinary moves: lifted, returned, read, revised, final, refused."""

from __future__ import annotations

from referee.arbitration import decisions, ends
from referee.arbitration.messages import Told
from referee.arbitration.state import Sheet
from referee.arbitration.step import Advance, Expect, Follow
from referee.arbitration.transitions import Happening, may
from referee.arbitration.views import Ask, Fix, LastMove, Phase
from referee.rules import Move, Prospect, Reason, Refusal
from referee.rules.values import Square

PUBLIC_REASONS = frozenset({Reason.TWO_SQUARES, Reason.CHASE})
"""Refusals that rest on where tracked pieces went, never on a rank: everybody may hear them."""


def lifted(sheet: Sheet, square: Square) -> None:
    """Note a piece in the air; only the mover's own piece changes the phase."""
    state = sheet.state
    if not may(state.phase, Happening.LIFTED) or square in state.in_hand:
        return
    piece = state.game.public.piece_at(square)
    state.in_hand.append(square)
    if piece is not None and piece.seat is state.game.public.turn:
        sheet.go(Happening.LIFTED)
    sheet.touch()


def returned(sheet: Sheet, square: Square) -> None:
    """Note that a lifted piece stands where it stood: no move."""
    state = sheet.state
    if square not in state.in_hand:
        return
    state.in_hand.remove(square)
    if state.phase is Phase.PIECE_IN_HAND:
        own = [s for s in state.in_hand if (p := state.game.public.piece_at(s)) and p.seat is state.game.public.turn]
        sheet.go(Happening.RETURNED, Phase.PIECE_IN_HAND if own else Phase.WAITING_FOR_MOVE)
    sheet.touch()


def read(sheet: Sheet, prospect: Prospect) -> None:
    """Take a move that sensing has read; it counts from now on, and can be revised until it is final."""
    state = sheet.state
    if not may(state.phase, Happening.MOVE_READ):
        return
    finalise(sheet)
    if not may(state.phase, Happening.MOVE_READ):
        return
    _apply(sheet, "move.read", Happening.MOVE_READ, prospect)


def revised(sheet: Sheet, prospect: Prospect) -> None:
    """Take the better reading of a motion that went on: the earlier move never was."""
    state = sheet.state
    if state.before is None or not may(state.phase, Happening.MOVE_REVISED):
        return
    state.books, state.before = state.before, None
    _apply(sheet, "move.revised", Happening.MOVE_REVISED, prospect)


def _apply(sheet: Sheet, kind: str, happening: Happening, prospect: Prospect) -> None:
    state = sheet.state
    leaving = state.leaving[1] if state.leaving is not None and state.leaving[0] == prospect.source else ()
    action = Move(prospect.source, prospect.target, prospect.path_told, leaving)
    refusals = state.game.known.refusals(action)
    state.in_hand.clear()
    if refusals:
        refuse(sheet, action, refusals)
        return
    state.before = state.game.copy()
    mover = state.game.public.turn
    state.game.public.play(action)
    state.game.known.play(action)
    sheet.go(happening)
    state.barred = None
    state.shown_attack = None
    state.last_move = LastMove(mover, prospect.source.name, prospect.target.name, final=False)
    sheet.order(Advance(state.game.public.situation()))
    left = " ".join(seat.value for seat in leaving) or None
    sheet.event(kind, seat=mover, source=prospect.source, target=prospect.target, via=prospect.path_told, text=left)


def finalise(sheet: Sheet) -> None:
    """Make the move that was read last final; after it the game may be over."""
    state = sheet.state
    if state.before is None:
        return
    state.before = None
    if state.last_move is not None:
        last = state.last_move
        state.last_move = LastMove(last.seat, last.source, last.target, final=True)
        sheet.event("move.final", seat=last.seat, source=Square(last.source), target=Square(last.target))
    state.leaving = None
    ends.end_if_over(sheet)
    decisions.ask_if_owed(sheet)


def refuse(sheet: Sheet, action: Move, refusals: tuple[Refusal, ...]) -> None:
    """Refuse what the hands did: everybody hears which squares to put right, the mover alone a reason that rests on a rank."""
    state = sheet.state
    public, mover = state.game.public, state.game.public.turn
    sheet.go(Happening.MOVE_REFUSED)
    reason = refusals[0].reason
    state.barred = reason.value if reason in PUBLIC_REASONS else None
    state.ask = Ask.ILLEGAL_MOVE
    occupants = public.occupants()
    state.fixes = tuple(Fix(s.name, occupants.get(s)) for s in (action.source, action.target))
    state.in_hand.clear()
    sheet.order(Expect(occupants))
    sheet.event("move.refused", seat=mover, source=action.source, target=action.target, text=state.barred)
    told = Told(
        id=state.next_id(), ply=state.ply + 1, reason=reason.value, squares=(action.source.name, action.target.name)
    )
    sheet.letter(mover, told)


def resume_play(sheet: Sheet) -> None:
    """Go on after the board agreed: nothing is asked any more, sensing follows the game as it stands."""
    state = sheet.state
    state.ask, state.fixes = None, ()
    state.in_hand.clear()
    sheet.go(Happening.BOARD_AGREES)
    if not decisions.ask_if_owed(sheet):
        sheet.order(Follow(state.game.public.situation()))
