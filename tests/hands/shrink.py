"""Makes a failing trace small: what is left is what the failure needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from tests.hands.explain import TooManyWorldsError
from tests.hands.grammar import Change, Start
from tests.hands.judge import MakeReader, judge

Trace: TypeAlias = tuple[Change, ...]


def shrink(start: Start, trace: Trace, make: MakeReader, kind: str) -> Trace:
    """Return a trace with fewer changes and rounder times for which the reader has a fault of this kind and sort and a script exists."""
    reason = judge(start, trace, make).reasons.get(kind)

    def fails(shorter: Trace) -> bool:
        try:
            verdict = judge(start, shorter, make)
        except (AssertionError, TooManyWorldsError):
            return False
        return kind in verdict.kinds and verdict.reasons.get(kind) == reason and not verdict.outside

    going = True
    while going:
        going = False
        for shorter in _smaller(trace):
            if fails(shorter):
                trace, going = shorter, True
                break
    return trace


def _smaller(trace: Trace) -> Iterator[Trace]:
    """Return simpler traces: without the end, without some changes, with rounder times, with a later part brought forward."""
    for count in range(1, len(trace)):
        yield trace[:count]
    for gone in (4, 2, 1):
        for left_out in combinations(range(len(trace)), gone):
            if left_out[-1] - left_out[0] < gone + 3:
                yield tuple(change for index, change in enumerate(trace) if index not in left_out)
    if trace and trace[0].ms:
        yield _moved(trace, 0, -trace[0].ms)
    for grid in (100, 50):
        for index, change in enumerate(trace):
            if change.ms % grid:
                rounded = change._replace(ms=round(change.ms / grid) * grid)
                yield tuple(sorted((*trace[:index], rounded, *trace[index + 1 :]), key=lambda one: one.ms))
    for index in range(1, len(trace)):
        if (gap := trace[index].ms - trace[index - 1].ms) > 400:
            yield _moved(trace, index, 300 - gap)


def _moved(trace: Trace, index: int, by_ms: int) -> Trace:
    """Return a trace with everything from a change on that much later."""
    return (*trace[:index], *(change._replace(ms=change.ms + by_ms) for change in trace[index:]))
