"""From a journal to the record of its game: with the key the referee's view, without it what everybody was told."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.journal.errors import JournalFormatError
from referee.journal.facts import fact_of
from referee.journal.journal import Journal, public_rows
from referee.journal.records.chronicle import Chronicle, counts_for
from referee.journal.records.errors import RecordError
from referee.journal.records.model import Record, View
from referee.journal.records.views import without_reasons
from referee.journal.sealing import disclosed
from referee.rules import RulesError, RuleSet, rule_set
from referee.rules.values import BySeat, Seat
from referee.table.settings import Occasion
from referee.table.settings_codec import rules_as_told
from referee.table.step import Fact
from referee.table.views import Mode, Reveal


def journal_record(path: Path, key_path: Path | None, rules: RuleSet | None = None) -> Record:
    """Give the record of a journal's game: the referee's view with its key, the public view with None.

    Every row is verified first. Raises a `JournalError`, and `RecordError` for rules that nobody knows.
    """
    if key_path is None:
        rows = public_rows(path)
    else:
        journal = Journal.open(path, key_path, read_only=True)
        try:
            rows = list(journal.rows())
        finally:
            journal.close()
    facts = [fact_of(row) for row in rows if not row.type.startswith("journal.")]
    record = record_of(facts, rules_of_facts(facts, rules))
    settings: Mapping[str, Any] = (facts[0].cause or {}).get("settings", {}) if facts else {}
    date = datetime.datetime.fromtimestamp(rows[0].wall_ms / 1000).date()  # as people at the table count days
    try:
        record = replace(
            record,
            date=date.isoformat(),
            reveal=Reveal(settings.get("reveal", record.reveal)),
            names=BySeat({Seat(seat): str(name) for seat, name in settings.get("names", {}).items()}),
            **counts_for(Occasion(**settings["occasion"]) if "occasion" in settings else None),
        )
    except (TypeError, ValueError):
        raise JournalFormatError(f"{path}: how the game was opened cannot be read") from None
    return record if key_path is not None else replace(without_reasons(record), view=View.PUBLIC)


def record_of(facts: Iterable[Fact], rules: RuleSet) -> Record:
    """Give the record of a game from its facts, with the ranks that they tell. How survivors were revealed is not looked for."""
    facts = list(facts)
    enrolled = any(fact.kind == "enrolled" for fact in facts)
    chronicle = Chronicle(rules, Mode.ENROL if enrolled else Mode.DECLARE, Reveal.BOOK, {}, None)
    for fact in facts:
        chronicle.take(fact.kind, fact.seat, fact.event, disclosed(fact.hidden), fact.cause)
    return chronicle.record()


def rules_of_facts(facts: Iterable[Fact], rules: RuleSet | None = None) -> RuleSet:
    """Return the rule set that a game was opened with, or `rules`, with the options that it was played by.

    Raises `JournalFormatError` where no game was opened, `RecordError` for unknown rules.
    """
    opened = next((fact for fact in facts if fact.kind == "opened" and fact.event is not None), None)
    if opened is None or opened.event is None:
        raise JournalFormatError("the journal holds no game")
    try:
        return rules_as_told(rules or rule_set(opened.event.text or ""), (opened.cause or {}).get("settings", {}))
    except RulesError as error:
        raise RecordError(str(error)) from None
