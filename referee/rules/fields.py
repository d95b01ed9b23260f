"""Reading a rule or board file so that every fault in it is found, each with its place, before anything is used.

Its keys are data (ranks, options, squares), so values are taken one by one; `toml_tables` judges each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import TypeVar

from referee.rules.outcomes import FileFault, RuleFileError
from toml_tables import Key, fault_of, read_toml

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

_KINDS: dict[type, str] = {str: "text", int: "whole number", bool: "true or false", list: "list", dict: "table"}


def read(path: Path) -> dict[str, object]:
    """Return the table that a file holds. Raises `RuleFileError` where it cannot be read or is no TOML."""
    try:
        return read_toml(path)
    except ValueError as error:
        raise RuleFileError(path.name, [FileFault("file", str(error))]) from None


class Fields:
    """One table of a file: values are taken from it by key and type; `faults` collects what is wrong, `finish` what is left."""

    def __init__(self, table: Mapping[str, object], faults: list[FileFault], place: str = "") -> None:
        self._left = dict(table)
        self.faults = faults
        self.place = place

    def fault(self, key: str, text: str) -> None:
        """Note a fault at a key of this table."""
        self.faults.append(FileFault(self.place + key, text))

    def has(self, key: str) -> bool:
        """Return whether a key stands here and was not taken yet."""
        return key in self._left

    def keys(self) -> list[str]:
        """Return the keys that were not taken yet."""
        return list(self._left)

    def take(self, key: str, kind: type[T], default: T) -> T:
        """Take a value of this type; the default where it is missing, or wrong, which is noted."""
        if key not in self._left:
            return default
        value = self._left.pop(key)
        fault = fault_of(value, Key(key, _KINDS[kind], ""))
        if fault is None and isinstance(value, kind):
            return value
        self.fault(key, str(fault))
        return default

    def need(self, key: str, kind: type[T], default: T) -> T:
        """Take a value that must be there."""
        if key not in self._left:
            self.fault(key, "is missing")
        return self.take(key, kind, default)

    def any(self, key: str) -> object:
        """Take whatever stands here, None where nothing does."""
        return self._left.pop(key, None)

    def table(self, key: str) -> Fields:
        """Take a table within this one; an empty one where it is missing."""
        empty: dict[str, object] = {}
        return Fields(self.take(key, dict, empty), self.faults, f"{self.place}{key}.")

    def texts(self, key: str) -> list[str]:
        """Take a list of texts; anything else in it is noted."""
        empty: list[object] = []
        found = self.take(key, list, empty)
        for at, value in enumerate(found):
            if not isinstance(value, str):
                self.fault(f"{key}[{at}]", "a text is needed")
        return [value for value in found if isinstance(value, str)]

    def word(self, key: str, word: str, kind: type[E], *others: str) -> E | None:
        """Return the member with this value, None for one of the `others`; any other word is noted with those that there are."""
        words = {**dict.fromkeys(others), **{member.value: member for member in kind}}
        if word not in words:
            self.fault(key, f"{word!r} is none of {', '.join(sorted(words))}")
        return words.get(word)

    def words(self, key: str, words: Iterable[str], kind: type[E]) -> tuple[E, ...]:
        """Return the members with these values; other words are noted and left out."""
        return tuple(member for word in words if (member := self.word(key, word, kind)) is not None)

    def finish(self) -> None:
        """Note every key that nobody took."""
        for key in self._left:
            self.fault(key, "unknown key")
