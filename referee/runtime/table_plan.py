"""What a table is to referee, checked before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee.rules import Option, OptionValue, RulesError, RuleSet, load_rule_set, rule_set, rule_set_names
from referee.runtime.errors import BadInputError
from referee.runtime.game_archive import Unfinished
from referee.runtime.state_file import KeptFile
from referee.runtime.table_config import TableConfig, clock_choices, clock_word
from referee.table.settings import TimeControl
from referee.table.views import Mode, Reveal


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
    own_clock: TimeControl = field(default_factory=TimeControl)
    """That of the table's file, which stays among the choices."""

    def options(self) -> Mapping[str, str]:
        """Give what players may choose for the next game, by name; what the rule set leaves open is among it."""
        return {
            "rules": self.rules.name,
            "mode": self.config.mode.value,
            "reveal": self.config.reveal.value,
            "clock": clock_word(self.config.clock),
            **{name: option_word(option.value) for name, option in self._free_options().items()},
        }

    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Give what may be chosen: of the rule sets those with the same squares and seats, for pieces and handsets stay where they are."""
        return {
            "rules": tuple(self._rule_sets()),
            "mode": tuple(mode.value for mode in Mode),
            "reveal": tuple(reveal.value for reveal in Reveal),
            "clock": tuple(clock_choices(self.own_clock)),
            **{name: tuple(map(option_word, option.choices)) for name, option in self._free_options().items()},
        }

    def choosing(self, name: str, value: str) -> TablePlan:
        """Give the plan with an option chosen; raises `BadInputError` for a value that `choices` does not have."""
        if value not in self.choices().get(name, ()):
            raise BadInputError(f"{name} cannot be {value!r} here")
        if name == "rules":
            return replace(self, rules=self._rule_sets()[value])
        if name == "mode":
            return replace(self, config=replace(self.config, mode=Mode(value)))
        if name == "clock":
            clock = clock_choices(self.own_clock)[value]
            return replace(self, config=replace(self.config, clock=clock))
        if name in self.rules.options:
            chosen = next(choice for choice in self.rules.options[name].choices if option_word(choice) == value)
            return replace(self, rules=self.rules.with_options({name: chosen}))
        return replace(self, config=replace(self.config, reveal=Reveal(value)))

    def _free_options(self) -> Mapping[str, Option]:
        """Give what the rule set decides where booklets disagree, as far as it may be otherwise."""
        return {name: option for name, option in self.rules.options.items() if len(option.choices) > 1}

    def _rule_sets(self) -> Mapping[str, RuleSet]:
        """Give the rule sets that can be played here, this one first: it may be of the house."""
        squares = {square.name for square in self.rules.board.squares}
        fitting = (
            rules
            for rules in map(rule_set, rule_set_names())
            if rules.seats == self.rules.seats and {square.name for square in rules.board.squares} == squares
        )
        return {self.rules.name: self.rules} | {rules.name: rules for rules in fitting if rules.name != self.rules.name}


def option_word(value: OptionValue) -> str:
    """Give a rule's option as one word: `yes`, `no`, a number, or the word that it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def rule_set_named(name: str) -> RuleSet:
    """Give a shipped rule set, or the house rule set of a TOML file; raises `BadInputError`."""
    try:
        return load_rule_set(Path(name)) if name.endswith(".toml") else rule_set(name)
    except RulesError as error:
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(f"{name}: {error.strerror}") from None
