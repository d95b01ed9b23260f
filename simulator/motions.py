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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from firmware_bridge.messages import ResetCause
from simulator.faults import DOWN_MS, FOR_EVER_MS, JAM_MS, Broken, Cut, Jam, Mended, Reboot, Trouble
from simulator.firmware import SensorFault
from simulator.magnets import Point, Track
from simulator.plies import bump, put_right
from simulator.script import IN_HAND_MM, HandsView, MotionError, Script, landing
from simulator.times import ACROSS, BETWEEN_LIFTS, CARRY, FALL, PACE, RISE, SWEEP

LONGEST_WAIT_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Place:
    """Pieces of a seat are set down from the box, one after the other."""

    seat: str
    squares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A piece goes to an empty square: through the air, or along the board over the squares `via`."""

    source: str
    target: str
    slide: bool = False
    via: tuple[str, ...] = ()
    rests: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Lift:
    """A piece is taken into the hand, and stays there."""

    square: str


@dataclass(frozen=True, slots=True)
class Put:
    """A piece of a seat is set down out of the hand."""

    seat: str
    square: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A piece leaves the board."""

    square: str


@dataclass(frozen=True, slots=True)
class Both:
    """A piece is lifted, then the one that it attacks; both are in hand."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Clear:
    """Every piece leaves the board."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Hands put the board right: each of these squares with its seat's piece, and no other piece anywhere."""

    squares: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Bump:
    """The board is knocked."""


@dataclass(frozen=True, slots=True)
class Befall:
    """Something happens to the board itself: a word of `TROUBLES`, the square if it is a sensor, and for how long (0: for ever)."""

    kind: str
    square: str = ""
    for_ms: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing moves."""


Motion: TypeAlias = Place | Move | Lift | Put | Remove | Both | Clear | Restore | Bump | Befall | Wait

_SENSORS = ("dead", "stuck", "open", "weak", "drifting", "mended")
TROUBLES = (*_SENSORS, "cut", "reboot", "brown-out", "calibration-lost", "jam")
"""What can befall a board. All but the last five are a square's."""


def parse_motion(wish: object) -> tuple[Motion, int]:
    """Return the motion that a JSON object asks for and the milliseconds to wait first; raise MotionError."""
    if not isinstance(wish, dict):
        raise MotionError("a motion is a JSON object")
    keys = dict(wish)
    name, after_ms = keys.pop("motion", None), keys.pop("after_ms", 0)
    if not isinstance(name, str) or name not in _KEYS:
        raise MotionError(f"motion {name!r} is none of {', '.join(_KEYS)}")
    if not isinstance(after_ms, int) or isinstance(after_ms, bool) or not 0 <= after_ms <= LONGEST_WAIT_MS:
        raise MotionError(f"after_ms: a whole number from 0 to {LONGEST_WAIT_MS} is needed")
    needed, optional, make = _KEYS[name]
    for key in keys:
        if key not in needed and key not in optional:
            raise MotionError(f"{name}: unknown key {key!r}")
    for key in needed:
        if key not in keys:
            raise MotionError(f"{name}: key {key!r} is missing")
    for key, value in keys.items():
        _check(name, key, value)
    return make(keys), after_ms


def _check(name: str, key: str, value: object) -> None:
    """Raise MotionError if a key's value is none that the motion can have."""
    if key == "squares" and name == "restore":
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise MotionError("restore: squares is an object of squares and seats")
    elif key in ("squares", "via"):
        if not _is_squares(value):
            raise MotionError(f"{name}: {key} is a list of squares")
    elif key == "rests":
        if not isinstance(value, dict) or not all(map(_is_squares, value.values())):
            raise MotionError(f"{name}: rests is an object of squares and lists of squares")
    elif key == "for_ms":
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST_WAIT_MS:
            raise MotionError(f"{name}: for_ms is a whole number from 0 to {LONGEST_WAIT_MS}")
    elif not isinstance(value, str):
        raise MotionError(f"{name}: {key} is text")
    elif key == "style" and value not in ("lift", "slide"):
        raise MotionError(f"{name}: style is lift or slide")


def _is_squares(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _befall(keys: dict[str, Any]) -> Befall:
    kind, square = keys["kind"], keys.get("square", "")
    if kind not in TROUBLES:
        raise MotionError(f"trouble: kind {kind!r} is none of {', '.join(TROUBLES)}")
    if (kind in _SENSORS) != bool(square):
        raise MotionError(f"trouble: {kind} {'needs a' if kind in _SENSORS else 'has no'} square")
    return Befall(kind, square, keys.get("for_ms", 0))


def _move(keys: dict[str, Any]) -> Move:
    rests = tuple((square, tuple(over)) for square, over in keys.get("rests", {}).items())
    return Move(keys["from"], keys["to"], keys.get("style") == "slide", tuple(keys.get("via", ())), rests)


_KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[dict[str, Any]], Motion]]] = {
    "place": (("seat", "squares"), (), lambda keys: Place(keys["seat"], tuple(keys["squares"]))),
    "move": (("from", "to"), ("style", "via", "rests"), _move),
    "lift": (("square",), (), lambda keys: Lift(keys["square"])),
    "put": (("seat", "square"), (), lambda keys: Put(keys["seat"], keys["square"])),
    "remove": (("square",), (), lambda keys: Remove(keys["square"])),
    "both": (("from", "target"), (), lambda keys: Both(keys["from"], keys["target"])),
    "clear": ((), (), lambda keys: Clear()),
    "restore": (("squares",), (), lambda keys: Restore(tuple(keys["squares"].items()))),
    "bump": ((), (), lambda keys: Bump()),
    "trouble": (("kind",), ("square", "for_ms"), _befall),
    "wait": ((), (), lambda keys: Wait()),
}
"""Name -> needed keys, optional keys, and what makes the value."""

