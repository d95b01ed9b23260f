"""Attacks that are told on the handset: with the piece in the hand, or after a tap when it stands on its square again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.rules import RuleSet, rule_set, rule_set_names
from referee.rules.values import Rank, Seat
from referee.sensing import Final, Lifted, Puzzled, Read, Returned
from referee.table.messages import DenyAttack, OfferDraw, Rejected, TellAttack, TellFire, TellInfiltrate
from referee.table.views import Attack, Mode, Phase
from tests.table.corrected import rebuilt
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting


def tapped(sitting: Sitting, source: str) -> None:
    """Lift a piece, tap with it, and put it back."""
    sitting.see(Lifted(sitting.square(source), 0))
    sitting.see(Returned(sitting.square(source), 0))


def facing() -> Sitting:
    """Red's e5 stands before blue's e6, on red's turn; every move is final."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    return sitting


@pytest.mark.parametrize("target", ["e6", None])
def test_after_a_tap_the_source_is_chosen(target: str | None) -> None:
    """The piece stands on its square again; only one is in reach, so the target may be left out."""
    sitting = facing()
    tapped(sitting, "e5")
    assert sitting.phase() is Phase.WAITING_FOR_MOVE
    sitting.say(RED, TellAttack(id="t", source="e5", target=target))
    assert sitting.events()[-1] == ("attack", "e5", "e6")


@pytest.mark.parametrize(
    ("seat", "source", "target", "reason"),
    [
        (RED, None, "e6", "no-piece-in-hand"),
        (RED, "e6", "e5", "not-your-piece"),
        (RED, "zz", "e6", "not-your-piece"),
        (RED, "f4", "f7", "too-far"),
        (RED, "e5", "e8", "too-far"),
        (RED, "b1", "b7", "immobile"),
        (RED, "e5", "d5", "out-of-reach"),
        (BLUE, "e6", "e5", "not-your-turn"),
    ],
)
def test_what_cannot_be_told(seat: Seat, source: str | None, target: str, reason: str) -> None:
    """The teller alone hears why; in the public view nothing has changed."""
    sitting = Sitting(Mode.ENROL)
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    assert sitting.refused(seat, TellAttack(id="t", source=source, target=target)) == reason


def test_several_targets_are_named() -> None:
    """To choose from."""
    sitting = Sitting(Mode.ENROL)
    red, blue = {"a1": Rank.FLAG, "e5": Rank.SCOUT}, {"a10": Rank.FLAG, "e8": Rank.SPY, "f5": Rank.MINER}
    sitting.place({RED: red, BLUE: blue}, RED)
    answer = sitting.say(RED, TellAttack(id="t", source="e5")).letters[0].body.open_hidden()
    assert isinstance(answer, Rejected)
    assert (answer.reason, set(answer.detail)) == ("which-target", {"e8", "f5"})


def test_while_the_last_move_may_go_on_a_told_attack_waits_for_it() -> None:
    """Nothing is in blue's hand, so red's may still be sliding: the answer comes with the move's final word."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.read("i4", "i5")
    step = sitting.say(BLUE, TellAttack(id="t", source="e6", target="e5"))
    assert not step
    assert sitting.refused(BLUE, TellAttack(id="u", source="e6", target="e5")) == "not-now"
    step = sitting.see(Final(0))
    assert [fact.kind for fact in step.facts] == ["move.final", "attack"]


def test_an_attack_that_waited_is_refused_when_the_move_is_taken_back() -> None:
    """It is not the teller's turn any more."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.read("i4", "i5")
    sitting.say(BLUE, TellAttack(id="t", source="e6", target="e5"))
    step = sitting.see(Puzzled((), 0))
    assert [fact.kind for fact in step.facts] == ["ask"]
    (answer,) = [letter.body.open_hidden() for letter in step.letters]
    assert isinstance(answer, Rejected)
    assert answer.re == "t"


def test_with_a_piece_in_the_hand_it_counts_at_once() -> None:
    """The next player has begun; the last move is final by that."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.read("i4", "i5")
    sitting.see(Lifted(sitting.square("e6"), 0))
    step = sitting.say(BLUE, TellAttack(id="t"))
    assert [fact.kind for fact in step.facts] == ["move.final", "attack"]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("rules", rule_set_names())
def test_in_every_rule_set_every_attack_can_be_told(rules: str, mode: Mode) -> None:
    """With the piece in the hand, and after a tap; the same attack is opened."""
    for tap in (False, True):
        sitting = beside(rule_set(rules), mode)
        game = sitting.table.public_game
        assert game is not None
        prospect = next(p for p in game.situation().prospects if p.attack)
        source, target = prospect.source.name, prospect.target.name
        if tap:
            tapped(sitting, source)
        else:
            sitting.see(Lifted(prospect.source, 0))
        sitting.say(RED, TellAttack(id="t", source=source if tap else None, target=target))
        assert sitting.events()[-1] == ("attack", source, target)


def beside(rules: RuleSet, mode: Mode) -> Sitting:
    """Give a position in which red has a piece beside one of blue's."""
    sitting = Sitting(mode, rules=rules.name)
    squares = rules.board.squares
    one, two = next((ray[0], s) for s in squares for ray in rules.board.lines(s))
    first = {one.name: Rank.MAJOR} if Rank.MAJOR in rules.army else {one.name: Rank.MARSHAL}
    placed = {RED: first, BLUE: {two.name: Rank.SPY}}
    for seat in rules.seats[2:]:
        placed[seat] = {rules.zone(seat)[-1].name: Rank.SPY}
    sitting.place(placed, RED)
    return sitting


