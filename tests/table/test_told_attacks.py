"""Attacks that are told on the handset: with the piece in the hand, or after a tap when it stands on its square again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.rules import RuleSet, rule_set, rule_set_names
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, AttackSeen, Final, Lifted, Observation, Puzzled, Read, Returned, Revised, Unread
from referee.table.arbiter_commands import TakeBack
from referee.table.inputs import BoardLink, Reopen
from referee.table.messages import (
    Accepted,
    DenyAttack,
    FromHandset,
    OfferDraw,
    Rejected,
    Resign,
    TellAttack,
    TellFire,
    TellInfiltrate,
    Told,
)
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Attack, ClockFace, Mode, Phase
from tests.reliability.memory import memory
from tests.table.corrected import rebuilt
from tests.table.sitting import BLUE, DUEL_BLUE, DUEL_RED, RED, Sitting, abort, pause

Act = Callable[[Sitting], object]


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
    """Red's may still be sliding, whatever is in blue's hand: the answer comes with the move's final word, the news of it at once."""
    sitting = told_early("e6")
    assert words(sitting.steps[-1]) == ["attack-waits"]
    assert sitting.refused(BLUE, TellAttack(id="u", source="e6", target="e5")) == "not-now"
    step = sitting.see(Final(0))
    assert [fact.kind for fact in step.facts] == ["move.final", "attack"]


def test_an_attack_that_waited_is_refused_when_the_move_is_taken_back() -> None:
    """It is not the teller's turn any more."""
    sitting = told_early("e6")
    step = sitting.see(Puzzled((), 0))
    assert [fact.kind for fact in step.facts] == ["ask"]
    _, answer = [letter.body.open_hidden() for letter in step.letters]
    assert isinstance(answer, Rejected)
    assert answer.re == "t"


def told_early(source: str | None = None, clock: TimeControl | None = None) -> Sitting:
    """Return a game in which red's i4-i5 is open and blue has told an attack on e5: with the piece of e6, or the one in the hand."""
    sitting = Sitting(clock=clock)
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.read("i4", "i5")
    if source is None:
        sitting.see(Lifted(sitting.square("e6"), 0))
    sitting.now_ms += 1_000
    sitting.say(BLUE, TellAttack(id="t", source=source, target="e5"))
    return sitting


def resumed(sitting: Sitting) -> Table:
    """Return the table that is rebuilt from its journal."""
    facts = [fact for step in sitting.steps for fact in step.facts]
    return rebuild(told_settings(facts, rule_set), facts).table


def words(step: Step) -> list[str]:
    """Return what a step tells: reasons of letters that have one, the type of others."""
    bodies = [letter.body.open_hidden() for letter in step.letters]
    return [body.reason if isinstance(body, Told | Rejected) else type(body).__name__ for body in bodies]


def again(sitting: Sitting) -> object:
    """The handset repeats it."""
    return sitting.say(BLUE, TellAttack(id="t", target="e5"))


def say(message: FromHandset, seat: Seat = BLUE) -> Act:
    """Somebody says something else."""
    return lambda sitting: sitting.say(seat, message)


def see(kind: Callable[..., Observation], *names: str) -> Act:
    """Sensing says something of these squares."""
    return lambda sitting: sitting.see(kind(*map(sitting.square, names), 0))


def read(source: str, target: str) -> Act:
    """A move is read."""
    return lambda sitting: sitting.see(Read(sitting.prospect(source, target), 0))


def final(sitting: Sitting) -> object:
    """The oldest open ply stands."""
    return sitting.see(Final(0))


def revised(sitting: Sitting) -> object:
    """Red's move went on by a square."""
    before = sitting.table._state.open_plies[-1].dual.public
    names = ("i4", "h4")
    (found,) = [p for p in before.situation().prospects if (p.source.name, p.target.name) == names]
    return sitting.see(Revised(found, 0))


