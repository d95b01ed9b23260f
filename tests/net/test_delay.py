"""Spectators see a board late, and by no other way: the line of what waits, and the service on a real broker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.net.broker.hall_broker import HallBroker
from referee.net.credential import KeyPair
from referee.net.links.public_links import Delayed, DelayLine, DelayLink, SpectatorLink
from referee.net.links.referee_link import RefereeLink
from referee.net.topics import codec, topics
from referee.net.topics.payloads import FromBoard, LinkUp
from referee.net.topics.topics import Role, Topic
from referee.rules.values import Seat
from referee.table.views import ClockFace, PublicEvent, PublicView
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.hall import BOARD, Inbox, Stranger, event, info, view

STEPS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 400)), max_size=60)


def _said(board: str, seq: int) -> tuple[Delayed, PublicEvent]:
    return Delayed(board, Topic.EVENT, str(seq).encode()), event(seq)


@given(STEPS, st.integers(0, 500))
def test_nothing_leaves_early_and_nothing_is_lost(steps: list[tuple[str, int]], delay_s: int) -> None:
    """Whatever comes when: each message leaves at the first look that finds it old enough, in its board's order."""
    line, now_s, came, left = DelayLine(delay_s), 0, [], []
    for number, (board, pause_s) in enumerate(steps):
        now_s += pause_s
        came.append((now_s, board, number))
        line.take(*_said(board, number), now_s)
        for one in line.due(now_s):
            left.append((now_s, one.board, int(one.payload)))
        due = {number for at_s, _, number in came if now_s - at_s >= delay_s}
        assert {number for _, _, number in left} == due
    for board in "abc":
        assert [number for _, whose, number in left if whose == board] == sorted(
            number for _, whose, number in left if whose == board
        )
    assert line.waiting == len(came) - len(left)


def test_a_state_whose_clocks_alone_ran_on_is_kept_once() -> None:
    """A table tells its state every five seconds while a clock runs; spectators' screens count by themselves."""
    line = DelayLine(10)
    ticking = [replace(view(3), clocks={Seat.RED: ClockFace(left_ms=left_ms, runs=True)}) for left_ms in (9000, 4000)]
    for at_s, state in enumerate([view(2), *ticking, replace(view(3), ply=1)]):
        line.take(Delayed(BOARD, Topic.STATE, str(at_s).encode()), state, at_s)
    assert [one.payload for one in line.due(100)] == [b"0", b"1", b"3"]


def test_a_board_that_says_too_much_loses_its_oldest_and_no_other_board_does() -> None:
    """The limit is each board's own; what is dropped is counted and never shown early."""
    line = DelayLine(10, most=2)
    for number in range(4):
        line.take(*_said("loud", number), 0)
    line.take(*_said("calm", 9), 0)
    assert line.dropped == 2
    assert not list(line.due(9.9))
    assert [(one.board, one.payload) for one in line.due(10)] == [("loud", b"2"), ("loud", b"3"), ("calm", b"9")]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallBroker]:
    """A hall's broker with one board that has none of its own."""
    broker = HallBroker.start(tmp_path / "hall", whole=[BOARD])
    yield broker
    broker.stop()


