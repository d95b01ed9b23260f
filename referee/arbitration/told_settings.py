"""Settings of a game as its journal keeps them, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from referee.arbitration.clocks import ClockKind, TimeControl
from referee.arbitration.errors import SettingsError
from referee.arbitration.settings import Occasion, TableSettings
from referee.arbitration.views import Mode, Reveal
from referee.rules import RuleSet
from referee.rules.errors import RuleFileError
from referee.rules.ruleset import OptionValue
from referee.rules.values import Seat


def settings_as_told(settings: TableSettings) -> Mapping[str, Any]:
    """Give settings as JSON has them, with the name and the mark of the rule set instead of all its rules."""
    return {
        "board_id": settings.board_id,
        "game": settings.game,
        "rules": settings.rule_set.name,
        "rules_mark": rules_mark(settings.rule_set),
        "options": {name: each.value for name, each in settings.rule_set.options.items() if len(each.choices) > 1},
        "mode": settings.mode.value,
        "reveal": settings.reveal.value,
        "names": {seat.value: name for seat, name in settings.names.items()},
        "version": settings.version,
        "answer_limit_ms": settings.answer_limit_ms,
        "clock": _clock_as_told(settings.clock),
        **({} if settings.occasion is None else {"occasion": asdict(settings.occasion)}),
    }


def settings_from(told: Mapping[str, Any], rules: RuleSet) -> TableSettings:
    """Give settings from what `settings_as_told` gave; raises `SettingsError` when these are not the rules that were meant."""
    rules = _with_options(rules, told.get("options", {}))  # older journals have none
    if (rules.name, rules_mark(rules)) != (told["rules"], told["rules_mark"]):
        raise SettingsError(f"the game is played by rule set {told['rules']} as it was then, and that is not at hand")
    return TableSettings(
        board_id=told["board_id"],
        game=told["game"],
        rule_set=rules,
        mode=Mode(told["mode"]),
        reveal=Reveal(told["reveal"]),
        names={Seat(word): name for word, name in told["names"].items()},
        version=told["version"],
        answer_limit_ms=told["answer_limit_ms"],
        clock=_clock_from(told.get("clock")),
        occasion=Occasion(**told["occasion"]) if "occasion" in told else None,
    )


def _with_options(rules: RuleSet, values: Mapping[str, OptionValue]) -> RuleSet:
    """Give the rules with what the players had chosen; as they are where they no longer know it, and so are others."""
    changed = {name: value for name, value in values.items() if rules.option(name, value) != value}
    try:
        return rules.with_options(changed) if changed else rules
    except RuleFileError:
        return rules


def _clock_as_told(clock: TimeControl) -> Mapping[str, Any] | None:
    times = {"game_ms": clock.game_ms, "ply_ms": clock.ply_ms, "set_up_ms": clock.set_up_ms}
    return {"kind": clock.kind.value, **times} if clock else None


def _clock_from(told: Mapping[str, Any] | None) -> TimeControl:
    return TimeControl(**{**told, "kind": ClockKind(told["kind"])}) if told else TimeControl()


def rules_mark(rules: RuleSet) -> str:
    """Give 16 hex digits that change with whatever decides a game: board, armies, gaits, combat, options."""
    parts = (
        rules.name,
        [(square.name, rules.board.place(square)) for square in rules.board.squares],
        [seat.value for seat in rules.seats],
        [[seat.value for seat in team] for team in rules.teams],
        [(rank.value, rule.count, rule.gait.value) for rank, rule in rules.ranks.items()],
        sorted((one.value, other.value, result.value) for (one, other), result in rules.tables.verdicts.items()),
        rules.filled,
        sorted((name, option.value) for name, option in rules.options.items()),
        sorted(special.value for special in rules.specials),
    )
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()
