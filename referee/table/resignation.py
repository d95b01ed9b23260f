"""How a game ends before its time: by resigning, by abort; and how one of several seats gives up."""

from __future__ import annotations

from referee.rules import EndReason
from referee.rules.values import Seat
from referee.table import ends, last_move, offers, pauses
from referee.table.messages import Resign
from referee.table.state import Sheet
from referee.table.step import Expect
from referee.table.transitions import Happening, may
from referee.table.views import Ask, Fix, Phase

_IN_PLAY = frozenset(
    {
        Phase.WAITING_FOR_MOVE,
        Phase.PIECE_IN_HAND,
        Phase.WAITING_FOR_DECLARATIONS,
        Phase.WAITING_FOR_BOARD,
        Phase.RESTORING,
        Phase.PAUSED,
    }
)


def abort(sheet: Sheet, reason: EndReason) -> None:
    """End the game without a result, unless its last move has just ended it or it was over before."""
    last_move.leave(sheet)
    if may(sheet.state.phase, Happening.ENDED):
        ends.end(sheet, None, reason)


def resign(sheet: Sheet, seat: Seat, message: Resign) -> None:
    """Take a resignation: with two seats the other one wins. What the last move ended before stays ended by it."""
    state = sheet.state
    if state.phase not in _IN_PLAY or state.books is None or seat in state.out:
        sheet.reject(seat, message.id, "not-now")
        return
    sheet.accept(seat, message.id)
    last_move.leave(sheet)
    if state.phase is Phase.FINISHED:
        return
    _leave(sheet, seat, EndReason.RESIGN)


def out_of_time(sheet: Sheet, seat: Seat) -> None:
    """Let a seat lose whose flag has fallen: with two seats the other one wins. The caller knows that no move is open."""
    _leave(sheet, seat, EndReason.CLOCK)


def _leave(sheet: Sheet, seat: Seat, reason: EndReason) -> None:
    others = [other for other in sheet.state.settings.rule_set.seats if other is not seat]
    if len(others) == 1:
        ends.end(sheet, others[0], reason)
    else:
        _drop_out(sheet, seat, None if reason is EndReason.RESIGN else reason.value)


def _drop_out(sheet: Sheet, seat: Seat, why: str | None) -> None:
    """Let one of several seats give up: its pieces leave the board, the others play on until one team is left.

    An attack between two others goes on; what is left of the board is cleared with its verdict.
    """
    state = sheet.state
    goes_on = state.attack is not None and seat not in state.attack.pieces
    if not goes_on:
        pauses.break_silence(sheet)
    gone = [square.name for square, owner in state.game.public.occupants().items() if owner is seat]
    state.game.drop_out(seat)
    offers.drop(sheet, None)
    state.leaving = {}
    occupants = state.game.public.occupants()
    wanted = {square.name: owner for square, owner in occupants.items()}
    names = dict.fromkeys([*(fix.square for fix in state.fixes), *gone])
    state.fixes = tuple(Fix(name, wanted.get(name)) for name in names)
    if goes_on:
        sheet.go(Happening.DROPPED_OUT, state.phase)
        sheet.event("resigned", seat=seat, text=why)
        return
    if state.shown_attack is not None and state.shown_attack.result is None:
        state.shown_attack = None
    sheet.close_all()
    state.barred = None
    state.in_hand.clear()
    sheet.go(Happening.DROPPED_OUT, pauses.put_off(sheet, Phase.WAITING_FOR_BOARD))
    state.ask = Ask.REMOVE_CAPTURED
    sheet.event("resigned", seat=seat, text=why)
    sheet.order(Expect(occupants))
    ends.end_if_over(sheet)
