"""Hold the referee's reader of hands to the page, trace after trace: `python -m tests.hands --traces 1000 --state FILE`.

A run goes on where the last one with this state file stopped. Several shards (`--shard 1/2`, `--shard 2/2`, each with a file of its
own) share the work. The first failures of each sort are made small and shown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from referee.rules import RulesError
from referee.sensing import Interpreter
from tests.hands.explain import TooManyWorldsError
from tests.hands.grammar import POLES, Start
from tests.hands.judge import IN_NONE, NO_HOLE, NOT_EVERY, Verdict, judge, table
from tests.hands.scripts import Script, accident, counted_script, flickers, hole, script
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


class Wish(NamedTuple):
    """Which scripts are judged, and what the board does meanwhile."""

    counted: bool = False
    """The scripts of the enumeration, not drawn ones."""
    flicker: bool = False
    hole: bool = False
    accident: bool = False
    shrinks: bool = True
    fine: bool = False
    """Times to the millisecond, many of them near to a limit."""

    def script(self, number: int) -> Script | None:
        """Return the script of this number, None where the enumeration has none."""
        drawn = counted_script(number) if self.counted else script(number, self.fine)
        return drawn._replace(trace=accident(number, drawn)) if drawn and self.accident else drawn

    def judged(self, number: int, drawn: Script) -> Verdict:
        """Judge what the reader makes of a script."""
        wrong = flickers(number, drawn) if self.flicker else ()
        lost = hole(number, drawn) if self.hole else NO_HOLE
        return judge(drawn.start, drawn.trace, reader, wrong, lost, drawn.plies[:-1] if drawn.attack else drawn.plies)

    def example(self, number: int, drawn: Script, kind: str, verdict: Verdict) -> str:
        """Return a failure for people, made small where nothing but the trace belongs to it."""
        if self.shrinks and not self.flicker and not self.hole and not self.accident:
            small = shrink(drawn.start, drawn.trace, reader, kind)
            return f"script {number}: {table(drawn.start, small, judge(drawn.start, small, reader))}"
        lines = [f"script {number}: {table(drawn.start, drawn.trace, verdict)}"]
        lines += [f"  played: {', '.join(map(str, drawn.plies))}{' (an attack)' if drawn.attack else ''}"]
        if self.hole:
            lost = hole(number, drawn)
            lines += [f"  no frames: {lost.start} to {lost.stop}"]
        if self.flicker:
            lines += [f"  flickers: {'; '.join(map(str, flickers(number, drawn)))}"]
        return "\n".join(lines)


def examined(number: int, failures: dict[str, Any], wish: Wish, before: set[int] | None = None) -> Counter[str]:
    """Judge one script; return its counts, and note its failures by sorts, with examples.

    Nothing is counted where the enumeration has no script of this number; a trace that is among those `before` is only counted.
    """
    drawn = wish.script(number)
    if drawn is None:
        return Counter()
    if before is not None and not wish.hole and not wish.flicker:
        same = hash((drawn.start.text, drawn.trace))
        if same in before:
            return Counter({"traces": 1, "the same as one before": 1})
        before.add(same)
    try:
        verdict = wish.judged(number, drawn)
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
        if len(failure["examples"]) < SHOWN:
            failure["examples"].append(wish.example(number, drawn, kind, verdict))
    return counts


def readers_mark() -> str:
    """Return what tells this reader from others: a few digits of a digest of its sources."""
    digest = hashlib.sha256()
    for file in sorted(Path(str(find_spec("referee.sensing").origin)).parent.glob("*.py")):  # type: ignore[union-attr]
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]


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
        "--counted", action="store_true", help="enumerate all scripts of a coarser grid, the small first"
    )
    parser.add_argument("--flicker", action="store_true", help="let squares read wrong for moments")
    parser.add_argument("--hole", action="store_true", help="lose frames; a final ply is held to what was played")
    parser.add_argument("--script", type=int, help="judge this one script and show it")
    parser.add_argument("--accident", action="store_true", help="lose or invent a change, as no script has it")
    parser.add_argument(
        "--fine", action="store_true", help="draw times to the millisecond, many of them near to a limit"
    )
    asked = parser.parse_args()
    wish = Wish(asked.counted, asked.flicker, asked.hole, asked.accident, fine=asked.fine)
    if asked.script is not None:
        drawn = wish.script(asked.script)
        if drawn is None:
            parser.error("no script has this number")
        print(wish._replace(shrinks=False).example(asked.script, drawn, "", wish.judged(asked.script, drawn)))
        return
    part, parts = map(int, asked.shard.split("/"))
    state: dict[str, Any] = {"wish": wish, "next": asked.first + part - 1, "counts": {}, "failures": {}}
    if asked.state and asked.state.exists():
        state = json.loads(asked.state.read_text())
        if Wish(*state["wish"]) != wish:
            parser.error(f"{asked.state} counts others: {Wish(*state['wish'])}")
    counts, done, before = Counter(state["counts"]), 0, set[int]()
    mark, readers = readers_mark(), Counter(state.get("readers", {}))
    while done < asked.traces:
        found = examined(state["next"], state["failures"], wish, before)
        counts.update(found)
        done += found["traces"]
        readers[mark] += found["traces"]
        state["next"] += parts
        state |= {"counts": counts, "readers": readers}
        if asked.state and ((found and done % SAVED_EVERY == 0) or done == asked.traces):
            _saved(asked.state, state)
    print(f"{state['next']:10} is the next number")
    for name, count in readers.items():
        print(f"{count:10} traces for the reader with the mark {name}")
    for name, count in sorted(counts.items()):
        print(f"{count:10} {name}")
    for name, failure in sorted(state["failures"].items(), key=lambda one: -one[1]["count"]):
        print(f"\n{failure['count']} x {name}", *failure["examples"], sep="\n")


if __name__ == "__main__":
    main()
