"""A board as a graph: squares, the borders between them, the lines along which a scout runs. Pure data, no pieces.

Lakes, the castle's ring and its turret are one mechanism: a *track* is a row or column of cells as the eye follows it; a
square stands in it by name, a lake as `~`. Two neighbouring squares of a track share a border. A line (what a scout runs
along) is the longest stretch of a track without lake, ring or turret, which are entered by single steps only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from referee.rules._bits.tables import BoardTables
from referee.rules.actions import Move
from referee.rules.errors import UnknownSquareError
from referee.rules.values import BySeat, Seat, Square

LAKE = "~"


@dataclass(frozen=True, slots=True)
class Shape:
    """Where a square is drawn: its left lower corner in squares from red's left corner, and its size."""

    column: float
    row: float
    width: float = 1.0
    height: float = 1.0


@dataclass(frozen=True, slots=True)
class Home:
    """What belongs to one seat: its set-up zone, and in Stratego 4 the recruitment space and the flag's start."""

    zone: tuple[Square, ...]
    recruitment: Square | None = None
    flag_start: Square | None = None


@dataclass(frozen=True, slots=True)
class Shot:
    """A target exactly three spaces away in a straight line, and the squares that the shot passes (lakes left out)."""

    target: Square
    between: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class BoardData:
    """All that a board file says, in real types; `Board` derives the rest."""

    name: str
    columns: int
    rows: int
    shapes: Mapping[Square, Shape]
    tracks: tuple[tuple[str, ...], ...]
    homes: BySeat[Home]
    lakes: Mapping[Square, Shape] = field(default_factory=dict)
    """By the name that a square there would have."""
    ring: Square | None = None
    turret: Square | None = None
    verified: bool = True
    source: str = ""


