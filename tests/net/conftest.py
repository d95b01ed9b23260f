"""One broker a module, a hall with a referee on it, and both ends of a seat's letters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.net.broker.broker import Broker
from tests.net.hall import BOARD, Hall
from tests.net.sealed_ends import Ends


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Yield one Mosquitto for all tests of a module."""
    running = Broker.start(tmp_path_factory.mktemp("broker"), BOARD)
    yield running
    running.stop()


@pytest.fixture
def hall(broker: Broker) -> Iterator[Hall]:
    """Yield a hall on the module's broker."""
    made = Hall(broker)
    yield made
    made.close()


@pytest.fixture
def ends() -> Ends:
    """Return both ends, after their greeting."""
    return Ends()
