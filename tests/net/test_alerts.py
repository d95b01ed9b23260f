"""What of a table needs an arbiter, as one table of views."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.net.links.referee_link import alerts_of
from referee.net.topics.payloads import Alert, AlertKind
from referee.rules.values import Seat
from referee.table.views import Ask, Attack, ClockFace, Fix, GameEnd, Health, Phase, PublicView
from tests.net.hall import view

CALM = view(7)
RED, BLUE = Seat.RED, Seat.BLUE
OPEN = Attack(RED, "d4", "d5")


@pytest.mark.parametrize(
    ("changed", "alerts"),
    [
        ({}, []),
        ({"phase": Phase.PAUSED}, [Alert(AlertKind.PAUSED)]),
        ({"phase": Phase.PAUSED, "attack": OPEN, "ask": Ask.DECLARE}, [Alert(AlertKind.PAUSED)]),
        (
            {"phase": Phase.PAUSED, "attack": OPEN, "ask": Ask.DECLARE, "waiting_for": (BLUE,)},
            [Alert(AlertKind.NO_ANSWER, BLUE)],
        ),
        ({"phase": Phase.PAUSED, "called": (RED, BLUE)}, [Alert(AlertKind.CALLED, RED), Alert(AlertKind.CALLED, BLUE)]),
        (
            {"phase": Phase.RESTORING, "ask": Ask.ILLEGAL_MOVE, "fixes": (Fix("d4", RED), Fix("d6", None))},
            [Alert(AlertKind.ILLEGAL_MOVE, RED, "d4 d6")],
        ),
        ({"phase": Phase.RESTORING, "ask": Ask.DISTURBED}, [Alert(AlertKind.DISTURBED, RED)]),
        ({"phase": Phase.RESTORING, "ask": Ask.RESTORE}, []),
        ({"ask": Ask.CONFIRM_CLAIM}, [Alert(AlertKind.CLAIM, RED)]),
        ({"board_connected": False, "board_fault": "silent"}, [Alert(AlertKind.BOARD_LOST, None, "silent")]),
        (
            {"board_connected": False, "board_fault": "lost", "health": (Health.LOST, Health.BROWN_OUT)},
            [Alert(AlertKind.BOARD_LOST, None, "lost"), Alert(AlertKind.BOARD_HEALTH, None, "brown-out")],
        ),
        ({"health": (Health.QUEUE_FULL,)}, [Alert(AlertKind.BOARD_HEALTH, None, "queue-full")]),
        ({"connected": {RED: True, BLUE: False}}, [Alert(AlertKind.LINK_LOST, BLUE)]),
        ({"barred": "chase"}, [Alert(AlertKind.REPETITION, RED, "chase")]),
        ({"bars": {"d4": ("d5",)}}, [Alert(AlertKind.REPETITION, RED, "warning")]),
        ({"clocks": {RED: ClockFace(59_999, True), BLUE: ClockFace(10, False)}}, [Alert(AlertKind.TIME, RED)]),
        ({"clocks": {RED: ClockFace(0, False)}}, [Alert(AlertKind.TIME_OVER, RED)]),
        ({"phase": Phase.FINISHED, "result": GameEnd(RED, "flag"), "connected": {RED: False}}, []),
    ],
)
def test_what_a_view_asks_of_an_arbiter(changed: dict[str, object], alerts: list[Alert]) -> None:
    """Each is read off what everybody sees."""
    seen: PublicView = replace(CALM, **changed)  # type: ignore[arg-type]
    assert list(alerts_of(seen).alerts) == alerts


def test_the_most_urgent_comes_first_and_a_call_at_the_kiosk_counts() -> None:
    """A call outranks a lost handset, which outranks a clock; a kiosk's call has no seat."""
    seen = replace(CALM, connected={RED: False}, clocks={RED: ClockFace(1_000, True)})
    found = alerts_of(seen, [Alert(AlertKind.CALLED)])
    assert [alert.kind for alert in found.alerts] == [AlertKind.CALLED, AlertKind.LINK_LOST, AlertKind.TIME]
    assert (found.game, found.seq) == (CALM.game, CALM.seq)


def test_a_handset_that_was_thrown_off_comes_before_one_that_is_only_away() -> None:
    """No view shows why it is gone; what is over needs nobody for that."""
    seen = replace(CALM, connected={RED: False})
    thrown_off = Alert(AlertKind.THROWN_OFF, RED)
    assert alerts_of(seen, [thrown_off]).alerts == (thrown_off, Alert(AlertKind.LINK_LOST, RED))
    assert alerts_of(replace(seen, phase=Phase.FINISHED), [thrown_off]).alerts == ()
