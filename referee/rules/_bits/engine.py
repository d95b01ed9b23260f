"""Playing a ply: is it legal, what happens, is the game over. The path that every move takes, kept short."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from referee.rules._bits.knowledge import MOVED, RAN
from referee.rules._bits.position import EMPTY, STALE, Position
from referee.rules._bits.tables import Plan
from referee.rules.actions import Action, Move
from referee.rules.errors import ContradictionError, ResultNeededError
from referee.rules.outcomes import CombatResult, Doubt, EndReason, GameResult, Mobility, Played, Refusal, Why
from referee.rules.values import PieceId, Rank, Seat

if TYPE_CHECKING:
    from referee.rules.game import Game

_new = tuple.__new__
ATTACKER_LOST = frozenset({CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST})
DEFENDER_LOST = frozenset({CombatResult.ATTACKER_WINS, CombatResult.BOTH_LOST, CombatResult.FLAG_TAKEN})


class Special(Protocol):
    """Named rules beyond moving and attacking: what they add to a game. Kept by the game, copied with it."""

    owns_moves: bool
    """Whether ordinary moves are its business too."""

    def copy(self) -> Special:
        """Give an independent copy."""

    def basic_moves(self, game: Game) -> list[Action]:
        """Give the basic moves of the seat to move, barred ones too: all with `owns_moves`, otherwise those with a turn."""

    def goers(self, game: Game, move: Move) -> frozenset[Rank]:
        """Give the ranks that can make this move; asked about every move with `owns_moves`, otherwise about those with a turn."""

    def mobility(self, game: Game, seat: Seat) -> Mobility:
        """Say whether a seat can act: at all with `owns_moves`, otherwise beyond its ordinary moves."""

    def actions(self, game: Game) -> list[Action]:
        """Give its legal actions of the seat to move; with `owns_moves` all legal ones."""

    def refusals(self, game: Game, action: Action) -> tuple[Refusal, ...]:
        """Give every reason against an action."""

    def play(self, game: Game, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> Played:
        """Carry out an action that nothing refuses."""


class Engine(Position):
    """What `Game` inherits: the legal list, the ply, the end."""

    __slots__ = ("_progress", "_special", "_strange", "ply", "result")

    ply: int
    """Plies played so far."""
    result: GameResult | None
    """How the game ended, None while it goes on."""
    _special: Special | None
    _progress: int
    """The ply after which a piece was lost last."""
    _strange: bool
    """Whether special rules own ordinary moves too, so that the short path is closed."""

    @abstractmethod
    def _reasons(self, action: Action) -> tuple[Refusal, ...]: ...

    @abstractmethod
    def _play_special(
        self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank] | None
    ) -> Played: ...

    @abstractmethod
    def _special_actions(self) -> list[Action]: ...

    def legal_actions(self) -> list[Action]:
        """Give every action that some possible rank allows, both repetition rules counted; in no particular order."""
        if self.result is not None:
            return []
        special = self._special
        if special is not None and special.owns_moves:
            return self._special_actions()
        side = self._me
        found = self._basic_moves(side)
        if self._bars[side]:
            found = [move for move in found if not self._crosses(move)]
        seen = self._chase[side]
        if seen is not None and len(seen) >= self._rules.soonest_repeat:
            found = [move for move in found if not self._recreates(move)]
        if special is not None:
            found += self._special_actions()
        return found

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Give every reason against an action of the seat to move, () for a legal one; asked before it is played.

        Where both repetition rules bar a move only two squares is named (rules, section 4).
        """
        plan = action._plan if type(action) is Move else None
        if plan is not None and plan[0] is self._board and not self._strange:
            _, source, target, kind, borders, _, _, _ = plan
            me = self._me
            if (
                self._walker[source] == me
                and self._side[target] != me
                and not (kind and not self._can_run(plan))
                and not (borders & self._bars[me] and self._at[source] == self._last[me])
                and not (self._chase[me] is not None and self._recreates(action))
                and self.result is None
            ):
                return ()
        return self._reasons(action)

    def play(
        self, action: Action, result: CombatResult | None = None, shown: Mapping[PieceId, Rank] | None = None
    ) -> Played:
        """Carry out a legal action and give what it did; the turn passes and `result` is set if the game is over.

        An attack between pieces whose ranks are not both known needs its verdict in `result`; `shown` tells ranks that
        were shown with it. Raises `IllegalActionError`, `ResultNeededError` or `ContradictionError`; then nothing has
        changed.
        """
        if type(action) is not Move or self._strange:
            return self._play_special(action, result, shown)
        plan = action._plan
        if plan is None or plan[0] is not self._board:
            own = self._board.own(action)
            return self._play_special(action, result, shown) if own is None else self.play(own, result, shown)
        _, source, target, kind, borders, _, _, _ = plan
        me = self._me
        if (
            self._walker[source] != me
            or self._side[target] == me
            or (kind and not self._can_run(plan))
            or (borders & self._bars[me] and self._at[source] == self._last[me])
            or (self._chase[me] is not None and self._recreates(action))
            or self.result is not None
        ):
            return self._play_special(action, result, shown)
        if self._side[target] != EMPTY:
            return self._fight(action, plan, result, shown)
        return self._go(action, plan)

    def _go(self, action: Move, plan: Plan) -> Played:
        """Carry out a legal move without attack: the path that most plies take, with the loops of its parts written out."""
        _, source, target, kind, borders, touched, toggles, _ = plan
        me, rules, board = self._me, self._rules, self._board
        ats, sides, walker, steps, masks = self._at, self._side, self._walker, self._steps[me], self._open[me]
        piece = ats[source]
        if self._possible[piece] & (rules.no_runners if kind else rules.no_movers):
            self._moved(piece, kind)
        self._deeds[piece] |= 1 << kind

        ats[source] = sides[source] = walker[source] = EMPTY
        ats[target] = piece
        sides[target] = walker[target] = me
        self._where[piece] = target
        del steps[source]
        by_mask = board.steps
        for square, bits in toggles:
            mask = masks[square] = masks[square] ^ bits
            if walker[square] == me:
                if mask:
                    steps[square] = by_mask[square][mask]
                else:
                    del steps[square]
        runs, dirty, you = self._runs[me], self._dirty, 1 - me
        if kind:
            steps[target] = by_mask[target][masks[target]]
        if source in runs:
            del runs[source]
            runs[target] = STALE
        dirty[me] |= touched
        dirty[you] |= touched

        if piece == self._last[me] and borders & self._crossed[me][0]:
            self._cross_again(borders)
        else:
            self._last[me], self._crossed[me], self._bars[me] = piece, (borders,), 0
        self._came[me] = source
        if rules.remembers and (
            self._open[you][target] != board.full[target] or self._chase[0] is not None or self._chase[1] is not None
        ):
            self._remember_position(piece, source, target)
        self.ply += 1
        self._me = self._seat = you
        if not self._steps[you] or self._bars[you] or rules.quiet_limit or self._chase[you] is not None:
            self._see_end_if_near()
        return _new(Played, (action, rules.seats[me], self._ids[piece], None, None, ()))

    def _moved(self, piece: int, kind: int) -> None:
        """Narrow what a piece can be that went: no bomb, no flag; one that ran is a runner."""
        wrong = self._possible[piece] & (self._rules.no_runners if kind else self._rules.no_movers)
        if wrong:
            self._apply_masks(self._narrowed({piece: ~wrong}, Why.MOVED))
            self._evidence[piece] &= ~wrong
        self._deeds[piece] |= RAN if kind else MOVED

    def _fight(
        self, action: Move, plan: Plan, result: CombatResult | None, shown: Mapping[PieceId, Rank] | None
    ) -> Played:
        """Carry out an attack of two sides: verdict, narrowing, losses, both rules, end."""
        _, source, target, kind, borders, _, _, _ = plan
        seat = self._seat
        piece, other = self._at[source], self._at[target]
        verdict = self._rules.by_bits.get((self._possible[piece], self._possible[other]))
        if verdict is None or shown or result not in (None, verdict):
            movers = self._rules.runners if kind else self._rules.movers
            verdict = self._judge(piece, other, movers, result, shown or {})
        self._deeds[piece] |= RAN if kind else MOVED
        captured = self._settle(plan, verdict)
        self._remember_turn(piece, source, borders)
        if self._rules.remembers:
            self._remember_attack(target)
        if verdict is CombatResult.FLAG_TAKEN:
            self.result = GameResult(self._rules.seats[seat], EndReason.FLAG)
        self._end_turn()
        ids = self._ids
        return Played(action, self._rules.seats[seat], ids[piece], ids[other], verdict, captured)

    def _settle(self, plan: Plan, verdict: CombatResult) -> tuple[PieceId, ...]:
        """Take the losers off, let a winning attacker step forward; give who was captured."""
        source, target = plan[1], plan[2]
        captured: list[PieceId] = []
        if verdict in ATTACKER_LOST:
            captured.append(self._ids[self._at[source]])
            self._take(source)
        if verdict in DEFENDER_LOST:
            captured.append(self._ids[self._at[target]])
            self._take(target)
            if verdict is not CombatResult.BOTH_LOST:
                self._shift_piece(plan)
        self._progress = self.ply + 1
        return tuple(captured)

    def _judge(
        self, piece: int, other: int, movers: int, result: CombatResult | None, shown: Mapping[PieceId, Rank]
    ) -> CombatResult:
        """Give the verdict of an attack between pieces that may not be known, and narrow what they can be by it.

        `movers` are the ranks that can attack this way.
        """
        rules = self._rules
        wanted = {piece: movers, other: -1}
        for at in wanted:
            rank = shown.get(self._ids[at])
            if rank is not None:
                told = rules.bit.get(rank, 0)
                doubts = self._doubts(at, told, Why.TOLD)
                if not told & wanted[at]:
                    doubts.append(Doubt(self._ids[at], Why.RAN if movers == rules.runners else Why.MOVED))
                if doubts:
                    raise ContradictionError(dict.fromkeys(doubts))
                wanted[at] &= told
        masks = [self._possible[at] & mask for at, mask in wanted.items()]
        verdicts = rules.verdicts_of(*masks)
        if result is None:
            if len(verdicts) != 1:
                raise ResultNeededError("this attack needs its verdict told: not both ranks are known")
            result = next(iter(verdicts))
        one, two = rules.agreeing(masks[0], masks[1], result)
        if not one:
            raise ContradictionError([Doubt(self._ids[at], Why.VERDICT) for at in wanted])
        self._learn({piece: one, other: two}, Why.VERDICT)
        return result

    def _learn(self, wanted: Mapping[int, int], why: Why) -> None:
        """Narrow some pieces and all that follows for their armies, or raise and change nothing."""
        changed = self._narrowed(wanted, why)
        self._note(wanted, why)
        self._apply_masks(changed)

    # ---- the end

    def _end_turn(self) -> None:
        """Pass the turn (two seats) and see whether the game is over."""
        self.ply += 1
        self._me = self._seat = 1 - self._me
        if self.result is None:
            self._see_end_if_near()

    def _see_end_if_near(self) -> None:
        """Look for the end only where there can be one: without a step, or with a step that may be barred."""
        me = self._me
        seen = self._chase[me]
        barred = self._bars[me] or (seen is not None and len(seen) >= self._rules.soonest_repeat)
        if barred or not self._steps[me] or not self._steps[1 - me] or self._rules.quiet_limit:
            self._see_end()

    def _see_end(self) -> None:
        """End the game where it follows from what is known: nobody can move, or the seat to move cannot (booklets; ISF)."""
        me, rules = self._me, self._rules
        if rules.quiet_limit and self.ply - self._progress >= rules.quiet_limit:
            self.result = GameResult(None, EndReason.NO_PROGRESS)
            return
        if rules.lost_at_once:
            self._see_lost_army()
        if self.result is None and not self.legal_actions():
            loses = self._steps[me] or rules.stuck_loses  # a barred move is a basic one
            other = Mobility.YES if loses else self._mobility(1 - me)
            if other is Mobility.YES:
                self.result = GameResult(rules.seats[1 - me], EndReason.IMMOBILE)
            elif other is Mobility.NO:
                self.result = GameResult(None, EndReason.BOTH_IMMOBILE)

    def _see_lost_army(self) -> None:
        """End the game where one side surely has only bombs and flag left and the other surely more (booklets).

        A piece that is shut in is more: such an army is judged when it is to move.
        """
        for side in (0, 1):
            if side not in self._walker:
                other = 1 - side
                movers = {piece for piece, walker in zip(self._at, self._walker, strict=True) if walker == other}
                if self._must_move(other, movers):
                    self.result = GameResult(self._rules.seats[other], EndReason.IMMOBILE)

    def _mobility(self, side: int) -> Mobility:
        """Say whether a side has a basic move (two sides)."""
        if not self._steps[side]:
            return Mobility.NO
        pieces = {self._at[square] for square in self._steps[side]}
        return Mobility.YES if self._must_move(side, pieces) else Mobility.UNKNOWN
