"""When board and game differ: hands that were not understood, a link that was cut, squares to put right, and agreement again.

Apart from `table`, its only importer, which decides nothing; and from `moves` and `attacks`, which it calls and which never call it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from referee.rules.values import Square
from referee.sensing import Difference, Reading
from referee.table.conduct import endings
from referee.table.play import attacks, moves
from referee.table.play.moves import fault_of
from referee.table.state import TableState, Trigger, is_allowed
from referee.table.step import TAKEN_BACK, Expect, StepBuilder
from referee.table.views import Ask, Fix, Found, Health, Phase, Sighting


def not_understood(step: StepBuilder, differences: Sequence[Difference], ask: Ask) -> None:
    """Ask the hands to set the named squares right; while that is asked already this only renews the list of squares.

    Everybody hears what was seen, which is what anybody sees who looks at the board: where pieces stand, and whose.
    A ply that can still be revised is never final because of it. If one of its two squares is among those that differ, the same
    hand went on or took it back, or the reading was wrong: it is taken back with all that were read on top of it, and the board
    shall become what it was before. Otherwise it stays open, until the board agrees with what it made of it.
    """
    state = step.state
    if not is_allowed(state.phase, Trigger.NOT_UNDERSTOOD):
        return
    restoring = state.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
    saw = tuple(_sighting(difference) for difference in differences)
    doubtful = _plies_since_one_at(state, {difference.square for difference in differences})
    if doubtful:
        _take_back(step, doubtful, saw)
        return
    step.go(Trigger.NOT_UNDERSTOOD)
    _show(state, saw)
    if ask is Ask.NOT_UNDERSTOOD and not restoring:
        state.fault = fault_of(state.game.public, state.rules.board, differences)
    state.fixes = tuple(Fix(difference.square.name, difference.wanted) for difference in differences)
    if not restoring:
        state.ask = ask
        state.in_hand.clear()
        step.order(Expect(state.game.public.occupants()))
    step.event("ask", text=ask.value)


def _plies_since_one_at(state: TableState, squares: Collection[Square]) -> int:
    """Return how many open plies there are from the oldest one on that came from or went to one of these squares, 0 without one."""
    touching = (at for at, ply in enumerate(state.open_plies) if ply.source in squares or ply.target in squares)
    return len(state.open_plies) - next(touching, len(state.open_plies))


def _sighting(difference: Difference) -> Sighting:
    name, seen = difference.square.name, difference.seen
    if seen in (Reading.RED, Reading.BLUE):
        return Sighting(name, Found.PIECE, difference.whose)
    return Sighting(name, Found.EMPTY if seen == Reading.EMPTY else Found.UNCLEAR)


def _show(state: TableState, saw: tuple[Sighting, ...]) -> None:
    """Keep what was seen while the board is restored. While captured pieces are removed the reason is known already."""
    if state.phase is Phase.RESTORING:
        state.saw = saw


def _take_back(step: StepBuilder, plies: int, saw: tuple[Sighting, ...]) -> None:
    """Take the last open plies back and ask for the board as it was before: on their squares and on those that were seen."""
    state = step.state
    touched = [square.name for ply in reversed(state.open_plies[-plies:]) for square in (ply.source, ply.target)]
    endings.drop_offer(step, None)  # it was made in a position that never was
    step.unsay(plies, TAKEN_BACK)
    step.go(Trigger.NOT_UNDERSTOOD)
    state.ask_to_fix((*touched, *(sighting.square for sighting in saw)))
    _show(state, saw)
    state.ask = Ask.TAKEN_BACK
    state.in_hand.clear()
    step.order(Expect(state.game.public.occupants()))
    step.event("ask", text=Ask.TAKEN_BACK.value)


def agreed(step: StepBuilder, lifted: Square | None) -> None:
    """Take the news that the board is as expected, but perhaps for one piece that the next player has lifted."""
    state = step.state
    if not is_allowed(state.phase, Trigger.BOARD_AGREES):
        return
    if state.open_plies and lifted == state.open_plies[-1].target:  # it is its own player who has not done with it
        _take_back(step, 1, (Sighting(lifted.name, Found.EMPTY),))
        return
    was_restoring = state.phase is Phase.RESTORING
    # Everybody was asked about this position and the hands have made it, so what was open until now is final.
    endings.close_open_plies(step)
    if state.phase is not Phase.FINISHED:
        moves.resume_play(step)
        step.event("restored" if was_restoring else "board.agrees")
        attacks.ask_anew(step)


def compare(step: StepBuilder, differences: Sequence[Difference]) -> None:
    """Renew the list of squares that are to be put right, while hands do it; nothing is decided and nothing written down."""
    state = step.state
    if state.phase not in (Phase.RESTORING, Phase.WAITING_FOR_BOARD):
        return
    fixes = tuple(Fix(difference.square.name, difference.wanted) for difference in differences)
    if set(fixes) != set(state.fixes):
        state.fixes = fixes
        step.touch()


def link(step: StepBuilder, fault: str | None, quiet_ms: int = 0) -> None:
    """Note that the board cannot be read, and why, or can be read again; changes meanwhile are compared once frames
    come.

    Clocks stand as they were `quiet_ms` ago, when it was heard last.
    """
    state = step.state
    if state.board_fault == fault:
        return
    state.board_fault = fault
    if fault is not None and quiet_ms and state.clocks is not None:
        state.clocks = state.clocks.unheard(quiet_ms, step.now_ms)
    step.event("board.link", text=fault or "back")


def warn(step: StepBuilder, warnings: Sequence[Health]) -> None:
    """Note the faults of a board that can still be read; the journal keeps when each came and went."""
    state = step.state
    if state.warnings != tuple(warnings):
        state.warnings = tuple(warnings)
        step.event("board.health", text=" ".join(health.value for health in warnings) or "well")


def distrust(step: StepBuilder, squares: Iterable[Square]) -> None:
    """Note the squares whose sensors are not trusted."""
    blind = tuple(squares)
    if blind != step.state.blind:
        step.state.blind = blind
        step.touch()
