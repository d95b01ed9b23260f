"""A seat whose moves are decided elsewhere: it tells them, hands carry them out, and nothing else becomes a ply of it.

Written from docs/reference/messages.md, section by section.
"""

from __future__ import annotations

import pytest

from referee.rules.values import Rank, Seat, Square
from referee.sensing import Agreed, AttackSeen, Difference, Final, Lifted, Puzzled, Read, Reading, Revised, Unread
from referee.table.arbiter_commands import TakeBack, VoidVerdict
from referee.table.inputs import Reopen, Tick
from referee.table.messages import (
    Accepted,
    Decide,
    DenyAttack,
    OfferDraw,
    OfferTakeBack,
    Resign,
    TellAttack,
    TellInfiltrate,
)
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Expect, Step
from referee.table.views import Ask, DecidedMove, Mode, Phase
from tests.table.sitting import BLUE, RED, Sitting, pause, resume

MINUTE = TimeControl(ClockKind.SUDDEN_DEATH, 60_000)
MOVE = DecidedMove(BLUE, "e7", "e6")


class Carried(Sitting):
    """Duel, enrolled if nothing else is said; blue's moves are decided elsewhere, and red has played e4-e5."""

    def __init__(self, mode: Mode = Mode.ENROL, *, played: bool = True, clock: TimeControl | None = None) -> None:
        super().__init__(mode, decided=(BLUE,), clock=clock)
        if played:
            self.move("e4", "e5")

    def decide(self, source: str, target: str, ply: int = 2) -> Step:
        """Let blue decide a move."""
        return self.say(BLUE, Decide(id=self.new_id(), ply=ply, source=source, target=target))

    def rejected(self, source: str, target: str, ply: int = 2, seat: Seat = BLUE) -> str | None:
        """Return why a decision is not taken."""
        return self.refused(seat, Decide(id=self.new_id(), ply=ply, source=source, target=target))

    def decided(self) -> DecidedMove | None:
        """Return what everybody sees."""
        return self.table.view().decided

    def asked(self) -> tuple[Phase, Ask | None, set[str]]:
        """Return what is asked of the hands."""
        view = self.table.view()
        return view.phase, view.ask, {fix.square for fix in view.fixes}

    def agree(self) -> None:
        """Set the board as shown."""
        self.see(Agreed(0))

    def puzzle(self, *names: str) -> None:
        """Show other squares than the game has."""
        occupants = self.table.view().occupants
        found = [Difference(self.square(name), occupants.get(name), Reading.EMPTY) for name in names]
        self.see(Puzzled(tuple(found), 0))

    def lasts(self) -> None:
        """Prove that the ply before it is the last one, and that the decision stands at a table that waits for it to be done."""
        view = self.table.view()
        assert (view.phase, view.ply, view.decided, view.ask) == (Phase.WAITING_FOR_MOVE, 1, MOVE, None)


def decided(mode: Mode = Mode.ENROL, clock: TimeControl | None = None) -> Carried:
    """Return a table at which blue has decided e7-e6, as ply 2."""
    sitting = Carried(mode, clock=clock)
    sitting.decide("e7", "e6")
    return sitting


@pytest.mark.parametrize("mode", list(Mode))
def test_a_decided_move_is_shown_and_carried_out(mode: Mode) -> None:
    """By an event and in the view; then it is read and final as any, and the next ply is decided anew."""
    sitting = decided(mode)
    event = sitting.steps[-1].facts[0].event
    assert event is not None
    assert (event.kind, event.seat, event.source, event.target, event.ply) == ("move.decided", BLUE, "e7", "e6", 2)
    assert sitting.decided() == MOVE
    assert sitting.table.info().decided == (BLUE,)
    sitting.read("e7", "e6")
    assert sitting.decided() is None
    sitting.see(Final(0))
    assert sitting.events()[-2:] == [("move.read", "e7", "e6"), ("move.final", "e7", "e6")]
    sitting.move("e5", "e4")
    assert sitting.table.view().occupants["e6"] is BLUE
    sitting.decide("e6", "e7", 4)
    sitting.move("e6", "e7")
    assert sitting.table.view().ply == 4


