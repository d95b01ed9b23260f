"""Hands that are moved from outside: magnets that are taken, carried and let go, as positions in time.

    {"hand": 1, "takes": [3.1, 0.2]}                   the magnet that lies nearest to this place
    {"hand": 1, "takes": "red", "of": 40}              one out of the box, where 40 are not out yet
    {"hand": 1, "way": [[16, 3.4, 0.2, 35.0], ...]}    goes on: within so many ms to this column and row, so many mm above the board
    {"hand": 1, "ends": "down"}                        sets it down where it is, beside the board into the box
    {"hand": 1, "ends": "back"}                        puts it back where it was taken

One line may have several of these, in this order. Board time lags by as long as a way takes, so that pieces of a way are one movement.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simulator.board import SimBoard
from simulator.magnets import Point, Resting, Track
from simulator.script import IN_HAND_MM, MotionError

MOST_POINTS = 64
MOST_HANDS = 1000
_LONGEST_MS = 1000.0
_MOST_BEHIND_MS = 250.0
"""A way that would end later than this is played faster."""
_REACH = 0.75  # pitches: a magnet farther off is not under this finger
_ON_SQUARE = 0.5  # a magnet that stands nearer than this to the middle of a square is that square's
_RIM = 0.75  # pitches round the outermost squares that are still the board
_FALL_MS = 60.0
_HANDS = -1_000_000
"""Places below this are those of what hands hold: far below those of pieces that lie beside the squares."""
_KEYS = frozenset({"hand", "takes", "of", "way", "ends"})


@dataclass(slots=True)
class _Holding:
    """What a hand holds, the place that this has, where it will be once its way has ended, and where it came from (None: the box)."""

    place: int
    piece: Resting
    ends_ms: float
    origin: tuple[float, float] | None


class Fingers:
    """All hands that are moved from outside on one board."""

    def __init__(self, board: SimBoard) -> None:
        self._board = board
        self._holding: dict[int, _Holding] = {}
        self._taken = 0
        self._lands_ms: dict[int, float] = {}
        """When the piece that was last set down at a place stands there: hands may take it before, and set another one down."""

    def obey(self, wish: Mapping[str, object]) -> None:
        """Do what a line asks of one hand. Raises `MotionError`, and then the hand has done nothing of it."""
        hand, way = wish.get("hand"), _way(wish.get("way", []))
        takes, of, ends = wish.get("takes"), wish.get("of"), wish.get("ends")
        if not (isinstance(hand, int) and not isinstance(hand, bool) and 0 < hand <= MOST_HANDS):
            raise MotionError(f"hand: a number from 1 to {MOST_HANDS} is needed")
        if wish.keys() - _KEYS or ends not in (None, "down", "back"):
            raise MotionError("a hand takes, goes a way, and ends down or back")
        if takes is not None:
            if hand in self._holding:
                raise MotionError("this hand is full")
            self._take(hand, takes, of if isinstance(of, int) else MOST_HANDS)
        if hand not in self._holding and ends == "back":
            return  # it holds nothing that is away
        if hand not in self._holding:
            raise MotionError("this hand is empty")
        if way:
            self._go(hand, way)
        if ends == "back":
            self._back(hand)
        elif ends == "down":
            self._let(hand)

    def magnets(self) -> Iterable[tuple[int | None, Resting]]:
        """Yield where every magnet is now; what hand n holds is told as place -1,000,000 - n, and so is what has not left it yet."""
        for place, piece in self._board.magnets():
            yield (place if place is None or place > _HANDS else _HANDS - (_HANDS - place) % (MOST_HANDS + 1)), piece

    def _out(self, seat: str) -> int:
        """Count the pieces of a seat that are not in the box."""
        boxed = [held.piece for held in self._holding.values() if self._is_boxed(held)]
        return sum(piece.seat == seat for piece in (*self._board.table.resting.values(), *boxed))

    def _is_boxed(self, held: _Holding) -> bool:
        """Return whether what was taken out of the box has not come over the board yet."""
        return held.origin is None and held.place not in self._board.table.resting

    def _new_place(self, hand: int) -> int:
        """Return a place in a hand that nothing was at before: what that hand held last may not have left it yet."""
        self._taken += 1
        return _HANDS - hand - self._taken * (MOST_HANDS + 1)

    def _take(self, hand: int, takes: object, of: int) -> None:
        now_ms = float(self._board.now_ms)
        if isinstance(takes, str):
            if self._out(takes) >= of:
                raise MotionError("the box is empty")
            piece = Resting(self._board.table.pole(takes), -_LONGEST_MS, 0.0, takes, IN_HAND_MM)
            self._holding[hand] = _Holding(self._new_place(hand), piece, now_ms, None)
            return
        at = _place(takes)
        resting = {key: piece for key, piece in self._board.table.resting.items() if key > _HANDS}
        near = min(resting, key=lambda key: math.dist(at, (resting[key].x, resting[key].y)), default=None)
        if near is None or math.dist(at, (resting[near].x, resting[near].y)) > _REACH:
            raise MotionError("no piece stands there")
        piece = resting[near]
        place = self._new_place(hand)
        self._holding[hand] = _Holding(place, piece, max(now_ms, self._lands_ms.get(near, 0.0)), (piece.x, piece.y))
        self._perform(hand, near, place, [(1.0, piece.x, piece.y, piece.height_mm)])

    def _go(self, hand: int, way: list[tuple[float, float, float, float]]) -> None:
        held = self._holding[hand]
        source: int | None = held.place
        if self._is_boxed(held):  # it comes from above
            source, (_, x, y, _) = None, way[0]
            held.piece = Resting(held.piece.pole, x, y, held.piece.seat, IN_HAND_MM)
        behind_ms = max(0.0, held.ends_ms - self._board.now_ms)
        lasts_ms = sum(ms for ms, *_ in way)
        if lasts_ms + behind_ms > _MOST_BEHIND_MS:
            share = max(_MOST_BEHIND_MS - behind_ms, 0.0) / lasts_ms
            way = [(ms * share, x, y, mm) for ms, x, y, mm in (way if share else way[-1:])]
        self._perform(hand, source, held.place, way)

    def _back(self, hand: int) -> None:
        held = self._holding[hand]
        if held.origin is not None:
            self._go(hand, [(_FALL_MS, *held.origin, IN_HAND_MM)])
        else:
            held.piece = Resting(held.piece.pole, -_LONGEST_MS, 0.0, held.piece.seat, IN_HAND_MM)
        self._let(hand)

    def _let(self, hand: int) -> None:
        """Set it down: on the square that it stands on, in between, or in the box."""
        held, board = self._holding[hand], self._board
        piece = held.piece
        places = board.board.places
        (left, right), (low, high) = ((min(axis) - _RIM, max(axis) + _RIM) for axis in zip(*places, strict=True))
        resting = board.table.resting
        target: int | None = None
        if left <= piece.x <= right and low <= piece.y <= high:
            near = min(range(len(places)), key=lambda number: math.dist(places[number], (piece.x, piece.y)))
            is_there = math.dist(places[near], (piece.x, piece.y)) <= _ON_SQUARE and near not in resting
            target = near if is_there else board.table.beside()
        height = IN_HAND_MM if target is None else 0.0
        if held.place in resting:
            if target is not None:  # what was to stand here before may be taken already, and yet on its way
                held.ends_ms = max(held.ends_ms, self._lands_ms.get(target, 0.0))
            self._perform(hand, held.place, target, [(_FALL_MS, piece.x, piece.y, height)])
            if target is not None:
                self._lands_ms[target] = held.ends_ms
        del self._holding[hand]

    def _perform(
        self, hand: int, source: int | None, target: int | None, way: list[tuple[float, float, float, float]]
    ) -> None:
        held = self._holding[hand]
        at_ms = max(held.ends_ms, float(self._board.now_ms))
        points = [Point(at_ms, held.piece.x, held.piece.y, held.piece.height_mm)]
        for ms, x, y, mm in way:
            at_ms += max(ms, 1.0)
            points.append(Point(at_ms, x, y, mm))
        track = Track(held.piece.pole, source, target, tuple(points), held.piece.seat)
        self._board.perform([track])
        held.piece, held.ends_ms = track.rest, at_ms


def _numbers(value: object, count: int) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != count:
        raise MotionError(f"a list of {count} numbers is needed")
    if not all(isinstance(n, int | float) and not isinstance(n, bool) and abs(n) <= _LONGEST_MS for n in value):
        raise MotionError(f"numbers of at most {_LONGEST_MS:.0f} are needed")
    return tuple(float(number) for number in value)


def _place(value: object) -> tuple[float, float]:
    x, y = _numbers(value, 2)
    return x, y


def _way(value: object) -> list[tuple[float, float, float, float]]:
    if not isinstance(value, list) or len(value) > MOST_POINTS:
        raise MotionError(f"way: a list of at most {MOST_POINTS} points is needed")
    way = []
    for point in value:
        ms, x, y, mm = _numbers(point, 4)
        if ms < 0 or mm < 0:
            raise MotionError("way: neither time nor height is below zero")
        way.append((ms, x, y, mm))
    return way
