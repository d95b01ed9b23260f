"""What hands and sensors may do: the limits and the words of docs/reference/hands.md, and the rules of the game where hands need them.

Everything in `tests/hands` but `__main__.py` and the tests is written from that page alone: it knows neither `referee.sensing` nor the
simulator. Times are board milliseconds as the sensors see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules import Game, Move, RulesError, RuleSet, rule_set
from referee.rules.values import Rank, Seat, Square

CARRY_MS = 200
"""The shortest time for which a carried piece is out of sight."""
DRAWN_MS = 1000
"""How long two neighbours may both see a piece that is drawn over their border."""
PUSH_MS = 150
"""The longest time for which a pushed piece is out of sight at a border."""
UNSEEN_MS = 150
"""How much longer that may be for each square on the way that saw nothing."""
PASSED_MS = 300
"""How long a square on the way of a push may see the piece."""
REST_MS = 1750
"""How long a hand may rest on a legal target and go on from there."""
NUDGED_MS = 600
"""How long a neighbour may see a nudged piece."""
EARLY_MS = 400
"""How long before the end of a ply its reply may begin."""
AGAIN_MS = 200
"""How soon after its ply a player may look at that piece."""
TAKEABLE_MS = 250
"""How long a hand may have rested when the other player lifts a piece that could take its piece, if it is to go on."""
RUN_UP_MS = 1200
"""How long an attacker stands on the square before its victim."""
TARGET_FIRST_MS = 1500
"""How long before the attacker the defender may leave."""
TAKEN_FIRST_MS = 250
"""How long a defender has stood at least that leaves before its attacker does."""
SWAP_MS = (30, 1000)
"""When the attacker may come to the defender's square, counted from when the defender left it."""
UNDER_MS = 300
"""How long a square may be empty, without colour, while the attacker replaces the defender on it."""
NOISE_MS = 25
"""How late a change may be seen."""
FLICKER_MS = 60
"""How long a square may read wrong without anybody seeing it as a change."""
SCAN_MS = 20
"""How often the checker's board is read: 50 times a second. What is seen for longer than a flicker and one frame is none."""
HOLE_MS = (200, 4000)
"""How long frames may be missing."""
HOLE_KNOWN_MS = 1100
"""How long they are missing before that is known."""
FINAL_MS = 3000
"""How long a ply on which all scripts agree may stay open behind its reply, or its end if nobody replies."""
ASK_MS = 2500
"""After how long a stillness the players are asked."""
ASK_AMID_HANDS_MS = 3500
"""How long after what nothing explains they may be asked though hands go on."""

POLES = {Seat.RED: Reading.RED, Seat.BLUE: Reading.BLUE}
_LETTERS = {Reading.EMPTY: "-", Reading.RED: "R", Reading.BLUE: "B"}


class Bounds(NamedTuple):
    """How the page's limits are taken where it leaves room.

    A ply is called wrong only by `NARROW`, under which the fewest scripts exist, and held back or asked about without need only by
    `WIDE`, under which the most exist: what the page leaves open is nobody's mistake.
    """

    noise_ms: int
    """By how much the time between two changes may differ from what the hands did."""
    overlap_counts: bool
    """Whether the time for which the neighbour sees the piece too counts as time for which a square on the way sees it."""
    looks_anywhere: bool
    """Whether a player may look at a piece that the piece in the opponent's hand could attack."""
    run_up_ms: int
    """How long an attacker may stand on the square before its victim: as the page says of a run-up, or as it says of every rest."""


NARROW = Bounds(noise_ms=NOISE_MS, overlap_counts=True, looks_anywhere=False, run_up_ms=RUN_UP_MS)
WIDE = Bounds(noise_ms=50, overlap_counts=False, looks_anywhere=True, run_up_ms=REST_MS)


class Change(NamedTuple):
    """The first frame that shows a square with another reading than before."""

    ms: int
    square: Square
    reading: Reading

    def __str__(self) -> str:
        return f"{self.square}{_LETTERS[self.reading]} {self.ms}"


class Flicker(NamedTuple):
    """A square that reads wrong for a moment; nobody sees it as a change."""

    ms: int
    until_ms: int
    square: Square
    reading: Reading


def trace_text(trace: Iterable[Change]) -> str:
    """Return a trace as the page writes it: `e4- 0, e5R 300`."""
    return ", ".join(map(str, trace))


