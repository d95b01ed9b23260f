"""What players offer each other: draws, breaking off, claims of "I cannot move". Asked of everybody else, answered by all."""

from __future__ import annotations

from referee.rules import EndReason, Pass
from referee.rules.values import Seat
from referee.table import taking_back
from referee.table.ends import close_last_move, end, end_if_over
from referee.table.last_move import settle_last_move
from referee.table.arbiter_commands import CorrectionError
from referee.table.messages import Answer, ClaimImmobile, OfferAbort, OfferDraw, OfferTakeBack, OfferVoid, QuestionKind
from referee.table.state import Declined, OpenOffer, TableState
from referee.table.step import Follow, StepBuilder
from referee.table.transitions import Trigger
from referee.table.views import Ask, Offer, Phase

CHOICES = {
    QuestionKind.DRAW: ("accept", "refuse"),
    QuestionKind.CLAIM: ("accept", "accept-both", "refuse"),
    QuestionKind.ABORT: ("accept", "refuse"),
    QuestionKind.TAKE_BACK: ("accept", "refuse"),
    QuestionKind.VOID: ("accept", "refuse"),
}
_ASKS = {
    QuestionKind.DRAW: Ask.CONFIRM_DRAW,
    QuestionKind.CLAIM: Ask.CONFIRM_CLAIM,
    QuestionKind.ABORT: Ask.CONFIRM_ABORT,
    QuestionKind.TAKE_BACK: Ask.CONFIRM_TAKE_BACK,
    QuestionKind.VOID: Ask.CONFIRM_VOID,
}
_IN_A_PAUSE = frozenset({QuestionKind.ABORT, QuestionKind.TAKE_BACK, QuestionKind.VOID})
_CORRECTIONS = {
    QuestionKind.TAKE_BACK: (taking_back.check_take_back, taking_back.take_back),
    QuestionKind.VOID: (taking_back.check_void, taking_back.void),
}
_TOLD_PLIES = 2
"""So long it is told that an offer was declined: until its player and the one after him have played."""
_AT_REST = frozenset({Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND})


def offer_asks(state: TableState) -> Ask | None:
    """Give what an open offer asks of the players, None without one."""
    return None if state.offer is None else _ASKS[state.offer.kind]


def offer_draw(step: StepBuilder, seat: Seat, message: OfferDraw) -> None:
    """Take an offer of a draw and ask everybody else."""
    _offer(step, seat, message.id, QuestionKind.DRAW)


def offer_abort(step: StepBuilder, seat: Seat, message: OfferAbort) -> None:
    """Take the wish to break the game off and ask everybody else; it has its place in every phase of a game, pauses included."""
    state = step.state
    if state.phase in (Phase.LOBBY, Phase.FINISHED) or state.offer is not None or seat in state.out:
        step.reject(seat, message.id, "not-now")
        return
    _ask_others(step, seat, message.id, QuestionKind.ABORT)


def offer_correction(step: StepBuilder, seat: Seat, message: OfferTakeBack | OfferVoid) -> None:
    """Take the wish to go back, or to have a verdict void, and ask everybody else; it has its place while a game is on."""
    state = step.state
    if state.phase is Phase.FINISHED or state.offer is not None or seat in state.out:
        step.reject(seat, message.id, "not-now")
        return
    kind = QuestionKind.TAKE_BACK if isinstance(message, OfferTakeBack) else QuestionKind.VOID
    try:
        _CORRECTIONS[kind][0](state, message.ply)
    except CorrectionError as error:
        step.reject(seat, message.id, error.word)
        return
    _ask_others(step, seat, message.id, kind, message.ply)


def claim(step: StepBuilder, seat: Seat, message: ClaimImmobile) -> None:
    """Take a player's claim that he cannot move, on his own turn, and ask everybody else."""
    state = step.state
    if state.dual is not None and state.game.public.turn is not seat:
        step.reject(seat, message.id, "not-your-turn")
    else:
        _offer(step, seat, message.id, QuestionKind.CLAIM)


def _offer(step: StepBuilder, seat: Seat, message_id: str, kind: QuestionKind) -> None:
    state = step.state
    castle = state.dual.public.castle if state.dual is not None else None
    owed = castle is not None and bool(castle.owed)  # flags come first, even while the move to them can be revised
    if state.phase not in _AT_REST or state.offer is not None or seat in state.out or owed:
        step.reject(seat, message_id, "not-now")
        return
    _ask_others(step, seat, message_id, kind)


def _ask_others(step: StepBuilder, seat: Seat, message_id: str, kind: QuestionKind, ply: int | None = None) -> None:
    state = step.state
    others = [other for other in state.settings.rule_set.seats if other is not seat and other not in state.out]
    state.questions += 1
    state.declined = None
    state.offer = OpenOffer(state.questions, kind, seat, set(others), ply=ply)
    state.ask = state.ask or _ASKS[kind]  # what the hands are asked for comes first
    step.accept(seat, message_id)
    step.event(f"{kind.value}.offered", seat=seat, ply=ply)
    for other in others:
        step.letter(other, state.question_for(other, state.questions, kind, CHOICES[kind], ply))


