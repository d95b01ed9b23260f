"""Everything a player reads, in the six languages of the booklets: `words("nl")["rank.marshal"]`.

One TOML file a language, beside this module, with the same keys and the same placeholders in all six (a test compares them).
Names of ranks are those of booklet 001; `infiltrator` is Dutch only in the booklets (002) and `cannon` English only (004):
the other languages' names for those two are ours. Does not choose a language, does not know screens.
"""

from referee.words.catalogue import (
    LANGUAGES,
    PlaceholderError,
    UnknownLanguageError,
    UnknownWordError,
    Words,
    WordsError,
    words,
)

__all__ = [
    "LANGUAGES",
    "PlaceholderError",
    "UnknownLanguageError",
    "UnknownWordError",
    "Words",
    "WordsError",
    "words",
]
