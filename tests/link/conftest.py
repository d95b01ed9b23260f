"""One broker a module, and a hall with a referee on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.link.broker import Broker
from tests.link.hall import BOARD, Hall


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Give one Mosquitto for all tests of a module."""
    running = Broker.start(tmp_path_factory.mktemp("broker"), BOARD)
    yield running
    running.stop()


@pytest.fixture
def hall(broker: Broker) -> Iterator[Hall]:
    """Give a hall on the module's broker."""
    made = Hall(broker)
    yield made
    made.close()
