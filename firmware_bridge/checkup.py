"""A board's health from what it says: every square, the link, and what is wrong with them. Pure: news in, findings out.

A `Checkup` hears a board, `diagnose` says what it means, worst first. Does not know a game: where pieces should stand is told by whoever
knows it, as the reading of each square of a start position.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from firmware_bridge import messages as m
from firmware_bridge._wire_constants import VERSION
from firmware_bridge.advice import Defect, Finding, in_order, times
from firmware_bridge.host_firmware import NEAR
from hardware import BoardFile
from hardware.board_file import HALF_SUPPLY, HIGHEST_COUNT, SUPPLY_RANGE

SETTLED_MS = 120  # a reading that stands shorter is a flicker, or a hand that is not done
LONG_MS = 2000  # a square that reads unsure for longer has no hand over it
FLICKERS, FLICKER_MS = 8, 3000  # so many changes in that time are no hand's
_ACTIVE_MS = 200  # frames nearer together than this follow a scan each
_KEPT = 8
_SAME = 2  # counts: what two joined inputs differ by at most
_MOST_FELT = 4  # squares at least, and so many times as many as show the other pole: a magnet was passed over them
_MAGNET = frozenset({m.Reading.RED, m.Reading.BLUE})
_BROKEN = frozenset(m.FaultKind) - {m.FaultKind.GAP, m.FaultKind.REPEATED, m.FaultKind.REBOOTED}
WEAK = 0.45  # of the typical field: a piece a quarter of the pitch off its middle gives a third
_ENDS = 0.02  # of the typical zero: so near to either end of the converter's range no working sensor rests
_SLOW_MS = 8.0  # an FTDI chip with its usual latency timer takes up to 16 ms, anything else less than 3
_SLOW_SCAN = 0.8
_SUPPLY_MOVED = 0.015  # 75 mV of 5 V: a third of what would make empty squares unsure if it were not taken out
_SUPPLY_FAR = 8  # percent: so far boards are promised to read well; an input in the air that creeps comes by this too


def disagreements(hello: m.Hello, board: BoardFile) -> tuple[str, ...]:
    """Return every point where a board's HELLO differs from the board file, as sentences for a user; empty if they agree.

    A host that went on although they differ would name the wrong squares. The scan rate is not compared: every message carries its time.
    """
    pairs = (
        ("wire version", hello.protocol, VERSION),
        ("board", hello.board_id, board.id),
        ("number of squares", hello.squares, len(board.squares)),
        ("sensing", hello.sensing.name.lower(), board.sensing.value),
        ("order of squares and channels (fingerprint)", hello.fingerprint, board.fingerprint),
    )
    return tuple(
        f"{what}: the board says {said}, the board file {wanted}" for what, said, wanted in pairs if said != wanted
    )


class Expected(Enum):
    """Which pieces the check expects on the board."""

    UNKNOWN = "unknown"
    EMPTY = "empty"
    START = "start"


@dataclass(slots=True)
class SquareStats:
    """What one square has shown so far.

    `reading` has stood for `SETTLED_MS`, `latest` is what the last frame said, since `since_ms`; `felt`: it has shown a magnet.
    """

    name: str
    reading: m.Reading = m.Reading.EMPTY
    latest: m.Reading = m.Reading.EMPTY
    since_ms: int = 0
    changes: int = 0
    felt: bool = False
    poles: Counter[m.Reading] = field(default_factory=Counter)
    """How often a magnet of each pole has come."""
    joined: Counter[str] = field(default_factory=Counter)
    """How often one came in the same frame on the square of the input beside, by its name."""
    recent_ms: deque[int] = field(default_factory=lambda: deque(maxlen=FLICKERS))
    amplitudes: dict[m.Reading, deque[int]] = field(
        default_factory=lambda: {reading: deque(maxlen=_KEPT) for reading in m.Reading}
    )

    @property
    def arrivals(self) -> int:
        """How often a magnet came."""
        return self.poles.total()

    @property
    def pole(self) -> m.Reading | None:
        """The one pole that it has ever felt; None if both or none."""
        return next(iter(self.poles)) if len(self.poles) == 1 else None

    @property
    def last(self) -> int | None:
        """The last raw count."""
        found = self.amplitudes[self.latest]
        return found[-1] if found else None

    @property
    def breaks_off(self) -> bool:
        """Return whether its counts fall to an end of the range now and then, and are a working sensor's in between."""
        counts = [count for kept in self.amplitudes.values() for count in kept]
        return len(counts) > 1 and min(counts) == 0 and max(counts) > HIGHEST_COUNT // 8

    @property
    def amplitude(self) -> float | None:
        """The typical raw count for what it reads."""
        return self._median(self.reading)

    @property
    def zero(self) -> float | None:
        """The typical raw count while it read empty."""
        return self._median(m.Reading.EMPTY)

    def _median(self, reading: m.Reading) -> float | None:
        return statistics.median(self.amplitudes[reading]) if self.amplitudes[reading] else None

    def settle(self, now_ms: int) -> None:
        """Take what it said last for its reading, if that has stood long enough."""
        if self.latest is not self.reading and (now_ms - self.since_ms) % m.RANGE_MS >= SETTLED_MS:
            self.reading = self.latest
            self.felt = self.felt or self.reading in _MAGNET
            if self.reading in _MAGNET:
                self.poles[self.reading] += 1


