"""The accuracy bench in small: 600 plies a world, nothing misread, nothing lost; and the arithmetic of its figures."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from benchmarks.accuracy import measure
from benchmarks.accuracy_tally import VERDICTS, Tally, lines, percentiles, upper_bound
from benchmarks.game_sources import MovesError, recorded_games
from benchmarks.hand_match import WrongRead
from benchmarks.measuring import put_line
from referee.rules import rule_set
from referee.table.views import PublicEvent
from tests.amount import tries

WHOLE = 600
PLIES = tries(WHOLE)
MOST_ASKED = {"clean": 1, "home": 8, "rough": 40}
"""In 600 plies, accidents included: far above the rates, so that only a regression fails here and not a seed."""
MOST_GHOSTS = {"clean": 0, "home": 4, "rough": 6}
"""The same for wrong reads after a short rest or none."""
ENOUGH = tries(10)
"""Fewer verdicts of a class than this say nothing about its percentiles; and about the 99th only the whole sample says something."""


@pytest.mark.parametrize("sensing", ["colour", "occupancy"])
@pytest.mark.parametrize("profile", ["clean", "home", "rough"])
def test_sample(profile: str, sensing: str) -> None:
    """No wrong final ply, none lost, few prompts, verdicts in time."""
    tally = Tally()
    measure(tally, profile=profile, sensing=sensing, plies=PLIES, seed=3)
    assert (tally.misread, tally.lost) == (0, 0), tally.faults
    assert tally.plies >= PLIES
    assert tally.asked <= MOST_ASKED[profile]
    timed: set[str] = set()
    assert tally.ghost <= MOST_GHOSTS[profile]
    assert tally.false_attacks <= 1
    for name, (median_ms, most_ms) in VERDICTS.items():
        if len(values := tally.latencies[name]) >= ENOUGH:
            found = percentiles(values)
            assert found["p50"] <= median_ms, (name, found)
            assert found["p99"] <= most_ms or PLIES < WHOLE, (name, found)
            timed.add(name)
    assert {"lift", "slide", "attack, both lifted", "board agrees"} <= timed


def test_the_same_seed_gives_the_same_figures() -> None:
    """Everything is drawn from the seed."""
    first, second = Tally(), Tally()
    for tally in (first, second):
        measure(tally, profile="home", sensing="colour", plies=60, seed=5)
    assert first.figures() == second.figures()


@pytest.mark.parametrize(("found", "tries", "bound"), [(0, 30_000, 9.99e-05), (0, 100, 0.0295), (3, 100, 0.0757)])
def test_upper_bound(found: int, tries: int, bound: float) -> None:
    """Golden numbers: the exact binomial bound."""
    assert upper_bound(found, tries) == pytest.approx(bound, rel=2e-3)


def test_recorded_games(tmp_path: Path) -> None:
    """Two whole armies and two moves in the corpus's numbers; the second is blue's, seen from its own side."""
    red, blue = "MBBBBBBCDDDDDDDDEEEEEFFFFGGGGHHHHIIIJJKL", "YNNNNNNOPPPPPPPPQQQQQRRRRSSSSTTTTUUUVVWX"
    (tmp_path / "original-1.txt").write_text(f"{red}AA__AA__AAAA__AA__AA{blue[::-1]}\n330\n330\n")
    (game,) = islice(recorded_games(rule_set("original"), tmp_path), 1)
    truth = game.start.copy()
    played = []
    while (move := game.choose(truth)) is not None:
        played.append(repr(move))
        truth.play(move)
    assert played == ["a4-a5", "j7-j6"]


def test_no_recorded_games(tmp_path: Path) -> None:
    """An empty folder and a broken file are one clear line."""
    with pytest.raises(MovesError, match="no recorded game"):
        next(recorded_games(rule_set("original"), tmp_path))
    (tmp_path / "original-2.txt").write_text("nonsense\nx\n")
    with pytest.raises(MovesError, match="not a recorded game"):
        next(recorded_games(rule_set("original"), tmp_path))


def test_page_shows_what_is_missed(tmp_path: Path) -> None:
    """A figure above its limit is bold, one within it is not; a second run with the same arguments takes the place of the first."""
    tally = Tally(plies=1000, asked=9, asked_needless=9, misread=1, ghost=2, revised=7, short_pauses=3, corrected=9)
    tally.latencies["lift"] += [80, 80, 500]
    run = {"profile": "home", "sensing": "colour", "moves": "recorded", "seed": 1, "accidents_factor": 2.0, "hz": 50}
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- {name} -->\n<!-- /{name} -->\n" for name in ("counts", "verdicts", "hands")))
    for block, begin, rest in [*lines({**run, **Tally().figures()}), *lines({**run, **tally.figures()})]:
        put_line(page, block, begin, rest)
    text = page.read_text()
    assert "| **1 (0.473 %)** |" in text
    assert "| **0.90 % (0.3 %)** |" in text
    assert "| **80 / 500 / 500** |" in text
    assert "| **2 (0.20 %)** | 5 (0.50 %) |" in text
    assert text.count("home, colour, recorded games, 2 times the accidents, 50 Hz") == 3


@pytest.mark.parametrize(
    ("left_ms", "paused_ms", "counts"),
    [(1249, 200, (1, 0, 0)), (1250, 200, (0, 1, 1)), (1340, 250, (0, 1, 0)), (None, 0, (0, 1, 1))],
)
def test_a_rest_is_timed_as_verdicts_are(left_ms: int | None, paused_ms: int, counts: tuple[int, int, int]) -> None:
    """From the magnet's coming into sight to its going; the first time that it leaves counts."""
    changes = iter([1000, left_ms or 1000, 9000])
    wrong = WrongRead(PublicEvent("game", 1, "move.read", 1, source="a4", target="a5"), 1000)
    wrong.watch(lambda square: next(changes))
    wrong.watch(lambda square: next(changes))
    if left_ms is not None:
        wrong.watch(lambda square: next(changes))
    tally = Tally()
    assert tally.count_wrong(wrong.stood_ms, paused_ms) is bool(counts[0])
    assert (tally.ghost, tally.revised, tally.short_pauses) == counts
