"""Stratego 4 (booklet 004): flags that are carried, the slider and recruits, shots, passing, dropping out, the turret.

The flags are public. What a player has to tell is asked as a decision: while one is owed, `Game.turn` is the seat that
owes it and the only legal actions are its answers; then play goes on with the seat after the mover. First stands what a game
adds to a position, then the variant, which begins with how pieces go round and onto the castle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from referee.rules import outcomes
from referee.rules.actions import NO_PLAN, Action, Decided, Fire, Move, MoveSlider, Pass, Plan, Recruit, TakeFlags
from referee.rules.outcomes import ActionResult, CombatResult, EndReason, GameResult, Mobility, Reason, Refusal
from referee.rules.position import EMPTY, Position
from referee.rules.ruleset import Gait
from referee.rules.values import PieceId, Rank, Seat, Square

_Way = tuple[Square, tuple[Square, ...], tuple[Seat, ...]]
"""How a piece may go from where it is: the target, where it turns, the flags that it leaves behind."""
SLIDER_TOP = 6
"""Where the slider lets its player recruit: VI on the card."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Where a flag is: on a square, with the piece that carries it; `left_by` is the seat that abandoned it there."""

    square: Square
    carrier: PieceId | None = None
    left_by: Seat | None = None


@dataclass(frozen=True, slots=True)
class Owed:
    """A decision that a seat owes: take these flags on this square, move the slider, or (neither) which piece comes back."""

    seat: Seat
    square: Square
    flags: tuple[Seat, ...] = ()
    spoils: frozenset[Seat] = frozenset()
    """Flags among them whose taking recruits."""
    taker: PieceId | None = None
    slider: bool = False
    fought: bool = False
    """Whether it follows an engagement that the seat won."""


@dataclass(slots=True)
class CastleState:
    """What a game of Stratego 4 has beside its pieces, all of it public."""

    flags: dict[Seat, Flag]
    sliders: dict[Seat, int]
    out: set[Seat] = field(default_factory=set)
    """Seats that play no more."""
    owed: list[Owed] = field(default_factory=list)
    """Decisions, the next one first."""

    def copy(self) -> CastleState:
        """Return an independent copy."""
        return CastleState(self.flags.copy(), self.sliders.copy(), self.out.copy(), self.owed.copy())

    def carried(self, piece: PieceId) -> tuple[Seat, ...]:
        """Return the flags that a piece carries."""
        return tuple([seat for seat, flag in self.flags.items() if flag.carrier == piece])