@dataclass(slots=True)
class LinkStats:
    """Counts of what the serial line has delivered and lost so far."""

    frames: int = 0
    lost_messages: int = 0
    broken: int = 0
    reboots: int = 0
    losses: int = 0
    up: bool = True
    flags: m.FrameFlag = m.NO_FLAGS
    intervals_ms: deque[int] = field(default_factory=lambda: deque(maxlen=400))
    answers_ms: deque[float] = field(default_factory=lambda: deque(maxlen=400))

    @property
    def seen_hz(self) -> float | None:
        """Scans a second as frames show them; None while the board is at rest and sends only now and then."""
        return 1000 / statistics.median(self.intervals_ms) if len(self.intervals_ms) >= _KEPT else None

    def answer_ms(self, share: float) -> float | None:
        """Return the time between a question and its answer that so large a share of answers keeps."""
        ordered = sorted(self.answers_ms)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else None


@dataclass(frozen=True, slots=True)
class Strengths:
    """`zero`: typical raw count of an empty square, None if no amplitudes were heard. `shares`: each square's field, 1 the typical one."""

    zero: float | None
    amplitudes: Mapping[str, float | None]
    shares: Mapping[str, float]


class Checkup:
    """Hears everything that one board says. `start` is what each square of the filled start position reads, empty if none is known.

    `absent` are squares that are not built yet: nothing is made of what their inputs say, which hang in the air.
    """

    def __init__(
        self,
        board: BoardFile,
        start: Mapping[str, m.Reading],
        wanted: Expected | None = None,
        absent: frozenset[str] = frozenset(),
    ) -> None:
        self.board = board
        self.absent = absent
        self.start = start
        self.wanted = wanted
        self.hello: m.Hello | None = None
        self.link = LinkStats()
        self.squares = [SquareStats(name) for name in board.squares]
        self.now_ms = 0
        self.self_test: int | None = None
        self.unanswered = 0
        self.said: Counter[str] = Counter()
        self.supply: Sequence[int] = ()
        """What the divider of the sensors' supply reads, read when the board was calibrated, and read when it last counted."""
        self.supplies: deque[int] = deque(maxlen=_KEPT)
        """What that divider read of late."""
        self._last: m.Frame | None = None

    def hear(self, news: m.News) -> None:
        """Take one thing that the board's source gave."""
        match news:
            case m.Frame():
                self._hear_frame(news)
            case m.Raw(first=first, values=values):
                for square, value in zip(self.squares[first:], values, strict=False):
                    square.amplitudes[square.latest].append(value)
                if supply := values[len(self.squares) - first :]:
                    self.supply = supply
                    self.supplies.append(supply[0])
            case m.Hello():
                self.hello = news
            case m.Log(level=level, text=text) if level >= m.LogLevel.WARNING:
                self.said[text] += 1
            case m.Ack(command=m.MessageType.SELF_TEST, result=result, detail=detail):
                self.self_test = detail if result is m.AckResult.FAILED else 0
            case m.WireFault():
                self._hear_fault(news)
            case m.LinkLost():
                self.link.losses += 1
                self.link.up = False
            case m.LinkBack():
                self.link.up = True
                self._last = None
            case _:
                pass

    @property
    def built(self) -> list[SquareStats]:
        """The squares that are there."""
        return [square for square in self.squares if square.name not in self.absent]

    def answered(self, after_ms: float) -> None:
        """Take how long the board took to answer a question."""
        self.link.answers_ms.append(after_ms)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Where HELLO and the board file differ; nothing before HELLO."""
        return disagreements(self.hello, self.board) if self.hello else ()

    @property
    def position(self) -> Expected:
        """What should stand on the board: as it was told, else what it looks like."""
        if self.wanted is not None:
            return self.wanted
        taken = {square.name for square in self.built if square.reading is not m.Reading.EMPTY}
        if self.start and len(taken & self.start.keys()) >= 0.8 * len(self.start):
            return Expected.START
        return Expected.EMPTY if len(taken) <= max(3, len(self.built) // 20) else Expected.UNKNOWN

    def strengths(self) -> Strengths:
        """Return how strongly each square feels its magnet, from the amplitudes heard so far."""
        amplitudes = {square.name: square.amplitude for square in self.built}
        zeros = {square.name: zero for square in self.built if (zero := square.zero) is not None}
        known = zeros or {name: amplitude for name, amplitude in amplitudes.items() if amplitude is not None}
        if not known:
            return Strengths(None, amplitudes, {})
        typical_zero = statistics.median(known.values())
        added = {
            name: abs(amplitude - zeros.get(name, typical_zero))
            for name, amplitude in amplitudes.items()
            if amplitude is not None
        }
        felt = [added[square.name] for square in self.built if square.reading in _MAGNET and square.name in added]
        typical = statistics.median(felt) if felt else 0.0
        return Strengths(
            typical_zero, amplitudes, {name: value / typical for name, value in added.items()} if typical else {}
        )

    def standing_ms(self, square: SquareStats) -> int:
        """Return for how long a square has read what it reads."""
        return (self.now_ms - square.since_ms) % m.RANGE_MS

    def flickers(self, square: SquareStats) -> bool:
        """Return whether a square has changed more often of late than a hand can make it."""
        recent = square.recent_ms
        return len(recent) == FLICKERS and (self.now_ms - recent[0]) % m.RANGE_MS <= FLICKER_MS

    def _hear_frame(self, frame: m.Frame) -> None:
        link, last = self.link, self._last
        self._last = frame
        self.now_ms = frame.board_ms
        link.frames += 1
        link.flags |= frame.flags
        if last is None or len(frame.squares) != len(self.squares):
            for square, reading in zip(self.squares, frame.squares, strict=False):
                square.reading = square.latest = reading
                square.since_ms = frame.board_ms
                square.felt = square.felt or reading in _MAGNET
            return
        passed_ms = (frame.board_ms - last.board_ms) % m.RANGE_MS
        if 0 < passed_ms < _ACTIVE_MS and frame.seq == (last.seq + 1) % 256:
            link.intervals_ms.append(passed_ms)
        same = frame.squares is last.squares or frame.squares == last.squares
        if not same:
            self._hear_pair(last, frame)
        for square, reading in zip(self.squares, frame.squares, strict=True):
            if not same and square.latest is not reading:
                square.settle(frame.board_ms)  # what it said until now may have stood long enough
                square.latest, square.since_ms = reading, frame.board_ms
                square.changes += 1
                square.recent_ms.append(frame.board_ms)
            elif square.latest is not square.reading:
                square.settle(frame.board_ms)

    def _hear_pair(self, last: m.Frame, frame: m.Frame) -> None:
        """Note two inputs beside each other on which a magnet of one pole came at once, and nowhere else."""
        pairs = zip(last.squares, frame.squares, strict=True)
        came = [number for number, (before, now) in enumerate(pairs) if now in _MAGNET and before is not now]
        if len(came) != 2 or frame.squares[came[0]] is not frame.squares[came[1]]:
            return
        channels = [self.board.scan.channels[number] for number in came]
        if abs(channels[0] - channels[1]) == 1:
            one, other = (self.squares[number] for number in came)
            one.joined[other.name] += 1
            other.joined[one.name] += 1

    def shorted_to(self, square: SquareStats) -> str | None:
        """Return the square whose wire this one's touches: whenever a magnet came on one it came on both, and their counts are the same."""
        for name, together in square.joined.items():
            other = self.squares[self.board.index(name)]
            alone = max(square.arrivals, other.arrivals) > together
            counts = (square.last, other.last)
            if not alone and None not in counts and abs((counts[0] or 0) - (counts[1] or 0)) <= _SAME:
                return name
        return None

    def turned(self, square: SquareStats) -> bool:
        """Return whether a square felt one pole only, and most others only the other: one and the same magnet was passed over all."""
        if self.wanted is not Expected.EMPTY:
            return False  # both armies may have stood there
        felt = [one.pole for one in self.built if one.pole is not None]
        pole = square.pole
        return pole is not None and len(felt) >= _MOST_FELT and felt.count(pole) * _MOST_FELT <= len(felt)

    def _hear_fault(self, fault: m.WireFault) -> None:
        if fault.kind is m.FaultKind.GAP:
            self.link.lost_messages += fault.count
        elif fault.kind is m.FaultKind.REBOOTED:
            self.link.reboots += 1
            self._last = None
        elif fault.kind in _BROKEN:
            self.link.broken += 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong: `findings` worst first, `troubles` the worst of each square, `strengths` that it was judged by."""

    findings: tuple[Finding, ...]
    troubles: Mapping[str, Defect]
    strengths: Strengths


def diagnose(checkup: Checkup, url: str) -> Diagnosis:
    """Return everything that is not as it should be. `url` names the board in sentences that quote a command."""
    strengths = checkup.strengths()
    if checkup.disagreements:
        # squares and names do not fit each other: whatever else could be said of squares would name the wrong ones
        differing = [Finding(Defect.DISAGREES, values={"text": text}) for text in checkup.disagreements]
        return Diagnosis(in_order(differing), {}, strengths)
    position = checkup.position
    judged = {square.name: _trouble(checkup, square, position, strengths) for square in checkup.built}
    troubles = {square: kind for square, kind in judged.items() if kind is not None}
    found = [
        Finding(kind, tuple(square for square, trouble in troubles.items() if trouble is kind))
        for kind in dict.fromkeys(troubles.values())
    ]
    return Diagnosis(in_order([*found, *_link_findings(checkup, url)]), troubles, strengths)


def _trouble(checkup: Checkup, square: SquareStats, position: Expected, strengths: Strengths) -> Defect | None:
    if square.breaks_off:
        return Defect.COLD_JOINT
    if at_an_end(strengths.amplitudes[square.name], strengths.zero):
        return Defect.OUT_OF_RANGE
    if checkup.shorted_to(square) is not None:
        return Defect.SHORTED
    if checkup.turned(square):
        return Defect.TURNED
    if checkup.flickers(square):
        return Defect.UNSTEADY
    reading = square.reading
    wanted = checkup.start.get(square.name, m.Reading.EMPTY) if position is Expected.START else m.Reading.EMPTY
    if reading is m.Reading.UNSURE:
        if checkup.standing_ms(square) < LONG_MS:
            return None
        return Defect.DRIFTED if position is not Expected.UNKNOWN and wanted is m.Reading.EMPTY else Defect.UNSURE
    if position is not Expected.UNKNOWN and reading is not wanted:
        if reading is m.Reading.EMPTY:
            return Defect.NOTHING_FELT
        return Defect.STUCK if wanted is m.Reading.EMPTY else Defect.REVERSED
    return Defect.WEAK if reading is not m.Reading.EMPTY and strengths.shares.get(square.name, 1.0) < WEAK else None


def at_an_end(amplitude: float | None, zero: float | None) -> bool:
    """Return whether a raw count is at an end of the converter's range; `zero` is the typical one without a magnet."""
    if amplitude is None or zero is None:
        return False
    # linear sensors rest in the middle of the range, so that twice the typical zero is its other end
    return not _ENDS * zero < amplitude < (2 - _ENDS) * zero


