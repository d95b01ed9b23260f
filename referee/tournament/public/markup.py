"""HTML as text: elements whose text is escaped, and words that a page can say in the other languages too."""

from __future__ import annotations

import json
from html import escape

from referee.words import words

Attribute = str | int | bool


class Markup(str):
    """Text that is HTML already. Every other text is escaped where it becomes part of an element."""

    __slots__ = ()


_EMPTY = ("input", "link", "meta")


def tag(name: str, /, *children: object, **attributes: Attribute) -> Markup:
    """Return an element. A False attribute is left out; `_` in an attribute's name stands for `-`, one at its end for nothing."""
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not False
    )
    inside = join(*children)
    return Markup(f"<{name}{told}>" if name in _EMPTY else f"<{name}{told}>{inside}</{name}>")


def join(*parts: object) -> Markup:
    """Return parts one after another; None and False are left out, lists are laid out flat."""
    told = []
    for part in parts:
        if isinstance(part, Markup):
            told.append(part)
        elif isinstance(part, list):
            told.append(join(*part))
        elif part is not None and part is not False:
            told.append(Markup(escape(str(part))))
    return Markup("".join(told))


class Said:
    """Writes words in one language, marked so that the page's script can say them in another: `said("hall.round", round=3)`."""

    def __init__(self, language: str) -> None:
        """`language` is one of `LANGUAGES`, else `WordsError` is raised."""
        self.language = language
        self._words = words(language)

    def text(self, key: str, **values: object) -> str:
        """Return a word that stays as it is: for a page's title, or on paper. A key without a word is its own last part."""
        if key not in self._words:
            return key.rpartition(".")[2]
        return self._words.say(key, **values)

    def __call__(self, key: str, **values: object) -> Markup:
        """Return a word as an element."""
        if key not in self._words:
            return Markup(escape(self.text(key)))
        given = json.dumps(values, ensure_ascii=False) if values else False
        return tag("span", self._words.say(key, **values), data_t=key, data_v=given)
