"""The result of a trial as one JSON document: counts with their bounds, latency, and what was fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.field_trial.bounds import upper_bound
from referee.field_trial.fitting import FEW, Fit, Fitted
from referee.field_trial.trial import Outcome, Trial

COUNTED: Mapping[str, Callable[[Outcome], int]] = {
    "misread": lambda outcome: outcome.misread,
    "asked": lambda outcome: outcome.asked,
    "lost": lambda outcome: outcome.lost,
    "ghosts": lambda outcome: outcome.ghosts > 0,
    "false_attacks": lambda outcome: outcome.false_attack,
}
"""What is counted, in motions."""


def document(trial: Trial, fitted: Fitted) -> dict[str, Any]:
    """Return the figures."""
    outcomes, counted = trial.outcomes, max(1, len(trial.outcomes))
    kinds: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        kinds.setdefault(outcome.motion.kind.value, []).append(outcome)
    found = {name: sum(is_so(outcome) for outcome in outcomes) for name, is_so in COUNTED.items()}
    return {
        "motions": len(trial.plan),
        "counted": len(outcomes),
        "repeated": trial.repeated,
        "left_out": [
            f"{motion.kind.value} {' '.join(sorted(s.name for s in motion.touched))}" for motion in trial.left_out
        ],
        **{name: {"count": count, "upper_95": upper_bound(count, counted)} for name, count in found.items()},
        "latency_ms": _times(outcomes),
        "latency_ms_by_kind": {kind: _times(several) for kind, several in kinds.items()},
        "fitted": {one.key: _fit(one) for one in fitted.fits},
        "restless": list(fitted.restless),
        "weakest": None
        if fitted.weakest is None
        else {"square": fitted.weakest[0], "share": round(fitted.weakest[1], 3)},
    }


def _fit(one: Fit) -> Mapping[str, Any]:
    return {"value": one.value, "low_95": one.low, "high_95": one.high, "seen": one.seen, "few": one.seen < FEW}


def _times(outcomes: Sequence[Outcome]) -> Mapping[str, int]:
    return percentiles([ms for outcome in outcomes for ms in outcome.latencies_ms])


def percentiles(values: Sequence[int]) -> dict[str, int]:
    """Return how many there are, the median, the 99th percentile (nearest rank) and the greatest."""
    if not values:
        return {"n": 0}
    at = {name: sorted(values)[max(1, math.ceil(share * len(values))) - 1] for name, share in _SHARES.items()}
    return {"n": len(values), **at}


_SHARES = {"p50": 0.5, "p99": 0.99, "most": 1.0}
