"""One game in integers: where the pieces stand, what each may do, and what both repetition rules remember.

Kept up to date with every ply instead of computed anew: for each side a table from square to the steps of the piece there
(`_steps`), and from square to the runs of a possible runner (`_runs`, looked at again only where something in its view
has changed). So the list of moves, and whether there is one at all, cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules._bits.knowledge import Knowledge
from referee.rules._bits.masks import RuleTables
from referee.rules._bits.tables import RUN, STEP, BoardTables, Plan
from referee.rules.actions import Action, Move
from referee.rules.values import PieceId

EMPTY = -1
STALE: tuple[int, tuple[Move, ...]] = (-1, ())


class Position(Knowledge):
    """The state of one game. Sides are teams; with two seats side, team and seat are the same index."""

    __slots__ = (
        "_at",
        "_bars",
        "_board",
        "_came",
        "_chase",
        "_crossed",
        "_dirty",
        "_ends",
        "_last",
        "_me",
        "_open",
        "_runs",
        "_seat",
        "_shift",
        "_side",
        "_sides",
        "_steps",
        "_walker",
        "_where",
    )

    def __init__(
        self,
        board: BoardTables,
        rules: RuleTables,
        ids: tuple[PieceId, ...],
        where: list[int],
        given: Mapping[int, int],
    ) -> None:
        super().__init__(rules, ids, given)
        self._board = board
        self._where = where
        self._at = [EMPTY] * len(board.squares)
        self._side = [EMPTY] * len(board.squares)
        self._walker = [EMPTY] * len(board.squares)
        self._open: list[list[int]] = [board.full.copy() for _ in range(rules.teams)]
        self._steps: list[dict[int, tuple[Move, ...]]] = [{} for _ in range(rules.teams)]
        self._runs: list[dict[int, tuple[int, tuple[Move, ...]]]] = [{} for _ in range(rules.teams)]
        self._sides = range(rules.teams)
        self._dirty = [-1] * rules.teams
        for piece, square in enumerate(where):
            self._put(piece, square)
        self._seat = 0
        self._me = rules.team_of[0]
        seats = len(rules.seats)
        self._last = [EMPTY] * seats
        self._came = [EMPTY] * seats
        self._crossed: list[tuple[int, ...]] = [()] * seats
        self._bars = [0] * seats
        self._chase: list[set[int] | None] = [None] * seats
        self._ends = [EMPTY] * seats
        self._shift = 0
        if rules.situations:
            self._shift = self._situation()
            self._chase = [{self._shift}] * seats  # one history for all: whoever came to a position, nobody may again

    def _copy_position(self, other: Position) -> None:
        self._copy_knowledge(other)
        self._board = other._board
        self._where = other._where.copy()
        self._at = other._at.copy()
        self._side = other._side.copy()
        self._walker = other._walker.copy()
        self._open = [masks.copy() for masks in other._open]
        self._steps = [steps.copy() for steps in other._steps]
        self._runs = [runs.copy() for runs in other._runs]
        self._sides, self._dirty = other._sides, other._dirty.copy()
        self._seat, self._me = other._seat, other._me
        self._last, self._came = other._last.copy(), other._came.copy()
        self._crossed, self._bars = other._crossed.copy(), other._bars.copy()
        self._chase = [None if seen is None else seen.copy() for seen in other._chase]
        if self._rules.situations:
            self._chase = self._chase[:1] * len(self._chase)
        self._ends, self._shift = other._ends.copy(), other._shift

    # ---- pieces come, go and move

    def _put(self, piece: int, square: int) -> None:
        """Put a piece on an empty square."""
        side = self._rules.team_of[self._seat_of[piece]]
        self._at[square], self._side[square], self._where[piece] = piece, side, square
        self._flip(side, self._board.lifts[square])
        if self._possible[piece] & self._rules.movers:
            self._walker[square] = side
            self._step_from(side, square)
        if self._possible[piece] & self._rules.runners:
            self._runs[side][square] = STALE
        self._touch(1 << square)

    def _take(self, square: int) -> None:
        """Take the piece off a square."""
        side = self._side[square]
        self._where[self._at[square]] = EMPTY
        self._at[square] = self._side[square] = self._walker[square] = EMPTY
        self._steps[side].pop(square, None)
        self._runs[side].pop(square, None)
        self._flip(side, self._board.lifts[square])
        self._touch(1 << square)

    def _shift_piece(self, plan: Plan) -> None:
        """Move a piece that can walk to an empty square. On the path of every move: loops and look-ups stand open here."""
        _, source, target, _, _, touched, toggles, _ = plan
        ats, sides, walker = self._at, self._side, self._walker
        side, piece = sides[source], ats[source]
        ats[source] = sides[source] = walker[source] = EMPTY
        ats[target], sides[target], walker[target] = piece, side, side
        self._where[piece] = target
        steps, masks, moves_by_mask = self._steps[side], self._open[side], self._board.steps
        steps.pop(source, None)
        for square, bits in toggles:
            mask = masks[square] = masks[square] ^ bits
            if walker[square] == side:
                moves = moves_by_mask[square][mask]
                if moves:
                    steps[square] = moves
                else:
                    del steps[square]
        steps[target] = moves_by_mask[target][masks[target]]
        runs = self._runs[side]
        if source in runs:
            del runs[source]
            runs[target] = STALE
        dirty = self._dirty
        for other in self._sides:
            dirty[other] |= touched

    def _flip(self, side: int, toggles: tuple[tuple[int, int], ...]) -> None:
        masks, walker = self._open[side], self._walker
        for square, bits in toggles:
            masks[square] ^= bits
            if walker[square] == side:
                self._step_from(side, square)

    def _step_from(self, side: int, square: int) -> None:
        moves = self._board.steps[square][self._open[side][square]]
        if moves:
            self._steps[side][square] = moves
        else:
            self._steps[side].pop(square, None)

    def _touch(self, squares: int) -> None:
        for side in self._sides:
            self._dirty[side] |= squares

    def _apply_masks(self, changed: Mapping[int, int]) -> None:
        """Take over narrowed masks; a piece that cannot move or run any more loses its moves."""
        for piece, mask in changed.items():
            self._possible[piece] = mask
            square = self._where[piece]
            if square == EMPTY:
                continue
            side = self._side[square]
            if not mask & self._rules.movers:
                self._walker[square] = EMPTY
                self._steps[side].pop(square, None)
            if not mask & self._rules.runners:
                self._runs[side].pop(square, None)

    # ---- moves

    def _basic_moves(self, side: int) -> list[Action]:
        """Give every move of a side that some possible rank allows; bars of repetition are not looked at."""
        found: list[Action] = []
        for moves in self._steps[side].values():
            found += moves
        runs = self._runs[side]
        if runs:
            changed = self._dirty[side]
            for square, seen in runs.items():
                if seen[0] & changed:
                    seen = runs[square] = self._look(square, side)
                found += seen[1]
            self._dirty[side] = 0
        return found

    def _look(self, square: int, side: int) -> tuple[int, tuple[Move, ...]]:
        """Give what a runner sees from here (squares up to the first piece each way), and its moves beyond one step."""
        sides = self._side
        view = 0
        found: list[Move] = []
        for first, seen, further, whole in self._board.rays[square]:
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

    def _can_go(self, plan: Plan) -> bool:
        """Say whether a piece of the side to move may go this way, bars not looked at."""
        _, source, target, kind, _, _, _, _ = plan
        me = self._me
        return self._walker[source] == me and self._side[target] != me and (kind == STEP or self._can_run(plan))

    def _can_run(self, plan: Plan) -> bool:
        """Say whether the piece on a plan's source may be a runner whose way, more than a step, is free."""
        _, source, _, kind, _, _, _, path = plan
        if kind != RUN or not self._possible[self._at[source]] & self._rules.runners:
            return False
        sides = self._side
        for square in path[:-1]:  # noqa: SIM110 - a generator costs more than the whole look
            if sides[square] != EMPTY:
                return False
        return True

    # ---- the two repetition rules

    def _crosses(self, move: Action) -> bool:
        """Say whether the two-squares rule bars an action of the seat to move; the board's own moves only."""
        plan = move._plan if isinstance(move, Move) else None
        if plan is None:
            return False
        return bool(plan[4] & self._bars[self._seat]) and self._at[plan[1]] == self._last[self._seat]

    def _recreates(self, move: Action) -> bool:
        """Say whether a move recreates a position that its side may not (rules, section 4); the board's own moves only.

        In a chase that is a threat, perhaps not straight back; where any situation counts it is every move without attack.
        """
        me = self._me
        seen = self._chase[me]
        plan = move._plan if isinstance(move, Move) else None
        if seen is None or plan is None:
            return False
        source, target = plan[1], plan[2]
        if self._side[target] != EMPTY or not (self._rules.situations or self._threatens(target, me)):
            return False
        piece = self._at[source]
        if self._shift + ((target - source) << 8 * piece) not in seen:
            return False
        return not self._rules.straight_back or piece != self._last[me] or target != self._came[me]

    def _threatens(self, square: int, side: int) -> bool:
        """Say whether an enemy of this side stands next to a square (two sides)."""
        return self._open[1 - side][square] != self._board.full[square]

    def _remember_turn(self, piece: int, source: int, borders: int) -> None:
        """Note a turn for two squares."""
        seat = self._seat
        if piece == self._last[seat]:
            self._cross_again(borders)
        else:
            self._last[seat], self._crossed[seat], self._bars[seat] = piece, (borders,), 0
        self._came[seat] = source

    def _cross_again(self, borders: int) -> None:
        """Note that the seat's last piece crosses borders: level n are those crossed in each of its last n + 1 turns."""
        seat, limit = self._seat, self._rules.two_square_limit
        levels = [borders, *(borders & level for level in self._crossed[seat])][:limit]
        self._crossed[seat] = tuple(level for level in levels if level)
        self._bars[seat] = levels[-1] if len(levels) == limit else 0

    def _forget_turn(self) -> None:
        """Note a turn in which no border was crossed."""
        seat = self._seat
        self._last[seat] = self._came[seat] = EMPTY
        self._crossed[seat], self._bars[seat] = (), 0

    def _situation(self) -> int:
        """Return where every piece stands as one number: eight bits a piece, 255 for one that is off the board."""
        return int.from_bytes(bytes(square & 255 for square in self._where), "little")

    def _remember_position(self, piece: int, source: int, target: int) -> None:
        """Note a move without attack. In a chase a position is known by how far its pieces are from where they stood when
        the chase began: eight bits a piece and no square has a number above 254, so it is exact."""
        me = self._me
        you = 1 - me
        history = self._chase[me] if self._rules.situations else None
        if history is not None:
            self._shift += (target - source) << 8 * piece
            history.add(self._shift)
            return
        foe, own = self._chase[you], self._chase[me]
        if foe is not None and self._ends[you] not in self._board.near[source]:
            foe = self._chase[you] = None  # not evaded
        if foe is not None or own is not None:
            self._shift += (target - source) << 8 * piece
            if foe is not None:
                foe.add(self._shift)
        else:
            self._shift = 0
        if self._open[you][target] == self._board.full[target]:
            self._chase[me] = None
        elif own is not None:
            own.add(self._shift)
        else:
            self._chase[me] = {self._shift}
        self._ends[me] = target

    def _remember_attack(self, target: int) -> None:
        """Note an attack: it ends both chases, and is a threat if its target still stands by an enemy.

        Where any situation counts nothing is forgotten: a number says who is off the board, and a wrong guess leaves all.
        """
        me = self._me
        history = self._chase[me] if self._rules.situations else None
        if history is not None:
            self._shift = self._situation()
            history.add(self._shift)
            return
        self._shift = 0
        self._chase[1 - me] = None
        self._chase[me] = {0} if self._threatens(target, me) else None
        self._ends[me] = target
