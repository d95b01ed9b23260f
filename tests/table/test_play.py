"""Event tables: what is put in, what must be said, and nothing else said."""

from __future__ import annotations

import pytest

from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Disturbed, Final, Lifted, Puzzled, Returned, Seen
from referee.table.inputs import Open, Tick
from referee.table.messages import (
    Accepted,
    Answer,
    ClaimImmobile,
    Consent,
    Declare,
    Enrol,
    OfferDraw,
    Ready,
    Rejected,
    Resign,
    TellAttack,
    TellFire,
    Told,
    Verdict,
)
from referee.table.state import TransitionError
from referee.table.step import Advance, Collect, Expect, Follow
from referee.table.views import Ask, Mode, Phase, Reveal
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting


def test_the_game_begins_when_both_are_ready_and_the_board_is_set_up() -> None:
    """Neither the words nor the pieces alone are enough."""
    sitting = Sitting(begin=False)
    assert isinstance(sitting.steps[0].orders[0], Collect)
    opened = sitting.steps[0].facts[0].event
    assert opened is not None
    assert (opened.kind, opened.text, sitting.table.view().board_id) == ("opened", "duel", "t1")
    sitting.say(RED, Ready(id="1"))
    sitting.say(BLUE, Ready(id="1"))
    assert sitting.phase() is Phase.SETTING_UP
    pieces = {sitting.square(name): seat for seat in sitting.ranks for name in sitting.ranks[seat]}
    short = dict(list(pieces.items())[:-1])
    sitting.see(Seen(short, 0))
    assert sitting.phase() is Phase.SETTING_UP
    step = sitting.see(Seen(pieces, 0))
    assert sitting.phase() is Phase.WAITING_FOR_MOVE
    assert isinstance(step.orders[0], Follow)
    assert sitting.kinds() == ["opened", "ready", "ready", "begin"]


def test_a_piece_outside_its_zone_is_named() -> None:
    """Ten pieces a side are not a set-up while one stands in the middle."""
    sitting = Sitting(begin=False)
    pieces = {sitting.square(name): seat for seat in sitting.ranks for name in sitting.ranks[seat]}
    pieces[sitting.square("e5")] = pieces.pop(sitting.square("e4"))
    sitting.see(Seen(pieces, 0))
    assert [fix.square for fix in sitting.table.view().fixes] == ["e5"]
    assert sitting.table.view().fixes[0].wanted is None


def test_enrolment_is_checked_whole_and_needed() -> None:
    """In enrol mode `ready` alone is refused, a set-up with faults is refused with all of them, a good one is taken."""
    sitting = Sitting(Mode.ENROL, begin=False)
    sitting.say(RED, Ready(id="1"))
    sitting.say(RED, Enrol(id="2", set_up={"a1": Rank.FLAG, "a9": Rank.SPY, "z1": Rank.SPY}))
    sitting.say(RED, Enrol(id="3", set_up=dict(DUEL_RED)))
    sitting.say(RED, Ready(id="4"))
    answers = [(type(m).__name__, m.re) for m in sitting.letters(RED) if isinstance(m, (Accepted, Rejected))]
    assert answers == [("Rejected", "1"), ("Rejected", "2"), ("Accepted", "3"), ("Accepted", "4")]
    refused = [m for m in sitting.letters(RED) if isinstance(m, Rejected)][1]
    assert "z1" in refused.detail
    assert any("too-few" in fault for fault in refused.detail)


def test_a_move_is_read_then_final() -> None:
    """Read gives the turn away at once; final says so once more."""
    sitting = Sitting()
    step = sitting.read("e4", "e5")
    assert isinstance(step.orders[0], Advance)
    view = sitting.table.view()
    assert (view.turn, view.ply, view.phase) == (BLUE, 1, Phase.WAITING_FOR_MOVE)
    assert view.last_move is not None
    assert not view.last_move.final
    sitting.see(Final(0))
    assert sitting.table.view().last_move.final  # type: ignore[union-attr]  # there is one
    assert sitting.events()[-2:] == [("move.read", "e4", "e5"), ("move.final", "e4", "e5")]


