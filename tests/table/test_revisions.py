"""A move that can still be revised, and what happens on top of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.journal.journal_to_record import record_of
from referee.journal.records.check import judge
from referee.journal.records.model import Record
from referee.rules import EndReason, GameResult, rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Final, Lifted, Puzzled, Returned
from referee.table.inputs import Abort
from referee.table.messages import (
    Answer,
    ClaimImmobile,
    Consent,
    Declare,
    OfferDraw,
    Resign,
    TellAttack,
    TellLeave,
    Told,
    Verdict,
)
from referee.table.step import Expect, Follow
from referee.table.views import Ask, GameEnd, Mode, Phase
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting


def test_a_refused_revision_leaves_no_trace_of_the_first_reading() -> None:
    """A miner that slides on over a legal square: the first reading is unsaid, the last move is the one before."""
    sitting = Sitting(Mode.ENROL)
    sitting.move("e4", "e5")
    sitting.move("a7", "a6")
    further = sitting.prospect("f4", "f6")
    sitting.read("f4", "f5")
    step = sitting.revise(further)
    view = sitting.table.view()
    assert (view.phase, view.ply, view.turn) == (Phase.RESTORING, 2, RED)
    assert (view.last_move.source, view.last_move.target) == ("a7", "a6")  # type: ignore[union-attr]  # there is one
    assert view.occupants.get("f4") is RED
    assert "f5" not in view.occupants
    event = step.facts[-1].event
    assert event is not None
    assert (event.kind, event.ply) == ("move.refused", 3), "the ply that was read is the one that was refused"
    told = step.letters[-1].body.open_hidden()
    assert isinstance(told, Told)
    assert (told.reason, told.ply) == ("too-far", 3)
    assert isinstance(step.orders[-1], Expect)
    assert step.orders[-1].occupants[sitting.square("f4")] is RED


def test_a_move_that_wins_ends_the_game_although_the_board_was_disturbed_before_it_was_final() -> None:
    """Once the board has been put right: otherwise nobody could move any more and the game would stand there for ever."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(
        {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b10": Rank.BOMB}}, RED
    )
    sitting.read("b2", "b3")
    assert sitting.table.phase is Phase.WAITING_FOR_MOVE
    sitting.see(Puzzled((Difference(sitting.square("a1"), RED, 0),), 0))  # type: ignore[arg-type]  # Reading.EMPTY
    assert sitting.table.result is None
    sitting.see(Agreed(0))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (RED, "immobile")
    assert sitting.kinds()[-2:] == ["move.final", "end"]


@pytest.mark.parametrize("seat", [RED, BLUE])
def test_what_the_last_move_ended_no_resignation_changes(seat: Seat) -> None:
    """The winner's hand was quicker than anybody's word."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(
        {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b10": Rank.BOMB}}, RED
    )
    sitting.read("b2", "b3")
    sitting.say(seat, Resign(id="r"))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (RED, "immobile")


def test_nor_does_an_abort() -> None:
    """It was over before."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(
        {RED: {"a1": Rank.FLAG, "b2": Rank.MINER}, BLUE: {"a10": Rank.SPY, "a9": Rank.BOMB, "b10": Rank.BOMB}}, RED
    )
    sitting.read("b2", "b3")
    sitting.take(sitting.table.apply(Abort(EndReason.ABORTED), sitting.now_ms))
    assert sitting.table.result is not None
    assert sitting.table.result.reason == "immobile"


