"""What players offer each other: draws, breaking off, claims of "I cannot move". Asked of everybody else, answered by all."""

from __future__ import annotations

from referee.rules import EndReason, Pass
from referee.rules.values import Seat
from referee.table import ends, last_move, taking_back
from referee.table.errors import CorrectionError
from referee.table.messages import Answer, ClaimImmobile, OfferAbort, OfferDraw, OfferTakeBack, OfferVoid, QuestionKind
from referee.table.state import Declined, OpenOffer, Sheet, TableState
from referee.table.step import Follow
from referee.table.transitions import Happening
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


def ask(state: TableState) -> Ask | None:
    """Give what an open offer asks of the players, None without one."""
    return None if state.offer is None else _ASKS[state.offer.kind]


def offer_draw(sheet: Sheet, seat: Seat, message: OfferDraw) -> None:
    """Take an offer of a draw and ask everybody else."""
    _offer(sheet, seat, message.id, QuestionKind.DRAW)


def offer_abort(sheet: Sheet, seat: Seat, message: OfferAbort) -> None:
    """Take the wish to break the game off and ask everybody else; it has its place in every phase of a game, pauses included."""
    state = sheet.state
    if state.phase in (Phase.LOBBY, Phase.FINISHED) or state.offer is not None or seat in state.out:
        sheet.reject(seat, message.id, "not-now")
        return
    _ask_others(sheet, seat, message.id, QuestionKind.ABORT)


def offer_correction(sheet: Sheet, seat: Seat, message: OfferTakeBack | OfferVoid) -> None:
    """Take the wish to go back, or to have a verdict void, and ask everybody else; it has its place while a game is on."""
    state = sheet.state
    if state.phase is Phase.FINISHED or state.offer is not None or seat in state.out:
        sheet.reject(seat, message.id, "not-now")
        return
    kind = QuestionKind.TAKE_BACK if isinstance(message, OfferTakeBack) else QuestionKind.VOID
    try:
        _CORRECTIONS[kind][0](state, message.ply)
    except CorrectionError as error:
        sheet.reject(seat, message.id, error.word)
        return
    _ask_others(sheet, seat, message.id, kind, message.ply)


def claim(sheet: Sheet, seat: Seat, message: ClaimImmobile) -> None:
    """Take a player's claim that he cannot move, on his own turn, and ask everybody else."""
    state = sheet.state
    if state.books is not None and state.game.public.turn is not seat:
        sheet.reject(seat, message.id, "not-your-turn")
    else:
        _offer(sheet, seat, message.id, QuestionKind.CLAIM)


def _offer(sheet: Sheet, seat: Seat, message_id: str, kind: QuestionKind) -> None:
    state = sheet.state
    castle = state.books.public.castle if state.books is not None else None
    owed = castle is not None and bool(castle.owed)  # flags come first, even while the move to them can be revised
    if state.phase not in _AT_REST or state.offer is not None or seat in state.out or owed:
        sheet.reject(seat, message_id, "not-now")
        return
    _ask_others(sheet, seat, message_id, kind)


def _ask_others(sheet: Sheet, seat: Seat, message_id: str, kind: QuestionKind, ply: int | None = None) -> None:
    state = sheet.state
    others = [other for other in state.settings.rule_set.seats if other is not seat and other not in state.out]
    state.questions += 1
    state.declined = None
    state.offer = OpenOffer(state.questions, kind, seat, set(others), ply=ply)
    state.ask = state.ask or _ASKS[kind]  # what the hands are asked for comes first
    sheet.accept(seat, message_id)
    sheet.event(f"{kind.value}.offered", seat=seat, ply=ply)
    for other in others:
        sheet.letter(other, state.question_for(other, state.questions, kind, CHOICES[kind], ply))


def answer(sheet: Sheet, seat: Seat, message: Answer) -> None:
    """Take the answer to a draw or a claim; one refusal is enough to play on."""
    state, offer = sheet.state, sheet.state.offer
    if offer is None or message.question != offer.question or seat not in offer.owed:
        sheet.reject(seat, message.id, "no-such-question")
        return
    standing = state.pause is not None and not state.pause.silence
    standing = standing and offer.kind not in _IN_A_PAUSE
    if standing or (offer.kind is QuestionKind.CLAIM and state.in_doubt):  # it is about the position after that move
        sheet.reject(seat, message.id, "not-now")
        return
    if message.choice not in CHOICES[offer.kind]:
        sheet.reject(seat, message.id, "no-such-choice")
        return
    sheet.accept(seat, message.id)
    offer.owed.discard(seat)
    offer.also |= message.choice == "accept-both"
    sheet.touch()
    sheet.close([seat], message.question)
    if message.choice == "refuse":
        _decline(sheet, offer, seat)
        _close(sheet)
        sheet.event(f"{offer.kind.value}.refused", seat=seat, ply=offer.ply)
    elif not offer.owed:
        _grant(sheet, offer)


