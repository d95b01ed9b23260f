"""Counts what came of the games of a soak, and how the referee that lives on has grown."""

from __future__ import annotations

import resource
import shutil
import statistics
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.interrupted_compare import journalled
from benchmarks.interrupted_game import InterruptedGame

_WARM_UP = 0.25
"""The share of the measurements that does not count for growth."""
_LEAST_S = 30.0
"""A growth per hour is told of no shorter time."""
_S_PER_HOUR = 3600
_FINAL = ("move.final", "verdict")


@dataclass
class SoakTally:
    """The sums of a soak."""

    games: int = 0
    plies: int = 0
    misread: int = 0
    asked: int = 0
    lost: int = 0
    ghost: int = 0
    survived: Counter[str] = field(default_factory=Counter)
    """Troubles by kind in games that came to their right end."""
    failures: list[str] = field(default_factory=list)
    _measured: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, bytes and file descriptors of the referee that lives on, after each of its games."""

    def take(self, game: InterruptedGame, happened: list[str]) -> None:
        """Hold what the journal says against what hands did and ears heard; its files are thrown away."""
        events = journalled(game)
        wanted = [(move.source.name, move.target.name) for move in game.script.plies]
        final = [(event.source, event.target) for event in events if event.kind in _FINAL]
        misread = sum(one != other for one, other in zip(final, wanted, strict=False)) + len(final[len(wanted) :])
        kept = {event.seq: event for event in events}
        contradicted = [event for event in game.events() if kept.get(event.seq) != event]
        if contradicted:
            game.failures.append(f"the journal does not hold what was heard: {contradicted[0].kind}")
        lost = len(wanted[len(final) :]) + sum(event.kind in _FINAL for event in contradicted)
        self.games += 1
        self.plies += len(final)
        self.misread += misread
        self.lost += lost
        self.asked += sum(event.kind in ("ask", "move.refused") for event in events)
        self.ghost += sum(event.kind == "move.revised" for event in events)
        self.failures += [f"game {self.games}: {failure}" for failure in game.failures]
        if not (misread or lost or game.failures):
            self.survived.update(happened)
        shutil.rmtree(game.state)

    def measure(self, at_s: float, pid: int) -> None:
        """Note memory and file descriptors of a running referee."""
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        self._measured.append((at_s, pages * resource.getpagesize(), descriptors))

    def figures(self) -> dict[str, object]:
        """Give the report."""
        return {
            "games": self.games,
            "plies": self.plies,
            "misread": self.misread,
            "asked": self.asked,
            "lost": self.lost,
            "ghost": self.ghost,
            "faults_survived": self.survived.total(),
            "faults": dict(sorted(self.survived.items())),
            "failures": self.failures,
            "memory_mb": [round(size / 1e6, 2) for _, size, _ in (*self._measured[:1], *self._measured[-1:])],
            "memory_growth_mb_per_hour": self._growth(),
            "file_descriptors": [count for *_, count in (*self._measured[:1], *self._measured[-1:])],
        }

    def _growth(self) -> float | None:
        """Give the slope of the memory after warm-up in MB an hour, None when it was measured too shortly."""
        counted = self._measured[int(len(self._measured) * _WARM_UP) :]
        if len(counted) < 3 or counted[-1][0] - counted[0][0] < _LEAST_S:
            return None
        slope = statistics.linear_regression([at for at, *_ in counted], [size for _, size, _ in counted]).slope
        return round(slope * _S_PER_HOUR / 1e6, 2)
