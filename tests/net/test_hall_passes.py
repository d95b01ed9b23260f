"""Tables let into a hall whose broker runs: it opens to the network with the first pass, and a new pass makes the old one worthless."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.net.broker.hall_broker import HallBroker, HallPass, tables_in
from referee.net.credential import Address, Credential
from referee.net.errors import BrokerRefusedError
from referee.net.links.connection import Connection
from referee.net.sealing.signing import StationKey
from referee.net.topics.topics import Role, published_by

pytestmark = pytest.mark.process
LOOPBACK = "127.0.0.1"


def knock(given: HallPass) -> None:
    """Come with a pass, and leave again. Raises `BrokerRefusedError` where it opens nothing."""
    place = Credential(Role.BRIDGE, given.user, given.password, Address(LOOPBACK, given.port), given.board)
    reads = [(topic, 1) for topic in published_by(Role.STATION, given.board)]
    connection = Connection(place, reads, on_message=lambda topic, payload: None)
    connection.start()
    connection.stop()


def test_passes_while_the_broker_runs(tmp_path: Path) -> None:
    """Let in, shut out with the old pass, let in with the new one, also after the broker has been started anew."""
    key = StationKey.create().public
    hall = HallBroker.start(tmp_path, host="0.0.0.0", is_open=False)  # as a station has it
    try:
        closed, first = hall.address, hall.pid
        old = hall.admit("t1", key, LOOPBACK)
        assert hall.admit("t1", key, LOOPBACK) == old
        hall.open()
        assert (closed.host, hall.address.host) == (LOOPBACK, "0.0.0.0")  # compared with
        assert hall.address.port == closed.port == old.port
        assert hall.pid != first
        knock(old)
        new = hall.admit("t1", key, LOOPBACK, anew=True)
        with pytest.raises(BrokerRefusedError):
            knock(old)
        knock(new)
        opened = hall.pid
        hall.open()
        assert hall.pid == opened  # there was room
        hall.stop()
        hall.restart()
        with pytest.raises(BrokerRefusedError):
            knock(old)
        knock(new)
        assert tables_in(tmp_path) == ("t1",)
    finally:
        hall.stop()
