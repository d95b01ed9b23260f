"""Going back: to an earlier ply, or to before a verdict, whose attack is then asked about anew. By the arbiter's word or everybody's.

The board comes first: hands are asked to make it what it was, and only when it agrees does the game go on. What somebody was shown
stays known to him; what was only declared is forgotten. Clocks are as they were when that ply had been played.
"""

from __future__ import annotations

from referee.rules import Move
from referee.table import pauses
from referee.table.books import Books, Deed
from referee.table.errors import CorrectionError
from referee.table.state import Sheet, TableState
from referee.table.step import Expect
from referee.table.transitions import Happening, may
from referee.table.views import Ask, Fix, LastMove, Phase

GOES_BACK = frozenset({"plies.taken-back", "verdict.voided"})
"""Events after which the game stands at an earlier ply, and goes on if it was over."""
BY_ARBITER, BY_ALL = "arbiter", "agreed"
"""At whose word; the text of the event."""


def take_back(sheet: Sheet, ply: int, by: str) -> None:
    """Let the game stand where it stood after a ply. Raises `CorrectionError`, and then nothing has changed."""
    books = _at_ply(sheet.state, ply)
    _go_back(sheet, books)
    sheet.event("plies.taken-back", text=by)


def void(sheet: Sheet, ply: int, by: str) -> None:
    """Let the verdict that a ply was, and whatever was played since, never have been; its attack is asked about once the board agrees.

    Raises `CorrectionError`, and then nothing has changed.
    """
    state = sheet.state
    deed = _verdict(state, ply)
    fight = deed.fight
    assert fight is not None
    _go_back(sheet, state.game.back_to(ply - 1))
    state.unsettled = fight
    if isinstance(fight, Move) and fight.leaving:
        state.leaving = {deed.seat: (fight.source, fight.leaving)}
    sheet.event("verdict.voided", seat=deed.seat, source=fight.source, target=fight.target, ply=ply, text=by)


def check_take_back(state: TableState, ply: int) -> None:
    """Raise `CorrectionError` where the game cannot go back to this ply."""
    _at_ply(state, ply)


def check_void(state: TableState, ply: int) -> None:
    """Raise `CorrectionError` where this ply is no verdict that can be unsaid."""
    _verdict(state, ply)


def _at_ply(state: TableState, ply: int) -> Books:
    _check_phase(state)
    last = state.ply if state.phase is Phase.FINISHED else state.ply - 1
    if not state.game.first_ply <= ply <= last:
        raise CorrectionError("no-such-ply", f"the game can go back to plies {state.game.first_ply} to {last}")
    books = state.game.back_to(ply)
    if books.result is not None:
        raise CorrectionError("still-over", f"after ply {ply} the game is over, too")
    return books


def _verdict(state: TableState, ply: int) -> Deed:
    _check_phase(state)
    for deed in state.game.deeds:
        if deed.ply == ply and deed.fight is not None:
            return deed
    raise CorrectionError("no-such-verdict", f"ply {ply} was no attack, or is too long ago")


def _check_phase(state: TableState) -> None:
    if state.books is None or not may(state.phase, Happening.CORRECTED):
        raise CorrectionError("not-now", "no game has been begun")


def _go_back(sheet: Sheet, books: Books) -> None:
    state = sheet.state
    pauses.break_silence(sheet)
    sheet.close_all()
    _let_known(state, books)
    names = [fix.square for fix in state.fixes]
    was, wanted = state.game.public.occupants(), books.public.occupants()
    names += [square.name for square in {**was, **wanted} if was.get(square) is not wanted.get(square)]
    state.books, state.before, state.result, state.unsettled = books, None, None, None
    state.last_move, state.shown_attack, state.barred, state.leaving = _last_move(books), None, None, {}
    state.declined = None
    state.in_hand.clear()
    if state.clocks is not None:
        state.clocks = state.clocks_at.get(books.public.ply, state.clocks.stopped(sheet.now_ms))
    sheet.go(Happening.CORRECTED, pauses.put_off(sheet, Phase.RESTORING))
    state.ask = Ask.CORRECTED
    owners = {square.name: owner for square, owner in wanted.items()}
    state.fixes = tuple(Fix(name, owners.get(name)) for name in dict.fromkeys(names))
    sheet.order(Expect(wanted))
    sheet.restate()


def _let_known(state: TableState, books: Books) -> None:
    """Keep it with every rival that a piece which comes back was shown when it was captured."""
    for piece, rank in state.game.captured.items():
        if piece not in books.captured:
            for seat in state.settings.rule_set.seats:
                if seat is not piece.seat:
                    state.seen.setdefault(seat, {})[piece] = rank


def _last_move(books: Books) -> LastMove | None:
    deed = books.deeds[-1] if books.deeds else None
    if deed is None or deed.ranks is not None or not isinstance(deed.action, Move):
        return None
    return LastMove(deed.seat, deed.action.source.name, deed.action.target.name, final=True)
