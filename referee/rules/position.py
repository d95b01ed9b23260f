"""The position of one game: where the pieces are, what is known of them, whose turn it is, what repetition remembers.

It is kept up to date with every ply instead of computed again: for each side a table from square to the steps of the piece
there (`steps`), and from square to the runs of a possible runner (`_runs`, looked at again only where something in its view
has changed). So the list of moves, and whether there is one at all, cost next to nothing. Inside, a square, a piece, a seat
and a side (a team; of two seats the seat) are each an index, a set of ranks or of borders an integer of bits; the methods
that variants and `Game` use speak of `Square`, `PieceId`, `Seat` and `Rank`.

Does not know what is legal or when a game is over: that is a variant's (`referee.rules.variants`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from referee.rules import outcomes
from referee.rules.actions import NO_PLAN, RUN, STEP, Move, Plan
from referee.rules.knowledge import Knowledge
from referee.rules.outcomes import CombatResult, Doubt, DoubtKind, Reason
from referee.rules.repetition import MoreSquares, TwoSquares
from referee.rules.ruleset import RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square

EMPTY = -1
OFF_BOARD = 255
"""No board has so many squares (`board_file.MOST_SQUARES`)."""
_STALE: tuple[int, tuple[Move, ...]] = (-1, ())
_ATTACKER_LOST = frozenset({CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST})
_DEFENDER_LOST = frozenset({CombatResult.ATTACKER_WINS, CombatResult.BOTH_LOST, CombatResult.FLAG_TAKEN})


class Position:
    """The state of one game, and what changes it. Raises `PositionError` for pieces that cannot be like this."""

    __slots__ = (
        *("_armies", "_changed", "_dirty", "_index", "_runs", "_sides", "at", "board", "free", "ids", "known"),
        *("last_loss", "me", "more_squares", "ply", "possible", "result", "rules", "seat", "side", "steps"),
        *("tables", "two_squares", "walker", "where"),
    )

    def __init__(
        self, rules: RuleSet, occupants: Mapping[Square, Seat], ranks: Mapping[Square, Rank], turn: Seat | None
    ) -> None:
        _check(rules, occupants, ranks)
        board, tables = rules.board, rules.tables
        self.rules, self.board, self.tables = rules, board, tables
        armies = {seat: [square for square in board.squares if occupants.get(square) is seat] for seat in rules.seats}
        where = [square for army in armies.values() for square in army]
        self.ids = [PieceId(seat, number) for seat, army in armies.items() for number in range(len(army))]
        self._index = {piece: at for at, piece in enumerate(self.ids)}
        self._armies: dict[Seat, slice] = {}
        """By seat which of all pieces are its own."""
        begin = 0
        for seat, army in armies.items():
            self._armies[seat] = slice(begin, begin := begin + len(army))
        self._sides = [tables.side_of[rules.seats.index(piece.seat)] for piece in self.ids]
        given = {at: tables.bit[ranks[square]] for at, square in enumerate(where) if square in ranks}
        self.known = Knowledge(tables, rules.seats, self.ids, given)
        self.possible = self.known.possible
        """By piece the ranks that it may have; the list is the one of `known`."""
        self.where = bytearray([OFF_BOARD] * len(where))
        """By piece its square, or `OFF_BOARD`; as bytes, so that two positions are compared at once."""
        self.at = [EMPTY] * len(board.squares)
        """By square the piece there."""
        self.side = [EMPTY] * len(board.squares)
        """By square the side of the piece there."""
        self.walker = [EMPTY] * len(board.squares)
        """By square the side of the piece there if that may be one that moves."""
        self.free = [board.full.copy() for _ in tables.sides]
        """By side and square the mask of the neighbours where no piece of this side is."""
        self.steps: list[dict[int, tuple[Move, ...]]] = [{} for _ in tables.sides]
        """By side and square the steps of the piece there, those onto enemies among them."""
        self._runs: list[dict[int, tuple[int, tuple[Move, ...]]]] = [{} for _ in tables.sides]
        """By side and square what a possible runner sees and its moves beyond one step."""
        self._dirty = [-1] * len(tables.sides)
        """By side the squares that changed before any runners looked last, but not since its own did."""
        self._changed = 0
        """The squares that have changed since any runners looked."""
        for piece, square in enumerate(where):
            self._put(piece, board.index[square])
        self.ply = self.last_loss = 0
        self.result: outcomes.GameResult | None = None
        self.two_squares = TwoSquares(len(rules.seats), rules.two_square_limit)
        self.more_squares = MoreSquares(rules, self.where)
        self.give_turn(turn or Seat(rules.option("first_seat", rules.seats[0].value)))

    def copy(self) -> Position:
        """Return an independent copy."""
        other = Position.__new__(Position)
        for name in Position.__slots__:  # a third of the time that `copy.copy` takes
            setattr(other, name, getattr(self, name))
        for name in ("known", "where", "at", "side", "walker", "_dirty", "two_squares", "more_squares"):
            setattr(other, name, getattr(self, name).copy())
        for name in ("free", "steps", "_runs"):
            setattr(other, name, [each.copy() for each in getattr(self, name)])
        other.possible = other.known.possible
        return other

    # ---- what is where

    @property
    def turn(self) -> Seat:
        """The seat whose action is expected next."""
        return self.rules.seats[self.seat]

    def piece_at(self, square: Square) -> PieceId | None:
        """Return the piece on a square, None for an empty one; raises `UnknownSquareError`."""
        try:
            piece = self.at[self.board.index[square]]
        except KeyError:
            raise outcomes.UnknownSquareError(f"board {self.board.name} has no square {square.name!r}") from None
        return None if piece == EMPTY else self.ids[piece]

    def is_hostile(self, piece: PieceId, square: Square) -> bool | None:
        """Return whether a piece of another side (True) or of its own (False) is on a square, None for an empty one."""
        side = self.side[self.board.index[square]]
        return None if side == EMPTY else side != self._sides[self._index[piece]]

    def own_piece_at(self, square: Square) -> PieceId | Reason:
        """Return the piece on a square if it is one of the seat to move, else why not; raises `UnknownSquareError`."""
        piece = self.piece_at(square)
        if piece is None:
            return Reason.NO_PIECE
        return piece if piece.seat is self.turn else Reason.NOT_YOUR_PIECE

    def square_of(self, piece: PieceId) -> Square | None:
        """Return where a piece is, None once it has left the board."""
        square = self.where[self._index[piece]]
        return None if square == OFF_BOARD else self.board.squares[square]

    def occupants(self) -> dict[Square, Seat]:
        """Return which seat's piece is on which square."""
        squares, ids = self.board.squares, self.ids
        return {squares[at]: ids[piece].seat for at, piece in enumerate(self.at) if piece != EMPTY}

    def pieces(self, seat: Seat, captured: bool = False) -> tuple[PieceId, ...]:
        """Return a seat's pieces on the board, or those that have left it, by number."""
        army = self._armies.get(seat, slice(0))
        places = zip(self.ids[army], self.where[army], strict=True)
        return tuple([piece for piece, at in places if (at == OFF_BOARD) is captured])

    def ranks_of(self, piece: PieceId) -> frozenset[Rank]:
        """Return the ranks that a piece may have."""
        return self.tables.ranks_of(self.possible[self._index[piece]])

    def squares_of(self, seat: Seat, rank: Rank) -> list[Square]:
        """Return where a seat's pieces are that may have a rank."""
        bit = self.tables.mask([rank])
        return [
            self.board.squares[at]
            for piece, at, mask in zip(self.ids, self.where, self.possible, strict=True)
            if mask & bit and at != OFF_BOARD and piece.seat is seat
        ]

    def has_acted(self, piece: PieceId) -> bool:
        """Return whether a piece has moved or attacked."""
        return self.known.deeds[self._index[piece]] != 0

    def immobile_ranks_of(self, piece: PieceId) -> frozenset[Rank]:
        """Return the ranks that never move which a piece may have, or could have were it not for its moves."""
        index = self._index[piece]
        if self.has_acted(piece):
            return self.tables.ranks_of(self.known.unless_moved(index))
        return self.tables.ranks_of(self.possible[index] & self.tables.no_movers)

    # ---- pieces come, go and move

    def put(self, piece: PieceId, square: Square) -> None:
        """Put a captured piece back on an empty square."""
        self._put(self._index[piece], self.board.index[square])

    def take(self, squares: Iterable[Square]) -> tuple[PieceId, ...]:
        """Take the pieces off some squares; return which."""
        return tuple([self._take(self.board.index[square]) for square in squares])

    def fight(
        self, plan: Plan, movers: int, result: CombatResult | None, shown: Mapping[PieceId, Rank]
    ) -> tuple[CombatResult, tuple[PieceId, ...]]:
        """Carry out an attack and note the turn; return the verdict and who was captured. `movers` are the ranks that can attack this way.

        May raise, then nothing has changed.
        """
        piece, captured = self.at[plan.source], []
        verdict = self._judge(piece, self.at[plan.target], movers, result, shown)
        if verdict in _ATTACKER_LOST:
            captured.append(self._take(plan.source))
        if verdict in _DEFENDER_LOST:
            captured.append(self._take(plan.target))
            if verdict is not CombatResult.BOTH_LOST:
                self.shift(plan)
        self._note(piece, plan)
        return verdict, tuple(captured)

    def shift(self, plan: Plan) -> None:
        """Move a piece to an empty square."""
        piece = self.at[plan.source]
        self._lift(plan.source)
        self._put(piece, plan.target)

    def go(self, plan: Plan) -> None:
        """Carry out an ordinary move without attack, and note what it tells of its piece."""
        piece = self.at[plan.source]
        wrong = self.possible[piece] & (self.tables.no_runners if plan.kind else self.tables.no_movers)
        if wrong:
            self._learn({piece: ~wrong}, DoubtKind.MOVED)
        self.shift(plan)
        self._note(piece, plan)

    def _put(self, piece: int, square: int) -> None:
        side, possible, tables = self._sides[piece], self.possible[piece], self.tables
        self.at[square], self.side[square], self.where[piece] = piece, side, square
        self._flip(side, square)
        if possible & tables.movers:
            self.walker[square] = side
            if mask := self.free[side][square]:
                self.steps[side][square] = self.board.steps[square][mask]
        if possible & tables.runners:
            self._runs[side][square] = _STALE

    def _take(self, square: int) -> PieceId:
        piece = self.at[square]
        self._lift(square)
        self.where[piece] = OFF_BOARD
        self.last_loss = self.ply + 1
        return self.ids[piece]

    def _lift(self, square: int) -> None:
        side = self.side[square]
        self.at[square] = self.side[square] = self.walker[square] = EMPTY
        self.steps[side].pop(square, None)
        self._runs[side].pop(square, None)
        self._flip(side, square)

    def _flip(self, side: int, square: int) -> None:
        """Let a side's pieces beside a square know that it was freed or occupied."""
        masks, steps, walker, by_mask = self.free[side], self.steps[side], self.walker, self.board.steps
        for near, bits in self.board.lifts[square]:
            mask = masks[near] = masks[near] ^ bits
            if walker[near] == side:
                if mask:
                    steps[near] = by_mask[near][mask]
                else:
                    del steps[near]
        self._changed |= 1 << square

    # ---- what is learned

    def narrow(self, told: Mapping[PieceId, frozenset[Rank]], why: DoubtKind) -> None:
        """Narrow pieces to these ranks, and their armies; raises `ContradictionError`, then nothing has changed."""
        self._learn({self._index[piece]: self.tables.mask(ranks) for piece, ranks in told.items()}, why)

    def forget_moves(self, pieces: Iterable[PieceId]) -> None:
        """Take back what only their moves told of some pieces."""
        self.known.forget_moves({self._index[piece] for piece in pieces})

    def _judge(
        self, piece: int, other: int, movers: int, result: CombatResult | None, shown: Mapping[PieceId, Rank]
    ) -> CombatResult:
        """Return the verdict of an attack between pieces that may not be known, and narrow what they can be by it."""
        tables, wanted = self.tables, {piece: movers, other: -1}
        verdict = tables.by_bits.get((self.possible[piece], self.possible[other]))
        if verdict is not None and not shown and result in (None, verdict):
            return verdict  # both are known: nothing is to be learned
        for one, mask in wanted.items():
            rank = shown.get(self.ids[one])
            if rank is not None:
                told = tables.mask([rank])
                doubts = self.known.doubts(one, told, DoubtKind.TOLD)
                if not told & mask:
                    doubts.append(Doubt(self.ids[one], DoubtKind.RAN if movers == tables.runners else DoubtKind.MOVED))
                if doubts:
                    raise outcomes.ContradictionError(dict.fromkeys(doubts))
                wanted[one] = mask & told
        verdicts = tables.verdicts_of(*(self.possible[one] & mask for one, mask in wanted.items()))
        if result is None:
            if len(verdicts) != 1:
                raise outcomes.ResultNeededError("this attack needs its verdict told: not both ranks are known")
            result = next(iter(verdicts))
        if result not in verdicts:
            raise outcomes.ContradictionError([Doubt(self.ids[one], DoubtKind.VERDICT) for one in wanted])
        self._learn(dict(zip(wanted, verdicts[result], strict=True)), DoubtKind.VERDICT)
        return result

    def _learn(self, wanted: Mapping[int, int], why: DoubtKind) -> None:
        """Narrow pieces; those that cannot move or run any more lose their moves."""
        for piece, mask in self.known.learn(wanted, why).items():
            square = self.where[piece]
            if square == OFF_BOARD:
                continue
            side = self.side[square]
            if not mask & self.tables.movers:
                self.walker[square] = EMPTY
                self.steps[side].pop(square, None)
            if not mask & self.tables.runners:
                self._runs[side].pop(square, None)

    # ---- moves

    def basic_moves(self) -> list[Move]:
        """Return every ordinary move of the seat to move that some possible rank allows; repetition is not looked at."""
        side = self.me
        found: list[Move] = []
        for moves in self.steps[side].values():
            found += moves
        runs = self._runs[side]
        if runs:
            if self._changed:
                for other in self.tables.sides:
                    self._dirty[other] |= self._changed
                self._changed = 0
            changed = self._dirty[side]
            for square, seen in runs.items():
                if seen[0] & changed:
                    seen = runs[square] = self._look(square, side)
                found += seen[1]
            self._dirty[side] = 0
        return found

    def _look(self, square: int, side: int) -> tuple[int, tuple[Move, ...]]:
        """Return what a runner sees from here (squares up to the first piece each way), and its moves beyond one step."""
        sides = self.side
        view = 0
        found: list[Move] = []
        for first, seen, further, whole in self.board.rays[square]:
            if sides[first] != EMPTY:
                view |= seen
                continue
            for at, seen, move in further:
                there = sides[at]
                if there == EMPTY:
                    found.append(move)
                    continue
                if there != side:
                    found.append(move)
                view |= seen
                break
            else:
                view |= whole
        return view, tuple(found)

    def can_go(self, plan: Plan) -> bool:
        """Return whether a piece of the seat to move may go this way, a step or a run; repetition is not looked at."""
        me = self.me
        is_open = self.walker[plan.source] == me and self.side[plan.target] != me
        return is_open and (plan.kind == STEP or self.can_run(plan))

    def can_run(self, plan: Plan) -> bool:
        """Return whether the piece on a plan's source may be a runner whose way, more than a step, is free."""
        if plan.kind != RUN or not self.possible[self.at[plan.source]] & self.tables.runners:
            return False
        sides = self.side
        for square in plan.path[:-1]:  # noqa: SIM110 - a generator costs more than the whole look
            if sides[square] != EMPTY:
                return False
        return True

    # ---- turns

    def may_bar(self) -> bool:
        """Return whether a repetition rule can forbid the seat to move anything."""
        return bool(self.two_squares.barred[self.seat]) or self.more_squares.may_bar(self.seat)

    def give_turn(self, seat: Seat) -> None:
        """Pass the turn to a seat."""
        self.seat = self.rules.seats.index(seat)
        self.me = self.tables.side_of[self.seat]

    def threatens(self, square: int) -> bool:
        """Return whether an enemy of the seat to move is beside a square (two seats)."""
        return self.free[1 - self.me][square] != self.board.full[square]

    def bars(self, move: Move) -> bool:
        """Return whether the two-squares rule bars an own move of the board."""
        return self.two_squares.bars(self.seat, self.at[move.plan.source], move.plan.borders)

    def note_turn(self, piece: PieceId, plan: Plan = NO_PLAN) -> None:
        """Note what a piece did: an attack or a special move, or without a plan what crosses no border (an infiltration, a shot)."""
        self._note(self._index[piece], plan)

    def _note(self, piece: int, plan: Plan) -> None:
        self.known.deeds[piece] |= 1 << plan.kind
        if plan is NO_PLAN:
            self.two_squares.note_stay(self.seat)
        else:
            self.two_squares.note_move(self.seat, piece, plan.source, plan.borders)


def _check(rules: RuleSet, occupants: Mapping[Square, Seat], ranks: Mapping[Square, Rank]) -> None:
    known = set(rules.board.squares)
    faults = [f"{square.name} is no square" for square in {**occupants, **ranks} if square not in known]
    faults += [f"{square.name} holds no piece" for square in ranks if square not in occupants]
    faults += [f"{seat.value} does not play" for seat in dict.fromkeys(occupants.values()) if seat not in rules.seats]
    faults += [
        f"{square.name} holds a rank that {rules.name} has not"
        for square, rank in ranks.items()
        if rank not in rules.ranks
    ]
    if faults:
        raise outcomes.PositionError("; ".join(faults))
