"""`hallmarshal bench kills`: the referee is killed with SIGKILL at every moment of a game, goes on, and the game is compared.

Moments are before each write of the journal, between the write and the first word of it, and after each word. The referee is a process of
its own with the real shell, sensing, arbitration and journal; board, hands and handsets are simulated in this process and live on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from benchmarks.measuring import above_zero, add_page, look_for_block, put_block, table
from fault_injection.faulty_disk import LoopDisk, why_not
from fault_injection.interrupted_game import InterruptedGame, Script, faults, journalled, script
from referee.rules import rule_set, rule_set_names
from referee.runtime.errors import UnreachableError
from referee.table.views import Mode

Killed: TypeAlias = tuple[int, tuple[str, str, list[str]]]
"""At which moment; where that is, in which phase, and what is wrong."""
_OF_A_RESTART = frozenset({"paused", "restored", "resumed"})
WHERE = ("before the write", "between write and word", "amid the words")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "--rules", default="duel", choices=rule_set_names(), help="rule set with two seats (default: duel)"
    )
    parser.add_argument("--plies", type=above_zero, default=40, help="plies of the game (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="of the game (default: 1)")
    parser.add_argument(
        "--every", type=above_zero, default=1, metavar="N", help="kill at every N-th moment only (default: 1)"
    )
    parser.add_argument(
        "--power",
        action="store_true",
        help="cut the power of a real disk each time as well (needs root and loop devices)",
    )
    parser.add_argument(
        "--jobs", type=above_zero, default=os.cpu_count() or 1, metavar="N", help="games at once (default: one a core)"
    )
    add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Kill at every moment, in both modes. Returns counts, and every game that went wrong. Raises `UnreachableError`
    without a disk.
    """
    if args.power and (reason := why_not()) is not None:
        raise UnreachableError(f"no disk can be had here: {reason}")
    block = f"kills {args.rules}{' power' * args.power}"
    look_for_block(args.page, block)
    tried: Counter[tuple[str, str, str]] = Counter()
    wrong: list[dict[str, object]] = []
    for mode in Mode:
        played = script(rule_set(args.rules), mode, args.seed, args.plies)
        for number, (where, phase, found) in killed_games(played, args.every, power=args.power, jobs=args.jobs):
            tried[mode.value, where, phase] += 1
            if found:
                wrong.append({"mode": mode.value, "moment": number, "where": where, "phase": phase, "faults": found})
    figures = {
        "rules": args.rules,
        "plies": args.plies,
        "every": args.every,
        "power": args.power,
        "kills": tried.total(),
        "failures": wrong,
    }
    what = "power cuts" if args.power else "kills"
    when = "every moment" if args.every == 1 else f"one moment in {args.every}"
    said = f"{args.rules}, {args.plies} plies, {tried.total()} {what} at {when}, {len(wrong)} games that differed from the unbroken one."
    put_block(args.page, block, f"{said}\n\n{_matrix(tried)}")
    return figures


def killed_games(played: Script, every: int, *, power: bool = False, jobs: int = 1) -> Iterator[Killed]:
    """Play the game unbroken and then once for each moment at which its referee is killed, in so many processes at
    once.

    With `power` the power is cut at that moment, and what is not on the disk is lost.
    """
    unbroken = once(played, None, corrected=True)
    numbers = range(1, len(unbroken.moments) + 1, every)
    if jobs == 1:
        yield from (_killed_at(unbroken, number, power) for number in numbers)
        return
    with get_context("fork").Pool(jobs, _OF_THIS_JOB.append, ((unbroken, power),)) as pool:
        yield from pool.imap(_killed_in_a_job, numbers)


_OF_THIS_JOB: list[tuple[InterruptedGame, bool]] = []
"""A job was forked and has the unbroken game, which no pipe could bring it."""


def _killed_in_a_job(number: int) -> Killed:
    unbroken, power = _OF_THIS_JOB[-1]
    return _killed_at(unbroken, number, power)


def _killed_at(unbroken: InterruptedGame, number: int, power: bool) -> Killed:
    with tempfile.TemporaryDirectory(prefix="hallmarshal-kills-") as folder, ExitStack() as ending:
        disk = ending.enter_context(LoopDisk(Path(folder))) if power else None
        state = disk.path if disk else Path(folder)
        broken = InterruptedGame(unbroken.script, state, number, disk=disk, corrected=True)
        broken.play()
        found = [*faults(unbroken, broken), *_said_too_much(unbroken, broken)]
        if broken.deaths != 1:
            found.append("it was not killed")
    moment = unbroken.moments[number - 1]
    return number, (moment.where, moment.phase, found)


def _said_too_much(unbroken: InterruptedGame, broken: InterruptedGame) -> list[str]:
    """Return which kinds of event occurred more often than in the unbroken game, apart from one pair of stop and
    resume.
    """
    kinds = Counter(event.kind for event in journalled(broken))
    kinds.subtract(event.kind for event in unbroken.events())
    return [f"said too often: {kind}" for kind, more in kinds.items() if more > (kind in _OF_A_RESTART)]


def once(played: Script, dies_at: int | None, *, corrected: bool = False) -> InterruptedGame:
    """Play it once; the files stay as long as somebody has the game."""
    folder = tempfile.mkdtemp(prefix="hallmarshal-kills-")
    game = InterruptedGame(played, Path(folder), dies_at, corrected=corrected)
    weakref.finalize(game, shutil.rmtree, folder, ignore_errors=True)
    game.play()
    return game


def _matrix(tried: Mapping[tuple[str, str, str], int]) -> str:
    """Return the numbers of trials by mode and phase, as a table of the page."""
    rows = sorted({(mode, phase) for mode, _, phase in tried})
    cells = ((mode, phase, *(tried.get((mode, where, phase), "") for where in WHERE)) for mode, phase in rows)
    return table(("mode", "phase", *WHERE), cells)
