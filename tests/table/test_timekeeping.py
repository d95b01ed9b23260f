"""The clocks at a table: whose runs in which phase, what is given back, whose flag falls, and what a restart leaves of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Final, Lifted, Puzzled, Read, Reading, Returned
from referee.table.arbiter_commands import SetClock
from referee.table.inputs import Abort, BoardLink, Pause, Reopen, Resume, Tick
from referee.table.messages import AskResume, ClaimImmobile, OfferDraw, Ready, Resign
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import GameEnd, Mode, Phase
from tests.table.sitting import BLUE, RED, Sitting

SUDDEN_DEATH = TimeControl(ClockKind.SUDDEN_DEATH, 60_000)
FISCHER = TimeControl(ClockKind.FISCHER, 60_000, 5_000)


class Clocked(Sitting):
    """A Duel with clocks."""

    def __init__(self, clock: TimeControl = SUDDEN_DEATH, **more: object) -> None:
        super().__init__(clock=clock, **more)  # type: ignore[arg-type]  # as a Sitting takes them

    def wait(self, ms: int) -> None:
        """Let time pass that nobody measures but the clocks."""
        self.now_ms += ms

    def left(self, seat: Seat) -> int:
        """Return what a seat has left now, in milliseconds."""
        self.take(self.table.apply(Tick(), self.now_ms))
        return self.table.view().clocks[seat].left_ms

    def runs(self) -> tuple[Seat, ...]:
        """Return the seats whose clock runs, as everybody sees it."""
        return tuple(seat for seat, face in self.table.view().clocks.items() if face.runs)

    def fall(self) -> None:
        """Wait until the next flag falls, and let it."""
        due_ms = self.steps[-1].deadline_ms
        assert due_ms is not None
        self.now_ms = due_ms
        self.take(self.table.apply(Tick(), self.now_ms))


def test_without_clocks_nobody_sees_any() -> None:
    """No face, no deadline."""
    table = Sitting()
    table.move("e4", "e5")
    assert table.table.view().clocks == {}
    assert all(step.deadline_ms is None for step in table.steps)


def test_a_clock_starts_when_the_move_before_is_read() -> None:
    """A piece in the air is still thinking; a piece that is put back, too."""
    table = Clocked()
    assert table.runs() == (RED,)
    table.wait(1_000)
    table.see(Lifted(table.square("e4"), 0))
    table.wait(1_000)
    table.see(Returned(table.square("e4"), 0))
    table.wait(1_000)
    table.read("e4", "e5")
    assert (table.left(RED), table.runs()) == (57_000, (BLUE,))
    table.wait(4_000)
    table.see(Final(0))
    assert (table.left(RED), table.left(BLUE)) == (57_000, 56_000)


def test_a_revised_move_gives_the_time_since_back() -> None:
    """The hand went on: the other gets all of it back, the mover is given his increment once."""
    table = Clocked(FISCHER)
    further = table.prospect("e4", "e6")
    table.wait(1_000)
    table.read("e4", "e5")
    assert (table.left(RED), table.left(BLUE)) == (64_000, 60_000)
    table.wait(1_500)
    table.revise(further)
    assert (table.left(RED), table.left(BLUE), table.runs()) == (64_000, 60_000, (BLUE,))
    table.wait(500)
    table.see(Final(0))
    assert table.left(BLUE) == 59_500


def test_a_move_taken_back_never_was() -> None:
    """Its player has what he had left when it was read, without the increment; while the board is put right no clock runs."""
    table = Clocked(FISCHER)
    table.wait(1_000)
    table.read("e4", "e5")
    table.wait(1_500)
    table.see(Puzzled((Difference(table.square("e5"), RED, Reading.EMPTY),), 0))
    assert table.phase() is Phase.RESTORING
    table.wait(9_000)
    assert (table.left(RED), table.left(BLUE), table.runs()) == (59_000, 60_000, ())
    table.see(Agreed(0))
    table.wait(100)
    assert (table.left(RED), table.runs()) == (58_900, (RED,))


def test_nobodys_clock_runs_while_an_attack_is_settled() -> None:
    """Neither while ranks are declared nor while the board is cleared; then the next player's, and the attacker has had his increment."""
    table = Clocked(FISCHER)
    table.move("e4", "e5")
    table.move("e7", "e6")
    red_ms, blue_ms = table.left(RED), table.left(BLUE)
    table.wait(2_000)
    table.attack("e5", "e6")
    assert table.runs() == ()
    table.wait(50_000)
    table.declare(RED, Rank.MARSHAL)
    table.wait(50_000)
    assert (table.left(RED), table.left(BLUE)) == (red_ms - 2_000, blue_ms)
    table.declare(BLUE, Rank.SPY)
    assert (table.left(RED), table.left(BLUE), table.runs()) == (red_ms + 3_000, blue_ms, ())
    table.wait(70_000)
    table.see(Agreed(0))
    assert (table.left(BLUE), table.runs()) == (blue_ms, (BLUE,))


