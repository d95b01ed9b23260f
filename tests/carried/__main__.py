"""Let hands carry out moves that were decided elsewhere, and err: `python -m tests.carried --moves 10000 --state FILE`.

Games alternate between boards that tell colours and boards that do not, and between a quiet board and one with noise. A run goes on where
the last one with this state file stopped; it ends with 1 where anything was not as docs/reference/messages.md says.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from hardware import Sensing
from tests.carried.match import Carried

_SENSING, _PROFILES = (Sensing.COLOUR, Sensing.OCCUPANCY), ("clean", "home")
_MOST_FAULTS = 20


def played(seed: int, number: int, most: int | None = None) -> Carried:
    """Return a game that was played to its end, or until so many moves were carried out."""
    game = Carried(f"{seed}/{number}", _SENSING[number % 2], _PROFILES[number // 2 % 2])
    game.play(lambda: most is not None and game.judge.counts["carried out"] >= most)
    return game


def main() -> None:
    """Play until so many moves were carried out, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.carried", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--moves", type=int, default=1000, help="how many moves are carried out in all")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--state", type=Path, help="the file that keeps the counts")
    parser.add_argument("--game", type=int, help="play this one game and show it")
    asked = parser.parse_args()
    if asked.game is not None:
        game = played(asked.seed, asked.game)
        print(dict(game.deeds), dict(game.judge.counts), *game.judge.faults, sep="\n")
        return
    state: dict[str, Any] = {"seed": asked.seed, "games": 0, "deeds": {}, "counts": {}, "faults": []}
    if asked.state and asked.state.exists():
        state = json.loads(asked.state.read_text())
        if state["seed"] != asked.seed:
            parser.error(f"{asked.state} counts the games of seed {state['seed']}")
    deeds, counts = Counter(state["deeds"]), Counter(state["counts"])
    while counts["carried out"] < asked.moves:
        game = played(asked.seed, state["games"])
        deeds.update(game.deeds)
        counts.update(game.judge.counts)
        faults = [*state["faults"], *game.judge.faults][:_MOST_FAULTS]
        state |= {"games": state["games"] + 1, "deeds": deeds, "counts": counts, "faults": faults}
        if asked.state:
            beside = asked.state.with_suffix(".new")
            beside.write_text(json.dumps(state, indent=1))
            os.replace(beside, asked.state)
    print(f"{state['games']:8} games")
    for name, count in (*sorted(deeds.items()), *sorted(counts.items())):
        print(f"{count:8} {name}")
    print(*state["faults"], sep="\n")
    sys.exit(bool(state["faults"]))


if __name__ == "__main__":
    main()
