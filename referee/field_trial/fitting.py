"""Figures of a trial with their bounds, and the noise profile that fits it. What each estimator is: docs/reference/field-trial.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median, stdev

from referee.field_trial.bounds import lower_bound, upper_bound
from referee.field_trial.frame_times import crossings, ends_of, glitches
from referee.field_trial.plan import LIFTS, SLIDES, MotionKind
from referee.field_trial.trial import Outcome
from referee.rules.values import Square
from simulator.profiles import TABLES, Profile, load_profile

BASE = "home"
"""Whatever a trial cannot tell is as in this profile."""
FEW = 25
"""What was seen fewer times than this is hardly known."""
RATES = (
    "glitches.flips",
    "glitches.bursts_per_s",
    "link.lost",
    "link.repeated",
    "link.hole_every_s",
    "motions.bounced",
)
"""Keys that say how often: of these also a few, or none, say something."""
_WIDE = 0.2
"""A rate that was seen so seldom and may lie in so wide an interval says nothing: hardly anything was tried."""
_RESTLESS = 5
_FAR_PITCHES = 2.2
_TYPICAL = 0.8
"""This quantile of all amplitudes is that of a well placed piece: hands put them a little off the middle."""
_BOTH_SIDES = 0.975


@dataclass(frozen=True, slots=True)
class Fit:
    """One key of the profile: what it is taken to be, its 95 % interval where there is one, and from how many things that were seen."""

    key: str
    value: float | tuple[int, int]
    seen: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """All keys that were fitted, the squares that are left out because they are restless, and the weakest piece at rest."""

    fits: tuple[Fit, ...]
    restless: tuple[str, ...]
    weakest: tuple[str, float] | None


def fit(outcomes: Sequence[Outcome], places: Mapping[Square, tuple[float, float]], hz: int) -> Fitted:
    """Return what the motions that count say of board and hands; `places` are the squares' in pitches."""
    line = _line(outcomes)
    lost = next((one.value for one in line if one.key == "link.lost"), 0.0)
    assert isinstance(lost, float)
    wrong, restless = _glitches(outcomes, hz, 1.0 - lost)
    amplitudes, weakest = _amplitudes(outcomes, places)
    return Fitted((*wrong, *line, *amplitudes, *_hands(outcomes)), restless, weakest)


def profile_of(fits: Iterable[Fit], about: str) -> Profile:
    """Return the profile that these make, in all else like `BASE`; what is hardly known stays as it is there too."""
    profile = replace(load_profile(BASE), name="fitted", about=about)
    for one in fits:
        if one.seen < FEW and (one.key not in RATES or _width(one) > _WIDE):
            continue
        table, _, key = one.key.partition(".")
        profile = replace(profile, **{table: replace(getattr(profile, table), **{key: one.value})})
    return profile


def _width(one: Fit) -> float:
    return one.high - one.low if one.high is not None and one.low is not None else 0.0


def profile_text(profile: Profile) -> str:
    """Return the profile as a TOML file has it, which `simulator.profiles` reads."""
    lines = [f"[{profile.name}]", f'about = "{profile.about}"']
    for table, keys in TABLES.items():
        lines += ["", f"[{profile.name}.{table}]"]
        for key in keys:
            value = getattr(getattr(profile, table), key.name)
            lines.append(f"{key.name} = {list(value) if isinstance(value, tuple) else value!r}")
    return "\n".join(lines) + "\n"


def _rate(key: str, found: int, tries: float, share: float = 1.0, *, per: float = 1.0) -> Fit:
    """Return the rate of what was found in so many tries, of which only a share can be found; `per` is in how many tries it is told."""
    whole = max(1, round(tries))
    low, high = lower_bound(found, whole, _BOTH_SIDES), upper_bound(found, whole, _BOTH_SIDES)
    scale = per / share
    value, low, high = (each * scale if per > 1 else min(1.0, each * scale) for each in (found / whole, low, high))
    return Fit(key, value, found, low, high)


def _glitches(outcomes: Sequence[Outcome], hz: int, arrived: float) -> tuple[list[Fit], tuple[str, ...]]:
    scan_ms = 1000 / hz
    lengths: dict[Square, list[int]] = {}
    watched_ms: Counter[Square] = Counter()
    for outcome in outcomes:
        trace = outcome.trace
        for square in trace.number.keys() - outcome.motion.touched:
            lengths.setdefault(square, []).extend(round(ms / scan_ms) for ms in glitches(trace, square))
            watched_ms[square] += trace.now_ms - trace.start_ms
    usual = median(len(found) for found in lengths.values()) if lengths else 0.0
    restless = {square for square, found in lengths.items() if len(found) > _RESTLESS * usual + FEW}
    kept = [square for square in lengths if square not in restless]
    scans = sum(watched_ms[square] for square in kept) / scan_ms
    counts = Counter(length for square in kept for length in lengths[square])
    spans = _spans(counts, scan_ms)
    bursts = sum(count for length, count in counts.items() if length > 1)
    # a glitch counts if the frames before and at its two ends arrived: three frames for a single scan, four for more
    fits = [
        _rate("glitches.flips", counts[1], scans, arrived**3),
        _rate("glitches.bursts_per_s", bursts, scans, arrived**4, per=hz * len(lengths)),
    ]
    if spans:
        fits.append(Fit("glitches.burst_ms", spans, bursts))
    return fits, tuple(sorted(square.name for square in restless))