class Board:
    """The squares of one board, their order, borders and lines. Boards are never changed; compare them by identity."""

    __slots__ = ("_by_name", "_data", "_neighbours", "_rays", "_shots", "squares", "tables")

    def __init__(self, data: BoardData) -> None:
        self._data = data
        self.squares: tuple[Square, ...] = tuple(data.shapes)
        self._by_name = {square.name: square for square in self.squares}
        castle = {square for square in (data.ring, data.turret) if square is not None}
        self._neighbours: dict[Square, list[Square]] = {square: [] for square in self.squares}
        self._rays: dict[Square, list[tuple[Square, ...]]] = {square: [] for square in self.squares}
        self._shots: dict[Square, list[Shot]] = {square: [] for square in self.squares}
        for track in data.tracks:
            self._join(track)
            for line in self._lines_of(track, castle):
                self._add_rays(line)
            self._add_shots(track, castle)
        self.tables = BoardTables(
            self.squares,
            [tuple(self._neighbours[square]) for square in self.squares],
            [tuple(self._rays[square]) for square in self.squares],
        )

    def _join(self, track: Sequence[str]) -> None:
        for one, other in pairwise(track):
            if LAKE in (one, other) or one == other:
                continue
            a, b = self._by_name[one], self._by_name[other]
            if b not in self._neighbours[a]:
                self._neighbours[a].append(b)
                self._neighbours[b].append(a)

    def _lines_of(self, track: Sequence[str], castle: set[Square]) -> list[list[Square]]:
        lines: list[list[Square]] = [[]]
        for name in track:
            square = self._by_name.get(name)
            if square is None or square in castle:
                lines.append([])
            else:
                lines[-1].append(square)
        return [line for line in lines if len(line) > 1]

    def _add_rays(self, line: list[Square]) -> None:
        for at, square in enumerate(line):
            for ray in (line[at + 1 :], line[:at][::-1]):
                if ray:
                    self._rays[square].append(tuple(ray))

    def _add_shots(self, track: Sequence[str], castle: set[Square]) -> None:
        for way in (track, track[::-1]):
            for one, *middle, other in zip(way, way[1:], way[2:], way[3:], strict=False):
                between = tuple(self._by_name[name] for name in middle if name != LAKE)
                if LAKE in (one, other) or castle.intersection(between):
                    continue
                self._shots[self._by_name[one]].append(Shot(self._by_name[other], between))

    def __repr__(self) -> str:
        return f"Board({self.name})"

    @property
    def name(self) -> str:
        """The board's name, as rule sets say it."""
        return self._data.name

    @property
    def columns(self) -> int:
        """Width of the drawing in squares."""
        return self._data.columns

    @property
    def rows(self) -> int:
        """Height of the drawing in squares."""
        return self._data.rows

    @property
    def lakes(self) -> tuple[tuple[int, int], ...]:
        """The lakes' cells as (column, row), both from 0, row 0 being red's back row; a lake off the grid is a gap in the drawing."""
        places = [(shape.column, shape.row) for shape in self._data.lakes.values()]
        return tuple((int(column), int(row)) for column, row in places if column == int(column) and row == int(row))

    @property
    def lake_squares(self) -> tuple[Square, ...]:
        """The lakes by the names that squares there would have: a sensor under a lake may have such a name."""
        return tuple(self._data.lakes)

    def with_lakes(self, lakes: Collection[Square], *, name: str, verified: bool, source: str) -> Board:
        """Return this board with lakes where these squares are."""
        data = self._data
        names = {square.name for square in lakes}
        return Board(
            replace(
                data,
                name=name,
                verified=verified,
                source=source,
                shapes={square: shape for square, shape in data.shapes.items() if square not in lakes},
                tracks=tuple(tuple(LAKE if cell in names else cell for cell in track) for track in data.tracks),
                lakes={**data.lakes, **{square: data.shapes[square] for square in lakes}},
            )
        )

    def is_sensed_by(self, sensors: Collection[str]) -> bool:
        """Return whether every square has a sensor of its name, and every other sensor lies under a lake."""
        squares = {square.name for square in self.squares}
        return squares <= set(sensors) <= squares | {lake.name for lake in self.lake_squares}

    @property
    def verified(self) -> bool:
        """Whether the geometry stands in a booklet, in words or pictures, or somebody held it against a printed board."""
        return self._data.verified

    @property
    def source(self) -> str:
        """Where the geometry comes from; holds the word "unverified" where nobody has checked it."""
        return self._data.source

    @property
    def ring(self) -> Square | None:
        """The castle's outer ring, on boards with a castle."""
        return self._data.ring

    @property
    def turret(self) -> Square | None:
        """The castle's turret, on boards with a castle."""
        return self._data.turret

    @property
    def homes(self) -> BySeat[Home]:
        """Zone, recruitment space and flag start of every seat of the board."""
        return self._data.homes

    def square(self, name: str) -> Square:
        """Give the square of this name, or raise `UnknownSquareError`."""
        square = self._by_name.get(name)
        if square is None:
            raise UnknownSquareError(f"board {self.name} has no square {name!r}")
        return square

    def place(self, square: Square) -> tuple[float, float]:
        """Give column and row for drawing, both from 0, row 0 being red's back row; the corner of a bigger square."""
        shape = self._data.shapes[square]
        return (shape.column, shape.row)

    def shape(self, square: Square) -> tuple[float, float, float, float]:
        """Give the middle (x, y) of a square in squares from red's left corner, y away from red, then width and height."""
        shape = self._data.shapes[square]
        return (shape.column + shape.width / 2, shape.row + shape.height / 2, shape.width, shape.height)

    def neighbours(self, square: Square) -> tuple[Square, ...]:
        """Give the squares that share a border with this one."""
        return tuple(self._neighbours[square])

    def lines(self, square: Square) -> tuple[tuple[Square, ...], ...]:
        """Give the rays of a square: in each direction the squares that a run passes, nearest first."""
        return tuple(self._rays[square])

    def shots(self, square: Square) -> tuple[Shot, ...]:
        """Give what a cannon on this square can aim at: exactly three spaces away, never over the castle (booklet 004)."""
        return tuple(self._shots[square])

    def move(
        self, source: Square, target: Square, via: tuple[Square, ...] = (), leaving: tuple[Seat, ...] = ()
    ) -> Move | None:
        """Give the board's own instance of this move, None where no piece of any kind could go that way."""
        return self.tables.move(source, target, via, leaving)

    def path(self, move: Move) -> tuple[Square, ...]:
        """Give every square that a move enters, the target last; () where no piece could go that way."""
        own = self.tables.own(move)
        if own is None or own._plan is None:
            return ()
        return tuple(self.squares[at] for at in own._plan[-1])
