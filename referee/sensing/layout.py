"""A board and a position as the sensors would show them: squares by their number on the wire, who could get where, what may be done.

`Ground` is one board: how each army reads on its squares. `Layout` is one position on it, `Change` what differs from it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules import Board, Prospect, Situation
from referee.rules.values import Seat, Square
from referee.sensing.observations import BoardMismatchError

_MAGNETS = (Reading.RED, Reading.BLUE)


class Ground:
    """Translates between squares and their numbers, between seats and readings. Never changes."""

    __slots__ = ("_lakes", "_lines", "_near", "_owners", "_readings", "_rows", "colour", "number", "squares")

    def __init__(
        self, squares: Sequence[Square], colour: bool, poles: Mapping[Seat, Reading], board: Board | None
    ) -> None:
        self.squares = tuple(squares)
        self.number = {square: number for number, square in enumerate(self.squares)}
        self.colour = colour
        if len(self.number) != len(self.squares):
            raise BoardMismatchError("a square stands twice in the wire order")
        for seat, pole in poles.items():
            if pole not in _MAGNETS:
                raise BoardMismatchError(f"{seat.value}'s pole must be RED or BLUE")
        self._readings = {seat: pole if colour else Reading.RED for seat, pole in poles.items()}
        self._owners = self._owners_by_zone(board)
        self._lakes: list[int] = []
        """Sensors under lakes: no piece belongs there, so what they show is no part of the game."""
        self._near: list[frozenset[int]] | None = None
        self._lines: list[frozenset[int]] = []
        self._rows: list[list[list[int]]] = []
        """From each square, the squares ahead of it in each direction, in their order."""
        if board is not None:
            self._survey(board)

    def _survey(self, board: Board) -> None:
        number = self.number
        near = {square: board.neighbours(square) for square in board.squares}
        strangers = [square.name for square in self.squares if square not in {*near, *board.lake_squares}]
        if strangers:
            raise BoardMismatchError(f"board {board.name} has no square {strangers[0]!r}")
        self._lakes = [number[square] for square in board.lake_squares if square in number]
        self._near = [frozenset(number[n] for n in near.get(s, ()) if n in number) for s in self.squares]
        self._rows = [
            [[number[n] for n in line if n in number] for line in (board.lines(s) if s in near else ())]
            for s in self.squares
        ]
        self._lines = [
            frozenset(one for line in rows for one in line) | near
            for rows, near in zip(self._rows, self._near, strict=True)
        ]

    def _owners_by_zone(self, board: Board | None) -> dict[Square, Seat]:
        homes = board.homes if board is not None else {}
        return {square: seat for seat, home in homes.items() for square in home.zone if seat in self._readings}

    def reading(self, seat: Seat) -> Reading:
        """Return what this seat's pieces read as; raise `BoardMismatchError` for a seat without a pole."""
        try:
            return self._readings[seat]
        except KeyError:
            raise BoardMismatchError(f"seat {seat.value} has no pole on this board") from None

    def readings(self, occupants: Mapping[Square, Seat]) -> list[Reading]:
        """Return what every square should read; raise `BoardMismatchError` if a square or seat is not of this board."""
        expected = [Reading.EMPTY] * len(self.squares)
        for square, seat in occupants.items():
            if square not in self.number:
                raise BoardMismatchError(f"the board has no square {square.name!r}")
            expected[self.number[square]] = self.reading(seat)
        return expected

    def plain(self, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
        """Return a frame as this board means it: without colour every magnet reads the same, and nothing stands in a lake."""
        if self._lakes:
            dry = list(readings)
            for number in self._lakes:
                dry[number] = Reading.EMPTY
            readings = tuple(dry)
        if self.colour or Reading.BLUE not in readings:
            return readings
        return tuple(Reading.RED if reading == Reading.BLUE else reading for reading in readings)

    def whose(self, reading: Reading) -> Seat | None:
        """Return whose piece a magnet is if its pole alone tells, else None."""
        seats = [seat for seat, pole in self._readings.items() if pole == reading]
        return seats[0] if len(seats) == 1 else None

    def owner(self, square: int, reading: Reading) -> Seat:
        """Return whose piece a magnet is: by its pole where that decides, else by the zone it stands in, else the first seat's."""
        seats = [seat for seat, pole in self._readings.items() if pole == reading] or list(self._readings)
        zone = self._owners.get(self.squares[square])
        return zone if zone in seats else seats[0]

    def straight(self, one: int, other: int) -> bool:
        """Return whether two squares lie in one row or column, or share a side (a ring is in no row), or nobody knows."""
        return self._near is None or one == other or other in self._lines[one]

    def passes(self, one: int, by: int, other: int) -> bool:
        """Return whether a square lies on the straight way between two others, or nobody knows."""
        return self._near is None or any(by in line and other in line[line.index(by) :] for line in self._rows[one])

    def beside(self, one: int, other: int) -> bool:
        """Return whether two squares share a side, or nobody knows."""
        return self._near is None or other in self._near[one]

    def near(self, square: int) -> frozenset[int]:
        """Return the squares that share a side with this one; none without a board to look at."""
        return self._near[square] if self._near is not None else frozenset()


class Change(NamedTuple):
    """What differs between a position and the board, by square number.

    `gone`: pieces of the position that are not there; `come`: magnets that the position does not have there. A square where
    another pole replaced the piece is in both.
    """

    gone: frozenset[int]
    come: frozenset[int]

    @property
    def squares(self) -> frozenset[int]:
        """All squares that differ."""
        return self.gone | self.come


NO_CHANGE = Change(frozenset(), frozenset())


class Layout:
    """One `Situation`, indexed. Prospects that differ in their path only are one for the sensors; all paths count for slides."""

    __slots__ = ("_after", "_crossed", "_next", "_onward", "expected", "ground", "moves", "occupants", "owners", "turn")

    def __init__(self, ground: Ground, situation: Situation) -> None:
        number = ground.number
        self.ground, self._after, self.occupants = ground, situation.after, situation.occupants
        self._next: dict[tuple[Square, Square], Layout] = {}
        self.turn = situation.turn
        self.expected = ground.readings(situation.occupants)
        self.owners: list[Seat | None] = [situation.occupants.get(square) for square in ground.squares]
        self.moves: dict[int, dict[int, Prospect]] = {}
        """Source, then target, to the prospect."""
        self._crossed: dict[tuple[int, int], set[int]] = {}
        self._onward: set[tuple[int, int]] = set()
        for prospect in situation.prospects:
            source, target = number[prospect.source], number[prospect.target]
            self.moves.setdefault(source, {}).setdefault(target, prospect)
            if len(prospect.path) > 1:
                between = [number[square] for square in prospect.path[:-1]]
                self._crossed.setdefault((source, target), set()).update(between)
                self._onward.update((source, square) for square in between)

    def change(self, settled: Sequence[Reading], masked: Container[int] = ()) -> Change:
        """Return what differs now, `masked` squares left out."""
        expected = self.expected
        if settled == expected:
            return NO_CHANGE
        pairs = enumerate(zip(expected, settled, strict=True))
        differing = [n for n, (want, have) in pairs if want != have and n not in masked]
        if not differing:
            return NO_CHANGE
        return Change(
            frozenset(n for n in differing if expected[n] != Reading.EMPTY),
            frozenset(n for n in differing if settled[n] != Reading.EMPTY),
        )

    def after(self, prospect: Prospect) -> Layout:
        """Return the position after a move of this one; after a move of which nothing follows, one in which it is nobody's turn."""
        move = prospect.source, prospect.target
        if move not in self._next:
            self._next[move] = Layout(self.ground, self._after(prospect) if self._after else Situation({}, None))
        return self._next[move]

    def follow(self, prospect: Prospect, after: Layout) -> None:
        """Take the game's own word for what the position is after that move."""
        self._next[prospect.source, prospect.target] = after

    def free(self, source: int) -> set[int]:
        """Return the squares to which the piece there may move, and where no other one stands."""
        return {target for target, prospect in self.moves.get(source, {}).items() if not prospect.attack}

    def mine(self, squares: frozenset[int]) -> list[int]:
        """Return those squares on which the side to move has its pieces."""
        return [square for square in squares if self.owners[square] is self.turn]

    def crossed(self, source: int, target: int) -> set[int]:
        """Return every square that a piece may touch on its way between the two."""
        return self._crossed.get((source, target), set())

    def goes_on(self, source: int, target: int) -> bool:
        """Return whether a piece from source, having come to target, could be on its way to a square beyond."""
        return (source, target) in self._onward
