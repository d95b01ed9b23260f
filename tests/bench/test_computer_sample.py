"""The computer's bench in small: games that are kept and gone on with, bounds, and a program of another make at its protocol."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from benchmarks import computer
from tests.amount import tries

_STRANGER = """
import random, sys
def hear(): return sys.stdin.readline().split()
colour = hear()[0]
rows = ["FB8sB479B8", "BB31555583", "6724898974", "967B669999"]
print(*(rows if colour == "RED" else rows[::-1]), sep="\\n", flush=True)
while True:
    last = hear()
    if not last or last[0] == "QUIT":
        break
    board = [hear()[0] for _ in range(10)]
    ways = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
    moves = [
        (x, y, way)
        for y in range(10) for x in range(10) for way, (dx, dy) in ways.items()
        if board[y][x] in "123456789s" and 0 <= x + dx < 10 and 0 <= y + dy < 10 and board[y + dy][x + dx] in ".#"
    ]
    print(*(random.choice(moves) if moves else ("SURRENDER",)), flush=True)
    hear()
"""


def arguments(**given: object) -> argparse.Namespace:
    """Return the bench's arguments, quick ones where nothing is given."""
    wanted = {
        "level": 1,
        "against": "level:1",
        "rules": "duel",
        "games": 3,
        "target": 0.5,
        "most": tries(200),
        "seed": 2,
        "results": None,
    }
    return argparse.Namespace(**{**wanted, **given})


def test_games_are_kept_and_gone_on_with(tmp_path: Path) -> None:
    """Three games at once, or two and then the third from the file, are the same games; another seed's do not count."""
    kept = tmp_path / "games"
    computer.run(arguments(games=2, results=kept))
    computer.run(arguments(games=1, seed=3, results=kept))
    whole, later = (computer.run(arguments(results=file)) for file in (None, kept))
    assert len(kept.read_text().splitlines()) == 4
    for word in ("games", "won", "drawn", "lost", "reasons", "plies", "bound_95", "failures"):
        assert whole[word] == later[word]
    assert whole["failures"] == []


def test_it_stops_when_the_bound_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Golden: all games won is more than half after so few of them; the interval is Wilson's."""
    won = computer.FinishedGame(0, "won", "flag", 10, [1.0])
    monkeypatch.setattr(computer, "one_game", lambda rules, args, number: won)
    assert computer.run(arguments(games=500))["games"] == 16
    assert computer.run(arguments(games=300, target=0.99))["games"] == 300
    assert computer.wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)


@pytest.mark.process
@pytest.mark.parametrize("seed", [1, 2])
def test_a_program_of_another_make(tmp_path: Path, seed: int) -> None:
    """It plays whole games of both colours by the protocol's words alone, and the bench does not mistake a move."""
    stranger = tmp_path / "stranger.py"
    stranger.write_text(_STRANGER)
    found = computer.run(
        arguments(against=f"{sys.executable} {stranger}", rules="original", games=2, level=2, seed=seed, most=3000)
    )
    assert isinstance(found["reasons"], dict)
    assert not [reason for reason in found["reasons"] if "fault" in reason]
    assert found["won"] == 2
