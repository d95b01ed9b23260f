"""Where pieces were, and when."""

from __future__ import annotations

from referee.rules.values import Seat
from referee.sensing.tracks import Track, Visit


def test_a_piece_that_two_squares_see_is_on_its_way() -> None:
    """Drawn over a border, it rested on the first square only until the second one saw it, however long the first sees it still."""
    way = Track(Seat.RED, (Visit(4, 0, 0), Visit(5, 990, 1000)))
    first, second = way.leaves(4, 1400, 1410).visits
    assert first == Visit(4, 0, 0, 990, 1410)
    assert second == Visit(5, 990, 1000)
