"""Attacks that are told on the handset: by moving, by infiltrating, by firing. What cannot be is refused to its teller alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from referee.rules import Fire, Infiltrate, Move
from referee.rules.values import Rank, Seat, Square
from referee.table import last_move, play
from referee.table.attack import legal_ways, open_attack, open_move
from referee.table.inputs import SeatSays, as_json
from referee.table.messages import TellAttack, TellFire, TellInfiltrate
from referee.table.step import StepBuilder
from referee.table.transitions import Trigger, is_allowed
from referee.table.wrong_hands import named


def take_told(step: StepBuilder, seat: Seat, message: TellAttack) -> None:
    """Take an attack by moving that the mover told; what he leaves out must follow from the hands and from his own ranks."""
    state = step.state
    if _is_open(step, seat, message):  # the hands were quicker than the word: it is the same attack
        step.accept(seat, message.id)
        return
    begun = _begun_from(step, seat, message.source)
    if not is_allowed(state.phase, Trigger.ATTACKED) or (state.game.public.turn is not seat and begun is None):
        step.reject(seat, message.id, _out_of_place(step, seat))
        return
    in_hand = [begun] if begun else _in_hand(step, seat)
    sources = in_hand if begun or message.source is None else _named(step, seat, message.source)
    if not sources:
        step.reject(seat, message.id, "no-piece-in-hand" if message.source is None else "not-your-piece")
        return
    if not in_hand and _hold(step, seat, message):
        return
    with _unsaid(step, begun):
        pairs = _pairs(step, sources, message.target)
        if len(pairs) != 1:
            _refuse(step, seat, message, sources, pairs)
            return
    step.accept(seat, message.id)
    _settle_last_move(step, begun)
    if is_allowed(state.phase, Trigger.ATTACKED):
        open_move(step, *pairs[0])


def _begun_from(step: StepBuilder, seat: Seat, source: str | None) -> Square | None:
    """Give where the piece in this player's hand came from if the move that was read last was only a rest on its way; else None.

    It is up again from where it was read, and its owner says that it attacks: so it had not been let go.
    """
    state = step.state
    last = state.last_move
    if state.before is None or last is None or last.seat is not seat or Square(last.target) not in state.in_hand:
        return None
    return Square(last.source) if source in (None, last.source, last.target) else None


@contextmanager
def _unsaid(step: StepBuilder, begun: Square | None) -> Iterator[None]:
    """Judge as if the move that was read last had not been, where the piece in the hand is going on with it."""
    state, dual = step.state, step.state.dual
    if begun is not None and state.before is not None:
        state.dual = state.before.dual
    try:
        yield
    finally:
        state.dual = dual


def _settle_last_move(step: StepBuilder, begun: Square | None) -> None:
    """Take the last move back if its piece is going on, else make it final: the next player has said what his piece does."""
    if begun is None:
        play.finalise(step)
    else:
        last_move.take_last_move_back(step)


def _out_of_place(step: StepBuilder, seat: Seat) -> str:
    state = step.state
    return "not-your-turn" if state.dual is not None and state.game.public.turn is not seat else "not-now"


def _hold(step: StepBuilder, seat: Seat, message: TellAttack | TellInfiltrate | TellFire) -> bool:
    """Put the word off while the move before it can be revised; give whether that was done.

    With no piece up nothing shows that this player has begun, and the hand that made the last move may still be going on with it.
    The answer waits, too: it is the same for every rank, since it depends on what everybody sees.
    """
    state = step.state
    if state.before is None:
        return False
    if state.held is not None:
        step.reject(seat, message.id, "not-now")
    else:
        state.held = (seat, message)
    return True


def take_held(step: StepBuilder) -> None:
    """Look at the word that was put off, once the move before it is final, taken back, or in doubt."""
    state = step.state
    if state.held is None or (state.before is not None and is_allowed(state.phase, Trigger.ATTACKED)):
        return
    (seat, message), state.held = state.held, None
    step.answers_also(as_json(SeatSays(seat, message)))
    if isinstance(message, TellAttack):
        take_told(step, seat, message)
    else:
        take_told_special(step, seat, message)


def _in_hand(step: StepBuilder, seat: Seat) -> list[Square]:
    public = step.state.game.public
    return [s for s in step.state.in_hand if (piece := public.piece_at(s)) and piece.seat is seat]


def _named(step: StepBuilder, seat: Seat, name: str) -> list[Square]:
    occupants = step.state.game.public.occupants()
    return [square for square, owner in occupants.items() if square.name == name and owner is seat]


def _pairs(step: StepBuilder, sources: list[Square], target: str | None) -> list[tuple[Square, Square]]:
    public = step.state.game.public
    return [
        (source, there)
        for source in sources
        for there in public.attack_targets(source)
        if target in (None, there.name) and legal_ways(step, source, there)
    ]


def _refuse(
    step: StepBuilder, seat: Seat, message: TellAttack, sources: list[Square], pairs: list[tuple[Square, Square]]
) -> None:
    """Say why to the teller alone: the reason may rest on the rank of his own piece."""
    if pairs:
        step.reject(seat, message.id, "which-target", tuple(dict.fromkeys(target.name for _, target in pairs)))
        return
    rivals = [square for square in step.state.game.public.occupants() if square.name == message.target]
    actions = [way for source in sources for target in rivals for way in play.ways(step, source, target)]
    board, known = step.state.settings.rule_set.board, step.state.game.known
    refusals = [named(board, way.source, way.target, no.reason) for way in actions for no in known.refusals(way)]
    step.reject(seat, message.id, refusals[0] if refusals else "out-of-reach")


def _is_open(step: StepBuilder, seat: Seat, message: TellAttack) -> bool:
    open_attack = step.state.attack
    return (
        open_attack is not None
        and open_attack.seat is seat
        and isinstance(open_attack.action, Move)
        and message.source in (None, open_attack.action.source.name)
        and message.target in (None, open_attack.action.target.name)
    )


def _meant(step: StepBuilder, source: Square, target: Square, guess: Rank, begun: Square | None) -> Infiltrate:
    """Return the infiltration that is meant: after the step that the hand made, else at once, else after the only step that fits."""
    state, direct = step.state, Infiltrate(source, target, guess)
    if not state.settings.rule_set.steps_first:
        return direct
    with _unsaid(step, begun):
        known, last = state.game.known, state.last_move
        steps = [Square(last.target)] if begun and last else state.settings.rule_set.board.neighbours(source)
        after = [Infiltrate(source, target, guess, (first,)) for first in steps]
        after = [action for action in after if not known.refusals(action)]
        if len(after) == 1 and (begun or known.refusals(direct)):
            return after[0]
    return direct


def take_told_special(step: StepBuilder, seat: Seat, message: TellInfiltrate | TellFire) -> None:
    """Take what no sensor can see: an infiltration with its guess, or a shot. The guess is spoken aloud, so it is public."""
    state = step.state
    names = {square.name: square for square in state.settings.rule_set.board.squares}
    source, target = names.get(message.source), names.get(message.target)
    begun = _begun_from(step, seat, message.source)
    if not is_allowed(state.phase, Trigger.ATTACKED) or (state.game.public.turn is not seat and begun is None):
        step.reject(seat, message.id, _out_of_place(step, seat))
        return
    source = begun or source
    if source is None or target is None:
        step.reject(seat, message.id, "no-such-square")
        return
    if not begun and not _in_hand(step, seat) and _hold(step, seat, message):
        return
    action: Fire | Infiltrate
    if isinstance(message, TellFire):
        action, kind, guess = Fire(source, target), "fire", None
    else:
        action, kind, guess = _meant(step, source, target, message.guess, begun), "infiltrate", message.guess.value
    with _unsaid(step, begun):
        refusals = state.game.known.refusals(action)
    if refusals:
        reasons = tuple(refusal.reason.value for refusal in refusals)
        step.reject(seat, message.id, reasons[0], reasons[1:])
        return
    step.accept(seat, message.id)
    _settle_last_move(step, begun)
    if is_allowed(state.phase, Trigger.ATTACKED):
        open_attack(step, (action,), kind, guess)
