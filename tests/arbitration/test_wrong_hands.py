"""Hands that did what no rule allows hear the fault by its name, and no name rests on a hidden rank."""

from __future__ import annotations

import pytest

from kiosk_ui.sentences import Contact, headline
from referee.arbitration.messages import Told
from referee.arbitration.views import Ask, Mode, Phase
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Puzzled, Reading
from referee.words import words
from tests.arbitration.sitting import BLUE, RED, Sitting

POLES = {RED: Reading.RED, BLUE: Reading.BLUE}
PIECES = {
    RED: {"a1": Rank.FLAG, "b4": Rank.MINER, "e4": Rank.SCOUT, "f4": Rank.MARSHAL, "b6": Rank.SPY},
    BLUE: {"a10": Rank.FLAG, "b9": Rank.SCOUT, "e5": Rank.BOMB, "f6": Rank.MINER},
}


def seen(sitting: Sitting, hands: str, *, poles: bool = True) -> tuple[Difference, ...]:
    """Give what sensing tells of hands like `b4. c3r`: what each square shows, and whose it is where poles tell."""
    occupants, found = sitting.table.view().occupants, []
    for item in hands.split():
        name, shown = (
            item[:-1],
            {".": Reading.EMPTY, "r": Reading.RED, "b": Reading.BLUE, "?": Reading.UNSURE}[item[-1]],
        )
        whose = next((seat for seat, pole in POLES.items() if pole is shown), None) if poles else None
        found.append(Difference(sitting.square(name), occupants.get(name), shown, whose))
    return tuple(found)


def after(hands: str, mode: Mode = Mode.ENROL, *, poles: bool = True) -> Sitting:
    """Give a table on red's turn after hands that sensing could not explain."""
    sitting = Sitting(mode)
    sitting.place(PIECES, RED)
    sitting.see(Puzzled(seen(sitting, hands, poles=poles), 0))
    return sitting


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("hands", "fault", "said"),
    [
        ("b9. b8b", "out-of-turn", "It is Red's turn"),
        ("f6. f5b", "out-of-turn", "It is Red's turn"),
        ("e5. e4b", "out-of-turn", "It is Red's turn"),
        ("b4. c3r", "diagonal", "Pieces do not move diagonally"),
        ("f4. e5r", "diagonal", "Pieces do not move diagonally"),
        ("e4. e6r", "blocked", "The way is not clear"),
        ("b6. e6r", "lake", "No piece crosses a lake"),
        ("f4. e4.", "own-piece", "A piece of your own stands there"),
        ("b4. c3b", None, "Putting the board right"),
        ("b4. c3?", None, "Putting the board right"),
        ("b4. c3r a2r", None, "Putting the board right"),
        ("b4. b6.", "own-piece", "A piece of your own stands there"),
        ("a2r", None, "Putting the board right"),
        ("b9. f4.", None, "Putting the board right"),
    ],
)
def test_the_fault_is_named(mode: Mode, hands: str, fault: str | None, said: str) -> None:
    """To everybody alike, whether or not the referee knows the ranks; where more than one piece was moved nobody is blamed."""
    sitting = after(hands, mode)
    view = sitting.table.view()
    assert (view.phase, view.ask, view.fault) == (Phase.RESTORING, Ask.NOT_UNDERSTOOD, fault)
    assert headline(sitting.table.info(), view, words("en"), Contact.LIVE)[0] == said
    assert not [letter for letter in sitting.letters(RED) + sitting.letters(BLUE) if isinstance(letter, Told)]
    sitting.see(Agreed(0))
    assert sitting.table.view().fault is None


def test_without_poles_the_one_piece_that_is_gone_says_whose_it_was() -> None:
    """Occupancy only."""
    assert after("b9. b8r", poles=False).table.view().fault == "out-of-turn"
    assert after("b4. c3r", poles=False).table.view().fault == "diagonal"


def test_what_rests_on_a_hidden_rank_is_told_to_its_owner_alone() -> None:
    """The miner ran three squares: everybody hears that this was no move, its owner that a miner moves one square."""
    sitting = Sitting(Mode.ENROL)
    sitting.place(PIECES | {RED: {**PIECES[RED], "j2": Rank.MINER}}, RED)
    sitting.read("j2", "j5")
    view = sitting.table.view()
    assert (view.ask, view.fault, view.barred) == (Ask.ILLEGAL_MOVE, None, None)
    told = sitting.letters(RED)[-1]
    assert isinstance(told, Told)
    assert told.reason == "too-far"
    assert not [letter for letter in sitting.letters(BLUE) if isinstance(letter, Told)]


@pytest.mark.parametrize("seat", [Seat.RED, Seat.BLUE])
def test_the_words_are_the_same_whatever_the_piece_is(seat: Seat) -> None:
    """Each rank of the army on b4, moved wrongly: one and the same public view."""
    views = set()
    for rank in (Rank.BOMB, Rank.SCOUT, Rank.MINER, Rank.MARSHAL, Rank.SPY):
        sitting = Sitting(Mode.ENROL)
        square, wrong = ("b4", "b4. c3r") if seat is RED else ("b9", "b9. c8b")
        sitting.place({**PIECES, seat: {**PIECES[seat], square: rank}}, seat)
        sitting.see(Puzzled(seen(sitting, wrong), 0))
        view = sitting.table.view()
        views.add((view.fault, view.ask, view.fixes, view.saw))
    assert len(views) == 1
    assert views.pop()[0] == "diagonal"
