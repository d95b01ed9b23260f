"""A table's own broker joined to the hall's: cut and joined again nothing is lost, and what is the seats' never crosses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.net.broker.broker import Broker
from referee.net.broker.hall_broker import HallBroker
from referee.net.sealing.signing import StationKey
from referee.net.topics import topics
from referee.net.topics.payloads import ArbiterOrder, AskFacts, Bridge, FromBoard, SignedOrder, Status
from referee.net.topics.topics import Role, Topic
from referee.rules.values import Seat
from referee.table.views import PublicEvent, PublicView
from referee.tournament.hall.station import StationLink
from tests.net.hall import BOARD, Hall, Inbox, event, view
from tests.web.relay import Relay

pytestmark = pytest.mark.process


class Joined(NamedTuple):
    """Two brokers with a wire between them, a whole table at the one and a station at the other."""

    hall: HallBroker
    wire: Relay
    table: Hall
    station: StationLink
    told: Inbox

    def told_events(self) -> list[int]:
        """Return the numbers of the events that reached the station, in order."""
        values = [got.value for got in self.told.of(FromBoard)]
        return [value.seq for value in values if isinstance(value, PublicEvent)]

    def wait_for_bridge(self, state: Bridge, after: int = 0) -> int:
        """Wait until the station has heard this of the bridge, after so many values. Returns how many it had heard by
        then.
        """
        self.told.wait(FromBoard, lambda got: got.value is state, after)
        return len(self.told.values)

    def wait_for_event(self, seq: int) -> None:
        """Wait until the station has heard of an event."""
        self.told.wait(FromBoard, lambda got: isinstance(got.value, PublicEvent) and got.value.seq == seq)


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[Joined]:
    """Two real brokers and a bridge."""
    key = StationKey.load_or_create(tmp_path / "station.key")
    hall = HallBroker.start(tmp_path / "hall")
    wire = Relay("127.0.0.1", hall.address.port)
    told = Inbox()
    station = StationLink(hall.client(Role.STATION), key, on_value=told)
    station.start()
    found = hall.admit(BOARD, key.public, "127.0.0.1")
    broker = Broker.start(tmp_path / "table", BOARD, bridge=replace(found, port=wire.port).bridge())
    table = Hall(broker)
    told.wait(FromBoard, lambda got: isinstance(got.value, Status))  # comes after the bridge has subscribed to orders
    yield Joined(hall, wire, table, station, told)
    table.close()
    broker.stop()
    station.stop()
    wire.close()
    hall.stop()


def test_nothing_is_lost_while_the_bridge_is_cut(joined: Joined) -> None:
    """Events before, during and after a cut reach the station, each at least once and in order; the last state is the newest.

    The station hears of the cut while it lasts, and of its end, though the referee's own status says nothing of either.
    """
    for seq in range(1, 6):
        joined.table.referee.publish_event(event(seq))
    joined.wait_for_event(5)
    joined.wait_for_bridge(Bridge.JOINED)
    joined.wire.cut()
    heard_by_then = joined.wait_for_bridge(Bridge.CUT)
    for seq in range(6, 106):
        joined.table.referee.publish_event(event(seq))
        joined.table.referee.publish_state(view(seq))
    joined.wire.mend()
    joined.wait_for_event(105)
    joined.table.referee.publish_event(event(106))
    joined.wait_for_event(106)
    heard = joined.told_events()
    assert sorted(set(heard)) == list(range(1, 107))
    first = sorted(set(heard), key=heard.index)
    assert first == list(range(1, 107))
    states = [got.value for got in joined.told.of(FromBoard) if isinstance(got.value, PublicView)]
    assert states[-1] == view(105)
    joined.wait_for_bridge(Bridge.JOINED, heard_by_then)


def test_the_hall_s_broker_may_go_and_come(joined: Joined) -> None:
    """Its Mosquitto is killed and started again: the table's broker keeps what it has to say and comes back by itself."""
    joined.table.referee.publish_event(event(1))
    joined.wait_for_event(1)
    joined.hall.stop()
    for seq in range(2, 50):
        joined.table.referee.publish_event(event(seq))
    joined.hall.restart()
    joined.wait_for_event(49)
    assert sorted(set(joined.told_events())) == list(range(1, 50))


def test_orders_come_in(joined: Joined) -> None:
    """The station's order reaches the referee behind the bridge."""
    order = ArbiterOrder(board=BOARD, session="0" * 16, game="game-1", act=AskFacts(id="o-1", reason="who moved?"))
    joined.station.order(order)
    assert joined.table.inbox.wait(SignedOrder)


def test_what_is_the_seats_never_crosses(joined: Joined) -> None:
    """Everything that a table says is said, also by a hostile handset; the wire to the hall is listened to, byte by byte."""
    red = joined.table.stranger(joined.table.pair(Seat.RED))
    kiosk = joined.table.stranger(joined.table.broker.credential(Role.KIOSK))
    kept_in = [topic for topic in Topic if Role.STATION not in topic.reads and topic.publishes is not Role.STATION]
    assert {Topic.SEAT_IN, Topic.SEAT_OUT, Topic.KIOSK_IN, Topic.KIOSK_OUT} <= set(kept_in)
    for client in (red, kiosk):
        for topic in kept_in:
            if topic not in (Topic.DIAGNOSIS, Topic.SPECTATORS):
                client.publish(topics.address(topic, BOARD, Seat.RED), b"canary-7e1")
    red.publish(topics.address(Topic.ARBITER_COMMAND, BOARD), b"canary-7e1")
    joined.table.referee.publish_event(event(1))
    joined.wait_for_event(1)
    assert topics.address(Topic.EVENT, BOARD).encode() in joined.wire.heard
    assert b"canary-7e1" not in joined.wire.heard
    for topic in kept_in:
        assert topics.address(topic, BOARD, Seat.RED).removesuffix("#").encode() not in joined.wire.heard
