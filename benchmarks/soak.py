"""`hallmarshal bench soak`: games for a given time, with troubles and corrections at random moments; what was lost or misread, what grew.

Two referees take turns. One is killed as well, and its disk, a real one where this may be had, is filled, broken, frozen and cut off;
it starts again. The other one plays game after game in one process, through every trouble that does not end it, and its memory and file
descriptors are measured after each game.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from benchmarks import measuring
from fault_injection.faults import DEADLY, DISK_TROUBLES, TROUBLES
from fault_injection.faulty_disk import LoopDisk, why_not
from fault_injection.interrupted_game import InterruptedGame, journalled, script
from referee.rules import rule_set
from referee.table.chain import ply_gone_back_to
from referee.table.views import Mode, PublicEvent

_WARM_UP_S, _WARM_UP_GAMES = 900.0, 250
"""Growth counts after both: by then the greatest of the games have been, and the heap has made room for one of them.

It is games that do it, so on a machine that has much else to do time alone says little.
"""
_LEAST_S = 1200.0
"""A growth per hour is told of no shorter time after that."""
_MOST_GROWTH_MB = 1.0
"""So much an hour is allowed."""
_S_PER_HOUR = 3600
_COUNTS = ("games", "plies", "misread", "asked", "lost", "ghost", "corrected")
_FINAL = ("move.final", "verdict")


@dataclass
class SoakTally:
    """The sums of a soak."""

    counts: Counter[str] = field(default_factory=Counter)
    """By the names of `_COUNTS`; `corrected`: how often an arbiter let a game stand at an earlier ply."""
    survived: Counter[str] = field(default_factory=Counter)
    """Troubles by kind in games that came to their right end."""
    failures: list[str] = field(default_factory=list)
    _measured: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, bytes and file descriptors of the referee that lives on, after each of its games."""

    def take(self, game: InterruptedGame, happened: list[str]) -> None:
        """Compare the journal with what hands did and handsets received; then delete the game's files."""
        events = journalled(game)
        wanted = [(move.source.name, move.target.name) for move in game.script.plies]
        final = _stands(events)
        misread = sum(one != other for one, other in zip(final, wanted, strict=False)) + len(final[len(wanted) :])
        kept = {event.seq: event for event in events}
        contradicted = [event for event in game.events() if kept.get(event.seq) != event]
        if contradicted:
            game.failures.append(f"the journal does not hold what was heard: {contradicted[0].kind}")
        lost = len(wanted[len(final) :]) + sum(event.kind in _FINAL for event in contradicted)
        asked = sum(event.kind in ("ask", "move.refused") for event in events)
        corrected = sum(ply_gone_back_to(event) is not None for event in events)
        ghost = sum(event.kind in ("move.revised", "move.unread") for event in events)
        found = (1, len(final), misread, asked, lost, ghost, corrected)
        self.counts.update(dict(zip(_COUNTS, found, strict=True)))
        wrong = [f"{misread} plies misread"] * bool(misread) + [f"{lost} plies lost"] * bool(lost)
        self.failures += [f"game {self.counts['games']}: {failure}" for failure in (*game.failures, *wrong)]
        if not (misread or lost or game.failures):
            self.survived.update(happened)
        shutil.rmtree(game.state)

    def measure(self, at_s: float, pid: int) -> None:
        """Note memory and file descriptors of a running referee."""
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        self._measured.append((at_s, measuring.spent(pid)[1], descriptors))

    def figures(self) -> dict[str, object]:
        """Return the report; `failures` is empty when everything was right."""
        growth = self._growth()
        return {
            **{name: self.counts[name] for name in _COUNTS},
            "faults_survived": self.survived.total(),
            "faults": dict(sorted(self.survived.items())),
            "failures": [*self.failures, *self._grown(growth)],
            "memory_mb": [round(size / 1e6, 2) for _, size, _ in self._marks()],
            "memory_growth_mb_per_hour": growth,
            "file_descriptors": [count for *_, count in self._marks()],
        }

    def _grown(self, growth: float | None) -> list[str]:
        found = []
        if growth is not None and growth > _MOST_GROWTH_MB:
            found.append(f"memory grew by {growth} MB an hour")
        descriptors = [count for *_, count in self._measured]
        if descriptors and descriptors[-1] > descriptors[0]:
            found.append(f"file descriptors grew from {descriptors[0]} to {descriptors[-1]}")
        return found

    def _marks(self) -> list[tuple[float, int, int]]:
        """Return the first measurement, the first after warm-up, and the last: seconds, bytes and descriptors."""
        return [*self._measured[:1], *self._warm()[:1], *self._measured[-1:]]

    def _warm(self) -> list[tuple[float, int, int]]:
        return [one for one in self._measured[_WARM_UP_GAMES:] if one[0] - self._measured[0][0] >= _WARM_UP_S]

    def _growth(self) -> float | None:
        """Return the slope of the memory after warm-up in MB an hour, None when it was measured for too short a time."""
        counted = self._warm()
        if len(counted) < 3 or counted[-1][0] - counted[0][0] < _LEAST_S:
            return None
        slope = statistics.linear_regression([at for at, *_ in counted], [size for _, size, _ in counted]).slope
        return round(slope * _S_PER_HOUR / 1e6, 2)


