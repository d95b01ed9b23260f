"""Pauses of players in a game with clocks: how many, how long, who ends them, and what a restart leaves of them."""

from __future__ import annotations

from referee.rules.values import Seat
from referee.sensing import Agreed
from referee.table.arbiter_commands import PauseGame
from referee.table.inputs import Pause, Reopen, Resume, SeatSays, Tick
from referee.table.messages import AskPause, AskResume, CallArbiter
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, Limits, TimeControl
from referee.table.views import PauseFace, Phase
from tests.table.sitting import BLUE, RED, Sitting

MINUTES = TimeControl(ClockKind.SUDDEN_DEATH, 600_000)


class Paused(Sitting):
    """A Duel with clocks, red to move; by default two pauses of five minutes for each."""

    def __init__(self, clock: TimeControl = MINUTES, limits: Limits | None = None) -> None:
        super().__init__(clock=clock, limits=limits)
        self.number = 0

    def wants(self, seat: Seat, message: type[AskPause] | type[AskResume] | type[CallArbiter]) -> None:
        """Let a seat say this."""
        self.number += 1
        self.take(self.table.apply(SeatSays(seat, message(id=f"p{self.number}")), self.now_ms))

    def goes_on(self) -> None:
        """Let the board agree after a pause."""
        assert self.table.view().phase is Phase.RESTORING
        self.see(Agreed(0))

    def after(self, seconds: float) -> Phase:
        """Return the phase so much later."""
        self.now_ms += round(seconds * 1000)
        self.take(self.table.apply(Tick(), self.now_ms))
        return self.table.view().phase

    def clock_s(self) -> float:
        """Return what red has left."""
        return self.table.view().clocks[RED].left_ms / 1000


def test_each_has_so_many_pauses() -> None:
    """The third is refused by its name, and red's clock runs; blue has two of his own."""
    game = Paused()
    for left in (1, 0):
        game.wants(RED, AskPause)
        assert dict(game.table.view().pauses_left) == {RED: left, BLUE: 2}
        game.wants(BLUE, AskResume)
        game.goes_on()
    assert game.refused(RED, AskPause(id="third")) == "no-pause-left"
    game.after(10)
    assert game.clock_s() == 590
    game.wants(BLUE, AskPause)
    assert game.table.view().pause == PauseFace(BLUE, 300_000)


def test_a_pause_ends_by_itself() -> None:
    """After its length to the millisecond; the clock stood, and runs once the board agrees."""
    game = Paused(limits=Limits(pause_ms=60_000))
    game.after(5)
    game.wants(RED, AskPause)
    assert game.steps[-1].deadline_ms == game.now_ms + 60_000
    assert game.after(59.999) is Phase.PAUSED
    assert game.after(0.001) is Phase.RESTORING
    game.goes_on()
    game.after(1)
    assert game.clock_s() == 594


def test_the_opponent_ends_it_at_once_and_who_paused_does_not() -> None:
    """Red's own word waits for blue's, or for the time."""
    game = Paused()
    game.wants(RED, AskPause)
    game.wants(RED, AskResume)
    assert (game.table.view().phase, game.table.view().waiting_for) == (Phase.PAUSED, (BLUE,))
    game.wants(BLUE, AskResume)
    assert game.table.view().phase is Phase.RESTORING
    game.goes_on()
    game.wants(RED, AskPause)
    assert game.table.view().waiting_for == (RED, BLUE)
    game.wants(BLUE, AskResume)
    assert game.table.view().phase is Phase.RESTORING


def test_the_arbiters_pause_and_the_kiosks_have_no_limit() -> None:
    """Neither counts, neither ends by itself; an arbiter's takes the place of a player's."""
    game = Paused()
    game.take(game.table.apply(Pause(), game.now_ms))
    assert game.after(100_000) is Phase.PAUSED
    game.take(game.table.apply(Resume(), game.now_ms))
    game.goes_on()
    game.wants(RED, AskPause)
    game.order(PauseGame(id="o1", reason="ruling", by="Anna", seq=game.table.view().seq))
    assert game.table.view().pause is None
    assert game.refused(BLUE, AskResume(id="b")) == "not-now"
    assert game.after(100_000) is Phase.PAUSED
    assert dict(game.table.view().pauses_left) == {RED: 1, BLUE: 2}


def test_a_call_for_the_arbiter_takes_a_pause_and_is_heard_without_one() -> None:
    """It has no end but everybody's word or the arbiter's; with no pause left the clock runs on, and the arbiter hears of it."""
    game = Paused(limits=Limits(pauses=1))
    game.wants(RED, CallArbiter)
    assert game.after(100_000) is Phase.PAUSED
    game.wants(BLUE, AskResume)
    assert (game.table.view().phase, game.table.view().called) == (Phase.PAUSED, (RED,))
    game.wants(RED, AskResume)
    game.goes_on()
    assert game.table.view().called == ()
    game.wants(RED, CallArbiter)
    assert game.table.view().called == (RED,)
    assert game.after(10) is Phase.WAITING_FOR_MOVE
    assert game.clock_s() == 590
    game.order(PauseGame(id="o1", reason="he is there", by="Anna", seq=game.table.view().seq))
    assert game.table.view().called == ()


def test_without_clocks_a_pause_has_no_limit() -> None:
    """Nobody gains time by it: it lasts until both are ready, as often as they like."""
    game = Paused(clock=TimeControl())
    for _ in range(4):
        game.wants(RED, AskPause)
        assert game.after(100_000) is Phase.PAUSED
        game.wants(BLUE, AskResume)
        assert game.table.view().phase is Phase.PAUSED
        game.wants(RED, AskResume)
        game.goes_on()
    assert dict(game.table.view().pauses_left) == {}


def test_the_plug_is_pulled_in_a_pause() -> None:
    """What was left of it is left, by another clock; the pause that was taken stays taken."""
    game = Paused(limits=Limits(pauses=1, pause_ms=60_000))
    game.wants(RED, AskPause)
    facts = [fact for step in game.steps for fact in step.facts]
    table = rebuild(told_settings(facts, lambda _: game.rules), facts).table
    facts += table.apply(Reopen(), 5).facts
    assert table.view().pause == PauseFace(RED, 60_000)
    facts += table.apply(Tick(), 60_004).facts
    assert table.view().phase is Phase.PAUSED
    facts += table.apply(Tick(), 60_005).facts
    assert (table.view().phase, dict(table.view().pauses_left)) == (Phase.RESTORING, {RED: 0, BLUE: 1})
    again = rebuild(told_settings(facts, lambda _: game.rules), facts).table
    assert (again.view().phase, again.view().clocks) == (table.view().phase, table.view().clocks)
