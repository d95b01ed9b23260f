"""When board and game differ: hands that were not understood, a link that was cut, squares to put right, and agreement again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.arbitration import ends, last_move, offers, play
from referee.arbitration.state import Sheet, TableState
from referee.arbitration.step import Expect
from referee.arbitration.transitions import Happening, may
from referee.arbitration.views import Ask, Fix, Phase
from referee.rules.values import Square
from referee.sensing import Difference


def not_understood(sheet: Sheet, differences: Sequence[Difference], ask: Ask) -> None:
    """Ask the hands to put the named squares right; while that is asked already this only renews the list of squares.

    A move that can still be revised is never final because of it. If one of its two squares is among those that differ, the same
    hand went on or took it back, or the reading was wrong: it is taken back, and the board shall become what it was before.
    Otherwise it stays open, until the board agrees with what it made of it.
    """
    state = sheet.state
    if not may(state.phase, Happening.NOT_UNDERSTOOD):
        return
    restoring = state.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
    names = [difference.square.name for difference in differences]
    if _touches_last_move(state, names):
        _take_back(sheet, names)
        return
    sheet.go(Happening.NOT_UNDERSTOOD)
    state.fixes = tuple(Fix(difference.square.name, difference.wanted) for difference in differences)
    if not restoring:
        state.ask = ask
        state.in_hand.clear()
        sheet.order(Expect(state.game.public.occupants()))
    sheet.event("ask", text=ask.value)


def _touches_last_move(state: TableState, names: Iterable[str]) -> bool:
    last = state.last_move
    return state.before is not None and last is not None and not {last.source, last.target}.isdisjoint(names)


def _take_back(sheet: Sheet, names: Iterable[str]) -> None:
    """Take the last move back and ask for the board as it was before: on its two squares and on these."""
    state, last = sheet.state, sheet.state.last_move
    assert last is not None
    offers.drop(sheet, None)  # it was made in a position that never was
    last_move.take_back(sheet)
    sheet.go(Happening.NOT_UNDERSTOOD)
    wanted = {square.name: owner for square, owner in state.game.public.occupants().items()}
    state.fixes = tuple(Fix(name, wanted.get(name)) for name in dict.fromkeys((last.source, last.target, *names)))
    state.ask = Ask.TAKEN_BACK
    state.in_hand.clear()
    sheet.order(Expect(state.game.public.occupants()))
    sheet.event("ask", text=Ask.TAKEN_BACK.value)


def agreed(sheet: Sheet, lifted: Square | None) -> None:
    """Take the news that the board is as expected, but perhaps for one piece that the next player has lifted."""
    state = sheet.state
    if not may(state.phase, Happening.BOARD_AGREES):
        return
    if lifted is not None and _touches_last_move(state, [lifted.name]):  # it is its own player who has not done with it
        _take_back(sheet, ())
        return
    was_restoring = state.phase is Phase.RESTORING
    # Everybody was asked about this position and the hands have made it, so a move that was open until now is final.
    ends.close_last_move(sheet)
    if state.phase is not Phase.FINISHED:
        play.resume_play(sheet)
        sheet.event("restored" if was_restoring else "board.agrees")


def compare(sheet: Sheet, differences: Sequence[Difference]) -> None:
    """Renew the list of squares that are to be put right, while hands do it; nothing is decided and nothing written down."""
    state = sheet.state
    if state.phase not in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
        return
    fixes = tuple(Fix(difference.square.name, difference.wanted) for difference in differences)
    if set(fixes) != set(state.fixes):
        state.fixes = fixes
        sheet.touch()


def link(sheet: Sheet, fault: str | None) -> None:
    """Note that the board cannot be read, and why, or can be again; what changed meanwhile is compared once frames come."""
    state = sheet.state
    if state.board_fault == fault:
        return
    state.board_fault = fault
    sheet.event("board.link", text=fault or "back")


def distrust(sheet: Sheet, squares: Iterable[Square]) -> None:
    """Note which squares' sensors are not believed."""
    blind = tuple(squares)
    if blind != sheet.state.blind:
        sheet.state.blind = blind
        sheet.touch()