def _stands(events: Iterable[PublicEvent]) -> list[tuple[str | None, str | None]]:
    """Return the plies that still count in the end, without those taken back and those whose verdict was voided."""
    plies: list[tuple[str | None, str | None]] = []
    for event in events:
        back_to = ply_gone_back_to(event)
        if back_to is not None:
            del plies[back_to:]
        elif event.kind in _FINAL:
            plies.append((event.source, event.target))
    return plies


_PLIES = (8, 30)
_TROUBLE = 0.12
"""How likely something goes wrong at each turn."""
_CORRECTED = 0.5
"""In how many of the games an arbiter corrects something, where they are long enough."""
_PASSING_NAMES = 200_000
"""Names that come and go (paths intern their parts) wear out Python's own table of interned strings: at some moment it is built again, once
with twice the room, then always with as much. That one step of 0.94 MB belongs to the warm-up, whenever games would have come to it.
"""
_PATIENCE_S = 120.0
"""How long a referee may take for one request before it counts as hanging."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument("--seconds", type=measuring.above_zero, default=120, help="how long (default: 120)")
    parser.add_argument("--seed", type=int, default=1, help="of games and troubles (default: 1)")
    measuring.add_page(parser)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Play for that long and the last game to its end. Returns counts and growth."""
    measuring.look_for_block(args.page, "soak")
    tally = SoakTally()
    for number in range(_PASSING_NAMES):  # before the first referee is forked, which takes the table over
        sys.intern(f"passing {number}")
    # no thread of its own: a fork would copy its locks as they happen to be
    progress = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    with tempfile.TemporaryDirectory(prefix="hallmarshal-soak-") as folder, progress:
        task = progress.add_task("Soak", total=args.seconds)
        began = time.monotonic()

        def told() -> None:
            so_far = f"Soak: {tally.counts['games']} games, {tally.survived.total()} troubles survived"
            passed = min(time.monotonic() - began, args.seconds)
            progress.update(task, completed=passed, description=so_far, refresh=True)

        _Soak(random.Random(args.seed), Path(folder), tally, told).run(began + args.seconds)
    figures = {"seconds": args.seconds, "seed": args.seed, **tally.figures()}
    measuring.put_block(args.page, "soak", measuring.figure_table(figures))
    return figures


class _Soak:
    """Plays games in turn with a referee that may be killed and with one that lives on."""

    def __init__(self, rng: random.Random, folder: Path, tally: SoakTally, told: Callable[[], None]) -> None:
        self._rng, self._folder, self._tally, self._told = rng, folder, tally, told
        self._number = 0

    def run(self, until_s: float) -> None:
        """Play until the time is over."""
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
        """Play to the end and count. Returns False when the game came to no end, or its referee died of a fault that it
        must survive.
        """
        troubles = {**TROUBLES, **(DISK_TROUBLES if game.disk is not None else {})}
        names = [name for name in troubles if deadly or name not in DEADLY]
        happened: list[str] = []
        try:
            for _ in game.turns():
                if self._rng.random() < _TROUBLE:
                    happened.append(self._rng.choice(names))
                    troubles[happened[-1]](game)
                self._told()
        except AssertionError as error:
            game.failures.append(str(error))
        except TimeoutError:
            game.failures.append(f"the referee did not answer for {_PATIENCE_S:.0f} s")
        if not deadly and game.deaths:
            game.failures.append("the referee died")
        self._tally.take(game, happened)
        return not game.failures
