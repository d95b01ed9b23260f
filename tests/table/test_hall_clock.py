"""The hall clock at a table: it runs whatever the table does, what was begun still counts, and its end is a pause or a draw."""

from __future__ import annotations

import pytest

from referee.rules import rule_set
from referee.rules.values import Rank
from referee.sensing import Agreed, Final, Lifted
from referee.table.arbiter_commands import EndGame, ResumeGame, SetHallClock
from referee.table.inputs import Abort, Reopen, Resume, Tick
from referee.table.messages import AskPause, AskResume
from referee.table.replay import rebuild, told_settings
from referee.table.table import Table
from referee.table.views import ClockFace, GameEnd, Phase
from tests.table.sitting import BLUE, RED, Sitting
from tests.table.test_timekeeping import FISCHER

MINUTE = 60_000


def hall(left_ms: int | None, at_end: str = "arbiter", name: str = "h1") -> SetHallClock:
    """Return the order by which a station sends a table the rest of the round."""
    return SetHallClock(id=name, reason="cup, round 1", left_ms=left_ms, at_end=at_end)


class Round(Sitting):
    """A Duel in a hall: ten minutes of the round are left."""

    def __init__(self, at_end: str = "arbiter", **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # as a Sitting takes them
        self.order(hall(10 * MINUTE, at_end))

    def wait(self, ms: int) -> None:
        """Let time pass; nothing else comes in."""
        self.now_ms += ms
        self.take(self.table.apply(Tick(), self.now_ms))

    def to_the_end(self) -> None:
        """Wait until the step before wanted to be called again."""
        due_ms = self.steps[-1].deadline_ms
        assert due_ms is not None
        self.wait(due_ms - self.now_ms)

    def left(self) -> ClockFace | None:
        """Return what everybody sees of the hall's clock."""
        return self.table.view().hall_clock

    def again(self, away_ms: int) -> Table:
        """Return the table as its journal rebuilds it, resumed so much later, on a different clock."""
        facts = [fact for step in self.steps for fact in step.facts]
        table = rebuild(told_settings(facts, rule_set), facts).table
        table.apply(Reopen(away_ms), 17)
        return table


def test_a_table_of_no_hall_has_none() -> None:
    """No face, no deadline."""
    table = Sitting()
    assert table.table.view().hall_clock is None
    assert table.steps[-1].deadline_ms is None


def test_it_runs_whatever_the_table_does() -> None:
    """While setting up, at both turns, in an attack, in a pause."""
    table = Round(begin=False)
    table.wait(MINUTE)
    table.begin()
    table.wait(MINUTE)
    table.move("e4", "e5")
    table.wait(MINUTE)
    table.move("e7", "e6")
    table.attack("e5", "e6")
    table.wait(MINUTE)
    table.declare(RED, Rank.MARSHAL)
    table.declare(BLUE, Rank.SPY)
    table.see(Agreed(0))
    table.say(RED, AskPause(id="p"))
    table.wait(MINUTE)
    assert table.left() == ClockFace(5 * MINUTE, True)


def test_at_its_end_the_table_stands_still_until_an_arbiter_speaks() -> None:
    """Nobody at the table lets it go on; a result may be given, or time, or the word that they play on."""
    table = Round()
    table.move("e4", "e5")
    table.to_the_end()
    assert table.kinds()[-2:] == ["round.over", "paused"]
    assert (table.phase(), table.left(), table.table.view().waiting_for) == (Phase.PAUSED, ClockFace(0, False), ())
    table.take(table.table.apply(Resume(), table.now_ms))
    assert table.refused(RED, AskResume(id="r")) == "not-now"
    assert table.phase() is Phase.PAUSED
    assert table.steps[-1].deadline_ms is None
    table.order(hall(MINUTE, name="h2"))
    table.order(ResumeGame(id="o", reason="a minute more"))
    table.see(Agreed(0))
    assert (table.phase(), table.left()) == (Phase.WAITING_FOR_MOVE, ClockFace(MINUTE, True))
    table.to_the_end()
    table.order(ResumeGame(id="o2", reason="they play on"))
    table.see(Agreed(0))
    table.wait(60 * MINUTE)
    assert table.phase() is Phase.WAITING_FOR_MOVE
    table.order(EndGame(id="o3", reason="so", result="draw"))
    assert table.table.result == GameEnd(None, "ruled")


def test_at_its_end_a_game_is_drawn_where_the_event_says_so() -> None:
    """Also out of a pause; one that has not begun is no draw."""
    table = Round("draw")
    table.say(RED, AskPause(id="p"))
    table.to_the_end()
    assert (table.phase(), table.table.result) == (Phase.FINISHED, GameEnd(None, "hall-clock"))
    assert table.left() == ClockFace(0, False)
    unbegun = Round("draw", begin=False)
    unbegun.to_the_end()
    assert (unbegun.phase(), unbegun.table.result) == (Phase.PAUSED, None)


def test_a_move_that_was_read_is_played() -> None:
    """The round ends with the move's being final, which may win; a piece in the air was no move."""
    table = Round("draw")
    table.wait(10 * MINUTE - 1)
    table.read("e4", "e5")
    assert table.steps[-1].deadline_ms is None
    table.wait(100)
    assert table.phase() is Phase.WAITING_FOR_MOVE
    table.see(Final(0))
    table.to_the_end()
    assert (table.table.result, table.table.view().ply) == (GameEnd(None, "hall-clock"), 1)
    assert table.kinds()[-3:] == ["move.final", "round.over", "end"]
    held = Round("draw")
    held.see(Lifted(held.square("e4"), 0))
    held.to_the_end()
    assert (held.table.result, held.table.view().ply) == (GameEnd(None, "hall-clock"), 0)


@pytest.mark.parametrize("at_end", ["arbiter", "draw"])
def test_an_attack_is_settled_first(at_end: str) -> None:
    """Both have answered: then it is over; where nobody answers the limit of the question is its end."""
    table = Round(at_end)
    table.move("e4", "e5")
    table.move("e7", "e6")
    table.attack("e5", "e6")
    table.wait(2 * MINUTE)
    table.declare(RED, Rank.MARSHAL)
    table.wait(MINUTE // 2)
    assert table.phase() is Phase.WAITING_FOR_DECLARATIONS
    table.order(hall(0, at_end, "now"))
    table.wait(1_000)
    assert table.phase() is Phase.WAITING_FOR_DECLARATIONS
    table.declare(BLUE, Rank.SPY)
    table.to_the_end()
    assert table.table.view().captured[BLUE] == {Rank.SPY: 1}
    assert table.phase() is (Phase.PAUSED if at_end == "arbiter" else Phase.FINISHED)
    silent = Round(at_end)
    silent.move("e4", "e5")
    silent.move("e7", "e6")
    silent.attack("e5", "e6")
    silent.order(hall(0, at_end, "now"))
    silent.to_the_end()
    silent.to_the_end()
    assert silent.kinds()[-3:-1] == ["paused", "round.over"]
    assert silent.phase() is (Phase.PAUSED if at_end == "arbiter" else Phase.FINISHED)


def test_it_runs_on_while_the_referee_is_away() -> None:
    """The journal says what was left; the time since its last row is taken off, and it ends where it would have."""
    table = Round("draw", clock=FISCHER)
    table.wait(MINUTE // 4)
    table.move("e4", "e5")
    again = table.again(4 * MINUTE)
    assert again.view().hall_clock == ClockFace(10 * MINUTE - MINUTE // 4 - 4 * MINUTE, True)
    assert again.view().clocks[BLUE].left_ms == 60_000
    again.apply(Tick(), 17 + 6 * MINUTE)
    assert again.result == GameEnd(None, "hall-clock")
    late = table.again(11 * MINUTE)
    late.apply(Tick(), 17)
    assert late.result == GameEnd(None, "hall-clock")
    assert table.again(-MINUTE).view().hall_clock == ClockFace(10 * MINUTE - MINUTE // 4, True)


def test_a_pause_at_its_end_is_one_after_a_restart() -> None:
    """And its end comes about once."""
    table = Round()
    table.to_the_end()
    again = table.again(MINUTE)
    again.apply(Tick(), MINUTE)
    assert (again.phase, again.view().hall_clock) == (Phase.PAUSED, ClockFace(0, False))
    again.apply(Resume(), MINUTE)
    assert again.view().phase is Phase.PAUSED
    again.apply(ResumeGame(id="o", reason="so"), MINUTE)
    assert again.view().phase is Phase.RESTORING


def test_it_is_set_anew_and_taken_away() -> None:
    """What cannot be is refused; after the end of the game there is nothing to set."""
    table = Round()
    table.order(hall(3 * MINUTE, name="h2"))
    assert table.left() == ClockFace(3 * MINUTE, True)
    for order in (hall(-1), hall(24 * 60 * MINUTE + 1), hall(5, "coin")):
        assert table.not_ordered(SetHallClock(id="x", reason="r", left_ms=order.left_ms, at_end=order.at_end)) == (
            "no-such-clock"
        )
    table.order(hall(None, name="h3"))
    assert (table.left(), table.steps[-1].deadline_ms) == (None, None)
    table.take(table.table.apply(Abort(), table.now_ms))
    assert table.not_ordered(hall(MINUTE, name="h4")) == "not-now"
