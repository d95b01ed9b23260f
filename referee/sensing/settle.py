"""Frames come to rest: board time without its wrap, when to look again, and what each square has settled on; `Senses` is all of it.

Votes of frames are weighed in milliseconds, so that the scan rate is free. A frame speaks for the time until the next one, but never for
more than `vote_cap_ms`. A square takes a new reading when it had it for `vote_ms` of the last `vote_window_ms` and has it now. Unsure is
nobody's vote: until it is decided a square stays what it was. The window counts voted time, not time gone by: an idle board's frame every
500 ms is one vote of 25 ms, and three of them settle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import ne

from firmware_bridge.messages import RANGE_MS, Frame, Reading
from referee.rules.values import Seat, Square
from referee.sensing.layout import Ground
from referee.sensing.observations import Difference, Masked
from referee.sensing.timing import Timing

NEVER_MS = 1 << 60
MOST_TOLD = 256
"""So many different boards that were not understood are remembered as told."""
LONG_AGO_MS = -(1 << 60)
_SEQ_RANGE = 256
_EMPTY, _UNSURE = Reading.EMPTY, Reading.UNSURE


class Clock:
    """Unwraps `board_ms`. A step backwards is a reboot: time goes on from there, and the step counts as a gap."""

    __slots__ = ("_board_ms", "_seq", "_timing", "last_ms", "now_ms")

    def __init__(self, timing: Timing) -> None:
        self._board_ms: int | None = None
        self._seq, self._timing = 0, timing
        self.now_ms = self.last_ms = 0
        """The time of this frame, and the last one at which the board showed what the frame before it shows."""

    def take(self, frame: Frame) -> int | None:
        """Move to a frame's time; return the milliseconds since the last one, None if nobody can say (first frame, reboot).

        A board that shows the same is silent for most of the time, and sends the first scan that shows something else. So where no
        message is missing nothing changed in the silence; where one is, something may have. In a gap it can be all 256 of them.
        """
        whole = frame.seq == (self._seq + 1) % _SEQ_RANGE and not frame.flags
        before_ms, self.last_ms, self._seq = self._board_ms, self.now_ms, frame.seq
        self._board_ms = frame.board_ms
        if before_ms is None:
            return None
        step_ms = (frame.board_ms - before_ms) % RANGE_MS
        if step_ms > RANGE_MS // 2:
            self.now_ms += 1
            return None
        self.now_ms += step_ms
        if whole and step_ms <= self._timing.gap_ms:
            self.last_ms = max(self.last_ms, self.now_ms - self._timing.vote_cap_ms)
        return step_ms

    def board(self, at_ms: int) -> int:
        """Return an earlier (or this) time as the board counts it, modulo 2^32."""
        return ((self._board_ms or 0) - (self.now_ms - at_ms)) % RANGE_MS


class Alarm:
    """Remembers the nearest time at which something becomes true if no square changes until then."""

    __slots__ = ("clock", "wake_ms")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.wake_ms = LONG_AGO_MS

    def sleep(self) -> None:
        """Forget every time: ask again for each that still matters."""
        self.wake_ms = NEVER_MS

    def ring(self) -> None:
        """Look at the next frame, whatever it shows."""
        self.wake_ms = LONG_AGO_MS

    def reached(self, at_ms: int) -> bool:
        """Return whether it is this late; if not, look again then."""
        if self.clock.now_ms >= at_ms:
            return True
        self.wake_ms = min(self.wake_ms, at_ms)
        return False


class _Doubt:
    """The recent votes of one square whose frames do not agree with what it settled on."""

    __slots__ = ("began_ms", "counted_ms", "shares", "votes")

    def __init__(self, began_ms: int) -> None:
        self.began_ms = began_ms
        """The time of the last frame without doubt."""
        self.votes: deque[tuple[int, Reading, int]] = deque()
        """Time of the frame, what it showed, the milliseconds it counts."""
        self.shares = [0, 0, 0, 0]
        """Milliseconds within the window by reading."""
        self.counted_ms = 0

    def vote(self, at_ms: int, reading: Reading, weight_ms: int, window_ms: int) -> None:
        """Count one frame, and forget those without which the window is full."""
        self.votes.append((at_ms, reading, weight_ms))
        self.shares[reading] += weight_ms
        self.counted_ms += weight_ms
        while self.counted_ms - self.votes[0][2] >= window_ms:
            _, old, weight_ms = self.votes.popleft()
            self.shares[old] -= weight_ms
            self.counted_ms -= weight_ms

    def first_ms(self, reading: Reading) -> tuple[int, int]:
        """Return when this reading came first within the window, and when the frame before that came."""
        before_ms = self.began_ms
        for at_ms, voted, _ in self.votes:
            if voted == reading:
                return at_ms, min(before_ms, at_ms)
            before_ms = at_ms
        raise AssertionError("a reading that settles was voted for")


class Settler:
    """Turns frames into settled squares. The first frame is believed as it is; its time is when everything last changed."""

    __slots__ = (
        "_at_ms",
        "_came_ms",
        "_doubts",
        "_gap_ms",
        "_gone_ms",
        "_squares",
        "_timing",
        "hidden",
        "hole_ms",
        "least_ms",
        "raw",
        "settled",
        "since_ms",
    )

    def __init__(self, size: int, timing: Timing) -> None:
        self._timing = timing
        self._squares = range(size)
        self._at_ms = LONG_AGO_MS
        self._doubts: dict[int, _Doubt] = {}
        self._came_ms = [LONG_AGO_MS] * size
        self._gone_ms = [LONG_AGO_MS] * size
        self.raw: Sequence[Reading] = ()
        """The last frame."""
        self.settled = [_EMPTY] * size
        """What each square holds; never unsure."""
        self.since_ms = [LONG_AGO_MS] * size
        """The time of the first frame that showed it."""
        self.least_ms = [LONG_AGO_MS] * size
        """The time of the last frame before that."""
        self.hidden: set[int] = set()
        """Squares that came to what they hold while no frames did: nobody can say how."""
        self.hole_ms = LONG_AGO_MS
        """The time of the last frame that showed several changes after a silence: a board that changes sends every scan."""
        self._gap_ms = LONG_AGO_MS

    @property
    def busy(self) -> bool:
        """Return whether any square is in doubt, so that every frame counts."""
        return bool(self._doubts)

    @property
    def fresh(self) -> bool:
        """Return whether the last frame shows a square for certain as something else than it settled on."""
        return any(self.raw[square] not in (_UNSURE, self.settled[square]) for square in self._doubts)

    @property
    def stirs(self) -> bool:
        """Return whether one more frame may settle some square."""
        longest_ms = self._timing.vote_ms - self._timing.vote_cap_ms
        return any(
            doubt.counted_ms - doubt.shares[self.settled[square]] >= longest_ms
            for square, doubt in self._doubts.items()
        )

    @property
    def votes(self) -> int:
        """Count the votes that the square most in doubt keeps."""
        return max((len(doubt.votes) for doubt in self._doubts.values()), default=0)

    def feed(self, raw: Sequence[Reading], now_ms: int, last_ms: int, after_gap: bool = False) -> bool:
        """Take a frame and the time of the one before it, which may have been left out if it showed the same.

        Return whether any square settled on something else. After a gap every vote from before it is forgotten.
        """
        if not self.raw:
            self._begin(raw, now_ms)
            return True
        if after_gap:
            self._doubts = {
                square: _Doubt(last_ms) for square, reading in enumerate(raw) if reading != self.settled[square]
            }
            self._at_ms = self._gap_ms = now_ms
        before, weight_ms = self.raw, min(now_ms - self._at_ms, self._timing.vote_cap_ms)
        if weight_ms:
            for square, doubt in self._doubts.items():
                doubt.vote(self._at_ms, before[square], weight_ms, self._timing.vote_window_ms)
        self.raw, self._at_ms = raw, now_ms
        if raw is not before and raw != before:
            flipped = list(compress(self._squares, map(ne, before, raw)))
            if len(flipped) > 1 and now_ms - last_ms > self._timing.push_ms:
                self.hole_ms = now_ms
            for square in flipped:
                self._flip(square, before[square], raw[square], now_ms, last_ms)
        return self._decide() if self._doubts else False

    def shows(self, square: int) -> Reading:
        """Return what a square holds, or unsure if it has been unsure for as long as settling takes."""
        doubt = self._doubts.get(square)
        if doubt is not None and doubt.shares[_UNSURE] >= self._timing.vote_ms:
            return _UNSURE
        return self.settled[square]

    def unsure(self) -> list[int]:
        """Return the squares on which a magnet seems to stand badly."""
        return [square for square, doubt in self._doubts.items() if doubt.shares[_UNSURE] >= self._timing.vote_ms]

    def hides(self, at_ms: int) -> bool:
        """Return whether a square may still settle on what happened until then: frames were rare, and too few have come since."""
        doubts, full_ms = self._doubts.values(), self._timing.vote_window_ms
        return any(doubt.began_ms <= at_ms and doubt.counted_ms < full_ms for doubt in doubts)

    def touched_ms(self, square: int) -> int:
        """Return when a magnet was last seen on a square, however short; now, if one is there."""
        return self._at_ms if self.raw[square] != _EMPTY else self._gone_ms[square]

    def _begin(self, raw: Sequence[Reading], now_ms: int) -> None:
        self.raw, self._at_ms = raw, now_ms
        self.settled = [_EMPTY if reading == _UNSURE else reading for reading in raw]
        self.since_ms = [now_ms] * len(raw)
        self.hidden = set(range(len(raw)))
        self._came_ms = [now_ms] * len(raw)
        self._doubts = {square: _Doubt(now_ms) for square, reading in enumerate(raw) if reading == _UNSURE}

    def _flip(self, square: int, old: Reading, new: Reading, now_ms: int, last_ms: int) -> None:
        if old == _EMPTY:
            self._came_ms[square] = now_ms
        elif new == _EMPTY and now_ms - self._came_ms[square] >= self._timing.touch_ms:
            self._gone_ms[square] = now_ms
        if new != self.settled[square] and square not in self._doubts:
            self._doubts[square] = _Doubt(last_ms)

    def _decide(self) -> bool:
        changed = False
        for square, doubt in list(self._doubts.items()):
            reading, settled = self.raw[square], self.settled[square]
            if reading == settled:
                if doubt.counted_ms == doubt.shares[settled]:
                    del self._doubts[square]
            elif reading != _UNSURE and doubt.shares[reading] >= self._timing.vote_ms:
                self.settled[square] = reading
                self.since_ms[square], self.least_ms[square] = doubt.first_ms(reading)
                (self.hidden.add if doubt.began_ms < self._gap_ms else self.hidden.discard)(square)
                del self._doubts[square]
                changed = True
        return changed


@dataclass(slots=True)
class Senses:
    """One board as it is now. The interpreter feeds it; the modes only look."""

    ground: Ground
    settler: Settler
    alarm: Alarm
    timing: Timing
    gap_ms: int = LONG_AGO_MS
    """The time of the first frame after the last gap, the very first frame included."""

    masked: dict[int, Reading] = field(default_factory=dict)
    """Squares whose sensors are not believed, and what they showed when that began."""

    def mask(self, squares: Iterable[Square]) -> Masked:
        """Stop believing these squares."""
        self.masked |= {(number := self.ground.number[square]): self.settler.settled[number] for square in squares}
        return self._masked_now()

    def unmask(self) -> Masked | None:
        """Believe those again that show something else by now; return what is to be said of it."""
        alive = [number for number, shown in self.masked.items() if self.settler.settled[number] != shown]
        for number in alive:
            del self.masked[number]
        return self._masked_now() if alive else None

    def _masked_now(self) -> Masked:
        return Masked(tuple(self.ground.squares[number] for number in sorted(self.masked)), self.at_ms)

    @property
    def now_ms(self) -> int:
        """The time of the last frame, without its wrap."""
        return self.alarm.clock.now_ms

    @property
    def at_ms(self) -> int:
        """The same as the board counts it."""
        return self.board_ms(self.now_ms)

    def passed(self, at_ms: int) -> bool:
        """Return whether nothing that happened until then can settle any more; if it can, look again."""
        if not self.alarm.reached(at_ms + self.timing.vote_window_ms):
            return False
        if not self.settler.hides(at_ms):
            return True
        self.alarm.ring()
        return False

    def steady(self, squares: Iterable[int]) -> bool:
        """Return whether the last frame shows what squares settled on, but for those not believed; if not, look at the next one."""
        raw, settled = self.settler.raw, self.settler.settled
        if all(square in self.masked or raw[square] == settled[square] for square in squares):
            return True
        self.alarm.ring()
        return False

    def board_ms(self, at_ms: int) -> int:
        """Return an earlier time as the board counts it."""
        return self.alarm.clock.board(at_ms)

    def differences(self, wanted: Mapping[Square, Seat], expected: Sequence[Reading]) -> tuple[Difference, ...]:
        """Return every square that is not as wanted, in wire order; `expected` is what `wanted` reads as.

        A magnet that has been unsure for a while counts where none belongs; where one belongs it stands badly, but it is there.
        """
        settled = self.settler.settled
        masked = self.masked
        stray = [n for n in self.settler.unsure() if expected[n] == Reading.EMPTY and n not in masked]
        if settled == expected and not stray:
            return ()
        return tuple(
            Difference(square, wanted.get(square), shown := self.settler.shows(number), self.ground.whose(shown))
            for number, square in enumerate(self.ground.squares)
            if (settled[number] != expected[number] and number not in masked) or number in stray
        )
