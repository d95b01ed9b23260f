"""Strokes of the second generator's hands: a piece is carried or pushed from a square to another one, within the page's limits.

A stroke is drawn as a way through the plane; what the sensors see of it follows from their reach. One that does not keep the limits of
docs/reference/hands.md as they see it is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from benchmarks.second_world import Leg, Point, World

CARRY_MS = 200
"""A carried piece is out of sight for at least so long."""
PUSH_MS = 150
"""A pushed piece is out of sight at a border for at most so long; for each square that saw nothing as much again."""
DRAWN_MS = 1_000
"""A piece that is drawn over a border slowly is seen by both squares for at most so long."""
PASSING_MS = 300
"""A square on the way sees the piece for at most so long."""

HIGH = 1.0
"""Height of a piece in the air: no sensor reaches as far."""
_SKIMMING = 0.8
_TRIES = 12
_SLACK_MS = 1.0
"""Planned times keep so far away from the limits, for they are fractions of a millisecond."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A way of a piece from a square to another one; its times count from its beginning."""

    legs: tuple[Leg, ...]
    source: str
    target: str
    leave_ms: float
    """When its first square sees it no more."""
    come_ms: float
    """When its last square sees it."""
    pushed: bool = False
    slow: bool = False
    passed: tuple[tuple[str, float, float], ...] = ()
    """The squares on the way that saw it, and from when to when."""
    skipped: int = 0
    """Squares on the way that saw nothing."""

    @property
    def end_ms(self) -> float:
        """Return when the hand has put it down."""
        return self.legs[-1].end_ms

    def at(self, begin_ms: float) -> Stroke:
        """Return the same stroke, begun at this time."""
        return replace(
            self,
            legs=tuple(leg.later(begin_ms) for leg in self.legs),
            leave_ms=self.leave_ms + begin_ms,
            come_ms=self.come_ms + begin_ms,
            passed=tuple((name, a + begin_ms, b + begin_ms) for name, a, b in self.passed),
        )

    @property
    def begin_ms(self) -> float:
        """Return when the sensors notice it: its square loses the piece, or the neighbour over whose border it is drawn sees it."""
        return min(self.leave_ms, self.come_ms, *(from_ms for _, from_ms, _ in self.passed))

    def beginning_at(self, ms: float, not_before_ms: float) -> Stroke:
        """Return the same stroke, first noticed at this time, or as soon after it as the hand can."""
        return self.at(max(ms - self.begin_ms, not_before_ms))

    def leaving_at(self, ms: float, not_before_ms: float) -> Stroke:
        """Return the same stroke, leaving its square at this time, or as soon after it as the hand can."""
        return self.at(max(ms - self.leave_ms, not_before_ms))


def keeps_limits(stroke: Stroke) -> bool:
    """Return whether what the sensors see of a stroke is within the page's limits."""
    if not stroke.pushed:
        return stroke.come_ms - stroke.leave_ms >= CARRY_MS
    if any(until_ms - from_ms > PASSING_MS for _, from_ms, until_ms in stroke.passed):
        return False
    seen = [(0.0, stroke.leave_ms), *((a, b) for _, a, b in stroke.passed), (stroke.come_ms, math.inf)]
    gaps = [come_ms - left_ms for (_, left_ms), (come_ms, _) in pairwise(seen)]
    return min(gaps) >= -DRAWN_MS and max(gaps) <= PUSH_MS * (1 + stroke.skipped) and sum(g > PUSH_MS for g in gaps) < 2


