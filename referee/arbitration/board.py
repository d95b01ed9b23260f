"""When board and game differ: hands that were not understood, a link that was cut, squares to put right, and agreement again."""

from __future__ import annotations

from collections.abc import Sequence

from referee.arbitration import ends, play
from referee.arbitration.state import Sheet
from referee.arbitration.step import Expect
from referee.arbitration.transitions import Happening, may
from referee.arbitration.views import Ask, Fix, Phase
from referee.sensing import Difference


def not_understood(sheet: Sheet, differences: Sequence[Difference], ask: Ask) -> None:
    """Ask the hands to put the named squares right; while that is asked already this only renews the list of squares.

    The last move is final then: the board shall become what it made of it.
    """
    state = sheet.state
    if not may(state.phase, Happening.NOT_UNDERSTOOD):
        return
    ends.close_last_move(sheet)
    if state.phase is Phase.FINISHED:
        return
    fixes = tuple(Fix(difference.square.name, difference.wanted) for difference in differences)
    restoring = state.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
    sheet.go(Happening.NOT_UNDERSTOOD)
    state.fixes = fixes
    if not restoring:
        state.ask = ask
        state.in_hand.clear()
        sheet.order(Expect(state.game.public.occupants()))
    sheet.event("ask", text=ask.value)


def agreed(sheet: Sheet) -> None:
    """Take the news that the board is as expected."""
    if may(sheet.state.phase, Happening.BOARD_AGREES):
        was_restoring = sheet.state.phase is Phase.RESTORING
        play.resume_play(sheet)
        sheet.event("restored" if was_restoring else "board.agrees")


def link(sheet: Sheet, connected: bool) -> None:
    """Note that the board's link is lost or back; what changed meanwhile is compared once frames come again."""
    state = sheet.state
    if state.board_connected == connected:
        return
    state.board_connected = connected
    sheet.event("board.link", text="back" if connected else "lost")
