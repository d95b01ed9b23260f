"""A table as it was, rebuilt from the facts that its journal holds.

    settings = told_settings(facts, rule_set_named)
    rebuilt = rebuild(settings, facts)
    step = rebuilt.table.apply(Reopen(), now_ms)   # journal rebuilt.owed first, then go on as with any table

What every step answered stands with its first fact. It is put into a new table, which has to come to the very same facts; so a
rebuilt table is the old one, or an error. Not kept, since sensing and the network tell it again: what is in the air, what stands on
the board before the game begins, who is connected, how much of a question's time was left (all of it is).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from referee.rules import Hidden, Rank, RulesError, RuleSet, Seat, Square
from referee.sensing import Final, Lifted, Seen
from referee.table.arbiter_commands import CorrectionError
from referee.table.event_actions import occupants_of
from referee.table.inputs import Cause, from_json
from referee.table.settings import SettingsError, TableSettings, opened_with, settings_from
from referee.table.step import Fact
from referee.table.table import Table


class ResumeError(Exception):
    """The facts do not rebuild the table: a different version wrote them, or the rules are different ones."""


_NO_TIME = 0
_ANY_TIME = 1 << 62
"""Later than any deadline: a tick that came to a fact had reached its own."""
_TOLD_ACTIONS = frozenset({"attack", "infiltrate", "fire"})


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A table that was rebuilt."""

    table: Table
    owed: tuple[Fact, ...]
    """What follows from the last step and is missing, since the journal was cut in the middle of it; write it before anything else."""


def told_settings(facts: Sequence[Fact], rules_named: Callable[[str], RuleSet]) -> TableSettings:
    """Return the settings that a game was opened with; `rules_named` returns a rule set by its name.

    Raises `ResumeError` when they are not told, or the rules are not at hand.
    """
    cause = facts[0].cause if facts else None
    if cause is None or cause.get("by") != "open":
        raise ResumeError("the journal does not say how its game was opened; an earlier version wrote it")
    told = cause["settings"]
    try:
        settings = settings_from(told, rules_named(told["rules"]))
        if facts[0].hidden is None:
            return settings
        secret, salts = opened_with({word: str(text) for word, text in facts[0].hidden.open_hidden().items()})
        return replace(settings, secret=Hidden(secret), salts=Hidden(salts) if salts else None)
    except (KeyError, ValueError, SettingsError, RulesError) as error:
        raise ResumeError(str(error)) from None


def rebuild(settings: TableSettings, facts: Iterable[Fact]) -> Rebuilt:
    """Return the table that these facts came from, in the order in which they were written. Raises `ResumeError`."""
    table = Table(settings)
    owed = [repeat(table, step, number) for number, step in steps_of(facts)]
    return Rebuilt(table, owed[-1] if owed else ())


def steps_of(facts: Iterable[Fact]) -> Iterator[tuple[int, list[Fact]]]:
    """Return the facts of each step, with the number of its first one, counted from 1. Raises `ResumeError`."""
    step: list[Fact] = []
    first = number = 0
    for number, fact in enumerate(facts, 1):
        if fact.cause is not None:
            if step:
                yield first, step
            step, first = [], number
        elif not step:
            raise ResumeError(f"row {number} ({fact.kind}) does not say what it answers; an earlier version wrote it")
        step.append(fact)
    if step:
        yield first, step


def repeat(table: Table, facts: Sequence[Fact], number: int) -> tuple[Fact, ...]:
    """Apply these facts' inputs to a table. Returns the facts that are missing. Raises `ResumeError` when different
    facts come of it.
    """
    came = answer_again(table, facts, number)
    if [_plain(fact) for fact in came[: len(facts)]] != [_plain(fact) for fact in facts]:
        raise ResumeError(
            f"row {number} ({facts[0].kind}) does not follow from the rows before it by this version's rules"
        )
    return came[len(facts) :]


def answer_again(table: Table, facts: Sequence[Fact], number: int) -> tuple[Fact, ...]:
    """Apply these facts' inputs to a table, and return the facts that come of it. Raises `ResumeError` where they cannot be read."""
    cause = facts[0].cause
    assert cause is not None
    try:
        table.phones_away([Seat(word) for word in cause.get("away", ())])
        _see_first(table, facts, cause)
        table.tell_at_once(_is_told(cause) and any(fact.kind == "move.final" for fact in facts))
        now_ms = cause.get("now_ms", _ANY_TIME if cause["by"] == "tick" else _NO_TIME)
        before: tuple[Fact, ...] = ()
        if cause["by"] == "read" and facts[0].kind == "move.final":  # once, a ply was final when the next one was read
            before = table.apply(Final(0), now_ms).facts
        step = table.apply(from_json(cause, _ranks(facts) if cause["by"] == "tell" else None), now_ms)
        table.tell_at_once(False)
    except (KeyError, TypeError, ValueError, CorrectionError) as error:
        raise ResumeError(f"what row {number} ({facts[0].kind}) answers cannot be read ({error})") from None
    return (*before, *step.facts)


def _is_told(cause: Cause) -> bool:
    return cause["by"] == "tell" and cause["message"]["type"] in _TOLD_ACTIONS


def _see_first(table: Table, facts: Sequence[Fact], cause: Cause) -> None:
    """Show the table what it must have seen without a fact: the board before the first move, a lifted piece.

    Then let it hear the word that was put off until this step, with that piece in the hand.
    """
    held = cause.get("held")
    if held is None and cause["by"] != "tell":
        return
    for event in (fact.event for fact in facts if fact.event is not None):
        if event.kind == "begin":
            table.apply(Seen(occupants_of(event), 0), _NO_TIME)
        elif event.kind == "move.taken-back" and event.target:
            table.apply(Lifted(Square(event.target), 0), _NO_TIME)
            break  # the piece of the told attack is the one that rested there
        elif event.kind in _TOLD_ACTIONS and event.source:
            table.apply(Lifted(Square(event.source), 0), _NO_TIME)
    if held is not None:
        table.apply(from_json(held), held.get("now_ms", _NO_TIME))


def _ranks(facts: Sequence[Fact]) -> dict[str, Rank] | None:
    hidden = next((fact.hidden for fact in facts if fact.hidden is not None), None)
    return None if hidden is None else {square: Rank(rank) for square, rank in hidden.open_hidden().items()}


def _plain(fact: Fact) -> object:
    """Return the parts of a fact that a replay has to repeat; writer and version are left out."""
    hidden = dict(fact.hidden.open_hidden()) if fact.hidden is not None else None
    return replace(fact, cause=None, hidden=None), hidden