def answer_offer(step: StepBuilder, seat: Seat, message: Answer) -> None:
    """Take the answer to a draw or a claim; one refusal is enough to play on."""
    state, offer = step.state, step.state.offer
    if offer is None or message.question != offer.question or seat not in offer.owed:
        step.reject(seat, message.id, "no-such-question")
        return
    standing = state.pause is not None and not state.pause.silence
    standing = standing and offer.kind not in _IN_A_PAUSE
    if standing or (offer.kind is QuestionKind.CLAIM and state.in_doubt):  # it is about the position after that move
        step.reject(seat, message.id, "not-now")
        return
    if message.choice not in CHOICES[offer.kind]:
        step.reject(seat, message.id, "no-such-choice")
        return
    step.accept(seat, message.id)
    offer.owed.discard(seat)
    offer.also |= message.choice == "accept-both"
    step.touch()
    step.close([seat], message.question)
    if message.choice == "refuse":
        _decline(step, offer, seat)
        _close_offer(step)
        step.event(f"{offer.kind.value}.refused", seat=seat, ply=offer.ply)
    elif not offer.owed:
        _grant(step, offer)


def _decline(step: StepBuilder, offer: OpenOffer, by: Seat) -> None:
    """Let everybody see for a while that somebody has declined; who offered waits for an answer."""
    step.state.declined = Declined(Offer(offer.kind.value, offer.seat, offer.ply, by), step.state.ply)


def shown_offer(state: TableState) -> Offer | None:
    """Return the open offer, or the one that was declined less than two plies ago; None without either, and after the end."""
    if (offer := state.offer) is not None:
        return Offer(offer.kind.value, offer.seat, offer.ply)
    if (declined := state.declined) is None or state.phase is Phase.FINISHED:
        return None
    return declined.offer if state.ply - declined.ply < _TOLD_PLIES else None


def _close_offer(step: StepBuilder) -> None:
    """Ask no more; what else is asked of the players stays asked."""
    state = step.state
    if state.ask is offer_asks(state):
        state.ask = None
    if state.offer is not None:
        step.close(state.offer.owed, state.offer.question)
    state.offer = None


def _grant(step: StepBuilder, offer: OpenOffer) -> None:
    state = step.state
    if offer.kind is QuestionKind.CLAIM and state.game.public.castle is not None:
        _pass(step)
        return
    if offer.kind in _CORRECTIONS:
        _correct(step, offer)
        return
    settle_last_move(step)
    if state.phase is Phase.FINISHED:
        return
    if offer.kind is QuestionKind.DRAW:
        end(step, None, EndReason.AGREED)
    elif offer.kind is QuestionKind.ABORT:
        end(step, None, EndReason.ABORTED)
    elif offer.also and not state.settings.rule_set.stuck_loses:
        end(step, None, EndReason.BOTH_IMMOBILE)
    else:
        (winner,) = (seat for seat in state.settings.rule_set.seats if seat is not offer.seat)
        end(step, winner, EndReason.IMMOBILE)


def _correct(step: StepBuilder, offer: OpenOffer) -> None:
    """Go back as everybody has agreed; where play has made that impossible meanwhile, it is refused."""
    assert offer.ply is not None
    check, correct = _CORRECTIONS[offer.kind]
    try:
        check(step.state, offer.ply)
    except CorrectionError:
        drop_offer(step, None)
        return
    _close_offer(step)
    correct(step, offer.ply, taking_back.BY_ALL)


def _pass(step: StepBuilder) -> None:
    """In Stratego 4 who cannot move passes. If everybody can see a move, play goes on as if nothing had been claimed."""
    state = step.state
    _close_offer(step)
    seat = state.game.public.turn
    if state.game.public.refusals(Pass()):
        step.event("claim.refused", seat=seat)
        return
    close_last_move(step)
    if state.phase is Phase.FINISHED:
        return
    state.game.play(Pass())
    state.leaving.pop(seat, None)
    step.go(Trigger.PASSED)
    step.event("pass", seat=seat)
    if state.phase is Phase.WAITING_FOR_MOVE:  # else the board is put right first, and then sensing follows
        state.in_hand.clear()
        step.order(Follow(state.game.public.situation()))
    end_if_over(step)


def played_on(step: StepBuilder, mover: Seat) -> None:
    """Drop an offer that somebody answered by playing on, and a claim that the position has overtaken."""
    offer = step.state.offer
    if offer is not None and (offer.kind is QuestionKind.CLAIM or mover in offer.owed):
        drop_offer(step, mover)


def drop_offer(step: StepBuilder, by: Seat | None) -> None:
    """Drop an open offer, if there is one, since what it was about has changed."""
    offer = step.state.offer
    if offer is not None:
        if by is not None and by is not offer.seat:
            _decline(step, offer, by)
        _close_offer(step)
        step.event(f"{offer.kind.value}.refused", seat=by, ply=offer.ply, text="played-on")
