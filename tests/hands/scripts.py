"""Scripts of the page's grammar by number, drawn or counted, and the traces that they leave: up to three plies, on a grid of times.

Script `number` is the same each time, so that a run can be split, and continued where it was stopped. Positions are small and chosen so
that much can be taken for something else: neighbours, lines for scouts, pieces that could fill the same square.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

from firmware_bridge.messages import Reading
from referee.rules import RuleSet, load_rule_set
from referee.rules.values import Seat, Square
from tests.hands import grammar
from tests.hands.grammar import Change, Flicker, Ply, Position, Start, between

T = TypeVar("T")
GRID: tuple[int, ...] = (*range(50, 500, 50), *range(500, 1000, 100), *range(1000, 2501, 250))
"""Times in ms that hands take for something, from 50 to 2,500."""
COARSE: tuple[int, ...] = (50, 200, 450, 1000, 1700, 2500)
"""The same for the enumeration."""
COUNTED_LAYOUTS = (4, 5, 2, 0)
LONG_AGO, FOREVER = -1_000_000, 1_000_000
VISIBLE_MS = grammar.FLICKER_MS + grammar.SCAN_MS + 1
"""A square that is seen to change back sooner might have flickered: no script here."""
CLEAR_MS = 250
"""How far a flicker stays away from every change of its square."""
MOST_KEPT = 4000
"""Positions that a start may remember before it is made anew."""

SHOWS = ("both lifted", "swapped", "target first", "replaced under", "on top")

LAYOUTS = (
    ("a2 b2 | a5 b5", "a2 b2 a5 b5"),
    ("a2 a1 | a5 b5", ""),
    ("e2 f2 | e5 f5", "e2 e5"),
    ("a2 b3 f1 | a5 b6 f6", "f1 f6"),
    ("e1 f1 | e6 f6", "e1 f6"),
    ("d3 e2 | e5 d6", "d3"),
    ("d3 e3 | d4 e4", "e3"),
    ("e2 f2 f1 | e4 f5", ""),
    ("d2 | b5 e6", "d2"),
    ("d3 a1 | e4 f6", "d3 e4"),
    ("d1 d3 | e3 e5", "d1 e5"),
)
"""Red pieces, blue pieces; and those that may be scouts. The others are known to be miners."""


class Event(NamedTuple):
    """A piece comes to a square or leaves it."""

    ms: int
    piece: int
    square: Square
    comes: bool
    passing: bool = False
    """Whether the square is only on the way of a push, or where a piece is nudged to."""


class Script(NamedTuple):
    """A game of the grammar, as far as it goes, and what the sensors see of it."""

    start: Start
    plies: tuple[Ply, ...]
    """What was played; the last one is an attack if `attack`."""
    attack: bool
    trace: tuple[Change, ...]


class _UnplayableError(Exception):
    """What was drawn cannot be played: two pieces would meet on a square, or a hand would be in two places."""


class _Random:
    """Draws everything by chance."""

    grid = GRID
    early = tuple(-50 * count for count in range(1, grammar.EARLY_MS // 50 + 1))
    borders = (0, 50, 100, 150)

    def __init__(self, random: Random, fine: bool) -> None:
        self.random = random
        self._fine = fine
        self._late = random.random() < 0.25

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return self.random.choice(options)

    def time(self, options: Sequence[int]) -> int:
        """Return one of these times, or, where they are fine, any between the first and the last, often near to the last."""
        if not self._fine:
            return self.one(options)
        first, last = min(options), max(options)
        if self.chance(0.2):
            return last - self.random.randrange(min(30, last - first + 1))
        longer = self.one(options)
        return self.random.randint(max((one for one in options if one < longer), default=first), longer)

    def chance(self, share: float) -> bool:
        """Return whether something happens that happens with this share."""
        return self.random.random() < share

    def late_ms(self) -> int:
        """Return how late a change is seen."""
        return self.random.randint(0, grammar.NOISE_MS) if self._late else 0


class _Counted:
    """Draws what a number says: its digits are the choices, the first choice its lowest digit, so that no combination is left out."""

    grid = COARSE
    early = (-350, -100)
    borders = (50,)

    def __init__(self, number: int) -> None:
        self.left = number
        self._unusual = 1

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        self.left, digit = divmod(self.left, len(options))
        return options[digit]

    time = one

    def chance(self, share: float) -> bool:
        """Return whether something unusual happens: once in a script."""
        if not self._unusual or share >= 0.5:
            return bool(share >= 0.5 and self.one((False, True)))
        self._unusual -= self.one((0, 1))
        return not self._unusual

    def late_ms(self) -> int:
        """Return how late a change is seen: never."""
        return 0


@cache
def _rules() -> RuleSet:
    return load_rule_set(Path(__file__).with_name("small.toml"))


@cache
def _start(layout: int, colour: bool, turn: Seat) -> Start:
    armies, scouts = LAYOUTS[layout]
    return grammar.start(armies, scouts, colour, turn, _rules())


def start_of(layout: int, colour: bool, turn: Seat) -> Start:
    """Return a start, the same one each time until it remembers too much."""
    start = _start(layout, colour, turn)
    if start.kept > MOST_KEPT:
        _start.cache_clear()
    return start


def script(number: int, fine: bool = False) -> Script:
    """Return the random script of this number, its times from the grid or fine ones."""
    random = Random(number)
    while True:
        start = start_of(random.randrange(len(LAYOUTS)), random.random() < 0.5, random.choice([Seat.RED, Seat.BLUE]))
        try:
            return _Draft(_Random(random, fine), start, random.choice([1, 2, 2, 3, 3, 3, 3])).script()
        except _UnplayableError:
            continue


def counted_script(number: int) -> Script | None:
    """Return a script of the enumeration, None where the number is that of no script or of one that a lower number has."""
    draws = _Counted(number)
    start = start_of(draws.one(COUNTED_LAYOUTS), draws.one((True, False)), Seat.RED)
    try:
        found = _Draft(draws, start, draws.one((1, 2, 3))).script()
    except _UnplayableError:
        return None
    return None if draws.left else found


def flickers(number: int, drawn: Script) -> tuple[Flicker, ...]:
    """Return wrong readings for a script, alone and in bursts over several squares, none near a change of its square."""
    random = Random(-number - 1)
    found: list[Flicker] = []
    last = drawn.trace[-1].ms if drawn.trace else 0
    for _ in range(random.randint(1, 6)):
        ms = random.randint(-500, last + 1500)
        until = ms + random.randrange(10, grammar.FLICKER_MS + 1, 10)
        for square in random.sample(drawn.start.board.squares, random.choice((1, 1, 1, 3, 8))):
            changes = [one for one in drawn.trace if one.square == square]
            near = [change.ms for change in changes] + [one.ms for one in found if one.square == square]
            if any(abs(ms - one) < CLEAR_MS for one in near):
                continue
            seat = drawn.start.occupants.get(square)
            reading = drawn.start.reading(seat) if seat else Reading.EMPTY
            reading = next((change.reading for change in reversed(changes) if change.ms <= ms), reading)
            readings = {Reading.EMPTY, *map(drawn.start.reading, grammar.POLES)} - {reading}
            found.append(Flicker(ms, until, square, random.choice(sorted(readings, key=lambda one: one.value))))
    return tuple(found)


def hole(number: int, drawn: Script) -> range:
    """Return a time without frames, at least one change in it."""
    random = Random(-number - 2)
    length = random.randint(*grammar.HOLE_MS)
    begin = (random.choice(drawn.trace).ms if drawn.trace else 0) - random.randint(0, length - 1)
    return range(begin, begin + length)


def accident(number: int, drawn: Script) -> tuple[Change, ...]:
    """Return the trace of a script of which a sensor missed a change, or all from one on, or saw one later, or a magnet too many."""
    random = Random(-number - 3)
    trace = list(drawn.trace)
    sort = random.choice(("missed", "dead", "late", "ghost"))
    if sort == "ghost" or not trace:
        square = random.choice(sorted(drawn.start.squares, key=str))
        ms = random.randint(0, trace[-1].ms if trace else 0)
        reading = drawn.start.reading(random.choice([*grammar.POLES]))
        seen_ms = max(random.choice(GRID), VISIBLE_MS)
        trace += [Change(ms, square, reading), Change(ms + seen_ms, square, Reading.EMPTY)]
    else:
        one = random.choice(trace)
        if sort == "dead":
            trace = [change for change in trace if change.square != one.square or change.ms < one.ms]
        else:
            trace.remove(one)
            if sort == "late":
                trace.append(one._replace(ms=one.ms + random.choice(GRID)))
    shown = {square: drawn.start.reading(seat) for square, seat in drawn.start.occupants.items()}
    seen: list[Change] = []
    for change in sorted(trace, key=lambda change: change.ms):
        if shown.get(change.square, Reading.EMPTY) is not change.reading:
            shown[change.square] = change.reading
            seen.append(change)
    return tuple(seen)


class _Stroke(NamedTuple):
    """A stroke with what is to be known of it when the script is looked over."""

    piece: int
    source: Square
    target: Square
    left: int
    came: int
    number: int
    """Of its turn."""
    opened: Square
    """Where its attempt or ply began."""


_Look: TypeAlias = tuple[int, Square, int, int]


class _Draft:
    """One script while it is drawn."""

    def __init__(self, draws: _Random | _Counted, start: Start, plies: int) -> None:
        self.draws = draws
        self.start = start
        self.count = plies
        self.squares = list(start.occupants)
        """Where each piece stands once all that was drawn is done."""
        self.seats = list(start.occupants.values())
        self.events: list[Event] = []
        self.busy: dict[Seat, list[tuple[int, int]]] = {seat: [] for seat in grammar.POLES}
        """From when to when each player's hand has a look, an attempt or a ply to make."""
        self.strokes: list[_Stroke] = []
        self.looks: list[_Look] = []
        """The pieces that their owners look at, where they stand, from when to when."""
        self.nudges: list[tuple[int, int]] = []
        """The pieces that are nudged, and when."""
        self.unseen: list[tuple[Square, int, int]] = []
        """The squares over which a piece is pushed without being seen, from when to when: nothing may stand there."""
        self.plies: tuple[Ply, ...] = ()
        self.ends: list[tuple[int, int, int]] = []
        """The piece of each ply, when the ply began, and its end."""
        self.fighting: tuple[int, ...] = ()
        """Attacker and defender."""
        self.defender: list[tuple[int, Square, int]] = []
        """The defender of an attack, where it stood and when it was lifted."""
        self.under: tuple[Event, ...] = ()
        """An attacker that replaces the defender on its square at once."""

    def script(self) -> Script:
        """Return the script. Raises `_UnplayableError`."""
        attack, end = False, 0
        for number in range(self.count):
            position = self.start.after(self.plies)
            if position is None or not position.moves:
                break
            begin = end + self.wait() if self.plies else 0
            while self.draws.chance(0.1):
                begin = self.attempt(position, begin) + self.soon()
            if position.attacks and self.draws.chance(0.15):
                attack = True
                self.plies = (*self.plies, self.attacks(position, begin, end if number else LONG_AGO))
                break
            ply, end = self.move(position, begin)
            self.plies = (*self.plies, ply)
        if any(later[0] < earlier[1] + 50 for spans in self.busy.values() for earlier, later in pairwise(spans)):
            raise _UnplayableError  # a turn that was over before the player's last one
        for share in (0.42, 0.33):
            if not self.draws.chance(share):
                break
            self.fidget()
        self.look_over()
        return Script(self.start, self.plies, attack, self.trace())

    # ---- times

    def wait(self) -> int:
        """Return how long after a ply its reply begins; before 0: before the hand lets go."""
        if isinstance(self.draws, _Counted):
            return self.draws.time((*self.draws.early, *self.draws.grid))
        if self.draws.chance(0.15):
            return self.draws.time(self.draws.early)
        return self.draws.time(GRID[:4] if self.draws.chance(0.25) else GRID)

    def soon(self) -> int:
        """Return a time of the grid, more often a short one."""
        if isinstance(self.draws, _Counted):
            return self.draws.time(self.draws.grid)
        return self.draws.time(GRID[: self.draws.one([6, 12, len(GRID)])])

    def at_most(self, ms: int) -> int:
        """Return a time of the grid that is no longer."""
        return self.draws.time([one for one in self.draws.grid if one <= ms])

    def border(self) -> int:
        """Return the gap of a push at one border."""
        if self.draws.chance(0.2):
            return -self.at_most(grammar.DRAWN_MS)
        return self.draws.time(self.draws.borders)

    # ---- attempts and plies

    def attempt(self, position: Position, begin: int) -> int:
        """Draw an attempt; return when its hand is done."""
        source = self.draws.one(list(position.moves))
        targets = sorted(position.moves[source], key=str)
        stops = [self.draws.one(targets)]
        others = [one for one in targets if one != stops[0]]
        if others and self.draws.chance(0.3):
            stops.append(self.draws.one(others))
        self.excursion(source, [*stops, source], begin)
        return max(event.ms for event in self.events if event.piece == self.squares.index(source))

    def move(self, position: Position, begin: int) -> tuple[Ply, int]:
        """Draw a move; return it and its end."""
        source = self.draws.one(list(position.moves))
        targets = sorted(position.moves[source], key=str)
        stops = [self.draws.one(targets)]
        while self.draws.chance(0.25):
            if (before := self.draws.one(targets)) != stops[0]:
                stops.insert(0, before)
        begun, end = self.excursion(source, stops, begin)
        self.ends.append((self.squares.index(stops[-1]), begun, end))
        return Ply(source, stops[-1]), end

    def excursion(self, source: Square, stops: Sequence[Square], begin: int) -> tuple[int, int]:
        """Draw strokes from stop to stop, with rests; return when it began and when the piece came to the last stop."""
        piece, events, end = self.squares.index(source), len(self.events), begin
        for number, stop in enumerate(stops):
            if number:
                begin = end + self.at_most(grammar.REST_MS)
                if begin < max(event.ms for event in self.events[events:]) + 50:
                    raise _UnplayableError
            stood, drawn = self.squares[piece], len(self.events)
            end = self.stroke(piece, stop, begin)
            left = min(event.ms for event in self.events[drawn:] if not event.comes)
            self.strokes.append(_Stroke(piece, stood, stop, left, end, len(self.plies), source))
        times = [event.ms for event in self.events[events:]]
        self.busy[self.seats[piece]].append((min(times), max(times)))
        return min(times), end

    def stroke(self, piece: int, target: Square, begin: int) -> int:
        """Draw a stroke that is seen from `begin` on; return when the piece comes to its target."""
        source = self.squares[piece]
        way = between(source, target)
        if way is None or not self.start.squares.issuperset(way) or self.draws.chance(0.5):
            end = begin + self.draws.time([one for one in self.draws.grid if one >= grammar.CARRY_MS])
            self.events += [Event(begin, piece, source, False), Event(end, piece, target, True)]
        else:
            end = self.push(piece, (source, *way, target), begin)
        self.squares[piece] = target
        return end

    def push(self, piece: int, line: Sequence[Square], begin: int) -> int:
        """Draw a push along a line; each square on its way sees the piece or sees nothing."""
        seen = [line[0], *(square for square in line[1:-1] if self.draws.chance(0.6)), line[-1]]
        came, left_before, first = begin, begin, True
        for one, other in pairwise(seen):
            unseen = len(between(one, other) or ())
            gap = self.draws.time(range(50, (unseen + 1) * grammar.PUSH_MS + 1, 50)) if unseen else self.border()
            moves_on = came if first else came + self.at_most(grammar.PASSED_MS)
            left = moves_on - min(gap, 0) if first else moves_on
            if not first and left < left_before + 50:
                raise _UnplayableError
            if not first and left + gap < max(left_before, came) + 50:
                raise _UnplayableError
            came, left_before = left + gap, left
            self.events += [Event(left, piece, one, False), Event(came, piece, other, True, other != line[-1])]
            self.unseen += [(square, min(left, came), max(left, came)) for square in between(one, other) or ()]
            first = False
        return came

    # ---- attacks

    def attacks(self, position: Position, begin: int, before: int) -> Ply:
        """Draw an attack, with a run-up where there is a square for it; `before`: the end of the ply before it."""
        source = self.draws.one(list(position.attacks))
        target = self.draws.one(sorted(position.attacks[source], key=str))
        attacker, defender = self.squares.index(source), self.squares.index(target)
        way = between(source, target)
        first = None
        if way and self.draws.chance(0.5):
            first, end = self.excursion(source, [way[-1]], begin)
            begin = end + self.at_most(grammar.RUN_UP_MS)
            if begin < max(event.ms for event in self.events if event.piece == attacker) + 50:
                raise _UnplayableError
            since, _ = self.busy[self.seats[attacker]].pop()  # the hand goes on holding it
        else:
            since = begin
        self.busy[self.seats[attacker]].append((since, FOREVER))
        self.strokes.append(_Stroke(attacker, self.squares[attacker], target, begin, FOREVER, len(self.plies), source))
        show = self.draws.one(SHOWS)
        self.fighting = (attacker, defender)
        self.events.append(Event(begin, attacker, self.squares[attacker], False))
        begun = begin if first is None else first
        if show == "on top":
            self.ends.append((attacker, begun, FOREVER))
            return Ply(source, target)
        leaves = begin + self.soon()
        if show == "target first":
            leaves = begin - self.at_most(grammar.SWAP_MS[1] - 100)
        elif show == "both lifted" and self.draws.chance(0.5):
            leaves = begin - self.at_most(grammar.TARGET_FIRST_MS)
        touched = max((event.ms for event in self.events if event.piece == defender), default=LONG_AGO)
        mine = self.ends[-2][2] if len(self.ends) > 1 else LONG_AGO
        if leaves < begin:
            touched += grammar.TAKEN_FIRST_MS - 50
        if leaves < max(touched, before - grammar.EARLY_MS, mine) + 50:
            raise _UnplayableError
        if show == "both lifted":  # a swap tells it from a reply
            self.defender.append((defender, target, leaves))
        end = FOREVER
        if show == "replaced under":
            end = self.replaces_under(attacker, defender, leaves)
        else:
            self.events.append(Event(leaves, defender, target, False))
            if show != "both lifted":
                end = leaves + self.at_most(grammar.SWAP_MS[1])
                if end < begin + grammar.CARRY_MS:
                    raise _UnplayableError
                self.events.append(Event(end, attacker, target, True))
        self.ends.append((attacker, begun, end))
        return Ply(source, target)

    def replaces_under(self, attacker: int, defender: int, leaves: int) -> int:
        """Draw a defender from under its attacker; without colour its square may be empty for a moment. Return when it is done."""
        target = self.squares[defender]
        empty = not self.start.colour and self.draws.chance(0.5)
        comes = leaves + (self.draws.time([one for one in GRID if 100 <= one <= grammar.UNDER_MS]) if empty else 0)
        drawn = (Event(leaves, defender, target, False), Event(comes, attacker, target, True))
        self.under = () if empty else drawn
        self.events += drawn
        return comes

    # ---- looks and nudges

    def fidget(self) -> None:
        """Draw a look or nudge of any piece that stands long enough for it."""
        piece = self.draws.one(range(len(self.squares)))
        if piece in self.fighting:
            raise _UnplayableError
        mine = sorted((event for event in self.events if event.piece == piece), key=lambda event: event.ms)
        came = [
            (0, self.start_square(piece)),
            *((event.ms, event.square) for event in mine if event.comes and not event.passing),
        ]
        since, square = self.draws.one(came)
        begin = since + self.soon()
        if self.draws.chance(0.5):
            back = begin + max(100, self.soon())
            drawn = [Event(begin, piece, square, False), Event(back, piece, square, True)]
            self.looks.append((piece, square, begin, back))
            self.busy[self.seats[piece]].append((begin, back))
        else:
            drawn = self.nudge(piece, square, begin)
            self.nudges.append((piece, drawn[0].ms))
        first, last = min(event.ms for event in drawn), max(event.ms for event in drawn)
        seen_by = {self.start_square(piece)}
        for event in mine:
            if event.ms < first - 50:
                (seen_by.add if event.comes else seen_by.discard)(event.square)
            elif event.ms < last + 50:
                raise _UnplayableError
        if seen_by != {square} or (self.fighting and first >= max(event.ms for event in self.events)):
            raise _UnplayableError
        self.events += drawn

    def nudge(self, piece: int, square: Square, begin: int) -> list[Event]:
        """Return a nudge to a neighbour; its own square sees the piece all the time, or loses it."""
        beside = self.draws.one(sorted(self.start.board.neighbours(square), key=str))
        if self.draws.chance(0.2):
            gone = begin + max(100, self.at_most(grammar.NUDGED_MS))
            return [Event(begin, piece, beside, True, True), Event(gone, piece, beside, False)]
        gaps = self.border(), self.at_most(grammar.NUDGED_MS), self.border()
        out = begin - min(gaps[0], 0)
        there = out + gaps[0]
        back_out = there + gaps[1]
        back = back_out + gaps[2]
        if min(back_out, back) < max(out, there) + 50:
            raise _UnplayableError
        drawn = [Event(out, piece, square, False), Event(there, piece, beside, True, True)]
        return [*drawn, Event(back_out, piece, beside, False), Event(back, piece, square, True)]

    def start_square(self, piece: int) -> Square:
        """Return where a piece stands in the beginning."""
        return list(self.start.occupants)[piece]

    # ---- what the page forbids, or leaves out

    def look_over(self) -> None:
        """Raise `_UnplayableError` where a hand would do two things at once, or what the page leaves out of scripts."""
        for spans in self.busy.values():
            if any(later[0] < earlier[1] + 50 for earlier, later in pairwise(sorted(spans))):
                raise _UnplayableError
        for (_, begun, _), (_, _, end) in pairwise(self.ends):
            if end < begun:  # a reply that was over before its ply began
                raise _UnplayableError
        touched = [*self.nudges, *((piece, ms) for piece, _, ms, _ in self.looks)]
        for piece, _, end in self.ends:
            if any(other == piece and -50 < ms - end < grammar.AGAIN_MS for other, ms in touched):
                raise _UnplayableError
        for stroke, onward in pairwise(self.strokes):
            goes_on = onward.piece == stroke.piece and onward.number == stroke.number
            if goes_on and onward.source == stroke.target != stroke.opened and self.could_be_taken(stroke, onward.left):
                raise _UnplayableError
        for stroke in self.strokes:
            position = self.start.after(self.plies[: stroke.number])
            attacked = position.attacks.get(stroke.opened, frozenset()) if position else frozenset()
            for piece, square, begin, back in self.looks:
                meets = begin < stroke.came + 50 and stroke.left < back + 50
                if meets and self.seats[piece] is not self.seats[stroke.piece] and square in attacked:
                    raise _UnplayableError
        for one, other in permutations(self.looks, 2):
            if one[2] < other[3] + 50 and other[2] < one[3] + 50 and self.in_line(one, other):
                raise _UnplayableError

    def in_line(self, one: _Look, other: _Look) -> bool:
        """Return whether a piece that is looked at could attack another one at some time of the game."""
        plies = (self.plies[:number] for number in range(len(self.plies) + 1))
        positions = filter(None, map(self.start.after, plies))
        return any(other[1] in position.attacks.get(one[1], frozenset()) for position in positions)

    def could_be_taken(self, stroke: _Stroke, until: int) -> bool:
        """Return whether the other player lifts a piece that could take the one that a hand rests with."""
        after = self.start.after((*self.plies[: stroke.number], Ply(stroke.opened, stroke.target)))
        if after is None:
            return False
        since, seat = stroke.came + grammar.TAKEABLE_MS, self.seats[stroke.piece]
        lifts = [(one.piece, one.source, one.left) for one in self.strokes]
        lifts += [(piece, square, begin) for piece, square, begin, _ in self.looks]
        lifts += self.defender
        return any(
            self.seats[piece] is not seat
            and since <= ms < until + 50
            and stroke.target in after.attacks.get(square, frozenset())
            for piece, square, ms in lifts
        )

    # ---- what is seen

    def trace(self) -> tuple[Change, ...]:
        """Return the changes that sensors see. Raises `_UnplayableError` where two pieces would meet on a square."""
        on: dict[Square, int] = {square: piece for piece, square in enumerate(self.start.occupants)}
        stood: dict[Square, int] = {}
        spans: list[tuple[Square, int, int]] = []
        """Where something stood, from when to when."""
        changed: dict[Square, int] = {}
        seen: list[Change] = []
        for event in sorted(self.events, key=lambda event: (event.ms, event.comes)):
            shown = event in self.under
            if event.comes:
                if event.square in on and not shown:
                    raise _UnplayableError
                on[event.square] = event.piece
                stood[event.square] = event.ms
            elif on.get(event.square) != event.piece:
                raise _UnplayableError
            else:
                del on[event.square]
                spans.append((event.square, stood.get(event.square, LONG_AGO), event.ms))
                if shown:
                    continue
            if shown and not self.start.colour:
                continue
            ms = event.ms + self.draws.late_ms()
            if ms - changed.get(event.square, LONG_AGO) < VISIBLE_MS:
                raise _UnplayableError
            changed[event.square] = ms
            reading = self.start.reading(self.seats[event.piece]) if event.comes else Reading.EMPTY
            seen.append(Change(ms, event.square, reading))
        spans += [(square, stood.get(square, LONG_AGO), FOREVER) for square in on]
        for square, begin, until in self.unseen:
            if any(square == one and begin - 50 < gone and came < until + 50 for one, came, gone in spans):
                raise _UnplayableError
        return tuple(sorted(seen, key=lambda change: change.ms))
