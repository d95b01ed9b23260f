"""What happens to the clocks while somebody cannot be heard: the broker, or a player's phone.

**The broker.** While the referee does not hear it no player hears the referee, so no clock runs. That is noticed after a moment; the
clocks are as they were when the broker was heard last.

**A phone.** A player's clock stands still while his phone is not connected, but not for longer than his grace, which is one for the whole
game: nobody stops his clock by switching his Wi-Fi off. Grace is used only while the clock would run. Each time costs a second of it at
least, so a phone that comes and goes fills no journal. After an outage of the broker phones need a moment to come back: `RETURN_MS`
cost nothing.

Who is connected is not kept in the journal; whose phones were away stands beside what a step answers (`inputs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.rules.values import Seat
from referee.table.state import Absence, TableState
from referee.table.step import StepBuilder

RETURN_MS = 5_000
"""So long a phone may take to come back after the broker has."""
LEAST_MS = 1_000
"""What each absence costs of the grace at least."""


def broker_link(step: StepBuilder, heard: bool, quiet_ms: int, awaited: Iterable[Seat]) -> None:
    """Note that the referee does not hear the broker, or hears it again and waits for these seats' phones."""
    state = step.state
    if state.broker_lost is not heard:
        return
    state.broker_lost = not heard
    if state.broker_lost and state.clocks is not None:
        state.clocks = state.clocks.unheard(quiet_ms, step.now_ms)
    for seat in awaited:
        state.connected[seat] = False
        state.excused_ms[seat] = step.now_ms + RETURN_MS
    step.event("broker.link", text="back" if heard else "lost")


def without_absent(step: StepBuilder, owing: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return those of these seats whose clock runs although a phone may be away; note whose grace begins and whose ends now."""
    state = step.state
    for seat in [seat for seat in state.absences if seat not in owing or state.connected.get(seat) is not False]:
        _charge(state, seat, step.now_ms)
        if seat in owing:
            step.event("phone.link", seat=seat, text="back")
    for seat in owing:
        left_ms = state.limits.grace_ms - state.grace_used_ms[seat]
        if state.connected.get(seat) is False and seat not in state.absences and left_ms > 0:
            from_ms = max(step.now_ms, state.excused_ms.pop(seat, 0))
            state.absences[seat] = Absence(from_ms, from_ms + left_ms)
            step.event("phone.link", seat=seat, text="lost")
    for seat in [seat for seat in state.excused_ms if state.connected.get(seat) is not False]:
        del state.excused_ms[seat]
    return tuple(seat for seat in owing if seat not in state.absences)


def _charge(state: TableState, seat: Seat, now_ms: int) -> None:
    absence = state.absences.pop(seat)
    if now_ms >= absence.from_ms:
        state.grace_used_ms[seat] += max(LEAST_MS, now_ms - absence.from_ms)


def end_grace_if_due(step: StepBuilder) -> None:
    """Let clocks whose grace is used up run from that moment on, with an event for each."""
    state = step.state
    for seat in [seat for seat, absence in state.absences.items() if step.now_ms >= absence.until_ms]:
        until_ms = state.absences[seat].until_ms
        _charge(state, seat, until_ms)
        if state.clocks is not None:
            state.clocks = state.clocks.run((*state.clocks.running, seat), until_ms)
        step.event("phone.link", seat=seat, text="over")


def forget(state: TableState) -> None:
    """Forget who was away when the referee was stopped: that time was not measured, and the next time is on a different
    clock.
    """
    state.absences.clear()
    state.excused_ms.clear()


def graces(state: TableState, now_ms: int) -> Mapping[Seat, int]:
    """Return for which seats' phones a clock stands still, and for how long at most, in milliseconds."""
    return {seat: max(0, absence.until_ms - now_ms) for seat, absence in state.absences.items()}