def test_an_infiltration_waits_for_the_last_move_as_well() -> None:
    """No hand shows it at all."""
    sitting = Sitting(Mode.ENROL, rules="infiltrator")
    red, blue = {"a1": Rank.FLAG, "e7": Rank.INFILTRATOR}, {"a10": Rank.FLAG, "e8": Rank.SPY, "j9": Rank.MINER}
    sitting.place({RED: red, BLUE: blue}, BLUE)
    sitting.see(Read(sitting.prospect("j9", "j8"), 0))
    assert not sitting.say(RED, TellInfiltrate(id="i", source="e7", target="e8", guess=Rank.SPY))
    assert [fact.kind for fact in sitting.see(Final(0)).facts] == ["move.final", "infiltrate"]
    attack = sitting.table.view().attack
    assert attack == Attack(RED, "e7", "e8", guess=Rank.SPY)
    assert attack.told
    sitting.declare(RED, Rank.INFILTRATOR)
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.table.view().attack == replace(attack, result="infiltrated", took={BLUE: Rank.SPY})


def test_a_shot_that_the_rank_cannot_fire_is_refused_to_its_teller() -> None:
    """There is no cannon in Duel."""
    sitting = facing()
    assert sitting.refused(RED, TellFire(id="f", source="e5", target="e6")) is not None


def rested_on_the_way(mode: Mode = Mode.ENROL) -> Sitting:
    """Red's scout b4 rested on b5, which was read as a move; it is up again, and blue's b8 and a5 are in reach."""
    sitting = Sitting(mode)
    red = {"a1": Rank.FLAG, "b4": Rank.SCOUT}
    blue = {"a10": Rank.FLAG, "b8": Rank.MINER, "a5": Rank.SPY, "j10": Rank.MINER}
    sitting.place({RED: red, BLUE: blue}, RED)
    sitting.read("b4", "b5")
    assert sitting.table.view().turn is BLUE
    sitting.see(Lifted(sitting.square("b5"), 0))
    return sitting


@pytest.mark.parametrize("source", [None, "b4", "b5"])
def test_an_attack_told_with_the_piece_that_rested_on_its_way(source: str | None) -> None:
    """The move that was read is taken back, and the attack goes from where the piece began."""
    sitting = rested_on_the_way()
    left_ms = sitting.table.view().clocks
    sitting.say(RED, TellAttack(id="t", source=source, target="b8"))
    view = sitting.table.view()
    assert sitting.events()[-2:] == [("move.taken-back", "b4", "b5"), ("attack", "b4", "b8")]
    assert (view.phase, view.ply, view.turn, view.clocks) == (Phase.WAITING_FOR_DECLARATIONS, 0, RED, left_ms)
    assert view.occupants["b4"] is RED
    assert "b5" not in view.occupants
    sitting.declare(BLUE, Rank.MINER)
    sitting.declare(RED, Rank.SCOUT)
    assert sitting.table.view().ply == 1


@pytest.mark.parametrize(
    ("target", "reason"),
    [("a5", "diagonal"), ("j10", "diagonal"), ("b9", "out-of-reach"), ("zz", "out-of-reach")],
)
def test_what_it_could_not_attack_from_where_it_began_takes_nothing_back(target: str, reason: str) -> None:
    """From b5 it could; but then it has moved, and this is not its turn."""
    sitting = rested_on_the_way()
    assert sitting.refused(RED, TellAttack(id="t", source=None, target=target)) == reason
    view = sitting.table.view()
    assert (view.phase, view.ply, view.turn) == (Phase.WAITING_FOR_MOVE, 1, BLUE)
    sitting.see(Returned(sitting.square("b5"), 0))
    sitting.see(Final(0))
    sitting.move("b8", "b7")
    assert sitting.table.view().ply == 2


