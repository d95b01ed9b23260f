"""A world: one way in which hands may have brought about what was seen so far, up to now.

Each change of a trace leads from a world to those in which a hand did something that explains it (`after_change`); `alive` says whether
what hands are at in a world can still be finished as the page wants it. A world says nothing of the future; that is why a ply whose piece
may still go on is open in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from tests.hands import grammar
from tests.hands.grammar import Bounds, Change, Ply, Position, Start, between, direction, neighbours

LONG_AGO = -1_000_000


class Doing(Enum):
    """What is done with a piece."""

    NOTHING = "nothing"
    STROKE = "stroke"
    LOOK = "look"
    NUDGED_OUT = "nudged out"
    NUDGED = "nudged"
    NUDGED_BACK = "nudged back"
    TAKEN = "lifted as the defender of an attack"
    CAPTURED = "captured"

    __hash__ = object.__hash__  # worlds are compared all the time


class Old(NamedTuple):
    """A square that still sees a piece which its neighbour sees already."""

    square: Square
    since: int
    """When the piece came to it."""
    both: int
    """When the piece came to the neighbour."""
    limit_ms: int | None = None
    """For how long the square may see the piece where that is bounded and the overlap counts."""
    stroke: bool = False
    """Whether it is a stroke that brings the piece over the border."""


class Piece(NamedTuple):
    """A piece and what is done with it."""

    seat: Seat
    square: Square
    """Where it belongs: where it stands, was lifted or is nudged from."""
    since: int
    """When it came there."""
    doing: Doing = Doing.NOTHING
    left: int = 0
    """When it went out of sight."""
    beside: Square | None = None
    """Where a nudged piece stands."""
    beside_since: int = 0
    old: Old | None = None
    swap: bool = False
    """Whether it was lifted as a defender at a time at which only a swap tells that from a reply."""

    def sees(self, square: Square) -> bool:
        """Return whether this square sees the piece."""
        if self.old and self.old.square == square:
            return True
        if self.doing is Doing.NUDGED:
            return self.beside == square
        return self.doing is Doing.NOTHING and self.square == square


class Turn(NamedTuple):
    """A turn: when its first stroke began, and how far the attempt or ply of which a hand is at came."""

    begin: int | None = None
    left: int | None = None
    """When the piece of this attempt or ply left its source, or was first seen by the neighbour to which it is drawn."""
    piece: int | None = None
    """The piece that has left its source; None before the first stroke and after an attempt was taken back."""
    source: Square | None = None
    target: Square | None = None
    """Where the piece stands now, None while it is in a stroke."""
    end: int = 0
    """When it came there."""
    arrived: tuple[int, int] | None = None
    """The direction of the push that brought it there."""
    passing: tuple[int, int] | None = None
    """The direction in which a push has to go on because its last square was only one on its way."""
    stops: tuple[Ply, ...] = ()
    """Each rest with the source of its attempt or ply: a legal target of this turn."""
    attack: bool = False
    released: bool = False
    """Whether the player has done something since that closes the ply."""

    @property
    def begun(self) -> bool:
        """Whether a piece was touched in it."""
        return self.begin is not None


_NOT_BEGUN = Turn()


class World(NamedTuple):
    """Pieces and turns; `shown`: an attack was shown, and no stroke follows."""

    pieces: tuple[Piece, ...]
    turns: tuple[Turn, ...] = ()
    shown: bool = False

    def put(self, index: int, piece: Piece) -> World:
        """Return the world with another state of a piece."""
        return self._replace(pieces=(*self.pieces[:index], piece, *self.pieces[index + 1 :]))

    def put_turn(self, number: int, turn: Turn) -> World:
        """Return the world with another state of a turn."""
        turns = self.turns + (Turn(),) * (number + 1 - len(self.turns))
        return self._replace(turns=(*turns[:number], turn, *turns[number + 1 :]))

    def turn(self, number: int) -> Turn:
        """Return a turn, one that has not begun where it is not known."""
        return self.turns[number] if number < len(self.turns) else _NOT_BEGUN

    def free(self, square: Square) -> bool:
        """Return whether a square sees nothing."""
        return not any(piece.sees(square) for piece in self.pieces)


class Hands:
    """What the page lets hands do from a start, with its limits taken within bounds."""

    def __init__(self, start: Start, bounds: Bounds) -> None:
        self.start = start
        self.bounds = bounds
        self.noise = bounds.noise_ms

    def first(self) -> World:
        """Return the world before anything happened."""
        return World(tuple(Piece(seat, square, LONG_AGO) for square, seat in self.start.occupants.items()))

    def after_change(self, world: World, change: Change) -> Iterator[World]:
        """Return the worlds to which a change leads that this world has seen nothing of; some of them may be dead."""
        ms, square, reading = change
        if reading is Reading.EMPTY:
            yield from self._leaves(world, square, ms)
            return
        seat = next((seat for seat, pole in grammar.POLES.items() if pole is reading), None)
        if not world.free(square):
            yield from self._exchanged(world, square, seat, ms)
            return
        for index, piece in enumerate(world.pieces):
            if seat is piece.seat or not self.start.colour:
                yield from self._comes(world, index, square, ms)
        if not self.start.colour:
            yield from self._replaced_under(world, square, ms)

    # ---- a square becomes empty

    def _leaves(self, world: World, square: Square, ms: int) -> Iterator[World]:
        for index, piece in enumerate(world.pieces):
            if not piece.sees(square):
                continue
            if piece.old is not None:
                yield from self._leaves_one_of_two(world, index, square, ms)
            elif piece.doing is Doing.NUDGED:
                if ms - piece.beside_since <= grammar.NUDGED_MS + self.noise:
                    yield world.put(
                        index, piece._replace(doing=Doing.NUDGED_BACK, left=ms, beside=None, beside_since=0)
                    )
            else:
                yield world.put(index, piece._replace(doing=Doing.NUDGED_OUT, left=ms))
                lifted = self._lifted(world, index, ms)
                for shown in self._begins_a_show(lifted, index, ms):
                    yield shown.put(index, piece._replace(doing=Doing.TAKEN, left=ms))
                for shown in self._begins_a_show(world, index, ms) if lifted != world else ():
                    yield shown.put(index, piece._replace(doing=Doing.TAKEN, left=ms, swap=True))
                for looked in self._looks(lifted, index, ms):
                    yield looked.put(index, piece._replace(doing=Doing.LOOK, left=ms))
                for taken in self._strokes(lifted, index, ms):
                    yield self._begun(taken.put(index, piece._replace(doing=Doing.STROKE, left=ms)), index, ms)

    def _leaves_one_of_two(self, world: World, index: int, square: Square, ms: int) -> Iterator[World]:
        """Return the worlds in which one of the two neighbours that see a piece sees it no more."""
        piece = world.pieces[index]
        assert piece.old is not None
        if piece.old.square == square:
            if self._crossed(piece.old, ms):
                counted = self.bounds.overlap_counts or piece.doing is not Doing.NUDGED
                since = piece.beside_since if counted else ms
                yield world.put(index, piece._replace(old=None, beside_since=since))
        elif piece.doing is Doing.NUDGED and ms - piece.beside_since <= grammar.NUDGED_MS + self.noise:
            yield world.put(index, Piece(piece.seat, piece.square, piece.since))  # its own square never lost it

    def _lifted(self, world: World, index: int, ms: int) -> World:
        """Return the world in which a piece is lifted: a hand that rests where it could be taken by that piece has let go."""
        piece = world.pieces[index]
        for number, turn in enumerate(world.turns):
            if (
                turn.target is not None
                and not turn.attack
                and not turn.released
                and world.pieces[turn.piece or 0].seat is not piece.seat
                and ms - turn.end >= grammar.TAKEABLE_MS + self.noise
            ):
                after = self._position(world, number + 1)
                if after is not None and turn.target in after.attacks.get(piece.square, frozenset()):
                    world = world.put_turn(number, turn._replace(released=True))
        return world

    def _begins_a_show(self, world: World, index: int, ms: int) -> Iterator[World]:
        """Return the worlds in which a piece is lifted as a defender: that may begin its attacker's turn, and ends the piece's own."""
        if world.shown or any(piece.doing is Doing.TAKEN for piece in world.pieces):
            return
        defender, own = world.pieces[index], self._excursion(world, index)
        if own is not None:  # whatever rested there goes on no more
            world = world.put_turn(own, world.turn(own)._replace(released=True))
        seat = next(seat for seat in grammar.POLES if seat is not defender.seat)
        number, last = self._last_turn(world, seat)
        over = last is not None and self.closed(world, number, ms)
        out = last is not None and last.source is not None and not over
        if not out and ms - defender.since < grammar.TAKEN_FIRST_MS - self.noise:
            return
        if not over:
            turn = last or Turn()
            yield world.put_turn(number, turn._replace(begin=ms if turn.begin is None else turn.begin))
        if last is not None and last.target is not None and not self._drawing(world, last):
            yield world.put_turn(number + 2, Turn(begin=ms))

    def _looks(self, world: World, index: int, ms: int) -> Iterator[World]:
        """Return the world in which the owner lifts a piece to look at it: nothing else of that player is under way, its ply is over."""
        seat = world.pieces[index].seat
        if self._looking(world, seat):
            return
        number, last = self._last_turn(world, seat)
        if last is None or last.piece is None or last.attack:
            yield world
            return
        soon = last.piece == index and ms - last.end < grammar.AGAIN_MS - self.noise
        if last.target is not None and not soon and not self._drawing(world, last):
            yield world.put_turn(number, last._replace(released=True))

    def _looking(self, world: World, seat: Seat) -> bool:
        """Return whether a player looks at a piece."""
        return any(piece.doing is Doing.LOOK and piece.seat is seat for piece in world.pieces)

    def _drawing(self, world: World, turn: Turn) -> bool:
        """Return whether the piece of a turn is still seen by the square that it leaves."""
        old = None if turn.piece is None else world.pieces[turn.piece].old
        return old is not None and old.stroke

    def _crossed(self, old: Old, ms: int) -> bool:
        """Return whether the old one of two squares that see a piece may lose it now."""
        limited = old.limit_ms is not None and self.bounds.overlap_counts
        return ms - old.both <= grammar.DRAWN_MS + self.noise and not (
            limited and ms - old.since > (old.limit_ms or 0) + self.noise
        )

    def _excursion(self, world: World, index: int) -> int | None:
        """Return the number of the last turn whose attempt or ply is made with this piece."""
        return next((n for n in range(len(world.turns) - 1, -1, -1) if world.turns[n].piece == index), None)

    def _begun(self, world: World, index: int, ms: int) -> World:
        """Note that a turn begins now if this piece opens it: its first square loses it, or a neighbour sees it already."""
        for number in range(len(world.turns) - 1, -1, -1):
            turn = world.turns[number]
            if turn.piece == index:  # earlier: seen in the other order
                begin, left = (ms if one is None else min(one, ms) for one in (turn.begin, turn.left))
                return world.put_turn(number, turn._replace(begin=begin, left=left))
        return world

    def _strokes(self, world: World, index: int, ms: int) -> Iterator[World]:
        """Return the worlds in which a hand begins a stroke with a piece that rests: it goes on, or an attempt or ply begins."""
        piece = world.pieces[index]
        if world.shown or self._looking(world, piece.seat):
            return
        number, last = self._last_turn(world, piece.seat)
        if last is not None and last.piece == index and last.target is not None and last.source is not None:
            going = last._replace(target=None, arrived=None)
            settled = self._settled(world, number, ms)
            legal = settled is None or last.target in settled.moves.get(last.source, ())
            if legal and not self.closed(world, number, ms):
                yield world.put_turn(number, going._replace(stops=(*last.stops, Ply(last.source, last.target))))
            passed = self._may_be_passed(world, number, ms) and not self.closed(world, number, ms)
            if passed and (settled is None or not legal):
                yield world.put_turn(number, going._replace(passing=last.arrived))
        if last is None or last.piece is None:
            before = last or Turn()
            yield world.put_turn(number, before._replace(piece=index, source=piece.square, target=None, left=None))
        elif last.target is not None and not self._drawing(world, last):
            yield world.put_turn(number + 2, Turn(piece=index, source=piece.square))

    def _last_turn(self, world: World, seat: Seat) -> tuple[int, Turn | None]:
        """Return the last turn that a player began with its number; where there is none, the number of the first one."""
        first = 0 if seat is self.start.turn else 1
        numbers = [n for n in range(first, len(world.turns), 2) if world.turns[n].begun]
        return (numbers[-1], world.turns[numbers[-1]]) if numbers else (first, None)

    # ---- a square shows a magnet

    def _comes(self, world: World, index: int, square: Square, ms: int) -> Iterator[World]:
        piece = world.pieces[index]
        rests = Piece(piece.seat, piece.square, piece.since)
        pushed = ms - piece.left <= grammar.PUSH_MS + self.noise
        if piece.doing is Doing.LOOK:
            if piece.square == square:
                yield world.put(index, rests)
        elif piece.doing is Doing.NUDGED_OUT:
            if pushed and neighbours(piece.square, square):
                yield world.put(index, rests._replace(doing=Doing.NUDGED, beside=square, beside_since=ms))
        elif piece.doing is Doing.NUDGED_BACK:
            if pushed and piece.square == square:
                yield world.put(index, rests)
        elif piece.doing is Doing.STROKE:
            yield from self._lands(world, index, square, ms)
        elif piece.doing in (Doing.NOTHING, Doing.NUDGED) and piece.old is None:
            yield from self._drawn(world, index, square, ms)

    def _drawn(self, world: World, index: int, square: Square, ms: int) -> Iterator[World]:
        """Return the worlds in which a piece comes into sight of a neighbour before its own square has lost it."""
        piece = world.pieces[index]
        if piece.doing is Doing.NUDGED and piece.beside is not None:
            if piece.square == square and ms - piece.beside_since <= grammar.NUDGED_MS + self.noise:
                old = Old(piece.beside, piece.beside_since, ms, grammar.NUDGED_MS)
                yield world.put(index, Piece(piece.seat, piece.square, piece.since, old=old))
            return
        if not neighbours(piece.square, square):
            return
        old = Old(piece.square, piece.since, ms)
        nudged = piece._replace(doing=Doing.NUDGED, beside=square, beside_since=ms, old=old)
        yield world.put(index, nudged)
        way = direction(piece.square, square)
        for taken in self._strokes(world, index, ms):
            number = self._excursion(taken, index)
            assert number is not None
            if (passing := taken.turn(number).passing) in (None, way):
                limit = None if passing is None else grammar.PASSED_MS
                begun = self._begun(taken, index, ms)
                yield from self._landed(begun, index, square, ms, way, old._replace(limit_ms=limit, stroke=True))

    def _lands(self, world: World, index: int, square: Square, ms: int) -> Iterator[World]:
        piece, number = world.pieces[index], self._excursion(world, index)
        assert number is not None
        yield from self._swapped(world, index, number, square, ms)
        if piece.square == square:
            return
        gap, passing = ms - piece.left, world.turn(number).passing
        way = between(piece.square, square)
        if way is not None and all(one in self.start.squares and world.free(one) for one in way):
            ahead = direction(piece.square, square)
            longest = grammar.PUSH_MS + grammar.UNSEEN_MS * len(way) + self.noise
            if gap <= longest and passing in (None, ahead):
                yield from self._landed(world, index, square, ms, ahead, None)
                return
        if passing is None and gap >= grammar.CARRY_MS - self.noise:
            yield from self._landed(world, index, square, ms, None, None)

    def _landed(
        self, world: World, index: int, square: Square, ms: int, pushed: tuple[int, int] | None, old: Old | None
    ) -> Iterator[World]:
        number = self._excursion(world, index)
        assert number is not None
        turn = world.turn(number)
        landed = world.put(index, Piece(world.pieces[index].seat, square, ms, old=old))
        if square == turn.source:  # the attempt was taken back
            back = turn._replace(piece=None, source=None, target=None, left=None, arrived=None, passing=None)
            yield landed.put_turn(number, back)
        if square != turn.source or pushed is not None:  # a push may cross the square where it began
            yield landed.put_turn(number, turn._replace(target=square, end=ms, arrived=pushed, passing=None))

    # ---- attacks

    def _swapped(self, world: World, index: int, number: int, square: Square, ms: int) -> Iterator[World]:
        """Return the world in which the attacker in the air comes to the square of a defender that was taken from it."""
        shortest, longest = grammar.SWAP_MS
        for defender in world.pieces:
            if (
                defender.doing is not Doing.TAKEN
                or defender.square != square
                or defender.seat is world.pieces[index].seat
            ):
                continue
            if shortest - self.noise <= ms - defender.left <= longest + self.noise:
                yield from self._attacked(world, index, number, defender, ms)

    def _replaced_under(self, world: World, square: Square, ms: int) -> Iterator[World]:
        """Return the worlds in which a square that was empty for a moment shows the attacker that stands on the defender's square."""
        for defender in world.pieces:
            if (
                defender.doing is Doing.TAKEN
                and defender.square == square
                and ms - defender.left <= grammar.UNDER_MS + self.noise
            ):
                yield from self._attacks_on(world, defender, ms)

    def _exchanged(self, world: World, square: Square, seat: Seat | None, ms: int) -> Iterator[World]:
        """Return the worlds in which a square that changes its colour at once shows an attack."""
        for defender in world.pieces:
            if defender.sees(square) and defender.doing is Doing.NOTHING and defender.seat is not seat:
                yield from self._attacks_on(world, defender, ms)

    def _attacks_on(self, world: World, defender: Piece, ms: int) -> Iterator[World]:
        for number, turn in enumerate(world.turns):
            if turn.piece is not None and turn.target is None and world.pieces[turn.piece].seat is not defender.seat:
                yield from self._attacked(world, turn.piece, number, defender, ms)

    def _attacked(self, world: World, index: int, number: int, defender: Piece, ms: int) -> Iterator[World]:
        turn = world.turn(number)
        attacker = world.pieces[index]
        if attacker.doing is not Doing.STROKE or world.shown or not self._may_attack(world, number, defender.square):
            return
        if world.turn(number + 1).begun:  # nobody answers an attack before its answers
            return
        gone = world.pieces.index(defender)
        shown = world._replace(shown=True).put_turn(number, turn._replace(target=defender.square, end=ms, attack=True))
        shown = shown.put(gone, defender._replace(doing=Doing.CAPTURED, old=None))
        yield shown.put(index, Piece(attacker.seat, defender.square, ms))

    def _may_attack(self, world: World, number: int, square: Square) -> bool:
        turn, position = world.turn(number), self._position(world, number)
        if turn.piece is not None and turn.target is None and not self._ran_up(world.pieces[turn.piece], turn, square):
            return False
        return position is None or (
            turn.source is not None and square in position.attacks.get(turn.source, frozenset())
        )

    def _ran_up(self, attacker: Piece, turn: Turn, square: Square) -> bool:
        """Return whether an attacker in the air stood on the square before its victim for no longer than a run-up may."""
        stood_ms = attacker.left - attacker.since
        rested = attacker.square != turn.source and neighbours(attacker.square, square)
        return not rested or stood_ms <= self.bounds.run_up_ms + self.noise

    def attacks(self, world: World, ms: int, coming: bool) -> Iterator[tuple[int, Ply]]:
        """Return the attacks that are shown in a world, with the numbers of their turns: settled ones, and two pieces both lifted.

        With `coming` also those that are shown as soon as a hand that rests goes on.
        """
        for number, turn in enumerate(world.turns):
            if turn.source is None or turn.piece is None:
                continue
            if turn.attack and turn.target:
                yield number, Ply(turn.source, turn.target)
            if turn.target is not None and (not coming or self.closed(world, number, ms)):
                continue
            attacker = world.pieces[turn.piece]
            left = attacker.left if turn.target is None else ms
            for defender in world.pieces:
                if (
                    defender.doing is Doing.TAKEN
                    and defender.seat is not attacker.seat
                    and (coming or not defender.swap)
                ):
                    in_time = left - defender.left <= grammar.TARGET_FIRST_MS + self.noise
                    if in_time and self._may_attack(world, number, defender.square):
                        yield number, Ply(turn.source, defender.square)

    # ---- what becomes of a world

    def closed(self, world: World, number: int, ms: int) -> bool:
        """Return whether the piece of a ply stands where the ply ends, and its player may not go on with it any more."""
        turn, reply, noise = world.turn(number), world.turn(number + 1), self.noise
        if turn.target is None:
            return False
        if turn.attack or turn.released or world.turn(number + 2).begun or ms - turn.end > grammar.REST_MS + noise:
            return True
        return reply.begin is not None and ms - reply.begin > grammar.EARLY_MS + noise

    def alive(self, world: World, ms: int) -> bool:
        """Return whether all that is under way can still be finished as the page wants it, and every rest was on a legal target."""
        return (
            all(self._fits(piece, ms) for piece in world.pieces if piece.doing is not Doing.NOTHING or piece.old)
            and self._in_order(world, ms)
            and self._taken_for_an_attack(world, ms)
            and (self.bounds.looks_anywhere or not self._looks_like_an_attack(world, ms))
            and self._legal(world, ms)
        )

    def _taken_for_an_attack(self, world: World, ms: int) -> bool:
        """Return whether a defender that was lifted has its attacker, or may still get it."""
        defender = next((piece for piece in world.pieces if piece.doing is Doing.TAKEN), None)
        if defender is None:
            return True
        longest = grammar.TARGET_FIRST_MS + self.noise
        seat = next(seat for seat in grammar.POLES if seat is not defender.seat)
        number, turn = self._last_turn(world, seat)
        if turn is None or (turn.target is not None and self.closed(world, number, ms)):
            return False
        if number and not self._may_begin(world.turn(number - 1), defender.left, ms):
            return False
        if turn.piece is not None and turn.target is None:
            in_time = world.pieces[turn.piece].left - defender.left <= longest
            if in_time and self._may_attack(world, number, defender.square):
                return True  # or it rests once more, or is taken back, and another piece attacks
        position = self._position(world, number)
        possible = position is None or any(
            defender.square in squares and (not defender.swap or source == turn.source)
            for source, squares in position.attacks.items()
        )
        return possible and ms - defender.left <= longest

    def _looks_like_an_attack(self, world: World, ms: int) -> bool:
        """Return whether a player looks at a piece that the piece in the opponent's hand could surely attack."""
        looked = [piece for piece in world.pieces if piece.doing is Doing.LOOK]
        return bool(looked) and any(
            piece.seat is not attacker.seat
            and (position := self._settled(world, number, ms)) is not None
            and piece.square in position.attacks.get(world.turn(number).source or attacker.square, frozenset())
            for number, attacker in self._in_the_air(world)
            for piece in looked
        )

    def _in_the_air(self, world: World) -> Iterator[tuple[int, Piece]]:
        """Return the pieces that are in a hand, each with the number of the turn in which it could attack."""
        for number, turn in enumerate(world.turns):
            if turn.piece is not None and turn.target is None:
                yield number, world.pieces[turn.piece]
        for piece in world.pieces:
            if piece.doing is Doing.LOOK:
                number, last = self._last_turn(world, piece.seat)
                yield number if last is None or last.piece is None else number + 2, piece

    def _fits(self, piece: Piece, ms: int) -> bool:
        if piece.old is not None and not self._crossed(piece.old, ms):
            return False
        if piece.doing is Doing.TAKEN and piece.swap:
            return ms - piece.left <= grammar.SWAP_MS[1] + self.noise
        if piece.doing in (Doing.NUDGED_OUT, Doing.NUDGED_BACK):
            return ms - piece.left <= grammar.PUSH_MS + self.noise
        if piece.doing is Doing.NUDGED and (piece.old is None or self.bounds.overlap_counts):
            return ms - piece.beside_since <= grammar.NUDGED_MS + self.noise
        return True

    def _in_order(self, world: World, ms: int) -> bool:
        """Return whether no turn began too early or was over before the ply began to which it is the reply."""
        for number, (before, turn) in enumerate(pairwise(world.turns)):
            if turn.begin is None:
                continue
            if before.target is None and not self._may_begin(before, turn.begin, ms):
                return False
            begun = ms if before.left is None else before.left
            too_late = turn.target is not None and begun - turn.end > self.noise
            if too_late and self.closed(world, number + 1, ms):
                return False
        return True

    def _may_begin(self, before: Turn, begin: int, ms: int) -> bool:
        """Return whether the turn after this one may have begun then, its ply being over or not."""
        return (ms if before.target is None else before.end) - begin <= grammar.EARLY_MS + self.noise

    def _may_be_passed(self, world: World, number: int, ms: int) -> bool:
        """Return whether the square on which a piece stands may be one on the way of a push that goes on."""
        turn = world.turn(number)
        return turn.arrived is not None and ms - turn.end <= grammar.PASSED_MS + self.noise

    def _position(self, world: World, number: int) -> Position | None:
        """Return the position in which a turn was played if every ply before it is known as far as it came, else None."""
        plies = []
        for turn in world.turns[:number]:
            if turn.source is None or turn.target is None:
                return None
            plies.append(Ply(turn.source, turn.target))
        return self.start.after(tuple(plies)) if len(plies) == number else None

    def _settled(self, world: World, number: int, ms: int) -> Position | None:
        """Return the position in which a turn was played if every ply before it is over for good, else None."""
        if all(self.closed(world, before, ms) for before in range(number)):
            return self._position(world, number)
        return None

    def _legal(self, world: World, ms: int) -> bool:
        """Return whether the turns are legal as far as the plies before them are settled."""
        plies: tuple[Ply, ...] = ()
        for number, turn in enumerate(world.turns):
            position = self.start.after(plies)
            if position is None or not self._legal_turn(world, number, position, ms):
                return False
            if turn.attack or turn.source is None or turn.target is None or not self.closed(world, number, ms):
                break
            plies = (*plies, Ply(turn.source, turn.target))
        return True

    def tidied(self, world: World, ms: int) -> World:
        """Return the same world without what can make no difference any more, so that worlds that are alike are equal."""
        for number, turn in enumerate(world.turns):
            over = self.closed(world, number, ms)
            plain = turn._replace(stops=(), arrived=None if over else turn.arrived)
            if plain != turn:
                world = world.put_turn(number, plain)
            if not over:
                break
        return world

    def _legal_turn(self, world: World, number: int, position: Position, ms: int) -> bool:
        """Return whether each rest of a turn was on a legal target, and its piece stands on one or may still come to one."""
        turn = world.turn(number)
        if any(stop.target not in position.moves.get(stop.source, ()) for stop in turn.stops):
            return False
        if turn.source is None or turn.attack:
            return True
        targets = position.moves.get(turn.source, frozenset())
        if turn.target is None:
            return self._may_be_pushed_on(world, turn, ms) and (bool(targets) or turn.source in position.attacks)
        passed = self._may_be_passed(world, number, ms) and not self.closed(world, number, ms)
        return turn.target in targets or passed

    def _may_be_pushed_on(self, world: World, turn: Turn, ms: int) -> bool:
        """Return whether a piece in the air, if its push has to go on, may still come to a square: the row ends somewhere."""
        if turn.passing is None or turn.piece is None:
            return True
        piece = world.pieces[turn.piece]
        ahead = [one for one in self.start.squares if between(piece.square, one) is not None]
        squares = sum(direction(piece.square, one) == turn.passing for one in ahead)
        return squares > 0 and ms - piece.left <= grammar.PUSH_MS + grammar.UNSEEN_MS * (squares - 1) + self.noise
