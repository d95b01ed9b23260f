"""Which language a command speaks when it is not told."""

from __future__ import annotations

import os

LANGUAGES = ("nl", "fr", "de", "en", "es", "da")
"""As `referee.words.LANGUAGES`, written again so that `--help` reads no word file."""


def own_language() -> str:
    """Give the user's language from the environment (LC_ALL, LC_MESSAGES, LANG) where there are words for it, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return value[:2].lower() if value[:2].lower() in LANGUAGES else "en"
    return "en"
