"""Stratego 4 (booklet 004): flags that are carried, the slider and recruits, shots, passing, dropping out, the turret.

The flags are public. What a player has to tell is asked as a decision: while one is owed, `Game.turn` is the seat that
owes it and the only legal actions are its answers; then play goes on with the seat after the mover.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from referee.rules._bits.hands import Hands
from referee.rules.actions import Action, Decided, Fire, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.castle_moves import Ways
from referee.rules.errors import IllegalActionError
from referee.rules.outcomes import CombatResult, EndReason, GameResult, Mobility, Played, Reason, Refusal, Why
from referee.rules.ruleset import RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square

if TYPE_CHECKING:
    from referee.rules.game import Game

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


class Castle:
    """The special rules of one game of Stratego 4, and their state."""

    owns_moves = True

    def __init__(self, rules: RuleSet, game: Game) -> None:
        self._rules = rules
        self._ways = Ways(rules)
        self._slider = rules.option("slider", "automatic")
        self._any_flag = rules.option("abandoned_flag_recruits", "rival") == "any"
        starts = {seat: rules.board.homes[seat].flag_start for seat in rules.seats}
        self.flags: dict[Seat, Flag] = {
            seat: Flag(square, _own(game.piece_at(square), seat))
            for seat, square in starts.items()
            if square is not None
        }
        self.sliders: dict[Seat, int] = dict.fromkeys(rules.seats, 0)
        self.out: set[Seat] = set()
        self.owed: list[Owed] = []
        self._mover = next(seat for seat in rules.seats if rules.seat_after(seat) is game.turn)

    def begin(self, game: Game) -> None:
        """See who plays at all in the position that a game begins with."""
        self._pass_turn(game)

    def copy(self) -> Castle:
        """Give an independent copy."""
        other = Castle.__new__(Castle)
        other._rules, other._ways, other._mover = self._rules, self._ways, self._mover
        other._slider, other._any_flag = self._slider, self._any_flag
        other.flags, other.sliders = self.flags.copy(), self.sliders.copy()
        other.out, other.owed = self.out.copy(), self.owed.copy()
        return other

    # ---- what may be done

    def basic_moves(self, game: Game) -> list[Action]:
        """Give the basic moves of the seat to move, barred ones too; none while a decision is owed."""
        return [] if self.owed else list(self._moves_of(game, game.turn))

    def _moves_of(self, game: Game, seat: Seat) -> Iterator[Move]:
        carried = self._carried()
        for piece in game.pieces(seat):
            yield from self._ways.moves(game, piece, carried.get(piece, ()))

    def _carried(self) -> dict[PieceId, tuple[Seat, ...]]:
        found: dict[PieceId, tuple[Seat, ...]] = {}
        for seat, flag in self.flags.items():
            if flag.carrier is not None:
                found[flag.carrier] = (*found.get(flag.carrier, ()), seat)
        return found

    def goers(self, game: Game, move: Move) -> frozenset[Rank]:
        """Give the ranks that can make this move."""
        return self._ways.goers(game, move)

    def mobility(self, game: Game, seat: Seat) -> Mobility:
        """Say whether a seat has a basic move or a shot, as far as it follows from what is known."""
        found = Mobility.NO
        carried = self._carried()
        for piece in game.pieces(seat):
            possible = game.possible(piece)
            moves = self._ways.moves(game, piece, carried.get(piece, ()))
            if any(possible <= self._ways.goers(game, move) for move in moves):
                return Mobility.YES
            if moves or self._ways.shots(game, piece):
                found = Mobility.UNKNOWN
        return found

    def _can_act(self, game: Game, seat: Seat) -> bool:
        """Say whether any possible rank gives a seat a basic move or a shot."""
        return next(self._moves_of(game, seat), None) is not None or any(
            self._ways.shots(game, piece) for piece in game.pieces(seat)
        )

    def actions(self, game: Game) -> list[Action]:
        """Give every legal action: answers where a decision is owed, else moves and shots, else a pass."""
        if self.owed:
            return self._answers(game, self.owed[0])
        hands = Hands(game)
        found: list[Action] = [move for move in self._moves_of(game, game.turn) if not hands.bars(move)]
        for piece in game.pieces(game.turn):
            found += self._ways.shots(game, piece)
        return found if found and self._must_act(game) else [*found, Pass()]

    def _must_act(self, game: Game) -> bool:
        """Say whether the seat to move surely has a legal move or shot, whatever its pieces are: then it may not pass."""
        hands, carried = Hands(game), self._carried()
        for piece in game.pieces(game.turn):
            possible = game.possible(piece)
            moves = self._ways.moves(game, piece, carried.get(piece, ()))
            if any(possible <= self._ways.goers(game, move) and not hands.bars(move) for move in moves):
                return True
            if possible <= self._ways.gunners and self._ways.shots(game, piece):
                return True
        return False

    def _answers(self, game: Game, owed: Owed) -> list[Action]:
        if owed.slider:
            return [MoveSlider(True), MoveSlider(False)]
        if not owed.flags:
            nobody = [] if self._slider == "automatic" else [Recruit(None)]
            return [*map(Recruit, game.captured(owed.seat)), *nobody]
        sizes = range(len(owed.flags) + 1)
        return [TakeFlags(owed.square, taken) for size in sizes for taken in combinations(owed.flags, size)]

    def refusals(self, game: Game, action: Action) -> tuple[Refusal, ...]:
        """Give every reason against an action."""
        if self.owed:
            legal = self._answers(game, self.owed[0])
            return () if self._ordered(action) in legal else (Refusal(Reason.DECISION_OWED, (self.owed[0].square,)),)
        if isinstance(action, Fire):
            return self._shot_refusals(game, action)
        if isinstance(action, Pass):
            return (Refusal(Reason.MUST_MOVE),) if self._must_act(game) else ()
        action = self._ordered(action)
        if not isinstance(action, Move):
            return (Refusal(Reason.NOT_A_MOVE),)
        piece = game.piece_at(action.source) if action.source in self._rules.board.tables.index else None
        own = self._rules.board.tables.own(action)
        if piece is not None and own in self._ways.moves(game, piece, self._carried().get(piece, ())):
            barred = own is not None and Hands(game).bars(own)
            if piece.seat is game.turn:
                return (Refusal(Reason.TWO_SQUARES, (action.source, action.target)),) if barred else ()
        return self._ways.refusals(game, action, {seat: flag.carrier for seat, flag in self.flags.items()})

    def _ordered(self, action: Action) -> Action:
        """Give an action with its flags in turn order: in which order they are named says nothing."""
        if isinstance(action, Move) and len(action.leaving) > 1:
            return replace(
                action, leaving=tuple(seat for seat in self._rules.seats if seat in action.leaving), _plan=None
            )
        if isinstance(action, TakeFlags) and len(action.flags) > 1:
            return replace(action, flags=tuple(seat for seat in self._rules.seats if seat in action.flags))
        return action

    def _shot_refusals(self, game: Game, shot: Fire) -> tuple[Refusal, ...]:
        known = set(self._rules.board.squares)
        if not {shot.source, shot.target} <= known:
            return (Refusal(Reason.NOT_A_MOVE, (shot.source, shot.target)),)
        piece = game.piece_at(shot.source)
        if piece is None:
            return (Refusal(Reason.NO_PIECE, (shot.source,)),)
        if piece.seat is not game.turn:
            return (Refusal(Reason.NOT_YOUR_PIECE, (shot.source,)),)
        if shot in self._ways.shots(game, piece):
            return ()
        if not game.possible(piece) & self._ways.gunners:
            return (Refusal(Reason.NOT_THIS_RANK, (shot.source,)),)
        return (Refusal(Reason.OUT_OF_RANGE, (shot.source, shot.target)),)

    # ---- what it does

    def play(self, game: Game, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> Played:
        """Carry out a legal action; the turn passes once nothing is owed any more."""
        seat, action = game.turn, self._ordered(action)
        if isinstance(action, Decided):
            return self._answer(game, action)
        self._mover = seat
        if isinstance(action, Move):
            own = self._rules.board.tables.own(action)
            assert own is not None
            played = self._move(game, own, result, shown)
        elif isinstance(action, Fire):
            played = self._fire(game, action, shown)
        elif isinstance(action, Pass):
            Hands(game).remember_stay(None)
            played = Played(action, seat, None)
        else:
            raise IllegalActionError([Refusal(Reason.NOT_A_MOVE)])
        Hands(game).count_ply()
        self._go_on(game)
        return played

    def _move(self, game: Game, move: Move, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> Played:
        piece, other = game.piece_at(move.source), game.piece_at(move.target)
        assert piece is not None
        goers, hands, seat = self.goers(game, move), Hands(game), game.turn
        if other is None:
            hands.narrow({piece: goers}, Why.MOVED)
            hands.step(move)
            hands.remember_move(piece, move)
            self._leave_and_carry(piece, move)
            self._arrive(game, piece, move)
            return Played(move, seat, piece)
        verdict = hands.judge(piece, other, goers, result, shown)
        captured = hands.settle(move, verdict)
        hands.remember_move(piece, move)
        self._leave_and_carry(piece, move, stays=verdict is not CombatResult.ATTACKER_WINS)
        self._after_fight(game, move, piece, other, captured)
        return Played(move, seat, piece, other, verdict, captured)

    def _leave_and_carry(self, piece: PieceId, move: Move, stays: bool = False) -> None:
        """Let the flags go with their carrier, except those that it leaves behind."""
        for seat, flag in self.flags.items():
            if flag.carrier == piece:
                if seat in move.leaving:
                    self.flags[seat] = replace(flag, carrier=None, left_by=piece.seat)
                elif not stays:
                    self.flags[seat] = replace(flag, square=move.target)

    def _arrive(self, game: Game, piece: PieceId, move: Move) -> None:
        """See what an entered space holds: the turret ends the game, flags may be taken."""
        if move.target == self._rules.board.turret:
            Hands(game).finish(GameResult(piece.seat, EndReason.FLAG))
            return
        self._offer_flags(piece, move.target)

    def _offer_flags(
        self, piece: PieceId, square: Square, removed: frozenset[Seat] | None = None, only_won: bool = False
    ) -> None:
        """Ask whether a piece takes the flags that lie on a square; `removed` are those of the piece that it beat, None without a fight."""
        won = removed or frozenset()
        lying = {
            seat: flag
            for seat, flag in self.flags.items()
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
        self.owed.append(Owed(piece.seat, square, tuple(lying), spoils, piece, fought=removed is not None))

    def _after_fight(
        self, game: Game, move: Move, piece: PieceId, other: PieceId, captured: tuple[PieceId, ...]
    ) -> None:
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
        if not self.owed:
            self._recruit(game, winner.seat, chances=0)

    def _drop_flags(self, gone: PieceId) -> frozenset[Seat]:
        dropped = frozenset(seat for seat, flag in self.flags.items() if flag.carrier == gone)
        for seat in dropped:
            self.flags[seat] = replace(self.flags[seat], carrier=None, left_by=None)
        return dropped

    def _fire(self, game: Game, shot: Fire, shown: Mapping[PieceId, Rank]) -> Played:
        piece, other = game.piece_at(shot.source), game.piece_at(shot.target)
        assert piece is not None
        assert other is not None
        hands = Hands(game)
        told = {other: frozenset({shown[other]})} if other in shown else {}
        hands.narrow({piece: self._ways.gunners, **told}, Why.VERDICT)
        hands.remember_stay(piece)
        captured = hands.take((shot.source, shot.target))
        for gone in captured:
            self._drop_flags(gone)
        if self._rules.option("shot_counts", True):
            self._advance_slider(piece.seat, shot.target)
            if not self.owed:
                self._recruit(game, piece.seat, chances=0)
        return Played(shot, piece.seat, piece, other, CombatResult.BOTH_LOST, captured)

    def _advance_slider(self, seat: Seat, square: Square) -> None:
        """Move a winner's slider one up, or ask whether it moves; it ends at VI."""
        up = min(self.sliders[seat] + 1, SLIDER_TOP)
        asks = self._slider == "ask-always" or (self._slider == "ask-at-five" and up == SLIDER_TOP)
        if asks and up > self.sliders[seat]:
            self.owed.append(Owed(seat, square, slider=True, fought=True))
        else:
            self.sliders[seat] = up

    def _recruit(self, game: Game, seat: Seat, chances: int) -> None:
        """Owe a recruit if the slider or a flag gives the chance and the space is free; one at a time fits there.

        An occupied space takes the slider's chance away. One that is declined, or finds nothing to recruit, stays (booklet
        004 takes it only "if the recruitment space is occupied"); where the slider is automatic it goes at once.
        """
        top = self.sliders[seat] >= SLIDER_TOP
        space = self._rules.board.homes[seat].recruitment
        free = space is not None and game.piece_at(space) is None
        if top and (not free or self._slider == "automatic"):
            self.sliders[seat] = 0
        if (top or chances) and free and game.captured(seat):
            assert space is not None
            self.owed.append(Owed(seat, space))

    def _answer(self, game: Game, action: Decided) -> Played:
        owed, seat = self.owed.pop(0), game.turn
        piece, chances = owed.taker, 0
        if isinstance(action, Recruit):
            piece = action.piece
            if piece is not None:
                Hands(game).put(piece, owed.square)
                self.sliders[seat] %= SLIDER_TOP
                # a flag that lies on the space may be taken by who enters it, and a recruit enters
                self._offer_flags(piece, owed.square)
        elif isinstance(action, MoveSlider):
            self.sliders[seat] += action.up
        else:
            assert piece is not None
            at = game.square_of(piece)
            assert at is not None
            for flag in action.flags:
                self.flags[flag] = Flag(at, piece)
            chances = len(owed.spoils.intersection(action.flags))
        if not self.owed and (owed.fought or chances):
            self._recruit(game, seat, chances)
        self._go_on(game)
        return Played(action, seat, piece)

    # ---- whose turn it is, who is out, who has won

    def _go_on(self, game: Game) -> None:
        """Give the turn to who owes a decision, else to the next seat that still plays; see whether the game is over."""
        if game.result is not None:
            return
        if self.owed:
            Hands(game).give_turn(self.owed[0].seat)
            return
        self._pass_turn(game)

    def _pass_turn(self, game: Game) -> None:
        self.out |= {seat for seat in self._rules.seats if not game.pieces(seat)}
        seat = self._mover
        for _ in self._rules.seats:
            seat = self._rules.seat_after(seat)
            if seat not in self.out:
                Hands(game).give_turn(seat)
                break
        self.see_end(game)

    def see_end(self, game: Game) -> None:
        """End the game when one team is left, when nobody can move, or after the quiet plies of the option."""
        standing = [seat for seat in self._rules.seats if seat not in self.out]
        limit = self._rules.tables.quiet_limit
        if not standing:
            Hands(game).finish(GameResult(None, EndReason.BOTH_IMMOBILE))
        elif set(standing) <= set(self._rules.partners(standing[0])):
            winner = self._mover if self._mover in standing else standing[0]
            Hands(game).finish(GameResult(winner, EndReason.IMMOBILE))
        elif limit and Hands(game).quiet_plies() >= limit:
            Hands(game).finish(GameResult(None, EndReason.NO_PROGRESS))
        elif not self.owed and not any(self._can_act(game, seat) for seat in standing):
            Hands(game).finish(GameResult(None, EndReason.BOTH_IMMOBILE))

    def drop_out(self, game: Game, seat: Seat) -> None:
        """Take a seat that gave up out of the game: its pieces leave the board, its flags stay where they were."""
        squares = [square for piece in game.pieces(seat) if (square := game.square_of(piece)) is not None]
        for piece in Hands(game).take(squares):
            self._drop_flags(piece)
        self.out.add(seat)
        owed = [decision for decision in self.owed if decision.seat is not seat]
        dropped, self.owed = len(self.owed) > len(owed), owed
        if dropped:
            self._go_on(game)
        elif game.turn is seat:
            self._mover = seat
            self._go_on(game)
        else:
            self.see_end(game)


def _own(piece: PieceId | None, seat: Seat) -> PieceId | None:
    return piece if piece is not None and piece.seat is seat else None