def _spans(counts: Counter[int], scan_ms: float) -> tuple[int, int] | None:
    """Return the most likely ends of an even distribution of lengths, of which only whole scans are seen.

    A length with less than a quarter of what the others have is chance (two flips in a row), or an end that hardly reaches into it.
    """
    longer = {length: count for length, count in counts.items() if length > 1}
    if len(longer) < 2:
        return None
    usual = median(longer.values())
    inside = [length for length, count in longer.items() if count >= usual / 4]
    first, last = min(inside), max(inside)
    total = sum(longer.get(length, 0) for length in range(first, last + 1))
    between = total - longer[first] - longer[last]
    if between <= 0:
        return round((first - 0.5) * scan_ms), round((last + 0.5) * scan_ms)
    whole = (last - first - 1) * total / between  # in scans
    least = first + 0.5 - whole * longer[first] / total
    most = last - 0.5 + whole * longer[last] / total
    return max(1, round(least * scan_ms)), round(most * scan_ms)


def _line(outcomes: Sequence[Outcome]) -> list[Fit]:
    messages = sum(outcome.trace.messages for outcome in outcomes)
    lost = sum(outcome.trace.lost for outcome in outcomes)
    holes = sorted(ms for outcome in outcomes for ms in outcome.trace.holes_ms)
    fits = [
        _rate("link.lost", lost, messages + lost),
        _rate("link.repeated", sum(outcome.trace.repeated for outcome in outcomes), messages),
    ]
    if holes:
        seconds = sum(outcome.trace.now_ms - outcome.trace.start_ms for outcome in outcomes) / 1000
        fits += [
            Fit("link.hole_every_s", seconds / len(holes), len(holes)),
            Fit("link.hole_ms", (holes[0], holes[-1]), len(holes)),
        ]
    return fits


def _amplitudes(
    outcomes: Sequence[Outcome], places: Mapping[Square, tuple[float, float]]
) -> tuple[list[Fit], tuple[str, float] | None]:
    """Return the noise of a measurement, and the weakest piece at rest as a share of a typical one."""
    # a RAW may tell of the supply besides
    told = [one for one in outcomes if one.trace.amplitudes.keys() >= set(one.trace.number.values())]
    zeros: dict[Square, list[int]] = {}
    pieces: list[tuple[Square, int]] = []
    for outcome in told:
        for square, number in outcome.trace.number.items():
            if square in outcome.motion.before.occupants:
                pieces.append((square, outcome.trace.amplitudes[number]))
            else:
                zeros.setdefault(square, []).append(outcome.trace.amplitudes[number])
    sizes = sorted((abs(counts - median(zeros[square])), square.name) for square, counts in pieces if square in zeros)
    if not sizes:
        return [], None
    typical = sizes[int(_TYPICAL * (len(sizes) - 1))][0]
    steps: list[int] = []
    for one, other in pairwise(told):
        standing = {*one.motion.before.occupants, *other.motion.before.occupants}
        for square, number in one.trace.number.items():
            if all(math.dist(places[square], places[piece]) > _FAR_PITCHES for piece in standing):
                steps.append(other.trace.amplitudes[number] - one.trace.amplitudes[number])
    weakest = (sizes[0][1], sizes[0][0] / typical)
    if len(steps) < FEW or typical <= 0:
        return [], weakest
    variance = max(0.0, fmean(step * step for step in steps) / 2 - 1 / 12)  # counts are whole numbers
    noise = math.sqrt(variance) / typical
    off = 2 * noise / math.sqrt(2 * len(steps))
    return [Fit("sensors.noise", noise, len(steps), noise - off, noise + off)], weakest


def _hands(outcomes: Sequence[Outcome]) -> list[Fit]:
    air, crossed, borders, lost = [], [], [], []
    moves = 0
    for outcome in outcomes:
        motion, trace = outcome.motion, outcome.trace
        if motion.kind not in (*LIFTS, *SLIDES):
            continue
        ends = ends_of(trace, motion.plies[0].source, motion.plies[0].target)
        if ends is None:
            continue
        moves += 1
        if ends.lost_ms:
            lost.append(ends.lost_ms)
        if motion.kind in LIFTS:
            air.append(ends.came_ms - ends.left_ms)
        elif motion.kind is MotionKind.FAR_SLIDE:
            over, between = crossings(trace, motion, ends)
            crossed += over
            borders += between
    return [
        _rate("motions.bounced", len(lost), moves),
        *_time("times.air_ms", air, geometric=True),
        *_time("times.crossed_ms", crossed, geometric=True),
        *_time("times.border_ms", borders, geometric=False),
        *_time("times.contact_lost_ms", lost, geometric=True),
    ]


def _time(key: str, times_ms: Iterable[int], *, geometric: bool) -> list[Fit]:
    """Return the mean of times, or their geometric mean, which is the median of a lognormal time; nothing for fewer than two."""
    values = [math.log(max(ms, 1)) if geometric else float(ms) for ms in times_ms]
    if len(values) < 2:
        return []
    mean, off = fmean(values), 2 * stdev(values) / math.sqrt(len(values))
    value, low, high = (math.exp(each) if geometric else each for each in (mean, mean - off, mean + off))
    return [Fit(key, round(min(max(value, 5.0), 5000.0), 1), len(values), round(low, 1), round(high, 1))]