def test_the_view_agrees_with_the_event_when_another_end_makes_a_move_final() -> None:
    """`move.final` is said, so the last move is final in the view."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.say(BLUE, Resign(id="r"))
    assert sitting.kinds()[-2:] == ["move.final", "end"]
    assert sitting.table.view().last_move.final  # type: ignore[union-attr]  # there is one


def test_a_claim_is_gone_when_the_move_it_looked_at_is_revised() -> None:
    """It was made in a position that never was; the question is closed for who has not answered."""
    sitting = Sitting()
    further = sitting.prospect("e3", "c3")
    sitting.read("e3", "d3")
    sitting.say(BLUE, ClaimImmobile(id="c"))
    number = sitting.question(RED).question
    sitting.revise(further)
    assert sitting.kinds()[-2:] == ["claim.refused", "move.revised"]
    assert sitting.table.view().ask is None
    assert sitting.refused(RED, Answer(id="a", question=number, choice="accept")) == "no-such-question"


def test_a_draw_lapses_when_who_was_asked_plays_on() -> None:
    """Who offers may move and the offer stands; who was asked answers it by moving."""
    sitting = Sitting()
    sitting.say(RED, OfferDraw(id="d"))
    number = sitting.question(BLUE).question
    sitting.move("e4", "e5")
    assert sitting.table.view().ask is Ask.CONFIRM_DRAW
    assert sitting.table.view().waiting_for == (BLUE,)
    sitting.read("a7", "a6")
    assert sitting.kinds()[-2:] == ["draw.refused", "move.read"]
    assert (sitting.table.view().ask, sitting.table.view().waiting_for) == (None, (RED,))
    assert sitting.refused(BLUE, Answer(id="a", question=number, choice="accept")) == "no-such-question"


def test_a_claim_lapses_when_its_player_moves_after_all() -> None:
    """He can."""
    sitting = Sitting()
    sitting.say(RED, ClaimImmobile(id="c"))
    sitting.move("e4", "e5")
    assert "claim.refused" in sitting.kinds()
    assert sitting.table.view().ask is None


def test_an_open_offer_survives_a_restoring_and_does_not_hide_what_to_put_right() -> None:
    """Refused meanwhile, the squares are still asked for; unanswered, it is asked again afterwards."""
    for answered in (True, False):
        sitting = Sitting()
        sitting.say(RED, OfferDraw(id="d"))
        sitting.see(Puzzled((Difference(sitting.square("e4"), RED, 0),), 0))  # type: ignore[arg-type]  # Reading.EMPTY
        assert sitting.table.view().ask is Ask.NOT_UNDERSTOOD
        if answered:
            sitting.answer(BLUE, "refuse")
            assert sitting.table.view().ask is Ask.NOT_UNDERSTOOD
        sitting.see(Agreed(0))
        assert sitting.table.view().ask is (None if answered else Ask.CONFIRM_DRAW)


def test_an_attack_that_was_seen_and_then_told_is_one_attack() -> None:
    """The hands were quicker than the word: accepted, nothing is asked twice."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    step = sitting.say(RED, TellAttack(id="t", source="e5", target="e6"))
    assert [type(letter.body.open_hidden()).__name__ for letter in step.letters] == ["Accepted"]
    assert [(fact.kind, fact.event) for fact in step.facts] == [("accepted", None)]
    assert sitting.refused(RED, TellAttack(id="u", source="e5", target="e7")) == "not-now"
    assert sitting.refused(BLUE, TellAttack(id="v")) == "not-your-turn"


def test_a_told_attack_that_the_own_rank_cannot_make_is_refused_to_its_owner_alone() -> None:
    """The referee knows the enrolled miner; nobody else hears that it is no scout."""
    sitting = Sitting(Mode.ENROL)
    red, blue = {"a1": Rank.FLAG, "b4": Rank.MINER}, {"a10": Rank.FLAG, "b5": Rank.SPY, "f4": Rank.SCOUT}
    sitting.place({RED: red, BLUE: blue}, RED)
    sitting.see(Lifted(sitting.square("b4"), 0))
    assert sitting.refused(RED, TellAttack(id="t", target="f4")) == "too-far"
    sitting.say(RED, TellAttack(id="u"))
    assert sitting.events()[-1] == ("attack", "b4", "b5")


def test_flags_left_behind_belong_to_one_seat_and_one_turn() -> None:
    """Who moves next may say so too while the last move can be revised; neither wish touches the other."""
    sitting = Sitting(rules="stratego4-three")
    homes = {RED: "rd1", BLUE: "bd1", Seat.GREEN: "gd1"}
    sitting.place({seat: {homes[seat]: Rank.MAJOR} for seat in homes}, RED)
    sitting.say(RED, TellLeave(id="l", square="rd1", flags=(RED,)))
    sitting.read("rd1", "rc1")
    assert sitting.table.view().flags[0].square == "rd1"
    assert sitting.refused(RED, TellLeave(id="m", square="rc1", flags=())) == "not-now"
    sitting.say(BLUE, TellLeave(id="l", square="bd1", flags=(BLUE,)))
    (before,) = sitting.table._state.open_plies
    other = next(p for p in before.dual.public.situation().prospects if p.target.name == "re1")
    sitting.revise(other)
    assert [(flag.square, flag.carried) for flag in sitting.table.view().flags[:1]] == [("rd1", False)]
    sitting.see(Final(0))
    sitting.move("bd1", "bc1")
    assert [(flag.square, flag.carried) for flag in sitting.table.view().flags[1:2]] == [("bd1", False)]
    assert sitting.table._state.leaving == {}


