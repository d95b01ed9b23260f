"""The errors of this room, in a file of their own since the commands catch them without loading the hall.

HallError
├── AccountError     an account that cannot be made, or is not there
├── DeniedError      who asks may not do that
└── RefusedError     it could not be done; `word` is stable, and the text says why
"""

from __future__ import annotations


class HallError(Exception):
    """The root of all errors of this room. Its text is one sentence, without passwords."""


class AccountError(HallError):
    """An account cannot be made, or is not there."""


class DeniedError(HallError):
    """Who asks may not do that."""


class RefusedError(HallError):
    """It could not be done, and nothing was changed."""

    def __init__(self, word: str, text: str = "", about: str = "") -> None:
        super().__init__(text or word)
        self.word, self.about = word, about
        """The stable word, and the number or name that its sentence is about."""
