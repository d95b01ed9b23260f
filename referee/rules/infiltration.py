"""The infiltrator: on enemy ground he names the rank of a piece one or two squares away (booklet 002).

With `move_then_infiltrate` he may step first, and then infiltrate or attack: such an attack is a move with the step in `via`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import dist
from typing import TYPE_CHECKING

from referee.rules._bits.hands import Hands
from referee.rules.actions import Action, Infiltrate, Move
from referee.rules.errors import IllegalActionError, ResultNeededError
from referee.rules.outcomes import CombatResult, EndReason, GameResult, Mobility, Played, Reason, Refusal, Why
from referee.rules.ruleset import RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square

if TYPE_CHECKING:
    from referee.rules.game import Game

RANGE = 2
"""How far he reaches, in squares of a straight line."""


class Infiltration:
    """The special rules of one game with infiltrators. Holds no state: everything is in the game."""

    owns_moves = False

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._owners = _owners(rules)
        self._over_pieces = not rules.option("line_must_be_clear", False)
        self._everywhere = rules.option("enemy_ground", "") == "lake-rows-too"
        self._after_step = rules.steps_first

    def copy(self) -> Infiltration:
        """Give itself: there is no state to be kept apart."""
        return self

    def actions(self, game: Game) -> list[Action]:
        """Give every infiltration that some possible rank allows, with every rank of the army as a guess, and attacks after a step."""
        guesses: list[Action] = [
            Infiltrate(source, target, guess, via)
            for source, target, via in self._chances(game, game.turn)
            for guess in self._rules.army
        ]
        return guesses + [move for move in self._attacks(game) if not Hands(game).bars(move)]

    def _chances(self, game: Game, seat: Seat) -> Iterator[tuple[Square, Square, tuple[Square, ...]]]:
        """Give whence, whom and after which step a seat's possible infiltrators could infiltrate."""
        for source in Hands(game).standing(seat, Rank.INFILTRATOR):
            for stand, via in self._stands(game, seat, source):
                for target in self._targets(game, seat, stand, source):
                    yield source, target, via

    def _stands(self, game: Game, seat: Seat, source: Square) -> list[tuple[Square, tuple[Square, ...]]]:
        """Give the squares of enemy ground that he can infiltrate from in one turn, with the step that leads there."""
        stands: list[tuple[Square, tuple[Square, ...]]] = [(source, ())]
        if self._after_step:
            for step in self._rules.board.neighbours(source):
                move = self._rules.board.move(source, step)
                barred = seat is game.turn and move is not None and Hands(game).bars(move)
                if game.piece_at(step) is None and not barred:
                    stands.append((step, (step,)))
        return [(stand, via) for stand, via in stands if self._on_enemy_ground(stand, seat)]

    def _on_enemy_ground(self, square: Square, seat: Seat) -> bool:
        owner = self._owners.get(square)
        return owner is not seat and (owner is not None or self._everywhere)

    def _targets(self, game: Game, seat: Seat, stand: Square, source: Square) -> list[Square]:
        found = []
        for ray in self._rules.board.lines(stand):
            for at, square in enumerate(ray[:RANGE]):
                piece = game.piece_at(square)
                clear = all(game.piece_at(other) is None or other == source for other in ray[:at])
                if piece is not None and piece.seat is not seat and (clear or self._over_pieces):
                    found.append(square)
        return found

    def refusals(self, game: Game, action: Action) -> tuple[Refusal, ...]:
        """Give every reason against an infiltration, or an attack after a step."""
        if isinstance(action, Move):
            return self._attack_refusals(game, action)
        if not isinstance(action, Infiltrate):
            return (Refusal(Reason.NOT_A_MOVE),)
        known = set(self._rules.board.squares)
        if not {action.source, action.target, *action.via} <= known or action.guess not in self._rules.army:
            return (Refusal(Reason.NOT_A_MOVE, (action.source, action.target)),)
        piece = game.piece_at(action.source)
        if piece is None:
            return (Refusal(Reason.NO_PIECE, (action.source,)),)
        if piece.seat is not game.turn:
            return (Refusal(Reason.NOT_YOUR_PIECE, (action.source,)),)
        found = [] if Rank.INFILTRATOR in game.possible(piece) else [Refusal(Reason.NOT_THIS_RANK, (action.source,))]
        stand = action.via[-1] if action.via else action.source
        if action.via:
            found += self._step_refusals(game, action)
        if not self._on_enemy_ground(stand, game.turn):
            found.append(Refusal(Reason.NOT_ENEMY_GROUND, (stand,)))
        if action.target not in self._targets(game, game.turn, stand, action.source):
            found.append(Refusal(Reason.OUT_OF_RANGE, (stand, action.target)))
        return tuple(found)

    def _step_refusals(self, game: Game, action: Infiltrate) -> list[Refusal]:
        step = action.via[0]
        move = self._rules.board.move(action.source, step)
        near = step in self._rules.board.neighbours(action.source)
        if not self._after_step or len(action.via) > 1 or not near or move is None:
            return [Refusal(Reason.NOT_A_MOVE, (action.source, *action.via))]
        if game.piece_at(step) is not None:
            return [Refusal(Reason.BLOCKED, (step,))]
        return [Refusal(Reason.TWO_SQUARES, (action.source, step))] if Hands(game).bars(move) else []

    def _attack_refusals(self, game: Game, action: Move) -> tuple[Refusal, ...]:
        own = self._rules.board.move(action.source, action.target, action.via)
        if not self._after_step or own is None or len(action.via) != 1 or action.leaving:
            return (Refusal(Reason.NOT_A_MOVE, (action.source, action.target)),)
        if own in self._attacks(game):
            barred = Hands(game).bars(own)
            return (Refusal(Reason.TWO_SQUARES, (action.source, action.target)),) if barred else ()
        piece, step = game.piece_at(action.source), action.via[0]
        if piece is None:
            return (Refusal(Reason.NO_PIECE, (action.source,)),)
        if piece.seat is not game.turn:
            return (Refusal(Reason.NOT_YOUR_PIECE, (action.source,)),)
        if Rank.INFILTRATOR not in game.possible(piece):
            return (Refusal(Reason.NOT_THIS_RANK, (action.source,)),)
        if game.piece_at(step) is not None:
            return (Refusal(Reason.BLOCKED, (step,)),)
        return (Refusal(Reason.NOT_A_MOVE, (action.source, action.target)),)

    def _attack(self, game: Game, move: Move, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> Played:
        """Carry out an attack after a step."""
        seat, hands = game.turn, Hands(game)
        piece, other = game.piece_at(move.source), game.piece_at(move.target)
        assert piece is not None
        assert other is not None
        verdict = hands.judge(piece, other, frozenset({Rank.INFILTRATOR}), result, shown)
        captured = hands.settle(move, verdict)
        hands.remember_move(piece, move)
        hands.remember_attack(move.target)
        if verdict is CombatResult.FLAG_TAKEN:
            hands.finish(GameResult(seat, EndReason.FLAG))
        hands.end_turn()
        return Played(move, seat, piece, other, verdict, captured)

    def play(self, game: Game, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> Played:
        """Carry out an infiltration: right, and the piece goes; wrong, and both stay. It is a turn and an attack."""
        own = self._rules.board.move(action.source, action.target, action.via) if isinstance(action, Move) else None
        if own is not None:
            return self._attack(game, own, result, shown)
        if not isinstance(action, Infiltrate):
            raise IllegalActionError([Refusal(Reason.NOT_A_MOVE)])
        seat, hands = game.turn, Hands(game)
        piece, other = game.piece_at(action.source), game.piece_at(action.target)
        assert piece is not None
        assert other is not None
        result = self._verdict(game, other, action.guess, result)
        right = result is CombatResult.INFILTRATED
        left = frozenset({action.guess}) if right else frozenset(self._rules.ranks) - {action.guess}
        hands.narrow({piece: frozenset({Rank.INFILTRATOR}), other: left}, Why.VERDICT)
        hands.remember_stay(piece)
        for step in action.via:
            move = self._rules.board.move(action.source, step)
            assert isinstance(move, Move)
            hands.step(move)
            hands.remember_move(piece, move)
        captured = hands.take([action.target]) if right else ()
        hands.remember_attack(action.target)
        if right and action.guess is Rank.FLAG:
            hands.finish(GameResult(seat, EndReason.FLAG))
        hands.end_turn()
        return Played(action, seat, piece, other, result, captured)

    def _verdict(self, game: Game, other: PieceId, guess: Rank, result: CombatResult | None) -> CombatResult:
        """Give the verdict of a guess: told, or following from what the piece can be."""
        if result is not None:
            return CombatResult.INFILTRATED if result is CombatResult.FLAG_TAKEN else result
        possible = game.possible(other)
        if guess not in possible:
            return CombatResult.WRONG_GUESS
        if len(possible) > 1:
            raise ResultNeededError("this infiltration needs its verdict told: the piece is not known")
        return CombatResult.INFILTRATED

    def basic_moves(self, game: Game) -> list[Action]:
        """Return the attacks after a step of every piece that may be an infiltrator, barred ones too."""
        return list(self._attacks(game))

    def _attacks(self, game: Game) -> list[Move]:
        if not self._after_step:
            return []
        board, seat = self._rules.board, game.turn
        ways = (
            board.move(source, target, (step,))
            for source in Hands(game).standing(seat, Rank.INFILTRATOR)
            for step in board.neighbours(source)
            if game.piece_at(step) is None
            for target in board.neighbours(step)
            if (other := game.piece_at(target)) is not None and other.seat is not seat
        )
        return [move for move in ways if move is not None]

    def goers(self, game: Game, move: Move) -> frozenset[Rank]:
        """Return the ranks that attack after a step."""
        return frozenset({Rank.INFILTRATOR})

    def mobility(self, game: Game, seat: Seat) -> Mobility:
        """Say whether a seat without a move could infiltrate."""
        pieces = [game.piece_at(source) for source, _, _ in self._chances(game, seat)]
        if any(piece is not None and game.possible(piece) == {Rank.INFILTRATOR} for piece in pieces):
            return Mobility.YES
        return Mobility.UNKNOWN if pieces else Mobility.NO


def _owners(rules: RuleSet) -> dict[Square, Seat]:
    """Return whose ground a square is: where a seat sets up, or the half of the board that is nearer to there (`enemy_ground`)."""
    if rules.option("enemy_ground", "") != "enemy-half":
        return {square: seat for seat in rules.seats for square in rules.zone(seat)}
    shape, found = rules.board.shape, {}
    for square in rules.board.squares:
        away = {seat: sum(dist(shape(square)[:2], shape(one)[:2]) for one in rules.zone(seat)) for seat in rules.seats}
        near = [seat for seat, far in away.items() if far == min(away.values())]
        if len(near) == 1:
            found[square] = near[0]
    return found