@pytest.mark.process
def test_spectators_see_a_board_only_late(hall: HallBroker) -> None:
    """On a real broker: a spectator who asks for everything gets nothing until the time has passed, then all of it in order."""
    now_s = [0.0]
    referee = RefereeLink(hall.credential(BOARD, Role.REFEREE, own=KeyPair.create()), on_value=Inbox())
    service = DelayLink(hall.client(Role.DELAY), DelayLine(900), clock=lambda: now_s[0])
    watcher, station = Inbox(), Stranger(hall.client(Role.STATION))
    spectator = SpectatorLink(hall.client(Role.SPECTATOR), on_value=watcher)
    service.start()
    spectator.start()
    referee.start()
    try:
        watcher.wait(LinkUp)
        station.subscribe(*topics.hall_reads())
        referee.publish_info(info())
        referee.publish_event(event(1))
        referee.publish_state(view(1))
        station.wait_for(topics.address(Topic.STATE, BOARD), b'"seq":1')
        wait_until(lambda: service.waiting == 3)
        now_s[0] = 899.9
        service.release()
        referee.publish_state(view(2))
        wait_until(lambda: service.waiting == 4)
        assert not watcher.of(FromBoard)
        now_s[0] = 900.0
        service.release()
        watcher.wait(FromBoard, lambda got: isinstance(got.value, PublicView))
        kinds = [type(got.value) for got in watcher.of(FromBoard)]
        assert sorted(kind.__name__ for kind in kinds) == ["PublicEvent", "PublicInfo", "PublicView"]
        assert watcher.of(FromBoard)[-1].value == view(1)
        assert service.waiting == 1
    finally:
        for one in (referee, spectator, service, station):
            one.stop()


@pytest.mark.process
def test_no_path_to_a_spectator_is_undelayed(hall: HallBroker) -> None:
    """As an attacker: the spectators' user subscribes to every topic there is, and is delivered the delayed copy alone."""
    stranger = Stranger(hall.client(Role.SPECTATOR))
    referee = RefereeLink(hall.credential(BOARD, Role.REFEREE, own=KeyPair.create()), on_value=Inbox())
    delay = Stranger(hall.client(Role.DELAY))
    station = Stranger(hall.client(Role.STATION))
    referee.start()
    try:
        blanks = {"board": BOARD, "seat": "red", "event": "cup"}
        spelt = [f"{topics.ROOT}/{topic.value.format(**blanks)}" for topic in Topic]
        stranger.subscribe("#", "hallmarshal/#", "hallmarshal/1/+/+/pub/#", "$share/x/hallmarshal/1/boards/#", *spelt)
        referee.publish_info(info())
        referee.publish_event(event(1))
        referee.publish_state(view(1))
        station.publish(f"{topics.ROOT}/events/cup/pub/standings", b"{}", retain=True)
        stranger.publish(topics.delayed(BOARD, Topic.STATE), b"forged by a spectator", retain=True)
        delay.publish(topics.delayed(BOARD, Topic.STATE), b"the last that was sent")
        stranger.wait_for(topics.delayed(BOARD, Topic.STATE), b"the last that was sent")
        assert stranger.got == [(topics.delayed(BOARD, Topic.STATE), b"the last that was sent")] * len(stranger.got)
    finally:
        for one in (referee, stranger, delay, station):
            one.stop()


@pytest.mark.parametrize("topic", topics.DELAYED)
def test_the_copy_has_the_name_of_what_it_copies(topic: Topic) -> None:
    """Golden addresses; parsing is the reverse."""
    name = {Topic.INFO: "info", Topic.STATE: "state", Topic.EVENT: "event"}[topic]
    assert topics.delayed("b1", topic) == f"hallmarshal/1/spec/b1/{name}"
    assert topics.parse_delayed(topics.delayed("b1", topic)) == ("b1", topic)
    for text in ("hallmarshal/1/spec/b1/x", "hallmarshal/1/boards/b1/pub/state", "hallmarshal/1/spec/+/state", "spec"):
        assert topics.parse_delayed(text) is None


@pytest.mark.process
def test_a_damaged_message_is_left_out(hall: HallBroker) -> None:
    """What a board's user sends that is no view, or another board's, is counted and never copied."""
    service = DelayLink(hall.client(Role.DELAY), DelayLine(0))
    board = Stranger(hall.credential(BOARD, Role.REFEREE))
    service.start()
    try:
        foreign = replace(view(1), board_id="other")
        board.publish(topics.address(Topic.STATE, BOARD), b"nonsense")
        board.publish(topics.address(Topic.STATE, BOARD), codec.encode_public(foreign))
        wait_until(lambda: service.figures().faults == 2)
        assert service.waiting == 0
    finally:
        board.stop()
        service.stop()