def _link_findings(checkup: Checkup, url: str) -> Iterator[Finding]:
    link, hello, told_hz = checkup.link, checkup.hello, checkup.board.scan.hz
    answer_ms = 0.0 if url.startswith("gpio:") else link.answer_ms(0.5) or 0.0
    seen_hz = told_hz if link.seen_hz is None else link.seen_hz
    cause = hello.reset.name.lower().replace("_", "-") if hello else "unknown"
    known = hello is None or hello.calibrated
    found: Sequence[tuple[Defect, object, Mapping[str, object]]] = (
        (Defect.NO_FRAMES, not link.frames and link.up, {}),
        (Defect.NO_ANSWERS, checkup.unanswered, {"times": times(checkup.unanswered)}),
        (Defect.LINK_LOST, link.losses, {"times": times(link.losses)}),
        (Defect.REBOOTED, link.reboots, {"times": times(link.reboots), "cause": cause}),
        (Defect.UNCALIBRATED, not known or m.FrameFlag.UNCALIBRATED in link.flags, {"url": url}),
        (Defect.BROKEN_FRAMES, link.broken, {"count": link.broken}),
        (Defect.LOST_MESSAGES, link.lost_messages, {"count": link.lost_messages}),
        (Defect.QUEUE_FULL, m.FrameFlag.QUEUE_FULL in link.flags, {}),
        (Defect.SCAN_LATE, m.FrameFlag.SCAN_LATE in link.flags, {}),
        (Defect.SLOW_SCAN, seen_hz < _SLOW_SCAN * told_hz, {"seen": round(seen_hz), "told": told_hz}),
        (Defect.SLOW_ANSWERS, answer_ms > _SLOW_MS, {"ms": round(answer_ms)}),
        (Defect.SELF_TEST, checkup.self_test and not checkup.absent, {"count": checkup.self_test}),
    )
    yield from (Finding(kind, values=values) for kind, is_so, values in found if is_so)
    yield from _supply_findings(checkup)
    for text in (_with_names(said, checkup.board.squares) for said in checkup.said):
        if not checkup.absent.intersection(re.findall(r"square (\w+)", text)):
            yield Finding(Defect.BOARD_SAYS, values={"text": text})


