"""Verdicts that are voided, orders of an arbiter, and what players may correct when all agree."""

from __future__ import annotations

import pytest

from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed
from referee.table.arbiter_commands import (
    AdjournGame,
    ArbiterVerb,
    PauseGame,
    Penalise,
    ResumeGame,
    Rule,
    SetClock,
    TakeBack,
)
from referee.table.inputs import Reopen
from referee.table.messages import AskPause, DenyAttack, OfferTakeBack, OfferVoid, Resign, SeatState, Verdict
from referee.table.replay import rebuild, told_settings
from referee.table.views import GameEnd, Phase, Reveal
from tests.table.corrected import ended, fought, opened, rebuilt, squares, voided, walked
from tests.table.sitting import BLUE, RED, Sitting

# ---- void


@pytest.mark.parametrize("reveal", list(Reveal))
def test_a_voided_verdict_is_asked_about_anew(reveal: Reveal) -> None:
    """Later plies go too; pieces come back, then both seats are asked, and another rank may be said than before."""
    sitting = fought(reveal=reveal)
    sitting.move("e8", "e7")
    sitting.order(voided(3))
    assert squares(sitting) == {"e5": RED, "e6": BLUE, "e7": None, "e8": BLUE}
    view = sitting.table.view()
    assert (view.ply, view.captured, view.attack) == (2, {RED: {}, BLUE: {}}, None)
    (event,) = [fact.event for fact in sitting.steps[-1].facts]
    assert event is not None
    assert (event.kind, event.ply, event.source, event.target, event.text) == (
        "verdict.voided",
        3,
        "e5",
        "e6",
        "arbiter",
    )
    sitting.see(Agreed(0))
    assert sitting.kinds()[-2:] == ["restored", "attack"]
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.MINER)
    sitting.see(Agreed(0))
    assert sitting.table.view().captured[BLUE] == {Rank.MINER: 1}
    rebuilt(sitting)


def test_a_verdict_is_voided_before_anybody_has_touched_the_board() -> None:
    """The board agrees at once, and both are asked again."""
    sitting = opened()
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.phase() is Phase.WAITING_FOR_BOARD
    sitting.order(voided(3))
    sitting.see(Agreed(0))
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS
    for seat in (RED, BLUE):
        sitting.say(seat, DenyAttack(id=sitting.new_id(), question=sitting.question(seat).question))
    assert sitting.kinds()[-1] == "attack.withdrawn"
    rebuilt(sitting)


def test_a_flag_that_was_never_taken_does_not_end_the_game() -> None:
    """The wrong rank was tapped, and the game was over: it goes on."""
    sitting = walked()
    sitting.order(voided(3))
    assert (sitting.phase(), sitting.table.result) == (Phase.RESTORING, None)
    sitting.see(Agreed(0))
    sitting.declare(RED, Rank.SCOUT)
    sitting.declare(BLUE, Rank.MINER)
    assert sitting.table.result is None
    rebuilt(sitting)


@pytest.mark.parametrize("ply", [0, 1, 2, 4, -3])
def test_only_a_verdict_can_be_voided(ply: int) -> None:
    """A move is taken back instead."""
    assert fought().not_ordered(voided(ply)) == "no-such-verdict"


def test_what_was_declared_for_a_voided_verdict_reaches_nobody() -> None:
    """Result-only: neither survivor's rank was told, and none is told by the correction."""
    sitting = fought(reveal=Reveal.RESULT_ONLY)
    sitting.order(voided(3))
    state = sitting.letters(BLUE)[-1]
    assert isinstance(state, SeatState)
    assert state.seen == {}
    (verdict,) = [letter for letter in sitting.letters(BLUE) if isinstance(letter, Verdict)]
    assert verdict.other is None
    assert "marshal" not in str(sitting.table.view())


# ---- by everybody's word


@pytest.mark.parametrize(
    ("offer", "kinds"),
    [
        (OfferTakeBack(id="x", ply=1), ["take-back.offered", "plies.taken-back"]),
        (OfferVoid(id="x", ply=3), ["void.offered", "verdict.voided"]),
    ],
)
@pytest.mark.parametrize("paused", [False, True])
def test_players_go_back_when_all_agree(offer: OfferTakeBack | OfferVoid, kinds: list[str], paused: bool) -> None:
    """The question names the ply; a yes of everybody else is enough, in a pause as well."""
    sitting = fought()
    if paused:
        sitting.say(BLUE, AskPause(id="p"))
    sitting.say(BLUE, offer)
    assert sitting.question(RED).ply == offer.ply
    sitting.answer(RED, "accept")
    assert sitting.kinds()[-2:] == kinds
    assert sitting.phase() is (Phase.PAUSED if paused else Phase.RESTORING)
    (event,) = [fact.event for fact in sitting.steps[-1].facts if fact.event is not None]
    assert event.text == "agreed"
    rebuilt(sitting)