def test_the_first_answer_that_fits() -> None:
    """Each row of the table in the document, and that it changed nothing."""
    assert Carried(played=False).rejected("e7", "e6", 1) == "not-your-turn"
    sitting = Carried()
    assert sitting.rejected("e5", "e6", seat=RED) == "not-elsewhere"
    assert sitting.rejected("e7", "e6", 1) == "stale"
    assert sitting.rejected("e7", "e6", 3) == "stale"
    assert sitting.rejected("z7", "e6") == "no-such-square"
    assert sitting.rejected("e7", "") == "no-such-square"
    assert sitting.rejected("e5", "e6") == "not-your-piece"
    assert sitting.rejected("a6", "a5") == "not-your-piece"
    assert sitting.rejected("e7", "f6") == "diagonal"
    assert sitting.rejected("e7", "e8") == "own-piece"
    assert sitting.rejected("e7", "e7") is not None
    assert sitting.rejected("f7", "f5") == "too-far"
    assert sitting.rejected("i10", "h10") == "immobile"
    sitting.decide("e7", "e6")
    assert sitting.rejected("e7", "e6") == "decided"
    assert sitting.rejected("b7", "b6") == "decided"
    sitting.read("e7", "e6")
    assert sitting.rejected("b7", "b6", 3) == "not-your-turn"
    sitting.say(BLUE, Resign(id="out"))
    assert sitting.rejected("b7", "b6", 3) == "not-now"


def test_the_ply_before_has_to_be_final() -> None:
    """While it can still be revised nobody knows what would be answered."""
    sitting = Carried(played=False)
    sitting.read("e4", "e5")
    assert sitting.rejected("e7", "e6") == "not-final"
    sitting.see(Final(0))
    sitting.decide("e7", "e6")
    assert sitting.decided() == MOVE


def test_a_repeat_is_accepted_again() -> None:
    """And counts once."""
    sitting = decided()
    before = sitting.kinds()
    said = Decide(id="same", ply=2, source="b7", target="b6")
    assert sitting.refused(BLUE, said) == "decided"
    first = sitting._ids
    again = sitting.say(BLUE, Decide(id=f"m{first}", ply=2, source="e7", target="e6"))
    assert isinstance(again.letters[-1].body.open_hidden(), Accepted)
    assert (sitting.kinds(), sitting.decided()) == (before, MOVE)


def test_in_declare_mode_a_rank_that_nobody_knows_decides_nothing() -> None:
    """Any piece of the army may be a scout; enrolled it is none, and only its owner hears that."""
    sitting = Carried(Mode.DECLARE)
    sitting.decide("f7", "f5")
    assert sitting.decided() == DecidedMove(BLUE, "f7", "f5")


@pytest.mark.parametrize(("source", "target"), [("b7", "b6"), ("e7", "d7"), ("f7", "f6")])
def test_another_ply_is_never_accepted(source: str, target: str) -> None:
    """Neither before the decision nor after it; what to put back is said, and then the decision is shown again."""
    sitting = Carried()
    for said in (None, MOVE):
        sitting.read(source, target)
        assert sitting.asked() == (Phase.RESTORING, Ask.NOT_DECIDED, {source, target})
        assert (sitting.decided(), sitting.table.view().ply) == (said, 1)
        assert isinstance(sitting.steps[-1].orders[-1], Expect)
        sitting.agree()
        assert sitting.table.view().phase is Phase.WAITING_FOR_MOVE
        if said is None:
            sitting.decide("e7", "e6")
    sitting.lasts()
    assert "move.read" not in sitting.kinds()[sitting.kinds().index("move.final") :]


def test_it_may_be_decided_while_the_board_is_put_right() -> None:
    """Whoever decides need not watch the hands."""
    sitting = Carried()
    sitting.read("b7", "b6")
    sitting.decide("e7", "e6")
    assert sitting.asked()[0] is Phase.RESTORING
    sitting.agree()
    sitting.lasts()


