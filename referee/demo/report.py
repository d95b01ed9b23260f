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
    ghosts: int = 0
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
        self.ghosts += event.kind == "move.revised"

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
        "plies": sum(game.tally.plies for game in games),
        "attacks": sum(game.tally.attacks for game in games),
        "winner": None if series else last.winner,
        "reason": None if series else last.reason,
        "misread": sum(game.tally.misread for game in games),
        "asked": sum(game.tally.asked for game in games),
        "ghost": sum(game.tally.ghosts for game in games),
        "lost": sum(game.tally.lost for game in games),
        "latency_ms": percentiles([value for game in games for value in game.tally.latencies_ms]),
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
        "plies": game.tally.plies,
        "attacks": game.tally.attacks,
        "misread": game.tally.misread,
        "asked": game.tally.asked,
        "journal": str(game.journal),
        "record": str(game.record),
    }


def percentiles(values: Sequence[float]) -> dict[str, float | None]:
    """Give the median and the 99th percentile in milliseconds, rounded to a hundredth; None where nothing was measured."""
    if len(values) < 2:
        only = round(values[0], 2) if values else None
        return {"p50": only, "p99": only}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p99": round(cuts[98], 2)}


def summary(rules: str, games: Sequence[GameReport]) -> list[tuple[str, str]]:
    """Give the closing lines as (label, text)."""
    latency = percentiles([value for game in games for value in game.tally.latencies_ms])
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
    lines += [
        (
            "Plies",
            f"{sum(game.tally.plies for game in games)}, of them attacks {sum(game.tally.attacks for game in games)}",
        ),
        ("Misread", str(sum(game.tally.misread for game in games))),
        ("Asked", f"{sum(game.tally.asked for game in games)} times"),
        ("Frame to handset", f"p50 {latency['p50']} ms, p99 {latency['p99']} ms"),
        ("Journal", str(games[-1].journal)),
        ("Record", str(games[-1].record)),
    ]
    return lines
