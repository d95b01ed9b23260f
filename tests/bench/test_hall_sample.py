"""The hall bench in small: two tables for a few seconds at a real broker, no event lost and none missing between two others."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks import hall


@pytest.mark.process
def test_sample(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both tables play, all that they say reaches the station once, and the report stands in the page."""
    # what is said while people sit down comes for certain, and is timed here: their first moves may come too late for so few seconds
    monkeypatch.setattr(hall, "_SEATING_S", 0.0)
    page = tmp_path / "scale.md"
    page.write_text("<!-- hall-2 -->\n<!-- /hall-2 -->\n")
    figures = hall.run(argparse.Namespace(tables=2, seconds=4, seed=3, page=page))
    assert figures["games"] == 2
    assert isinstance(figures["events"], int)
    assert figures["events"] > 0
    assert (figures["lost"], figures["gaps"], figures["twice"], figures["faults"]) == (0, 0, 0, 0)
    assert f"| events | {figures['events']} |" in page.read_text()


def test_figures_find_what_is_missing() -> None:
    """Golden: one event never came, one came twice, one was slow; what was said while people sat down is not timed."""
    second = 1_000_000_000
    sent = [("t", "g", seq, (21 + seq) * second) for seq in range(4)] + [("t", "g", 4, second)]
    heard = {("t", "g", seq): [at_ns + 5_000_000] for _, _, seq, at_ns in sent if seq != 1}
    heard["t", "g", 3] = [(24 * second) + 200_000_000, 25 * second]
    found = hall._figures([{"events": sent, "plies": 2}], heard, begun_ns=0)
    assert (found["lost"], found["gaps"], found["twice"], found["events_timed"]) == (1, 1, 1, 3)
    assert found["event_to_station_ms"] == {"p50": 5.0, "p99": 200.0, "most": 200.0}
    assert found["met"] is False
