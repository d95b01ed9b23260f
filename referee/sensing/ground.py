"""The squares of one board by their number on the wire, how each army reads on them, and who could get where."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from firmware_bridge.messages import Reading
from referee.rules import Board
from referee.rules.values import Seat, Square
from referee.sensing.errors import BoardMismatchError

_MAGNETS = (Reading.RED, Reading.BLUE)


class Ground:
    """Translates between squares and their numbers, between seats and readings. Never changes."""

    __slots__ = ("_lakes", "_lines", "_near", "_owners", "_readings", "colour", "number", "squares")

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
        self._lines: list[list[list[int]]] = []
        if board is not None:
            self._survey(board)

    def _survey(self, board: Board) -> None:
        number = self.number
        near = {square: board.neighbours(square) for square in board.squares}
        lines = {square: board.lines(square) for square in board.squares}
        strangers = [square.name for square in self.squares if square not in {*near, *board.lake_squares}]
        if strangers:
            raise BoardMismatchError(f"board {board.name} has no square {strangers[0]!r}")
        self._lakes = [number[square] for square in board.lake_squares if square in number]
        self._near = [frozenset(number[n] for n in near.get(s, ()) if n in number) for s in self.squares]
        self._lines = [[[number[n] for n in ray if n in number] for ray in lines.get(s, ())] for s in self.squares]

    def _owners_by_zone(self, board: Board | None) -> dict[Square, Seat]:
        homes = board.homes if board is not None else {}
        return {square: seat for seat, home in homes.items() for square in home.zone if seat in self._readings}

    def reading(self, seat: Seat) -> Reading:
        """Give what this seat's pieces read as; raise `BoardMismatchError` for a seat without a pole."""
        try:
            return self._readings[seat]
        except KeyError:
            raise BoardMismatchError(f"seat {seat.value} has no pole on this board") from None

    def readings(self, occupants: Mapping[Square, Seat]) -> list[Reading]:
        """Give what every square should read; raise `BoardMismatchError` if a square or seat is not of this board."""
        expected = [Reading.EMPTY] * len(self.squares)
        for square, seat in occupants.items():
            if square not in self.number:
                raise BoardMismatchError(f"the board has no square {square.name!r}")
            expected[self.number[square]] = self.reading(seat)
        return expected

    def plain(self, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
        """Give a frame as this board means it: without colour every magnet reads the same, and nothing stands in a lake."""
        if self._lakes:
            dry = list(readings)
            for number in self._lakes:
                dry[number] = Reading.EMPTY
            readings = tuple(dry)
        if self.colour or Reading.BLUE not in readings:
            return readings
        return tuple(Reading.RED if reading == Reading.BLUE else reading for reading in readings)

    def whose(self, reading: Reading) -> Seat | None:
        """Give whose piece a magnet is if its pole alone tells, else None."""
        seats = [seat for seat, pole in self._readings.items() if pole == reading]
        return seats[0] if len(seats) == 1 else None

    def owner(self, square: int, reading: Reading) -> Seat:
        """Give whose piece a magnet is: by its pole where that decides, else by the zone it stands in, else the first seat's."""
        seats = [seat for seat, pole in self._readings.items() if pole == reading] or list(self._readings)
        zone = self._owners.get(self.squares[square])
        return zone if zone in seats else seats[0]

    def reaches(self, source: int, target: int, blocked: Container[int], *, turning: bool = True) -> bool:
        """Whether some piece could get from source to target in one turn: along a clear line, or with `turning` by two steps.

        Without a board to look at, everything counts as within reach: then more is waited for, and nothing is guessed.
        """
        if self._near is None or target in self._near[source]:
            return True
        for ray in self._lines[source]:
            for square in ray:
                if square == target:
                    return True
                if square in blocked:
                    break
        return turning and any(middle not in blocked and target in self._near[middle] for middle in self._near[source])
