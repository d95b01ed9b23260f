"""How a game ends: by its last move, by what players offer each other and claim, by resigning, by abort.

First what every end does, and how the open plies are settled on the way to it: taken back where they are in doubt, otherwise final,
never in silence. Then offers (draws, breaking off, claims of "I cannot move", corrections): asked of everybody else, answered by all. Then
giving up, where one of several seats may go while the others play on.
"""

from __future__ import annotations

from dataclasses import replace

from referee.rules import EndReason, Pass, Seat
from referee.table import messages
from referee.table.arbiter_commands import CorrectionError, RejectedError
from referee.table.conduct import finale, pauses, takeback
from referee.table.messages import QuestionKind
from referee.table.state import AT_REST, Declined, OpenOffer, TableState, Trigger, is_allowed
from referee.table.step import TAKEN_BACK, Expect, Follow, StepBuilder
from referee.table.views import Ask, GameEnd, Offer, Phase


def close_open_plies(step: StepBuilder) -> None:
    """Make every ply that was read final, oldest first, and end the game if the last one did.

    Sensing is not told: who closes a ply that sensing has not called final gives it an order afterwards, or a revision of that
    ply would be waited on for ever.
    """
    while step.state.open_plies:
        close_oldest_ply(step)


def close_oldest_ply(step: StepBuilder) -> None:
    """Make the oldest open ply final, and end the game if that ends it: only the last open ply can."""
    step.finish_oldest_ply()
    if not step.state.open_plies:
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
    state.open_plies, state.pause, state.decided = [], None, None
    step.close_all()
    state.ask, state.fixes, state.in_hand, state.barred, state.unsettled = None, (), [], None, None
    if state.shown_attack is not None and state.shown_attack.result is None:
        state.shown_attack = None  # it was never settled
    state.result = GameEnd(winner, reason.value)
    finale.begin(step)
    step.event("end", seat=winner, text=reason.value)


def rule(step: StepBuilder, result: str) -> None:
    """End the game with an arbiter's result, or replace that of one that is over; a last move that ended it just now stands.

    `result` is a seat that plays, which wins, `draw`, `both-lose` or `abort`. Raises `CorrectionError` for anything else.
    """
    state = step.state
    seats = {seat.value: seat for seat in state.seats}
    reasons = {
        "both-lose": EndReason.BOTH_LOSE,
        "abort": EndReason.ABORTED,
        **dict.fromkeys((*seats, "draw"), EndReason.RULED),
    }
    if result not in reasons:
        raise CorrectionError("no-such-result", f"a game ends with one of {', '.join(reasons)}")
    winner, reason = seats.get(result), reasons[result]
    if state.phase is not Phase.FINISHED:
        settle_and_end(step, winner, reason)
        return
    step.go(Trigger.OVERRULED)
    state.result = GameEnd(winner, reason.value)
    step.event("end", seat=winner, text=reason.value)


def countersign(step: StepBuilder, seat: Seat, message: messages.Countersign) -> None:
    """Take a handset's signature under the game that is over; that it fits is found where it comes in (`referee.runtime.game`)."""
    state = step.state
    if state.phase is not Phase.FINISHED or state.chain is None:
        raise RejectedError("not-now")
    step.accept(seat, message.id)
    _sign(step, seat.value, seat, f"{message.key} {message.signature}")


def sign_in_hall(step: StepBuilder, signer: str, key: str, signature: str) -> None:
    """Take the signature of a hall's station, which is the word of `signer`. Raises `CorrectionError` while there is nothing to sign."""
    if step.state.phase is not Phase.FINISHED or step.state.chain is None:
        raise CorrectionError("not-now", "there is no game that is over, or it has no chain")
    _sign(step, signer, None, f"{key} {signature}")


def _sign(step: StepBuilder, signer: str, seat: Seat | None, text: str) -> None:
    if signer not in step.state.signatures:
        step.state.signatures[signer] = text
        step.event("countersigned", seat=seat, text=text)


# --- plies while they can still be revised ----------------------------------------------------------------------------


def settle_open_plies(step: StepBuilder) -> None:
    """Settle the open plies where the game ends, or a seat leaves it, for another reason.

    While the board shows these moves and nothing speaks against them, they are final: they were played, and the last
    one may have ended the game first. Once the board has been asked about or is not watched, nobody knows which hand
    had let go: then all of them are taken back.
    """
    state = step.state
    if not state.in_doubt:
        close_open_plies(step)
        return
    touched = [square.name for ply in reversed(state.open_plies) for square in (ply.source, ply.target)]
    step.unsay(len(state.open_plies), TAKEN_BACK)
    state.ask_to_fix((*touched, *(fix.square for fix in state.fixes)))


def settle_and_end(step: StepBuilder, winner: Seat | None, reason: EndReason) -> None:
    """End the game with this result, unless its last move has just ended it or it was over before."""
    settle_open_plies(step)
    if is_allowed(step.state.phase, Trigger.ENDED):
        end(step, winner, reason)


