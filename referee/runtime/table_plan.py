"""What a table is to referee, checked before anything starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from referee.rules import OptionValue, RulesError, RuleSet, Seat, load_rule_set, rule_set, rule_set_names
from referee.runtime.errors import BadInputError
from referee.runtime.game_archive import UnfinishedGame
from referee.runtime.state_file import KeptFile
from referee.runtime.table_config import TableConfig, clock_choices, clock_word
from referee.table.settings import COMPUTER_LEVELS, TimeControl
from referee.table.views import Mode, Reveal

_PLAYER, _PHONE = "-player", "phone"
"""`blue-player` is the choice of who plays blue, and this who does unless it is the computer."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Configuration, rules, state directory, language and the board's URL as it was given."""

    config: TableConfig
    rules: RuleSet
    state: Path
    language: str
    board_url: str
    kept: KeptFile
    unfinished: UnfinishedGame | None = None
    """The game that the table was playing when it was stopped."""
    own_clock: TimeControl = field(default_factory=TimeControl)
    """That of the table's file, which stays among the choices."""

    def options(self) -> Mapping[str, str]:
        """Return what is chosen for the next game, by name."""
        return {name: chosen for name, (chosen, _) in self._offered().items()}

    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """Return what may be chosen, by name."""
        return {name: tuple(values) for name, (_, values) in self._offered().items()}

    def choosing(self, name: str, value: str) -> TablePlan:
        """Return the plan with an option chosen; raises `BadInputError` for a value that `choices` does not have."""
        _, values = self._offered().get(name, ("", {}))
        if value not in values:
            raise BadInputError(f"{name} cannot be {value!r} here")
        chosen = values[value]
        if name == "rules":
            return replace(self, rules=chosen)
        if name in self._players():
            seat = Seat(name.removesuffix(_PLAYER))
            others = {each: level for each, level in self.config.computers.items() if each is not seat}
            computers = others | ({seat: chosen} if chosen else {})
            return replace(self, config=replace(self.config, computers=computers))
        if name in self.rules.options:
            return replace(self, rules=self.rules.with_options({name: chosen}))
        return replace(self, config=replace(self.config, **{name: chosen}))

    def _offered(self) -> Mapping[str, tuple[str, Mapping[str, Any]]]:
        """Return by name what players may choose for the next game: the word that is chosen, and of each word that may be its value.

        Of the rule sets those with the same squares and seats, for pieces and handsets stay where they are. What the rule set
        decides where booklets disagree is among it, as far as it may be otherwise.
        """
        config = self.config
        free = {name: option for name, option in self.rules.options.items() if len(option.choices) > 1}
        return {
            "rules": (self.rules.name, self._rule_sets()),
            "mode": (config.mode.value, {mode.value: mode for mode in Mode}),
            "reveal": (config.reveal.value, {reveal.value: reveal for reveal in Reveal}),
            "clock": (clock_word(config.clock), clock_choices(self.own_clock)),
            **self._players(),
            **{
                name: (option_word(option.value), {option_word(choice): choice for choice in option.choices})
                for name, option in free.items()
            },
        }

    def player(self, seat: Seat, level: int) -> tuple[str, str]:
        """Return the option that has the computer play a seat at a level, or a person with a phone."""
        return f"{seat.value}{_PLAYER}", f"computer-{level}" if level else _PHONE

    def _players(self) -> Mapping[str, tuple[str, Mapping[str, int]]]:
        """Return who may play each of two seats: somebody with a phone, or the computer at a level; of more it plays none."""
        seats, now = self.rules.seats, self.config.computers
        words = {_PHONE: 0} | {f"computer-{level}": level for level in COMPUTER_LEVELS}
        chosen = {seat: next(word for word, level in words.items() if level == now.get(seat, 0)) for seat in seats}
        return {f"{seat.value}{_PLAYER}": (chosen[seat], words) for seat in seats if len(seats) < len(Seat)}

    def _rule_sets(self) -> Mapping[str, RuleSet]:
        """Return the rule sets that can be played here, this one first: it may be of the house."""
        squares = {square.name for square in self.rules.board.squares}
        fitting = (
            rules
            for rules in map(rule_set, rule_set_names())
            if rules.seats == self.rules.seats and {square.name for square in rules.board.squares} == squares
        )
        return {self.rules.name: self.rules} | {rules.name: rules for rules in fitting if rules.name != self.rules.name}


def option_word(value: OptionValue) -> str:
    """Return a rule's option as one word: `yes`, `no`, a number, or the word that it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def rule_set_named(name: str) -> RuleSet:
    """Return a shipped rule set, or the house rule set of a TOML file; raises `BadInputError`."""
    try:
        return load_rule_set(Path(name)) if name.endswith(".toml") else rule_set(name)
    except RulesError as error:
        raise BadInputError(str(error)) from None
    except OSError as error:
        raise BadInputError(f"{name}: {error.strerror}") from None