def unsteady_supply(board: BoardFile, readings: Sequence[int]) -> tuple[Finding, ...]:
    """Return that a divider reads now this, now that, if it does: an input in the air gives any half of a supply that it likes."""
    low, high = (min(readings), max(readings)) if readings else (0, 0)
    if high - low <= _SUPPLY_MOVED * high:
        return ()
    return (Finding(Defect.SUPPLY_UNSTEADY, values={"low": low, "high": high, "channel": board.scan.supply}),)


def _supply_findings(checkup: Checkup) -> Iterator[Finding]:
    now, then, used = checkup.supply or (HALF_SUPPLY,) * 3
    unsteady = unsteady_supply(checkup.board, checkup.supplies)
    if unsteady:
        yield from unsteady
    elif now not in SUPPLY_RANGE:
        yield Finding(Defect.SUPPLY_UNKNOWN, values={"counts": now, "channel": checkup.board.scan.supply})
    elif abs(now - used) * NEAR > used:
        yield Finding(Defect.SUPPLY_HELD, values={"now": now, "used": used, "channel": checkup.board.scan.supply})
    elif then in SUPPLY_RANGE and abs(now / then - 1.0) > _SUPPLY_MOVED:
        percent = round(100 * abs(now / then - 1.0))
        kind = Defect.SUPPLY_FAR if percent > _SUPPLY_FAR else Defect.SUPPLY_MOVED
        yield Finding(kind, values={"percent": percent, "way": "higher" if now > then else "lower"})


def _with_names(text: str, squares: Sequence[str]) -> str:
    """Return a firmware's text with the names of squares, of which it knows the numbers only."""

    def name(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"square {squares[number]}" if number < len(squares) else found[0]

    return re.sub(r"\bsquare (\d{1,3})\b", name, text)
