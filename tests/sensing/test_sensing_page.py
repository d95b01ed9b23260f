"""The page about sensing says the times that the code has."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import referee.sensing as room
from referee.sensing import Timing

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "sensing.md").read_text(encoding="utf-8")


def test_every_time_stands_on_the_page() -> None:
    """Name and number, all of them and nothing else."""
    told = {name: int(ms) for name, ms in re.findall(r"^\| `(\w+)` \| (\d+) \|", PAGE, re.MULTILINE)}
    assert told == asdict(Timing())


def test_every_observation_stands_on_the_page() -> None:
    """Each class of the union has its row."""
    rows = set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE))
    said = {
        "Lifted",
        "Returned",
        "Read",
        "Revised",
        "Unread",
        "Final",
        "AttackSeen",
        "Puzzled",
        "Disturbed",
        "Agreed",
        "Seen",
        "Masked",
    }
    assert said <= rows
    assert said <= set(room.__all__)
