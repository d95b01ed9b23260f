"""Clopper and Pearson's exact bounds of a rate: what may lie behind so many hits in so many tries."""

from __future__ import annotations

import math
from collections.abc import Callable


def upper_bound(found: int, tries: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound of a rate of which `found` of `tries` were seen."""
    return 1.0 if found >= tries else _rate_where(lambda rate: _at_most(found, tries, rate) <= 1 - confidence)


def lower_bound(found: int, tries: int, confidence: float = 0.95) -> float:
    """Return the one-sided lower bound."""
    return 0.0 if found <= 0 else _rate_where(lambda rate: _at_most(found - 1, tries, rate) <= confidence)


def _rate_where(holds: Callable[[float], bool]) -> float:
    """Return the least rate for which something holds that holds for all greater ones."""
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        low, high = (low, rate) if holds(rate) else (rate, high)
    return float(f"{high:.3g}")


def _at_most(found: int, tries: int, rate: float) -> float:
    """Return the chance of no more than `found` hits in `tries`."""
    if rate <= 0.0:
        return 1.0
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    return sum(
        math.exp(
            math.lgamma(tries + 1)
            - math.lgamma(n + 1)
            - math.lgamma(tries - n + 1)
            + n * log_rate
            + (tries - n) * log_rest
        )
        for n in range(found + 1)
    )
