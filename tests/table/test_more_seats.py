"""Stratego 4 at the table: who resigns while others fight, who is asked, passing, flags and recruits, and how it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.journal.journal_to_record import record_of
from referee.journal.records.check import judge
from referee.journal.records.model import Record
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.rules.variants.castle import Flag
from referee.sensing import Agreed, Difference, Final, Lifted, Puzzled
from referee.table.inputs import Tick
from referee.table.messages import Answer, ClaimImmobile, OfferDraw, Question, QuestionKind, Resign, TellLeave
from referee.table.step import Expect, Follow
from referee.table.views import Ask, Mode, Phase
from tests.table.sitting import BLUE, RED, Sitting

GREEN = Seat.GREEN


def three(turn: Seat = RED) -> Sitting:
    """Return a table of three armies of two pieces; red's major stands beside blue's captain."""
    sitting = Sitting(rules="stratego4-three")
    red = {"rd1": Rank.MARSHAL, "rd4": Rank.MAJOR}
    blue = {"bd1": Rank.MARSHAL, "rd5": Rank.CAPTAIN}
    sitting.place({RED: red, BLUE: blue, GREEN: {"gd1": Rank.MARSHAL, "gd3": Rank.MAJOR}}, turn)
    return sitting


def fixes(sitting: Sitting) -> dict[str, Seat | None]:
    """Return the squares to be set right, and the army that belongs on each."""
    return {fix.square: fix.wanted for fix in sitting.table.view().fixes}


def test_an_attack_between_two_goes_on_when_the_third_gives_up() -> None:
    """Its pieces are cleared away together with what the verdict takes."""
    sitting = three()
    sitting.attack("rd4", "rd5")
    sitting.declare(RED, Rank.MAJOR)
    sitting.say(GREEN, Resign(id="r"))
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS
    assert sitting.table.view().out == (GREEN,)
    sitting.declare(BLUE, Rank.CAPTAIN)
    assert sitting.kinds()[-3:] == ["attack", "resigned", "verdict"]
    assert fixes(sitting) == {"gd1": None, "gd3": None, "rd4": None, "rd5": RED}
    order = sitting.steps[-1].orders[-1]
    assert isinstance(order, Expect)
    assert len(order.occupants) == 3


def test_also_while_it_is_paused_for_silence() -> None:
    """Whom everybody waits for is not the one who gave up."""
    sitting = three()
    sitting.now_ms = sitting.attack("rd4", "rd5").deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    sitting.say(GREEN, Resign(id="r"))
    assert sitting.table.view().phase is Phase.PAUSED
    assert sitting.table.view().waiting_for == (RED, BLUE)
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    assert sitting.table.view().phase is Phase.WAITING_FOR_BOARD


def test_who_gives_up_in_an_own_attack_takes_it_along() -> None:
    """It was never settled: the other piece stays where it was, and the turn passes on."""
    for seat, turn in ((RED, BLUE), (BLUE, RED)):
        sitting = three()
        sitting.now_ms = sitting.attack("rd4", "rd5").deadline_ms or 0
        sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
        sitting.say(seat, Resign(id="r"))
        view = sitting.table.view()
        assert (view.phase, view.attack, view.turn) == (Phase.WAITING_FOR_BOARD, None, turn)
        assert sitting.kinds()[-2:] == ["resumed", "resigned"]
        sitting.see(Agreed(0))
        assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def test_the_squares_of_a_second_who_gives_up_are_added() -> None:
    """Four armies: two leave before anybody has cleared the board."""
    sitting = Sitting(rules="stratego4")
    sitting.say(RED, Resign(id="r"))
    sitting.say(GREEN, Resign(id="r"))
    assert len(fixes(sitting)) == 40
    assert sitting.refused(RED, Resign(id="s")) == "not-now"


def test_one_who_gave_up_is_not_asked_and_cannot_offer() -> None:
    """A draw is agreed by those who still play."""
    sitting = Sitting(rules="stratego4-three")
    sitting.say(RED, Resign(id="r"))
    sitting.see(Agreed(0))
    sitting.say(BLUE, OfferDraw(id="d"))
    assert not [message for message in sitting.letters(RED) if isinstance(message, Question)]
    assert sitting.refused(RED, OfferDraw(id="e")) == "not-now"
    sitting.answer(GREEN, "accept")
    assert sitting.table.result is not None
    assert sitting.table.result.reason == "agreed"


def test_a_claim_is_refused_while_everybody_sees_a_move() -> None:
    """In Stratego 4 no rank is needed for that; the revisable move under the claim stays revisable."""
    sitting = three()
    sitting.read("rd4", "rc4")
    sitting.say(BLUE, ClaimImmobile(id="c"))
    sitting.answer(RED, "accept")
    step = sitting.answer(GREEN, "accept")
    assert [fact.kind for fact in step.facts] == ["claim.refused"]
    assert sitting.table.view().turn is BLUE
    assert not sitting.table.view().last_move.final  # type: ignore[union-attr]  # there is one
    assert sitting.table.view().ask is None


def boxed_in() -> Sitting:
    """Return a table where red's one piece cannot move: its neighbours are its partner's, and no scout's line is open."""
    sitting = Sitting(rules="stratego4-teams")
    partners = dict.fromkeys(("f1", "h1", "g2"), Rank.MAJOR)
    others = {BLUE: {"a7": Rank.MAJOR}, Seat.YELLOW: {"m7": Rank.MAJOR}}
    sitting.place({RED: {"g1": Rank.MAJOR}, GREEN: partners, **others}, RED)
    return sitting


