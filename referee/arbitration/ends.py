"""How a game ends: by the rules, by resigning, by agreement, by a claim that is accepted, by abort."""

from __future__ import annotations

from referee.arbitration.messages import (
    Accepted,
    Answer,
    ClaimImmobile,
    Consent,
    OfferDraw,
    QuestionKind,
    Rejected,
    Resign,
)
from referee.arbitration.state import OpenOffer, Sheet
from referee.arbitration.step import Expect, Follow
from referee.arbitration.transitions import Happening
from referee.arbitration.views import Ask, Fix, GameEnd, Mode, Phase
from referee.rules import EndReason, Pass
from referee.rules.values import Seat, Square

_IN_PLAY = frozenset(
    {
        Phase.WAITING_FOR_MOVE,
        Phase.PIECE_IN_HAND,
        Phase.WAITING_FOR_DECLARATIONS,
        Phase.WAITING_FOR_BOARD,
        Phase.RESTORING,
    }
)
_AT_REST = frozenset({Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND})
CHOICES = {QuestionKind.DRAW: ("accept", "refuse"), QuestionKind.CLAIM: ("accept", "accept-both", "refuse")}


def end_if_over(sheet: Sheet) -> None:
    """End the game if the rules say so.

    In declare mode only public knowledge may end it: an end that follows from declared ranks would tell what they are.
    """
    state = sheet.state
    game = state.game.known if state.settings.mode is Mode.ENROL else state.game.public
    if game.result is not None:
        end(sheet, game.result.winner, game.result.reason)


def end(sheet: Sheet, winner: Seat | None, reason: EndReason) -> None:
    """End the game with this result."""
    state = sheet.state
    sheet.go(Happening.ENDED)
    state.before = None
    state.attack, state.decision, state.offer, state.ask, state.deadline_ms = None, None, None, None, None
    state.fixes, state.in_hand = (), []
    state.result = GameEnd(winner, reason.value)
    sheet.event("end", seat=winner, text=reason.value)


def resign(sheet: Sheet, seat: Seat, message: Resign) -> None:
    """Take a resignation: with two seats the other one wins."""
    state = sheet.state
    if state.phase not in _IN_PLAY:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-now"))
        return
    if state.game.public.castle is not None and seat in state.game.public.castle.out:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-now"))
        return
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    close_last_move(sheet)
    others = [other for other in state.settings.rule_set.seats if other is not seat]
    if len(others) == 1:
        end(sheet, others[0], EndReason.RESIGN)
    else:
        _drop_out(sheet, seat)


def _drop_out(sheet: Sheet, seat: Seat) -> None:
    """Let one of several seats give up: its pieces leave the board, the others play on until one team is left."""
    state = sheet.state
    state.attack, state.decision, state.offer, state.deadline_ms, state.leaving = None, None, None, None, None
    gone = [square for square, owner in state.game.public.occupants().items() if owner is seat]
    state.game.public.drop_out(seat)
    state.game.known.drop_out(seat)
    sheet.go(Happening.DROPPED_OUT)
    state.ask, state.fixes = Ask.REMOVE_CAPTURED, tuple(Fix(square.name, None) for square in gone)
    sheet.event("resigned", seat=seat)
    sheet.order(Expect(state.game.public.occupants()))
    end_if_over(sheet)


def offer_draw(sheet: Sheet, seat: Seat, message: OfferDraw) -> None:
    """Take an offer of a draw and ask everybody else."""
    _offer(sheet, seat, message.id, QuestionKind.DRAW)


def claim(sheet: Sheet, seat: Seat, message: ClaimImmobile) -> None:
    """Take a player's claim that he cannot move, on his own turn, and ask everybody else."""
    if sheet.state.books is not None and sheet.state.game.public.turn is not seat:
        sheet.letter(seat, Rejected(id=sheet.state.next_id(), re=message.id, reason="not-your-turn"))
    else:
        _offer(sheet, seat, message.id, QuestionKind.CLAIM)


