"""Which rules a record's game was played by: the rule set that it names, and the options that it names of it."""

from __future__ import annotations

from collections.abc import Mapping

from referee.journal.records.errors import RecordError
from referee.journal.records.model import Record
from referee.rules import OptionValue, RulesError, RuleSet, rule_set, rule_set_names
from referee.rules.renamed import name_now, value_now


def rules_of(record: Record, rules: RuleSet | None = None) -> RuleSet:
    """Return the rule set that a record names, or the shipped one `rules`, with the record's options.

    House rules are taken as they are. Raises `RecordError`.
    """
    if rules is not None and (rules.name not in rule_set_names() or rules is not rule_set(rules.name)):
        return rules
    try:
        named = rule_set(record.rules) if rules is None else rules
        texts = {
            name: text for name, text in record.options.items() if rules is None or name_now(name) in rules.options
        }
        return named.with_options(_values(named, texts))
    except RulesError as error:
        raise RecordError(str(error)) from None


def options_of(rules: RuleSet) -> dict[str, str]:
    """Return the options that a record of a game by these rules has to name, so that `rules_of` finds them again.

    None for house rules: a record does not say what they are.
    """
    if rules.name not in rule_set_names():
        return {}
    shipped = rule_set(rules.name).options
    return {name: option_text(each.value) for name, each in rules.options.items() if shipped[name].value != each.value}


def former_options(name: str) -> dict[str, str]:
    """Return the options of a game by this rule set that names none: one of another program, or of our first format.

    None for a rule set that is not shipped.
    """
    former = rule_set(name).former_options if name in rule_set_names() else {}
    return {option: option_text(value) for option, value in former.items()}


def option_text(value: OptionValue) -> str:
    """Return an option's value as a record writes it: `true`, `3`, `forfeit`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(rules: RuleSet, texts: Mapping[str, str]) -> dict[str, OptionValue]:
    """Return the options' values for their texts; a text that fits no choice is left as it is, to be refused by the rules."""
    values: dict[str, OptionValue] = {}
    for name, text in texts.items():
        now = name_now(name)
        choices = rules.options[now].choices if now in rules.options else ()
        said = option_text(value_now(name, {"true": True, "false": False}.get(text, text)))
        values[now] = next((choice for choice in choices if option_text(choice) == said), text)
    return values