def test_another_attack_is_never_opened() -> None:
    """Nor the decided piece's on another target, nor one before the decision."""
    sitting = Carried()
    sitting.place({RED: {"a1": Rank.FLAG, "e6": Rank.SPY, "b6": Rank.MINER}, BLUE: dict(sitting.ranks[BLUE])}, BLUE)
    ply = sitting.table.view().ply + 1
    for _ in range(2):
        sitting.attack("b7", "b6")
        assert sitting.asked() == (Phase.RESTORING, Ask.NOT_DECIDED, {"b7", "b6"})
        sitting.agree()
        if sitting.decided() is None:
            sitting.decide("e7", "e6", ply)
    sitting.attack("e7", "e6")
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS


def run(mode: Mode = Mode.ENROL) -> Carried:
    """Return a table at which blue's scout shall run from a7 to a4."""
    sitting = Carried(mode)
    sitting.decide("a7", "a4")
    return sitting


def test_a_hand_may_rest_on_its_way() -> None:
    """What is read there is no ply; revised, it is the decided one."""
    sitting = run()
    for on_its_way in ("a6", "a5"):
        step = sitting.see(Read(sitting.prospect("a7", on_its_way), 0))
        assert not step.facts
        assert sitting.table.view().ply == 1
        assert step.orders
    sitting.see(Revised(sitting.prospect("a7", "a4"), 0))
    assert sitting.events()[-1] == ("move.read", "a7", "a4")
    sitting.see(Final(0))
    assert (sitting.table.view().ply, sitting.decided()) == (2, None)


def test_it_may_go_home_from_its_way_and_begin_again() -> None:
    """Nothing has happened then."""
    sitting = run()
    sitting.see(Read(sitting.prospect("a7", "a6"), 0))
    step = sitting.see(Unread(0))
    assert not step.facts
    assert step.orders[-1].situation == sitting.table.public_game.situation()  # type: ignore[union-attr]  # it is Advance
    sitting.move("a7", "a4")
    assert sitting.table.view().ply == 2


def test_let_go_on_its_way_it_is_asked_about() -> None:
    """And so is anything else that comes of it."""
    sitting = run()
    sitting.see(Read(sitting.prospect("a7", "a6"), 0))
    sitting.see(Final(0))
    assert sitting.asked()[:2] == (Phase.RESTORING, Ask.NOT_DECIDED)
    sitting.agree()
    sitting.see(Read(sitting.prospect("a7", "a6"), 0))
    sitting.see(Revised(sitting.prospect("b7", "b6"), 0))
    assert sitting.asked()[:2] == (Phase.RESTORING, Ask.NOT_DECIDED)


def test_going_on_beyond_it_unsays_it() -> None:
    """It had not been let go where it was decided: it never was, and the decision stands."""
    sitting = decided()
    sitting.read("e7", "e6")
    before = sitting.table.view()
    sitting.see(Revised(_prospect_from_e7(sitting), 0))
    assert before.ply == 2
    assert sitting.kinds()[-2:] == ["move.unread", "ask"]
    assert (sitting.asked()[:2], sitting.decided()) == ((Phase.RESTORING, Ask.NOT_DECIDED), MOVE)
    sitting.agree()
    sitting.lasts()


def test_an_offer_that_lapsed_by_it_stands_again() -> None:
    """As where the move is unread: what comes instead of it makes it a ply that never was."""
    sitting = decided()
    sitting.say(RED, OfferDraw(id=sitting.new_id()))
    sitting.read("e7", "e6")
    lapsed = sitting.table.view().offer
    assert lapsed is not None
    assert lapsed.declined_by is BLUE
    sitting.see(Revised(_prospect_from_e7(sitting), 0))
    sitting.agree()
    offer = sitting.table.view().offer
    assert offer is not None
    assert (offer.kind, offer.seat, offer.declined_by, sitting.decided()) == ("draw", RED, None, MOVE)


def _prospect_from_e7(sitting: Sitting):  # type: ignore[no-untyped-def]  # the rules' Prospect
    state = sitting.table._state
    situation = state.open_plies[-1].dual.public.situation()
    return next(
        p for p in situation.prospects if p.source == Square("e7") and p.target != Square("e6") and not p.attack
    )


