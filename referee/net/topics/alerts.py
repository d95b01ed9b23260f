"""What of a table needs an arbiter, read off what everybody may see of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.net.topics.orders import Alert, AlertKind, Alerts
from referee.table.views import Ask, Phase, PublicView

LITTLE_MS = 60_000
"""A clock that runs and has less left than this wants to be watched."""
_ORDER = {kind: place for place, kind in enumerate(AlertKind)}
_ASKS = {
    Ask.ILLEGAL_MOVE: AlertKind.ILLEGAL_MOVE,
    Ask.DISTURBED: AlertKind.DISTURBED,
    Ask.NOT_UNDERSTOOD: AlertKind.DISTURBED,
    Ask.TAKEN_BACK: AlertKind.DISTURBED,
    Ask.CONFIRM_CLAIM: AlertKind.CLAIM,
}


def alerts_of(view: PublicView, also: Iterable[Alert] = ()) -> Alerts:
    """Give what needs an arbiter at a table that looks like this, most urgent first; `also` is what no view shows."""
    if view.phase is Phase.FINISHED:
        return Alerts(view.game, view.seq, tuple(alert for alert in also if alert.kind is AlertKind.CALLED))
    found = sorted((*_found(view), *also), key=lambda alert: _ORDER[alert.kind])
    return Alerts(view.game, view.seq, tuple(found))


def _found(view: PublicView) -> Iterator[Alert]:
    for seat in view.called:
        yield Alert(AlertKind.CALLED, seat)
    if view.ask in _ASKS:
        yield Alert(_ASKS[view.ask], view.turn, " ".join(fix.square for fix in view.fixes[:8]))
    if not view.board_connected:
        yield Alert(AlertKind.BOARD_LOST, None, view.board_fault or "")
    if warnings := [health.value for health in view.health if health.value != view.board_fault]:
        yield Alert(AlertKind.BOARD_HEALTH, None, " ".join(warnings))
    if view.phase is Phase.PAUSED and not view.called:
        open_attack = view.attack is not None and view.attack.result is None
        silent = view.waiting_for if open_attack else ()
        yield Alert(AlertKind.NO_ANSWER if silent else AlertKind.PAUSED, silent[0] if len(silent) == 1 else None)
    for seat, here in view.connected.items():
        if not here:
            yield Alert(AlertKind.LINK_LOST, seat)
    if view.barred is not None:
        yield Alert(AlertKind.REPETITION, view.turn, view.barred)
    elif view.bars:
        yield Alert(AlertKind.REPETITION, view.turn, "warning")
    for seat, face in view.clocks.items():
        if face.left_ms == 0:
            yield Alert(AlertKind.TIME_OVER, seat)
        elif face.runs and face.left_ms < LITTLE_MS:
            yield Alert(AlertKind.TIME, seat)
    if view.hall_clock is not None and view.hall_clock.left_ms == 0 and view.phase is Phase.PAUSED:
        yield Alert(AlertKind.TIME_OVER, None, "round")