def _decline(sheet: Sheet, offer: OpenOffer, by: Seat) -> None:
    """Let everybody see for a while that somebody has declined; who offered waits for an answer."""
    sheet.state.declined = Declined(Offer(offer.kind.value, offer.seat, offer.ply, by), sheet.state.ply)


def shown(state: TableState) -> Offer | None:
    """Return the open offer, or the one that was declined less than two plies ago; None without either, and after the end."""
    if (offer := state.offer) is not None:
        return Offer(offer.kind.value, offer.seat, offer.ply)
    if (declined := state.declined) is None or state.phase is Phase.FINISHED:
        return None
    return declined.offer if state.ply - declined.ply < _TOLD_PLIES else None


def _close(sheet: Sheet) -> None:
    """Ask no more; what else is asked of the players stays asked."""
    state = sheet.state
    if state.ask is ask(state):
        state.ask = None
    if state.offer is not None:
        sheet.close(state.offer.owed, state.offer.question)
    state.offer = None


def _grant(sheet: Sheet, offer: OpenOffer) -> None:
    state = sheet.state
    if offer.kind is QuestionKind.CLAIM and state.game.public.castle is not None:
        _pass(sheet)
        return
    if offer.kind in _CORRECTIONS:
        _correct(sheet, offer)
        return
    last_move.leave(sheet)
    if state.phase is Phase.FINISHED:
        return
    if offer.kind is QuestionKind.DRAW:
        ends.end(sheet, None, EndReason.AGREED)
    elif offer.kind is QuestionKind.ABORT:
        ends.end(sheet, None, EndReason.ABORTED)
    elif offer.also and not state.settings.rule_set.stuck_loses:
        ends.end(sheet, None, EndReason.BOTH_IMMOBILE)
    else:
        (winner,) = (seat for seat in state.settings.rule_set.seats if seat is not offer.seat)
        ends.end(sheet, winner, EndReason.IMMOBILE)


def _correct(sheet: Sheet, offer: OpenOffer) -> None:
    """Go back as everybody has agreed; where play has made that impossible meanwhile, it is refused."""
    assert offer.ply is not None
    check, correct = _CORRECTIONS[offer.kind]
    try:
        check(sheet.state, offer.ply)
    except CorrectionError:
        drop(sheet, None)
        return
    _close(sheet)
    correct(sheet, offer.ply, taking_back.BY_ALL)


def _pass(sheet: Sheet) -> None:
    """In Stratego 4 who cannot move passes. If everybody can see a move, play goes on as if nothing had been claimed."""
    state = sheet.state
    _close(sheet)
    seat = state.game.public.turn
    if state.game.public.refusals(Pass()):
        sheet.event("claim.refused", seat=seat)
        return
    ends.close_last_move(sheet)
    if state.phase is Phase.FINISHED:
        return
    state.game.play(Pass())
    state.leaving.pop(seat, None)
    sheet.go(Happening.PASSED)
    sheet.event("pass", seat=seat)
    if state.phase is Phase.WAITING_FOR_MOVE:  # else the board is put right first, and then sensing follows
        state.in_hand.clear()
        sheet.order(Follow(state.game.public.situation()))
    ends.end_if_over(sheet)


def played_on(sheet: Sheet, mover: Seat) -> None:
    """Drop an offer that somebody answered by playing on, and a claim that the position has overtaken."""
    offer = sheet.state.offer
    if offer is not None and (offer.kind is QuestionKind.CLAIM or mover in offer.owed):
        drop(sheet, mover)


def drop(sheet: Sheet, by: Seat | None) -> None:
    """Drop an open offer, if there is one, since what it was about has changed."""
    offer = sheet.state.offer
    if offer is not None:
        if by is not None and by is not offer.seat:
            _decline(sheet, offer, by)
        _close(sheet)
        sheet.event(f"{offer.kind.value}.refused", seat=by, ply=offer.ply, text="played-on")
