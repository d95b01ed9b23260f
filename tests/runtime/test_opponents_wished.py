"""Against whom phones want to play: heard so often, and then said to be chosen at the table."""

from __future__ import annotations

from referee.rules.values import Seat
from referee.runtime.computer_processes import MOST_CHANGES, OpponentsWished


def test_too_many_changes_are_not_refused_in_silence() -> None:
    """With the last wish that is heard phones stop offering a choice; a presence that says the same again costs nothing."""
    wished = OpponentsWished()
    assert not wished.take(Seat.RED, 0)
    for number in range(MOST_CHANGES):
        assert not wished.spent
        assert wished.take(Seat.RED, 1 + number % 2)
        assert not wished.take(Seat.RED, 1 + number % 2)
    assert wished.spent
    assert not wished.take(Seat.RED, 3)
    assert not wished.take(Seat.BLUE, 3)
