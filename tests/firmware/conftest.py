"""What the firmware's tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.firmware.host_core import LINEAR, HostCore


@pytest.fixture(scope="module")
def shared() -> Iterator[HostCore]:
    """Return one core for all tests of a module and all examples of a property: each begins with an erased store and a start."""
    with HostCore(LINEAR) as core:
        yield core