def test_what_goes_home_again_is_to_be_done_still() -> None:
    """Unread, or asked about on its own squares."""
    sitting = decided()
    sitting.read("e7", "e6")
    sitting.see(Unread(0))
    sitting.lasts()
    sitting.read("e7", "e6")
    sitting.puzzle("e6")
    assert (sitting.kinds()[-2:], sitting.decided()) == (["move.taken-back", "ask"], MOVE)
    assert sitting.asked()[:2] == (Phase.RESTORING, Ask.TAKEN_BACK)
    sitting.agree()
    sitting.lasts()


def test_what_is_no_ply_is_asked_about_as_ever() -> None:
    """The other seat's piece, a piece laid aside; and a lift alone is nothing."""
    sitting = decided()
    sitting.see(Lifted(sitting.square("e7"), 0))
    assert sitting.table.view().in_hand == ("e7",)
    sitting.puzzle("e5")
    assert (sitting.asked(), sitting.decided()) == ((Phase.RESTORING, Ask.NOT_UNDERSTOOD, {"e5"}), MOVE)
    sitting.agree()
    sitting.lasts()


def attacked(mode: Mode = Mode.ENROL) -> Carried:
    """Return a table at which blue's decided attack e7-e6 has been shown."""
    sitting = Carried(mode)
    sitting.decide("f7", "f6")
    sitting.move("f7", "f6")
    sitting.move("e5", "e6")
    sitting.decide("e7", "e6", 4)
    sitting.attack("e7", "e6")
    return sitting


@pytest.mark.parametrize("mode", list(Mode))
def test_a_decided_attack_is_settled_as_any(mode: Mode) -> None:
    """Both seats are asked; from the verdict on nothing is decided."""
    sitting = attacked(mode)
    assert sitting.decided() == MOVE
    sitting.declare(BLUE, Rank.SPY)
    sitting.declare(RED, Rank.MARSHAL)
    assert (sitting.decided(), sitting.table.view().phase) == (None, Phase.WAITING_FOR_BOARD)
    sitting.agree()
    assert sitting.table.view().turn is RED


def test_an_attack_that_was_none_stands_again() -> None:
    """Both say so; then the decision is shown as before."""
    sitting = attacked()
    for seat in (RED, BLUE):
        sitting.say(seat, DenyAttack(id=sitting.new_id(), question=sitting.question(seat).question))
    sitting.agree()
    assert (sitting.table.view().phase, sitting.decided()) == (Phase.WAITING_FOR_MOVE, MOVE)
    sitting.attack("e7", "e6")
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS


def test_a_voided_attack_is_asked_about_anew_and_not_decided_anew() -> None:
    """Until then nothing else can be decided."""
    sitting = attacked()
    sitting.declare(BLUE, Rank.SPY)
    sitting.declare(RED, Rank.MARSHAL)
    sitting.agree()
    sitting.order(VoidVerdict(id="o1", reason="wrong rank", ply=4))
    assert sitting.decided() is None
    assert sitting.rejected("b7", "b6", 4) == "not-now"
    sitting.agree()
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS


def test_the_word_for_an_attack_is_taken_only_for_the_decided_one() -> None:
    """With both squares; the hands were not seen, as with any told attack."""
    sitting = Carried()
    sitting.decide("f7", "f6")
    sitting.move("f7", "f6")
    sitting.move("e5", "e6")
    words = [TellAttack(id=f"t{at}", source=source, target="e6") for at, source in enumerate(("e7", "f6", None))]
    assert {sitting.refused(BLUE, word) for word in words} == {"not-decided"}
    sitting.decide("e7", "e6", 4)
    assert sitting.refused(BLUE, words[1]) == "not-decided"
    assert sitting.refused(BLUE, TellInfiltrate(id="i", source="e7", target="e6", guess=Rank.SPY)) == "decided"
    sitting.say(BLUE, words[0])
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS


