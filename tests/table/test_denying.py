"""That was no attack: who may say so, when, and what it takes."""

from __future__ import annotations

import pytest

from referee.rules.values import Rank, Seat
from referee.sensing import Agreed
from referee.table.inputs import Pause, Resume, Tick
from referee.table.messages import Closed, DenyAttack, TellInfiltrate
from referee.table.step import Expect, Follow, Step
from referee.table.views import Ask, Mode, Phase
from tests.table.sitting import BLUE, RED, Sitting
from tests.table.test_more_seats import GREEN, three


def asked() -> Sitting:
    """An attack of red's marshal on blue's spy, before anybody has answered."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    return sitting


def deny(sitting: Sitting, seat: Seat) -> Step:
    """Send that there was no attack."""
    return sitting.say(seat, DenyAttack(id=sitting.new_id(), question=sitting.question(RED).question))


@pytest.mark.parametrize("first", [RED, BLUE])
def test_both_say_so_and_the_board_is_put_back(first: Seat) -> None:
    """As if there had been none: the same turn, ply and pieces; both handsets hear that nothing is asked any more."""
    sitting = asked()
    occupants = sitting.table.view().occupants
    deny(sitting, first)
    view = sitting.table.view()
    assert (view.phase, view.attack and view.attack.denied) == (Phase.WAITING_FOR_DECLARATIONS, (first,))
    assert view.waiting_for == (RED, BLUE)
    step = deny(sitting, BLUE if first is RED else RED)
    assert sitting.kinds()[-3:] == ["attack.denied", "attack.denied", "attack.withdrawn"]
    assert [type(letter.body.open_hidden()) for letter in step.letters if letter.seat is first] == [Closed]
    view = sitting.table.view()
    assert (view.phase, view.ask, view.attack, view.ply, view.turn) == (Phase.RESTORING, Ask.RESTORE, None, 2, RED)
    assert view.occupants == occupants
    assert isinstance(step.orders[-1], Expect)
    assert sitting.table._state.deadline_ms is None
    assert isinstance(sitting.see(Agreed(0)).orders[-1], Follow)
    sitting.attack("e5", "e6")
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS


@pytest.mark.parametrize("denier", [RED, BLUE])
def test_one_alone_withdraws_nothing_and_hears_nothing(denier: Seat) -> None:
    """Who thinks better of an attack cannot take it back: the rival declares, and the attack waits until he does, too."""
    sitting = asked()
    other = BLUE if denier is RED else RED
    truth = {RED: Rank.MARSHAL, BLUE: Rank.SPY}
    sitting.declare(denier, truth[denier])
    deny(sitting, denier)
    sitting.declare(other, truth[other])
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS, "the answer that was given before the denial is void"
    assert sitting.table.view().waiting_for == (denier,)
    assert sitting.kinds()[-1] == "attack.denied"
    sitting.declare(denier, truth[denier])
    assert sitting.kinds()[-1] == "verdict"
    assert sitting.table.view().attack.denied == ()  # type: ignore[union-attr]  # there is one


def test_a_declaration_takes_the_denial_back() -> None:
    """Then the other one's denial alone is not enough again."""
    sitting = asked()
    deny(sitting, RED)
    sitting.declare(RED, Rank.MARSHAL)
    assert sitting.table.view().attack.denied == ()  # type: ignore[union-attr]  # there is one
    deny(sitting, BLUE)
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS


def test_said_twice_it_counts_once() -> None:
    """A repeat is accepted and says nothing new."""
    sitting = asked()
    deny(sitting, RED)
    step = deny(sitting, RED)
    assert ([fact.kind for fact in step.facts], step.view_changed) == (["accepted"], False)


def test_after_the_verdict_there_is_nothing_to_deny() -> None:
    """What was heard is heard."""
    sitting = asked()
    number = sitting.question(RED).question
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.refused(RED, DenyAttack(id="d", question=number)) == "no-such-question"


def test_silence_is_broken_by_it_and_counts_anew() -> None:
    """In a pause for silence a denial has its place as an answer has; in one that was asked for it has none."""
    sitting = asked()
    number = sitting.question(RED).question
    sitting.take(sitting.table.apply(Pause(), sitting.now_ms))
    assert sitting.refused(RED, DenyAttack(id="d", question=number)) == "no-such-question"
    sitting.take(sitting.table.apply(Resume(), sitting.now_ms))
    sitting.now_ms = sitting.table._state.deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.phase() is Phase.PAUSED
    deny(sitting, RED)
    deny(sitting, BLUE)
    assert sitting.kinds()[-5:] == ["paused", "resumed", "attack.denied", "attack.denied", "attack.withdrawn"]


def test_what_was_declared_before_a_withdrawal_is_forgotten() -> None:
    """It was about an attack that never was: another rank can be said at the next one, and nobody ever hears the first."""
    sitting = asked()
    sitting.declare(RED, Rank.GENERAL)
    deny(sitting, RED)
    deny(sitting, BLUE)
    sitting.see(Agreed(0))
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-1] == "verdict"


def test_words_that_were_said_aloud_cannot_be_denied() -> None:
    """Nobody misread an infiltration: the attacker told it himself."""
    sitting = Sitting(Mode.ENROL, rules="infiltrator")
    red, blue = {"a1": Rank.FLAG, "e7": Rank.INFILTRATOR}, {"a10": Rank.FLAG, "e8": Rank.SPY, "j10": Rank.MINER}
    sitting.place({RED: red, BLUE: blue}, RED)
    sitting.say(RED, TellInfiltrate(id="i", source="e7", target="e8", guess=Rank.SPY))
    assert sitting.kinds()[-1] == "infiltrate"
    number = sitting.question(BLUE).question
    assert sitting.refused(BLUE, DenyAttack(id="d", question=number)) == "no-such-question"


def test_a_seat_that_does_not_fight_has_no_say() -> None:
    """Of three only two are asked."""
    sitting = three()
    sitting.attack("rd4", "rd5")
    number = sitting.question(RED).question
    assert sitting.refused(GREEN, DenyAttack(id="d", question=number)) == "no-such-question"
    deny(sitting, RED)
    deny(sitting, BLUE)
    assert sitting.kinds()[-1] == "attack.withdrawn"
