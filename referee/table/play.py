"""Ordinary moves: lifted, returned, read, revised, final, refused."""

from __future__ import annotations

from referee.rules import EndReason, Game, Move, Prospect, Reason, Refusal
from referee.rules.values import Square
from referee.table import decisions, ends, offers
from referee.table.messages import Told
from referee.table.state import Before, Sheet
from referee.table.step import Advance, Expect, Follow
from referee.table.transitions import Happening, may
from referee.table.views import Ask, Fix, LastMove, Phase

PUBLIC_REASONS = frozenset({Reason.TWO_SQUARES, Reason.CHASE, Reason.SITUATION})
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
    """Take the better reading of a motion that went on: the earlier move never was, nor what was offered on top of it."""
    state, before = sheet.state, sheet.state.before
    if before is None or not may(state.phase, Happening.MOVE_REVISED):
        return
    offers.drop(sheet, before.books.public.turn)
    state.before = None
    state.books, state.last_move, state.shown_attack = before.books, before.last_move, before.shown_attack
    state.clocks = before.clocks
    _apply(sheet, "move.revised", Happening.MOVE_REVISED, prospect)


def _apply(sheet: Sheet, kind: str, happening: Happening, prospect: Prospect) -> None:
    state = sheet.state
    mover = state.game.public.turn
    action, refusals = _first_legal(state.game.known, ways(sheet, prospect.source, prospect.target))
    state.in_hand.clear()
    if refusals:
        refuse(sheet, action, refusals)
        return
    if happening is Happening.MOVE_READ:
        offers.played_on(sheet, mover)
    clocks = state.clocks.stopped(sheet.now_ms) if state.clocks else None
    state.before = Before(state.game.copy(), state.last_move, state.shown_attack, clocks)
    state.game.play(action)
    sheet.go(happening)
    state.barred = None
    state.shown_attack = None
    state.last_move = LastMove(mover, action.source.name, action.target.name, final=False)
    sheet.order(Advance(state.game.public.situation()))
    left = " ".join(seat.value for seat in action.leaving) or None
    sheet.event(kind, seat=mover, source=action.source, target=action.target, via=action.via, text=left)


def ways(sheet: Sheet, source: Square, target: Square) -> list[Move]:
    """Give the ways from source to target, as everybody may think of them: where they turn, sensing cannot tell them apart.

    Those of most ranks come first, so that the first legal one says as little as possible of the piece.
    """
    state = sheet.state
    game = state.game
    square, flags = state.leaving.get(game.public.turn, (None, ()))
    left = flags if square == source else ()
    if game.public.castle is None and not state.settings.rule_set.steps_first:
        return [Move(source, target, (), left)]
    prospects = game.public.situation().prospects
    told = [p.path_told for p in prospects if (p.source, p.target) == (source, target)]
    found = [Move(source, target, way, left) for way in told] or [Move(source, target, (), left)]
    piece = game.public.piece_at(source)
    return found if piece is None else sorted(found, key=lambda move: -len(game.public.possible_for(piece, move)))


def _first_legal(known: Game, actions: list[Move]) -> tuple[Move, tuple[Refusal, ...]]:
    judged = [(action, known.refusals(action)) for action in actions]
    return next((one for one in judged if not one[1]), judged[0])


def final(sheet: Sheet) -> None:
    """Take sensing's word that the last move can no longer be revised; while the table stands still, the board is compared first."""
    if may(sheet.state.phase, Happening.MOVE_REVISED):
        finalise(sheet)


def finalise(sheet: Sheet) -> None:
    """Make the move that was read last final; after it the game may be over, or a decision owed.

    Sensing has said so, or the next player has acted on it: by a move or an attack that sensing read, or by the word of an attack.
    """
    if sheet.state.before is None:
        return
    ends.close_last_move(sheet)
    decisions.ask_if_owed(sheet)


def refuse(sheet: Sheet, action: Move, refusals: tuple[Refusal, ...]) -> None:
    """Refuse what the hands did: everybody hears which squares to put right, the mover alone a reason that rests on a rank.

    The event has the number of the ply that it would have been: where that ply was read and this refuses its revision, it never was.
    """
    state = sheet.state
    public, mover = state.game.public, state.game.public.turn
    sheet.go(Happening.MOVE_REFUSED)
    reason = refusals[0].reason
    state.barred = _public_reason(public, action)
    state.ask = Ask.ILLEGAL_MOVE
    occupants = public.occupants()
    state.fixes = tuple(Fix(s.name, occupants.get(s)) for s in (action.source, action.target))
    state.in_hand.clear()
    sheet.order(Expect(occupants))
    ply = state.ply + 1
    sheet.event("move.refused", seat=mover, source=action.source, target=action.target, text=state.barred, ply=ply)
    squares = (action.source.name, action.target.name)
    sheet.letter(mover, Told(id=state.next_id(mover), ply=ply, reason=reason.value, squares=squares))
    rules = state.settings.rule_set
    if reason is Reason.IMMOBILE and rules.option("immobile_moved", "illegal") == "forfeit":
        ends.end(sheet, rules.seat_after(mover), EndReason.FORFEIT)


def _public_reason(public: Game, action: Move) -> str | None:
    """Return the repetition rule that bars an action for all that everybody knows.

    Not whether it is why the action was refused: that would tell of a long move whether the piece can run.
    """
    reasons = [refusal.reason for refusal in public.refusals(action)]
    return next((reason.value for reason in reasons if reason in PUBLIC_REASONS), None)


def resume_play(sheet: Sheet) -> None:
    """Go on after the board agreed: nothing but an open offer is asked any more, sensing follows the game as it stands."""
    state = sheet.state
    state.ask, state.fixes = offers.ask(state), ()
    state.in_hand.clear()
    sheet.go(Happening.BOARD_AGREES)
    if not decisions.ask_if_owed(sheet):
        sheet.order(Follow(state.game.public.situation()))
