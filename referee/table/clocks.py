"""The players' clocks, and that of the hall: values and times in, values out, and when the next flag falls. They know nothing of a table.

    clocks = Clocks.of_game(control, seats, turn)
    clocks = clocks.run((turn,), now_ms)          # its seat alone owes a move
    clocks = clocks.passed(next_turn, 1, now_ms)  # a ply was played; what the time control gives is given
    clocks = clocks.stopped(now_ms)

A clock never shows less than nothing. Times are milliseconds of one clock that never goes back. What they mean at a table is
`conduct/timekeeping.py`'s; the table's state holds them, so they stand apart from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from referee.rules.values import Seat
from referee.table.settings import ClockKind, TimeControl

AT_END = ("arbiter", "draw")
"""What may happen when a round's time is over: an arbiter decides, or the game is drawn."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """All seats' clocks at one moment."""

    control: TimeControl
    left_ms: Mapping[Seat, int]
    """What each seat had left when `since_ms` was."""
    turn: Seat | None = None
    """Whose ply is being measured; None while setting up."""
    ply: int = 0
    """Plies played before it."""
    running: tuple[Seat, ...] = ()
    since_ms: int = 0
    """From when on the running ones have to be charged."""
    spent_ms: int = 0
    """What this ply has taken before that."""
    earlier: tuple[tuple[Clocks, int], ...] = ()
    """These clocks as they ran earlier in this ply, each with when it was stopped; an arbiter who sets the mover's makes them void."""

    @classmethod
    def of_set_up(cls, control: TimeControl, seats: Sequence[Seat]) -> Clocks:
        """Return the clocks of the set-up, stopped; without a set-up time those of the game, for display."""
        return (
            cls(control, dict.fromkeys(seats, control.set_up_ms)) if control.set_up_ms else cls.of_game(control, seats)
        )

    @classmethod
    def of_game(cls, control: TimeControl, seats: Sequence[Seat], turn: Seat | None = None) -> Clocks:
        """Return the clocks of a game before its first ply, stopped; no clock where none was agreed."""
        full_ms = control.ply_ms if control.kind is ClockKind.PER_MOVE else control.game_ms
        return cls(control, {} if control.kind is ClockKind.NONE else dict.fromkeys(seats, full_ms), turn)

    @property
    def deadline_ms(self) -> int | None:
        """Return when the next flag falls if nothing happens before, None while no clock runs."""
        return min((self.since_ms + self.left_ms[seat] for seat in self.running), default=None)

    def left(self, seat: Seat, now_ms: int) -> int:
        """Return what a seat has left, 0 or more."""
        passed_ms = max(0, now_ms - self.since_ms) if seat in self.running else 0
        return max(0, self.left_ms[seat] - passed_ms)

    def fallen(self, now_ms: int) -> tuple[Seat, ...]:
        """Return the seats whose running clock has reached zero."""
        return tuple(seat for seat in self.running if self.left(seat, now_ms) == 0)

    def run(self, seats: tuple[Seat, ...], now_ms: int) -> Clocks:
        """Return the clocks with those of these seats running and no others; the same value where that is so already."""
        if seats == self.running:
            return self
        return replace(self.stopped(now_ms), running=seats, since_ms=now_ms)

    def stopped(self, now_ms: int) -> Clocks:
        """Return all clocks stopped, with the running ones charged."""
        left = {seat: self.left(seat, now_ms) for seat in self.left_ms}
        spent_ms, earlier = self.spent_ms, self.earlier
        if self.turn in self.running:
            spent_ms += self.left_ms[self.turn] - left[self.turn]
            earlier = (*earlier, (replace(self, earlier=()), now_ms))
        return replace(self, left_ms=left, running=(), spent_ms=spent_ms, earlier=earlier)

    def as_of(self, then_ms: int) -> Clocks:
        """Return all clocks stopped at their times at a moment of this ply, however often they were stopped since."""
        ran = next((clocks for clocks, until_ms in self.earlier if then_ms < until_ms), self)
        return ran.stopped(max(ran.since_ms, then_ms))

    def unheard(self, quiet_ms: int, now_ms: int) -> Clocks:
        """Return all clocks stopped at their times `quiet_ms` ago, or at their last start if that was later: nobody was
        heard since.
        """
        return self.stopped(max(self.since_ms, now_ms - quiet_ms))

    def uncharged(self) -> Clocks:
        """Return all clocks stopped at the times of their last start: the time since then was not measured."""
        return replace(self, running=())

    def passed(self, turn: Seat, ply: int, now_ms: int) -> Clocks:
        """Return the clocks stopped, at the next seat's turn; the seat that played gets what the time control adds."""
        rest = self.stopped(now_ms)
        left = dict(rest.left_ms)
        if self.turn in left and ply > self.ply:
            left[self.turn] = _after_ply(self.control, left[self.turn], rest.spent_ms)
        return replace(rest, left_ms=left, turn=turn, ply=ply, spent_ms=0, earlier=())

    def adjusted(self, seat: Seat, left_ms: int, now_ms: int) -> Clocks:
        """Return the clocks with `left_ms` for a seat, by an arbiter's order; running clocks keep running."""
        rest = self.stopped(now_ms)
        left = {seat: left_ms}
        ran = () if seat is self.turn else rest.earlier
        earlier = tuple((replace(each, left_ms={**each.left_ms, **left}), until_ms) for each, until_ms in ran)
        return replace(rest, left_ms={**rest.left_ms, **left}, running=self.running, since_ms=now_ms, earlier=earlier)


@dataclass(frozen=True, slots=True)
class HallClock:
    """What was left of a round of all tables at one moment; what it means is `hall_clock`'s."""

    left_ms: int
    since_ms: int
    at_end: str
    over: bool = False
    """Whether the round has ended here; from then on its clock shows zero."""

    def left(self, now_ms: int) -> int:
        """Return what is left, 0 or more."""
        return max(0, self.left_ms - max(0, now_ms - self.since_ms))


def _after_ply(control: TimeControl, left_ms: int, spent_ms: int) -> int:
    match control.kind:
        case ClockKind.FISCHER:
            return left_ms + control.ply_ms
        case ClockKind.BRONSTEIN:
            return left_ms + min(control.ply_ms, spent_ms)
        case ClockKind.PER_MOVE:
            return control.ply_ms
        case _:
            return left_ms
