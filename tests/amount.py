"""How much a test tries: everything in `make test`, a quarter of it in `make quick`, whose Hypothesis profile says so."""

from __future__ import annotations

from hypothesis import settings

_WHOLE = 100  # examples of a property that does not say how many


def tries(whole: int) -> int:
    """Return how many examples, games or places to try where `make test` tries `whole`; at least one."""
    return max(1, whole * settings().max_examples // _WHOLE)
