"""What the tests of Stratego 4 share: words for moves and pieces, quiet moves to pass the time, and the board as drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.rules import Game, Move
from referee.rules.outcomes import Reason
from referee.rules.values import PieceId, Rank, Seat, Square

Cell = tuple[int, int]
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


def sq(name: str) -> Square:
    """Return a square by name."""
    return Square(name)


def move(text: str, leaving: tuple[Seat, ...] = ()) -> Move:
    """Return the move of a word like `d4-e4` or, with a turn, `d4-e4-e5`."""
    first, *via, last = text.split("-")
    return Move(sq(first), sq(last), tuple(sq(name) for name in via), leaving)


def to_move(game: Game) -> Seat:
    """Return the seat to move."""
    return game.turn


def reasons(game: Game, action: Any) -> list[Reason]:
    """Return the reasons against an action, and see that the legal list says the same."""
    found = [refusal.reason for refusal in game.refusals(action)]
    assert (action in game.legal_actions()) == (not found)
    return found


def at(game: Game, name: str) -> PieceId:
    """Return the piece on a square."""
    piece = game.piece_at(sq(name))
    assert piece is not None
    return piece


def quiet(game: Game) -> Move:
    """Return a step that attacks nobody and keeps away from the castle and from flags."""
    assert game.castle is not None
    flags = {flag.square for flag in game.castle.flags.values()}
    found = [
        action
        for action in game.legal_actions()
        if isinstance(action, Move)
        and not game.is_attack(action)
        and not flags & {action.source, action.target}
        and action.target.name not in ("ring", "g2", "g3", "g4", "g5")
    ]
    return sorted(found, key=repr)[game.ply // 4 % 2 if len(found) > 1 else 0]


def hands_off(game: Game, piece: PieceId) -> None:
    """Take a piece off the board without a fight, to have one to recruit."""
    square = game.square_of(piece)
    assert square is not None
    game._position.take([square])


class Drawing:
    """The four-player board as cells of a 13 x 13 grid."""

    def __init__(self, game: Game) -> None:
        board = game.rule_set.board
        self.cells: dict[Cell, Square] = {}
        for square in board.squares:
            left, low = board.place(square)
            _, _, width, height = board.shape(square)
            for column in range(int(width)):
                for row in range(int(height)):
                    self.cells.setdefault((int(left) + column, int(low) + row), square)
        assert board.turret is not None
        self.cells[6, 6] = board.turret
        self.game, self.ring, self.turret = game, board.ring, board.turret

    def near(self, square: Square) -> set[Square]:
        """Return the neighbours of a space that may be many cells."""
        own = [cell for cell, there in self.cells.items() if there == square]
        beside = {self.cells.get((x + dx, y + dy)) for x, y in own for dx, dy in AROUND}
        return {there for there in beside if there not in (None, square)}

    def paths(self, piece: PieceId, rank: Rank, flags: set[Seat]) -> Iterator[tuple[Square, ...]]:
        """Return the squares that a piece enters in each of its basic moves."""
        source = self.game.square_of(piece)
        assert source is not None
        for first in self.near(source):
            attack = self.foe(piece, first)
            wins = bool(flags & set(self.game.rule_set.partners(piece.seat)))
            if attack is not False and (first != self.turret or wins) and not (attack and rank is Rank.CANNON):
                yield (first,)
        if not flags and rank is Rank.CAPTAIN:
            for first in self.near(source) - {self.turret}:
                for second in self.near(first) - {source, self.turret}:
                    if self.foe(piece, first) is None and self.foe(piece, second) is not False:
                        yield (first, second)
        if not flags and rank is Rank.SCOUT and source != self.ring:
            yield from self.runs(piece, source)

    def runs(self, piece: PieceId, source: Square) -> Iterator[tuple[Square, ...]]:
        """Return a scout's runs of two squares and more, and its attacks after one square and more."""
        cell = next(cell for cell, there in self.cells.items() if there == source)
        for dx, dy in AROUND:
            path: list[Square] = []
            x, y = cell
            while True:
                x, y = x + dx, y + dy
                there = self.cells.get((x, y))
                if there is None or there in (self.ring, self.turret) or self.foe(piece, there) is not None:
                    break
                path.append(there)
                if len(path) > 1:
                    yield tuple(path)
                if there in self.lone_flags():
                    break
                for target in self.near(there) - {source}:
                    if self.foe(piece, target):
                        yield (*path, target)

    def lone_flags(self) -> set[Square]:
        """Return the spaces that an abandoned flag occupies."""
        assert self.game.castle is not None
        return {flag.square for flag in self.game.castle.flags.values() if flag.carrier is None}

    def foe(self, piece: PieceId, square: Square) -> bool | None:
        """Return whether an enemy (True) or a friend (False) stands there."""
        other = self.game.piece_at(square)
        return None if other is None else other.seat not in self.game.rule_set.partners(piece.seat)

    def all_paths(self) -> set[tuple[Square, ...]]:
        """Return every basic move of the seat to move as source and squares entered."""
        game = self.game
        assert game.castle is not None
        found = set()
        for piece in game.pieces(game.turn):
            flags = {seat for seat, flag in game.castle.flags.items() if flag.carrier == piece}
            source = game.square_of(piece)
            assert source is not None
            found |= {(source, *path) for path in self.paths(piece, next(iter(game.possible(piece))), flags)}
        return found