def test_a_lift_after_a_revision_counts_anew() -> None:
    """Sensing says it again; the phase follows."""
    sitting = Sitting()
    further = sitting.prospect("e3", "c3")
    sitting.read("e3", "d3")
    sitting.see(Lifted(sitting.square("a7"), 0))
    assert sitting.table.view().phase is Phase.PIECE_IN_HAND
    step = sitting.revise(further)
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
    assert not any(isinstance(order, Follow) for order in step.orders)
    sitting.see(Lifted(sitting.square("a7"), 0))
    sitting.see(Returned(sitting.square("a7"), 0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


@pytest.mark.parametrize(("option", "ends"), [("illegal", False), ("forfeit", True)])
def test_moving_a_bomb_is_refused_or_loses_as_the_option_says(option: str, ends: bool) -> None:
    """Where the referee knows that it is one (rules, section 2)."""
    rules = rule_set("duel").with_options({"immobile_moved": option})
    sitting = Sitting(Mode.ENROL, rule_set_=rules)
    sitting.place({RED: {"b4": Rank.BOMB, "e4": Rank.SPY}, BLUE: {"a10": Rank.FLAG, "b10": Rank.SPY}}, RED)
    sitting.read("b4", "b5")
    assert (sitting.table.view().phase is Phase.FINISHED) is ends
    if sitting.table.result is not None:
        assert (sitting.table.result.winner, sitting.table.result.reason) == (BLUE, "forfeit")


@pytest.mark.parametrize("seat", [RED, BLUE])
@pytest.mark.parametrize("moves", ["", "a4-a5 a7-a6"])
@pytest.mark.parametrize("rank", [Rank.BOMB, Rank.FLAG])
def test_a_bomb_that_moved_loses_once_it_is_declared(seat: Seat, moves: str, rank: Rank) -> None:
    """Nobody knew it when it moved. It can be declared only with the option, and loses when both have answered; no rank is told."""
    for option in ("illegal", "forfeit"):
        sitting = Sitting(rule_set_=rule_set("duel").with_options({"immobile_moved": option}))
        blue = {"a7" if moves else "a5": Rank.SPY, "j10": Rank.SPY}
        sitting.place({RED: {"a4": Rank.SPY, "j1": Rank.SPY}, BLUE: blue}, RED)
        for words in moves.split():
            sitting.move(*words.split("-"))
        sitting.attack(*(("a5", "a6") if moves else ("a4", "a5")))
        forfeits = option == "forfeit" and (seat is RED or bool(moves))
        allowed = forfeits or (seat is BLUE and not moves)
        assert (rank.value in sitting.question(seat).choices) is allowed
        if not allowed:
            declaration = Declare(id="no", question=sitting.question(seat).question, rank=rank)
            assert sitting.refused(seat, declaration) == "impossible-rank"
            continue
        other = BLUE if seat is RED else RED
        sitting.declare(seat, rank)
        assert sitting.table.result is None
        sitting.declare(other, Rank.SPY)
        assert (sitting.table.result == GameEnd(other, "forfeit")) is forfeits
        assert ("verdict" in sitting.kinds()) is not forfeits
        if forfeits:
            assert not any(isinstance(message, Verdict) for who in (RED, BLUE) for message in sitting.letters(who))


def recorded(sitting: Sitting) -> Record:
    """Return the record of what was told so far."""
    return record_of([fact for step in sitting.steps for fact in step.facts], sitting.rules)


@pytest.mark.parametrize("seat", [RED, BLUE])
@pytest.mark.parametrize("rank", [Rank.BOMB, Rank.FLAG])
def test_who_forfeits_may_share_what_was_declared(seat: Seat, rank: Rank) -> None:
    """The set-up with the bomb that moved, not one with another bomb; the record is legal with it, and its ending follows."""
    moved, other = ("e4", "f4") if seat is RED else ("e7", "f7")
    ranks = {RED: dict(DUEL_RED), BLUE: dict(DUEL_BLUE)}
    mine = ranks[seat]
    home = next(name for name, found in mine.items() if found is rank)
    mine[home], mine[moved] = mine[moved], rank
    sitting = Sitting(rule_set_=rule_set("duel").with_options({"immobile_moved": "forfeit"}), ranks=ranks)
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, ranks[RED]["e4"])
    sitting.declare(BLUE, ranks[BLUE]["e7"])
    lie = mine | {moved: mine[other], other: rank}
    assert sitting.refused(seat, Consent(id="lie", set_up=lie)) == "contradicts-the-game"
    for each in (RED, BLUE):
        assert sitting.refused(each, Consent(id=f"c{each.value}", set_up=ranks[each])) is None
    judgement = judge(recorded(sitting))
    assert (judgement.legal, judgement.follows) == (True, True)
    other_seat = BLUE if seat is RED else RED
    assert judgement.result == GameResult(other_seat, EndReason.FORFEIT)
    forged = replace(recorded(sitting), result=GameResult(seat, EndReason.FORFEIT))
    assert not judge(forged).legal


def test_who_forfeits_may_share_another_bomb_that_moved() -> None:
    """Nobody asked for that one: it moved like the one that was declared."""
    blue = dict(DUEL_BLUE)
    for home, name in (("i10", "e7"), ("j9", "i7")):
        blue[home], blue[name] = blue[name], blue[home]
    rules = rule_set("duel").with_options({"immobile_moved": "forfeit"})
    sitting = Sitting(rule_set_=rules, ranks={RED: DUEL_RED, BLUE: blue})
    for move in ("e4-e5", "i7-i6", "i4-i5", "e7-e6"):
        sitting.move(*move.split("-"))
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.BOMB)
    assert sitting.refused(BLUE, Consent(id="c", set_up=blue)) is None
    assert judge(recorded(sitting)).legal