def test_one_no_is_enough_and_playing_on_is_a_no() -> None:
    """Nothing goes back without everybody."""
    sitting = fought()
    sitting.say(RED, OfferTakeBack(id="x", ply=0))
    sitting.answer(BLUE, "refuse")
    assert (sitting.kinds()[-1], sitting.table.view().ply) == ("take-back.refused", 3)
    sitting.say(RED, OfferVoid(id="y", ply=3))
    sitting.read("e8", "e7")
    assert "void.refused" in sitting.kinds()
    assert sitting.table.view().ply == 4
    rebuilt(sitting)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (OfferTakeBack(id="x", ply=3), "no-such-ply"),
        (OfferVoid(id="x", ply=2), "no-such-verdict"),
    ],
)
def test_what_cannot_be_is_not_offered(message: OfferTakeBack | OfferVoid, why: str) -> None:
    """Its sender alone hears why."""
    assert fought().refused(RED, message) == why


def test_after_the_end_players_leave_it_to_the_arbiter() -> None:
    """And before the beginning there is nothing."""
    assert walked().refused(RED, OfferVoid(id="x", ply=3)) == "not-now"
    assert Sitting(begin=False).refused(RED, OfferTakeBack(id="x", ply=0)) == "not-now"


# ---- ends, penalties, rulings


@pytest.mark.parametrize(
    ("result", "end"),
    [
        ("red", GameEnd(RED, "ruled")),
        ("draw", GameEnd(None, "ruled")),
        ("both-lose", GameEnd(None, "both-lose")),
        ("abort", GameEnd(None, "aborted")),
    ],
)
@pytest.mark.parametrize("over", [False, True])
def test_an_arbiter_ends_a_game_or_gives_another_result(result: str, end: GameEnd, over: bool) -> None:
    """What is over can be overruled; the event says the result that counts."""
    sitting = fought()
    if over:
        sitting.say(RED, Resign(id="r"))
    sitting.order(ended(result))
    assert (sitting.table.result, sitting.phase()) == (end, Phase.FINISHED)
    event = sitting.steps[-1].facts[-1].event
    assert event is not None
    assert (event.kind, event.seat, event.text) == ("end", end.winner, end.reason)
    rebuilt(sitting)


@pytest.mark.parametrize(
    ("verb", "why"),
    [
        (ended("green"), "no-such-result"),
        (Penalise(id="o", reason="late", seat=Seat.GREEN), "no-such-seat"),
        (Rule(id="o", reason="so", seat=Seat.YELLOW), "no-such-seat"),
        (ResumeGame(id="o", reason="so"), "not-now"),
        (PauseGame(id="o", reason=" "), "no-reason"),
        (PauseGame(id="o", reason="two\nlines"), "bad-words"),
        (PauseGame(id="o", reason="x" * 201), "bad-words"),
        (PauseGame(id="", reason="x"), "bad-words"),
        (SetClock(id="o", reason="x", seat=RED, left_ms=1), "no-such-clock"),
    ],
)
def test_what_cannot_be_ordered_changes_nothing(verb: ArbiterVerb, why: str) -> None:
    """It says why in a stable word, and a repeat hears the same."""
    sitting = opened()
    assert [sitting.not_ordered(verb) for _ in range(2)] == [why, why]


def test_the_journal_alone_says_who_ordered_and_why() -> None:
    """What everybody hears of an order is what came of it."""
    sitting = opened()
    sitting.order(TakeBack(id="one", reason="a", ply=1, by="Anna"))
    facts = [fact for step in sitting.steps for fact in step.facts]
    (cause,) = [fact.cause for fact in facts if fact.kind == "plies.taken-back"]
    assert cause is not None
    assert (cause["verb"]["reason"], cause["verb"]["by"]) == ("a", "Anna")
    assert not any("Anna" in str(fact.event) for fact in facts)


def test_penalties_and_rulings_are_events_without_their_words() -> None:
    """The words stand in the journal."""
    sitting = opened()
    sitting.order(Penalise(id="1", reason="phone rang", seat=RED))
    sitting.order(Rule(id="2", reason="the piece was touched"))
    heard = [(fact.kind, fact.seat, fact.event and fact.event.text) for s in sitting.steps[-2:] for fact in s.facts]
    assert heard == [("penalty", RED, None), ("ruling", None, None)]
    rebuilt(sitting)


@pytest.mark.parametrize("paused", [False, True])
def test_an_adjourned_game_waits_for_the_arbiter(paused: bool) -> None:
    """Whether it was played, or whoever had asked for a pause before; and over a restart."""
    sitting = opened()
    if paused:
        sitting.say(RED, AskPause(id="p"))
    sitting.order(AdjournGame(id="a", reason="the hall closes"))
    assert (sitting.phase(), sitting.table.view().waiting_for) == (Phase.PAUSED, ())
    facts = [fact for step in sitting.steps for fact in step.facts]
    again = rebuild(told_settings(facts, rule_set), facts).table
    again.apply(Reopen(), 0)
    assert again.view().phase is Phase.PAUSED
    again.apply(ResumeGame(id="r", reason="the next day"), 0)
    assert again.view().phase is Phase.RESTORING


def test_a_game_that_is_over_is_not_adjourned() -> None:
    """There is nothing to go on with."""
    assert walked().not_ordered(AdjournGame(id="a", reason="the hall closes")) == "not-now"
