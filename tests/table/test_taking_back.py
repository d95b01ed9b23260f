"""A move that was read and is then in doubt: never final in silence. What is put in, what must be said, what the board must become."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.journal.journal_to_record import record_of
from referee.rules.values import Seat
from referee.sensing import Agreed, Difference, Disturbed, Final, Lifted, Observation, Puzzled, Read
from referee.table.inputs import BoardLink, Pause
from referee.table.messages import Answer, ClaimImmobile, OfferDraw, Resign
from referee.table.step import Expect, Follow
from referee.table.views import Ask, Phase
from tests.table.sitting import BLUE, RED, Sitting, abort, pause, resume

Act = Callable[[Sitting], object]


def differ(sitting: Sitting, *names: str) -> tuple[Difference, ...]:
    """Return differences on these squares; arbitration does not ask which."""
    return tuple(Difference(sitting.square(name), None, 0) for name in names)  # type: ignore[arg-type]  # Reading.EMPTY


def puzzled(*names: str) -> Act:
    """Nothing explains these squares."""
    return lambda sitting: sitting.see(Puzzled(differ(sitting, *names), 0))


def disturbed(*names: str) -> Act:
    """Too much has changed, these squares among it."""
    return lambda sitting: sitting.see(Disturbed(differ(sitting, *names), 0))


def see(observation: Observation) -> Act:
    """Sensing says this."""
    return lambda sitting: sitting.see(observation)


def agreed(lifted: str | None = None) -> Act:
    """The board agrees, but for a piece in the air."""
    return lambda sitting: sitting.see(Agreed(0, 0, sitting.square(lifted) if lifted else None))


def lift(name: str) -> Act:
    """A piece goes up."""
    return lambda sitting: sitting.see(Lifted(sitting.square(name), 0))


def unplug(sitting: Sitting) -> None:
    """The board is not seen any more."""
    sitting.take(sitting.table.apply(BoardLink("lost"), sitting.now_ms))


def resign(seat: Seat) -> Act:
    """A player gives up."""
    return lambda sitting: sitting.say(seat, Resign(id="r"))


BACK, FINAL = "move.taken-back", "move.final"
TABLE: list[tuple[str, tuple[Act, ...], list[str]]] = [
    ("its target is empty again", (puzzled("e5"),), [BACK, "ask"]),
    ("its player puts it back", (puzzled("e4", "e5"),), [BACK, "ask"]),
    ("and the board agrees with that", (puzzled("e4", "e5"), agreed()), [BACK, "ask", "restored"]),
    ("its source is taken", (puzzled("e4", "f4"),), [BACK, "ask"]),
    ("the board is swept, it as well", (disturbed("e5", "f4", "a1", "b1", "a2", "i4"),), [BACK, "ask"]),
    ("the next player had lifted", (lift("a7"), puzzled("e5", "a7")), [BACK, "ask"]),
    ("another piece fell over", (puzzled("f4"),), ["ask"]),
    ("and stands again", (puzzled("f4"), agreed()), ["ask", FINAL, "restored"]),
    ("stands again, the next player has begun", (puzzled("f4"), agreed("a7")), ["ask", FINAL, "restored"]),
    ("stands again, but the piece that moved is up", (puzzled("f4"), agreed("e5")), ["ask", BACK, "ask"]),
    ("while that is put right it goes on", (puzzled("f4"), puzzled("e5")), ["ask", BACK, "ask"]),
    ("swept elsewhere", (disturbed("f4", "a1", "b1", "a2", "i4", "j4"), agreed()), ["ask", FINAL, "restored"]),
    ("a pause", (pause,), ["paused"]),
    ("in a pause sensing's word waits", (pause, see(Final(0))), ["paused"]),
    ("a pause, and the board still shows it", (pause, resume, agreed()), ["paused", "resumed", FINAL, "restored"]),
    ("a pause, and it went on meanwhile", (pause, resume, puzzled("e5", "e6")), ["paused", "resumed", BACK, "ask"]),
    ("nothing speaks against it", (see(Final(0)),), [FINAL]),
    ("its player gives up", (resign(RED),), [FINAL, "end"]),
    ("the other gives up", (resign(BLUE),), [FINAL, "end"]),
    ("it is broken off", (abort,), [FINAL, "end"]),
    ("given up while in doubt", (puzzled("f4"), resign(BLUE)), ["ask", BACK, "end"]),
    ("broken off while in doubt", (puzzled("f4"), abort), ["ask", BACK, "end"]),
    ("broken off in a pause", (pause, abort), ["paused", BACK, "end"]),
    ("given up in a pause", (pause, resign(RED)), ["paused", BACK, "end"]),
    ("the cable is out", (unplug,), ["board.link"]),
    ("broken off while the cable is out", (unplug, abort), ["board.link", BACK, "end"]),
]


@pytest.mark.parametrize(("acts", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_what_becomes_of_a_move_that_was_read(acts: tuple[Act, ...], said: list[str]) -> None:
    """Red went e4-e5, which is not final. Nothing else is said."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    before = len(sitting.kinds())
    for act in acts:
        act(sitting)
    assert sitting.kinds()[before:] == said
    view = sitting.table.view()
    stands = BACK not in said
    assert (view.occupants.get("e5") is RED, view.occupants.get("e4") is RED) == (stands, not stands)
    assert view.ply == (1 if stands else 0)
    assert (view.last_move is None) is not stands


