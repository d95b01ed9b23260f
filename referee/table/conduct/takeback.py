"""Going back: to an earlier ply, or to before a verdict, whose attack is then asked about again. By an arbiter's order
or agreed by all.

The board comes first: hands are asked to restore it, and only when it agrees does the game continue. What somebody was
shown stays known to that seat; what was only declared is forgotten. Clocks are as they were when that ply had been
played.
"""

from __future__ import annotations

from referee.rules import Move
from referee.table.arbiter_commands import CorrectionError
from referee.table.conduct import pauses
from referee.table.dual_game import DualGame, HistoryEntry
from referee.table.state import TableState, Trigger, is_allowed
from referee.table.step import Expect, StepBuilder
from referee.table.views import Ask, LastMove, Phase

GOES_BACK = frozenset({"plies.taken-back", "verdict.voided"})
"""Events after which the game stands at an earlier ply, and goes on if it was over."""
BY_ARBITER, BY_ALL = "arbiter", "agreed"
"""At whose word; the text of the event."""


def take_back(step: StepBuilder, ply: int, by: str) -> None:
    """Return the game to its position after a ply. Raises `CorrectionError`, with nothing changed."""
    _go_back(step, at_ply(step.state, ply))
    step.event("plies.taken-back", text=by)


def void(step: StepBuilder, ply: int, by: str) -> None:
    """Void the verdict that a ply was, and all later plies; its attack is asked about again once the board agrees.

    Raises `CorrectionError`, and then nothing has changed.
    """
    state = step.state
    entry = verdict(state, ply)
    fight = entry.fight
    assert fight is not None
    _go_back(step, state.game.back_to(ply - 1))
    state.unsettled = fight
    if isinstance(fight, Move) and fight.leaving:
        state.leaving = {entry.seat: (fight.source, fight.leaving)}
    step.event("verdict.voided", seat=entry.seat, source=fight.source, target=fight.target, ply=ply, text=by)


def at_ply(state: TableState, ply: int) -> DualGame:
    """Return the game after a ply. Raises `CorrectionError` where it cannot go back there."""
    _check_phase(state)
    last = state.ply if state.phase is Phase.FINISHED else state.ply - 1
    if not state.game.first_ply <= ply <= last:
        raise CorrectionError("no-such-ply", f"the game can go back to plies {state.game.first_ply} to {last}")
    dual = state.game.back_to(ply)
    if dual.result is not None:
        raise CorrectionError("still-over", f"after ply {ply} the game is over, too")
    return dual


def verdict(state: TableState, ply: int) -> HistoryEntry:
    """Return the verdict that a ply was. Raises `CorrectionError` where it was none that can be unsaid."""
    _check_phase(state)
    for entry in state.game.history:
        if entry.ply == ply and entry.fight is not None:
            return entry
    raise CorrectionError("no-such-verdict", f"ply {ply} was no attack, or is too long ago")


def _check_phase(state: TableState) -> None:
    if state.dual is None or not is_allowed(state.phase, Trigger.CORRECTED):
        raise CorrectionError("not-now", "no game has been begun")


def _go_back(step: StepBuilder, dual: DualGame) -> None:
    state = step.state
    pauses.break_silence(step)
    step.close_all()
    _let_known(state, dual)
    while state.open_plies and state.open_plies[0].number <= dual.public.ply:  # that it stands is agreed, or ordered
        step.finish_oldest_ply()
    names = [fix.square for fix in state.fixes]
    was, wanted = state.game.public.occupants(), dual.public.occupants()
    names += [square.name for square in {**was, **wanted} if was.get(square) is not wanted.get(square)]
    state.dual, state.open_plies, state.result, state.unsettled = dual, [], None, None
    state.last_move, state.shown_attack, state.barred, state.leaving = _last_move(dual), None, None, {}
    state.forgotten |= set() if state.finale is None else state.finale.said
    state.declined, state.decided, state.finale = None, None, None
    state.in_hand.clear()
    if state.clocks is not None:
        state.clocks = state.clocks_at.get(dual.public.ply, state.clocks.stopped(step.now_ms))
    step.go(Trigger.CORRECTED, pauses.put_off(step, Phase.RESTORING))
    state.ask = Ask.CORRECTED
    state.ask_to_fix(names)
    step.order(Expect(wanted))
    step.restates = True


def _let_known(state: TableState, dual: DualGame) -> None:
    """Keep what every opponent saw of a piece that comes back: the rank it had when it was captured."""
    for piece, rank in state.game.captured.items():
        if piece not in dual.captured:
            for seat in state.seats:
                if seat is not piece.seat:
                    state.seen.setdefault(seat, {})[piece] = rank


def _last_move(dual: DualGame) -> LastMove | None:
    entry = dual.history[-1] if dual.history else None
    if entry is None or entry.ranks is not None or not isinstance(entry.action, Move):
        return None
    return LastMove(entry.seat, entry.action.source.name, entry.action.target.name, final=True)
