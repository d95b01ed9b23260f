"""What a handset knows after what came in, and what it may say then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.net.errors import NotAskedError
from referee.net.handset import Handset
from referee.net.topics.payloads import LinkDown, LinkUp, Status, ToSeat
from referee.rules.values import Rank, Seat
from referee.table import messages
from referee.table.commitments import root
from referee.table.messages import (
    Accepted,
    Answer,
    Declare,
    Question,
    QuestionKind,
    Rejected,
    SeatState,
    ToHandset,
    Told,
    Verdict,
)
from tests.net.hall import info, view

STATUS = Status(True, 1, "00" * 8)
WHICH = Question(
    id="r2",
    question=7,
    kind=QuestionKind.DECLARE,
    ply=3,
    source="a4",
    target="a5",
    square="a5",
    choices=("spy", "miner"),
)
DRAW = Question(
    id="r3",
    question=8,
    kind=QuestionKind.DRAW,
    ply=3,
    source=None,
    target=None,
    square=None,
    choices=("accept", "refuse"),
)


@pytest.fixture
def handset() -> Handset:
    """Return red's handset, connected to a game that has begun."""
    made = Handset(Seat.RED, "red-x")
    for value in (LinkUp(), STATUS, info(), view(5)):
        made.take(value)
    return made


def told(handset: Handset, message: ToHandset) -> None:
    """Let a letter come in."""
    handset.take(ToSeat(message, 3))


def test_it_keeps_what_is_public(handset: Handset) -> None:
    """Connection, info and view are those that came last."""
    assert handset.connected
    assert handset.info == info()
    assert handset.view == view(5)
    handset.take(Status(False, 1, "00" * 8))
    handset.take(LinkDown("lost"))
    assert (handset.connected, handset.refused) == (False, None)
    handset.take(LinkDown("refused: not authorized", refused=True))
    assert handset.refused == "refused: not authorized"


def test_an_older_view_does_not_set_it_back(handset: Handset) -> None:
    """A view that was on its way when the connection broke is not taken after a newer one."""
    handset.take(view(4))
    assert handset.view == view(5)
    handset.take(view(6))
    assert handset.view == view(6)


def test_a_question_about_a_rank_is_answered_until_the_verdict(handset: Handset) -> None:
    """The answer may be changed; the verdict closes the question."""
    told(handset, WHICH)
    first, second = handset.declare(Rank.SPY), handset.declare(Rank.MINER)
    assert first == Declare(id="red-x-1", question=7, rank=Rank.SPY)
    assert second == Declare(id="red-x-2", question=7, rank=Rank.MINER)
    told(handset, Verdict(id="r4", question=7, ply=3, result="both-lost", own=Rank.MINER, other=Rank.MINER))
    assert handset.question is None
    assert handset.verdict is not None
    with pytest.raises(NotAskedError):
        handset.declare(Rank.SPY)


def test_only_what_is_asked_can_be_answered(handset: Handset) -> None:
    """No question, a question of another kind, or a choice that is not offered: one documented error, without the rank."""
    with pytest.raises(NotAskedError):
        handset.declare(Rank.SPY)
    told(handset, WHICH)
    with pytest.raises(NotAskedError) as caught:
        handset.declare(Rank.MARSHAL)
    assert "marshal" not in str(caught.value)
    with pytest.raises(NotAskedError):
        handset.answer("spy")
    told(handset, DRAW)
    with pytest.raises(NotAskedError):
        handset.answer("maybe")
    assert handset.answer("refuse") == Answer(id="red-x-1", question=8, choice="refuse")


def test_the_seat_state_brings_the_question_back(handset: Handset) -> None:
    """After a reload the state says what is asked; a state without a question closes it."""
    state = SeatState(id="r1", seat=Seat.RED, ply=3, ready=True, own={"a5": Rank.SPY}, seen={}, question=WHICH)
    told(handset, state)
    assert handset.question == WHICH
    told(handset, replace_question(state))
    assert handset.question is None
    assert handset.state is not None


def replace_question(state: SeatState) -> SeatState:
    """Return the same state without a question."""
    return SeatState(id="r2", seat=state.seat, ply=state.ply, ready=True, own=state.own, seen=state.seen, question=None)


def test_it_knows_what_still_waits_for_an_answer(handset: Handset) -> None:
    """A message waits until it was accepted or rejected; the last rejection and the last private reason are kept."""
    ready = handset.say(messages.Ready)
    assert handset.waiting
    told(handset, Rejected(id="r1", re=ready.id, reason="not-now"))
    assert not handset.waiting
    assert handset.rejected is not None
    resign = handset.say(messages.Resign)
    told(handset, Accepted(id="r2", re=resign.id))
    assert (handset.waiting, handset.rejected) == (False, None)
    told(handset, Told(id="r3", ply=3, reason="not-a-scout"))
    assert handset.told is not None


def test_everything_that_can_be_said_has_an_id_of_its_own(handset: Handset) -> None:
    """Ids rise; no two messages share one."""
    said = [
        handset.say(messages.Ready),
        handset.enrol({"a1": Rank.FLAG}),
        handset.say(messages.TellAttack, source="a4", target="a5"),
        handset.say(messages.TellInfiltrate, source="a4", target="a5", guess=Rank.SPY),
        handset.say(messages.TellFire, source="a4", target="a6"),
        handset.say(messages.TellLeave, square="a4", flags=(Seat.BLUE,)),
        handset.say(messages.OfferDraw),
        handset.say(messages.ClaimImmobile),
        handset.say(messages.Resign),
        handset.say(messages.Consent, set_up={"a1": Rank.FLAG}),
    ]
    assert [message.id for message in said] == [f"red-x-{number}" for number in range(1, 11)]


def test_a_new_game_is_a_new_start(handset: Handset) -> None:
    """With another game's info everything of the game before is forgotten; the same game's info changes nothing."""
    told(handset, WHICH)
    handset.take(info())
    assert handset.question == WHICH
    handset.take(info("game-2"))
    assert handset.info == info("game-2")
    assert handset.question is None
    assert handset.view is None
    handset.take(replace(view(1), game="game-2"))
    assert handset.view is not None


def test_no_rank_in_its_text(handset: Handset) -> None:
    """Whatever it holds, its repr and those of its parts show no rank."""
    told(handset, SeatState(id="r1", seat=Seat.RED, ply=3, ready=True, own={"a5": Rank.SPY}, seen={}, question=WHICH))
    shown = repr(handset) + repr(handset.state) + repr(handset.question) + repr(handset.declare(Rank.MINER))
    assert "spy" not in shown
    assert "miner" not in shown
    assert "a5" not in shown


def test_it_computes_its_own_root(handset: Handset) -> None:
    """From the set-up that was handed in here and the seed that came sealed; before that, and without a root, it says nothing."""
    set_up = {"a1": Rank.FLAG, "b1": Rank.SPY}
    handset.enrol(set_up)
    assert handset.is_bound is None
    told(handset, SeatState(id="r1", seat=Seat.RED, ply=0, ready=True, own=set_up, seen={}, seed="ab" * 32))
    assert handset.is_bound is None
    right = root("ab" * 32, info().game, Seat.RED, set_up)
    for published, bound in ((right, True), ("0" * 64, False)):
        handset.take(replace(info(), roots={Seat.RED: published}))
        assert handset.is_bound is bound
    assert "flag" not in repr(handset)
