"""What the chain of a game costs a ply: the same game with and without it, on disk, by turns.

A game of Duel is played once; then what its journal says was put in is put into a new table again and again, whose facts go into a new
journal on a real disk, and what everybody hears of each step is encoded, as a table does. With a chain links are made, stored and told.
Drawn keys cost a ply nothing by themselves: a letter is sealed by the same box, under another key. Both tables play at once, step by
step, and which is first alternates, so that what else machine and disk do meets both; of each step the median is taken.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from benchmarks.kills import once
from benchmarks.measuring import above_zero, add_page, look_for_block, machine, put_block, table
from fault_injection.interrupted_game import script
from referee.journal.journal import Journal
from referee.journal.stored import JOURNAL
from referee.net.topics.codec import encode_public
from referee.rules import rule_set
from referee.runtime.game_archive import KEY, Keeping
from referee.table.replay import answer_again, steps_of, told_settings
from referee.table.settings import TableSettings
from referee.table.step import Fact
from referee.table.table import Table
from referee.table.views import Mode

_Took: TypeAlias = tuple[float, float]
"""Milliseconds of wall and of processor time."""
_Pair: TypeAlias = tuple[_Took, _Took]
"""Of one step, without a chain and with one."""
LIMIT_MS = 0.5
PLIES = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument(
        "--rounds", type=above_zero, default=31, help="games of each kind; of each step the median is taken"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the game")
    add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure; return milliseconds a ply with and without a chain, and what it differs by."""
    look_for_block(args.page, "chain")
    figures: dict[str, object] = {"rounds": args.rounds, "limit_ms": LIMIT_MS}
    rows, failures = [], []
    for mode in Mode:
        played = once(script(rule_set("duel"), mode, args.seed, PLIES), None)
        (path,) = played.state.rglob(JOURNAL)
        with closing(Journal.open(path, path.with_name(KEY), read_only=True)) as journal:
            facts = journal.facts()
        found = _measured(told_settings(facts, rule_set), [step for _, step in steps_of(facts)], args.rounds)
        figures[mode.value] = found
        more = found["more_ms"]
        rows.append((mode.value, *(f"{found[name]:.2f} ms" for name in found)))
        if more > LIMIT_MS:
            failures.append(f"{mode.value}: a ply costs {more} ms more")
    head = ("mode", "without", "with", "more", "of that processor time")
    put_block(args.page, "chain", f"Machine: {machine()}. {args.rounds} games of each kind.\n\n{table(head, rows)}")
    return {**figures, "failures": failures}


def _measured(settings: TableSettings, steps: Sequence[Sequence[Fact]], rounds: int) -> dict[str, float]:
    """Return milliseconds a ply: of each step the median over all rounds, summed over the game's steps."""
    taken = [_round(settings, steps, number) for number in range(-1, rounds)][1:]  # the first one warms up

    def a_ply(pick: Callable[[_Pair], float]) -> float:
        return round(sum(statistics.median(map(pick, pairs)) for pairs in zip(*taken, strict=True)) / PLIES, 3)

    return {
        "without_ms": a_ply(lambda pair: pair[0][0]),
        "with_ms": a_ply(lambda pair: pair[1][0]),
        "more_ms": a_ply(lambda pair: pair[1][0] - pair[0][0]),
        "more_cpu_ms": a_ply(lambda pair: pair[1][1] - pair[0][1]),
    }


def _round(settings: TableSettings, steps: Sequence[Sequence[Fact]], number: int) -> list[_Pair]:
    """Return what each step took at a table without a chain and at one with it; both play at once, and take turns to be first."""
    with ExitStack() as closing_:
        tables = []
        for kind in (replace(settings, salts=None), settings):
            folder = closing_.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-chain-"))
            keeping = Keeping.open(Path(folder), kind)
            closing_.callback(keeping.close)
            tables.append((Table(kind), keeping))
        gc.collect()
        pairs = []
        for at, told in enumerate(steps, 1):
            took = {}
            for kind_at in (0, 1) if (at + number) % 2 else (1, 0):
                took[kind_at] = _timed(*tables[kind_at], told, at)
            pairs.append((took[0], took[1]))
        return pairs


def _timed(game: Table, keeping: Keeping, told: Sequence[Fact], number: int) -> _Took:
    began, began_cpu = time.perf_counter(), time.process_time()
    came = answer_again(game, told, number)
    keeping.journal.write(came)
    for event in (fact.event for fact in came if fact.event is not None):
        encode_public(event)
    encode_public(game.view())
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - began_cpu)
