"""The tracks that plain motions are made of: what a hand does that is told what to do, with its own times and nothing going wrong."""

from __future__ import annotations

import math
from random import Random
from typing import TypeAlias

from simulator.accidents import bump
from simulator.errors import MotionError
from simulator.motions import Befall, Both, Bump, Clear, Lift, Motion, Move, Place, Put, Remove, Restore, Wait
from simulator.plies import put_right
from simulator.script import IN_HAND_MM, Script, Table, landing
from simulator.times import ACROSS, BETWEEN_LIFTS, CARRY, FALL, PACE, RISE, SWEEP
from simulator.tracks import Point, Track

Plan: TypeAlias = list[Track]


def plan(motion: Motion, table: Table, start_ms: float, random: Random) -> Plan:
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


def _place(table: Table, seat: str, squares: tuple[str, ...], start_ms: float, random: Random) -> Plan:
    if len(set(squares)) != len(squares):
        raise MotionError("place: a square stands twice")
    tracks = []
    for number in [table.free(square) for square in squares]:
        tracks.append(_put(table, seat, number, start_ms, random))
        start_ms += PACE.draw(random)
    return tracks


def _lift(table: Table, number: int, start_ms: float, random: Random) -> Track:
    piece = table.resting[number]
    gone = Point(start_ms + RISE.draw(random), piece.x, piece.y, IN_HAND_MM)
    return Track(piece.pole, number, None, (Point(start_ms, piece.x, piece.y, piece.height_mm), gone), piece.seat)


def _put(table: Table, seat: str, number: int, start_ms: float, random: Random) -> Track:
    pole = table.pole(seat)
    x, y = landing(table.places[number], random)
    points = (Point(start_ms, x, y, IN_HAND_MM), Point(start_ms + FALL.draw(random), x, y, 0.0))
    return Track(pole, None, number, points, seat)


def _move(
    table: Table, source: str, target: str, slide: bool, via: tuple[str, ...], start_ms: float, random: Random
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
