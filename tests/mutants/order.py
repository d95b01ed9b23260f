"""Plugin of pytest for the runs on mutants: the quickest tests first, as one that fails ends the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests by how long they took when mutmut measured them."""
    measured = Path("mutmut-stats.json")
    if measured.is_file():
        took_s = json.loads(measured.read_text(encoding="utf-8"))["duration_by_test"]
        items.sort(key=lambda item: took_s.get(item.nodeid, 0.0))
