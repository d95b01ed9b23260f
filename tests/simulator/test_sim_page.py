"""docs/reference/simulator.md: what it shows is what the simulator does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from firmware_bridge.messages import Hello, Reading
from hardware import load_board
from simulator.board import SimBoard
from simulator.motions import MOTIONS, parse_motion
from simulator.profiles import TABLES, load_profile, profile_names

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/simulator.md").read_text(encoding="utf-8")


def test_the_motions_on_the_page_can_be_played() -> None:
    """In their order, on an empty board, every example is a motion; at the end nothing stands there."""
    lines = PAGE.partition("```json\n")[2].partition("```")[0].splitlines()
    board = SimBoard(load_board("travel-10x10"), 1)
    board.start()
    for line in lines:
        motion, after_ms = parse_motion(json.loads(line))
        board.play(motion, after_ms)
    assert board.occupied() == {}
    assert {json.loads(line)["motion"] for line in lines} == set(MOTIONS)


def test_the_python_on_the_page_runs() -> None:
    """The example runs as it stands, and at its end the attacker stands where the defender stood."""
    code = PAGE.partition("```python\n")[2].partition("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    board, messages = names["board"], names["messages"]
    assert isinstance(board, SimBoard)
    assert isinstance(messages, list)
    assert board.occupied() == {"b4": Reading.RED, "b5": Reading.BLUE, "a7": Reading.RED}
    assert isinstance(messages[0], Hello)


def profile_rows() -> list[str]:
    """Return the rows of the table of profiles, as the data have them."""
    profiles = [load_profile(name) for name in profile_names()]
    rows = []
    for table, keys in TABLES.items():
        for key in keys:
            values = [getattr(getattr(profile, table), key.name) for profile in profiles]
            texts = [f"{value[0]}-{value[1]}" if isinstance(value, tuple) else f"{value:g}" for value in values]
            rows.append(f"| {table}.{key.name} | {key.about} | " + " | ".join(texts) + " |")
    return rows


def test_the_profiles_on_the_page() -> None:
    """Every share of every profile stands on the page, no other row does, and what each profile is like is told."""
    table = PAGE.partition("## Noise profiles")[2].partition("\n## ")[0]
    assert [
        line for line in table.splitlines() if line.startswith("| ") and "." in line.split("|")[1]
    ] == profile_rows()
    for name in profile_names():
        assert f"`{name}`: {load_profile(name).about}" in table


def test_what_the_page_says_is_tried_is_tried() -> None:
    """Every test that is named in the table stands in its file."""
    table = PAGE.partition("## What can happen, and where it is tried")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", table)
    assert len(rows) >= 25
    assert all("::test_" in row for row in rows)
    for file, name in named:
        source = (Path(__file__).parent / file).read_text(encoding="utf-8")
        assert f"def {name}(" in source, f"{file}::{name}"
