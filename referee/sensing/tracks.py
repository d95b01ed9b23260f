"""Which piece is which magnet: every way in which the pieces of a position can have gone to where magnets were seen to leave and come.

A `Track` is what one piece did: the squares that saw it, from when to when. `Tracks` is one way to tell the pieces apart: a track for each
piece that moved. A change that fits several pieces makes several `Tracks` of one; a change that fits none leaves a stray magnet, and from
then on nothing that hands do explains this way.

With poles there is mostly one way. Without, a magnet may be any piece that is in the air. Either way it may be a neighbour that is being
drawn over the border and is seen by both squares: then the neighbour leaves the one or the other before long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules.values import Seat
from referee.sensing.layout import Layout
from referee.sensing.settle import LONG_AGO_MS, NEVER_MS
from referee.sensing.timing import Timing


class Flip(NamedTuple):
    """A square settled on another reading: before, after, the first frame that showed it, and the last one that did not."""

    square: int
    before: Reading
    after: Reading
    at_ms: int
    least_ms: int


class Visit(NamedTuple):
    """A piece on a square: it came between `least_ms` and `came_ms`, and left between `seen_ms` and `left_ms` (never: it is there)."""

    square: int
    least_ms: int
    came_ms: int
    seen_ms: int = NEVER_MS
    left_ms: int = NEVER_MS
    touched: bool = False
    """The piece was only pushed half over the border, and never left the square that it was pushed from."""

    @property
    def stands(self) -> bool:
        """Return whether the piece is still seen there."""
        return self.left_ms == NEVER_MS

    @property
    def lasted_ms(self) -> int:
        """For how long it was seen there."""
        return self.seen_ms - self.came_ms


class Track(NamedTuple):
    """What one piece did since the position: its seat, and its visits, first of all to the square on which it stood."""

    seat: Seat
    visits: tuple[Visit, ...]

    @property
    def in_air(self) -> bool:
        """Return whether no square sees it."""
        for visit in self.visits:  # noqa: SIM110  # asked most of all, and a loop takes a third of the time of `all`
            if visit.left_ms == NEVER_MS:
                return False
        return True

    @property
    def straddles(self) -> bool:
        """Return whether two squares see it: it is being drawn over their border."""
        visits = self.visits
        return len(visits) > 1 and visits[-1].left_ms == visits[-2].left_ms == NEVER_MS

    @property
    def left_ms(self) -> int:
        """The time at which it left its last square."""
        return max((visit.left_ms for visit in self.visits if not visit.stands), default=LONG_AGO_MS)

    def began_ms(self, place: int) -> int:
        """Return when it set out from one of its visits: its square lost it, or the neighbour to which it is drawn saw it already."""
        left_ms, after = self.visits[place].left_ms, self.visits[place + 1 : place + 2]
        return min(left_ms, after[0].came_ms) if after else left_ms

    def is_back(self, home: int, since_ms: int, looked: bool) -> bool:
        """Return whether it stands on that square alone, and has since then; with `looked` also, was never seen elsewhere."""
        last = self.visits[-1]
        if looked and any(visit.square != home for visit in self.visits):
            return False
        return last.square == home and last.stands and not self.straddles and last.came_ms <= since_ms

    def comes(self, square: int, least_ms: int, came_ms: int) -> Track:
        """Return the track with one more visit."""
        return Track(self.seat, (*self.visits, Visit(square, least_ms, came_ms)))

    def leaves(self, square: int, seen_ms: int, at_ms: int) -> Track:
        """Return the track without the piece on that square. One that was drawn over a border and back was away for that time."""
        if self.straddles and self.visits[-1].square == square:
            *before, stayed, touched = self.visits
            stayed = stayed._replace(seen_ms=touched.least_ms, left_ms=touched.came_ms)
            touched = touched._replace(seen_ms=seen_ms, left_ms=at_ms, touched=True)
            return Track(self.seat, (*before, stayed, touched, Visit(stayed.square, at_ms, at_ms)))
        # once two squares saw it, it was on its way
        rested_ms = min(seen_ms, self.visits[-1].least_ms) if self.straddles else seen_ms
        return Track(
            self.seat,
            tuple(
                visit._replace(seen_ms=rested_ms, left_ms=at_ms) if visit.square == square and visit.stands else visit
                for visit in self.visits
            ),
        )

    def last_stay(self, place: int) -> int:
        """Return the last of its visits to the square of this one, since then."""
        visits, n = self.visits, len(self.visits) - 1
        while visits[n].touched or visits[n].square != visits[place].square:
            n -= 1
        return n

    def since(self, home: int, at_ms: int) -> Track:
        """Return the track from when it was last at home before that time, if it was away and back by then."""
        backs = (
            n
            for n, v in enumerate(self.visits)
            if v.square == home and v.came_ms <= at_ms and n and not self.visits[n - 1].stands
        )
        return self._replace(visits=self.visits[max(backs, default=0) :])

    @property
    def moved(self) -> bool:
        """Return whether it did anything but stand."""
        return len(self.visits) > 1 or not self.visits[0].stands

    @property
    def so_far(self) -> tuple[Visit, ...]:
        """Its visits; while two squares see it, it has left the one from which it is drawn."""
        if not self.straddles:
            return self.visits
        *before, left, last = self.visits
        return (*before, left._replace(seen_ms=last.least_ms, left_ms=last.came_ms), last)


class Tracks(NamedTuple):
    """One way to tell the pieces apart, by the square on which each stood in the position."""

    moved: Mapping[int, Track]
    stray: bool = False
    """Whether a magnet was seen that fits no piece."""
    began_ms: int = LONG_AGO_MS
    ended_ms: int = LONG_AGO_MS
    """When the ply began, and came to its end, that led to the position."""

    @property
    def up(self) -> int:
        """Count the pieces in the air."""
        return sum(track.in_air for track in self.moved.values())

    @property
    def key(self) -> tuple[frozenset[object], bool, int, int]:
        """What makes two of them the same: for how long at least a square was free before or seen after makes no other hands."""
        moved = (
            (home, tuple((v.square, v.came_ms, v.left_ms, v.touched) for v in t.visits))
            for home, t in self.moved.items()
        )
        return frozenset(moved), self.stray, self.began_ms, self.ended_ms

    def lifted(self, at: Mapping[int, int]) -> dict[int, Track]:
        """Return the pieces in the air that were lifted from where they stand in a position, `at` these of their visits."""
        up = {home: track for home, track in self.moved.items() if track.in_air}
        return {home: track for home, track in up.items() if len(track.visits) == track.last_stay(at[home]) + 1}

    def on(self, layout: Layout, square: int) -> int | None:
        """Return which piece stands there (seen there), by the square on which it stood in the position."""
        for home, track in self.moved.items():
            if any(visit.square == square and visit.stands for visit in track.visits):
                return home
        return square if layout.owners[square] is not None and square not in self.moved else None

    def track(self, layout: Layout, home: int) -> Track:
        """Return what a piece of the position did, if only that it stands."""
        owner = layout.owners[home]
        assert owner is not None
        return self.moved.get(home) or Track(owner, (Visit(home, LONG_AGO_MS, LONG_AGO_MS),))

    def having(self, home: int, track: Track) -> Tracks:
        """Return the same with another track of that piece."""
        return self._replace(moved={**self.moved, home: track})


def extended(ways: Iterable[Tracks], layout: Layout, flip: Flip, timing: Timing, masked: Iterable[int]) -> list[Tracks]:
    """Return every way to tell the pieces apart after one more change, each once."""
    found: dict[object, Tracks] = {}
    for way in ways:
        after = _left(way, layout, flip) if flip.before != Reading.EMPTY else way
        came = _came(after, layout, flip, timing, masked) if flip.after != Reading.EMPTY else (after,)
        for one in came:
            found[one.key] = one
    return list(found.values())


def _left(way: Tracks, layout: Layout, flip: Flip) -> Tracks:
    home = way.on(layout, flip.square)
    if home is None:
        return way  # a stray magnet is not explained by being gone
    return way.having(home, way.track(layout, home).leaves(flip.square, flip.least_ms, flip.at_ms))


def _came(way: Tracks, layout: Layout, flip: Flip, timing: Timing, masked: Iterable[int]) -> Iterator[Tracks]:
    found = False
    reads = layout.ground.reading
    for home, track in way.moved.items():
        if track.in_air and reads(track.seat) == flip.after and track.left_ms <= flip.at_ms + timing.together_ms:
            found = True
            yield way.having(home, track.comes(flip.square, flip.least_ms, flip.at_ms))
    for near in layout.ground.near(flip.square) - set(masked):
        home_near = way.on(layout, near)
        if home_near is None:
            continue
        track = way.track(layout, home_near)
        if not track.straddles and reads(track.seat) == flip.after:
            found = True
            yield way.having(home_near, track.comes(flip.square, flip.least_ms, flip.at_ms))
    for dead in masked:  # nobody sees a piece leave a square whose sensor is not believed
        unseen = way.on(layout, dead)
        if unseen is not None and reads(way.track(layout, unseen).seat) == flip.after:
            found = True
            whole = way.track(layout, unseen).leaves(dead, flip.least_ms, flip.at_ms)
            yield way.having(unseen, whole.comes(flip.square, flip.least_ms, flip.at_ms))
    if not found:
        yield way._replace(stray=True)