def test_a_lift_and_return_is_no_move() -> None:
    """The phase follows the hand; nothing is written down."""
    sitting = Sitting()
    before = sitting.kinds()
    sitting.see(Lifted(sitting.square("e4"), 0))
    assert sitting.table.view().in_hand == ("e4",)
    assert sitting.phase() is Phase.PIECE_IN_HAND
    sitting.see(Returned(sitting.square("e4"), 0))
    assert sitting.phase() is Phase.WAITING_FOR_MOVE
    assert sitting.kinds() == before


def test_a_revised_move_replaces_the_earlier_one() -> None:
    """The motion went on: the ply is the same, the squares are the better ones, and the turn is still the other's."""
    sitting = Sitting()
    further = sitting.prospect("e3", "c3")
    sitting.read("e3", "d3")
    assert sitting.table.view().occupants.get("d3") is RED
    sitting.revise(further)
    view = sitting.table.view()
    assert (view.ply, view.turn) == (1, BLUE)
    assert view.occupants.get("c3") is RED
    assert "d3" not in view.occupants
    assert sitting.kinds()[-1] == "move.revised"


def test_a_final_move_is_not_revised() -> None:
    """After final a further reading of the same motion changes nothing."""
    sitting = Sitting()
    longer = sitting.prospect("e3", "c3")
    sitting.move("e3", "d3")
    step = sitting.revise(longer)
    assert not step
    assert "d3" in sitting.table.view().occupants


def test_an_attack_asks_both_and_settles_when_both_have_answered() -> None:
    """Both get a question, both get an equal verdict; the book reveals the survivor to the opponent, never to the public."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    step = sitting.attack("e5", "e6")
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS
    assert {letter.seat for letter in step.letters} == {RED, BLUE}
    sitting.declare(RED, Rank.MARSHAL)
    assert sitting.table.view().waiting_for == (BLUE,)
    step = sitting.declare(BLUE, Rank.SPY)
    assert isinstance(step.orders[-1], Expect)
    verdicts = {seat: [m for m in sitting.letters(seat) if isinstance(m, Verdict)][-1] for seat in (RED, BLUE)}
    assert (verdicts[RED].own, verdicts[RED].other) == (Rank.MARSHAL, Rank.SPY)
    assert (verdicts[BLUE].own, verdicts[BLUE].other) == (Rank.SPY, Rank.MARSHAL)
    event = step.facts[-1].event
    assert event is not None
    assert (event.result, dict(event.captured)) == ("attacker-wins", {BLUE: Rank.SPY})
    sitting.see(Agreed(0))
    view = sitting.table.view()
    assert (view.phase, view.turn, view.ask) == (Phase.WAITING_FOR_MOVE, BLUE, None)
    assert dict(view.captured[BLUE]) == {Rank.SPY: 1}


@pytest.mark.parametrize(
    ("reveal", "red_hears", "blue_hears"),
    [
        (Reveal.BOOK, Rank.SPY, Rank.MARSHAL),
        (Reveal.ATTACKER_ONLY, Rank.SPY, Rank.MARSHAL),
        (Reveal.RESULT_ONLY, Rank.SPY, None),
    ],
)
def test_reveal_decides_what_the_loser_hears(reveal: Reveal, red_hears: Rank, blue_hears: Rank | None) -> None:
    """A captured rank is public; the surviving attacker's is told as `reveal` says."""
    sitting = Sitting(reveal=reveal)
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    heard = {s: [m for m in sitting.letters(s) if isinstance(m, Verdict)][-1].other for s in (RED, BLUE)}
    assert heard == {RED: red_hears, BLUE: blue_hears}


def test_a_surviving_defender_stays_unknown_unless_the_book_reveals() -> None:
    """`attacker-only` keeps a defender that won to itself."""
    for reveal, told in ((Reveal.BOOK, Rank.GENERAL), (Reveal.ATTACKER_ONLY, None), (Reveal.RESULT_ONLY, None)):
        sitting = Sitting(reveal=reveal)
        sitting.move("f4", "f5")
        sitting.move("f7", "f6")
        sitting.attack("f5", "f6")
        sitting.declare(RED, Rank.MINER)
        sitting.declare(BLUE, Rank.GENERAL)
        assert [m for m in sitting.letters(RED) if isinstance(m, Verdict)][-1].other is told


