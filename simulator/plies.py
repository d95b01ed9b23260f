"""What hands did, as a value, and the parts of a ply that moves and captures share: fidgeting, falling pieces, putting right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from simulator import times
from simulator.profiles import MotionShares
from simulator.script import Held, Script
from simulator.tracks import Resting

STANDS_BADLY = 0.22  # of the pitch off the middle: a player who puts things right pushes it in
FALLEN_MM = 9.0  # a piece that lies has its magnet so high


@dataclass(frozen=True, slots=True)
class Ply:
    """What hands were let to do. All times are the board's, since its first power-on."""

    motion: str
    """Its class: lift, slide, both-lifted, tapped, target-first, swapped, removal, restore, or an accident's name."""

    squares: tuple[str, ...]
    """Source and target, or whatever it is about. `SimBoard.changed_ms` says when they last changed."""

    extras: tuple[str, ...] = ()
    """Legal handling that went with it: bounced, hesitated, early-reply, changed-mind, adjusted, lifted-and-returned, parked."""

    accidents: tuple[str, ...] = ()
    """What went wrong in it: bumped, knocked-over, own-swapped, parked-on-square, wrong-removal, rebooted, cut, dead-square, ..."""

    begin_ms: int = 0
    rest_ms: int = 0
    """When the last magnet that belongs to it has come to rest."""

    quiet_ms: int = 0
    """When hands have also put right by themselves what went wrong."""

    told_ms: int | None = None
    """When the attack is told on the handset, for a tap, which no sensor sees."""

    rests: tuple[tuple[str, int], ...] = ()
    """Squares other than the target where the piece rested, and for how many milliseconds."""

    heals: bool = True
    """False: hands leave the board wrong until somebody asks them to `restore` it."""


def fidget(script: Script, random: Random, shares: MotionShares, own: Sequence[int]) -> list[str]:
    """Do something with another own piece first, or nothing; return what it was."""
    draw = random.random()
    for word, share in (
        ("changed-mind", shares.changed_mind),
        ("adjusted", shares.adjusted),
        ("lifted-and-returned", shares.lifted_and_returned),
    ):
        if draw < share:
            if not own:
                return []
            _fidget(script, random.choice(own), word)
            return [word]
        draw -= share
    return []


def _fidget(script: Script, place: int, word: str) -> None:
    if word == "adjusted":
        script.push(place, place, over_edge=True)
        script.wait(times.THINK_ON)
        return
    held = script.take(place)
    if word == "changed-mind":
        script.carry()  # to where it will not go after all
        script.carry()
    else:
        script.wait(times.LOOK)
    script.put(held, place)
    script.wait(times.CHANGE if word == "changed-mind" else times.THINK_ON)


def fall(script: Script, random: Random, place: int, at_ms: float) -> int:
    """Let a piece fall over at that time, its magnet up and turned away; return the number under which it lies beside its square."""
    piece = script.standing[place]
    angle, off = random.uniform(0.0, math.tau), random.uniform(0.35, 0.55)
    now_ms, script.at_ms = script.at_ms, at_ms
    at = (piece.x + off * math.cos(angle), piece.y + off * math.sin(angle))
    lying = script.beside()
    script.shove(place, lying, at, random.uniform(60, 160), FALLEN_MM)
    script.at_ms = now_ms
    return lying


def put_right(
    script: Script,
    wanted: Mapping[int, tuple[str, int]],
    places: Sequence[tuple[float, float]],
    held: Iterable[Held] = (),
) -> None:
    """Make the board stand as wanted (square -> seat and pole): takes first, then pushes, then pieces out of the hands."""
    hands = list(held)
    for place, piece in sorted(script.standing.items()):
        if place < 0 or wanted.get(place) != (piece.seat, piece.pole):
            hands.append(script.take(place))
            script.wait(times.NEXT_STEP)
    for place, piece in sorted(script.standing.items()):
        if off_middle(piece, places[place]) > STANDS_BADLY:
            script.push(place, place)
            script.wait(times.NEXT_STEP)
    for place, (seat, pole) in sorted(wanted.items()):
        if place not in script.standing:
            one = next((one for one in hands if (one.seat, one.pole) == (seat, pole)), None)
            if one is None:
                one = Held(seat, pole, *places[place])
            else:
                hands.remove(one)
            script.put(one, place)
            script.wait(times.NEXT_STEP)


def off_middle(piece: Resting, place: tuple[float, float]) -> float:
    """Return how far a piece stands from the middle of a square, in pitches."""
    return math.dist((piece.x, piece.y), place)


def way_over(source: int, rest: Sequence[int], path: Sequence[int]) -> list[int]:
    """Return the squares of a slide that goes to the end of `rest` first and then, going back as far as it must, to the end of `path`."""
    shared = 0
    while shared < min(len(rest), len(path)) and rest[shared] == path[shared]:
        shared += 1
    if shared == len(rest):
        return list(path)
    back = list(reversed(rest[shared:-1]))
    junction = rest[shared - 1] if shared else source
    return [*rest, *back, junction, *path[shared:]]