def test_it_stands_through_a_pause() -> None:
    """And nothing is decided in one; afterwards the board is compared first."""
    sitting = decided()
    pause(sitting)
    assert (sitting.decided(), sitting.rejected("b7", "b6")) == (MOVE, "not-now")
    resume(sitting)
    assert sitting.asked()[:2] == (Phase.RESTORING, Ask.RESTORE)
    sitting.agree()
    sitting.lasts()


@pytest.mark.parametrize("read", [False, True])
def test_it_stands_through_a_restart(read: bool) -> None:
    """The journal has it: the plug may be pulled between decision and carrying out, and while it can be revised."""
    sitting = decided(clock=MINUTE)
    if read:
        sitting.read("e7", "e6")
    facts = [fact for step in sitting.steps for fact in step.facts]
    settings = told_settings(facts, lambda _: sitting.rules)
    assert settings.decided == (BLUE,)
    table = rebuild(settings, facts).table
    table.apply(Reopen(), sitting.now_ms)
    assert (table.view().decided, table.phase) == (None if read else MOVE, Phase.RESTORING)
    table.apply(Agreed(0), sitting.now_ms)
    assert table.view().decided == (None if read else MOVE)
    assert table.view().ply == 1 + read


def test_who_goes_back_decides_anew() -> None:
    """By an arbiter's order or by everybody's word; both also when the move is still to be carried out."""
    for ordered in (True, False):
        sitting = decided()
        if ordered:
            sitting.order(TakeBack(id="o1", reason="asked", ply=0))
        else:
            sitting.say(RED, OfferTakeBack(id=sitting.new_id(), ply=0))
            sitting.answer(BLUE, "accept")
        assert sitting.decided() is None
        sitting.agree()
        sitting.move("e4", "e5")
        sitting.decide("b7", "b6")
        assert sitting.decided() == DecidedMove(BLUE, "b7", "b6")


def test_offers_and_ends_are_as_ever() -> None:
    """A draw is agreed, or declined; a resignation ends it, and nothing is decided at an end."""
    sitting = decided()
    sitting.say(RED, OfferDraw(id=sitting.new_id()))
    assert sitting.decided() == MOVE
    sitting.answer(BLUE, "refuse")
    sitting.lasts()
    sitting.say(BLUE, OfferDraw(id=sitting.new_id()))
    sitting.answer(RED, "accept")
    assert (sitting.table.view().phase, sitting.decided()) == (Phase.FINISHED, None)
    sitting = decided()
    sitting.say(RED, Resign(id=sitting.new_id()))
    assert (sitting.table.result.winner, sitting.decided()) == (BLUE, None)  # type: ignore[union-attr]  # it is over


def test_no_clock_runs_while_it_is_carried_out() -> None:
    """Blue's own runs until it has decided, and red's from the move that was read."""
    sitting = Carried(clock=MINUTE)
    sitting.now_ms += 5_000
    assert sitting.table._state.clocks is not None
    sitting.decide("e7", "e6")
    assert [face.runs for face in sitting.table.view().clocks.values()] == [False, False]
    sitting.now_ms += 50_000
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    assert sitting.table.view().clocks[BLUE].left_ms == 55_000
    sitting.read("e7", "e6")
    assert [seat for seat, face in sitting.table.view().clocks.items() if face.runs] == [RED]
    sitting.see(Unread(0))
    assert not any(face.runs for face in sitting.table.view().clocks.values())
    assert sitting.table.view().clocks[BLUE].left_ms == 55_000


def test_a_hand_that_attacks_too_early_undoes_it() -> None:
    """The opponent's ply is final by it, as by any attack; then the seat decides."""
    sitting = Carried()
    sitting.decide("f7", "f6")
    sitting.move("f7", "f6")
    sitting.read("e5", "e6")
    sitting.see(AttackSeen(sitting.square("e7"), sitting.square("e6"), 0))
    assert sitting.asked()[:2] == (Phase.RESTORING, Ask.NOT_DECIDED)
    sitting.agree()
    sitting.decide("e7", "e6", 4)
    sitting.attack("e7", "e6")
    assert sitting.table.view().phase is Phase.WAITING_FOR_DECLARATIONS