def _offer(sheet: Sheet, seat: Seat, message_id: str, kind: QuestionKind) -> None:
    state = sheet.state
    if state.phase not in _AT_REST or state.offer is not None:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message_id, reason="not-now"))
        return
    others = [other for other in state.settings.rule_set.seats if other is not seat]
    state.questions += 1
    state.offer = OpenOffer(state.questions, kind, seat, set(others))
    state.ask = Ask.CONFIRM_DRAW if kind is QuestionKind.DRAW else Ask.CONFIRM_CLAIM
    sheet.letter(seat, Accepted(id=state.next_id(), re=message_id))
    sheet.event(f"{kind.value}.offered", seat=seat)
    for other in others:
        sheet.letter(other, state.question_for(other, state.questions, kind, CHOICES[kind]))


def answer(sheet: Sheet, seat: Seat, message: Answer) -> None:
    """Take the answer to a draw or a claim; one refusal is enough to play on."""
    state, offer = sheet.state, sheet.state.offer
    if offer is None or message.question != offer.question or seat not in offer.owed:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="no-such-question"))
        return
    if message.choice not in CHOICES[offer.kind]:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="no-such-choice"))
        return
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    offer.owed.discard(seat)
    offer.also |= message.choice == "accept-both"
    if message.choice == "refuse":
        state.offer, state.ask = None, None
        sheet.event(f"{offer.kind.value}.refused", seat=seat)
    elif not offer.owed:
        close_last_move(sheet)
        _grant(sheet, offer)
    else:
        sheet.touch()


def _grant(sheet: Sheet, offer: OpenOffer) -> None:
    if sheet.state.phase is Phase.FINISHED:
        return
    if offer.kind is QuestionKind.DRAW:
        end(sheet, None, EndReason.AGREED)
        return
    if sheet.state.game.public.castle is not None:
        _pass(sheet)
        return
    others = [seat for seat in sheet.state.settings.rule_set.seats if seat is not offer.seat]
    if offer.also or len(others) > 1:
        end(sheet, None, EndReason.BOTH_IMMOBILE)
    else:
        end(sheet, others[0], EndReason.IMMOBILE)


def _pass(sheet: Sheet) -> None:
    """In Stratego 4 who cannot move passes. If the referee knows of a move, play goes on as if nothing had been claimed."""
    state = sheet.state
    state.offer, state.ask = None, None
    seat = state.game.public.turn
    if any(book.refusals(Pass()) for book in (state.game.public, state.game.known)):
        sheet.event("claim.refused", seat=seat)
        return
    state.game.public.play(Pass())
    state.game.known.play(Pass())
    sheet.go(Happening.PASSED)
    sheet.event("pass", seat=seat)
    sheet.order(Follow(state.game.public.situation()))
    end_if_over(sheet)


def close_last_move(sheet: Sheet) -> None:
    """Make the last move final without asking whether it ended the game: something else is about to."""
    state = sheet.state
    if state.before is None or state.last_move is None:
        return
    state.before = None
    sheet.event(
        "move.final",
        seat=state.last_move.seat,
        source=Square(state.last_move.source),
        target=Square(state.last_move.target),
    )


def forget_offer(sheet: Sheet) -> None:
    """Drop an offer that was not answered before play went on."""
    if sheet.state.offer is not None:
        sheet.state.offer, sheet.state.ask = None, None
        sheet.touch()


def consent(sheet: Sheet, seat: Seat, message: Consent) -> None:
    """Take an owner's consent, after the game, to have the set-up in the record; it must fit what was played."""
    state = sheet.state
    origins = {square.name: (square, piece) for square, piece in state.origins.items() if piece.seat is seat}
    if state.phase is not Phase.FINISHED or state.books is None or set(message.set_up) != set(origins):
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-now"))
        return
    known = state.books.known
    lies = tuple(name for name, rank in message.set_up.items() if rank not in known.possible(origins[name][1]))
    if lies:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="contradicts-the-game", detail=lies[:8]))
        return
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    sheet.secret("consent", seat, {origins[name][0]: rank for name, rank in message.set_up.items()})
