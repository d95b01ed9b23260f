"""The ordinary rules of two seats: steps, runs, attacks, both repetition rules, and the ends that follow.

Every ply of most games comes this way: `refusals` and `play` look a move up in the position's tables and compute nothing that
a later ply does not need. Reasons are gathered only for a move that is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Self

from referee.rules import outcomes
from referee.rules.actions import NO_PLAN, STEP, Action, Move, Plan
from referee.rules.outcomes import ActionResult, CombatResult, EndReason, GameResult, Mobility, Reason, Refusal
from referee.rules.position import EMPTY, Position
from referee.rules.ruleset import Gait, Repetition
from referee.rules.values import PieceId, Rank, Seat, Square

_FAR = frozenset({Gait.RUN, Gait.RUN_AND_TURN})


class Ordinary:
    """Moving and attacking. Has no state of its own."""

    __slots__ = ("_board", "_position", "_quiet_limit", "_remembers", "_rules")

    castle = None

    def __init__(self, position: Position) -> None:
        self._position = position
        self._rules, self._board = position.rules, position.board
        self._remembers = self._rules.repetition is not Repetition.NONE
        self._quiet_limit = self._rules.quiet_limit

    def copy(self, position: Position) -> Self:
        """Return the same rules for another position."""
        other = copy(self)
        other._position = position
        return other

    # ---- what may be done

    def basic_moves(self) -> list[Move]:
        """Return the moves that some possible rank allows, barred ones too."""
        return self._position.basic_moves()

    def ranks_able_to(self, action: Action) -> frozenset[Rank]:
        """Return the ranks that can step or run like this."""
        plan, tables = self._plan_of(action), self._rules.tables
        if plan is NO_PLAN:
            return frozenset()
        return tables.ranks_of(tables.movers if plan.kind == STEP else tables.runners)

    def legal_actions(self) -> Sequence[Action]:
        """Return the basic moves that no repetition rule bars."""
        found = self._position.basic_moves()
        return [move for move in found if self._bar(move.plan) is None] if self._position.may_bar() else found

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason against an action; where both repetition rules bar a move only two squares is named (rules, section 4)."""
        plan = self._plan_of(action)
        if not self._position.can_go(plan):
            return self._faults(action)
        bar, squares = self._bar(plan), self._board.squares
        return () if bar is None else (Refusal(bar, (squares[plan.source], squares[plan.target])),)

    def _plan_of(self, action: Action) -> Plan:
        """Return the plan of a move, `NO_PLAN` where no piece of any kind could go like this."""
        own = self._board.own(action) if isinstance(action, Move) else None
        return NO_PLAN if own is None else own.plan

    def _bar(self, plan: Plan) -> Reason | None:
        """Return the repetition rule that bars a basic move."""
        position = self._position
        me, two, more = position.me, position.two_squares, position.more_squares
        if not plan.borders & two.barred[me] and more.seen[me] is None:
            return None
        piece, target = position.at[plan.source], plan.target
        if two.bars(me, piece, plan.borders):
            return Reason.TWO_SQUARES
        if (
            more.seen[me] is not None
            and position.side[target] == EMPTY
            and (more.whole_game or position.threatens(target))
            and more.bars(me, position.where, piece, target, two.goes_back(me, piece, target))
        ):
            return Reason.SITUATION if more.whole_game else Reason.CHASE
        return None

    # ---- what it does

    def play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> ActionResult:
        """Carry out a move or an attack; a bomb or flag that moves loses the game where the option says so (DE)."""
        position, plan = self._position, self._plan_of(action)
        if not position.can_go(plan) or self._bar(plan) is not None:
            return self._play_forfeit(action)
        me, seat, target = position.me, self._rules.seats[position.me], plan.target
        piece, other = position.ids[position.at[plan.source]], position.at[target]
        if other != EMPTY:
            tables = self._rules.tables
            movers = tables.movers if plan.kind == STEP else tables.runners
            verdict, captured = position.fight(plan, movers, result, shown)
            self._note_attack(target)
            if verdict is CombatResult.FLAG_TAKEN:
                position.result = GameResult(seat, EndReason.FLAG)
            played = ActionResult(action, seat, piece, position.ids[other], verdict, captured)
        else:
            position.go(plan)
            if self._remembers:
                position.more_squares.note_move(me, plan.source, target, position.where, position.threatens(target))
            played = ActionResult(action, seat, piece)
        self._end_turn()
        return played

    def _note_attack(self, target: int) -> None:
        position = self._position
        if self._remembers:
            position.more_squares.note_attack(position.me, target, position.where, position.threatens(target))

    def _play_forfeit(self, action: Action) -> ActionResult:
        """Carry out the move of a bomb or the flag where that loses at once (option `immobile_moved`), or refuse it."""
        position, refusals = self._position, self.refusals(action)
        if {refusal.reason for refusal in refusals} != {Reason.IMMOBILE} or not self._rules.moving_forfeits:
            raise outcomes.IllegalActionError(refusals)
        loser, piece = position.turn, position.piece_at(action.source) if isinstance(action, Move) else None
        position.result = GameResult(self._rules.seat_after(loser), EndReason.FORFEIT)
        position.ply += 1
        return ActionResult(action, loser, piece)

    # ---- the end

    def _end_turn(self) -> None:
        """Pass the turn and look for the end where there can be one: without a step, or with a step that may be barred."""
        position = self._position
        position.me = position.seat = 1 - position.me
        position.ply += 1
        if position.result is None and (not all(position.steps) or position.may_bar() or self._quiet_limit):
            self.see_end()

    def see_end(self) -> None:
        """End the game where it follows from what is known: nobody can move, or the seat to move cannot (booklets; ISF)."""
        position, rules = self._position, self._rules
        if self._quiet_limit and position.ply - position.last_loss >= self._quiet_limit:
            position.result = GameResult(None, EndReason.NO_PROGRESS)
            return
        if rules.option("army_lost", "own-turn") == "at-once":
            self._see_lost_army()
        if position.result is None and not self._can_act():
            foe = rules.seats[1 - position.me]
            loses = position.steps[position.me] or rules.stuck_loses  # a barred move is a basic one
            mobility = Mobility.YES if loses else self.mobility(foe)
            if mobility is Mobility.YES:
                position.result = GameResult(foe, EndReason.IMMOBILE)
            elif mobility is Mobility.NO:
                position.result = GameResult(None, EndReason.BOTH_IMMOBILE)

    def _can_act(self) -> bool:
        """Return whether the seat to move has any legal action."""
        return any(self._bar(move.plan) is None for move in self._position.basic_moves())

    def _see_lost_army(self) -> None:
        """End the game where one side surely has only bombs and flag left and the other surely more (booklets).

        A piece that is shut in is more: such an army is judged when it is to move.
        """
        position = self._position
        walkers = [
            {piece for piece, walker in zip(position.at, position.walker, strict=True) if walker == side}
            for side in (0, 1)
        ]
        for side, seat in enumerate(self._rules.seats):
            if not walkers[1 - side] and position.known.must_move(side, walkers[side]):
                position.result = GameResult(seat, EndReason.IMMOBILE)

    def mobility(self, seat: Seat) -> Mobility:
        """Return whether a seat has a basic move."""
        position, side = self._position, self._rules.seats.index(seat)
        if not position.steps[side]:
            return Mobility.NO
        pieces = {position.at[square] for square in position.steps[side]}
        return Mobility.YES if position.known.must_move(side, pieces) else Mobility.UNKNOWN

    def drop_out(self, seat: Seat) -> None:
        """Let the other seat win."""
        self._position.result = GameResult(self._rules.seat_after(seat), EndReason.RESIGN)

    # ---- reasons

    def _faults(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason, of pieces and squares, against what the seat to move cannot do; never a repetition."""
        if not isinstance(action, Move):
            return (Refusal(Reason.NOT_A_MOVE),)
        found = [*self._piece_faults(action.source), *self._way_faults(action)]
        return tuple(found) or (Refusal(Reason.NOT_A_MOVE, (action.source, action.target)),)

    def _piece_faults(self, source: Square) -> list[Refusal]:
        position = self._position
        if source not in position.board.index:
            return []
        piece = position.own_piece_at(source)
        if isinstance(piece, Reason):
            return [Refusal(piece, (source,))]
        if all(self._rules.gait(rank) is Gait.NONE for rank in position.ranks_of(piece)):
            return [Refusal(Reason.IMMOBILE, (source,))]
        return []

    def _way_faults(self, move: Move) -> list[Refusal]:
        position, board = self._position, self._rules.board
        ends = (move.source, move.target)
        strange = move.source == move.target or move.via or move.leaving
        if strange or not set(ends) <= set(board.squares):
            return [Refusal(Reason.NOT_A_MOVE, ends)]
        found = []
        mover, other = position.piece_at(move.source), position.piece_at(move.target)
        if mover is not None and other is not None and mover.seat is other.seat:
            found.append(Refusal(Reason.OWN_PIECE, ends))
        if move.target in board.neighbours(move.source):
            return found
        ray = next((ray for ray in board.lines(move.source) if move.target in ray), None)
        if ray is None:
            return [*found, Refusal(Reason.NOT_A_MOVE, ends)]
        if mover is not None and all(self._rules.gait(rank) not in _FAR for rank in position.ranks_of(mover)):
            found.append(Refusal(Reason.TOO_FAR, ends))
        between = ray[: ray.index(move.target)]
        blocked = tuple(square for square in between if position.piece_at(square) is not None)
        if blocked:
            found.append(Refusal(Reason.BLOCKED, blocked))
        return found