# --- what players offer each other ------------------------------------------------------------------------------------


_KINDS: dict[type, QuestionKind] = {
    messages.OfferDraw: QuestionKind.DRAW,
    messages.OfferAbort: QuestionKind.ABORT,
    messages.OfferTakeBack: QuestionKind.TAKE_BACK,
    messages.OfferVoid: QuestionKind.VOID,
    messages.ClaimImmobile: QuestionKind.CLAIM,
}
_ASKS = {kind: Ask(f"confirm-{kind.value}") for kind in _KINDS.values()}
CHOICES = dict.fromkeys(_ASKS, ("accept", "refuse")) | {QuestionKind.CLAIM: ("accept", "accept-both", "refuse")}
_IN_A_PAUSE = frozenset({QuestionKind.ABORT, QuestionKind.TAKE_BACK, QuestionKind.VOID})
_CORRECTIONS = {
    QuestionKind.TAKE_BACK: (takeback.at_ply, takeback.take_back),
    QuestionKind.VOID: (takeback.verdict, takeback.void),
}
_TOLD_PLIES = 2
"""So long it is told that an offer was declined: until its player and the one after him have played."""


def offer_asks(state: TableState) -> Ask | None:
    """Return what an open offer asks of the players, None without one."""
    return None if state.offer is None else _ASKS[state.offer.kind]


def take_offer(step: StepBuilder, seat: Seat, message: messages.Wish) -> None:
    """Take a wish that everybody else has to agree to, and ask them; a player claims only on his own turn that he cannot move."""
    state, kind = step.state, _KINDS[type(message)]
    if kind is QuestionKind.CLAIM and state.dual is not None and state.game.public.turn is not seat:
        raise RejectedError("not-your-turn")
    if state.offer is not None or seat in state.out or not _has_its_place(state, kind):
        raise RejectedError("not-now")
    ply = message.ply if isinstance(message, messages.OfferTakeBack | messages.OfferVoid) else None
    if ply is not None:
        _CORRECTIONS[kind][0](state, ply)
    owed = {other for other in state.seats if other is not seat and other not in state.out}
    step.accept(seat, message.id)
    _ask(step, OpenOffer(state.questions + 1, kind, seat, owed, ply=ply, made_after=state.ply))


def _ask(step: StepBuilder, offer: OpenOffer) -> None:
    """Open an offer under the next question's number."""
    state = step.state
    state.questions, state.offer, state.declined = offer.question, offer, None
    state.ask = state.ask or _ASKS[offer.kind]  # what the hands are asked for comes first
    step.event(f"{offer.kind.value}.offered", seat=offer.seat, ply=offer.ply)
    for other in state.seats:
        if other in offer.owed:
            step.letter(other, state.question_for(other, offer.question, offer.kind, CHOICES[offer.kind], offer.ply))


def _has_its_place(state: TableState, kind: QuestionKind) -> bool:
    """Return whether an offer of this kind is allowed in this phase."""
    if kind in _CORRECTIONS:
        return state.phase is not Phase.FINISHED
    if kind is QuestionKind.ABORT:  # in every phase of a game, pauses included
        return state.phase not in (Phase.LOBBY, Phase.FINISHED)
    # flags come first, even while the move to them can be revised
    return state.phase in AT_REST and not (state.castle is not None and state.castle.owed)


def answer_offer(step: StepBuilder, seat: Seat, message: messages.Answer) -> None:
    """Take the answer to a draw or a claim; one refusal is enough to play on."""
    state, offer = step.state, step.state.offer
    if offer is None or message.question != offer.question or seat not in offer.owed:
        raise RejectedError("no-such-question")
    standing = state.pause is not None and not state.pause.silence
    standing = standing and offer.kind not in _IN_A_PAUSE
    if standing or (offer.kind is QuestionKind.CLAIM and state.in_doubt):  # it is about the position after that move
        raise RejectedError("not-now")
    if message.choice not in CHOICES[offer.kind]:
        raise RejectedError("no-such-choice")
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
    """Show for a while that an offer was declined; its seat waits for an answer."""
    step.state.declined = Declined(Offer(offer.kind.value, offer.seat, offer.ply, by), step.state.ply)


def shown_offer(state: TableState) -> Offer | None:
    """Return the open offer, or one declined less than two plies ago; None without either, and after the end."""
    if (offer := state.offer) is not None:
        return Offer(offer.kind.value, offer.seat, offer.ply)
    if (declined := state.declined) is None or state.phase is Phase.FINISHED:
        return None
    return declined.offer if state.ply - declined.ply < _TOLD_PLIES else None


def _close_offer(step: StepBuilder) -> None:
    """Close the offer; other open questions stay open."""
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
    if offer.kind is QuestionKind.DRAW:
        settle_and_end(step, None, EndReason.AGREED)
    elif offer.kind is QuestionKind.ABORT:
        settle_and_end(step, None, EndReason.ABORTED)
    elif offer.also and not state.rules.stuck_loses:
        settle_and_end(step, None, EndReason.BOTH_IMMOBILE)
    else:
        (winner,) = (seat for seat in state.seats if seat is not offer.seat)
        settle_and_end(step, winner, EndReason.IMMOBILE)


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
    correct(step, offer.ply, takeback.BY_ALL)