class Castle:
    """The rules of one game of Stratego 4."""

    def __init__(self, position: Position) -> None:
        rules = position.rules
        self._rules, self._board, self._position = rules, rules.board, position
        starts = {seat: rules.board.homes[seat].flag_start for seat in rules.seats}
        flags = {
            seat: Flag(square, _own(position.piece_at(square), seat))
            for seat, square in starts.items()
            if square is not None
        }
        self.castle = CastleState(flags, dict.fromkeys(rules.seats, 0))
        by_gait = {gait: frozenset(rank for rank, rule in rules.ranks.items() if rule.gait is gait) for gait in Gait}
        self._gunners = by_gait[Gait.GUN]
        self._runners, self._captains = by_gait[Gait.RUN_AND_TURN], by_gait[Gait.TWO_STEPS]
        self._walkers = frozenset(rules.ranks) - by_gait[Gait.NONE]
        self._turns = rules.option("scout_attack", "any-neighbour") == "any-neighbour"
        """Whether a scout may turn to what he attacks after a run."""
        self._lone_blocks = rules.option("lone_flag", "passes") == "blocks"
        """Whether a space with an abandoned flag is occupied for a run and a shot."""
        self._able: dict[tuple[Plan, bool], frozenset[Rank]] = {}
        """What `_able_to` found, by the move and whether it attacks; all copies of a game keep it together."""
        self._slider = rules.option("slider", "automatic")
        self._any_flag = rules.option("abandoned_flag_recruits", "rival") == "any"
        self._mover = next(seat for seat in rules.seats if rules.seat_after(seat) is position.turn)
        self._pass_turn()

    def copy(self, position: Position) -> Castle:
        """Return an independent copy that works on another position."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)  # a third of the time that `copy.copy` takes
        other._position, other.castle = position, self.castle.copy()
        return other

    # ---- how pieces go: steps with flags, the captain's two steps, the scout's run and turn, the cannon's shot

    def _moves_of(self, piece: PieceId) -> list[Move]:
        """Return every basic move of a piece that some possible rank allows."""
        source = self._position.square_of(piece)
        if source is None:
            return []
        possible = self._position.ranks_of(piece)
        found: dict[int, Move] = {}
        for target, via, leaving in self._ways(piece, source):
            move = self._board.move(source, target, via, leaving)
            if move is not None and possible & self._able_to(move):
                found[id(move)] = move
        return list(found.values())

    def _ways(self, piece: PieceId, source: Square) -> Iterator[_Way]:
        """Yield the ways that a piece may go by its gait."""
        flags = self.castle.carried(piece)
        for target in self._board.neighbours(source):
            if self._position.is_hostile(piece, target) is not False:
                for leaving in _subsets(flags):
                    if target != self._board.turret or self._wins_with(piece, flags, leaving):
                        yield target, (), leaving
        if flags:
            return
        possible = self._position.ranks_of(piece)
        if possible & self._runners:
            yield from self._runs(piece, source)
        if possible & self._captains:
            yield from self._two_steps(piece, source)

    def _runs(self, piece: PieceId, source: Square) -> Iterator[_Way]:
        lone = self._lone_flags()
        for ray in self._board.lines(source):
            for at, square in enumerate(ray):
                if self._position.piece_at(square) is not None:
                    if at and self._position.is_hostile(piece, square):
                        yield square, (), ()
                    break
                if at:
                    yield square, (), ()
                if square in lone:  # any piece may enter there, none runs on over it
                    break
                onward = ray[at + 1] if at + 1 < len(ray) else None
                for target in self._board.neighbours(square) if self._turns else ():
                    if target not in (source, onward) and self._position.is_hostile(piece, target):
                        yield target, (square,), ()

    def _two_steps(self, piece: PieceId, source: Square) -> Iterator[_Way]:
        for first in self._board.neighbours(source):
            if first == self._board.turret or self._position.piece_at(first) is not None:
                continue
            for second in self._board.neighbours(first):
                if second not in (source, self._board.turret) and self._position.is_hostile(piece, second) is not False:
                    straight = any(ray[:2] == (first, second) for ray in self._board.lines(source))
                    yield second, () if straight else (first,), ()

    def _lone_flags(self) -> frozenset[Square]:
        """Return the spaces that a flag without a carrier occupies for runs and shots."""
        flags = self.castle.flags.values() if self._lone_blocks else ()
        return frozenset(flag.square for flag in flags if flag.carrier is None)

    def _wins_with(self, piece: PieceId, flags: tuple[Seat, ...], leaving: tuple[Seat, ...]) -> bool:
        """Return whether a piece that goes on with these flags may enter the turret: with its own, in teams one of the team."""
        return any(flag in self._rules.partners(piece.seat) for flag in flags if flag not in leaving)

    def _able_to(self, move: Move) -> frozenset[Rank]:
        """Return the ranks that can make one of the board's moves, as the board is now."""
        way = (move.plan, self._position.at[move.plan.target] != EMPTY)
        able = self._able.get(way)
        if able is None:
            able = self._able[way] = self._ranks_of_way(move, attack=way[1])
        return able

    def _ranks_of_way(self, move: Move, attack: bool) -> frozenset[Rank]:
        """Return the ranks that can make a move: by its length, its turn and whether it ends on a piece."""
        if not move.via and move.target in self._board.neighbours(move.source):
            return self._walkers - self._gunners if attack else self._walkers
        if not move.via:
            straight = next(ray for ray in self._board.lines(move.source) if move.target in ray)
            return self._runners | self._captains if straight.index(move.target) == 1 else self._runners
        turn = move.via[0]
        found: frozenset[Rank] = frozenset()
        if len(move.via) == 1 and move.target in self._board.neighbours(turn):
            if turn in self._board.neighbours(move.source):
                found |= self._captains
            if attack and self._turns and any(turn in ray for ray in self._board.lines(move.source)):
                found |= self._runners
        return found

    def _shots_of(self, piece: PieceId) -> list[Fire]:
        """Return the shots of a piece that may be a cannon: exactly three away, nothing between, an enemy there."""
        source = self._position.square_of(piece)
        if source is None or not self._position.ranks_of(piece) & self._gunners:
            return []
        lone = self._lone_flags()
        return [
            Fire(source, shot.target)
            for shot in self._board.shots(source)
            if self._position.is_hostile(piece, shot.target)
            and all(self._position.piece_at(square) is None and square not in lone for square in shot.between)
        ]

    def _move_refusals(self, move: Move) -> tuple[Refusal, ...]:
        """Return every reason against a move that `_moves_of` does not hold."""
        ends = (move.source, move.target)
        if not {*ends, *move.via} <= self._board.index.keys():
            return (Refusal(Reason.NOT_A_MOVE, ends),)
        piece = self._position.own_piece_at(move.source)
        if isinstance(piece, Reason):
            return (Refusal(piece, (move.source,)),)
        carried = self.castle.carried(piece)
        found = []
        if move.source != move.target and self._position.is_hostile(piece, move.target) is False:
            found.append(Refusal(Reason.OWN_PIECE, ends))
        if not set(move.leaving) <= set(carried):
            found.append(Refusal(Reason.NO_FLAG, (move.source,)))
        if move.target == self._board.turret and not self._wins_with(piece, carried, move.leaving):
            found.append(Refusal(Reason.NO_FLAG, (move.target,)))
        found += self._way_refusals(move, piece, carried)
        return tuple(found) or (Refusal(Reason.NOT_A_MOVE, ends),)

    def _way_refusals(self, move: Move, piece: PieceId, carried: tuple[Seat, ...]) -> list[Refusal]:
        ends = (move.source, move.target)
        own = self._board.move(*ends, move.via)
        able = frozenset[Rank]() if own is None else self._able_to(own)
        if not able:
            return [Refusal(Reason.NOT_A_MOVE, ends)]
        far = bool(move.via) or move.target not in self._board.neighbours(move.source)
        found = [Refusal(Reason.CARRIES_FLAG, ends)] if far and carried else []
        if not able & self._position.ranks_of(piece):
            found.append(Refusal(Reason.TOO_FAR if far else Reason.NO_ATTACK, ends))
        path = self._board.path(move)
        lone = self._lone_flags() if far else frozenset()
        blocked = tuple(one for one in path[:-1] if self._position.piece_at(one) is not None or one in lone)
        if blocked:
            found.append(Refusal(Reason.BLOCKED, blocked))
        return found

    # ---- what may be done

    def basic_moves(self) -> list[Move]:
        """Return the basic moves of the seat to move, barred ones too; none while a decision is owed."""
        deeds = () if self.castle.owed else self._deeds(self._position.turn)
        return [deed for deed, _ in deeds if isinstance(deed, Move)]

    def _deeds(self, seat: Seat) -> Iterator[tuple[Move | Fire, bool]]:
        """Yield every basic move and shot that some possible rank of a seat's pieces allows, and whether all of them do."""
        for piece in self._position.pieces(seat):
            possible = self._position.ranks_of(piece)
            yield from ((move, possible <= self._able_to(move)) for move in self._moves_of(piece))
            yield from ((shot, possible <= self._gunners) for shot in self._shots_of(piece))

    def _open_deeds(self) -> Iterator[tuple[Move | Fire, bool]]:
        """Yield those of the seat to move that are not barred."""
        for deed, surely in self._deeds(self._position.turn):
            if not (isinstance(deed, Move) and self._position.bars(deed)):
                yield deed, surely

    def ranks_able_to(self, action: Action) -> frozenset[Rank]:
        """Return the ranks that can make this move or shot."""
        if isinstance(action, Fire):
            return self._gunners
        move = self._board.own(action) if isinstance(action, Move) else None
        return frozenset() if move is None else self._able_to(move)

    def mobility(self, seat: Seat) -> Mobility:
        """Return whether a seat has a basic move or a shot, as far as it follows from what is known."""
        sure = [surely and isinstance(deed, Move) for deed, surely in self._deeds(seat)]
        return Mobility.YES if any(sure) else Mobility.UNKNOWN if sure else Mobility.NO

    def legal_actions(self) -> Sequence[Action]:
        """Return every legal action: answers where a decision is owed, else moves and shots, else a pass."""
        if self.castle.owed:
            return self._answers(self.castle.owed[0])
        found = [deed for deed, _ in self._open_deeds()]
        return found if self._must_act() else [*found, Pass()]

    def _must_act(self) -> bool:
        """Return whether the seat to move surely has a legal move or shot, whatever its pieces are: then it may not pass."""
        return any(surely for _, surely in self._open_deeds())

    def _answers(self, owed: Owed) -> list[Action]:
        if owed.slider:
            return [MoveSlider(True), MoveSlider(False)]
        if not owed.flags:
            nobody = [] if self._slider == "automatic" else [Recruit(None)]
            return [*map(Recruit, self._position.pieces(owed.seat, captured=True)), *nobody]
        return [TakeFlags(owed.square, taken) for taken in _subsets(owed.flags)]

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason against an action."""
        position, action = self._position, self._ordered(action)
        if self.castle.owed:
            owed = self.castle.owed[0]
            return () if action in self._answers(owed) else (Refusal(Reason.DECISION_OWED, (owed.square,)),)
        if isinstance(action, Fire):
            return self._shot_refusals(action)
        if isinstance(action, Pass):
            return (Refusal(Reason.MUST_MOVE),) if self._must_act() else ()
        if not isinstance(action, Move):
            return (Refusal(Reason.NOT_A_MOVE),)
        own = self._board.own(action)
        piece = Reason.NOT_A_MOVE if own is None else position.own_piece_at(action.source)
        if own is None or isinstance(piece, Reason) or own not in self._moves_of(piece):
            return self._move_refusals(action)
        return (Refusal(Reason.TWO_SQUARES, (action.source, action.target)),) if position.bars(own) else ()

    def _ordered(self, action: Action) -> Action:
        """Return an action with its flags in turn order: in which order they are named says nothing."""
        seats = self._rules.seats
        if isinstance(action, Move) and len(action.leaving) > 1:
            return replace(action, leaving=tuple(seat for seat in seats if seat in action.leaving), plan=NO_PLAN)
        if isinstance(action, TakeFlags) and len(action.flags) > 1:
            return replace(action, flags=tuple(seat for seat in seats if seat in action.flags))
        return action

    def _shot_refusals(self, shot: Fire) -> tuple[Refusal, ...]:
        ends = (shot.source, shot.target)
        if not set(ends) <= self._board.index.keys():
            return (Refusal(Reason.NOT_A_MOVE, ends),)
        piece = self._position.own_piece_at(shot.source)
        if isinstance(piece, Reason):
            return (Refusal(piece, (shot.source,)),)
        if shot in self._shots_of(piece):
            return ()
        if not self._position.ranks_of(piece) & self._gunners:
            return (Refusal(Reason.NOT_THIS_RANK, (shot.source,)),)
        return (Refusal(Reason.OUT_OF_RANGE, ends),)

    # ---- what it does

    def play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> ActionResult:
        """Carry out a legal action; the turn passes once nothing is owed any more."""
        refusals = self.refusals(action)
        if refusals:
            raise outcomes.IllegalActionError(refusals)
        position, action = self._position, self._ordered(action)
        if isinstance(action, Decided):
            return self._answer(action)
        seat = position.turn
        if isinstance(action, Move):
            played = self._move(action, result, shown)
        elif isinstance(action, Fire):
            played = self._fire(action, shown)
        else:
            position.two_squares.note_stay(position.seat)
            played = ActionResult(action, seat, None)
        self._mover = seat
        position.ply += 1
        self._go_on()
        return played

    def _move(self, action: Move, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> ActionResult:
        position, move = self._position, self._board.own(action)
        assert move is not None
        piece, other = position.piece_at(move.source), position.piece_at(move.target)
        assert piece is not None
        able = self._able_to(move)
        if other is None:
            position.narrow({piece: able}, outcomes.DoubtKind.MOVED)
            position.shift(move.plan)
            position.note_turn(piece, move.plan)
            self._leave_and_carry(piece, move)
            if move.target == self._board.turret:
                position.result = GameResult(piece.seat, EndReason.FLAG)
            else:
                self._offer_flags(piece, move.target)
            return ActionResult(move, piece.seat, piece)
        verdict, captured = position.fight(move.plan, self._rules.tables.mask(able), result, shown)
        self._leave_and_carry(piece, move, stays=verdict is not CombatResult.ATTACKER_WINS)
        self._after_fight(move, piece, other, captured)
        return ActionResult(move, piece.seat, piece, other, verdict, captured)

    def _leave_and_carry(self, piece: PieceId, move: Move, stays: bool = False) -> None:
        """Let the flags go with their carrier, except those that it leaves behind."""
        flags = self.castle.flags
        for seat in self.castle.carried(piece):
            if seat in move.leaving:
                flags[seat] = replace(flags[seat], carrier=None, left_by=piece.seat)
            elif not stays:
                flags[seat] = replace(flags[seat], square=move.target)

    def _offer_flags(
        self, piece: PieceId, square: Square, removed: frozenset[Seat] | None = None, only_won: bool = False
    ) -> None:
        """Ask whether a piece takes the flags that lie on a square; `removed` are those of the piece that it beat, None without a fight."""
        won = removed or frozenset()
        lying = {
            seat: flag
            for seat, flag in self.castle.flags.items()
            if flag.square == square and flag.carrier is None and (seat in won or not only_won)
        }
        if not lying:
            return
        friends = self._rules.partners(piece.seat)
        spoils = frozenset(
            seat
            for seat, flag in lying.items()
            if (seat in won and seat not in friends)
            or (
                flag.left_by is not None
                and (self._any_flag or (seat not in friends and flag.left_by is not piece.seat))
            )
        )
        self.castle.owed.append(Owed(piece.seat, square, tuple(lying), spoils, piece, fought=removed is not None))

    def _after_fight(self, move: Move, piece: PieceId, other: PieceId, captured: tuple[PieceId, ...]) -> None:
        """Let the removed pieces' flags lie, move the winner's slider, ask the winner what it takes and whom it recruits."""
        fallen = {gone: self._drop_flags(gone) for gone in captured}
        if len(captured) > 1:
            return
        winner = other if captured == (piece,) else piece
        self._advance_slider(winner.seat, move.target)
        if winner == other:  # the attacker's flags lie where it came from, the winner picks up these from its own space
            self._offer_flags(winner, move.source, fallen[piece], only_won=True)
        else:
            self._offer_flags(winner, move.target, fallen[other])
        if not self.castle.owed:
            self._recruit(winner.seat, chances=0)

    def _drop_flags(self, gone: PieceId) -> frozenset[Seat]:
        dropped = frozenset(self.castle.carried(gone))
        for seat in dropped:
            self.castle.flags[seat] = replace(self.castle.flags[seat], carrier=None, left_by=None)
        return dropped

    def _fire(self, shot: Fire, shown: Mapping[PieceId, Rank]) -> ActionResult:
        position = self._position
        piece, other = position.piece_at(shot.source), position.piece_at(shot.target)
        assert piece is not None
        assert other is not None
        told = {one: frozenset({shown[one]}) for one in (piece, other) if one in shown}
        gunner = told.get(piece, self._gunners) & self._gunners
        position.narrow({**told, piece: gunner}, outcomes.DoubtKind.VERDICT)
        position.note_turn(piece)
        captured = position.take((shot.source, shot.target))
        for gone in captured:
            self._drop_flags(gone)
        if self._rules.option("shot_counts", True):
            self._advance_slider(piece.seat, shot.target)
            if not self.castle.owed:
                self._recruit(piece.seat, chances=0)
        return ActionResult(shot, piece.seat, piece, other, CombatResult.BOTH_LOST, captured)

    def _advance_slider(self, seat: Seat, square: Square) -> None:
        """Move a winner's slider one up, or ask whether it moves; it ends at VI."""
        castle = self.castle
        up = min(castle.sliders[seat] + 1, SLIDER_TOP)
        asks = self._slider == "ask-always" or (self._slider == "ask-at-five" and up == SLIDER_TOP)
        if asks and up > castle.sliders[seat]:
            castle.owed.append(Owed(seat, square, slider=True, fought=True))
        else:
            castle.sliders[seat] = up

    def _recruit(self, seat: Seat, chances: int) -> None:
        """Owe a recruit if the slider or a flag gives the chance and the space is free; one at a time fits there.

        An occupied space takes the slider's chance away. One that is declined, or finds nothing to recruit, stays (booklet
        004 takes it only "if the recruitment space is occupied"); where the slider is automatic it goes at once.
        """
        castle = self.castle
        top = castle.sliders[seat] >= SLIDER_TOP
        space = self._board.homes[seat].recruitment
        free = space is not None and self._position.piece_at(space) is None
        if top and (not free or self._slider == "automatic"):
            castle.sliders[seat] = 0
        if (top or chances) and free and self._position.pieces(seat, captured=True):
            assert space is not None
            castle.owed.append(Owed(seat, space))

    def _answer(self, action: Decided) -> ActionResult:
        castle, position, seat = self.castle, self._position, self._position.turn
        owed = castle.owed.pop(0)
        piece, chances = owed.taker, 0
        if isinstance(action, Recruit):
            piece = action.piece
            if piece is not None:
                position.put(piece, owed.square)
                castle.sliders[seat] %= SLIDER_TOP
                # a flag that lies on the space may be taken by who enters it, and a recruit enters
                self._offer_flags(piece, owed.square)
        elif isinstance(action, MoveSlider):
            castle.sliders[seat] += action.up
        else:
            assert piece is not None
            at = position.square_of(piece)
            assert at is not None
            for flag in action.flags:
                castle.flags[flag] = Flag(at, piece)
            chances = len(owed.spoils.intersection(action.flags))
        if not castle.owed and (owed.fought or chances):
            self._recruit(seat, chances)
        self._go_on()
        return ActionResult(action, seat, piece)

    # ---- whose turn it is, who is out, who has won

    def _go_on(self) -> None:
        """Pass the turn to who owes a decision, else to the next seat that still plays; see whether the game is over."""
        if self._position.result is not None:
            return
        if self.castle.owed:
            self._position.give_turn(self.castle.owed[0].seat)
            return
        self._pass_turn()
        self.see_end()

    def _pass_turn(self) -> None:
        self.castle.out |= {seat for seat in self._rules.seats if not self._position.pieces(seat)}
        seat = self._mover
        for _ in self._rules.seats:
            seat = self._rules.seat_after(seat)
            if seat not in self.castle.out:
                self._position.give_turn(seat)
                break

    def see_end(self) -> None:
        """End the game when one team is left, when nobody can move, or after the quiet plies of the option."""
        position, castle = self._position, self.castle
        standing = [seat for seat in self._rules.seats if seat not in castle.out]
        limit = self._rules.quiet_limit
        if not standing:
            position.result = GameResult(None, EndReason.BOTH_IMMOBILE)
        elif set(standing) <= set(self._rules.partners(standing[0])):
            winner = self._mover if self._mover in standing else standing[0]
            position.result = GameResult(winner, EndReason.IMMOBILE)
        elif limit and position.ply - position.last_loss >= limit:
            position.result = GameResult(None, EndReason.NO_PROGRESS)
        elif not castle.owed and not any(any(True for _ in self._deeds(seat)) for seat in standing):
            position.result = GameResult(None, EndReason.BOTH_IMMOBILE)

    def drop_out(self, seat: Seat) -> None:
        """Take a seat that gave up out of the game: its pieces leave the board, its flags stay where they were."""
        position, castle = self._position, self.castle
        squares = [square for piece in position.pieces(seat) if (square := position.square_of(piece)) is not None]
        for piece in position.take(squares):
            self._drop_flags(piece)
        castle.out.add(seat)
        owed = [decision for decision in castle.owed if decision.seat is not seat]
        dropped, castle.owed = len(castle.owed) > len(owed), owed
        if dropped:
            self._go_on()
        elif position.turn is seat:
            self._mover = seat
            self._go_on()
        else:
            self.see_end()


def _own(piece: PieceId | None, seat: Seat) -> PieceId | None:
    return piece if piece is not None and piece.seat is seat else None


def _subsets(flags: tuple[Seat, ...]) -> Iterator[tuple[Seat, ...]]:
    for size in range(len(flags) + 1):
        yield from combinations(flags, size)
