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
from typing import TypeAlias

from firmware_bridge.messages import ResetCause
from hardware.toml_tables import Key, check_table
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
    """Return the motion that a JSON object asks for and the milliseconds to wait first; raise MotionError with every fault in it."""
    if not isinstance(wish, dict):
        raise MotionError("a motion is a JSON object")
    data = dict(wish)
    name = data.pop("motion", None)
    if not isinstance(name, str) or name not in _MOTIONS:
        raise MotionError(f"motion {name!r} is none of {', '.join(_MOTIONS)}")
    make, keys = _MOTIONS[name]
    faults: list[str] = []
    values = check_table(data, (*keys, _AFTER), name, faults)
    if faults:
        raise MotionError("; ".join(faults))
    after_ms = values.pop(_AFTER.name)
    return make(*values.values()), after_ms


def _befall(kind: str, square: str, for_ms: int) -> Befall:
    if (kind in _SENSORS) != bool(square):
        raise MotionError(f"trouble: {kind} {'needs a' if kind in _SENSORS else 'has no'} square")
    return Befall(kind, square, for_ms)


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


def _words(*names: str) -> tuple[Key, ...]:
    return tuple(Key(name, "text", "") for name in names)


_AFTER = Key("after_ms", "whole number", "", 0, low=0, high=LONGEST_WAIT_MS)
_MOTIONS: Mapping[str, tuple[Callable[..., Motion], tuple[Key, ...]]] = {
    "place": (Place, (*_words("seat"), Key("squares", "list of text", "", read=tuple))),
    "move": (
        Move,
        (
            *_words("from", "to"),
            Key("style", "text", "", False, choices=("lift", "slide"), read=lambda style: style == "slide"),
            Key("via", "list of text", "", (), read=tuple),
            Key("rests", "table", "", (), read=_rests),
        ),
    ),
    "lift": (Lift, _words("square")),
    "put": (Put, _words("seat", "square")),
    "remove": (Remove, _words("square")),
    "both": (Both, _words("from", "target")),
    "clear": (Clear, ()),
    "restore": (Restore, (Key("squares", "table", "", read=_seats),)),
    "bump": (Bump, ()),
    "trouble": (
        _befall,
        (
            Key("kind", "text", "", choices=TROUBLES),
            Key("square", "text", "", ""),
            Key("for_ms", "whole number", "", 0, low=0, high=LONGEST_WAIT_MS),
        ),
    ),
    "wait": (Wait, ()),
}
"""Name -> what makes the value, and its keys in the order of the value's fields."""

MOTION_NAMES = tuple(_MOTIONS)
"""The words that `motion` may be."""


# ---------------------------------------------------------------- how hands make them, with their own times and nothing going wrong

Plan: TypeAlias = list[Track]


def plan(motion: Motion, table: HandsView, start_ms: float, random: Random) -> Plan:
    """Return the tracks of a motion that begins at `start_ms`; raise MotionError if no hand could make it."""
    match motion:
        case Place(seat, squares):
            return _place(table, seat, squares, start_ms, random)
        case Move(source, target, slide, via):
            return [_move(table, source, target, slide, via, start_ms, random)]
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


def _move(
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
