"""When it asks, it says what it saw: what sensing says, what the view then shows, and for how long."""

from __future__ import annotations

import pytest

from referee.presentation.sentences import detail
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Disturbed, Puzzled, Reading
from referee.table.inputs import BoardDiffers, Pause, Resume
from referee.table.messages import Declare
from referee.table.views import Ask, Found, Sighting
from referee.words import words
from tests.table.sitting import BLUE, RED, Sitting

READINGS = {
    "empty": (Reading.EMPTY, None),
    "piece": (Reading.RED, None),
    "red": (Reading.RED, RED),
    "blue": (Reading.BLUE, BLUE),
    "unclear": (Reading.UNSURE, None),
}


def differ(sitting: Sitting, told: str) -> tuple[Difference, ...]:
    """Return differences from `e4:empty f5:red`: what each square shows, and on boards that tell poles whose it is."""
    occupants = sitting.table.view().occupants
    words = (word.split(":") for word in told.split())
    return tuple(Difference(sitting.square(name), occupants.get(name), *READINGS[found]) for name, found in words)


def saw(sitting: Sitting) -> str:
    """Return what the view shows, in the same words."""
    words = {"empty": "empty", "piece": "piece", "unclear": "unclear"}
    return " ".join(f"{s.square}:{s.seat.value if s.seat else words[s.found.value]}" for s in sitting.table.view().saw)


@pytest.mark.parametrize(
    "told",
    ["e4:empty", "e4:empty f5:red", "f5:piece", "f5:unclear i4:empty", "e7:red", "e4:blue"],
)
def test_each_square_is_named_with_what_it_shows(told: str) -> None:
    """As sensing saw it, in its order; with the army only where poles tell it."""
    sitting = Sitting()
    sitting.see(Puzzled(differ(sitting, told), 0))
    assert saw(sitting) == told
    assert sitting.table.view().ask is Ask.NOT_UNDERSTOOD


def test_a_board_that_was_swept_says_what_lies_where() -> None:
    """All of it: a screen shows the first few."""
    sitting = Sitting()
    told = "e4:empty f4:empty i4:empty f5:red e5:red a7:unclear"
    sitting.see(Disturbed(differ(sitting, told), 0))
    assert (saw(sitting), sitting.table.view().ask) == (told, Ask.DISTURBED)


def test_a_move_that_is_taken_back_says_why() -> None:
    """What was seen is told; what shall be put right covers the move's own squares as well."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.see(Puzzled(differ(sitting, "e5:empty f5:red"), 0))
    view = sitting.table.view()
    assert (saw(sitting), view.ask) == ("e5:empty f5:red", Ask.TAKEN_BACK)
    assert [fix.square for fix in view.fixes] == ["e4", "e5", "f5"]


def test_the_piece_that_was_lifted_again_is_what_was_seen() -> None:
    """Something else was put right, and the piece of the last move is up: nothing stands on its square."""
    sitting = Sitting()
    sitting.read("e4", "e5")
    sitting.see(Puzzled(differ(sitting, "f4:empty"), 0))
    assert saw(sitting) == "f4:empty"
    sitting.see(Agreed(0, 0, sitting.square("e5")))
    assert (saw(sitting), sitting.table.view().ask) == ("e5:empty", Ask.TAKEN_BACK)


def test_it_stays_said_while_hands_put_the_board_right() -> None:
    """The squares to put right follow the hands, what was seen does not; a new puzzle is what was seen last."""
    sitting = Sitting()
    sitting.see(Puzzled(differ(sitting, "e4:empty e5:red f4:empty"), 0))
    sitting.take(sitting.table.apply(BoardDiffers(differ(sitting, "f4:empty")), 0))
    assert [fix.square for fix in sitting.table.view().fixes] == ["f4"]
    assert saw(sitting) == "e4:empty e5:red f4:empty"
    sitting.see(Puzzled(differ(sitting, "f4:empty f5:red"), 0))
    assert saw(sitting) == "f4:empty f5:red"
    sitting.see(Agreed(0))
    assert saw(sitting) == ""


def test_a_pause_begins_anew() -> None:
    """The board is compared afterwards, and says then what it sees."""
    sitting = Sitting()
    sitting.see(Puzzled(differ(sitting, "e4:empty"), 0))
    sitting.take(sitting.table.apply(Pause(), 0))
    assert saw(sitting) == ""
    sitting.take(sitting.table.apply(Resume(), 0))
    assert saw(sitting) == ""
    sitting.see(Puzzled(differ(sitting, "e4:empty"), 0))
    assert (saw(sitting), sitting.table.view().ask) == ("e4:empty", Ask.NOT_UNDERSTOOD)


def test_what_has_to_be_taken_off_needs_no_reason() -> None:
    """After a verdict everybody knows why: only the squares are named."""
    sitting = Sitting()
    sitting.move("e4", "e5")
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    for seat, rank in ((Seat.RED, Rank.MARSHAL), (Seat.BLUE, Rank.SPY)):
        sitting.say(seat, Declare(id="d", question=sitting.question(seat).question, rank=rank))
    assert sitting.table.view().ask is Ask.REMOVE_CAPTURED
    sitting.see(Puzzled(differ(sitting, "e6:empty"), 0))
    view = sitting.table.view()
    assert (view.saw, view.ask, [fix.square for fix in view.fixes]) == ((), Ask.REMOVE_CAPTURED, ["e6"])
    assert detail(sitting.table.info(), view, words("en")).endswith("piece on e6")
    sitting.take(sitting.table.apply(BoardDiffers(()), 0))  # all is done, and the board looks for a moment longer
    assert detail(sitting.table.info(), sitting.table.view(), words("en")) == "e5 attacks e6: The attacker wins"


def test_a_sighting_has_no_place_for_a_rank() -> None:
    """Where something stands and whose it is: what everybody sees who looks at the board."""
    assert Sighting.__slots__ == ("square", "found", "seat")
    assert {found.value for found in Found} == {"empty", "piece", "unclear"}
