"""Counts what came of the games of a soak, and how the referee that lives on has grown."""

from __future__ import annotations

import resource
import shutil
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fault_injection.interrupted_compare import journalled
from fault_injection.interrupted_game import InterruptedGame
from referee.journal.journal_to_record import ply_gone_back_to
from referee.table.views import PublicEvent

_WARM_UP_S, _WARM_UP_GAMES = 900.0, 250
"""Growth counts after both: by then the greatest of the games have been, and the heap has made room for one of them.

It is games that do it, so on a machine that has much else to do time alone says little.
"""
_LEAST_S = 1200.0
"""A growth per hour is told of no shorter time after that."""
_MOST_GROWTH_MB = 1.0
"""So much an hour is allowed."""
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
    corrected: int = 0
    """How often an arbiter let a game stand at an earlier ply."""
    failures: list[str] = field(default_factory=list)
    _measured: list[tuple[float, int, int]] = field(default_factory=list)
    """Seconds, bytes and file descriptors of the referee that lives on, after each of its games."""

    def take(self, game: InterruptedGame, happened: list[str]) -> None:
        """Hold what the journal says against what hands did and ears heard; its files are thrown away."""
        events = journalled(game)
        wanted = [(move.source.name, move.target.name) for move in game.script.plies]
        final = _stands(events)
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
        self.corrected += sum(ply_gone_back_to(event) is not None for event in events)
        self.ghost += sum(event.kind == "move.revised" for event in events)
        wrong = [f"{misread} plies misread"] * bool(misread) + [f"{lost} plies lost"] * bool(lost)
        self.failures += [f"game {self.games}: {failure}" for failure in (*game.failures, *wrong)]
        if not (misread or lost or game.failures):
            self.survived.update(happened)
        shutil.rmtree(game.state)

    def measure(self, at_s: float, pid: int) -> None:
        """Note memory and file descriptors of a running referee."""
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        self._measured.append((at_s, pages * resource.getpagesize(), descriptors))

    def figures(self) -> dict[str, object]:
        """Give the report; `failures` is empty when everything was as it must be."""
        growth = self._growth()
        return {
            "games": self.games,
            "plies": self.plies,
            "misread": self.misread,
            "asked": self.asked,
            "lost": self.lost,
            "ghost": self.ghost,
            "corrected": self.corrected,
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
        """Give the first measurement, the first after warm-up, and the last."""
        return [*self._measured[:1], *self._warm()[:1], *self._measured[-1:]]

    def _warm(self) -> list[tuple[float, int, int]]:
        return [one for one in self._measured[_WARM_UP_GAMES:] if one[0] - self._measured[0][0] >= _WARM_UP_S]

    def _growth(self) -> float | None:
        """Give the slope of the memory after warm-up in MB an hour, None when it was measured too shortly."""
        counted = self._warm()
        if len(counted) < 3 or counted[-1][0] - counted[0][0] < _LEAST_S:
            return None
        slope = statistics.linear_regression([at for at, *_ in counted], [size for _, size, _ in counted]).slope
        return round(slope * _S_PER_HOUR / 1e6, 2)


def _stands(events: Iterable[PublicEvent]) -> list[tuple[str | None, str | None]]:
    """Give the plies that stand in the end: those that were taken back, or whose verdict was voided, are played again."""
    plies: list[tuple[str | None, str | None]] = []
    for event in events:
        back_to = ply_gone_back_to(event)
        if back_to is not None:
            del plies[back_to:]
        elif event.kind in _FINAL:
            plies.append((event.source, event.target))
    return plies
