"""What a motion looked like: the trace of every square in it (`Trace`), and the times and glitches that can be told from that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from firmware_bridge.messages import RANGE_MS, Ack, FaultKind, Frame, Hello, Log, News, Raw, Reading, WireFault
from referee.field_trial.plan import Motion
from referee.rules.values import Square

HOLE = 10
"""So many messages missing in a row are a hole in the line, fewer are lost one by one."""
LONGEST_GLITCH_MS = 150
BOUNCE_MS = 200
"""A piece that bounces is neither out of contact nor in contact between two hops for longer."""
_STEADY_MS = 300
MAGNETS = (Reading.RED, Reading.BLUE)


class Run(NamedTuple):
    """A square read the same all the time from one frame until another."""

    from_ms: int
    to_ms: int
    reading: Reading


@dataclass(slots=True)
class Trace:
    """Every change of every square from the time at which a motion was asked for. Times are board milliseconds, counted on over a wrap."""

    number: Mapping[Square, int]
    start_ms: int
    before: tuple[Reading, ...]
    now_ms: int = 0
    now: tuple[Reading, ...] = ()
    changes: list[list[tuple[int, Reading]]] = field(default_factory=list)
    """Of each square: since when it reads what."""
    messages: int = 0
    lost: int = 0
    repeated: int = 0
    holes_ms: list[int] = field(default_factory=list)
    after_loss_ms: set[int] = field(default_factory=set)
    """Times of the frames before which one was missing."""
    amplitudes: dict[int, int] = field(default_factory=dict)
    """What the converter read of each square before the motion, where the board tells."""
    _missing: int = 0

    def __post_init__(self) -> None:
        """Begin with what stood there."""
        self.now_ms, self.now = self.start_ms, self.before
        self.changes = [[(self.start_ms, reading)] for reading in self.before]

    def take(self, news: News) -> None:
        """Take the next thing that the board says."""
        match news:
            case WireFault(kind=FaultKind.GAP, count=count):
                self._missing += count
            case WireFault(kind=FaultKind.REPEATED):
                self.repeated += 1
            case Hello() | Frame() | Raw() | Log() | Ack():
                self.messages += 1
        if isinstance(news, Raw):
            self.amplitudes.update(enumerate(news.values, news.first))
        if isinstance(news, Frame):
            self._frame(news)

    def _frame(self, frame: Frame) -> None:
        last_ms = self.now_ms
        self.now_ms += (frame.board_ms - last_ms) % RANGE_MS
        if self._missing:
            self.after_loss_ms.add(self.now_ms)
            if self._missing >= HOLE:
                self.holes_ms.append(self.now_ms - last_ms)
            else:
                self.lost += self._missing
            self._missing = 0
        if frame.squares is not self.now and frame.squares != self.now:
            for changes, was, reading in zip(self.changes, self.now, frame.squares, strict=True):
                if was is not reading:
                    changes.append((self.now_ms, reading))
            self.now = frame.squares

    def runs(self, square: Square) -> list[Run]:
        """Return what a square read, one after the other."""
        changes = self.changes[self.number[square]]
        ends = [*(at_ms for at_ms, _ in changes[1:]), self.now_ms]
        return [Run(at_ms, to_ms, reading) for (at_ms, reading), to_ms in zip(changes, ends, strict=True)]

    def steady(self, square: Square) -> Reading:
        """Return what a square read most of the last 300 ms: a flicker is no piece."""
        return self.usual(square, self.now_ms - _STEADY_MS)

    def usual(self, square: Square, from_ms: int = 0) -> Reading:
        """Return what a square read for longer than anything else."""
        counts = dict.fromkeys(Reading, 0)
        for run in self.runs(square):
            counts[run.reading] += max(0, run.to_ms - max(run.from_ms, from_ms))
        return max(counts, key=lambda reading: counts[reading])

    def changed_ms(self, squares: Collection[Square]) -> int:
        """Return when one of these squares last changed."""
        return max(self.changes[self.number[square]][-1][0] for square in squares)


def seen_times(trace: Trace, square: Square) -> list[tuple[int, int]]:
    """Return from when to when a square saw a magnet, each time."""
    return [
        (run.from_ms, run.to_ms) for run in _joined(trace.runs(square), lambda reading: reading in MAGNETS) if run.on
    ]


class Span(NamedTuple):
    """A stretch of time in which something was so, or was not."""

    from_ms: int
    to_ms: int
    on: bool


def _joined(runs: Sequence[Run], holds: Callable[[Reading], bool]) -> list[Span]:
    """Return the runs by whether something holds of their reading."""
    found: list[Span] = []
    for run in runs:
        on = holds(run.reading)
        if found and found[-1].on is on:
            found[-1] = Span(found[-1].from_ms, run.to_ms, on)
        else:
            found.append(Span(run.from_ms, run.to_ms, on))
    return found


class Ends(NamedTuple):
    """When a piece left its square for good and came to another to stay, and for how long contact was lost before and after."""

    left_ms: int
    came_ms: int
    lost_ms: int


def ends_of(trace: Trace, source: Square, target: Square) -> Ends | None:
    """Return the ends of a stroke; None if these two squares do not show one.

    A piece that bounces touches the board for a short time between two hops. A flicker while it stands is none: it stood for longer before,
    or stands for longer after it.
    """
    leaving, coming = seen_times(trace, source), seen_times(trace, target)
    if not leaving or not coming:
        return None
    left = next((n for n in range(len(leaving) - 1) if _gap(leaving, n) > BOUNCE_MS), len(leaving) - 1)
    came = next((n for n in reversed(range(len(coming) - 1)) if _gap(coming, n) > BOUNCE_MS), -1) + 1
    hops = [_gap(leaving, n) for n in range(left) if _length(leaving[n + 1]) <= BOUNCE_MS]
    hops += [_gap(coming, n) for n in range(came, len(coming) - 1) if _length(coming[n]) <= BOUNCE_MS]
    return Ends(leaving[left][1], coming[came][0], sum(hops))


def _gap(spans: Sequence[tuple[int, int]], n: int) -> int:
    return spans[n + 1][0] - spans[n][1]


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def crossings(trace: Trace, motion: Motion, ends: Ends) -> tuple[list[int], list[int]]:
    """Return for how long each crossed square of a slide saw the piece, and for how long nothing did at each border.

    Both are empty where a square saw nothing: then nobody knows which border took how long.
    """
    ply = motion.plies[0]
    crossed, borders, left_ms = [], [], ends.left_ms
    for square in ply.path[:-1]:
        seen = [span for span in seen_times(trace, square) if left_ms <= span[0] and span[1] <= ends.came_ms]
        if not seen:
            return [], []
        crossed.append(seen[-1][1] - seen[0][0])
        borders.append(seen[0][0] - left_ms)
        left_ms = seen[-1][1]
    return crossed, [*borders, ends.came_ms - left_ms]


def glitches(trace: Trace, square: Square) -> Iterator[int]:
    """Yield how long (ms) an untouched square was wrong, each time, where its neighbouring frames arrived."""
    true = trace.usual(square)
    for wrong in _joined(trace.runs(square), lambda reading: reading is not true)[1:]:
        whole = wrong.on and wrong.to_ms < trace.now_ms and not {wrong.from_ms, wrong.to_ms} & trace.after_loss_ms
        if whole and wrong.to_ms - wrong.from_ms <= LONGEST_GLITCH_MS:
            yield wrong.to_ms - wrong.from_ms
