"""Hands in a demo that must not cross: see `referee.simulated_players.player`."""

from __future__ import annotations

from referee.rules.values import Seat
from referee.simulated_players.player import WaitingHands

LIFT, REMOVE, PUT = (
    {"motion": "lift", "square": "i6"},
    {"motion": "remove", "square": "i4"},
    {"motion": "put", "square": "i4"},
)
BOTH, MOVE = {"motion": "both", "from": "j4", "target": "i4"}, {"motion": "move", "from": "a1", "to": "a2"}


def test_the_next_player_waits_until_the_winner_has_exchanged_the_pieces() -> None:
    """However early he hears that the board agrees; and what he wishes comes after it, in order."""
    hands = WaitingHands()
    assert hands.wish(Seat.YELLOW, LIFT) == [LIFT]
    assert hands.wish(Seat.RED, BOTH) == []
    assert hands.wish(Seat.YELLOW, REMOVE) == [REMOVE]
    assert hands.wish(Seat.RED, MOVE) == []
    assert hands.wish(Seat.YELLOW, PUT) == [PUT, BOTH, MOVE]
    assert hands.wish(Seat.BLUE, MOVE) == [MOVE]


def test_a_lost_piece_is_waited_for_no_longer() -> None:
    """Its player puts nothing down. One who lifts next is waited for anew."""
    hands = WaitingHands()
    hands.wish(Seat.YELLOW, LIFT)
    assert hands.wish(Seat.RED, LIFT) == []
    assert hands.wish(Seat.BLUE, MOVE) == []
    assert hands.lost() == [LIFT]
    assert hands.wish(Seat.RED, PUT) == [PUT, MOVE]
