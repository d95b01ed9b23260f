"""Shared by the tests of the rules: positions written as text, and a slow second referee that shares no code with the first."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import pytest

from referee.rules import CombatResult, Game, Move, RuleSet, rule_set
from referee.rules.ruleset import Repetition
from referee.rules.values import Rank, Seat, Square

Placed = dict[Square, tuple[Seat, Rank]]


PATHS: dict[tuple[str, Square, Square], list[Square] | None] = {}
WAYS: dict[tuple[str, Square], list[tuple[Square, list[Square]]]] = {}


class SlowReferee:
    """Two seats, moves only, all ranks known: rules.md sections 2 to 5 written down again without any cleverness."""

    def __init__(self, rules: RuleSet, placed: Placed) -> None:
        self.rules, self.board = rules, rules.board
        self.names = {square: number for number, square in enumerate(placed)}
        self.pieces = {self.names[square]: (seat, rank, square) for square, (seat, rank) in placed.items()}
        self.turn = rules.seats[0]
        self.turns: dict[Seat, list[tuple[int, frozenset[frozenset[Square]], Square]]] = {s: [] for s in rules.seats}
        self.chases: dict[Seat, list[dict[int, Square]] | None] = {seat: None for seat in rules.seats}  # noqa: C420 - mypy
        self.ended_at: dict[Seat, Square] = {}
        self.situations = [self.positions()]
        self.over: tuple[Seat | None, str] | None = None

    def at(self, square: Square) -> int | None:
        """Return the piece on a square."""
        return next((name for name, piece in self.pieces.items() if piece[2] == square), None)

    def path(self, source: Square, target: Square) -> list[Square] | None:
        """Return the squares from source to target along a line, lakes and grid taken from the drawing alone."""
        key = (self.board.name, source, target)
        if key not in PATHS:
            PATHS[key] = self.walk(source, target)
        return PATHS[key]

    def walk(self, source: Square, target: Square) -> list[Square] | None:
        """Find the path that `path` remembers."""
        (x, y), (u, v) = self.board.place(source), self.board.place(target)
        if (x != u) == (y != v):
            return None
        step = (int(u > x) - int(u < x), int(v > y) - int(v < y))
        by_place = {self.board.place(square): square for square in self.board.squares}
        found = []
        while (x, y) != (u, v):
            x, y = x + step[0], y + step[1]
            if (x, y) not in by_place:
                return None
            found.append(by_place[x, y])
        return found

    def basic(self, seat: Seat) -> list[tuple[Square, Square]]:
        """Return every basic move of a seat, bars not counted."""
        found = []
        owners = {square: owner for owner, _, square in self.pieces.values()}
        for owner, rank, source in self.pieces.values():
            if owner is not seat or rank in (Rank.BOMB, Rank.FLAG):
                continue
            for target, path in self.ways(source):
                if owners.get(target) is seat or (len(path) > 1 and rank is not Rank.SCOUT):
                    continue
                if not any(square in owners for square in path[:-1]):
                    found.append((source, target))
        return found

    def ways(self, source: Square) -> list[tuple[Square, list[Square]]]:
        """Return every square that a line leads to from here, with its path."""
        key = (self.board.name, source)
        if key not in WAYS:
            WAYS[key] = [(to, path) for to in self.board.squares if (path := self.path(source, to)) is not None]
        return WAYS[key]

    def borders(self, source: Square, target: Square) -> frozenset[frozenset[Square]]:
        """Return the borders that a move crosses."""
        path = [source, *(self.path(source, target) or [])]
        return frozenset(frozenset(pair) for pair in pairwise(path))

    def enemies_beside(self, square: Square, seat: Seat) -> bool:
        """Return whether an enemy of a seat stands next to a square."""
        return any(
            len(self.path(square, where) or "..") == 1 for owner, _, where in self.pieces.values() if owner is not seat
        )

    def positions(self, moved: int | None = None, to: Square | None = None) -> dict[int, Square]:
        """Return where the tracked pieces stand, one of them perhaps elsewhere."""
        return {name: to if name == moved and to else square for name, (_, _, square) in self.pieces.items()}

    def bar(self, source: Square, target: Square) -> str | None:
        """Return the repetition rule that bars a basic move."""
        piece = self.at(source)
        assert piece is not None
        last = self.turns[self.turn][-self.rules.two_square_limit :]
        if len(last) == self.rules.two_square_limit and all(turn[0] == piece for turn in last):
            crossed = frozenset.intersection(*(turn[1] for turn in last))
            if crossed & self.borders(source, target):
                return "two-squares"
        if self.rules.repetition is Repetition.SITUATION:
            again = self.at(target) is None and self.positions(piece, target) in self.situations
            return "situation" if again else None
        chase = None if self.rules.repetition is Repetition.NONE else self.chases[self.turn]
        if chase is None or self.at(target) is not None or not self.enemies_beside(target, self.turn):
            return None
        if self.positions(piece, target) not in chase:
            return None
        if self.rules.repetition is Repetition.PURSUIT_EXACT:
            return "chase"
        straight_back = self.turns[self.turn][-1][0] == piece and self.turns[self.turn][-1][2] == target
        return None if straight_back else "chase"

    def legal(self) -> list[tuple[Square, Square]]:
        """Return every legal move of the seat to move."""
        return [move for move in self.basic(self.turn) if self.bar(*move) is None]

    def lost_army(self) -> Seat | None:
        """Return the seat that alone has only bombs and flag left, where that loses at once."""
        if self.rules.option("army_lost", "own-turn") == "own-turn":
            return None
        alive = {owner for owner, rank, _ in self.pieces.values() if rank not in (Rank.BOMB, Rank.FLAG)}
        lost = [seat for seat in self.rules.seats if seat not in alive]
        return lost[0] if len(lost) == 1 else None

    def play(self, source: Square, target: Square) -> None:
        """Carry out a legal move."""
        me = self.turn
        foe = next(seat for seat in self.rules.seats if seat is not me)
        piece, other = self.at(source), self.at(target)
        assert piece is not None
        self.turns[me].append((piece, self.borders(source, target), source))
        evaded = foe in self.ended_at and len(self.path(source, self.ended_at[foe]) or "..") == 1
        result = None
        if other is not None:
            result = self.rules.combat(self.pieces[piece][1], self.pieces[other][1])
            if result in (CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST):
                del self.pieces[piece]
            if result is not CombatResult.DEFENDER_WINS:
                del self.pieces[other]
        if piece in self.pieces:  # it moved, or it won
            self.pieces[piece] = (*self.pieces[piece][:2], target)
        threat = self.enemies_beside(target, me)
        if other is not None:
            self.chases = {foe: None, me: [self.positions()] if threat else None}
        else:
            theirs, mine = self.chases[foe], self.chases[me]
            self.chases[foe] = [*theirs, self.positions()] if theirs is not None and evaded else None
            self.chases[me] = [*(mine or []), self.positions()] if threat else None
        self.situations.append(self.positions())
        self.ended_at[me] = target
        self.turn = foe
        if result is CombatResult.FLAG_TAKEN:
            self.over = (me, "flag")
        elif (lost := self.lost_army()) is not None:
            self.over = (next(seat for seat in self.rules.seats if seat is not lost), "immobile")
        elif not self.basic(me) and not self.basic(foe):
            self.over = (None, "both-immobile")
        elif not self.legal():
            self.over = (me, "immobile")


def read_placed(text: str, rules: RuleSet) -> Placed:
    """Return the pieces of words like `r:d4=scout`."""
    seats = {"r": Seat.RED, "b": Seat.BLUE, "g": Seat.GREEN, "y": Seat.YELLOW}
    placed = {}
    for word in text.split():
        seat, _, rest = word.partition(":")
        square, _, rank = rest.partition("=")
        placed[rules.board.square(square)] = (seats[seat], Rank(rank))
    return placed


def known_game(rules: RuleSet, placed: Placed, turn: Seat | None = None) -> Game:
    """Return a game with all ranks known."""
    ranks = {square: rank for square, (_, rank) in placed.items()}
    return Game(rules, {square: seat for square, (seat, _) in placed.items()}, ranks, turn)


def random_set_up(rules: RuleSet, rng: random.Random) -> Placed:
    """Return random set-ups of all seats."""
    placed: Placed = {}
    for seat in rules.seats:
        army = [rank for rank, count in rules.army.items() for _ in range(count)]
        squares = rng.sample(rules.zone(seat), len(army))
        placed |= {square: (seat, rank) for square, rank in zip(squares, army, strict=True)}
    return placed


@pytest.fixture
def original() -> RuleSet:
    """Return Original."""
    return rule_set("original")


@pytest.fixture
def game_of() -> Callable[..., Game]:
    """Return a maker of games with all ranks known: `game_of("r:a4=scout b:a7=flag", rules?, turn?)`."""

    def make(text: str, rules: RuleSet | None = None, turn: Seat | None = None) -> Game:
        rules = rules or rule_set("original")
        return known_game(rules, read_placed(text, rules), turn)

    return make


@pytest.fixture
def moves_of() -> Callable[..., list[Move]]:
    """Return a reader of moves: `moves_of("a4-a5 b7-b6")`."""

    def read(text: str) -> list[Move]:
        return [Move(Square(one), Square(other)) for one, other in (word.split("-") for word in text.split())]

    return read


@pytest.fixture
def slow_referee() -> type[SlowReferee]:
    """Return the second referee."""
    return SlowReferee


@pytest.fixture
def set_ups() -> Callable[[RuleSet, random.Random], Placed]:
    """Return the maker of random set-ups."""
    return random_set_up


@pytest.fixture
def start() -> Callable[..., Game]:
    """Return the maker of games from placed pieces."""
    return known_game


@pytest.fixture
def four(game_of: Callable[..., Game]) -> Callable[..., Game]:
    """Return a maker of positions for four; seats that are not named still have a piece far away, so that nobody is out."""

    def make(text: str, name: str = "stratego4", turn: Seat | None = None) -> Game:
        far = {"r:": "d1", "b:": "a10", "g:": "j13", "y:": "m4"}
        missing = [f"{seat}{square}=sergeant" for seat, square in far.items() if seat not in text]
        return game_of(" ".join([text, *missing]), rule_set(name), turn)

    return make