def link(fault: str | None) -> Act:
    """The board's cable is out, or in again."""
    return lambda sitting: sitting.take(sitting.table.apply(BoardLink(fault), sitting.now_ms))


def order(sitting: Sitting) -> object:
    """The arbiter takes red's move back."""
    return sitting.order(TakeBack(id="o", reason="agreed", ply=2))


OPENS, WAITS = "Accepted", ""
MEANWHILE: list[tuple[str, tuple[Act, ...], str, str]] = [
    ("the ply before stands", (final,), OPENS, "move.final attack"),
    ("it is revised", (revised,), WAITS, "move.revised"),
    ("it is revised and stands", (revised, see(Lifted, "e6"), final), OPENS, "move.revised move.final attack"),
    ("it never was", (see(Unread),), "not-your-turn", "move.unread"),
    ("the piece is put back", (see(Returned, "e6"), final), OPENS, "move.final attack"),
    ("it makes a move instead", (read("e6", "f6"),), WAITS, "move.read"),
    ("which stands", (read("e6", "f6"), final), "not-your-turn", "move.read move.final"),
    ("or never was", (read("e6", "f6"), see(Unread), final), OPENS, "move.read move.unread move.final attack"),
    (
        "or is gone on with",
        (read("e6", "f6"), see(Lifted, "f6"), final),
        OPENS,
        "move.read move.final move.taken-back attack",
    ),
    ("hands show it, too", (final, see(AttackSeen, "e6", "e5")), OPENS, "move.final attack"),
    ("hands show it first", (see(AttackSeen, "e6", "e5"),), OPENS, "move.final attack"),
    ("hands show another one", (see(AttackSeen, "i7", "i5"),), "not-now", "move.final attack"),
    ("the board is asked about", (lambda sitting: sitting.see(Puzzled((), 0)),), "not-now", "ask"),
    ("a pause", (see(Returned, "e6"), pause), "not-now", "paused"),
    ("the arbiter goes back", (order,), "not-your-turn", "plies.taken-back"),
    ("its player resigns", (say(Resign(id="r")),), "not-now", "move.final end"),
    ("the other one resigns", (say(Resign(id="r"), RED),), "not-now", "move.final end"),
    ("it is broken off", (abort,), "not-now", "move.final end"),
    ("a repeat", (again,), WAITS, ""),
    ("a repeat, then the ply stands", (again, final), OPENS, "move.final attack"),
    ("another word", (say(TellAttack(id="u", target="e5")), final), OPENS, "move.final attack"),
    ("an offer", (say(OfferDraw(id="d"), RED), final), OPENS, "draw.offered move.final draw.refused attack"),
    (
        "a link that is lost and back",
        (link("lost"), link(None), final),
        OPENS,
        "board.link board.link move.final attack",
    ),
]


@pytest.mark.parametrize("source", [None, "e6"])
@pytest.mark.parametrize(("acts", "answer", "said"), [row[1:] for row in MEANWHILE], ids=[row[0] for row in MEANWHILE])
def test_what_becomes_of_an_attack_that_waits(
    source: str | None, acts: tuple[Act, ...], answer: str, said: str
) -> None:
    """As the table in docs/reference/messages.md has it; one answer and no more, and the journal gives the same table back."""
    sitting = told_early(source)
    before = len(sitting.kinds()), len(sitting.steps)
    for act in acts:
        act(sitting)
    assert " ".join(sitting.kinds()[before[0] :]) == said
    bodies = [letter.body.open_hidden() for step in sitting.steps[before[1] :] for letter in step.letters]
    answers = [body for body in bodies if isinstance(body, Accepted | Rejected) and body.re == "t"]
    assert [getattr(body, "reason", OPENS) for body in answers] == ([answer] if answer else [])
    told = [body.reason for body in bodies if isinstance(body, Told)]
    assert told == ["attack-waits"] * acts.count(again) + ["attack-answered"] * len(answers)
    assert (BLUE not in sitting.table._state.held) is bool(answer)
    assert memory(resumed(sitting)) == memory(sitting.table)


