"""The infiltrator: on enemy ground he names the rank of a piece one or two squares away (booklet 002).

With `move_then_infiltrate` he may step first, and then infiltrate or attack: such an attack is a move with the step in `via`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import dist

from referee.rules import outcomes
from referee.rules.actions import Action, Infiltrate, Move
from referee.rules.outcomes import ActionResult, CombatResult, EndReason, GameResult, Mobility, Reason, Refusal
from referee.rules.position import Position
from referee.rules.ruleset import RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.rules.variants.ordinary import Ordinary

RANGE = 2
"""How far he reaches, in squares of a straight line."""
INFILTRATOR = frozenset({Rank.INFILTRATOR})


class Infiltration(Ordinary):
    """The ordinary rules, and infiltrations."""

    __slots__ = ("_everywhere", "_over_pieces", "_owners")

    def __init__(self, position: Position) -> None:
        super().__init__(position)
        rules = self._rules
        self._owners = _owners(rules)
        self._over_pieces = not rules.option("line_must_be_clear", False)
        self._everywhere = rules.option("enemy_ground", "") == "lake-rows-too"

    # ---- what may be done

    def basic_moves(self) -> list[Move]:
        """Return the ordinary moves, and the attacks after a step of every piece that may be an infiltrator."""
        return [*super().basic_moves(), *self._attacks()]

    def ranks_able_to(self, action: Action) -> frozenset[Rank]:
        """Return the ranks that can do this: he alone infiltrates, and attacks after a step."""
        if isinstance(action, Infiltrate) or (isinstance(action, Move) and action.via):
            return INFILTRATOR
        return super().ranks_able_to(action)

    def legal_actions(self) -> Sequence[Action]:
        """Return the ordinary ones, every infiltration with every rank of the army as a guess, and attacks after a step."""
        return [*super().legal_actions(), *self._special_actions()]

    def _special_actions(self) -> list[Action]:
        position = self._position
        found: list[Action] = [
            Infiltrate(source, target, guess, via)
            for source, target, via in self._chances(position.turn)
            for guess in self._rules.army
        ]
        return found + [move for move in self._attacks() if not position.bars(move)]

    def _can_act(self) -> bool:
        """Return whether the seat to move has any legal action."""
        return super()._can_act() or bool(self._special_actions())

    def _attacks(self) -> list[Move]:
        """Return the attacks after a step, barred ones too."""
        if not self._rules.steps_first:
            return []
        board, position = self._board, self._position
        ways = (
            board.move(source, target, (step,))
            for source in position.squares_of(position.turn, Rank.INFILTRATOR)
            for step in board.neighbours(source)
            if position.piece_at(step) is None
            for target in board.neighbours(step)
            if (other := position.piece_at(target)) is not None and other.seat is not position.turn
        )
        return [move for move in ways if move is not None]

    def _chances(self, seat: Seat) -> Iterator[tuple[Square, Square, tuple[Square, ...]]]:
        """Yield whence, whom and after which step a seat's possible infiltrators could infiltrate."""
        for source in self._position.squares_of(seat, Rank.INFILTRATOR):
            for stand, via in self._stands(seat, source):
                for target in self._targets(seat, stand, source):
                    yield source, target, via

    def _stands(self, seat: Seat, source: Square) -> list[tuple[Square, tuple[Square, ...]]]:
        """Return the squares of enemy ground that he can infiltrate from in one turn, with the step that leads there."""
        position = self._position
        stands: list[tuple[Square, tuple[Square, ...]]] = [(source, ())]
        for step in self._board.neighbours(source) if self._rules.steps_first else ():
            move = self._board.move(source, step)
            barred = seat is position.turn and move is not None and position.bars(move)
            if position.piece_at(step) is None and not barred:
                stands.append((step, (step,)))
        return [(stand, via) for stand, via in stands if self._is_enemy_ground(stand, seat)]

    def _is_enemy_ground(self, square: Square, seat: Seat) -> bool:
        owner = self._owners.get(square)
        return owner is not seat and (owner is not None or self._everywhere)

    def _targets(self, seat: Seat, stand: Square, source: Square) -> list[Square]:
        position, found = self._position, []
        for ray in self._board.lines(stand):
            for at, square in enumerate(ray[:RANGE]):
                piece = position.piece_at(square)
                clear = all(position.piece_at(other) is None or other == source for other in ray[:at])
                if piece is not None and piece.seat is not seat and (clear or self._over_pieces):
                    found.append(square)
        return found

    # ---- reasons

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason against a move, an infiltration, or an attack after a step."""
        if isinstance(action, Infiltrate):
            return self._infiltration_refusals(action)
        if isinstance(action, Move) and action.via:
            return self._attack_refusals(action)
        return super().refusals(action)

    def _infiltration_refusals(self, action: Infiltrate) -> tuple[Refusal, ...]:
        index = self._board.index
        if not {action.source, action.target, *action.via} <= index.keys() or action.guess not in self._rules.army:
            return (Refusal(Reason.NOT_A_MOVE, (action.source, action.target)),)
        fault = self._fault_of_piece(action.source)
        if fault in (Reason.NO_PIECE, Reason.NOT_YOUR_PIECE):
            return (Refusal(fault, (action.source,)),)
        found = [] if fault is None else [Refusal(fault, (action.source,))]
        seat, stand = self._position.turn, action.via[-1] if action.via else action.source
        if action.via:
            found += self._step_refusals(action)
        if not self._is_enemy_ground(stand, seat):
            found.append(Refusal(Reason.NOT_ENEMY_GROUND, (stand,)))
        if action.target not in self._targets(seat, stand, action.source):
            found.append(Refusal(Reason.OUT_OF_RANGE, (stand, action.target)))
        return tuple(found)

    def _step_refusals(self, action: Infiltrate) -> list[Refusal]:
        step = action.via[0]
        move = self._board.move(action.source, step)
        near = step in self._board.neighbours(action.source)
        if not self._rules.steps_first or len(action.via) > 1 or not near or move is None:
            return [Refusal(Reason.NOT_A_MOVE, (action.source, *action.via))]
        if self._position.piece_at(step) is not None:
            return [Refusal(Reason.BLOCKED, (step,))]
        return [Refusal(Reason.TWO_SQUARES, (action.source, step))] if self._position.bars(move) else []

    def _attack_refusals(self, action: Move) -> tuple[Refusal, ...]:
        ends = (action.source, action.target)
        own = self._board.move(*ends, action.via)
        if not self._rules.steps_first or own is None or len(action.via) != 1 or action.leaving:
            return (Refusal(Reason.NOT_A_MOVE, ends),)
        if own in self._attacks():
            return (Refusal(Reason.TWO_SQUARES, ends),) if self._position.bars(own) else ()
        fault = self._fault_of_piece(action.source)
        if fault is not None:
            return (Refusal(fault, (action.source,)),)
        if self._position.piece_at(action.via[0]) is not None:
            return (Refusal(Reason.BLOCKED, action.via),)
        return (Refusal(Reason.NOT_A_MOVE, ends),)

    def _fault_of_piece(self, source: Square) -> Reason | None:
        """Return why the piece on a square is no infiltrator of the seat to move."""
        piece = self._position.own_piece_at(source)
        if isinstance(piece, Reason):
            return piece
        return None if Rank.INFILTRATOR in self._position.ranks_of(piece) else Reason.NOT_THIS_RANK

    # ---- what it does

    def play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> ActionResult:
        """Carry out a move, an infiltration, or an attack after a step; each is a turn."""
        if not isinstance(action, Infiltrate) and not (isinstance(action, Move) and action.via):
            return super().play(action, result, shown)
        refusals = self.refusals(action)
        if refusals:
            raise outcomes.IllegalActionError(refusals)
        position = self._position
        piece, other = position.piece_at(action.source), position.piece_at(action.target)
        assert piece is not None
        assert other is not None
        seat = position.turn
        if isinstance(action, Move):
            own = self._board.own(action)
            assert own is not None
            result, captured = position.fight(own.plan, self._rules.tables.mask(INFILTRATOR), result, shown)
            wins = result is CombatResult.FLAG_TAKEN
        else:
            result, captured = self._infiltrate(action, piece, other, result)
            wins = result is CombatResult.INFILTRATED and action.guess is Rank.FLAG
        self._note_attack(self._board.index[action.target])
        if wins:
            position.result = GameResult(seat, EndReason.FLAG)
        self._end_turn()
        return ActionResult(action, seat, piece, other, result, captured)

    def _infiltrate(
        self, action: Infiltrate, piece: PieceId, other: PieceId, result: CombatResult | None
    ) -> tuple[CombatResult, tuple[PieceId, ...]]:
        """Carry out an infiltration: right, and the piece goes; wrong, and both stay. Return the verdict and who was captured."""
        position = self._position
        result = self._verdict(other, action.guess, result)
        right = result is CombatResult.INFILTRATED
        left = frozenset({action.guess}) if right else frozenset(self._rules.ranks) - {action.guess}
        position.narrow({piece: INFILTRATOR, other: left}, outcomes.DoubtKind.VERDICT)
        position.note_turn(piece)
        for step in action.via:
            move = self._board.move(action.source, step)
            assert move is not None
            position.shift(move.plan)
            position.note_turn(piece, move.plan)
        return result, position.take([action.target]) if right else ()

    def _verdict(self, other: PieceId, guess: Rank, result: CombatResult | None) -> CombatResult:
        """Return the verdict of a guess: told, or following from what the piece can be."""
        if result is not None:
            return CombatResult.INFILTRATED if result is CombatResult.FLAG_TAKEN else result
        possible = self._position.ranks_of(other)
        if guess not in possible:
            return CombatResult.WRONG_GUESS
        if len(possible) > 1:
            raise outcomes.ResultNeededError("this infiltration needs its verdict told: the piece is not known")
        return CombatResult.INFILTRATED

    # ---- the end

    def mobility(self, seat: Seat) -> Mobility:
        """Return whether a seat has a move, or without one could infiltrate."""
        found = super().mobility(seat)
        if found is not Mobility.NO:
            return found
        pieces = [self._position.piece_at(source) for source, _, _ in self._chances(seat)]
        if any(piece is not None and self._position.ranks_of(piece) == INFILTRATOR for piece in pieces):
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
