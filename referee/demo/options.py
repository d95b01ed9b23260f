"""What a demo is asked to do, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from referee.demo.player import Script
from referee.rules import RuleSet
from referee.rules.values import BySeat, Rank, Square
from referee.table.views import Mode, Reveal


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game to be played again: every seat's set-up and the script that all players follow."""

    set_ups: BySeat[dict[Square, Rank]]
    script: Script


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """One demo, or with `games` above 1 a series with seeds that count up from `seed`."""

    rules: RuleSet
    rules_name: str
    """How another process finds the same rules: the name of a shipped set, or the path of a file."""
    state_dir: Path
    seed: int = 0
    games: int = 1
    board: str = "sim"
    sensing: str | None = None
    """`colour` or `occupancy`; None for what the board file says."""
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    noise: str = "clean"
    human_pace: bool = False
    style: str = "sensible"
    recorded: RecordedGame | None = None
    kiosk: bool = False
    language: str = "en"
    broker_port: int | None = None

    def numbered(self, index: int) -> DemoOptions:
        """Give the options of the game with this index in a series, counted from 0."""
        return replace(self, seed=self.seed + index, games=1, state_dir=self.state_dir / f"game-{index + 1}")