@dataclass(slots=True)
class Drawer:
    """Draws strokes over one board."""

    world: World
    random: Random

    def spot(self, square: str) -> Point:
        """Return where on a square a piece is put down: near its middle, and never so that a neighbour sees it too."""
        middle = self.world.middles[square]
        widest = min(0.12, 0.95 - max(self.world.reaches.values()))
        distance, angle = widest * math.sqrt(self.random.random()), self.random.uniform(0, math.tau)
        return Point(middle.x + distance * math.cos(angle), middle.y + distance * math.sin(angle))

    def out_of_sight_ms(self, typical_ms: float, least_ms: float, most_ms: float) -> float:
        """Return a time that is skewed as people's are, between two limits."""
        return min(max(self.random.lognormvariate(math.log(typical_ms), 0.5), least_ms), most_ms)

    def carry(self, start: Point, source: str, target: str, gap_ms: float | None = None) -> Stroke:
        """Return a stroke through the air. `gap_ms` is how long nobody sees the piece."""
        gap_ms = self.out_of_sight_ms(450, CARRY_MS + _SLACK_MS, 8_000) if gap_ms is None else gap_ms
        end = self.spot(target)
        up = self.lift(start, self.random.uniform(60, 150))
        down_ms = self.random.uniform(60, 150)
        left_ms = self.last_seen(up, source)
        down = [Leg(0, down_ms, Point(end.x, end.y, HIGH), end)]
        seen_ms = self.world.spans(down, target)[0][0]
        flight_ms = max(5.0, gap_ms - (up[-1].end_ms - left_ms) - seen_ms)
        arrives_ms = up[-1].end_ms + flight_ms
        legs = (*up, Leg(up[-1].end_ms, arrives_ms, up[-1].end, down[0].start), down[0].later(arrives_ms))
        return Stroke(legs, source, target, left_ms, arrives_ms + seen_ms)

    def lift(self, start: Point, up_ms: float) -> list[Leg]:
        """Return the way up from where a piece is."""
        return [Leg(0, up_ms, start, Point(start.x, start.y, HIGH))]

    def last_seen(self, legs: Sequence[Leg], square: str) -> float:
        """Return when a square sees a piece for the last time, the beginning if it never does."""
        spans = self.world.spans(legs, square)
        return spans[-1][1] if spans else legs[0].start_ms

    def push(self, start: Point, way: Sequence[str], *, slow: bool = False, skims: bool | None = None) -> Stroke | None:
        """Return a stroke along the board over neighbouring squares (the first one to the last one), None if none keeps the limits."""
        skims = len(way) > 2 and self.random.random() < 0.2 if skims is None else skims
        for _ in range(_TRIES):
            end = self.spot(way[-1])
            if slow:
                legs = self._slowly(start, end, way)
            elif skims:
                legs = self._skimming(start, end, len(way) - 1)
            else:
                borders = len(way) - 1
                speed = self.random.uniform(3.6, 9) if borders > 1 else self.random.uniform(0.7, 6)
                legs = [Leg(0, 1_000 * math.dist(start, end) / speed, start, end)]
            stroke = self._seen_of(legs, way, slow)
            if stroke is not None and keeps_limits(stroke):
                return stroke
        return None

    def _seen_of(self, legs: Sequence[Leg], way: Sequence[str], slow: bool) -> Stroke | None:
        source, target = self.world.spans(legs, way[0]), self.world.spans(legs, way[-1])
        passed = []
        for name in way[1:-1]:
            if spans := self.world.spans(legs, name):
                passed.append((name, spans[0][0], spans[-1][1]))
        if len(source) != 1 or len(target) != 1 or target[0][1] < legs[-1].end_ms:
            return None
        skipped = len(way) - 2 - len(passed)
        return Stroke(tuple(legs), way[0], way[-1], source[0][1], target[0][0], True, slow, tuple(passed), skipped)

    def _slowly(self, start: Point, end: Point, way: Sequence[str]) -> list[Leg]:
        """Return a push that takes its time over one border on which both neighbours see the piece."""
        borders = len(way) - 1
        at = self.random.randrange(borders)
        first, second = self.world.reaches[way[at]], self.world.reaches[way[at + 1]]
        length = math.dist(start, end)
        enters, leaves = (at + 1 - second) * length / borders, (at + first) * length / borders
        most_ms = DRAWN_MS if borders == 1 else PASSING_MS * 0.6
        strip_ms = self.random.uniform(0.15, 1.0) * most_ms
        fast = self.random.uniform(4, 9)
        points = [start, self._between(start, end, enters / length), self._between(start, end, leaves / length), end]
        lengths_ms = [1_000 * enters / fast, strip_ms, 1_000 * (length - leaves) / fast]
        if leaves <= enters or min(lengths_ms) <= 0:
            return [Leg(0, 1_000 * length / fast, start, end)]
        return self._chain(points, lengths_ms)

    def _skimming(self, start: Point, end: Point, borders: int) -> list[Leg]:
        """Return a push that is no longer one on its way: too high for the squares between."""
        speed = self.random.uniform(max(3.0, borders / (0.15 * borders) + 0.5), 10)
        shares = [0.25 / borders, 0.5 / borders, 1 - 0.5 / borders, 1 - 0.25 / borders]
        heights = [0.0, _SKIMMING, _SKIMMING, 0.0]
        points = [start]
        points += [self._between(start, end, share, z) for share, z in zip(shares, heights, strict=True)]
        points.append(end)
        return self._chain(points, [1_000 * math.dist(a, b) / speed for a, b in pairwise(points)])

    def _between(self, start: Point, end: Point, share: float, z: float = 0.0) -> Point:
        return Point(start.x + share * (end.x - start.x), start.y + share * (end.y - start.y), z)

    def _chain(self, points: Sequence[Point], lengths_ms: Sequence[float]) -> list[Leg]:
        legs, ms = [], 0.0
        for (start, end), length_ms in zip(pairwise(points), lengths_ms, strict=True):
            legs.append(Leg(ms, ms + length_ms, start, end))
            ms += length_ms
        return legs
