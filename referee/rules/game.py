"""One game under any knowledge: what is legal, what an action does, when it is over. The door of this room.

Every piece is tracked; its possible ranks are a set that shrinks with what is told and seen. With all ranks known the sets
have one member and nothing is left open; with none known the same rules hold as far as they follow from where pieces
went. An action is *legal* here if some possible rank allows it. Does not do: time, players' wishes, what sensors saw.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules._bits.engine import Engine
from referee.rules._bits.position import EMPTY
from referee.rules._bits.tables import STEP
from referee.rules.actions import Action, Fire, Infiltrate, Move
from referee.rules.castle import Castle
from referee.rules.errors import IllegalActionError, PositionError, UnknownSquareError
from referee.rules.outcomes import (
    CombatResult,
    EndReason,
    GameResult,
    Mobility,
    Played,
    Prospect,
    Reason,
    Refusal,
    Situation,
    Why,
)
from referee.rules.reasons import move_refusals
from referee.rules.ruleset import RuleSet
from referee.rules.specials import special_of
from referee.rules.values import PieceId, Rank, Seat, Square


class Game(Engine):
    """A game from its set-up (or any position) to its end. Mutable; `copy` is cheap and independent.

    `occupants` says where the pieces stand, `ranks` what they are as far as that is known; `turn` is the seat to move,
    the first one of the rule set if left out. Pieces are numbered by seat in the board's square order. Raises
    `PositionError`.
    """

    __slots__ = ("_by_id", "rule_set")

    rule_set: RuleSet

    def __init__(
        self,
        rule_set: RuleSet,
        occupants: Mapping[Square, Seat],
        ranks: Mapping[Square, Rank] | None = None,
        turn: Seat | None = None,
    ) -> None:
        self.rule_set = rule_set
        ranks = ranks or {}
        _check_position(rule_set, occupants, ranks)
        board = rule_set.board
        order = [square for square in board.squares if square in occupants]
        ids: list[PieceId] = []
        where: list[Square] = []
        for seat in rule_set.seats:
            mine = [square for square in order if occupants[square] is seat]
            ids += (PieceId(seat, number) for number in range(len(mine)))
            where += mine
        tables = rule_set.tables
        super().__init__(
            board.tables,
            tables,
            tuple(ids),
            [board.tables.index[square] for square in where],
            {at: tables.bit[ranks[square]] for at, square in enumerate(where) if square in ranks},
        )
        self._by_id: dict[PieceId, int] = {piece: at for at, piece in enumerate(ids)}
        self.ply = 0
        self.result = None
        self._progress = 0
        self._seat = rule_set.seats.index(turn) if turn is not None else tables.first_seat
        self._me = tables.team_of[self._seat]
        self._special = special_of(rule_set, self)
        self._strange = self._special is not None and self._special.owns_moves
        if isinstance(self._special, Castle):
            self._special.begin(self)
        else:
            self._see_end()

    def copy(self) -> Game:
        """Give an independent copy."""
        other = Game.__new__(Game)
        other.rule_set, other._by_id = self.rule_set, self._by_id
        other.ply, other.result, other._progress = self.ply, self.result, self._progress
        other._strange = self._strange
        other._special = None if self._special is None else self._special.copy()
        other._copy_position(self)
        return other

    def __repr__(self) -> str:
        over = f", {self.result.reason.value}" if self.result else f", {self.turn.value} to move"
        seats = self._rules.seats
        pieces = ", ".join(f"{seat.value} {len(self._standing(at))}" for at, seat in enumerate(seats))
        return f"Game({self.rule_set.name}, ply {self.ply}{over}; {pieces})"

    # ---- what stands where

    @property
    def turn(self) -> Seat:
        """The seat whose action is expected next (after the end: whose it would be)."""
        return self._rules.seats[self._seat]

    def piece_at(self, square: Square) -> PieceId | None:
        """Give the piece on a square, None for an empty one. Raises `UnknownSquareError` for one that the board has not."""
        index = self._board.index.get(square)
        if index is None:
            raise UnknownSquareError(f"board {self.rule_set.board.name} has no square {square.name!r}")
        piece = self._at[index]
        return None if piece == EMPTY else self._ids[piece]

    def square_of(self, piece: PieceId) -> Square | None:
        """Give where a piece stands, None once it has left the board."""
        square = self._where[self._by_id[piece]]
        return None if square == EMPTY else self._board.squares[square]

    def occupants(self) -> dict[Square, Seat]:
        """Give which seat's piece stands on which square."""
        squares, ids = self._board.squares, self._ids
        return {squares[at]: ids[piece].seat for at, piece in enumerate(self._at) if piece != EMPTY}

    def pieces(self, seat: Seat) -> tuple[PieceId, ...]:
        """Give a seat's pieces on the board, by number."""
        return tuple(self._ids[piece] for piece in self._standing(self.rule_set.seats.index(seat)))

    def captured(self, seat: Seat) -> tuple[PieceId, ...]:
        """Give a seat's pieces that have left the board, by number."""
        index = self.rule_set.seats.index(seat)
        return tuple(
            self._ids[piece]
            for piece, square in enumerate(self._where)
            if square == EMPTY and self._seat_of[piece] == index
        )

    def _standing(self, seat: int) -> list[int]:
        return [p for p, square in enumerate(self._where) if square != EMPTY and self._seat_of[p] == seat]

    # ---- what is known

    def possible(self, piece: PieceId) -> frozenset[Rank]:
        """Give the ranks that a piece may have: exactly those that some complete assignment of its army gives it."""
        return self._rules.ranks_of(self._possible[self._by_id[piece]])

    def possible_for(self, piece: PieceId, action: Action) -> frozenset[Rank]:
        """Give the ranks that a piece may have if it does this: a mover is no bomb, one that goes far is a scout."""
        possible = self._possible[self._by_id[piece]]
        if isinstance(action, Infiltrate | Fire):
            rank = Rank.INFILTRATOR if isinstance(action, Infiltrate) else Rank.CANNON
            return self._rules.ranks_of(possible & self._rules.bit.get(rank, 0))
        move = self._board.own(action) if isinstance(action, Move) else None
        if move is None or move._plan is None:
            return frozenset()
        if self._special is not None and (self._special.owns_moves or move.via):
            return self._rules.ranks_of(possible) & self._special.goers(self, move)
        return self._rules.ranks_of(possible & (self._rules.movers if move._plan[3] == STEP else self._rules.runners))

    def moved(self, piece: PieceId) -> bool:
        """Say whether a piece has moved or attacked in this game."""
        return self._deeds[self._by_id[piece]] != 0

    def learn(self, piece: PieceId, ranks: frozenset[Rank]) -> None:
        """Narrow a piece to these ranks, and its army by the counts; the game may be over then, also by `forfeits_as`.

        Raises `ContradictionError` with the reasons if it has none of them; nothing has changed then.
        """
        if self.result is None and ranks and ranks <= self.forfeits_as(piece):
            self.result = GameResult(self.rule_set.seat_after(piece.seat), EndReason.FORFEIT)
            return
        mask = 0
        for rank in ranks:
            mask |= self._rules.bit.get(rank, 0)
        self._learn({self._by_id[piece]: mask}, Why.TOLD)
        if self.result is None:
            self._see_end()

    def forfeits_as(self, piece: PieceId, moving: bool = False) -> frozenset[Rank]:
        """Return the ranks that never move, where a piece that moved, or is `moving`, loses the game if it turns out to have one.

        Empty without the option `immobile_moved` (DE), and where more than its moves speaks against them.
        """
        if self.rule_set.option("immobile_moved", "illegal") != "forfeit":
            return frozenset()
        index = self._by_id[piece]
        if self._deeds[index]:
            return self._rules.ranks_of(self._unless_moved(index))
        return self._rules.ranks_of(self._possible[index] & self._rules.no_movers if moving else 0)

    def forget_forfeits(self, ranks: Mapping[PieceId, Rank]) -> None:
        """Let the pieces whose ranks here are `forfeits_as` be what they are: their moves no longer tell of them."""
        self._forget_moves({self._by_id[piece] for piece, rank in ranks.items() if rank in self.forfeits_as(piece)})

    def _see_end(self) -> None:
        if isinstance(self._special, Castle):
            self._special.see_end(self)
        else:
            super()._see_end()

    def mobile(self, seat: Seat) -> Mobility:
        """Say whether a seat has a basic move, as far as it follows from what is known; bars are not counted."""
        if self._strange:
            assert self._special is not None
            return self._special.mobility(self, seat)
        return self._mobility(self.rule_set.seats.index(seat))

    def _mobility(self, side: int) -> Mobility:
        found = super()._mobility(side)
        if found is Mobility.NO and self._special is not None:
            return self._special.mobility(self, self._rules.seats[side])
        return found

    # ---- what may be done

    def _reasons(self, action: Action) -> tuple[Refusal, ...]:
        if self.result is not None:
            return (Refusal(Reason.GAME_OVER),)
        special = self._special
        if special is not None and (special.owns_moves or not isinstance(action, Move) or action.via):
            return special.refusals(self, action)
        if not isinstance(action, Move):
            return (Refusal(Reason.NOT_A_MOVE),)
        move = self._board.own(action)
        plan = None if move is None else move._plan
        if move is not None and plan is not None and self._can_go(plan):
            if self._crosses(move):
                return (Refusal(Reason.TWO_SQUARES, (action.source, action.target)),)
            if self._recreates(move):
                reason = Reason.SITUATION if self._rules.situations else Reason.CHASE
                return (Refusal(reason, (action.source, action.target)),)
            return ()
        return move_refusals(self, action)

    def is_attack(self, action: Action) -> bool:
        """Say whether an action attacks a piece: a move onto one, an infiltration, a shot."""
        if isinstance(action, Move):
            return self.piece_at(action.target) is not None
        return isinstance(action, Infiltrate | Fire)

    def attack_targets(self, square: Square) -> tuple[Square, ...]:
        """Give the squares that the piece here may attack by a legal move of the seat to move."""
        found = [
            action.target
            for action in self.legal_actions()
            if isinstance(action, Move) and action.source == square and self.is_attack(action)
        ]
        return tuple(dict.fromkeys(found))

    def situation(self) -> Situation:
        """Give where the armies stand and every basic move that what is known allows, barred ones too."""
        if self.result is not None:
            return Situation(self.occupants(), None)
        prospects: list[Prospect] = []
        for move in self._basic():
            if isinstance(move, Move) and not move.leaving and move._plan is not None:
                prospects.append(self._board.prospect(move, self._at[move._plan[2]] != EMPTY))
        return Situation(self.occupants(), self.turn, tuple(prospects))

    def barred(self) -> tuple[tuple[Square, Square], ...]:
        """Give source and target of each basic move that only a repetition rule forbids now; none in Stratego 4, which has no such rule."""
        if self.result is not None or self._strange or not (self._bars[self._me] or self._chase[self._me]):
            return ()
        moves = [move for move in self._basic_moves(self._me) if isinstance(move, Move)]
        return tuple((move.source, move.target) for move in moves if self._crosses(move) or self._recreates(move))

    def _basic(self) -> list[Action]:
        special = [] if self._special is None else self._special.basic_moves(self)
        return special if self._strange else [*self._basic_moves(self._me), *special]

    # ---- ends that players bring about

    def end(self, winner: Seat | None, reason: EndReason) -> None:
        """End the game by what the board cannot show: resignation, agreement, clock. Raises `IllegalActionError` once over."""
        if self.result is not None:
            raise IllegalActionError([Refusal(Reason.GAME_OVER)])
        self.result = GameResult(winner, reason)

    def drop_out(self, seat: Seat) -> None:
        """Take a seat that gives up out of the game; of two seats the other one wins at once, of more they play on."""
        if self.result is not None:
            raise IllegalActionError([Refusal(Reason.GAME_OVER)])
        if isinstance(self._special, Castle):
            self._special.drop_out(self, seat)
        else:
            self.result = GameResult(self.rule_set.seat_after(seat), EndReason.RESIGN)

    @property
    def castle(self) -> Castle | None:
        """Flags, sliders, who is out and what is owed, in Stratego 4; to be read, never to be changed."""
        return self._special if isinstance(self._special, Castle) else None

    # ---- what the engine asks of its game

    def _special_actions(self) -> list[Action]:
        assert self._special is not None
        return self._special.actions(self)

    def _play_special(
        self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank] | None
    ) -> Played:
        refusals = self.refusals(action)
        if self._special is not None and not refusals:
            return self._special.play(self, action, result, shown or {})
        if isinstance(action, Move) and self._forfeits(action, refusals):
            loser = self.turn
            self.result = GameResult(self.rule_set.seat_after(loser), EndReason.FORFEIT)
            self.ply += 1
            return Played(action, loser, self.piece_at(action.source))
        raise IllegalActionError(refusals)

    def _forfeits(self, action: Move, refusals: tuple[Refusal, ...]) -> bool:
        """Say whether this moves a bomb or the flag where that loses the game at once (option, DE)."""
        only = {refusal.reason for refusal in refusals} == {Reason.IMMOBILE}
        return only and self.rule_set.option("immobile_moved", "illegal") == "forfeit"


def _check_position(rule_set: RuleSet, occupants: Mapping[Square, Seat], ranks: Mapping[Square, Rank]) -> None:
    known = set(rule_set.board.squares)
    faults = [f"{square.name} is no square" for square in {**occupants, **ranks} if square not in known]
    faults += [f"{square.name} holds no piece" for square in ranks if square not in occupants]
    faults += [
        f"{seat.value} does not play" for seat in dict.fromkeys(occupants.values()) if seat not in rule_set.seats
    ]
    faults += [
        f"{square.name} holds a rank that {rule_set.name} has not"
        for square, rank in ranks.items()
        if rank not in rule_set.ranks
    ]
    if faults:
        raise PositionError("; ".join(faults))