def test_everybody_is_told_who_plays_together() -> None:
    """The teams stand in what is public of a game, as the rules have them; where nobody plays together each is his own partner."""
    info = Sitting(rules="stratego4-teams").table.info()
    assert info.teams == ((RED, GREEN), (BLUE, Seat.YELLOW))
    assert [info.partners(seat) for seat in info.seats] == [
        rule_set("stratego4-teams").partners(seat) for seat in info.seats
    ]
    alone = Sitting(rules="stratego4").table.info()
    assert alone.teams == ()
    assert [alone.partners(seat) for seat in alone.seats] == [(seat,) for seat in alone.seats]


def test_who_cannot_move_passes() -> None:
    """The others accept, the turn passes, sensing follows."""
    sitting = boxed_in()
    sitting.say(RED, ClaimImmobile(id="c"))
    for seat in (BLUE, GREEN, Seat.YELLOW):
        sitting.answer(seat, "accept")
    assert sitting.kinds()[-1] == "pass"
    assert sitting.table.view().turn is BLUE
    assert isinstance(sitting.steps[-1].orders[-1], Follow)


def test_a_pass_may_be_granted_while_the_board_is_put_right() -> None:
    """The turn has passed when the board agrees again."""
    sitting = boxed_in()
    sitting.say(RED, ClaimImmobile(id="c"))
    sitting.see(Puzzled((Difference(sitting.square("m7"), Seat.YELLOW, 0),), 0))  # type: ignore[arg-type]  # Reading.EMPTY
    for seat in (BLUE, GREEN, Seat.YELLOW):
        sitting.answer(seat, "accept")
    view = sitting.table.view()
    assert (view.phase, view.turn, view.ask) == (Phase.RESTORING, BLUE, Ask.NOT_UNDERSTOOD)
    assert sitting.steps[-1].orders == ()
    sitting.see(Agreed(0))
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE


def flag_at_stake() -> Sitting:
    """Return a table where red beats blue's last piece, which carries blue's flag; green has one piece."""
    sitting = Sitting(rules="stratego4-three")
    red = {"rd1": Rank.MARSHAL, "bd2": Rank.MAJOR}
    sitting.place({RED: red, BLUE: {"bd1": Rank.CAPTAIN}, GREEN: {"gd1": Rank.SCOUT}}, RED)
    return sitting


def test_a_decision_is_asked_once_the_board_is_clear_and_answers_go_to_the_right_question() -> None:
    """The winner may take the fallen flag; junk, other seats and other numbers are refused."""
    sitting = flag_at_stake()
    sitting.attack("bd2", "bd1")
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    sitting.see(Agreed(0))
    question = sitting.question(RED)
    assert question.choices == ("none", "blue")
    number = question.question
    assert sitting.table.view().waiting_for == (RED,)
    assert sitting.refused(GREEN, Answer(id="1", question=number, choice="blue")) == "no-such-question"
    assert sitting.refused(RED, Answer(id="2", question=number - 1, choice="blue")) == "no-such-question"
    assert sitting.refused(RED, Answer(id="3", question=number, choice="green")) == "no-such-choice"
    assert sitting.refused(RED, OfferDraw(id="4")) == "not-now"
    assert sitting.refused(RED, TellLeave(id="5", square="bd1", flags=())) == "not-now"
    sitting.answer(RED, "blue")
    assert [(f.seat, f.square, f.carried) for f in sitting.table.view().flags][1] == (BLUE, "bd1", True)


def test_a_decision_that_comes_after_silence_lets_the_table_go_on() -> None:
    """The answer that was missing ends the pause, and counts."""
    sitting = flag_at_stake()
    sitting.attack("bd2", "bd1")
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    sitting.see(Agreed(0))
    sitting.now_ms += 180_000
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.phase() is Phase.PAUSED
    sitting.answer(RED, "none")
    assert sitting.kinds()[-3:] == ["paused", "resumed", "flags.taken"]
    assert sitting.phase() is Phase.WAITING_FOR_BOARD