def test_a_piece_that_stands_again_or_another_one_takes_nothing_back() -> None:
    """Put back, its move stands; another own piece in the air is not going on with it; and once it is final nothing is."""
    for seen, source in (([Returned], None), ([Returned], "b5"), ([], "a1")):
        sitting = rested_on_the_way()
        for observation in seen:
            sitting.see(observation(sitting.square("b5"), 0))
        assert sitting.refused(RED, TellAttack(id="t", source=source, target="b8")) == "not-your-turn"
    sitting = rested_on_the_way()
    sitting.see(Final(0))
    assert sitting.refused(RED, TellAttack(id="t", target="b8")) == "not-your-turn"
    sitting = rested_on_the_way()
    assert sitting.refused(BLUE, TellAttack(id="t", target="b5")) == "no-piece-in-hand"


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("denied", [False, True])
def test_an_attack_that_took_the_read_back_is_rebuilt_from_its_journal(mode: Mode, denied: bool) -> None:
    """The piece rested on e5 when it was lifted, and the journal keeps no lifting; a draw is offered meanwhile."""
    ranks = {RED: {**DUEL_RED, "d4": Rank.MARSHAL, "e4": Rank.SCOUT}, BLUE: DUEL_BLUE}
    sitting = Sitting(mode, ranks=ranks)
    sitting.read("e4", "e5")
    sitting.say(BLUE, OfferDraw(id="o"))
    sitting.see(Lifted(sitting.square("e5"), 0))
    sitting.say(RED, TellAttack(id="t", target="e7"))
    assert sitting.kinds()[-3:] == ["move.taken-back", "draw.refused", "attack"]
    rebuilt(sitting)
    for seat, rank in ((RED, Rank.SCOUT), (BLUE, Rank.SPY)):
        if denied:
            sitting.say(seat, DenyAttack(id="d", question=sitting.question(seat).question))
        else:
            sitting.declare(seat, rank)
        rebuilt(sitting)
    assert sitting.phase() is (Phase.RESTORING if denied else Phase.WAITING_FOR_BOARD)


def stepping(step: bool, stands: str = "e6", **pieces: Rank) -> Sitting:
    """Return a table with `move_then_infiltrate` and red's infiltrator; perhaps its step upwards was read, and it is up again."""
    rules = rule_set("infiltrator").with_options({"move_then_infiltrate": True})
    sitting = Sitting(Mode.ENROL, rules="infiltrator", rule_set_=rules)
    red = {"a1": Rank.FLAG, stands: Rank.INFILTRATOR}
    sitting.place({RED: red, BLUE: {"a10": Rank.FLAG, **pieces}}, RED)
    if step:
        above = f"e{int(stands[1]) + 1}"
        sitting.read(stands, above)
        sitting.see(Lifted(sitting.square(above), 0))
    return sitting


@pytest.mark.parametrize("source", ["e6", "e7"])
def test_the_infiltrator_steps_and_infiltrates(source: str) -> None:
    """His hand put him down on the way, or the only step that fits is meant: he stands there afterwards."""
    sitting = stepping(step=source == "e7", e8=Rank.SPY)
    sitting.say(RED, TellInfiltrate(id="i", source=source, target="e8", guess=Rank.SPY))
    told = sitting.steps[-1].facts[-1].event
    assert told is not None
    assert (told.kind, told.source, told.target, told.via) == ("infiltrate", "e6", "e8", ("e7",))
    sitting.declare(RED, Rank.INFILTRATOR)
    sitting.declare(BLUE, Rank.SPY)
    assert dict(sitting.table.view().occupants) == {"a1": RED, "e7": RED, "a10": BLUE}


def test_which_step_he_makes_must_be_shown_where_two_would_do() -> None:
    """From e8 the spy on f9 is reached by e9 and by f8: nothing is assumed, the hand says which."""
    told = TellInfiltrate(id="i", source="e8", target="f9", guess=Rank.SPY)
    assert stepping(False, "e8", f9=Rank.SPY).refused(RED, told) == "out-of-range"
    sitting = stepping(True, "e8", f9=Rank.SPY)
    event = sitting.say(RED, told).facts[-1].event
    assert event is not None
    assert (event.kind, event.via) == ("infiltrate", ("e9",))


@pytest.mark.parametrize("step", [False, True])
def test_the_infiltrator_steps_and_attacks(step: bool) -> None:
    """An ordinary attack after a step: the way is told, and who goes it is no other."""
    sitting = stepping(step, f7=Rank.INFILTRATOR)
    if not step:
        sitting.see(Lifted(sitting.square("e6"), 0))
    sitting.say(RED, TellAttack(id="t", target="f7"))
    assert sitting.events()[-1] == ("attack", "e6", "f7")
    assert sitting.question(RED).choices == ("infiltrator",)
    sitting.declare(RED, Rank.INFILTRATOR)
    sitting.declare(BLUE, Rank.INFILTRATOR)
    assert dict(sitting.table.view().occupants) == {"a1": RED, "a10": BLUE}
