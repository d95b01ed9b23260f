"""Options that had another name and other values once: rule files, journals and records that say them are still read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from referee.rules.ruleset import OptionValue, Repetition

_Any = TypeVar("_Any")


@dataclass(frozen=True)
class _Renamed:
    now: str
    values: Mapping[bool, str]


_RENAMED = {
    "include_lake_rows": _Renamed("enemy_ground", {True: "lake-rows-too", False: "set-up-rows"}),
    "chase_rule": _Renamed("repetition", {True: Repetition.PURSUIT.value, False: Repetition.NONE.value}),
}


def name_now(name: str) -> str:
    """Return what an option is called today."""
    return _RENAMED[name].now if name in _RENAMED else name


def value_now(name: str, value: _Any) -> _Any | str:
    """Return today's value for one of the option's former values; any other is left as it is, to be refused by the rules."""
    renamed = _RENAMED.get(name)
    return renamed.values[value] if renamed is not None and isinstance(value, bool) else value


def options_now(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return options by today's names and values."""
    return {name_now(name): value_now(name, value) for name, value in options.items()}


def by_every_name(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return today's options and beside them what they were called before; a value that there was not then stays as it is."""
    found = dict(options)
    for name, renamed in _RENAMED.items():
        if renamed.now in options:
            then = {text: value for value, text in renamed.values.items()}
            value = options[renamed.now]
            found[name] = then.get(value, value) if isinstance(value, str) else value
    return found
