"""What hands can be asked to do: as values, in JSON (`parse_motion`), and as tracks of magnets (`plan`).

    {"motion": "place", "seat": "red", "squares": ["a1", "b1"]}      set down from the box, one after the other
    {"motion": "move", "from": "d4", "to": "d5", "style": "lift"}    lift, hover, set down; style "slide" stays on the board
    {"motion": "move", "from": "d4", "to": "d7", "style": "slide", "via": ["d5", "d6"]}
    {"motion": "lift", "square": "d4"}                               into the hand
    {"motion": "put", "seat": "red", "square": "d4"}                 out of the hand
    {"motion": "remove", "square": "d5"}                             off the board
    {"motion": "both", "from": "d4", "target": "d5"}                 one lifted, then the other; both in hand
    {"motion": "clear"}                                              everything off the board
    {"motion": "restore", "squares": {"a1": "red"}}                  these pieces stand where they should, and nothing else does
    {"motion": "bump"}                                               a knock: four pieces or more fly off their squares
    {"motion": "trouble", "kind": "dead", "square": "d4", "for_ms": 5000}     something befalls the board itself
    {"motion": "wait"}                                               nothing, for after_ms

Each may have "after_ms": board time that passes first. A move may have "rests": {"d6": ["d5"]}, other squares to which its piece might go,
with the squares on the way: noisy hands hesitate on one of them now and then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias, get_args

from simulator import times
from simulator.faults import LONGEST_MS, Trouble
from simulator.magnets import Point, Track
from simulator.plies import bump, put_right
from simulator.profiles import USUAL
from simulator.script import Gesture, HandsView, Held, MotionError, landing
from toml_tables import Key, check_table, keyed, keys_of

# ---------------------------------------------------------------- the values: each field is a key of the JSON form, in its order


def _seats(squares: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    if not all(isinstance(seat, str) for seat in squares.values()):
        raise ValueError("squares with seats are needed")
    return tuple(squares.items())


def _rests(rests: Mapping[str, object]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = []
    for square, over in rests.items():
        if not isinstance(over, list) or not all(isinstance(item, str) for item in over):
            raise ValueError("squares with lists of squares are needed")
        found.append((square, tuple(over)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Place:
    """Pieces of a seat are set down from the box, one after the other."""

    seat: str = keyed()
    squares: tuple[str, ...] = keyed(read=tuple)


@dataclass(frozen=True, slots=True)
class Move:
    """A piece goes to an empty square: through the air, or along the board over the squares `via`."""

    source: str = keyed(name="from")
    target: str = keyed(name="to")
    slide: bool = keyed(
        default=False, kind="text", name="style", choices=("lift", "slide"), read=lambda style: style == "slide"
    )
    via: tuple[str, ...] = keyed(default=(), read=tuple)
    rests: tuple[tuple[str, tuple[str, ...]], ...] = keyed(default=(), kind="table", read=_rests)


@dataclass(frozen=True, slots=True)
class Lift:
    """A piece is taken into the hand, and stays there."""

    square: str = keyed()


@dataclass(frozen=True, slots=True)
class Put:
    """A piece of a seat is set down out of the hand."""

    seat: str = keyed()
    square: str = keyed()


@dataclass(frozen=True, slots=True)
class Remove:
    """A piece leaves the board."""

    square: str = keyed()


@dataclass(frozen=True, slots=True)
class Both:
    """A piece is lifted, then the one that it attacks; both are in hand."""

    source: str = keyed(name="from")
    target: str = keyed()


@dataclass(frozen=True, slots=True)
class Clear:
    """Every piece leaves the board."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Hands restore the board: each of these squares with its seat's piece, and no other piece anywhere."""

    squares: tuple[tuple[str, str], ...] = keyed(kind="table", read=_seats)


@dataclass(frozen=True, slots=True)
class Bump:
    """The board is knocked."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing moves."""


Motion: TypeAlias = Place | Move | Lift | Put | Remove | Both | Clear | Restore | Bump | Trouble | Wait

MOTIONS: Mapping[str, Callable[..., Motion]] = {motion.__name__.lower(): motion for motion in get_args(Motion)}
"""By the words that `motion` may be."""
_AFTER = Key("after_ms", "whole number", "", 0, low=0, high=LONGEST_MS)


def parse_motion(wish: object) -> tuple[Motion, int]:
    """Return the motion that a JSON object asks for and the milliseconds to wait first; raise MotionError with every fault in it."""
    if not isinstance(wish, dict):
        raise MotionError("a motion is a JSON object")
    data = dict(wish)
    name = data.pop("motion", None)
    if not isinstance(name, str) or name not in MOTIONS:
        raise MotionError(f"motion {name!r} is none of {', '.join(MOTIONS)}")
    wrong: list[str] = []
    values = check_table(data, (*keys_of(MOTIONS[name]), _AFTER), name, wrong)
    if wrong:
        raise MotionError("; ".join(wrong))
    after_ms = values.pop(_AFTER.name)
    return MOTIONS[name](*values.values()), after_ms


# ---------------------------------------------------------------- how hands make them, with their own times and nothing going wrong


def plan(motion: Motion, table: HandsView, start_ms: float, random: Random) -> list[Track]:
    """Return the tracks of a motion that begins at `start_ms`; raise MotionError if no hand could make it."""
    hand = Gesture(table, random, start_ms)
    match motion:
        case Place(seat, squares):
            if len(set(squares)) != len(squares):
                raise MotionError("place: a square stands twice")
            for number in [table.free(square) for square in squares]:
                start_ms = hand.at_ms
                hand.put(Held(seat, table.pole(seat)), number)
                hand.at_ms = start_ms + times.PACE.draw(random)
        case Move(source, target, slide, via):
            first, last = table.taken(source), table.free(target)
            if slide:
                _slide(hand, first, [table.free(square) for square in via], last)
            else:
                held = hand.take(first)
                hand.carry()
                hand.put(held, last)
        case Lift(square) | Remove(square):
            hand.take(table.taken(square))
        case Put(seat, square):
            hand.put(Held(seat, table.pole(seat)), table.free(square))
        case Both(source, target):
            first, second = table.taken(source), table.taken(target)
            if first == second:
                raise MotionError(f"{source} cannot attack itself")
            hand.take(first)
            hand.at_ms = start_ms + times.BETWEEN_LIFTS.draw(random)
            hand.take(second)
        case Clear():
            for number in sorted(table.resting):
                start_ms = hand.at_ms
                hand.take(number)
                hand.at_ms = start_ms + times.SWEEP.draw(random)
        case Restore(squares):
            wanted = {table.index(square): (seat, table.pole(seat)) for square, seat in squares}
            put_right(hand, wanted)
        case Bump():
            if not bump(hand):
                raise MotionError("fewer than four pieces stand on the board: nothing to knock over")
    return hand.tracks


def _slide(hand: Gesture, source: int, way: Iterable[int], target: int) -> None:
    """Push a piece along the board at an even pace, over the middles of the squares of `way`."""
    places, random = hand.table.places, hand.random
    piece = hand.standing[source]
    points = [Point(hand.at_ms, piece.x, piece.y, 0.0)]
    for x, y in [*(places[square] for square in way), landing(places[target], random)]:
        squares = max(1, round(math.dist(points[-1][1:3], (x, y))))
        pace = hand.table.times.crossed_ms / USUAL.crossed_ms
        at_ms = points[-1].at_ms + pace * sum(times.ACROSS.draw(random) for _ in range(squares))
        points.append(Point(at_ms, x, y, 0.0))
    hand.tracks.append(Track(piece.pole, source, target, tuple(points), piece.seat))
