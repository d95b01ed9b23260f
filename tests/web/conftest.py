"""One browser for all tests of the page; each test has contexts of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from benchmarks.browser import chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium."""
    with chromium() as running:
        yield running
