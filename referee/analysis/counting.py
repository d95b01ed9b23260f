"""How many ways there are to give an army's pieces their ranks, and how often each piece has each rank in them.

Pieces with the same possible ranks form a group. Ranks are handed out one after the other, those that fewest pieces could have first; what
counts for the rest is only how many pieces of which remaining possibilities are left, so groups fall together as soon as they differ in
nothing that is still to come. A set of ranks is an integer of bits, as in `referee.rules.knowledge`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, fsum, log, prod, sqrt
from typing import NamedTuple, TypeAlias

from referee.rules import Rank
from referee.rules.knowledge import bits_of

MOST_STEPS = 20_000
"""More steps than that are not counted but sampled; games of ordinary armies take some hundred."""
DRAWS = 2_000


Chance: TypeAlias = Fraction | float


class Error(NamedTuple):
    """The standard errors of what was sampled: of the bits, and the largest of any chance."""

    bits: float
    chance: float


@dataclass(frozen=True, slots=True)
class Counted:
    """The ways, and by group (its mask) and rank the chance. Without `error` both are exact; sampled ways are a float."""

    ways: int | float
    chances: Mapping[int, Mapping[int, Chance]]
    error: Error | None = None


@dataclass(frozen=True, slots=True)
class Assignments:
    """What `assignments` returns; chances by piece, in the order in which the pieces were given."""

    ways: int | float
    chances: Sequence[Mapping[Rank, Chance]]
    error: Error | None = None


def assignments(counts: Mapping[Rank, int], possible: Sequence[Collection[Rank]]) -> Assignments:
    """Return the ways to give each piece a rank that it could be, no rank more often than it counts, and the chances of each piece."""
    ranks = list(counts)
    masks = [sum(1 << at for at, rank in enumerate(ranks) if rank in could) for could in possible]
    found = counted(tuple(counts.values()), masks)
    by_mask = {mask: {ranks[at]: chance for at, chance in row.items()} for mask, row in found.chances.items()}
    return Assignments(found.ways, [by_mask[mask] for mask in masks] if found.chances else [], found.error)


def counted(counts: tuple[int, ...], masks: Sequence[int]) -> Counted:
    """Return the ways to give pieces with these masks their ranks, no rank more often than it counts."""
    return _counted(counts, tuple(sorted(Counter(masks).items())))


@lru_cache(1024)
def _counted(counts: tuple[int, ...], groups: tuple[tuple[int, int], ...]) -> Counted:
    left, open_groups = list(counts), {mask: size for mask, size in groups if mask.bit_count() != 1}
    chances: dict[int, Mapping[int, Chance]] = {}
    for mask, size in groups:
        if mask not in open_groups:
            rank = mask.bit_length() - 1
            left[rank] -= size
            chances[mask] = {rank: Fraction(1)}
    if 0 in open_groups or min(left, default=0) < 0 or sum(open_groups.values()) > sum(left):
        return Counted(0, {})
    found = _exact(left, open_groups) or _sampled(left, open_groups)
    return Counted(found.ways, {**chances, **found.chances}, found.error) if found.ways else found


class _Step(NamedTuple):
    """A way to hand out one rank: the pieces left before, by class how many take it, in how many ways, the pieces left after."""

    before: tuple[int, ...]
    taken: tuple[int, ...]
    ways: int
    after: tuple[int, ...]


class _Stage(NamedTuple):
    """One rank and all ways to hand it out. `home` is by group the class that its pieces are counted in."""

    rank: int
    home: list[int]
    steps: list[_Step]


def _exact(counts: Sequence[int], sizes: Mapping[int, int]) -> Counted | None:
    """Return the exact figures; None where they take too many steps."""
    stages = _stages(counts, sizes)
    if stages is None:
        return None
    completions: dict[tuple[int, ...], int] = {(): 1}
    by_stage = [completions]
    for stage in reversed(stages):
        completions = {}
        for step in stage.steps:
            ways = step.ways * by_stage[-1].get(step.after, 0)
            completions[step.before] = completions.get(step.before, 0) + ways
        by_stage.append(completions)
    total = completions.get(tuple(sizes.values()), 0)
    if not total:
        return Counted(0, {})
    # By pieces left: in how many ways one comes there while a marked piece of each group has no rank yet.
    waiting = {tuple(sizes.values()): [1] * len(sizes)}
    having = [[0] * len(counts) for _ in sizes]
    for stage, completions in zip(stages, reversed(by_stage[:-1]), strict=True):
        later: dict[tuple[int, ...], list[int]] = {}
        for step in stage.steps:
            rest, marked = completions.get(step.after, 0), waiting.get(step.before)
            if not rest or marked is None:
                continue
            ahead = later.setdefault(step.after, [0] * len(sizes))
            for group, at in enumerate(stage.home):
                if marked[group]:
                    pieces, taken = step.before[at], step.taken[at]
                    having[group][stage.rank] += marked[group] * (step.ways * taken // pieces) * rest
                    ahead[group] += marked[group] * (step.ways * (pieces - taken) // pieces)
        waiting = later
    chances = {
        mask: {rank: Fraction(ways, total) for rank, ways in enumerate(row) if ways}
        for mask, row in zip(sizes, having, strict=True)
    }
    return Counted(total, chances)


def _stages(counts: Sequence[int], sizes: Mapping[int, int]) -> list[_Stage] | None:
    """Return rank after rank how it can be handed out; None where that takes too many steps."""
    many = [sum(size for mask, size in sizes.items() if mask >> rank & 1) for rank in range(len(counts))]
    classes, left, states, steps = list(sizes), sum(counts), {tuple(sizes.values())}, 0
    stages = list[_Stage]()
    for rank in sorted(range(len(counts)), key=many.__getitem__):
        left -= counts[rank]
        rests = [mask & ~(1 << rank) for mask in classes]
        after = [mask for mask in dict.fromkeys(rests) if mask]
        place = {mask: at for at, mask in enumerate(after)}
        done = sum(1 << stage.rank for stage in stages)
        home = [classes.index(mask & ~done) if mask & ~done else 0 for mask in sizes]
        stage, states_after = _Stage(rank, home, []), set[tuple[int, ...]]()
        for state in states:
            bounds = [
                (size if not rest else 0, size) if mask >> rank & 1 else (0, 0)
                for size, mask, rest in zip(state, classes, rests, strict=True)
            ]
            for taken in _splits(bounds, sum(state) - left, counts[rank]):
                steps += 1
                if steps > MOST_STEPS:
                    return None
                then = [0] * len(after)
                for size, out, rest in zip(state, taken, rests, strict=True):
                    if rest:
                        then[place[rest]] += size - out
                stage.steps.append(_Step(state, taken, prod(map(comb, state, taken)), tuple(then)))
                states_after.add(tuple(then))
        stages.append(stage)
        classes, states = after, states_after
    return stages


def _splits(bounds: Sequence[tuple[int, int]], least: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of one number within each bounds that add up to `least` to `most`."""
    if not bounds:
        if least <= 0 <= most:
            yield ()
        return
    (low, high), others = bounds[0], bounds[1:]
    floor, ceiling = sum(one for one, _ in others), sum(one for _, one in others)
    for taken in range(max(low, least - ceiling), min(high, most - floor) + 1):
        for rest in _splits(others, least - taken, most - taken):
            yield (taken, *rest)


