"""What a demo says at the end: one object for `--json`, a few lines for people."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.table.views import PublicEvent

_PROMPTS = frozenset({"ask", "move.refused"})
"""Events that ask the players for more than the ordinary questions of an attack."""


@dataclass(slots=True)
class Tally:
    """Counts one game while it is played: what the hands did against what became final."""

    intents: dict[int, tuple[str, str]] = field(default_factory=dict)
    finals: dict[int, tuple[str, str]] = field(default_factory=dict)
    attacks: int = 0
    asked: int = 0
    ghost: int = 0
    latencies_ms: list[float] = field(default_factory=list)

    def intend(self, ply: int, source: str, target: str) -> None:
        """Note what the hands are about to do as this ply."""
        self.intents[ply] = (source, target)

    def hear(self, event: PublicEvent) -> None:
        """Note a public event."""
        if event.kind in ("move.final", "verdict"):
            assert event.source
            assert event.target
            self.finals[event.ply] = (event.source, event.target)
        self.attacks += event.kind == "verdict"
        self.asked += event.kind in _PROMPTS
        self.ghost += event.kind in ("move.revised", "move.unread")

    @property
    def plies(self) -> int:
        """Count the final plies."""
        return len(self.finals)

    @property
    def misread(self) -> int:
        """Count the final plies that differ from what the hands did."""
        return sum(1 for ply, squares in self.finals.items() if self.intents.get(ply) != squares)

    @property
    def lost(self) -> int:
        """Count the plies that the hands made and that never became final."""
        return sum(1 for ply in self.intents if ply not in self.finals)


@dataclass(frozen=True, slots=True)
class GameReport:
    """How one game of a demo went."""

    seed: int
    winner: str | None
    """A seat's word, `draw`, or None for a game without a result."""
    reason: str
    tally: Tally
    journal: Path
    record: Path


def document(rules: str, games: Sequence[GameReport], series: bool) -> dict[str, Any]:
    """Give the object of `demo --json`; in a series counts are sums, `winner` is null and `results` lists the games."""
    last = games[-1]
    together: dict[str, Any] = {
        "rules": rules,
        "games": len(games),
        **_totals(games, "plies", "attacks"),
        "winner": None if series else last.winner,
        "reason": None if series else last.reason,
        **_totals(games, "misread", "asked", "ghost", "lost"),
        "latency_ms": _latency(games),
        "journal": str(last.journal),
        "record": str(last.record),
        "seed": games[0].seed,
    }
    if series:
        together["results"] = [_one(game) for game in games]
    return together


def _one(game: GameReport) -> dict[str, Any]:
    return {
        "seed": game.seed,
        "winner": game.winner,
        "reason": game.reason,
        **_totals([game], "plies", "attacks", "misread", "asked"),
        "journal": str(game.journal),
        "record": str(game.record),
    }


def _totals(games: Sequence[GameReport], *names: str) -> dict[str, int]:
    """Return the sums of counts of a tally, by name."""
    return {name: sum(getattr(game.tally, name) for game in games) for name in names}


def _latency(games: Sequence[GameReport]) -> dict[str, float | None]:
    """Return the median and the 99th percentile in milliseconds, rounded to a hundredth; None where nothing was measured."""
    values = [value for game in games for value in game.tally.latencies_ms]
    if len(values) < 2:
        only = round(values[0], 2) if values else None
        return {"p50": only, "p99": only}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)}


def summary(rules: str, games: Sequence[GameReport]) -> list[tuple[str, str]]:
    """Give the closing lines as (label, text)."""
    latency = _latency(games)
    lines: list[tuple[str, str]] = [("Rules", rules)]
    if len(games) == 1:
        game = games[0]
        ending = f"{game.winner} wins" if game.winner not in (None, "draw") else (game.winner or "no result")
        lines.append(("Result", f"{ending} ({game.reason})"))
    else:
        wins = {
            word: sum(1 for game in games if game.winner == word)
            for word in sorted({g.winner or "none" for g in games})
        }
        lines.append(("Games", f"{len(games)}: " + ", ".join(f"{word} {count}" for word, count in wins.items())))
    total = _totals(games, "plies", "attacks", "misread", "asked")
    lines += [
        ("Plies", f"{total['plies']}, of them attacks {total['attacks']}"),
        ("Misread", str(total["misread"])),
        ("Asked", f"{total['asked']} times"),
        ("Frame to handset", f"p50 {latency['p50']} ms, p99 {latency['p99']} ms"),
        ("Journal", str(games[-1].journal)),
        ("Record", str(games[-1].record)),
    ]
    return lines