@pytest.mark.parametrize(
    ("recruit", "event", "lost", "slider"),
    [("none", "recruit.declined", {Rank.SPY: 1}, 6), ("spy", "recruited", {}, 0)],
)
def test_the_winner_may_leave_his_slider_and_recruit(
    recruit: str, event: str, lost: dict[Rank, int], slider: int
) -> None:
    """At V he is asked, at VI again; either may be declined. Who follows the events knows the slider; a recruit leaves the tray."""
    sitting = Sitting(rules="stratego4-three")
    red = {"rd1": Rank.MARSHAL, "bd2": Rank.MAJOR, "ra1": Rank.SPY}
    blue = {"bd1": Rank.CAPTAIN, "ra2": Rank.MAJOR, "ba1": Rank.SCOUT}
    sitting.place({RED: red, BLUE: blue, GREEN: {"gd1": Rank.SCOUT}}, RED)
    assert sitting.table.public_game is not None
    books = sitting.table._state.game
    sitting.attack("ra1", "ra2")  # red's spy falls: there is somebody to recruit
    sitting.declare(RED, Rank.SPY)
    sitting.declare(BLUE, Rank.MAJOR)
    sitting.see(Agreed(0))
    for source, target in (("ba1", "bb1"), ("gd1", "gd2")):
        sitting.read(source, target)
        sitting.see(Final(0))
    for castle in (books.public.castle, books.known.castle):
        assert castle is not None
        castle.sliders[RED] = 5
    sitting.attack("bd2", "bd1")
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    sitting.see(Agreed(0))
    assert (sitting.question(RED).kind.value, sitting.question(RED).choices) == ("slider", ("up", "stay"))
    sitting.answer(RED, "up")
    sitting.see(Agreed(0))
    assert sitting.table.view().sliders[RED] == 6
    sitting.answer(RED, "none")  # blue's flag lies where the captain stood
    sitting.see(Agreed(0))
    assert (sitting.question(RED).kind.value, sitting.question(RED).choices) == ("recruit", ("spy", "none"))
    assert sitting.table.view().captured[RED] == {Rank.SPY: 1}
    sitting.answer(RED, recruit)
    sitting.see(Agreed(0))
    assert sitting.table.view().captured[RED] == lost
    assert sitting.kinds()[-6::2] == ["slider.decided", "flags.taken", event]
    assert (sitting.table.view().sliders[RED], sitting.table.view().turn) == (slider, BLUE)


def test_the_game_ends_with_the_decision_that_leaves_one_team() -> None:
    """Blue's last piece fell with its flag, green is out: once red has said whether it takes the flag, red has won."""
    sitting = Sitting(rules="stratego4-three")
    sitting.place({RED: {"rd1": Rank.MARSHAL, "bd2": Rank.MAJOR}, BLUE: {"bd1": Rank.CAPTAIN}, GREEN: {}}, RED)
    sitting.attack("bd2", "bd1")
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    sitting.see(Agreed(0))
    assert sitting.table.result is None
    sitting.answer(RED, "none")
    assert sitting.table.result is not None
    assert sitting.table.result.winner is RED
    assert sitting.kinds()[-2:] == ["flags.taken", "end"]


def test_no_claim_is_made_over_a_flag_that_has_to_be_decided_first() -> None:
    """The mover's turn is not over before."""
    sitting = Sitting(rules="stratego4-three")
    red = {"rd1": Rank.MARSHAL, "bd2": Rank.MAJOR}
    sitting.place({RED: red, BLUE: {"ba1": Rank.CAPTAIN}, GREEN: {"gd1": Rank.SCOUT}}, RED)
    sitting.read("bd2", "bd1")
    assert sitting.table.view().turn is RED
    assert sitting.refused(RED, ClaimImmobile(id="c")) == "not-now"
    sitting.see(Final(0))
    assert sitting.question(RED).choices == ("none", "blue")


@pytest.mark.parametrize(("rank", "way"), [(Rank.CAPTAIN, ("ring",)), (Rank.SCOUT, ("rf5",))])
def test_who_attacked_by_which_way_is_known_once_the_rank_is_told(rank: Rank, way: tuple[str, ...]) -> None:
    """From ge5 a captain comes to re5 over the ring, a scout round the corner; the sensors see the same."""
    sitting = Sitting(rules="stratego4-three")
    green = {"gd1": Rank.MARSHAL, "ge5": rank}
    sitting.place({RED: {"rd1": Rank.MARSHAL, "re5": Rank.SPY}, BLUE: {"bd1": Rank.MAJOR}, GREEN: green}, GREEN)
    asked = sitting.attack("ge5", "re5").facts[-1].event
    assert asked is not None
    assert asked.via == ()
    assert sitting.question(GREEN).choices == ("captain", "scout")
    sitting.declare(RED, Rank.SPY)
    told = sitting.declare(GREEN, rank).facts[-1].event
    assert told is not None
    assert (told.kind, told.via) == ("verdict", way)


