"""What is computed once: for a board its moves and their consequences, for a rule set its masks and verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from referee.rules.actions import Move
from referee.rules.outcomes import Prospect
from referee.rules.values import Seat, Square

STEP, RUN, OTHER = 0, 1, 2
"""Kinds of moves: to a neighbour; further in a straight line; with a turn, or leaving flags behind (Stratego 4 only)."""

Plan: TypeAlias = tuple[Any, int, int, int, int, int, tuple[tuple[int, int], ...], tuple[int, ...]]
"""What a move means: tables it belongs to, source, target, kind, borders, touched squares, toggles, squares entered.

A toggle (square, bits) flips which neighbours of a square are free of the mover's side when the mover has gone.
"""

Ray: TypeAlias = tuple[int, int, tuple[tuple[int, int, Move], ...], int]
"""One direction from a square: first square, its view, then (square, view up to it, move) of the further ones, whole view."""


class BoardTables:
    """The board in integers. Square i is the i-th of `Board.squares`.

    All is made at the beginning, so that a referee takes no more memory after a thousand games than after one.
    """

    def __init__(
        self,
        squares: tuple[Square, ...],
        neighbours: Sequence[tuple[Square, ...]],
        rays: Sequence[tuple[tuple[Square, ...], ...]],
    ) -> None:
        self.squares = squares
        self.index: dict[Square, int] = {square: at for at, square in enumerate(squares)}
        self.near: list[tuple[int, ...]] = [tuple(self.index[square] for square in row) for row in neighbours]
        self.full: list[int] = [(1 << len(row)) - 1 for row in self.near]
        self._lines = [[[self.index[square] for square in ray] for ray in row] for row in rays]
        self._borders: dict[tuple[int, int], int] = {}
        for one, row in enumerate(self.near):
            for other in row:
                if one < other:
                    self._borders[one, other] = self._borders[other, one] = 1 << (len(self._borders) // 2)
        self._known: dict[tuple[object, ...], Move] = {}
        self._prospects: dict[int, tuple[Prospect, Prospect]] = {}
        self.lifts: list[tuple[tuple[int, int], ...]] = [
            tuple((near, 1 << self.near[near].index(at)) for near in row) for at, row in enumerate(self.near)
        ]
        self.steps: list[list[tuple[Move, ...]]] = [self._steps_from(at) for at in range(len(squares))]
        """By square and mask of its free neighbours the steps from there."""
        self.rays: list[tuple[Ray, ...]] = [
            tuple(self._ray(at, line) for line in lines) for at, lines in enumerate(self._lines)
        ]

    def _steps_from(self, at: int) -> list[tuple[Move, ...]]:
        by_mask: list[tuple[Move, ...]] = [()]
        for to in self.near[at]:
            move = self._make(at, (to,), ())
            by_mask += [(*moves, move) for moves in by_mask]
        return by_mask

    def _ray(self, at: int, line: list[int]) -> Ray:
        view, views = 0, []
        for square in line:
            view |= 1 << square
            views.append(view)
        rest = tuple((line[n], views[n], self._make(at, tuple(line[: n + 1]), ())) for n in range(1, len(line)))
        return (line[0], views[0], rest, view)

    def _make(self, source: int, path: tuple[int, ...], via: tuple[int, ...], leaving: tuple[Seat, ...] = ()) -> Move:
        """Make and keep the one instance of a move."""
        target = path[-1]
        name = (self.squares[source], self.squares[target], tuple(self.squares[at] for at in via), leaving)
        borders = 0
        for one, other in zip((source, *path), path, strict=False):
            borders |= self._borders[one, other]
        plan: Plan = (
            self,
            source,
            target,
            OTHER if via or leaving else RUN if len(path) > 1 else STEP,
            borders,
            1 << source | 1 << target,
            self._toggles(source, target),
            path,
        )
        move = Move(*name, _plan=plan)
        self._known[name] = move
        entered = tuple(self.squares[at] for at in path)
        quiet, attack = (Prospect(move.source, move.target, attack, entered, move.via) for attack in (False, True))
        self._prospects[id(move)] = quiet, attack  # own moves live as long as the board does
        return move

    def _toggles(self, source: int, target: int) -> tuple[tuple[int, int], ...]:
        bits: dict[int, int] = {}
        for gone in (source, target):
            for square, bit in self.lifts[gone]:
                bits[square] = bits.get(square, 0) ^ bit
        return tuple(bits.items())

    def move(
        self, source: Square, target: Square, via: tuple[Square, ...] = (), leaving: tuple[Seat, ...] = ()
    ) -> Move | None:
        """Give the one instance of a move, None where no path leads that way."""
        move = self._known.get((source, target, via, leaving))
        if move is not None:
            return move
        start, end = self.index.get(source), self.index.get(target)
        turns = [self.index.get(square) for square in via]
        if start is None or end is None or start == end:
            return None
        path: list[int] = []
        for goal in [*turns, end]:
            leg = self._leg(path[-1] if path else start, goal)
            if leg is None:
                return None
            path += leg
        if not leaving and not via:
            return None  # straight ones were all made at the beginning
        return self._make(start, tuple(path), tuple(at for at in turns if at is not None), leaving)

    def _leg(self, start: int, goal: int | None) -> list[int] | None:
        if goal in self.near[start]:
            return [goal]
        for line in self._lines[start]:
            if goal in line:
                return line[: line.index(goal) + 1]
        return None

    def own(self, move: Move) -> Move | None:
        """Give this board's instance of any equal move, None where there is none."""
        plan = move._plan
        if plan is not None and plan[0] is self:
            return move
        return self.move(move.source, move.target, move.via, move.leaving)

    def prospect(self, move: Move, attack: bool) -> Prospect:
        """Give the prospect of an own move of this board."""
        return self._prospects[id(move)][attack]


def bits_of(mask: int) -> Iterable[int]:
    """Give the places of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