def trace_of(text: str) -> tuple[Change, ...]:
    """Return the trace that `trace_text` writes so. Raises `ValueError` for any other text."""
    readings = {letter: reading for reading, letter in _LETTERS.items()}
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        if not (match := re.fullmatch(r"([a-j]\d+)([-RB]) (-?\d+)", part)):
            raise ValueError(f"no change: {part}")
        found.append(Change(int(match[3]), Square(match[1]), readings[match[2]]))
    return tuple(sorted(found, key=lambda change: change.ms))


class Ply(NamedTuple):
    """What a ply is in the criterion; whose it is follows from its number."""

    source: Square
    target: Square

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class Position(NamedTuple):
    """A board at the beginning of a turn: who is to move, and where each piece may go as far as everybody may know it."""

    game: Game
    seat: Seat
    moves: Mapping[Square, frozenset[Square]]
    attacks: Mapping[Square, frozenset[Square]]


class Start:
    """Where a trace begins: a position after which nothing was touched for long, and whether the sensors tell colours."""

    def __init__(
        self,
        pieces: Mapping[str, Seat],
        ranks: Mapping[str, Rank] | None = None,
        turn: Seat = Seat.RED,
        colour: bool = True,
        rules: RuleSet | None = None,
    ) -> None:
        self.colour = colour
        self.turn = turn
        rules = rules or rule_set("original")
        self.board = rules.board
        self.text = f"{sorted(pieces.items())} {turn} {colour}"
        self.occupants = {Square(name): seat for name, seat in pieces.items()}
        self.squares = frozenset(self.board.squares)
        known = {Square(name): rank for name, rank in (ranks or {}).items()}
        self._after: dict[tuple[Ply, ...], Position | None] = {(): _position(Game(rules, self.occupants, known, turn))}

    @property
    def kept(self) -> int:
        """How many positions it remembers."""
        return len(self._after)

    def seat(self, number: int) -> Seat:
        """Return whose ply that is, counted from 0."""
        return self.turn if number % 2 == 0 else next(seat for seat in POLES if seat is not self.turn)

    def after(self, plies: tuple[Ply, ...]) -> Position | None:
        """Return the position after these moves, None where the rules allow one of them nowhere."""
        if plies not in self._after:
            before = self.after(plies[:-1])
            self._after[plies] = None
            if before and plies[-1].target in before.moves.get(plies[-1].source, ()):
                game = before.game.copy()
                try:
                    game.play(Move(*plies[-1]))
                except RulesError:  # barred by a repetition rule: sensible for hands, and refused
                    return None
                self._after[plies] = _position(game)
        return self._after[plies]

    def reading(self, seat: Seat) -> Reading:
        """Return what a square with a piece of this seat reads."""
        return POLES[seat] if self.colour else Reading.RED


def start(
    armies: str, scouts: str = "", colour: bool = True, turn: Seat = Seat.RED, rules: RuleSet | None = None
) -> Start:
    """Return a start: red pieces before the bar, blue ones behind it; all are miners but `scouts`, which may be anything."""
    red, blue = armies.split("|")
    pieces = dict.fromkeys(red.split(), Seat.RED) | dict.fromkeys(blue.split(), Seat.BLUE)
    return Start(pieces, {name: Rank.MINER for name in pieces if name not in scouts.split()}, turn, colour, rules)


def _position(game: Game) -> Position:
    moves: dict[Square, set[Square]] = {}
    attacks: dict[Square, set[Square]] = {}
    for prospect in game.situation().prospects:
        kind = attacks if prospect.attack else moves
        kind.setdefault(prospect.source, set()).add(prospect.target)
    frozen = [{source: frozenset(targets) for source, targets in kind.items()} for kind in (moves, attacks)]
    return Position(game, game.turn, *frozen)


@cache
def between(one: Square, other: Square) -> tuple[Square, ...] | None:
    """Return the squares between two squares of a row or column (none between neighbours), None where they share neither."""
    columns, rows = (ord(one.name[0]), ord(other.name[0])), (int(one.name[1:]), int(other.name[1:]))
    if one == other or (columns[0] != columns[1] and rows[0] != rows[1]):
        return None
    across, up = direction(one, other)
    count = max(abs(columns[1] - columns[0]), abs(rows[1] - rows[0]))
    return tuple(Square(f"{chr(columns[0] + step * across)}{rows[0] + step * up}") for step in range(1, count))


def direction(one: Square, other: Square) -> tuple[int, int]:
    """Return the step, in columns and rows, that leads from a square towards another one of its row or column."""
    across, up = ord(other.name[0]) - ord(one.name[0]), int(other.name[1:]) - int(one.name[1:])
    return (across > 0) - (across < 0), (up > 0) - (up < 0)


def neighbours(one: Square, other: Square) -> bool:
    """Return whether two squares share a side."""
    return between(one, other) == ()
