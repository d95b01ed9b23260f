"""Everything a player reads, in the six languages of the booklets: `words("nl")["rank.marshal"]`.

One TOML file a language, beside this module, with the same keys and the same placeholders in all six (a test compares them).
Names of ranks are those of booklet 001; `infiltrator` is Dutch only in the booklets (002) and `cannon` English only (004):
the other languages' names for those two are ours. Importing this reads no word file; it does not know screens.
"""

from __future__ import annotations

import os
import string
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources

from referee.rules.values import Rank, Seat

LANGUAGES = ("nl", "fr", "de", "en", "es", "da")
"""The languages of the booklets, in the order in which Jumbo prints them."""


class WordsError(Exception):
    """The words were asked for something they do not have, or given other values than a word has places for."""


class UnknownWordError(WordsError, KeyError):
    """No word has this key."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would put quotes around its text


class Words(Mapping[str, str]):
    """The words of one language by their key; immutable."""

    __slots__ = ("_words", "language")

    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        self.language = language
        self._words = dict(entries)

    def __getitem__(self, key: str) -> str:
        try:
            return self._words[key]
        except KeyError:
            raise UnknownWordError(f"no word has the key {key} in {self.language}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def __repr__(self) -> str:
        return f"Words({self.language!r})"

    def say(self, key: str, **values: object) -> str:
        """Return the word with its placeholders filled in.

        Raises `UnknownWordError`, and `WordsError` when a value is missing or one too many: a word that changes in one
        file only must not reach a screen half filled.
        """
        text = self[key]
        wanted = placeholders(text)
        if wanted != frozenset(values):
            raise WordsError(f"{key} takes {sorted(wanted)}, was given {sorted(values)}")
        return text.format(**values)

    def rank(self, rank: Rank | None) -> str:
        """Return the name of a rank, or the word for an unknown one."""
        return self[f"rank.{'unknown' if rank is None else rank.value}"]

    def seat(self, seat: Seat) -> str:
        """Return the name of a seat: its colour."""
        return self[f"seat.{seat.value}"]

    def seats(self, seats: Sequence[Seat]) -> str:
        """Return the names of seats that do something together: `Red and Green`."""
        *first, last = map(self.seat, seats)
        return self.say("seats.and", first=", ".join(first), last=last) if first else last

    def labelled(self, label: str, text: object) -> str:
        """Return `Label: text`, with the space before the colon that French has."""
        return self.say("text.labelled", label=label, text=text)

    def loses(self, seat: Seat, rank: Rank) -> str:
        """Return whose piece was captured, and which: `Red loses a Colonel`."""
        return self.say("verdict.loses", seat=self.seat(seat), rank=self[f"a-rank.{rank.value}"])

    def wins(self, seats: Sequence[Seat]) -> str:
        """Return who won: one seat, or all of a team."""
        if len(seats) == 1:
            return self.say("result.wins", seat=self.seat(seats[0]))
        return self.say("result.win-together", seats=self.seats(seats))


@cache
def words(language: str) -> Words:
    """Return the words of `language`, one of `LANGUAGES`; raises `WordsError` for another."""
    if language not in LANGUAGES:
        raise WordsError(f"no words in {language!r}; there are {', '.join(LANGUAGES)}")
    text = resources.files("referee.words").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Words(language, dict(_flat(tomllib.loads(text), "")))


def placeholders(text: str) -> frozenset[str]:
    """Return the names in braces in `text`."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def _flat(table: Mapping[str, object], before: str) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            assert isinstance(value, str), f"{before}{key} is no text"
            yield before + key, value


def own_language() -> str:
    """Return the user's language from the environment (LC_ALL, LC_MESSAGES, LANG) where there are words for it, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return value[:2].lower() if value[:2].lower() in LANGUAGES else "en"
    return "en"
