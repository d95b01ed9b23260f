"""A board as a graph: squares, the borders between them, the lines along which a scout runs. Pure data, no pieces.

Lakes, the castle's ring and its turret are one mechanism: a *track* is a row or column of cells as the eye follows it; a
square stands in it by name, a lake as `~`. Two neighbouring squares of a track share a border. A line (what a scout runs
along) is the longest stretch of a track without lake, ring or turret, which are entered by single steps only.

A board makes its moves once, each with its plan in integers (`actions.Plan`): judging and playing one is then a few
look-ups, and a referee takes no more memory after a thousand games than after one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeAlias

from referee.rules.actions import OTHER, RUN, STEP, Move, Plan
from referee.rules.outcomes import UnknownSquareError
from referee.rules.values import BySeat, Seat, Square

LAKE = "~"

Ray: TypeAlias = tuple[int, int, tuple[tuple[int, int, Move], ...], int]
"""One direction from a square: first square, its view, then (square, view up to it, move) of the further ones, whole view.

A view is the bits of the squares that a runner sees on its way.
"""


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


@dataclass(eq=False, repr=False)
class Board:
    """The squares of one board, their order, borders, lines and moves. Boards are never changed; compare them by identity.

    The fields are what a board file says, the rest is derived. The public side speaks of squares; `index` to `rays` are the same in
    integers for the rules (square i is the i-th of `squares`).
    """

    name: Final[str]
    columns: Final[int]
    """Width of the drawing in squares."""
    rows: Final[int]
    """Height of the drawing in squares."""
    shapes: Final[Mapping[Square, Shape]]
    tracks: Final[Sequence[tuple[str, ...]]]
    homes: Final[BySeat[Home]]
    lake_squares: Final[Mapping[Square, Shape]] = field(default_factory=dict)
    """By the name that a square there would have: a sensor under a lake may have such a name."""
    ring: Final[Square | None] = None
    """The castle's outer ring, on boards with a castle."""
    turret: Final[Square | None] = None
    """The castle's turret, on boards with a castle."""
    verified: Final[bool] = True
    """Whether the geometry is in a booklet, in words or pictures, or somebody compared it with a printed board."""
    source: Final[str] = ""
    """Where the geometry comes from; holds the word "unverified" where nobody has checked it."""

    def __post_init__(self) -> None:
        self.squares: tuple[Square, ...] = tuple(self.shapes)
        self._by_name = {square.name: square for square in self.squares}

        self.index: dict[Square, int] = {square: at for at, square in enumerate(self.squares)}
        self._known: dict[tuple[object, ...], Move] = {}
        near: list[list[int]] = [[] for _ in self.squares]
        self._lines: list[list[list[int]]] = [[] for _ in self.squares]
        self._shots: list[list[Shot]] = [[] for _ in self.squares]
        for track in self.tracks:
            cells = [None if name == LAKE else self.index[self._by_name[name]] for name in track]
            self._join(cells, near)
            self._add_lines(cells)
            self._add_shots(cells)
        self._borders: dict[tuple[int, int], int] = {}
        for one, row in enumerate(near):
            for other in row:
                if one < other:
                    self._borders[one, other] = self._borders[other, one] = 1 << (len(self._borders) // 2)
        self.near: list[tuple[int, ...]] = [tuple(row) for row in near]
        """By square its neighbours; a mask of them has bit n for the n-th."""
        self._neighbours = [tuple(self.squares[at] for at in row) for row in near]
        self._rays = [tuple(tuple(self.squares[at] for at in line) for line in lines) for lines in self._lines]
        self.full: list[int] = [(1 << len(row)) - 1 for row in near]
        """By square the mask of all its neighbours."""
        self.lifts: list[tuple[tuple[int, int], ...]] = [
            tuple((other, 1 << near[other].index(at)) for other in row) for at, row in enumerate(near)
        ]
        """By square in whose masks it is, and with which bit."""
        self.steps: list[list[tuple[Move, ...]]] = [self._steps_from(at) for at in range(len(near))]
        """By square and mask of its free neighbours the steps from there."""
        self.rays: list[tuple[Ray, ...]] = [
            tuple(self._ray(at, line) for line in lines) for at, lines in enumerate(self._lines)
        ]

    def __repr__(self) -> str:
        return f"Board({self.name})"

    # ---- what the tracks say

    def _join(self, cells: Sequence[int | None], near: list[list[int]]) -> None:
        for one, other in pairwise(cells):
            if one is not None and other is not None and one != other and other not in near[one]:
                near[one].append(other)
                near[other].append(one)

    def _add_lines(self, cells: Sequence[int | None]) -> None:
        stretches: list[list[int]] = [[]]
        for cell in cells:
            if cell is None or self._is_castle(cell):
                stretches.append([])
            else:
                stretches[-1].append(cell)
        for stretch in stretches:
            for at, square in enumerate(stretch):
                self._lines[square] += [ray for ray in (stretch[at + 1 :], stretch[:at][::-1]) if ray]

    def _add_shots(self, cells: Sequence[int | None]) -> None:
        for way in (cells, cells[::-1]):
            for one, *middle, other in zip(way, way[1:], way[2:], way[3:], strict=False):
                between = [cell for cell in middle if cell is not None]
                if one is not None and other is not None and not any(map(self._is_castle, between)):
                    self._shots[one].append(Shot(self.squares[other], tuple(self.squares[at] for at in between)))

    def _is_castle(self, cell: int) -> bool:
        return self.squares[cell] in (self.ring, self.turret)

    # ---- squares

    @property
    def lakes(self) -> tuple[tuple[int, int], ...]:
        """The lakes' cells as (column, row), both from 0, row 0 being red's back row; a lake off the grid is a gap in the drawing."""
        places = [(shape.column, shape.row) for shape in self.lake_squares.values()]
        return tuple((int(column), int(row)) for column, row in places if column == int(column) and row == int(row))

    def with_lakes(self, lakes: Collection[Square], *, name: str, verified: bool, source: str) -> Board:
        """Return this board with lakes where these squares are."""
        names = {square.name for square in lakes}
        return replace(
            self,
            name=name,
            verified=verified,
            source=source,
            shapes={square: shape for square, shape in self.shapes.items() if square not in lakes},
            tracks=[tuple(LAKE if cell in names else cell for cell in track) for track in self.tracks],
            lake_squares={**self.lake_squares, **{square: self.shapes[square] for square in lakes}},
        )

    def is_sensed_by(self, sensors: Collection[str]) -> bool:
        """Return whether every square has a sensor of its name, and every other sensor lies under a lake."""
        squares = {square.name for square in self.squares}
        return squares <= set(sensors) <= squares | {lake.name for lake in self.lake_squares}

    def square(self, name: str) -> Square:
        """Return the square of this name; raises `UnknownSquareError`."""
        square = self._by_name.get(name)
        if square is None:
            raise UnknownSquareError(f"board {self.name} has no square {name!r}")
        return square

    def place(self, square: Square) -> tuple[float, float]:
        """Return column and row for drawing, both from 0, row 0 being red's back row; the corner of a bigger square."""
        shape = self.shapes[square]
        return (shape.column, shape.row)

    def shape(self, square: Square) -> tuple[float, float, float, float]:
        """Return the middle (x, y) of a square in squares from red's left corner, y away from red, then width and height."""
        shape = self.shapes[square]
        return (shape.column + shape.width / 2, shape.row + shape.height / 2, shape.width, shape.height)

    def neighbours(self, square: Square) -> tuple[Square, ...]:
        """Return the squares that share a border with this one."""
        return self._neighbours[self.index[square]]

    def lines(self, square: Square) -> tuple[tuple[Square, ...], ...]:
        """Return the rays of a square: in each direction the squares that a run passes, nearest first."""
        return self._rays[self.index[square]]

    def shots(self, square: Square) -> tuple[Shot, ...]:
        """Return what a cannon on this square can aim at: exactly three spaces away, never over the castle (booklet 004)."""
        return tuple(self._shots[self.index[square]])

    # ---- moves

    def move(
        self, source: Square, target: Square, via: tuple[Square, ...] = (), leaving: tuple[Seat, ...] = ()
    ) -> Move | None:
        """Return the board's own instance of this move, None where no piece of any kind could go that way."""
        move = self._known.get((source, target, via, leaving))
        if move is not None:
            return move
        if source == target or not (leaving or via):
            return None  # straight ones were all made at the beginning
        stops = [self.index.get(square) for square in (source, *via, target)]
        path: list[int] = []
        for start, goal in pairwise(stops):
            leg = [] if start is None or goal is None else self._leg(start, goal)
            if not leg:
                return None
            path += leg
        return self._make(self.index[source], tuple(path), via, leaving)

    def own(self, move: Move) -> Move | None:
        """Return this board's instance of any equal move, None where there is none."""
        if move.plan.board is self:
            return move
        return self.move(move.source, move.target, move.via, move.leaving)

    def path(self, move: Move) -> tuple[Square, ...]:
        """Return every square that a move enters, the target last; () where no piece could go that way."""
        own = self.own(move)
        return () if own is None else own.plan.entered

    def _leg(self, start: int, goal: int) -> list[int]:
        if goal in self.near[start]:
            return [goal]
        return next((line[: line.index(goal) + 1] for line in self._lines[start] if goal in line), [])

    def _make(
        self, source: int, path: tuple[int, ...], via: tuple[Square, ...] = (), leaving: tuple[Seat, ...] = ()
    ) -> Move:
        """Make and keep the one instance of a move."""
        target, borders = path[-1], 0
        for border in pairwise((source, *path)):
            borders |= self._borders[border]
        kind = OTHER if via or leaving else RUN if len(path) > 1 else STEP
        plan = Plan(self, source, target, kind, borders, path, tuple(self.squares[at] for at in path))
        name = (self.squares[source], self.squares[target], via, leaving)
        move = self._known[name] = Move(*name, plan=plan)
        return move

    def _steps_from(self, at: int) -> list[tuple[Move, ...]]:
        by_mask: list[tuple[Move, ...]] = [()]
        for to in self.near[at]:
            move = self._make(at, (to,))
            by_mask += [(*moves, move) for moves in by_mask]
        return by_mask

    def _ray(self, at: int, line: list[int]) -> Ray:
        view, views = 0, []
        for square in line:
            view |= 1 << square
            views.append(view)
        rest = tuple((line[n], views[n], self._make(at, tuple(line[: n + 1]))) for n in range(1, len(line)))
        return (line[0], views[0], rest, view)
