"""Hold the referee's reader of hands to the page, trace after trace: `python -m tests.hands --traces 1000 --state FILE`.

A run goes on where the last one with this state file stopped. Several shards (`--shard 1/2`, `--shard 2/2`, each with a file of its
own) share the work. The first failures of each sort are made small and shown.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from referee.rules import RulesError
from referee.sensing import Interpreter
from tests.hands.explain import TooManyWorldsError
from tests.hands.grammar import POLES, Start
from tests.hands.judge import IN_NONE, NOT_EVERY, Verdict, judge, table
from tests.hands.scripts import Script, flickers, script
from tests.hands.shrink import shrink

SAVED_EVERY = 200
MISREAD = "wrong, and not what was played"
SHOWN = 4
"""How many examples of a sort of failure are kept."""


def reader(start: Start) -> Interpreter:
    """Return the referee's reader for the board of a start."""
    return Interpreter(start.board.squares, start.colour, POLES, board=start.board)


def tally(drawn: Script, verdict: Verdict) -> Counter[str]:
    """Return what one trace adds to the counts."""
    counts = Counter({"traces": 1, "changes": len(drawn.trace), "plies played": len(drawn.plies)})
    counts["plies finalised"] = len(verdict.finals)
    counts["asked"] = bool(verdict.asked)
    counts["attacks seen"] = bool(verdict.attack)
    counts["attacks played"] = drawn.attack
    if verdict.wrong:
        number = len(verdict.finals)
        counts["wrong"] = 1
        counts[MISREAD] = drawn.plies[number - 1 : number] != (verdict.finals[-1],)
    counts["faulty"] = bool(verdict.kinds)
    counts.update(verdict.kinds)
    return +counts


def examined(number: int, failures: dict[str, Any], shrinks: bool = True, flickering: bool = False) -> Counter[str]:
    """Judge one script; return its counts, and note its failures by sorts, with examples made small if it `shrinks`."""
    drawn = script(number)
    try:
        verdict = judge(drawn.start, drawn.trace, reader, flickers(number, drawn) if flickering else ())
    except TooManyWorldsError:
        return Counter({"traces": 1, "not judged: too many worlds": 1})
    except (RulesError, AssertionError, LookupError, ValueError) as error:
        failure = failures.setdefault(f"broken: {type(error).__name__}: {error}", {"count": 0, "examples": []})
        failure["count"] += 1
        failure["examples"] = [*failure["examples"], f"script {number}"][:SHOWN]
        return Counter({"traces": 1, "faulty": 1, "broken": 1})
    counts = tally(drawn, verdict)
    for kind in verdict.kinds:
        sort = ": ".join(filter(None, (kind, verdict.reasons.get(kind))))
        if kind in (IN_NONE, NOT_EVERY) and counts[MISREAD]:
            sort += ", and not what was played"
        failure = failures.setdefault(sort, {"count": 0, "examples": []})
        failure["count"] += 1
        if len(failure["examples"]) >= SHOWN:
            continue
        small = shrink(drawn.start, drawn.trace, reader, kind) if shrinks else drawn.trace
        told = judge(drawn.start, small, reader) if shrinks else verdict
        failure["examples"].append(f"script {number}: {table(drawn.start, small, told)}")
    return counts


def _saved(file: Path, state: dict[str, Any]) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(state, indent=1))
    os.replace(beside, file)


def main() -> None:
    """Judge as many traces as asked for and print what was found so far."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hands", description="hold the reader of hands to docs/reference/hands.md"
    )
    parser.add_argument("--traces", type=int, default=1000, help="how many more traces to judge")
    parser.add_argument("--shard", default="1/1", help="which part of the scripts, as 1/2 and 2/2")
    parser.add_argument("--state", type=Path, help="the file that keeps the counts")
    parser.add_argument("--first", type=int, default=0, help="the script to begin with if the file keeps nothing")
    parser.add_argument(
        "--flicker", action="store_true", help="let squares read wrong for moments; no failure is made small"
    )
    parser.add_argument("--script", type=int, help="judge this one script and show it")
    wish = parser.parse_args()
    if wish.script is not None:
        drawn = script(wish.script)
        print("played:", ", ".join(map(str, drawn.plies)), "(an attack)" if drawn.attack else "")
        print(table(drawn.start, drawn.trace, judge(drawn.start, drawn.trace, reader)))
        return
    part, parts = map(int, wish.shard.split("/"))
    state: dict[str, Any] = {"next": wish.first + part - 1, "counts": {}, "failures": {}}
    if wish.state and wish.state.exists():
        state = json.loads(wish.state.read_text())
    counts = Counter(state["counts"])
    for done in range(1, wish.traces + 1):
        counts.update(examined(state["next"], state["failures"], not wish.flicker, wish.flicker))
        state["next"] += parts
        state["counts"] = counts
        if wish.state and (done % SAVED_EVERY == 0 or done == wish.traces):
            _saved(wish.state, state)
    for name, count in sorted(counts.items()):
        print(f"{count:10} {name}")
    for name, failure in sorted(state["failures"].items(), key=lambda one: -one[1]["count"]):
        print(f"\n{failure['count']} x {name}", *failure["examples"], sep="\n")


if __name__ == "__main__":
    main()
