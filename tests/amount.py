"""How much a test tries: everything in `make test`, a fifth of it in `make quick`, whose Hypothesis profile says so."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import settings

from referee.words import LANGUAGES

_WHOLE = 100  # examples of a property that does not say how many


def tries(whole: int) -> int:
    """Return how many examples, games or places to try where `make test` tries `whole`; at least one."""
    return max(1, whole * settings().max_examples // _WHOLE)


def languages(number: int) -> Sequence[str]:
    """Return in which languages the thing of this number is tried where each comes in all: in `make quick` two, others for the next one."""
    step = 1 if tries(len(LANGUAGES)) == len(LANGUAGES) else len(LANGUAGES) // 2
    return LANGUAGES[number % step :: step]
