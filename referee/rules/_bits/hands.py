"""What special rules may do to a game, in real types: narrow, settle, put and take pieces, remember, pass the turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.rules._bits.engine import Engine
from referee.rules._bits.knowledge import MOVED, RAN
from referee.rules._bits.position import EMPTY
from referee.rules._bits.tables import RUN, Plan
from referee.rules.actions import Move
from referee.rules.outcomes import CombatResult, GameResult, Why
from referee.rules.values import PieceId, Rank, Seat, Square


class Hands:
    """The hands of special rules on one game; made anew for every action."""

    def __init__(self, game: Engine) -> None:
        self._game = game

    def plan(self, move: Move) -> Plan:
        """Give the plan of a move that is the board's own."""
        assert move._plan is not None
        return move._plan

    def bars(self, move: Move) -> bool:
        """Say whether the two-squares rule bars an own move of the board."""
        return self._game._crosses(move)

    def narrow(self, told: Mapping[PieceId, frozenset[Rank]], why: Why) -> None:
        """Narrow pieces to these ranks, and their armies; raises `ContradictionError` and changes nothing."""
        game = self._game
        game._learn({self._index(piece): game._rules.mask(ranks) for piece, ranks in told.items()}, why)

    def judge(
        self,
        piece: PieceId,
        other: PieceId,
        movers: frozenset[Rank],
        result: CombatResult | None,
        shown: Mapping[PieceId, Rank],
    ) -> CombatResult:
        """Give the verdict of an attack by one of these ranks and narrow both pieces by it; may raise, changing nothing."""
        mask = self._game._rules.mask(movers)
        return self._game._judge(self._index(piece), self._index(other), mask, result, shown)

    def settle(self, move: Move, verdict: CombatResult) -> tuple[PieceId, ...]:
        """Take the losers of an attack off, let a winning attacker step forward; give who was captured."""
        return self._game._settle(self.plan(move), verdict)

    def step(self, move: Move) -> None:
        """Move a piece to an empty square."""
        self._game._shift_piece(self.plan(move))

    def take(self, squares: Iterable[Square]) -> tuple[PieceId, ...]:
        """Take pieces off the board; give which."""
        game = self._game
        indices = [game._board.index[square] for square in squares]
        captured = tuple(game._ids[game._at[index]] for index in indices)
        for index in indices:
            game._take(index)
        game._progress = game.ply + 1
        return captured

    def put(self, piece: PieceId, square: Square) -> None:
        """Put a captured piece back on an empty square."""
        self._game._put(self._index(piece), self._game._board.index[square])

    def remember_move(self, piece: PieceId, move: Move) -> None:
        """Note the borders of a turn that moved a piece."""
        index, plan = self._index(piece), self.plan(move)
        self._game._deeds[index] |= MOVED | RAN if plan[3] == RUN else MOVED
        self._game._remember_turn(index, plan[1], plan[4])

    def remember_stay(self, piece: PieceId | None) -> None:
        """Note a turn without a crossing: a pass, an infiltration, a shot."""
        if piece is not None:
            self._game._deeds[self._index(piece)] |= MOVED
        self._game._forget_turn()

    def remember_attack(self, target: Square) -> None:
        """Note an attack for the rule of repetition."""
        if self._game._rules.remembers:
            self._game._remember_attack(self._game._board.index[target])

    def count_ply(self) -> None:
        """Count a ply that special rules carried out."""
        self._game.ply += 1

    def end_turn(self) -> None:
        """Pass the turn to the other of two seats and see whether the game is over."""
        self._game._end_turn()

    def give_turn(self, seat: Seat) -> None:
        """Give the turn to any seat."""
        rules = self._game._rules
        self._game._seat = rules.seats.index(seat)
        self._game._me = rules.team_of[self._game._seat]

    def quiet_plies(self) -> int:
        """Give how many plies ago the last piece was lost."""
        return self._game.ply - self._game._progress

    def finish(self, result: GameResult) -> None:
        """End the game."""
        self._game.result = result

    def standing(self, seat: Seat, rank: Rank) -> list[Square]:
        """Give where a seat's pieces stand that may have a rank."""
        game = self._game
        bit, mine = game._rules.bit[rank], game._rules.seat_index[seat]
        return [
            game._board.squares[game._where[piece]]
            for piece, mask in enumerate(game._possible)
            if mask & bit and game._where[piece] != EMPTY and game._seat_of[piece] == mine
        ]

    def _index(self, piece: PieceId) -> int:
        return self._game._ids.index(piece)