def _sampled(counts: Sequence[int], sizes: Mapping[int, int]) -> Counted:
    """Return what random armies, each weighted by one over its likelihood, say of ways and chances. The same question, the same draws."""
    pieces = sorted((mask for mask, size in sizes.items() for _ in range(size)), key=int.bit_count)
    ranks_in = {mask: list(bits_of(mask)) for mask in sizes}
    draws, state = list[tuple[float, Counter[tuple[int, int]]]](), 1
    for _ in range(DRAWS):
        left, weight, taken = list(counts), 1.0, list[tuple[int, int]]()
        for mask in pieces:
            ranks = ranks_in[mask]
            many = sum([left[rank] for rank in ranks])
            if not many:
                break
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64  # Knuth's MMIX
            at = (state >> 32) * many >> 32
            for rank in ranks:
                at -= left[rank]
                if at < 0:
                    weight *= many / left[rank]
                    left[rank] -= 1
                    taken.append((mask, rank))
                    break
        else:
            draws.append((weight, Counter(taken)))
    whole = fsum(weight for weight, _ in draws)
    if not whole:
        return Counted(0, {}, Error(0.0, 0.0))
    squares = fsum(weight * weight for weight, _ in draws)
    sums = {mask: {rank: [0.0, 0.0, 0.0] for rank in ranks} for mask, ranks in ranks_in.items()}
    for weight, drawn in draws:
        for (mask, rank), many in drawn.items():
            share, row = many / sizes[mask], sums[mask][rank]
            row[0] += weight * share
            row[1] += weight * weight * share
            row[2] += (weight * share) ** 2
    worst, chances = 0.0, dict[int, dict[int, Chance]]()
    for mask, rows in sums.items():
        chances[mask] = {rank: first / whole for rank, (first, _, _) in rows.items() if first}
        for first, mixed, square in rows.values():
            off = square - 2 * first / whole * mixed + (first / whole) ** 2 * squares
            worst = max(worst, sqrt(max(off, 0.0)) / whole)
    mean = whole / DRAWS
    spread = squares - DRAWS * mean * mean
    return Counted(mean, chances, Error(sqrt(max(spread, 0.0)) / whole / log(2), worst))