@pytest.mark.parametrize("rank", [Rank.SCOUT, Rank.BOMB])
def test_what_is_heard_of_an_attack_that_waits_depends_on_no_rank(rank: Rank) -> None:
    """Until it is judged; whether the piece can attack is its owner's business, and only the answer says so."""
    sitting = Sitting(Mode.ENROL)
    sitting.place({RED: {"a1": Rank.FLAG, "e4": Rank.MINER}, BLUE: {"a10": Rank.FLAG, "e6": rank, "j9": Rank.SPY}}, RED)
    sitting.read("e4", "e5")
    before = sitting.table.view()
    step = sitting.say(BLUE, TellAttack(id="t", source="e6", target="e5"))
    assert (words(step), step.facts, step.view_changed) == (["attack-waits"], (), False)
    assert sitting.table.view() == before
    assert words(sitting.see(Final(0)))[0] == "attack-answered"


def test_nobody_gains_by_telling_early_and_nobody_loses_by_the_wait() -> None:
    """Blue's clock runs while the word waits, so one that is refused costs its time; it is put back where the attack comes about."""
    for act, left_ms in ((final, 59_000), (see(Unread), 60_000), (pause, 57_000)):
        sitting = told_early("e6", TimeControl(ClockKind.SUDDEN_DEATH, 60_000))
        assert sitting.table.view().clocks[BLUE] == ClockFace(59_000, runs=True)
        sitting.now_ms += 2_000
        act(sitting)
        assert sitting.table.view().clocks[BLUE] == ClockFace(left_ms, runs=False)
        assert memory(resumed(sitting)) == memory(sitting.table)
    sitting = told_early(clock=TimeControl(ClockKind.SUDDEN_DEATH, 1_500))
    sitting.now_ms += 1_000
    final(sitting)
    assert sitting.table.view().clocks[BLUE] == ClockFace(500, runs=False)


def test_a_word_that_waits_when_the_referee_is_killed_is_said_again() -> None:
    """While the board is compared there is nothing to attack; afterwards it counts, once."""
    sitting = told_early()
    sitting.table = resumed(sitting)
    sitting.take(sitting.table.apply(Reopen(), 0))
    word = TellAttack(id="t", source="e6", target="e5")
    assert sitting.refused(BLUE, word) == "not-now"
    sitting.see(Agreed(0))
    assert [fact.kind for fact in sitting.say(BLUE, word).facts] == ["attack"]
    assert words(sitting.say(BLUE, word)) == ["Accepted"]
    rebuilt(sitting)


@pytest.mark.parametrize("run_up", [False, True])
def test_rows_that_were_written_when_it_counted_at_once_are_read_as_they_were(run_up: bool) -> None:
    """The plies before it are final by the word itself, after the one that was a rest is taken back."""
    sitting = Sitting(clock=TimeControl(ClockKind.FISCHER, 60_000, 1_000))
    sitting.move("e4", "e5")
    sitting.read("a7", "a6")
    sitting.read("j4", "j6")
    if not run_up:
        sitting.read("i7", "i6")
    sitting.see(Lifted(sitting.square("j6" if run_up else "e5"), 0))
    sitting.table.tell_at_once(True)
    sitting.say(RED, TellAttack(id="t", target="j7" if run_up else None))
    sitting.table.tell_at_once(False)
    before = ["move.taken-back", "move.final"] if run_up else ["move.final"] * 3
    assert sitting.kinds()[-len(before) - 1 :] == [*before, "attack"]
    assert memory(resumed(sitting)) == memory(sitting.table)


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
    """Return a position in which red has a piece beside one of blue's."""
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
    assert words(sitting.say(RED, TellInfiltrate(id="i", source="e7", target="e8", guess=Rank.SPY))) == ["attack-waits"]
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