def test_an_offer_on_top_of_a_move_that_never_was_is_gone_without_a_word_of_the_one_before() -> None:
    """Nobody has declined it, and that an earlier one was declined is old news."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.say(BLUE, OfferDraw(id="d1"))
    sitting.answer(RED, "refuse")
    sitting.say(BLUE, OfferDraw(id="d2"))
    disturbed("e4", "e5")(sitting)
    assert sitting.table.view().last_move is None
    assert sitting.table.view().offer is None


@pytest.mark.parametrize("what", [puzzled("e4", "e5", "f4"), disturbed("e4", "e5", "f4")])
def test_the_board_shall_become_what_it_was_before(what: Act) -> None:
    """The squares are named, sensing expects it, and afterwards it is the same player's turn."""
    sitting = Sitting()
    sitting.move("i4", "i5")
    sitting.move("a7", "a6")
    sitting.read("e4", "e5")
    what(sitting)
    view = sitting.table.view()
    assert (view.phase, view.ask, view.turn, view.ply) == (Phase.RESTORING, Ask.TAKEN_BACK, RED, 2)
    assert {(fix.square, fix.wanted) for fix in view.fixes} == {("e4", RED), ("e5", None), ("f4", RED)}
    assert (view.last_move.source, view.last_move.final) == ("a7", True)  # type: ignore[union-attr]  # there is one
    (order,) = sitting.steps[-1].orders
    assert isinstance(order, Expect)
    assert order.occupants[sitting.square("e4")] is RED
    assert sitting.square("e5") not in order.occupants
    step = sitting.see(Agreed(0))
    assert isinstance(step.orders[-1], Follow)
    assert step.orders[-1].situation.turn is RED
    assert sitting.table.view().ask is None
    sitting.read("e4", "e5")
    assert sitting.kinds()[-1] == "move.read"


def test_a_final_move_stays_final() -> None:
    """Its own square is asked for as it is now."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    puzzled("e4", "e5")(sitting)
    view = sitting.table.view()
    assert (view.ask, view.ply, view.occupants.get("e5")) == (Ask.NOT_UNDERSTOOD, 1, RED)


def test_the_event_names_the_ply_that_never_was() -> None:
    """And whose it was, from where to where."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.read("a7", "a6")
    step = sitting.see(Puzzled(differ(sitting, "a6"), 0))
    event = step.facts[0].event
    assert event is not None
    assert (event.kind, event.ply, event.seat, event.source, event.target) == (BACK, 2, BLUE, "a7", "a6")


def test_a_border_crossed_and_taken_back_was_never_crossed() -> None:
    """Otherwise the fourth crossing, which is the third that counts, would be barred."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("a7", "a6")
    for _ in range(2):  # the piece goes to and fro without its player letting go of it
        sitting.read("e5", "e4")
        puzzled("e4", "e5")(sitting)
        sitting.see(Agreed(0))
    for red, blue in ((("e5", "e4"), ("a6", "a5")), (("e4", "e5"), ("b7", "b6"))):
        sitting.move(*red)
        sitting.move(*blue)
    sitting.read("e5", "e4")
    assert sitting.table.view().barred == "two-squares"
    assert sitting.kinds().count("move.refused") == 1


def test_the_record_has_only_what_was_played() -> None:
    """Taken back, played anew elsewhere."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    puzzled("e5")(sitting)
    sitting.see(Agreed(0))
    sitting.move("i4", "i5")
    (ply,) = record_of((fact for step in sitting.steps for fact in step.facts), sitting.rules).plies
    assert (ply.action.source.name, ply.action.target.name) == ("i4", "i5")  # type: ignore[union-attr]  # a move


def test_what_was_offered_on_top_of_it_is_gone() -> None:
    """A claim about a position that never was; its question is closed."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.say(BLUE, ClaimImmobile(id="c"))
    number = sitting.question(RED).question
    puzzled("e5")(sitting)
    assert sitting.kinds()[-3:] == ["claim.refused", BACK, "ask"]
    assert sitting.refused(RED, Answer(id="a", question=number, choice="accept")) == "no-such-question"


def test_a_claim_waits_for_the_board_while_the_move_it_looks_at_is_in_doubt() -> None:
    """A draw does not: it is one with that move or without it."""
    for draw in (False, True):
        sitting = Sitting()
        sitting.read("e4", "e5")
        sitting.say(BLUE, OfferDraw(id="o") if draw else ClaimImmobile(id="o"))
        puzzled("f4")(sitting)
        answer = Answer(id="a", question=sitting.question(RED).question, choice="accept")
        if draw:
            sitting.say(RED, answer)
            assert sitting.kinds()[-2:] == [BACK, "end"]
            continue
        assert sitting.refused(RED, answer) == "not-now"
        sitting.see(Agreed(0))
        sitting.say(RED, Answer(id="b", question=answer.question, choice="accept"))
        assert sitting.kinds()[-3:] == [FINAL, "restored", "end"]


def test_who_gives_up_among_three_while_a_move_is_in_doubt_has_that_put_right_as_well() -> None:
    """Green leaves; red's move never was: its squares and green's are asked for at once."""
    sitting = Sitting(rules="stratego4-three")
    game = sitting.table.public_game
    assert game is not None
    sitting.see(Read(next(p for p in game.situation().prospects if not p.attack), 0))
    last = sitting.table.view().last_move
    assert last is not None
    sitting.take(sitting.table.apply(Pause(), 0))
    sitting.say(Seat.GREEN, Resign(id="r"))
    assert sitting.kinds()[-2:] == [BACK, "resigned"]
    fixes = {fix.square: fix.wanted for fix in sitting.table.view().fixes}
    assert (fixes[last.source], fixes[last.target]) == (RED, None)
