"""One broker a module, and a scene on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.net.broker.broker import Broker
from tests.net.hall import BOARD, Hall
from tests.security.scene import Scene


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Yield one Mosquitto for all tests of a module."""
    running = Broker.start(tmp_path_factory.mktemp("broker"), BOARD)
    yield running
    running.stop()


@pytest.fixture
def scene(broker: Broker) -> Iterator[Scene]:
    """Yield a table with an honest red and a hostile blue."""
    hall = Hall(broker)
    yield Scene(hall)
    hall.close()
