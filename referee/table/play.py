"""Ordinary moves: lifted, returned, read, revised, final, refused."""

from __future__ import annotations

from referee.rules import EndReason, Game, Move, Prospect, Reason, Refusal
from referee.rules.values import Square
from referee.table import ends, offers
from referee.table.decisions import ask_if_owed
from referee.table.messages import Told
from referee.table.state import Before
from referee.table.step import Advance, Expect, Follow, StepBuilder
from referee.table.transitions import Trigger, is_allowed
from referee.table.views import Ask, Fix, LastMove, Phase

PUBLIC_REASONS = frozenset({Reason.TWO_SQUARES, Reason.CHASE, Reason.SITUATION})
"""Refusals that rest on where tracked pieces went, never on a rank: everybody may hear them."""


def lifted(step: StepBuilder, square: Square) -> None:
    """Note a piece in the air; only the mover's own piece changes the phase."""
    state = step.state
    if not is_allowed(state.phase, Trigger.LIFTED) or square in state.in_hand:
        return
    piece = state.game.public.piece_at(square)
    state.in_hand.append(square)
    if piece is not None and piece.seat is state.game.public.turn:
        step.go(Trigger.LIFTED)
    step.touch()


def returned(step: StepBuilder, square: Square) -> None:
    """Note that a lifted piece stands where it stood: no move."""
    state = step.state
    if square not in state.in_hand:
        return
    state.in_hand.remove(square)
    if state.phase is Phase.PIECE_IN_HAND:
        own = [s for s in state.in_hand if (p := state.game.public.piece_at(s)) and p.seat is state.game.public.turn]
        step.go(Trigger.RETURNED, Phase.PIECE_IN_HAND if own else Phase.WAITING_FOR_MOVE)
    step.touch()


def read(step: StepBuilder, prospect: Prospect) -> None:
    """Take a move that sensing has read; it counts from now on, and can be revised until it is final."""
    state = step.state
    if not is_allowed(state.phase, Trigger.MOVE_READ):
        return
    finalise(step)
    if not is_allowed(state.phase, Trigger.MOVE_READ):
        return
    _play(step, "move.read", Trigger.MOVE_READ, prospect)


def revised(step: StepBuilder, prospect: Prospect) -> None:
    """Take the better reading of a motion that went on: the earlier move never was, nor what was offered on top of it."""
    state, before = step.state, step.state.before
    if before is None or not is_allowed(state.phase, Trigger.MOVE_REVISED):
        return
    offers.drop_offer(step, before.dual.public.turn)
    state.before = None
    state.dual, state.last_move, state.shown_attack = before.dual, before.last_move, before.shown_attack
    state.clocks = before.clocks
    _play(step, "move.revised", Trigger.MOVE_REVISED, prospect)


def _play(step: StepBuilder, kind: str, trigger: Trigger, prospect: Prospect) -> None:
    state = step.state
    mover = state.game.public.turn
    action, refusals = _first_legal(state.game.known, ways(step, prospect.source, prospect.target))
    state.in_hand.clear()
    if refusals:
        refuse(step, action, refusals)
        return
    if trigger is Trigger.MOVE_READ:
        offers.played_on(step, mover)
    clocks = state.clocks.stopped(step.now_ms) if state.clocks else None
    state.before = Before(state.game.copy(), state.last_move, state.shown_attack, clocks)
    state.game.play(action)
    step.go(trigger)
    state.barred = None
    state.shown_attack = None
    state.last_move = LastMove(mover, action.source.name, action.target.name, final=False)
    step.order(Advance(state.game.public.situation()))
    left = " ".join(seat.value for seat in action.leaving) or None
    step.event(kind, seat=mover, source=action.source, target=action.target, via=action.via, text=left)


def ways(step: StepBuilder, source: Square, target: Square) -> list[Move]:
    """Give the ways from source to target, as everybody may think of them: where they turn, sensing cannot tell them apart.

    Those of most ranks come first, so that the first legal one says as little as possible of the piece.
    """
    state = step.state
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


def final(step: StepBuilder) -> None:
    """Take sensing's word that the last move can no longer be revised; while the table stands still, the board is compared first."""
    if is_allowed(step.state.phase, Trigger.MOVE_REVISED):
        finalise(step)


def finalise(step: StepBuilder) -> None:
    """Make the move that was read last final; after it the game may be over, or a decision owed.

    Sensing has said so, or the next player has acted on it: by a move or an attack that sensing read, or by the word of an attack.
    """
    if step.state.before is None:
        return
    ends.close_last_move(step)
    ask_if_owed(step)


def refuse(step: StepBuilder, action: Move, refusals: tuple[Refusal, ...]) -> None:
    """Refuse what the hands did: everybody hears which squares to put right, the mover alone a reason that rests on a rank.

    The event has the number of the ply that it would have been: where that ply was read and this refuses its revision, it never was.
    """
    state = step.state
    public, mover = state.game.public, state.game.public.turn
    step.go(Trigger.MOVE_REFUSED)
    reason = refusals[0].reason
    state.barred = _public_reason(public, action)
    state.ask = Ask.ILLEGAL_MOVE
    occupants = public.occupants()
    state.fixes = tuple(Fix(s.name, occupants.get(s)) for s in (action.source, action.target))
    state.in_hand.clear()
    step.order(Expect(occupants))
    ply = state.ply + 1
    step.event("move.refused", seat=mover, source=action.source, target=action.target, text=state.barred, ply=ply)
    squares = (action.source.name, action.target.name)
    step.letter(mover, Told(id=state.next_id(mover), ply=ply, reason=reason.value, squares=squares))
    rules = state.settings.rule_set
    if reason is Reason.IMMOBILE and rules.option("immobile_moved", "illegal") == "forfeit":
        ends.end(step, rules.seat_after(mover), EndReason.FORFEIT)


def _public_reason(public: Game, action: Move) -> str | None:
    """Return the repetition rule that bars an action for all that everybody knows.

    Not whether it is why the action was refused: that would tell of a long move whether the piece can run.
    """
    reasons = [refusal.reason for refusal in public.refusals(action)]
    return next((reason.value for reason in reasons if reason in PUBLIC_REASONS), None)


def resume_play(step: StepBuilder) -> None:
    """Go on after the board agreed: nothing but an open offer is asked any more, sensing follows the game as it stands."""
    state = step.state
    state.ask, state.fixes = offers.offer_asks(state), ()
    state.in_hand.clear()
    step.go(Trigger.BOARD_AGREES)
    if not ask_if_owed(step):
        step.order(Follow(state.game.public.situation()))
