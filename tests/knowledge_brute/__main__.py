"""`python -m tests.knowledge_brute --positions 10000 --seed S`: hold the analysis of games to docs/reference/analysis.md.

A position is what one observer knows at one moment. With `--state FILE` a run goes on where the last one stopped. Exit 1 if
something differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from tests.knowledge_brute.compare import by_command, by_sets, differences
from tests.knowledge_brute.games import play, positions, text_of

SHOWN = 5
SETS = 20
"""Armies with sets of ranks by lot, for every game."""
SAVED_EVERY = 20


def examine(number: int, every_view: bool) -> tuple[Counter[str], list[str], str]:
    """Return counts, what differs and the record of the game of this number."""
    with tempfile.TemporaryDirectory() as folder:
        game = play(number, Path(folder))
        views = [*(seat.value for seat in game.rules.seats), "public"]
        chosen = views if every_view else [random.Random(number).choice(views)]
        try:
            found = differences(game, ["referee", *chosen], by_command, Path(folder))
        except Exception:  # whatever the program raises is a difference
            found = [f"broken: {traceback.format_exc()}"]
        rules = game.file.read_text(encoding="utf-8")
        counts = Counter(games=1, positions=positions([game]), plies=len(game.plies), views=1 + len(chosen))
        counts[f"games of {len(game.rules.seats)}, {game.reveal}"] += 1
        for ply in game.plies:
            counts[f"{type(ply.action).__name__} {ply.verdict}"] += 1
        return counts, found, f"{rules}\n{text_of(game, 'referee')}"


def main(argv: list[str] | None = None) -> int:
    """Play and compare until as many positions are done, print counts and differences."""
    parser = argparse.ArgumentParser(prog="python -m tests.knowledge_brute")
    parser.add_argument("--positions", type=int, default=10000, help="how many positions in all")
    parser.add_argument("--seed", type=int, default=1, help="games are drawn by this number")
    parser.add_argument("--state", type=Path, help="the file that keeps counts and differences")
    parser.add_argument("--every-view", action="store_true", help="compare every view of a game, not one by lot")
    parser.add_argument("--game", type=int, help="compare this one game and show it")
    asked = parser.parse_args(argv)
    if asked.game is not None:
        _, found, text = examine(asked.game, True)
        print(text, *found, sep="\n")
        return 1 if found else 0
    state: dict[str, Any] = {"seed": asked.seed, "next": 0, "counts": {}, "differences": []}
    if asked.state and asked.state.exists():
        state = json.loads(asked.state.read_text(encoding="utf-8"))
        if state["seed"] != asked.seed:
            parser.error(f"{asked.state} holds games of the seed {state['seed']}")
    counts = Counter(state["counts"])
    while counts["positions"] < asked.positions:
        number = asked.seed * 1_000_000 + state["next"]
        more, found, _ = examine(number, asked.every_view)
        counts.update(more)
        found += filter(None, map(by_sets, range(number * SETS, (number + 1) * SETS)))
        counts["sets"] += SETS
        state["differences"] += [[number, what] for what in found]
        state |= {"next": state["next"] + 1, "counts": counts}
        if asked.state and (state["next"] % SAVED_EVERY == 0 or counts["positions"] >= asked.positions):
            beside = asked.state.with_suffix(".new")
            beside.write_text(json.dumps(state, indent=1), encoding="utf-8")
            os.replace(beside, asked.state)
    for name, count in sorted(counts.items()):
        print(f"{count:10} {name}")
    print(f"{len(state['differences']):10} differences")
    for number, what in state["differences"][:SHOWN]:
        print(f"game {number}: {what}")
    return 1 if state["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