def test_a_declaration_can_be_changed_until_both_have_answered() -> None:
    """The last word before the other's counts; after the verdict there is nothing left to answer."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MINER)
    sitting.declare(RED, Rank.MARSHAL)
    sitting.declare(BLUE, Rank.SPY)
    late = sitting.declare(BLUE, Rank.SCOUT)
    assert sitting.table.view().attack.result == "attacker-wins"  # type: ignore[union-attr]  # there is one
    assert isinstance(late.letters[0].body.open_hidden(), Rejected)


def test_an_impossible_rank_is_refused_and_changes_nothing() -> None:
    """A piece that moved is no bomb; one marshal an army."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    step = sitting.declare(RED, Rank.BOMB)
    answer = step.letters[0].body.open_hidden()
    assert isinstance(answer, Rejected)
    assert answer.reason == "impossible-rank"
    assert not step.facts
    assert "bomb" not in sitting.question(RED).choices
    assert sitting.table.view().waiting_for == (RED, BLUE)


def test_an_attack_may_be_told_by_the_mover_alone() -> None:
    """The target may be left out when only one is in reach; without a piece in hand, or by the other seat, it is refused."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    assert sitting.refused(RED, TellAttack(id="0")) == "no-piece-in-hand"
    sitting.see(Lifted(sitting.square("e5"), 0))
    assert isinstance(sitting.say(BLUE, TellAttack(id="1")).letters[0].body.open_hidden(), Rejected)
    far = sitting.say(RED, TellAttack(id="2", target="j10"))
    assert isinstance(far.letters[0].body.open_hidden(), Rejected)
    sitting.say(RED, TellAttack(id="3"))
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS
    assert sitting.events()[-1] == ("attack", "e5", "e6")


def test_a_refused_move_names_squares_to_all_and_its_reason_to_its_owner() -> None:
    """Enrolled ranks: a miner does not run. The public hears which squares to put right, not why."""
    sitting = Sitting(Mode.ENROL)
    step = sitting.read("f3", "h3")
    assert sitting.phase() is Phase.RESTORING
    view = sitting.table.view()
    assert (view.ask, view.barred) == (Ask.ILLEGAL_MOVE, None)
    assert {(fix.square, fix.wanted) for fix in view.fixes} == {("f3", RED), ("h3", None)}
    event = step.facts[-1].event
    assert event is not None
    assert event.text is None
    (letter,) = step.letters
    told = letter.body.open_hidden()
    assert letter.seat is RED
    assert isinstance(told, Told)
    assert told.reason == "too-far"
    sitting.see(Agreed(0))
    assert sitting.phase() is Phase.WAITING_FOR_MOVE
    assert sitting.table.view().turn is RED


def test_the_two_squares_rule_bars_the_fourth_crossing_and_says_so() -> None:
    """Three crossings of a border in a row are allowed, the fourth is refused with its public reason."""
    sitting = Sitting()
    for red, blue in ((("e4", "e5"), ("a7", "a6")), (("e5", "e4"), ("a6", "a5")), (("e4", "e5"), ("b7", "b6"))):
        sitting.move(*red)
        sitting.move(*blue)
    sitting.read("e5", "e4")
    assert sitting.phase() is Phase.RESTORING
    assert sitting.table.view().barred == "two-squares"


@pytest.mark.parametrize(
    ("repetition", "moves", "run", "said"),
    [
        ("pursuit", "e4-e5 a7-a6 e5-e4 a6-a5 e4-e5 b7-b6", ("e5", "e3"), "two-squares"),
        ("situation", "e4-e5 a7-a6 e5-e6 a6-a7", ("e6", "e4"), "situation"),
    ],
)
@pytest.mark.parametrize("rank", [Rank.SCOUT, Rank.MARSHAL])
def test_a_barred_run_does_not_tell_who_can_run(
    rank: Rank, repetition: str, moves: str, run: tuple[str, str], said: str
) -> None:
    """The public hears of the rule whether the piece could run or not; its owner hears what holds for it."""
    mine = {**DUEL_RED, "e4": rank, "d4": Rank.SCOUT if rank is Rank.MARSHAL else Rank.MARSHAL}
    mine["h3"] = mine.pop("e3")
    rules = rule_set("duel").with_options({"repetition": repetition})
    blue = {square: rank for square, rank in DUEL_BLUE.items() if square not in ("e7", "e8")}
    blue |= {"g7": Rank.SPY, "g8": Rank.SCOUT}
    sitting = Sitting(Mode.ENROL, ranks={RED: mine, BLUE: blue}, rule_set_=rules)
    for move in moves.split():
        sitting.move(*move.split("-"))
    assert run[1] in sitting.table.view().bars[run[0]]
    sitting.read(*run)
    assert sitting.phase() is Phase.RESTORING
    assert sitting.table.view().barred == said
    refused = [fact.event.text for fact in sitting.steps[-1].facts if fact.kind == "move.refused" and fact.event]
    assert refused == [said]
    (told,) = [message for message in sitting.letters(RED) if isinstance(message, Told)]
    assert told.reason == (said if rank is Rank.SCOUT else "too-far")


def test_what_is_not_understood_asks_until_the_board_agrees() -> None:
    """The squares are named, and after agreement the game goes on where it was."""
    sitting = Sitting()
    difference = Difference(sitting.square("e4"), RED, 0)  # type: ignore[arg-type]  # Reading.EMPTY
    step = sitting.see(Puzzled((difference,), 0))
    assert isinstance(step.orders[0], Expect)
    assert sitting.table.view().fixes[0].square == "e4"
    again = sitting.see(Disturbed((difference,), 0))
    assert not again.orders
    step = sitting.see(Agreed(0))
    assert isinstance(step.orders[0], Follow)
    assert sitting.kinds()[-3:] == ["ask", "ask", "restored"]


def test_resigning_ends_the_game_and_consent_completes_the_record() -> None:
    """The other wins; afterwards owners may let the record show their set-up, if it fits what was played."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.say(BLUE, Resign(id="1"))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (RED, "resign")
    assert sitting.kinds()[-2:] == ["move.final", "end"]
    lie = {**DUEL_RED, "e4": Rank.FLAG, "a1": Rank.MARSHAL}
    answer = sitting.say(RED, Consent(id="2", set_up=lie)).letters[0].body.open_hidden()
    assert isinstance(answer, Rejected)
    assert answer.detail == ("e4",)
    step = sitting.say(RED, Consent(id="3", set_up=dict(DUEL_RED)))
    assert step.facts[0].event is None


