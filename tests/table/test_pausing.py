"""Pauses for silence and pauses that were asked for: what ends them, what counts meanwhile, in every phase."""

from __future__ import annotations

import pytest

from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Lifted, Puzzled, Seen
from referee.table.inputs import Pause, Reopen, Resume, Tick
from referee.table.messages import Answer, ClaimImmobile, Declare, OfferDraw, Ready, Resign, TellAttack
from referee.table.step import Collect, Expect, Follow
from referee.table.views import Ask, Mode, Phase
from tests.table.sitting import BLUE, RED, Sitting


def fight(sitting: Sitting) -> Sitting:
    """Bring about an attack that both are asked about: red's marshal against blue's spy."""
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    return sitting


def silent() -> Sitting:
    """Return a table that is paused because nobody answered."""
    sitting = fight(Sitting())
    sitting.now_ms = sitting.steps[-1].deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.table.view().phase is Phase.PAUSED
    return sitting


def pause(sitting: Sitting) -> None:
    """Pause by word."""
    sitting.take(sitting.table.apply(Pause(), sitting.now_ms))


def resume(sitting: Sitting) -> None:
    """Resume by word."""
    sitting.take(sitting.table.apply(Resume(), sitting.now_ms))


def test_a_table_that_was_started_again_says_that_it_was_interrupted() -> None:
    """Amid a fight the same is asked again, and everybody is told what the pause was for."""
    sitting = fight(Sitting())
    step = sitting.take(sitting.table.apply(Reopen(), sitting.now_ms))
    told = [(fact.event.kind, fact.event.text) for fact in step.facts if fact.event is not None]
    assert told == [("paused", "interrupted"), ("resumed", None)]
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS


def test_an_answer_out_of_place_does_not_end_the_silence() -> None:
    """Only the one that was missing does."""
    sitting = silent()
    number = sitting.question(RED).question
    assert sitting.refused(RED, Declare(id="1", question=number + 1, rank=Rank.MARSHAL)) == "no-such-question"
    assert sitting.refused(RED, Declare(id="2", question=number, rank=Rank.BOMB)) == "impossible-rank"
    assert sitting.refused(RED, Answer(id="3", question=number, choice="accept")) == "no-such-question"
    assert sitting.refused(BLUE, Ready(id="4")) == "not-now"
    assert sitting.table.view().phase is Phase.PAUSED
    sitting.declare(RED, Rank.MARSHAL)
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS


def test_a_changed_answer_does_not_end_the_silence_of_the_other() -> None:
    """Red had answered; that red changes it brings blue no nearer."""
    sitting = fight(Sitting())
    sitting.declare(RED, Rank.MARSHAL)
    sitting.now_ms = sitting.steps[-1].deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.table.view().waiting_for == (BLUE,)
    sitting.declare(RED, Rank.GENERAL)
    assert sitting.table.view().phase is Phase.PAUSED
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-2:] == ["resumed", "verdict"]
    assert sitting.table.view().attack.result == "attacker-wins"  # type: ignore[union-attr]  # there is one


def test_one_may_resign_while_the_other_is_silent() -> None:
    """Nobody has to wait for a player who does not answer."""
    sitting = silent()
    sitting.say(RED, Resign(id="r"))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (BLUE, "resign")
    assert sitting.table.view().attack is None, "it was never settled"


def test_the_arbiter_may_give_a_silent_player_more_time() -> None:
    """`resume` opens the question for as long as at first."""
    sitting = silent()
    resume(sitting)
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS
    assert sitting.steps[-1].deadline_ms == sitting.now_ms + 180_000


def test_a_pause_in_a_question_keeps_its_time() -> None:
    """No answer is taken meanwhile, and what was left of the time is left afterwards."""
    sitting = fight(Sitting())
    number = sitting.question(RED).question
    sitting.now_ms += 30_000
    pause(sitting)
    assert sitting.steps[-1].deadline_ms is None
    assert sitting.table.view().waiting_for == ()
    assert sitting.refused(RED, Declare(id="1", question=number, rank=Rank.MARSHAL)) == "no-such-question"
    sitting.now_ms += 1_000_000
    assert not sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    resume(sitting)
    assert sitting.steps[-1].deadline_ms == sitting.now_ms + 150_000
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-3:] == ["paused", "resumed", "verdict"]


