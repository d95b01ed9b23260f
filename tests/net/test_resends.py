"""What a seat may have sent again: bounded in bytes and in letters, for each seat alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.net.links.connection import MOST_UNDER_WAY, MOST_WAITING, Rate, Resends
from referee.net.sealing.sealing import KEPT, LARGE_PAYLOAD
from referee.rules.values import Seat

KIB = 1024
WHOLE = KEPT * LARGE_PAYLOAD
"""Bytes of the most that one hello can ask for."""


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ([(0.0, 1024 * KIB)], [True]),
        ([(0.0, 1024 * KIB + 1)], [False]),
        ([(0.0, 1024 * KIB), (0.0, 1)], [True, False]),
        ([(0.0, 1024 * KIB), (1.0, 256 * KIB), (1.0, 1)], [True, True, False]),
        (
            [(0.0, 1024 * KIB), (0.5, 256 * KIB), (1.0, 256 * KIB)],
            [True, False, True],
        ),  # what is refused is not counted
        ([(0.0, 1024 * KIB), (3600.0, 1024 * KIB), (3600.0, 1)], [True, True, False]),  # no more is saved up
    ],
)
def test_a_seat_has_a_mebibyte_at_once_and_a_quarter_a_second(
    asked: list[tuple[float, int]], taken: list[bool]
) -> None:
    """At these times, so many bytes."""
    budget = Resends()
    assert [budget.take(at_s, size) for at_s, size in asked] == taken


@given(
    st.lists(st.tuples(st.floats(0, 5), st.integers(1, WHOLE + LARGE_PAYLOAD)), max_size=200),
)
def test_whatever_is_asked_for_never_costs_more(asked: list[tuple[float, int]]) -> None:
    """Between any two moments no more is sent than the bucket holds and gains; and whoever waits for it to fill gets a whole resend."""
    budget, now_s = Resends(), 0.0
    sent: list[tuple[float, int]] = []
    for wait_s, size in asked:
        now_s += wait_s
        if budget.take(now_s, size):
            sent.append((now_s, size))
    for place, (began_s, _) in enumerate(sent):
        total = 0
        for at_s, size in sent[place:]:
            total += size
            assert total <= Resends.BURST + Resends.PER_S * (at_s - began_s) + 1e-3
    assert budget.take(now_s + Resends.BURST / Resends.PER_S, WHOLE + LARGE_PAYLOAD)


@given(st.lists(st.floats(0, 2), max_size=300))
def test_one_message_counts_as_one(waits_s: list[float]) -> None:
    """The limit by number is as it was: 200 at once, 20 a second."""
    rate, now_s, taken = Rate(), 0.0, 0
    for wait_s in waits_s:
        now_s += wait_s
        taken += rate.take(now_s)
        assert taken <= Rate.BURST + Rate.PER_S * now_s + 1e-6


def test_all_seats_together_leave_room_for_what_is_public() -> None:
    """A whole resend fits under way; four seats that each fill theirs do not fill the queue to the broker."""
    assert KEPT < MOST_UNDER_WAY
    assert len(Seat) * MOST_UNDER_WAY <= 3 * MOST_WAITING // 4