def test_a_draw_needs_both() -> None:
    """Refused, play goes on; accepted, it is over."""
    sitting = Sitting()
    sitting.say(RED, OfferDraw(id="1"))
    sitting.say(BLUE, Answer(id="1", question=sitting.question(BLUE).question, choice="refuse"))
    assert sitting.phase() is Phase.WAITING_FOR_MOVE
    sitting.say(RED, OfferDraw(id="2"))
    assert sitting.say(RED, Answer(id="3", question=sitting.question(BLUE).question, choice="accept")).facts == ()
    sitting.say(BLUE, Answer(id="2", question=sitting.question(BLUE).question, choice="accept"))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (None, "agreed")


@pytest.mark.parametrize(
    ("choice", "both", "winner", "reason"),
    [
        ("accept", "draw", BLUE, "immobile"),
        ("accept-both", "draw", None, "both-immobile"),
        ("accept-both", "last-mover-wins", BLUE, "immobile"),
    ],
)
def test_a_claim_is_the_movers_and_the_opponent_answers(
    choice: str, both: str, winner: Seat | None, reason: str
) -> None:
    """On the own turn only; what the opponent accepts is the result."""
    sitting = Sitting(rule_set_=rule_set("duel").with_options({"nobody_can_move": both}))
    assert isinstance(sitting.say(BLUE, ClaimImmobile(id="1")).letters[0].body.open_hidden(), Rejected)
    sitting.say(RED, ClaimImmobile(id="1"))
    sitting.say(BLUE, Answer(id="2", question=sitting.question(BLUE).question, choice=choice))
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (winner, reason)


