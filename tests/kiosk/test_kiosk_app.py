"""The living application by a clock that is driven: what fingers do, that a monkey does no harm, and how a player's clock runs out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.presentation import palette
from referee.presentation.state import time_text
from referee.rules.values import Seat
from referee.words import words
from tests.demo.running import PATIENCE_S

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> dict[str, Any]:
    """Run one play of `app_process`. Returns what came of it."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("app_process.py")), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_fingers_reach_the_referee_and_the_screen(tmp_path: Path) -> None:
    """A touch on the menu's pause is one wish; the language changes at once; a page that is left alone closes by itself.

    The light behind the screen is made darker where it can be; a veil lies over the picture where it cannot.
    """
    panel = tmp_path / "panel"
    panel.mkdir()
    (panel / "brightness").write_text("205")
    (panel / "max_brightness").write_text("255")
    assert run("fingers", str(tmp_path)) == {
        "shone": [["153", False], ["40", True]],
        "wishes": [["pause", ""], ["option", "language=da"]],
        "said": ["Blue to move", words("da").say("turn.to-move", seat=words("da").seat(Seat.BLUE))],
        "opened": [True, True, False],
        "settings": False,
    }


def test_a_clock_runs_out_on_the_screen() -> None:
    """Each second one text is written anew and only its plate looks different; it warns under half a minute, and stops at nothing."""
    seen = run("countdown")
    expected = [[time_text(32_500 - 1_000 * second)] for second in range(1, 33)]
    assert seen["times"] == [*expected, ["0:00"], [], []]
    assert seen["moved"] == [True] * 33 + [False] * 2
    assert not any(seen["elsewhere"])
    low = [palette.GLOW.red, palette.GLOW.green, palette.GLOW.blue]
    blue = palette.ARMY[Seat.BLUE]
    assert seen["colours"][:2] == [[blue.red, blue.green, blue.blue]] * 2
    assert seen["colours"][2:] == [low] * 33


def test_a_game_is_seen_again_until_another_begins() -> None:
    """By touch, by a finger on the line, by keys and by itself; each picture is what drawing all of it gives."""
    seen = run("seen-again")
    assert seen["wishes"] == [["replay", "sample"]]
    assert seen["waits"] == words("en")["kiosk.wait"]
    assert seen["at"] == [0, 1, 7, 0, 1, 3, 3, 7, None]


@pytest.mark.parametrize(("seed", "turned"), [("1", "upright"), ("2", "turned")])
def test_a_monkey_does_no_harm(seed: str, turned: str) -> None:
    """In every phase: a wish comes only from its own button, a touch beside all buttons does nothing, no key leaves the kiosk."""
    seen = run("monkey", seed, turned)
    assert seen["ended"] == []
    assert seen["drawn"]
    assert len(seen["wishes"]) > seen["tables"] / 4
    for kind, key in seen["wishes"]:
        assert key is not None, kind
        name = key.partition("=")[0]
        options = ("rules", "mode", "reveal", "clock", "language")
        assert kind == {
            "play-on": "abort",
            "enter": "pin",
            "more": "games",
            "found": "games",
            **dict.fromkeys(options, "option"),
        }.get(name, name), key