def no_cable(table: Clocked) -> Callable[[], object]:
    """Cut the cable."""
    table.take(table.table.apply(BoardLink("lost"), table.now_ms))
    return lambda: table.take(table.table.apply(BoardLink(None), table.now_ms))


def a_pause(table: Clocked) -> Callable[[], object]:
    """Pause."""
    table.take(table.table.apply(Pause(), table.now_ms))

    def go_on() -> None:
        table.take(table.table.apply(Resume(), table.now_ms))
        table.see(Agreed(0))

    return go_on


def a_doubt(table: Clocked) -> Callable[[], object]:
    """Do not understand what the hands did."""
    table.see(Puzzled((Difference(table.square("a1"), RED, Reading.EMPTY),), 0))
    return lambda: table.see(Agreed(0))


def a_claim(table: Clocked) -> Callable[[], object]:
    """Let the mover claim that he cannot move."""
    table.say(RED, ClaimImmobile(id=table.new_id()))
    return lambda: table.answer(BLUE, "refuse")


@pytest.mark.parametrize("standing", [no_cable, a_pause, a_doubt, a_claim])
def test_what_stops_the_clocks(standing: Callable[[Clocked], Callable[[], object]]) -> None:
    """They go on where they stood; no flag falls meanwhile, however long it takes."""
    table = Clocked()
    table.wait(1_000)
    go_on = standing(table)
    assert table.runs() == ()
    table.wait(500_000)
    assert (table.left(RED), table.left(BLUE)) == (59_000, 60_000)
    go_on()
    assert table.runs() == (RED,)
    table.wait(1_000)
    assert table.left(RED) == 58_000


def test_an_offered_draw_stops_nothing() -> None:
    """Who is to move goes on thinking."""
    table = Clocked()
    table.say(BLUE, OfferDraw(id=table.new_id()))
    table.wait(1_000)
    assert (table.left(RED), table.runs()) == (59_000, (RED,))


def test_a_flag_falls() -> None:
    """The other seat has won; everybody is told once, and what comes later changes nothing."""
    table = Clocked()
    table.wait(1_000)
    table.move("e4", "e5")
    table.fall()
    assert table.now_ms == 62_000
    assert table.table.view().result == GameEnd(RED, "clock")
    assert table.table.view().clocks[BLUE].left_ms == 0
    assert table.runs() == ()
    assert table.steps[-1].deadline_ms is None
    table.see(Lifted(table.square("e7"), 0))
    table.say(BLUE, Resign(id=table.new_id()))
    assert table.kinds().count("end") == 1


def test_a_move_that_comes_too_late_is_none() -> None:
    """Whatever the caller hears first: the time decides, not who is quicker at the table's door."""
    table = Clocked()
    prospect = table.prospect("e4", "e5")
    table.wait(60_000)
    table.see(Read(prospect, 0))
    assert table.table.view().result == GameEnd(BLUE, "clock")
    assert "move.read" not in table.kinds()


def test_no_flag_falls_while_the_move_before_may_be_revised() -> None:
    """Its time may yet be given back, so it falls once that move is final."""
    table = Clocked()
    table.move("e4", "e5")
    table.wait(59_500)
    table.move("e7", "e6")
    table.move("f4", "f5")
    table.read("f7", "f6")
    table.wait(60_500)
    assert table.left(RED) == 0
    assert table.steps[-1].deadline_ms is None
    assert table.table.result is None
    step = table.see(Final(0))
    assert step.deadline_ms is not None
    assert step.deadline_ms <= table.now_ms
    table.take(table.table.apply(Tick(), table.now_ms))
    assert table.table.view().result == GameEnd(BLUE, "clock")


def test_the_set_up_has_a_clock_of_its_own() -> None:
    """Each seat's runs until it is ready; whose falls has lost against one that was."""
    table = Clocked(TimeControl(ClockKind.SUDDEN_DEATH, 60_000, set_up_ms=90_000), begin=False)
    assert (table.left(RED), table.runs()) == (90_000, (RED, BLUE))
    table.wait(10_000)
    table.say(RED, Ready(id=table.new_id()))
    assert (table.left(RED), table.runs()) == (80_000, (BLUE,))
    table.fall()
    assert table.now_ms == 91_000
    assert table.table.view().result == GameEnd(RED, "clock")


