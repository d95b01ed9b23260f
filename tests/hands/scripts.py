"""Scripts of the page's grammar by number, and the traces that they leave: up to three plies, on a grid of times.

Script `number` is the same each time, so that a run can be split, and continued where it was stopped. Positions are small and chosen so
that much can be taken for something else: neighbours, lines for scouts, pieces that could fill the same square.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules import RuleSet, load_rule_set
from referee.rules.values import Seat, Square
from tests.hands import grammar
from tests.hands.grammar import Change, Flicker, Ply, Position, Start, between

MOST_PLIES = 3
GRID: tuple[int, ...] = (*range(50, 500, 50), *range(500, 1000, 100), *range(1000, 2501, 250))
"""Times in ms that hands take for something, from 50 to 2,500."""
VISIBLE_MS = 70
"""A square that changes and changes back sooner might be a flicker: no script here."""
CLEAR_MS = 250
"""How far a flicker stays away from every change of its square."""
MOST_KEPT = 4000
"""Positions that a start may remember before it is made anew."""

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


def script(number: int) -> Script:
    """Return the script of this number."""
    random = Random(number)
    while True:
        start = start_of(random.randrange(len(LAYOUTS)), random.random() < 0.5, random.choice([Seat.RED, Seat.BLUE]))
        try:
            return _Draft(random, start).script()
        except _UnplayableError:
            continue


def flickers(number: int, drawn: Script) -> tuple[Flicker, ...]:
    """Return wrong readings for a script, none near a change of its square."""
    random = Random(-number - 1)
    found: list[Flicker] = []
    last = drawn.trace[-1].ms if drawn.trace else 0
    for _ in range(random.randint(1, 8)):
        square = random.choice(drawn.start.board.squares)
        ms = random.randint(-500, last + 1500)
        until = ms + random.randrange(10, grammar.FLICKER_MS + 1, 10)
        near = [one.ms for one in drawn.trace if one.square == square] + [
            one.ms for one in found if one.square == square
        ]
        if any(abs(ms - one) < CLEAR_MS for one in near):
            continue
        seat = drawn.start.occupants.get(square)
        reading = drawn.start.reading(seat) if seat else Reading.EMPTY
        for change in drawn.trace:
            if change.square == square and change.ms <= ms:
                reading = change.reading
        wrong = Reading.EMPTY if reading is not Reading.EMPTY else drawn.start.reading(random.choice([*grammar.POLES]))
        found.append(Flicker(ms, until, square, wrong))
    return tuple(found)


class _Draft:
    """One script while it is drawn."""

    def __init__(self, random: Random, start: Start) -> None:
        self.random = random
        self.start = start
        self.squares = list(start.occupants)
        """Where each piece stands once all that was drawn is done."""
        self.seats = list(start.occupants.values())
        self.events: list[Event] = []
        self.free: dict[Seat, int] = dict.fromkeys(grammar.POLES, 0)
        """From when on each player's hand has nothing to do."""
        self.fighting: tuple[int, ...] = ()
        """Attacker and defender."""
        self.under: tuple[Event, ...] = ()
        """An attacker that replaces the defender on its square at once."""

    def script(self) -> Script:
        """Return the script. Raises `_UnplayableError`."""
        plies: tuple[Ply, ...] = ()
        attack, end, begun = False, 0, 0
        for number in range(self.random.choice([1, 2, 2, 3, 3, 3, 3])):
            position = self.start.after(plies)
            if position is None or not position.moves:
                break
            begin = end + self.wait() if plies else 0
            begin = max(begin, self.free[position.seat] + 50 if number > 1 else begin, begun)
            begun = begin
            while self.random.random() < 0.1:
                begin = self.attempt(position, begin) + self.soon()
            if position.attacks and self.random.random() < 0.15:
                plies, attack = (*plies, self.attacks(position, begin)), True
                break
            ply, end = self.move(position, begin)
            plies = (*plies, ply)
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            self.fidget()
        return Script(self.start, plies, attack, self.trace())

    # ---- times

    def wait(self) -> int:
        """Return how long after a ply its reply begins; before 0: before the hand lets go."""
        kind = self.random.random()
        if kind < 0.15:
            return -50 * self.random.randint(1, grammar.EARLY_MS // 50)
        return self.random.choice(GRID[:4] if kind < 0.35 else GRID)

    def soon(self) -> int:
        """Return a time of the grid, more often a short one."""
        return self.random.choice(GRID[: self.random.choice([6, 12, len(GRID)])])

    def at_most(self, ms: int) -> int:
        """Return a time of the grid that is no longer."""
        return self.random.choice([one for one in GRID if one <= ms])

    def border(self) -> int:
        """Return the gap of a push at one border."""
        if self.random.random() < 0.2:
            return -self.at_most(grammar.DRAWN_MS)
        return self.random.choice([0, 50, 100, 150])

    # ---- attempts and plies

    def attempt(self, position: Position, begin: int) -> int:
        """Draw an attempt; return when its hand is done."""
        source = self.random.choice(list(position.moves))
        stops = self.random.sample(sorted(position.moves[source], key=str), 1)
        if len(position.moves[source]) > 1 and self.random.random() < 0.3:
            stops = self.random.sample(sorted(position.moves[source], key=str), 2)
        self.excursion(source, [*stops, source], begin)
        return self.free[position.seat]

    def move(self, position: Position, begin: int) -> tuple[Ply, int]:
        """Draw a move; return it and its end."""
        source = self.random.choice(list(position.moves))
        targets = sorted(position.moves[source], key=str)
        stops = [self.random.choice(targets)]
        while self.random.random() < 0.25:
            if (before := self.random.choice(targets)) != stops[0]:
                stops.insert(0, before)
        return Ply(source, stops[-1]), self.excursion(source, stops, begin)

    def excursion(self, source: Square, stops: Sequence[Square], begin: int) -> int:
        """Draw strokes from stop to stop, with rests; return when the piece came to the last one."""
        piece = self.squares.index(source)
        end = begin
        for number, stop in enumerate(stops):
            if number:
                begin = end + self.at_most(grammar.REST_MS)
                if begin < self.free[self.seats[piece]] + 50:
                    raise _UnplayableError
            end = self.stroke(piece, stop, begin)
        return end

    def stroke(self, piece: int, target: Square, begin: int) -> int:
        """Draw a stroke that is seen from `begin` on; return when the piece comes to its target."""
        source = self.squares[piece]
        way = between(source, target)
        if way is None or not self.start.squares.issuperset(way) or self.random.random() < 0.5:
            end = begin + max(grammar.CARRY_MS, self.soon())
            self.add(Event(begin, piece, source, False), Event(end, piece, target, True))
        else:
            end = self.push(piece, (source, *way, target), begin)
        self.squares[piece] = target
        return end

    def push(self, piece: int, line: Sequence[Square], begin: int) -> int:
        """Draw a push along a line; each square on its way sees the piece or sees nothing."""
        seen = [line[0], *(square for square in line[1:-1] if self.random.random() < 0.6), line[-1]]
        came, left_before, first = begin, begin, True
        for one, other in pairwise(seen):
            unseen = len(between(one, other) or ())
            gap = self.random.choice(range(50, (unseen + 1) * grammar.PUSH_MS + 1, 50)) if unseen else self.border()
            moves_on = came if first else came + self.at_most(grammar.PASSED_MS)
            left = moves_on - min(gap, 0) if first else moves_on
            if not first and left < left_before + 50:
                raise _UnplayableError
            if not first and left + gap < max(left_before, came) + 50:
                raise _UnplayableError
            came, left_before = left + gap, left
            self.add(Event(left, piece, one, False), Event(came, piece, other, True, other != line[-1]))
            first = False
        return came

    def add(self, *events: Event) -> None:
        """Take what a hand does to a piece; that hand is busy until then."""
        self.events += events
        seat = self.seats[events[0].piece]
        self.free[seat] = max(self.free[seat], *(event.ms for event in events))

    # ---- attacks

    def attacks(self, position: Position, begin: int) -> Ply:
        """Draw an attack, with a run-up where there is a square for it."""
        source = self.random.choice(list(position.attacks))
        target = self.random.choice(sorted(position.attacks[source], key=str))
        attacker, defender = self.squares.index(source), self.squares.index(target)
        way = between(source, target)
        if way and self.random.random() < 0.5:
            end = self.excursion(source, [way[-1]], begin)
            begin = end + self.at_most(1200)
            if begin < self.free[self.seats[attacker]] + 50:
                raise _UnplayableError
        show = self.random.choice(["both lifted", "swapped", "target first", "replaced under"])
        leaves = begin + self.soon()
        if show == "target first":
            leaves = begin - self.at_most(grammar.SWAP_MS[1] - 100)
        elif show == "both lifted" and self.random.random() < 0.3:
            leaves = begin - self.at_most(grammar.TARGET_FIRST_MS)
        touched = max((event.ms for event in self.events if event.piece == defender), default=-grammar.TARGET_FIRST_MS)
        if leaves < touched + 50:
            raise _UnplayableError
        self.fighting = (attacker, defender)
        self.add(Event(begin, attacker, self.squares[attacker], False))
        if show == "replaced under":
            self.under = (Event(leaves, defender, target, False), Event(leaves, attacker, target, True))
            self.events += self.under
            return Ply(source, target)
        self.events.append(Event(leaves, defender, target, False))
        if show != "both lifted":
            comes = leaves + self.at_most(grammar.SWAP_MS[1])
            if comes < begin + grammar.CARRY_MS:
                raise _UnplayableError
            self.events.append(Event(comes, attacker, target, True))
        return Ply(source, target)

    # ---- looks and nudges

    def fidget(self) -> None:
        """Draw a look or nudge of any piece that stands long enough for it."""
        piece = self.random.randrange(len(self.squares))
        if piece in self.fighting:
            raise _UnplayableError
        mine = sorted((event for event in self.events if event.piece == piece), key=lambda event: event.ms)
        came = [
            (0, self.start_square(piece)),
            *((event.ms, event.square) for event in mine if event.comes and not event.passing),
        ]
        since, square = self.random.choice(came)
        begin = since + self.soon()
        look = self.random.random() < 0.5
        gaps = (
            (max(100, self.soon()), 0, 0) if look else (self.border(), self.at_most(grammar.NUDGED_MS), self.border())
        )
        out = begin - min(gaps[0], 0)
        there = out + gaps[0]
        if look:
            drawn = [Event(out, piece, square, False), Event(there, piece, square, True)]
        else:
            beside = self.random.choice(sorted(self.start.board.neighbours(square), key=str))
            back_out = there + gaps[1]
            back = back_out + gaps[2]
            if min(back_out, back) < max(out, there) + 50:
                raise _UnplayableError
            drawn = [Event(out, piece, square, False), Event(there, piece, beside, True, True)]
            drawn += [Event(back_out, piece, beside, False), Event(back, piece, square, True)]
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

    def start_square(self, piece: int) -> Square:
        """Return where a piece stands in the beginning."""
        return list(self.start.occupants)[piece]

    # ---- what is seen

    def trace(self) -> tuple[Change, ...]:
        """Return the changes that sensors see. Raises `_UnplayableError` where two pieces would meet on a square."""
        late = self.random.random() < 0.25
        on: dict[Square, int] = {square: piece for piece, square in enumerate(self.start.occupants)}
        changed: dict[Square, int] = {}
        seen: list[Change] = []
        for event in sorted(self.events, key=lambda event: (event.ms, event.comes)):
            shown = event in self.under
            if event.comes:
                if event.square in on and not shown:
                    raise _UnplayableError
                on[event.square] = event.piece
            elif on.get(event.square) != event.piece:
                raise _UnplayableError
            else:
                del on[event.square]
                if shown:
                    continue
            if shown and not self.start.colour:
                continue
            if event.ms - changed.get(event.square, -VISIBLE_MS - 100) < VISIBLE_MS:
                raise _UnplayableError
            changed[event.square] = event.ms
            reading = self.start.reading(self.seats[event.piece]) if event.comes else Reading.EMPTY
            seen.append(Change(event.ms + (self.random.randint(0, 25) if late else 0), event.square, reading))
        return tuple(sorted(seen, key=lambda change: change.ms))