def test_flags_left_behind_in_an_attack_are_told_with_it() -> None:
    """Who follows the events knows where they lie."""
    sitting = Sitting(rules="stratego4-three")
    sitting.place({RED: {"rd1": Rank.MAJOR}, BLUE: {"rc1": Rank.SPY, "bd1": Rank.SPY}, GREEN: {"gd1": Rank.SPY}}, RED)
    sitting.say(RED, TellLeave(id="l", square="rd1", flags=(RED,)))
    told = sitting.attack("rd1", "rc1").facts[-1].event
    assert told is not None
    assert (told.kind, told.text) == ("attack", "red")
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.SPY)
    assert [(f.square, f.carried) for f in sitting.table.view().flags][0:1] == [("rd1", False)]
    assert sitting.table._state.leaving == {}


def test_only_the_piece_that_was_named_leaves_its_flags() -> None:
    """Another piece moves: the flag is carried still."""
    sitting = Sitting(rules="stratego4-three")
    sitting.place({RED: {"rd1": Rank.MAJOR, "rd4": Rank.SPY}, BLUE: {"bd1": Rank.SPY}, GREEN: {"gd1": Rank.SPY}}, RED)
    sitting.say(RED, TellLeave(id="l", square="rd1", flags=(RED,)))
    told = sitting.read("rd4", "rd5").facts[-1].event
    assert told is not None
    assert (told.kind, told.text) == ("move.read", None)
    assert [(f.square, f.carried) for f in sitting.table.view().flags][0:1] == [("rd1", True)]


def test_who_gives_up_before_the_first_ply_is_in_the_record() -> None:
    """It belongs to no ply."""
    sitting = Sitting(Mode.ENROL, rules="stratego4-three")
    sitting.say(RED, Resign(id="r"))
    sitting.see(Agreed(0))
    sitting.say(BLUE, Resign(id="r"))
    record = told_by(sitting)
    assert [decision.seat for decision in record.before] == [RED, BLUE]
    assert judge(record).legal
    assert judge(record).result == record.result


@pytest.mark.parametrize("hand", [False, True])
def test_a_pass_and_a_resignation_put_down_what_was_in_hand(hand: bool) -> None:
    """Sensing follows anew and says again what is in the air."""
    sitting = boxed_in()
    sitting.say(RED, ClaimImmobile(id="c"))
    if hand:
        sitting.see(Lifted(sitting.square("g1"), 0))
    for seat in (BLUE, GREEN, Seat.YELLOW):
        sitting.answer(seat, "accept")
    assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
    assert sitting.table.view().in_hand == ()
    sitting.see(Lifted(sitting.square("a7"), 0))
    assert sitting.table.view().phase is Phase.PIECE_IN_HAND
    sitting.say(BLUE, Resign(id="r"))
    assert sitting.table.view().in_hand == ()
    assert sitting.table.view().phase is Phase.WAITING_FOR_BOARD


def told_by(sitting: Sitting) -> Record:
    """Return the record of what was told so far."""
    told = record_of((fact for step in sitting.steps for fact in step.facts), sitting.rules)
    return replace(told, reveal=sitting.table.info().reveal)


@pytest.mark.parametrize(
    ("lying", "choices"),
    [
        ((RED, BLUE), ("none", "red", "blue", "red,blue")),
        (tuple(Seat), ("none", "red", "blue", "green", "yellow", "red,blue,green,yellow")),
    ],
)
def test_of_four_flags_on_one_space_none_one_or_all_are_taken(
    lying: tuple[Seat, ...], choices: tuple[str, ...]
) -> None:
    """A question with every subset of four would be too long a letter."""
    game = Sitting(Mode.ENROL, rules="stratego4")
    homes = {seat: game.rules.board.homes[seat].zone[0].name for seat in game.rules.seats}
    pieces = {seat: {home: Rank.SPY} for seat, home in homes.items()}
    game.place({**pieces, RED: {homes[RED]: Rank.SPY, "g5": Rank.MAJOR}}, RED)
    dual = game.table._state.dual
    assert dual is not None
    for known in (dual.public, dual.known):
        assert known.castle is not None
        known.castle.flags.update({seat: Flag(game.square("g4")) for seat in lying})
    game.move("g5", "g4")
    assert game.question(RED).kind is QuestionKind.TAKE_FLAG
    assert game.question(RED).choices == choices