def test_silence_pauses_and_the_answer_goes_on() -> None:
    """Beyond the limit the game is paused, once; the missing answer resumes and counts."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    step = sitting.attack("e5", "e6")
    assert step.deadline_ms is not None
    sitting.now_ms = step.deadline_ms - 1
    assert not sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    sitting.now_ms += 1
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.phase() is Phase.PAUSED
    assert not sitting.take(sitting.table.apply(Tick(), sitting.now_ms + 5))
    sitting.declare(RED, Rank.MARSHAL)
    assert sitting.phase() is Phase.WAITING_FOR_DECLARATIONS
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-3:] == ["paused", "resumed", "verdict"]


def test_messages_out_of_place_are_refused_and_change_nothing() -> None:
    """Every message that does not fit is answered with Rejected, without a fact."""
    sitting = Sitting()
    for message in (
        Ready(id="1"),
        Enrol(id="2", set_up=dict(DUEL_RED)),
        Declare(id="3", question=9, rank=Rank.SPY),
        Answer(id="4", question=9, choice="accept"),
        Consent(id="5", set_up=dict(DUEL_RED)),
        TellFire(id="6", source="e4", target="e7"),
    ):
        view = sitting.table.view()
        step = sitting.say(RED, message)
        assert isinstance(step.letters[0].body.open_hidden(), Rejected), message
        assert step.facts == ()
        assert sitting.table.view() == view


def test_opening_twice_raises_and_changes_nothing() -> None:
    """A step outside the table of states is a fault of the caller."""
    sitting = Sitting()
    view = sitting.table.view()
    with pytest.raises(TransitionError):
        sitting.table.apply(Open(), 0)
    assert sitting.table.view() == view


def test_in_declare_mode_nothing_ends_by_what_the_referee_alone_knows() -> None:
    """Red's last piece is a bomb, declared and not shown: play goes on as everybody else sees it, until red claims."""
    sitting = Sitting()
    sitting.place({RED: {"b4": Rank.BOMB, "e5": Rank.SPY}, BLUE: {"b5": Rank.SCOUT, "e6": Rank.SCOUT}}, BLUE)
    for source, target, red, blue in (("b5", "b4", Rank.BOMB, Rank.SCOUT), ("e5", "e6", Rank.SPY, Rank.SCOUT)):
        sitting.attack(source, target)
        sitting.declare(RED, red)
        sitting.declare(BLUE, blue)
        sitting.see(Agreed(0))
    sitting.move("e6", "e7")
    assert sitting.table.result is None
    step = sitting.read("b4", "b5")
    told = step.letters[-1].body.open_hidden()
    assert isinstance(told, Told)
    assert told.reason == "immobile"
    sitting.see(Agreed(0))
    sitting.say(RED, ClaimImmobile(id="c"))
    sitting.answer(BLUE, "accept")
    assert sitting.table.result is not None
    assert (sitting.table.result.winner, sitting.table.result.reason) == (BLUE, "immobile")


def test_consent_must_fit_the_army_as_a_whole() -> None:
    """Each of three scouts is possible alone; an army of Duel has two. Squares that are not one's own are named."""
    sitting = Sitting()
    sitting.say(BLUE, Resign(id="1"))
    lie = {**DUEL_RED, "j4": Rank.SCOUT}
    answer = sitting.say(RED, Consent(id="2", set_up=lie)).letters[0].body.open_hidden()
    assert isinstance(answer, Rejected)
    assert answer.reason == "contradicts-the-game"
    assert answer.detail
    strange = {("a5" if name == "a1" else name): rank for name, rank in DUEL_RED.items()}
    answer = sitting.say(RED, Consent(id="3", set_up=strange)).letters[0].body.open_hidden()
    assert isinstance(answer, Rejected)
    assert (answer.reason, answer.detail) == ("bad-set-up", ("a1", "a5"))
