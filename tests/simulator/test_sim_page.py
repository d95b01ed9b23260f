"""docs/reference/simulator.md: what it shows is what the simulator does."""

from __future__ import annotations

import json
from pathlib import Path

from hardware import load_board
from simulator import SimBoard, parse_motion
from simulator.motions import MOTION_NAMES

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
    assert {json.loads(line)["motion"] for line in lines} == set(MOTION_NAMES)