MOTION_NAMES = tuple(_KEYS)
"""The words that `motion` may be."""


# ---------------------------------------------------------------- how hands make them, with their own times and nothing going wrong

Plan: TypeAlias = list[Track]


def plan(motion: Motion, table: HandsView, start_ms: float, random: Random) -> Plan:
    """Return the tracks of a motion that begins at `start_ms`; raise MotionError if no hand could make it."""
    match motion:
        case Place(seat, squares):
            return _place(table, seat, squares, start_ms, random)
        case Move(source, target, slide, via):
            return [_plan_move(table, source, target, slide, via, start_ms, random)]
        case Lift(square) | Remove(square):
            return [_lift(table, table.taken(square), start_ms, random)]
        case Put(seat, square):
            return [_put(table, seat, table.free(square), start_ms, random)]
        case Both(source, target):
            first, second = table.taken(source), table.taken(target)
            if first == second:
                raise MotionError(f"{source} cannot attack itself")
            later_ms = start_ms + BETWEEN_LIFTS.draw(random)
            return [_lift(table, first, start_ms, random), _lift(table, second, later_ms, random)]
        case Clear():
            tracks = []
            for number in sorted(table.resting):
                tracks.append(_lift(table, number, start_ms, random))
                start_ms += SWEEP.draw(random)
            return tracks
        case Restore(squares):
            script = Script(table, random, start_ms)
            wanted = {table.index(square): (seat, table.pole(seat)) for square, seat in squares}
            put_right(script, wanted, table.places)
            return script.tracks
        case Bump():
            script = Script(table, random, start_ms)
            if not bump(script, random, table.places):
                raise MotionError("fewer than four pieces stand on the board: nothing to knock over")
            return script.tracks
        case Wait() | Befall():
            return []


def _place(table: HandsView, seat: str, squares: tuple[str, ...], start_ms: float, random: Random) -> Plan:
    if len(set(squares)) != len(squares):
        raise MotionError("place: a square stands twice")
    tracks = []
    for number in [table.free(square) for square in squares]:
        tracks.append(_put(table, seat, number, start_ms, random))
        start_ms += PACE.draw(random)
    return tracks


def _lift(table: HandsView, number: int, start_ms: float, random: Random) -> Track:
    piece = table.resting[number]
    gone = Point(start_ms + RISE.draw(random), piece.x, piece.y, IN_HAND_MM)
    return Track(piece.pole, number, None, (Point(start_ms, piece.x, piece.y, piece.height_mm), gone), piece.seat)


def _put(table: HandsView, seat: str, number: int, start_ms: float, random: Random) -> Track:
    pole = table.pole(seat)
    x, y = landing(table.places[number], random)
    points = (Point(start_ms, x, y, IN_HAND_MM), Point(start_ms + FALL.draw(random), x, y, 0.0))
    return Track(pole, None, number, points, seat)


def _plan_move(
    table: HandsView, source: str, target: str, slide: bool, via: tuple[str, ...], start_ms: float, random: Random
) -> Track:
    first = table.taken(source)
    last = table.free(target)
    piece = table.resting[first]
    points = [Point(start_ms, piece.x, piece.y, 0.0)]
    if slide:
        way = [table.places[table.free(square)] for square in via]
        for x, y in [*way, landing(table.places[last], random)]:
            squares = max(1, round(math.dist(points[-1][1:3], (x, y))))
            at_ms = points[-1].at_ms + sum(ACROSS.draw(random) for _ in range(squares))
            points.append(Point(at_ms, x, y, 0.0))
    else:
        x, y = landing(table.places[last], random)
        risen_ms = start_ms + RISE.draw(random)
        over_ms = risen_ms + CARRY.draw(random)
        points.append(Point(risen_ms, piece.x, piece.y, IN_HAND_MM))
        points.append(Point(over_ms, x, y, IN_HAND_MM))
        points.append(Point(over_ms + FALL.draw(random), x, y, 0.0))
    return Track(piece.pole, first, last, tuple(points), piece.seat)


def trouble_of(befall: Befall, at_ms: int) -> Trouble:
    """Return the trouble that a wish asks for, at a time."""
    match befall.kind:
        case "reboot" | "brown-out" | "calibration-lost":
            cause = ResetCause.BROWN_OUT if befall.kind == "brown-out" else ResetCause.EXTERNAL
            forgets = befall.kind == "calibration-lost"
            return Reboot(at_ms, befall.for_ms or DOWN_MS, cause, forgets)
        case "jam":
            return Jam(at_ms, befall.for_ms or JAM_MS)
        case "cut":
            return Cut(at_ms, befall.for_ms or FOR_EVER_MS)
        case "mended":
            return Mended(at_ms, befall.square)
    return Broken(at_ms, befall.square, SensorFault(befall.kind), befall.for_ms or FOR_EVER_MS)