@pytest.mark.parametrize("in_hand", [False, True])
def test_after_a_pause_in_play_the_board_is_compared_first(in_hand: bool) -> None:
    """The last move stays open until then; what hands do meanwhile is no move; then sensing follows again."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    if in_hand:
        sitting.see(Lifted(sitting.square("a7"), 0))
    prospect = sitting.prospect("a7", "a6")
    pause(sitting)
    assert sitting.kinds()[-2:] == ["move.read", "paused"]
    assert sitting.table.view().in_hand == ()
    for message in (OfferDraw(id="1"), ClaimImmobile(id="2"), TellAttack(id="3")):
        assert sitting.refused(BLUE, message) is not None
    assert not sitting.revise(prospect)
    assert not sitting.read("a7", "a6")
    assert not sitting.see(Agreed(0))
    resume(sitting)
    assert (sitting.table.view().phase, sitting.table.view().ask) == (Phase.RESTORING, Ask.RESTORE)
    assert isinstance(sitting.steps[-1].orders[-1], Expect)
    step = sitting.see(Agreed(0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
    assert sitting.table.view().ask is None
    assert sitting.kinds()[-3:] == ["resumed", "move.final", "restored"]
    assert isinstance(step.orders[-1], Follow)


def test_a_pause_while_the_board_is_cleared_or_put_right_goes_on_there() -> None:
    """The agreement that came meanwhile was not heard, so it is asked for again."""
    sitting = fight(Sitting())
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    pause(sitting)
    assert not sitting.see(Agreed(0))
    resume(sitting)
    assert (sitting.table.view().phase, sitting.table.view().ask) == (Phase.WAITING_FOR_BOARD, Ask.REMOVE_CAPTURED)
    assert isinstance(sitting.steps[-1].orders[-1], Expect)
    sitting.see(Agreed(0))
    sitting.see(Puzzled((Difference(sitting.square("a7"), BLUE, 0),), 0))  # type: ignore[arg-type]  # Reading.EMPTY
    fixes = sitting.table.view().fixes
    pause(sitting)
    resume(sitting)
    assert (sitting.table.view().phase, sitting.table.view().ask) == (Phase.RESTORING, Ask.NOT_UNDERSTOOD)
    assert sitting.table.view().fixes == fixes


def test_a_pause_while_setting_up_looks_at_the_board_anew() -> None:
    """Nobody can be ready meanwhile; afterwards sensing says first what stands there."""
    sitting = Sitting(begin=False)
    pause(sitting)
    assert sitting.refused(RED, Ready(id="1")) == "not-now"
    pieces = {sitting.square(name): seat for seat in sitting.ranks for name in sitting.ranks[seat]}
    assert not sitting.see(Seen(pieces, 0))
    resume(sitting)
    assert sitting.table.view().phase is Phase.SETTING_UP
    assert isinstance(sitting.steps[-1].orders[-1], Collect)
    sitting.begin()
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_pausing_what_cannot_be_paused_and_resuming_what_was_not_is_nothing() -> None:
    """Before the opening, in a pause, after the end."""
    sitting = Sitting()
    assert not sitting.table.apply(Resume(), 0)
    pause(sitting)
    assert not sitting.table.apply(Pause(), 0)
    sitting.say(RED, Resign(id="r"))
    assert sitting.table.view().phase is Phase.FINISHED
    assert not sitting.table.apply(Pause(), 0)
    assert not sitting.table.apply(Resume(), 0)
    assert sitting.kinds()[-2:] == ["paused", "end"]


def test_a_pause_after_the_winning_move_finds_the_game_over() -> None:
    """As soon as the board agrees with the move; in the pause nobody knows whether the hand has let go."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(
        {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b10": Rank.BOMB}}, RED
    )
    sitting.read("b2", "b3")
    pause(sitting)
    assert sitting.table.view().phase is Phase.PAUSED
    resume(sitting)
    sitting.see(Agreed(0))
    assert sitting.table.view().phase is Phase.FINISHED
    assert sitting.kinds()[-2:] == ["move.final", "end"]


@pytest.mark.parametrize("seat", [RED, BLUE, Seat.GREEN])
def test_who_gives_up_in_a_pause_of_three_leaves_the_pause_as_it_is(seat: Seat) -> None:
    """The board is cleared once play goes on."""
    sitting = Sitting(rules="stratego4-three")
    pause(sitting)
    sitting.say(seat, Resign(id="r"))
    assert sitting.table.view().phase is Phase.PAUSED
    assert sitting.table.view().out == (seat,)
    resume(sitting)
    view = sitting.table.view()
    assert (view.phase, view.ask, len(view.fixes)) == (Phase.WAITING_FOR_BOARD, Ask.REMOVE_CAPTURED, 20)
    sitting.see(Agreed(0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