def _pass(step: StepBuilder) -> None:
    """In Stratego 4 who cannot move passes. If everybody can see a move, play goes on as if nothing had been claimed."""
    state = step.state
    _close_offer(step)
    seat = state.game.public.turn
    if state.game.public.refusals(Pass()):
        step.event("claim.refused", seat=seat)
        return
    close_open_plies(step)
    if state.phase is Phase.FINISHED:
        return
    state.game.play(Pass())
    state.leaving.pop(seat, None)
    state.decided = None
    step.go(Trigger.PASSED)
    step.event("pass", seat=seat)
    if state.phase is Phase.WAITING_FOR_MOVE:  # else the board is put right first, and then sensing follows
        state.in_hand.clear()
        step.order(Follow(state.game.public.situation()))
    end_if_over(step)


def played_on(step: StepBuilder, mover: Seat) -> OpenOffer | None:
    """Drop an offer that somebody answered by playing on, and a claim that the position has overtaken; return it."""
    offer = step.state.offer
    if offer is None or (offer.kind is not QuestionKind.CLAIM and mover not in offer.owed):
        return None
    drop_offer(step, mover)
    return offer


def offer_before(state: TableState, plies: int) -> OpenOffer | None:
    """Return the offer that stood before the last open plies, if it stands still or has lapsed only since they were played."""
    undone = state.open_plies[-plies:]
    found = (ply.overtaken for ply in undone if ply.overtaken is not None)
    offer = state.offer or next(found, None)
    while offer is not None and offer.made_after >= undone[0].number:
        offer = next(found, None)
    return offer


def offer_again(step: StepBuilder, offer: OpenOffer | None) -> None:
    """Restore this offer as the open one, after a ply was retracted: later offers are dropped, and it is asked again."""
    state = step.state
    if state.offer is not offer:
        drop_offer(step, None)
    if state.declined is not None and state.declined.ply > state.ply:
        state.declined = None  # in a position that never was
    if offer is not None and state.offer is None:
        _ask(step, replace(offer, question=state.questions + 1))


def drop_offer(step: StepBuilder, by: Seat | None) -> None:
    """Drop an open offer, if there is one, because the position that it was about has changed."""
    offer = step.state.offer
    if offer is not None:
        if by is not None and by is not offer.seat:
            _decline(step, offer, by)
        _close_offer(step)
        step.event(f"{offer.kind.value}.refused", seat=by, ply=offer.ply, text="played-on")


# --- giving up --------------------------------------------------------------------------------------------------------


def resign(step: StepBuilder, seat: Seat, message: messages.Resign) -> None:
    """Take a resignation: with two seats the other one wins. What the last move ended before stays ended by it."""
    state = step.state
    if state.dual is None or seat in state.out or not is_allowed(state.phase, Trigger.ENDED):
        raise RejectedError("not-now")
    step.accept(seat, message.id)
    settle_open_plies(step)
    if state.phase is Phase.FINISHED:
        return
    _leave(step, seat, EndReason.RESIGN)


def out_of_time(step: StepBuilder, seat: Seat) -> None:
    """Let a seat lose whose flag has fallen: with two seats the other one wins. The caller knows that no move is open."""
    _leave(step, seat, EndReason.CLOCK)


def _leave(step: StepBuilder, seat: Seat, reason: EndReason) -> None:
    others = [other for other in step.state.seats if other is not seat]
    if len(others) == 1:
        end(step, others[0], reason)
    else:
        _drop_out(step, seat, None if reason is EndReason.RESIGN else reason.value)


def _drop_out(step: StepBuilder, seat: Seat, why: str | None) -> None:
    """Let one of several seats give up: its pieces leave the board, the others play on until one team is left.

    An attack between two others goes on; what is left of the board is cleared with its verdict.
    """
    state = step.state
    goes_on = state.attack is not None and seat not in state.attack.pieces
    if not goes_on:
        pauses.break_silence(step)
    gone = [square.name for square, owner in state.game.public.occupants().items() if owner is seat]
    state.game.drop_out(seat)
    drop_offer(step, None)
    state.leaving, state.decided = {}, None
    state.ask_to_fix((*(fix.square for fix in state.fixes), *gone))
    if goes_on:
        step.go(Trigger.DROPPED_OUT, state.phase)
        step.event("resigned", seat=seat, text=why)
        return
    if state.shown_attack is not None and state.shown_attack.result is None:
        state.shown_attack = None
    step.close_all()
    state.barred = None
    state.in_hand.clear()
    step.go(Trigger.DROPPED_OUT, pauses.put_off(step, Phase.WAITING_FOR_BOARD))
    state.ask = Ask.REMOVE_CAPTURED
    step.event("resigned", seat=seat, text=why)
    step.order(Expect(state.game.public.occupants()))
    end_if_over(step)
