"""Where the moves come from: random play, or recorded games of the chase corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from benchmarks.rules import random_set_up
from referee.rules import Game, Move, RuleSet
from referee.rules.values import Rank, Seat, Square
from referee.runtime.errors import BadInputError

ATTACKS = 0.25
"""Share of attacks in random play, where any can be made; a uniform draw makes fewer than people do."""

_RED = "MCDEFGHIJKLB"
_BLUE = "YOPQRSTUVWXN"
_RANKS = (
    Rank.FLAG,
    Rank.SPY,
    Rank.SCOUT,
    Rank.MINER,
    Rank.SERGEANT,
    Rank.LIEUTENANT,
    Rank.CAPTAIN,
    Rank.MAJOR,
    Rank.COLONEL,
    Rank.GENERAL,
    Rank.MARSHAL,
    Rank.BOMB,
)


class MovesError(BadInputError):
    """Recorded games that cannot be used; one clear line."""


class Moves(Protocol):
    """One game: how it begins, and what is played in it."""

    start: Game

    def choose(self, game: Game) -> Move | None:
        """Give the move of the side to move, None when the game stops here."""


@dataclass(slots=True)
class RandomMoves:
    """Random legal play."""

    start: Game
    random: Random

    def choose(self, game: Game) -> Move | None:
        """Give an attack in a quarter of the plies in which there is one, else any move."""
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
        """Give the recorded move of this ply."""
        if game.ply >= len(self.moves):
            return None
        source, target = self.moves[game.ply]
        move = game.rule_set.board.move(source, target)
        return move if move is not None and not game.refusals(move) else None


def random_games(rules: RuleSet, seed: int) -> Iterator[Moves]:
    """Give games of random play, without end; the same for the same seed."""
    number = 0
    while True:
        random = Random(f"{seed}/game {number}")
        yield RandomMoves(Game(rules, *random_set_up(rules, random)), random)
        number += 1


def recorded_games(rules: RuleSet, folder: Path) -> Iterator[Moves]:
    """Give the games of a folder again and again, in the order of their names. Raises `MovesError`.

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
        moves = tuple(_move(rules, int(number), ply % 2 == 1) for ply, number in enumerate(numbers))
    except (ValueError, IndexError, OSError) as error:
        raise MovesError(f"{path}: not a recorded game: {error}") from None
    if len(first) != 100:
        raise MovesError(f"{path}: line 1 has {len(first)} letters instead of 100")
    occupants: dict[Square, Seat] = {}
    ranks: dict[Square, Rank] = {}
    for index, letter in enumerate(first.upper()):
        for seat, letters in ((Seat.RED, _RED), (Seat.BLUE, _BLUE)):
            if letter in letters:
                square = _square(rules, index)
                occupants[square], ranks[square] = seat, _RANKS[letters.index(letter)]
    if len(occupants) != sum(rules.army.values()) * len(rules.seats):
        return None
    return RecordedMoves(Game(rules, occupants, ranks), moves)


def _move(rules: RuleSet, number: int, blue: bool) -> tuple[Square, Square]:
    source, step = number % 100, number // 100
    row, column = divmod(source, 10)
    if number < 900:
        target = 10 * (step + (step >= row)) + column
    else:
        step %= 9
        target = 10 * row + step + (step >= column)
    return tuple(_square(rules, 99 - index if blue else index) for index in (source, target))  # type: ignore[return-value]  # two of them


def _square(rules: RuleSet, index: int) -> Square:
    row, column = divmod(index, 10)
    return rules.board.square(f"{'abcdefghij'[column]}{row + 1}")
