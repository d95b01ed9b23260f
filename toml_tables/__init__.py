"""Reads a TOML file and checks its tables against lists of keys: every fault at once, each with its place.

Does not stop at the first fault and never fills in what a file leaves out unless the key says so. Board files, noise profiles and a table's
configuration are checked here, and the motions that a simulated board is asked for; a rule file, whose keys are data, value by value.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

REQUIRED = object()
ABSENT = object()
"""As a key's default: it may be left out, and then has no value."""

KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "str"),
    "whole number": ((int,), "int"),
    "number": ((int, float), "float"),
    "true or false": ((bool,), "bool"),
    "list of text": ((list,), "tuple[str, ...]"),
    "list of whole numbers": ((list,), "tuple[int, ...]"),
    "list": ((list,), ""),
    "table": ((dict,), ""),
}
"""The types that a value of each kind has in TOML, and that of the field of a dataclass that is such a key, as it is written there."""
_KIND_OF = {written: kind for kind, (_, written) in KINDS.items() if written}


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table: its name, kind (a key of `KINDS`), meaning, and what its value may be.

    `read` makes what is used of a value; its ValueError says what else is wrong. `needed` says in words what the value of a secret has to
    be: where it is of another kind, that is said and the value is not.
    """

    name: str
    kind: str
    about: str
    default: object = REQUIRED
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    read: Callable[[Any], object] | None = None
    needed: str = ""

    @property
    def range_text(self) -> str:
        """What the value may be, in words; empty if everything of the kind may."""
        if self.choices:
            return " or ".join(f"`{choice}`" for choice in self.choices)
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        return ""


def keyed(about: str = "", default: object = MISSING, *, kind: str = "", **limits: object) -> Any:
    """Return a field of a dataclass that is a key of a table as well; without a default the key is required.

    Its kind follows from the field's type (`_KIND_OF`) where it is not said. `limits` are the other fields of `Key`, its `name` among
    them where the table calls it otherwise.
    """
    return field(default=default, metadata={"key": {"about": about, "kind": kind, **limits}})


def keys_of(table: Any) -> tuple[Key, ...]:
    """Return the keys of a dataclass's fields that are `keyed`, in their order."""
    found = []
    for each in fields(table):
        if "key" in each.metadata:
            default = REQUIRED if each.default is MISSING else each.default
            told = {"name": each.name, "default": default, **each.metadata["key"]}
            told["kind"] = told["kind"] or _KIND_OF[str(each.type)]
            found.append(Key(**told))
    return tuple(found)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table that a text holds; raise ValueError, with the reason in one line, if it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not TOML: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table that a file holds; raise ValueError, with the reason in one line, if it cannot be read or is no TOML."""
    try:
        return parse_toml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(error.strerror or "cannot be read") from error
    except UnicodeDecodeError as error:
        raise ValueError("not a text in UTF-8") from error


def check_table(data: object, keys: Sequence[Key], place: str, faults: list[str]) -> dict[str, Any]:
    """Return the values by key, defaults filled in; append one line a fault. A key with a fault is absent from the answer.

    `place` names the table in the lines; empty for the top of a file that has no better word.
    """
    within, at = (f"{place}: ", f"{place}.") if place else ("", "")
    if not isinstance(data, dict):
        faults.append(f"{within}a table is needed")
        return {}
    known = {key.name for key in keys}
    faults += [
        f"{within}unknown key {name!r} (known: {', '.join(sorted(known))})" for name in data if name not in known
    ]
    values: dict[str, Any] = {}
    for key in keys:
        if key.name in data:
            value = data[key.name]
            try:
                if fault := fault_of(value, key):
                    raise ValueError(fault)
                values[key.name] = key.read(value) if key.read else value
            except ValueError as error:
                faults.append(f"{at}{key.name}: {error}")
        elif key.default is REQUIRED:
            faults.append(f"{within}key {key.name!r} is missing")
        elif key.default is not ABSENT:
            values[key.name] = key.default
    return values


def fault_of(value: object, key: Key) -> str | None:
    """Return what is wrong with a value, None if it is what its key wants."""
    # bool is an int in Python, but `scan_hz = true` is a slip of the pen
    if not isinstance(value, KINDS[key.kind][0]) or (isinstance(value, bool) and key.kind != "true or false"):
        return key.needed or f"{'' if key.kind == 'true or false' else 'a '}{key.kind} is needed, not {value!r}"
    if key.kind == "list of text" and not all(isinstance(item, str) for item in value):  # type: ignore[attr-defined] # a list, just checked
        return "every item must be text"
    if key.kind == "list of whole numbers":
        return _fault_of_numbers(value, key)
    if key.choices and value not in key.choices:
        return f"{value!r} is none of {', '.join(key.choices)}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _fault_of_range(value, key)
    return None


def _fault_of_numbers(items: object, key: Key) -> str | None:
    assert isinstance(items, list)
    if not items or not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        return "whole numbers are needed, at least one"
    return next(filter(None, (_fault_of_range(item, key) for item in items)), None)


def _fault_of_range(value: float, key: Key) -> str | None:
    if math.isnan(value):
        return "nan is no number"
    if key.low is not None and value < key.low:
        return f"{value!r} is less than {key.low:g}"
    if key.high is not None and value > key.high:
        return f"{value!r} is more than {key.high:g}"
    return None
