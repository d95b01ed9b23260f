"""One game under any knowledge: what is legal, what an action does, when it is over. The door of this room.

Every piece is tracked; its possible ranks are a set that shrinks with what is told and seen. With all ranks known the sets
have one member and nothing is left open; with none known the same rules hold as far as they follow from where pieces
went. An action is *legal* here if some possible rank allows it. A game is a position and a variant, the object that knows
its rules. Does not do: time, players' wishes, what sensors saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.rules import outcomes
from referee.rules.actions import Action, Fire, Infiltrate, Move, Plan
from referee.rules.outcomes import Reason, Refusal
from referee.rules.position import EMPTY, Position
from referee.rules.ruleset import RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.rules.variants import Variant, variant_of
from referee.rules.variants.castle import CastleState


class Game:
    """A game from its set-up (or any position) to its end. Mutable; `copy` is cheap and independent.

    `occupants` says where the pieces are, `ranks` what they are as far as that is known; `turn` is the seat to move,
    the first one of the rule set if left out. Pieces are numbered by seat in the board's square order. Raises
    `PositionError`.
    """

    __slots__ = ("_position", "_prospects", "_variant", "rule_set")

    rule_set: RuleSet
    _position: Position
    _variant: Variant
    _prospects: dict[tuple[Plan, bool], outcomes.Prospect]
    """By move and whether it attacks; all copies keep them together, for each ply's situation holds nearly those of the one before."""

    def __init__(
        self,
        rule_set: RuleSet,
        occupants: Mapping[Square, Seat],
        ranks: Mapping[Square, Rank] | None = None,
        turn: Seat | None = None,
    ) -> None:
        self.rule_set = rule_set
        self._position = Position(rule_set, occupants, ranks or {}, turn)
        self._variant = variant_of(self._position)
        self._variant.see_end()
        self._prospects = {}

    def copy(self) -> Game:
        """Return an independent copy."""
        other = Game.__new__(Game)
        other.rule_set = self.rule_set
        other._position = self._position.copy()
        other._variant = self._variant.copy(other._position)
        other._prospects = self._prospects
        return other

    def __repr__(self) -> str:
        over = f", {self.result.reason.value}" if self.result else f", {self.turn.value} to move"
        pieces = ", ".join(f"{seat.value} {len(self.pieces(seat))}" for seat in self.rule_set.seats)
        return f"Game({self.rule_set.name}, ply {self.ply}{over}; {pieces})"

    # ---- how it stands

    @property
    def ply(self) -> int:
        """Plies played so far."""
        return self._position.ply

    @property
    def result(self) -> outcomes.GameResult | None:
        """How the game ended, None while it goes on. Who judges more strictly than this game's knowledge may set it."""
        return self._position.result

    @result.setter
    def result(self, result: outcomes.GameResult | None) -> None:
        self._position.result = result

    @property
    def turn(self) -> Seat:
        """The seat whose action is expected next (after the end: whose it would be)."""
        return self._position.turn

    @property
    def castle(self) -> CastleState | None:
        """Flags, sliders, who is out and what is owed, in Stratego 4; to be read, never to be changed."""
        return self._variant.castle

    def piece_at(self, square: Square) -> PieceId | None:
        """Return the piece on a square, None for an empty one. Raises `UnknownSquareError` for one that the board has not."""
        return self._position.piece_at(square)

    def square_of(self, piece: PieceId) -> Square | None:
        """Return where a piece is, None once it has left the board."""
        return self._position.square_of(piece)

    def occupants(self) -> dict[Square, Seat]:
        """Return which seat's piece is on which square."""
        return self._position.occupants()

    def pieces(self, seat: Seat) -> tuple[PieceId, ...]:
        """Return a seat's pieces on the board, by number."""
        return self._position.pieces(seat)

    def captured(self, seat: Seat) -> tuple[PieceId, ...]:
        """Return a seat's pieces that have left the board, by number."""
        return self._position.pieces(seat, captured=True)

    # ---- what is known

    def possible(self, piece: PieceId) -> frozenset[Rank]:
        """Return the ranks that a piece may have: exactly those that some complete assignment of its army gives it."""
        return self._position.ranks_of(piece)

    def possible_for(self, piece: PieceId, action: Action) -> frozenset[Rank]:
        """Return the ranks that a piece may have if it does this: a mover is no bomb, one that goes far is a scout."""
        return self._position.ranks_of(piece) & self._variant.ranks_able_to(action)

    def moved(self, piece: PieceId) -> bool:
        """Return whether a piece has moved or attacked in this game."""
        return self._position.has_acted(piece)

    def learn(self, piece: PieceId, ranks: frozenset[Rank]) -> None:
        """Narrow a piece to these ranks, and its army by the counts; the game may be over then, also by `forfeits_as`.

        Raises `ContradictionError` with the reasons if it has none of them; nothing has changed then.
        """
        position = self._position
        if position.result is None and ranks and ranks <= self.forfeits_as(piece):
            position.result = outcomes.GameResult(self.rule_set.seat_after(piece.seat), outcomes.EndReason.FORFEIT)
            return
        position.narrow({piece: ranks}, outcomes.DoubtKind.TOLD)
        if position.result is None:
            self._variant.see_end()

    def forfeits_as(self, piece: PieceId, moving: bool = False) -> frozenset[Rank]:
        """Return the ranks that never move, where a piece that moved, or is `moving`, loses the game if it turns out to have one.

        Empty without the option `immobile_moved` (DE), and where more than its moves speaks against them.
        """
        if not self.rule_set.moving_forfeits or not (moving or self.moved(piece)):
            return frozenset()
        return self._position.immobile_ranks_of(piece)

    def forget_forfeits(self, ranks: Mapping[PieceId, Rank]) -> None:
        """Let the pieces whose ranks here are `forfeits_as` be what they are: their moves no longer tell of them."""
        self._position.forget_moves(piece for piece, rank in ranks.items() if rank in self.forfeits_as(piece))

    def mobile(self, seat: Seat) -> outcomes.Mobility:
        """Return whether a seat has a basic move, as far as it follows from what is known; bars are not counted."""
        return self._variant.mobility(seat)

    # ---- what may be done, and what it does

    def legal_actions(self) -> Sequence[Action]:
        """Return every action that some possible rank allows, both repetition rules counted; in no particular order."""
        return [] if self._position.result is not None else self._variant.legal_actions()

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason against an action of the seat to move, () for a legal one; asked before it is played.

        Where both repetition rules bar a move only two squares is named (rules, section 4).
        """
        return self._variant.refusals(action) if self._position.result is None else (Refusal(Reason.GAME_OVER),)

    def play(
        self, action: Action, result: outcomes.CombatResult | None = None, shown: Mapping[PieceId, Rank] | None = None
    ) -> outcomes.ActionResult:
        """Carry out a legal action and return what it did; the turn passes and `result` is set if the game is over.

        An attack between pieces whose ranks are not both known needs its verdict in `result`; `shown` tells ranks that
        were shown with it. Raises `IllegalActionError`, `ResultNeededError` or `ContradictionError`; then nothing has
        changed.
        """
        if self._position.result is not None:
            raise outcomes.IllegalActionError([Refusal(Reason.GAME_OVER)])
        return self._variant.play(action, result, shown or {})

    def is_attack(self, action: Action) -> bool:
        """Return whether an action attacks a piece: a move onto one, an infiltration, a shot."""
        if isinstance(action, Move):
            return self.piece_at(action.target) is not None
        return isinstance(action, Infiltrate | Fire)

    def attack_targets(self, square: Square) -> tuple[Square, ...]:
        """Return the squares that the piece here may attack by a legal move of the seat to move."""
        found = [
            action.target
            for action in self.legal_actions()
            if isinstance(action, Move) and action.source == square and self.is_attack(action)
        ]
        return tuple(dict.fromkeys(found))

    def situation(self) -> outcomes.Situation:
        """Return where the armies are and every basic move that what is known allows, barred ones too."""
        return self.copy()._situation()  # `after` plays from here, so it needs a game that does not go on meanwhile

    def _situation(self) -> outcomes.Situation:
        """Return the situation of a game that nobody plays on."""
        if self.result is not None:
            return outcomes.Situation(self.occupants(), None, after=self._after)
        prospects = tuple([self._prospect(move) for move in self._variant.basic_moves() if not move.leaving])
        return outcomes.Situation(self.occupants(), self.turn, prospects, self._after)

    def _prospect(self, move: Move) -> outcomes.Prospect:
        plan = move.plan
        way = (plan, self._position.at[plan.target] != EMPTY)
        found = self._prospects.get(way)
        if found is None:
            found = self._prospects[way] = outcomes.Prospect(move.source, move.target, way[1], plan.entered, move.via)
        return found

    def _after(self, prospect: outcomes.Prospect) -> outcomes.Situation:
        move = Move(prospect.source, prospect.target, prospect.path_told)
        try:
            if not self.is_attack(move):
                game = self.copy()
                game.play(move)
                return game._situation()
        except outcomes.RulesError:
            pass  # refused, or no square of this board
        return outcomes.Situation(self.occupants(), None)

    def barred(self) -> tuple[tuple[Square, Square], ...]:
        """Return source and target of each basic move without a turn that only a repetition rule forbids now."""
        if self.result is not None or not self._position.may_bar():
            return ()
        moves = [move for move in self._variant.basic_moves() if not (move.via or move.leaving)]
        return tuple((move.source, move.target) for move in moves if self._variant.refusals(move))

    # ---- ends that players bring about

    def end(self, winner: Seat | None, reason: outcomes.EndReason) -> None:
        """End the game by what the board cannot show: resignation, agreement, clock. Raises `IllegalActionError` once over."""
        self._must_go_on()
        self._position.result = outcomes.GameResult(winner, reason)

    def drop_out(self, seat: Seat) -> None:
        """Take a seat that gives up out of the game; of two seats the other one wins at once, of more they play on."""
        self._must_go_on()
        self._variant.drop_out(seat)

    def _must_go_on(self) -> None:
        if self._position.result is not None:
            raise outcomes.IllegalActionError([Refusal(Reason.GAME_OVER)])
