"""A position as the sensors would show it, and what each piece of the side to move might do in it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules import Prospect, Situation
from referee.rules.values import Seat
from referee.sensing.ground import Ground


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

    __slots__ = ("_crossed", "_onward", "expected", "moves", "owners", "turn", "turning")

    def __init__(self, ground: Ground, situation: Situation) -> None:
        number = ground.number
        self.turn = situation.turn
        self.expected = ground.readings(situation.occupants)
        self.owners: list[Seat | None] = [situation.occupants.get(square) for square in ground.squares]
        self.moves: dict[int, dict[int, Prospect]] = {}
        """Source, then target, to the prospect."""
        self._crossed: dict[tuple[int, int], set[int]] = {}
        self._onward: set[tuple[int, int]] = set()
        self.turning = any(prospect.path_told for prospect in situation.prospects)
        """Whether a piece may turn a corner in one move (Stratego 4)."""
        for prospect in situation.prospects:
            source, target = number[prospect.source], number[prospect.target]
            self.moves.setdefault(source, {}).setdefault(target, prospect)
            between = [number[square] for square in prospect.path[:-1]]
            self._crossed.setdefault((source, target), set()).update(between)
            self._onward.update((source, square) for square in between)

    def change(self, settled: Sequence[Reading], masked: Container[int] = ()) -> Change:
        """Give what differs now, `masked` squares left out."""
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

    def mine(self, squares: frozenset[int]) -> list[int]:
        """Give those squares on which the side to move has its pieces."""
        return [square for square in squares if self.owners[square] is self.turn]

    def crossed(self, source: int, target: int) -> set[int]:
        """Give every square that a piece may touch on its way between the two."""
        return self._crossed.get((source, target), set())

    def goes_on(self, source: int, target: int) -> bool:
        """Whether a piece from source, having come to target, could be on its way to a square beyond."""
        return (source, target) in self._onward
