"""Where the moves come from: random play, or recorded games of the chase corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from benchmarks.rules import random_set_up
from referee.journal.errors import RecordError
from referee.journal.records.gravon import PIECES, read_field, square_at
from referee.rules import Game, Move, RuleSet
from referee.rules.values import Rank, Seat, Square
from referee.runtime.errors import BadInputError

ATTACKS = 0.25
"""Share of attacks in random play, where any can be made; a uniform draw makes fewer than people do."""


class MovesError(BadInputError):
    """Recorded games that cannot be used; one clear line."""


@dataclass(slots=True)
class RandomMoves:
    """Random legal play."""

    start: Game
    random: Random

    def choose(self, game: Game) -> Move | None:
        """Return the next move: in one of four plies that have an attack an attack, else any other move; None without
        one.
        """
        moves = [action for action in game.legal_actions() if isinstance(action, Move)]
        if not moves:
            return None
        attacks = [move for move in moves if game.is_attack(move)]
        walks = [move for move in moves if not game.is_attack(move)]
        return self.random.choice(attacks if attacks and (not walks or self.random.random() < ATTACKS) else walks)


@dataclass(slots=True)
class RecordedMoves:
    """The moves of a recorded game, as far as the rules allow them."""

    start: Game
    moves: tuple[tuple[Square, Square], ...]

    def choose(self, game: Game) -> Move | None:
        """Return the recorded move of this ply; None at the record's end or where our rules refuse the move."""
        if game.ply >= len(self.moves):
            return None
        source, target = self.moves[game.ply]
        move = game.rule_set.board.move(source, target)
        return move if move is not None and not game.refusals(move) else None


Moves: TypeAlias = RandomMoves | RecordedMoves
"""One game: how it begins (`start`), and what is played in it (`choose`)."""


def random_games(rules: RuleSet, seed: int, set_ups: Path | None = None) -> Iterator[Moves]:
    """Return games of random play, without end; the same for the same seed.

    With a file of `set_ups` both armies stand as a line of it says. Raises `MovesError`.
    """
    armies = None if set_ups is None else _armies(rules, set_ups)
    number = 0
    while True:
        random = Random(f"{seed}/game {number}")
        occupants, ranks = random_set_up(rules, random) if armies is None else _set_up(rules, armies, random)
        yield RandomMoves(Game(rules, occupants, ranks), random)
        number += 1


def _armies(rules: RuleSet, path: Path) -> list[tuple[Rank, ...]]:
    """Return the set-ups of a file: a line each, a letter for each square of the zone, front row first, left to right."""
    try:
        lines = path.read_text(encoding="ascii").split()
    except (OSError, ValueError) as error:
        raise MovesError(f"{path}: no set-ups: {error}") from None
    armies = [tuple(PIECES[letter] for letter in line if letter in PIECES) for line in lines]
    wanted = Counter({(Seat.RED, rank): count for rank, count in rules.army.items()})
    if not armies or any(Counter(army) != wanted for army in armies):
        raise MovesError(f"{path}: not every line is a set-up, {wanted.total()} letters as StraDoS3 has them for red")
    return [tuple(rank for _, rank in army) for army in armies]


def _set_up(
    rules: RuleSet, armies: list[tuple[Rank, ...]], random: Random
) -> tuple[dict[Square, Seat], dict[Square, Rank]]:
    occupants: dict[Square, Seat] = {}
    ranks: dict[Square, Rank] = {}
    for seat in rules.seats:
        for at, rank in enumerate(random.choice(armies)):
            index = 10 * (3 - at // 10) + at % 10
            square = square_at(index if seat is Seat.RED else 99 - index)
            occupants[square], ranks[square] = seat, rank
    return occupants, ranks


def recorded_games(rules: RuleSet, folder: Path) -> Iterator[Moves]:
    """Yield the games of a folder in the order of their names, over and over. Raises `MovesError`.

    Files are `original-*`: line 1 is the 100 letters of a StraDoS3 position (index 10 * row + column, row 0 red's back row), then one
    number a line, red first: source = number % 100 seen from the mover (for blue the square is 99 - it). Below 900 the piece goes along
    its column to row number // 100 (one more from its own row on), else along its row to column number // 100 - 9 (the same).
    Games that do not begin with two whole armies are left out.
    """
    paths = sorted(folder.glob("original-*"))
    games = [game for path in paths if (game := _read(rules, path)) is not None]
    if not games:
        raise MovesError(f"{folder}: no recorded game (files original-*) that begins with two whole armies")
    while True:
        yield from games


def _read(rules: RuleSet, path: Path) -> RecordedMoves | None:
    try:
        first, *numbers = path.read_text(encoding="ascii").split()
        pieces = read_field(first)
        moves = tuple(_move(int(number), ply % 2 == 1) for ply, number in enumerate(numbers))
    except (ValueError, IndexError, OSError, RecordError) as error:
        raise MovesError(f"{path}: not a recorded game: {error}") from None
    if len(pieces) != sum(rules.army.values()) * len(rules.seats):
        return None
    occupants = {square: seat for square, (seat, _) in pieces.items()}
    ranks = {square: rank for square, (_, rank) in pieces.items()}
    return RecordedMoves(Game(rules, occupants, ranks), moves)


def _move(number: int, blue: bool) -> tuple[Square, Square]:
    source, step = number % 100, number // 100
    row, column = divmod(source, 10)
    if number < 900:
        target = 10 * (step + (step >= row)) + column
    else:
        step %= 9
        target = 10 * row + step + (step >= column)
    return (square_at(99 - source), square_at(99 - target)) if blue else (square_at(source), square_at(target))
