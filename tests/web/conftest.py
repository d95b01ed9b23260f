"""One browser for the tests of a module; each test has contexts of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.handset import chromium
from tests.patience import PATIENCE_MS
from tests.web.relay import Relay
from tests.web.whole_game import Wires

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running Chromium. It keeps an event loop in this thread while it lives, which other modules' tests could not bear."""
    with chromium() as running:
        yield running


@pytest.fixture
def wires() -> Iterator[Wires]:
    """Makes wires, and takes them away."""
    with ExitStack() as stack:

        def make(host: str, port: int) -> Relay:
            return stack.enter_context(closing(Relay(host, port)))

        yield make
