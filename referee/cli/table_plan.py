"""What a table is to referee, checked before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from referee.arbitration.views import Mode, Reveal
from referee.cli.errors import BadInputError
from referee.cli.table_config import TableConfig
from referee.cli.table_kept import KeptFile
from referee.cli.unfinished import Unfinished
from referee.rules import RuleSet, rule_set, rule_set_names


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Configuration, rules, state directory, language and the board's URL as it was given."""

    config: TableConfig
    rules: RuleSet
    state: Path
    language: str
    board_url: str
    kept: KeptFile
    unfinished: Unfinished | None = None
    """The game that the table was playing when it was stopped."""

    def options(self) -> Mapping[str, str]:
        """Give what players may choose for the next game, by name."""
        return {"rules": self.rules.name, "mode": self.config.mode.value, "reveal": self.config.reveal.value}

    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Give what may be chosen: of the rule sets those with the same squares and seats, for pieces and handsets stay where they are."""
        return {
            "rules": tuple(self._rule_sets()),
            "mode": tuple(mode.value for mode in Mode),
            "reveal": tuple(reveal.value for reveal in Reveal),
        }

    def choosing(self, name: str, value: str) -> TablePlan:
        """Give the plan with an option chosen; raises `BadInputError` for a value that `choices` does not have."""
        if value not in self.choices().get(name, ()):
            raise BadInputError(f"{name} cannot be {value!r} here")
        if name == "rules":
            return replace(self, rules=self._rule_sets()[value])
        if name == "mode":
            return replace(self, config=replace(self.config, mode=Mode(value)))
        return replace(self, config=replace(self.config, reveal=Reveal(value)))

    def _rule_sets(self) -> Mapping[str, RuleSet]:
        """Give the rule sets that can be played here, this one first: it may be of the house."""
        squares = {square.name for square in self.rules.board.squares}
        fitting = (
            rules
            for rules in map(rule_set, rule_set_names())
            if rules.seats == self.rules.seats and {square.name for square in rules.board.squares} == squares
        )
        return {self.rules.name: self.rules} | {rules.name: rules for rules in fitting if rules.name != self.rules.name}
