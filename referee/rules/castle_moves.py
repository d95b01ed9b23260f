"""How pieces go round and onto the castle (booklet 004): steps with flags, the captain's two, the scout's run and turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from referee.rules.actions import Fire, Move
from referee.rules.outcomes import Reason, Refusal
from referee.rules.ruleset import Gait, RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square

if TYPE_CHECKING:
    from referee.rules.game import Game


class Ways:
    """The ways of one rule set's pieces. Knows the board and who carries what; holds no state."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._board = rules.board
        self._by_gait = {
            gait: frozenset(rank for rank, rule in rules.ranks.items() if rule.gait is gait) for gait in Gait
        }
        self._walkers = frozenset(rules.ranks) - self._by_gait[Gait.NONE]
        self._lines = {square: rules.board.lines(square) for square in rules.board.squares}
        self._near = {square: rules.board.neighbours(square) for square in rules.board.squares}
        self._turns = rules.option("scout_attack", "any-neighbour") == "any-neighbour"
        """Whether a scout may turn to what he attacks after a run."""
        self._lone_blocks = rules.option("lone_flag", "passes") == "blocks"
        """Whether a space with an abandoned flag is occupied for a run and a shot."""
        self._castle = {rules.board.ring, rules.board.turret}

    def moves(self, game: Game, piece: PieceId, flags: tuple[Seat, ...]) -> list[Move]:
        """Give every basic move of a piece that some possible rank allows; `flags` are those that it carries."""
        source = game.square_of(piece)
        if source is None:
            return []
        possible = game.possible(piece)
        found: dict[int, Move] = {}
        for target, via, leaving in self._ways(game, piece, source, flags):
            move = self._board.move(source, target, via, leaving)
            if move is not None and possible & self.goers(game, move):
                found[id(move)] = move
        return list(found.values())

    def _ways(
        self, game: Game, piece: PieceId, source: Square, flags: tuple[Seat, ...]
    ) -> Iterator[tuple[Square, tuple[Square, ...], tuple[Seat, ...]]]:
        for target in self._near[source]:
            if self._hostile(game, piece, target) is not False:
                for leaving in _subsets(flags):
                    if target != self._board.turret or self._wins_with(piece, flags, leaving):
                        yield target, (), leaving
        if flags:
            return
        possible = game.possible(piece)
        if possible & self._by_gait[Gait.RUN_AND_TURN]:
            yield from self._runs(game, piece, source)
        if possible & self._by_gait[Gait.TWO_STEPS]:
            yield from self._two_steps(game, piece, source)

    def _runs(
        self, game: Game, piece: PieceId, source: Square
    ) -> Iterator[tuple[Square, tuple[Square, ...], tuple[Seat, ...]]]:
        lone = self._lone_flags(game)
        for ray in self._lines[source]:
            for at, square in enumerate(ray):
                if game.piece_at(square) is not None:
                    if at and self._hostile(game, piece, square):
                        yield square, (), ()
                    break
                if at:
                    yield square, (), ()
                if square in lone:  # any piece may enter there, none runs on over it
                    break
                onward = ray[at + 1] if at + 1 < len(ray) else None
                for target in self._near[square] if self._turns else ():
                    if target not in (source, onward) and self._hostile(game, piece, target):
                        yield target, (square,), ()

    def _two_steps(
        self, game: Game, piece: PieceId, source: Square
    ) -> Iterator[tuple[Square, tuple[Square, ...], tuple[Seat, ...]]]:
        for first in self._near[source]:
            if first == self._board.turret or game.piece_at(first) is not None:
                continue
            for second in self._near[first]:
                if second not in (source, self._board.turret) and self._hostile(game, piece, second) is not False:
                    straight = any(ray[:2] == (first, second) for ray in self._lines[source])
                    yield second, () if straight else (first,), ()

    def _lone_flags(self, game: Game) -> frozenset[Square]:
        """Give the spaces that a flag without a carrier occupies for runs and shots."""
        flags = game.castle.flags.values() if game.castle is not None and self._lone_blocks else ()
        return frozenset(flag.square for flag in flags if flag.carrier is None)

    def _hostile(self, game: Game, piece: PieceId, square: Square) -> bool | None:
        """Say whether an enemy (True) or a friend (False) stands on a square, None for an empty one."""
        other = game.piece_at(square)
        return None if other is None else other.seat not in self._rules.partners(piece.seat)

    def _wins_with(self, piece: PieceId, flags: tuple[Seat, ...], leaving: tuple[Seat, ...]) -> bool:
        """Say whether a piece that goes on with these flags may enter the turret: with its own, in teams one of the team."""
        return any(flag in self._rules.partners(piece.seat) for flag in flags if flag not in leaving)

    def goers(self, game: Game, move: Move) -> frozenset[Rank]:
        """Give the ranks that can make a move, as the board stands: by its length, its turn and what it ends on."""
        attack = game.piece_at(move.target) is not None
        if not move.via and move.target in self._near[move.source]:
            return self._walkers - self._by_gait[Gait.GUN] if attack else self._walkers
        runners, captains = self._by_gait[Gait.RUN_AND_TURN], self._by_gait[Gait.TWO_STEPS]
        if not move.via:
            straight = next(ray for ray in self._lines[move.source] if move.target in ray)
            return runners | captains if straight.index(move.target) == 1 else runners
        turn = move.via[0]
        found: frozenset[Rank] = frozenset()
        if len(move.via) == 1 and move.target in self._near[turn]:
            if turn in self._near[move.source]:
                found |= captains
            if attack and self._turns and any(turn in ray for ray in self._lines[move.source]):
                found |= runners
        return found

    def shots(self, game: Game, piece: PieceId) -> list[Fire]:
        """Give the shots of a piece that may be a cannon: exactly three away, nothing between, an enemy there."""
        source = game.square_of(piece)
        if source is None or not game.possible(piece) & self._by_gait[Gait.GUN]:
            return []
        lone = self._lone_flags(game)
        return [
            Fire(source, shot.target)
            for shot in self._board.shots(source)
            if self._hostile(game, piece, shot.target)
            and all(game.piece_at(square) is None and square not in lone for square in shot.between)
        ]

    @property
    def gunners(self) -> frozenset[Rank]:
        """The ranks that fire."""
        return self._by_gait[Gait.GUN]

    def refusals(self, game: Game, move: Move, flags: Mapping[Seat, PieceId | None]) -> tuple[Refusal, ...]:
        """Give every reason against a move that `moves` does not hold; `flags` says who carries each flag."""
        ends = (move.source, move.target)
        if not {*ends, *move.via} <= set(self._near):
            return (Refusal(Reason.NOT_A_MOVE, ends),)
        piece = game.piece_at(move.source)
        if piece is None:
            return (Refusal(Reason.NO_PIECE, (move.source,)),)
        if piece.seat is not game.turn:
            return (Refusal(Reason.NOT_YOUR_PIECE, (move.source,)),)
        carried = tuple(flag for flag, carrier in flags.items() if carrier == piece)
        found = []
        if move.source != move.target and self._hostile(game, piece, move.target) is False:
            found.append(Refusal(Reason.OWN_PIECE, ends))
        if not set(move.leaving) <= set(carried):
            found.append(Refusal(Reason.NO_FLAG, (move.source,)))
        if move.target == self._board.turret and not self._wins_with(piece, carried, move.leaving):
            found.append(Refusal(Reason.NO_FLAG, (move.target,)))
        found += self._way_refusals(game, move, piece, carried)
        return tuple(found) or (Refusal(Reason.NOT_A_MOVE, ends),)

    def _way_refusals(self, game: Game, move: Move, piece: PieceId, carried: tuple[Seat, ...]) -> list[Refusal]:
        ends = (move.source, move.target)
        own = self._board.move(move.source, move.target, move.via)
        goers = frozenset[Rank]() if own is None else self.goers(game, own)
        if not goers:
            return [Refusal(Reason.NOT_A_MOVE, ends)]
        far = bool(move.via) or move.target not in self._near[move.source]
        found = [Refusal(Reason.CARRIES_FLAG, ends)] if far and carried else []
        if not goers & game.possible(piece):
            found.append(Refusal(Reason.TOO_FAR if far else Reason.NO_ATTACK, ends))
        path = self._board.path(move)
        lone = self._lone_flags(game) if far else frozenset()
        blocked = tuple(square for square in path[:-1] if game.piece_at(square) is not None or square in lone)
        if blocked:
            found.append(Refusal(Reason.BLOCKED, blocked))
        return found


def _subsets(flags: tuple[Seat, ...]) -> Iterator[tuple[Seat, ...]]:
    for size in range(len(flags) + 1):
        yield from combinations(flags, size)
