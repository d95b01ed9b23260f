"""What a table is to referee, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from referee.cli.table_config import TableConfig
from referee.rules import RuleSet


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Configuration, rules, state directory, language and the board's URL as it was given."""

    config: TableConfig
    rules: RuleSet
    state: Path
    language: str
    board_url: str