def test_a_set_up_that_nobody_finished_has_no_winner() -> None:
    """Nor does any other clock run when only the set-up has one."""
    table = Clocked(TimeControl(set_up_ms=90_000), begin=False)
    table.fall()
    assert table.table.view().result == GameEnd(None, "clock")
    begun = Clocked(TimeControl(set_up_ms=90_000))
    assert begun.table.view().clocks == {}
    assert begun.steps[-1].deadline_ms is None


def test_who_is_ready_waits_for_the_board_without_losing_time() -> None:
    """That the sensors do not yet show what stands there is nobody's fault; the game's clocks are shown from the start."""
    table = Clocked(TimeControl(ClockKind.PER_MOVE, 0, 20_000), begin=False, mode=Mode.DECLARE)
    assert (table.left(BLUE), table.runs()) == (20_000, ())
    table.begin()
    assert (table.left(RED), table.runs()) == (20_000, (RED,))


def test_more_than_two_play_on_when_a_flag_falls() -> None:
    """Its seat is out as if it had given up, and the next one's clock runs once the board is cleared."""
    table = Clocked(TimeControl(ClockKind.SUDDEN_DEATH, 60_000), rules="stratego4-three")
    first, second, _ = table.rules.seats
    assert table.runs() == (first,)
    table.fall()
    view = table.table.view()
    assert (view.out, view.result, view.phase) == ((first,), None, Phase.WAITING_FOR_BOARD)
    (gone,) = [fact.event for fact in table.steps[-1].facts if fact.event is not None and fact.kind == "resigned"]
    assert (gone.seat, gone.text) == (first, "clock")
    assert table.runs() == ()
    table.see(Agreed(0))
    assert table.runs() == (second,)
    table.fall()
    assert table.table.view().result is not None


def test_an_arbiter_sets_a_clock_with_a_reason() -> None:
    """The reason goes to the journal; everybody hears the new time, which outlives a move that is taken back."""
    table = Clocked()
    table.wait(5_000)
    table.read("e4", "e5")
    step = table.order(SetClock(id="c1", reason="late", seat=RED, left_ms=30_000))
    assert step.facts[0].cause is not None
    assert step.facts[0].cause["verb"]["reason"] == "late"
    assert table.left(RED) == 30_000
    table.see(Puzzled((Difference(table.square("e5"), RED, Reading.EMPTY),), 0))
    assert table.left(RED) == 30_000
    for seat, left_ms in ((RED, -1), (RED, 10**9), (Seat.GREEN, 1_000)):
        assert table.not_ordered(SetClock(id="c2", reason="?", seat=seat, left_ms=left_ms)) == "no-such-clock"
    table.take(table.table.apply(Abort(), table.now_ms))
    assert table.not_ordered(SetClock(id="c3", reason="too late", seat=RED, left_ms=1_000)) == "not-now"
    assert Sitting().not_ordered(SetClock(id="c4", reason="no clocks", seat=RED, left_ms=1_000)) == "no-such-clock"


def test_a_restart_finds_the_clocks_as_the_last_row_left_them() -> None:
    """What passed since is charged to nobody; they stand still until the board agrees, by the new start's time."""
    table = Clocked(FISCHER)
    table.wait(1_000)
    table.move("e4", "e5")
    table.wait(2_000)
    table.move("e7", "e6")
    table.wait(7_000)
    table.order(SetClock(id="c1", reason="interference", seat=BLUE, left_ms=44_000))
    left = [table.left(seat) for seat in (RED, BLUE)]
    table.wait(30_000)
    facts = [fact for step in table.steps for fact in step.facts]
    again = rebuild(told_settings(facts, rule_set), facts).table
    again.apply(Reopen(), 17)
    again.apply(Tick(), 99_999_999)
    faces = again.view().clocks
    assert [faces[seat].left_ms for seat in (RED, BLUE)] == left
    assert not any(face.runs for face in faces.values())
    again.apply(Agreed(0), 100_000_000)
    again.apply(Tick(), 100_001_000)
    assert again.view().clocks[RED].left_ms == left[0] - 1_000


def test_a_pause_of_the_players_keeps_what_was_left() -> None:
    """Asked for and ended by word on the handsets."""
    table = Clocked()
    table.wait(2_000)
    table.take(table.table.apply(Pause(), table.now_ms))
    for seat in (RED, BLUE):
        table.refused(seat, AskResume(id=table.new_id()))
    table.take(table.table.apply(Resume(), table.now_ms))
    table.see(Agreed(0))
    assert table.left(RED) == 58_000
