"""`hallmarshal bench soak`: games for a given time, with troubles and corrections at random moments; what was lost or misread, what grew.

Two referees take turns. One is killed as well, and its disk, a real one where this may be had, is filled, broken, frozen and cut off;
it starts anew. The other one plays game after game in one process, through every trouble that does not end it, and its memory and file
descriptors are measured after each game.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.arguments import above_zero
from benchmarks.marked_page import look_for_block, put_block
from benchmarks.soak_tally import SoakTally
from fault_injection.faults import DEADLY, DISK_TROUBLES, TROUBLES
from fault_injection.faulty_disk import LoopDisk, why_not
from fault_injection.game_script import script
from fault_injection.interrupted_game import InterruptedGame
from referee.rules import rule_set
from referee.table.views import Mode

_PLIES = (8, 30)
_TROUBLE = 0.12
"""How likely something goes wrong at each turn."""
_CORRECTED = 0.5
"""In how many of the games an arbiter corrects something, where they are long enough."""
_MOST_TURNS = 2000
_PASSING_NAMES = 200_000
"""Names that come and go (paths intern their parts) wear out Python's own table of interned strings: at some moment it is built anew, once
with twice the room, then always with as much. That one step of 0.94 MB belongs to the warm-up, whenever games would have come to it.
"""
_PATIENCE_S = 120.0
"""How long a referee may take for one request before it counts as hanging."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("--seconds", type=above_zero, default=120, help="how long (default: 120)")
    parser.add_argument("--seed", type=int, default=1, help="of games and troubles (default: 1)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the report into this page")


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Play for that long, the game that is on then to its end; give counts and growth."""
    if args.page is not None:
        look_for_block(args.page, "soak")
    tally = SoakTally()
    for number in range(_PASSING_NAMES):  # before the first referee is forked, which takes the table over
        sys.intern(f"passing {number}")
    with tempfile.TemporaryDirectory(prefix="hallmarshal-soak-") as folder, _progress() as progress:
        task = progress.add_task("Soak", total=args.seconds, games=0, survived=0)
        began = time.monotonic()

        def told() -> None:
            passed = min(time.monotonic() - began, args.seconds)
            progress.update(task, completed=passed, games=tally.games, survived=tally.survived.total())
            progress.refresh()

        _Soak(random.Random(args.seed), Path(folder), tally, told).run(began + args.seconds)
    figures = {"seconds": args.seconds, "seed": args.seed, **tally.figures()}
    if args.page is not None:
        rows = (f"| {name.replace('_', ' ')} | {_cell(figure)} |" for name, figure in figures.items())
        put_block(args.page, "soak", "\n".join(["| figure | |", "|---|---|", *rows]))
    return figures


class _Soak:
    """Plays games in turn with a referee that may be killed and with one that lives on."""

    def __init__(self, rng: random.Random, folder: Path, tally: SoakTally, told: Callable[[], None]) -> None:
        self._rng, self._folder, self._tally, self._told = rng, folder, tally, told
        self._number = 0

    def run(self, until_s: float) -> None:
        """Play until the clock says so."""
        steady: InterruptedGame | None = None
        with ExitStack() as ending:
            ending.callback(lambda: steady.stop() if steady else None)
            while time.monotonic() < until_s:
                self._mortal_game()
                following = self._game()
                if steady is None:
                    following.start()
                else:
                    following.take_over(steady)
                steady = following
                if self._played(steady, deadly=False):
                    self._tally.measure(time.monotonic(), steady.pid)
                else:
                    steady.stop()
                    steady = None

    def _mortal_game(self) -> None:
        with ExitStack() as ending:
            disk = None
            if why_not() is None:
                disk = ending.enter_context(LoopDisk(Path(ending.enter_context(tempfile.TemporaryDirectory()))))
            game = self._game(disk)
            game.start()
            ending.callback(game.stop)
            self._played(game, deadly=True)

    def _game(self, disk: LoopDisk | None = None) -> InterruptedGame:
        self._number += 1
        rng = self._rng
        played = script(rule_set("duel"), rng.choice(list(Mode)), rng.randrange(10_000), rng.randint(*_PLIES))
        folder = (disk.path if disk is not None else self._folder) / str(self._number)
        folder.mkdir()
        corrected = rng.random() < _CORRECTED
        return InterruptedGame(played, folder, patience_s=_PATIENCE_S, disk=disk, corrected=corrected)

    def _played(self, game: InterruptedGame, *, deadly: bool) -> bool:
        """Play to the end and count; False when it came to none, or its referee died of what it must live through."""
        troubles = {**TROUBLES, **(DISK_TROUBLES if game.disk is not None else {})}
        names = [name for name in troubles if deadly or name not in DEADLY]
        happened: list[str] = []
        try:
            for _ in range(_MOST_TURNS):
                if game.view is not None and game.view.result is not None:
                    break
                if self._rng.random() < _TROUBLE:
                    happened.append(self._rng.choice(names))
                    troubles[happened[-1]](game)
                game.turn()
                self._told()
            else:
                game.failures.append("the game does not end")
        except TimeoutError:
            game.failures.append(f"the referee did not answer for {_PATIENCE_S:.0f} s")
        if not deadly and game.deaths:
            game.failures.append("the referee died")
        self._tally.take(game, happened)
        return not game.failures


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[games]} games, {task.fields[survived]} troubles survived"),
        TimeRemainingColumn(),
    )
    # no thread of its own: a fork would copy its locks as they happen to be
    return Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)


def _cell(figure: object) -> str:
    if isinstance(figure, Mapping):
        return ", ".join(f"{name} {count}" for name, count in figure.items())
    if isinstance(figure, list):
        return ", ".join(map(str, figure)) or "none"
    return "not measured" if figure is None else str(figure)
