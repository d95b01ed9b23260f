"""Hands that play at a simulated board for `bench accuracy`: what a game asks of them, and the simulator's own hands (`first`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from firmware_bridge.messages import BoardMessage
from hardware import BoardFile
from referee.rules import Game, Move
from referee.rules.values import Rank, Seat, Square
from simulator.board import SimBoard
from simulator.players import Hands as SimHands
from simulator.plies import HandPly
from simulator.profiles import Profile


class HandsAtBoard(Protocol):
    """Hands and the board that they play on. Everything that they do is drawn from their seed."""

    next_ms: int
    """When the next ply wants to be planned: a little before it begins."""

    @property
    def now_ms(self) -> int:
        """Return the board's time, counted from its first power-on."""

    @property
    def boot_ms(self) -> int:
        """Return when the board was started last."""

    @property
    def colour(self) -> bool:
        """Return whether the sensors tell the armies apart."""

    @property
    def busy(self) -> bool:
        """Return whether a piece is still moving."""

    def lay(self, game: Game) -> None:
        """Put the pieces on the board, before anything begins."""

    def listen(self, until_ms: int) -> Sequence[BoardMessage]:
        """Let time pass; return what the board says until then."""

    def occupied(self) -> set[str]:
        """Return the squares that have a piece."""

    def changed_ms(self, square: str) -> int:
        """Return when a piece last came into a square's sight or left it."""

    def mishap(self, seat: Seat) -> HandPly | None:
        """Return an accident that happens to this player now, None mostly."""

    def move(self, game: Game, move: Move) -> HandPly:
        """Make a move that is no attack, in a game as it stands before it. Raises `simulator.script.MotionError`."""

    def attack(self, game: Game, move: Move) -> HandPly:
        """Show an attack. Raises `simulator.script.MotionError`."""

    def resolve(self, result: str) -> HandPly:
        """Clear the board after the verdict on the last attack."""

    def restore(self, game: Game) -> HandPly:
        """Restore the board to its state in this game."""

    def lift(self, square: str) -> int:
        """Lift a piece up to show it; return when it is in the air."""

    def put(self, seat: Seat, square: str) -> int:
        """Put a lifted piece back; return when it stands."""


Maker = Callable[[BoardFile, Profile, str], HandsAtBoard]
"""Makes hands for one game, from the board, the profile and the seed of everything that is drawn."""


class FirstHands:
    """The simulator's board and hands."""

    def __init__(self, sim: SimBoard, hands: SimHands) -> None:
        self._sim, self._hands = sim, hands
        self.colour: bool = self._sim.colour
        self.listen, self.changed_ms = self._sim.listen, self._sim.changed_ms
        self.resolve = self._hands.resolve

    @property
    def next_ms(self) -> int:
        """When the next ply wants to be planned."""
        return self._hands.next_ms

    @next_ms.setter
    def next_ms(self, ms: int) -> None:
        self._hands.next_ms = ms

    @property
    def now_ms(self) -> int:
        """Return the board's time, counted from its first power-on."""
        return self._sim.now_ms

    @property
    def boot_ms(self) -> int:
        """Return when the board was started last."""
        return self._sim.boot_ms

    @property
    def busy(self) -> bool:
        """Return whether a piece is still moving."""
        return self._sim.busy

    def lay(self, game: Game) -> None:
        """Put the pieces on the board."""
        self._sim.lay(names(game))

    def occupied(self) -> set[str]:
        """Return the squares that have a piece."""
        return set(self._sim.occupied())

    def mishap(self, seat: Seat) -> HandPly | None:
        """Return an accident that happens to this player now."""
        return self._hands.mishap(seat.value)

    def move(self, game: Game, move: Move) -> HandPly:
        """Make a move that is no attack."""
        over = ways(game, move.source)
        rests = {square.name: way for square, way in over.items() if square != move.target}
        return self._hands.move(game.turn.value, move.source.name, move.target.name, over[move.target], rests)

    def attack(self, game: Game, move: Move) -> HandPly:
        """Show an attack."""
        path = [square.name for square in game.rule_set.board.path(move)[:-1]]
        return self._hands.attack(game.turn.value, move.source.name, move.target.name, path)

    def restore(self, game: Game) -> HandPly:
        """Put the board right."""
        return self._hands.restore(names(game))

    def lift(self, square: str) -> int:
        """Lift a piece up to show it."""
        return self._sim.begin({"motion": "lift", "square": square})

    def put(self, seat: Seat, square: str) -> int:
        """Put a lifted piece back."""
        return self._sim.begin({"motion": "put", "seat": seat.value, "square": square})


def first_hands(board: BoardFile, profile: Profile, seed: str) -> FirstHands:
    """Return the simulator's hands at its board."""
    sim = SimBoard(board, Random(seed).randrange(1 << 30), profile=profile)
    return FirstHands(sim, SimHands(sim, Random(f"{seed}/hands").randrange(1 << 30)))


def names(game: Game) -> Mapping[str, str]:
    """Return whose pieces stand where, in words."""
    return {square.name: seat.value for square, seat in game.occupants().items()}


def ways(game: Game, source: Square) -> dict[Square, list[str]]:
    """Return every free square that a piece may go to by the rules, with the squares on the way."""
    board = game.rule_set.board
    found: dict[Square, list[str]] = {}
    for action in game.legal_actions():
        if isinstance(action, Move) and action.source == source and not game.is_attack(action):
            found[action.target] = [square.name for square in board.path(action)[:-1]]
    return found


def rank_at(game: Game, square: Square) -> Rank:
    """Return what stands on a square, in a game whose ranks are all known."""
    piece = game.piece_at(square)
    assert piece is not None
    return next(iter(game.possible(piece)))
