"""What goes wrong: knocked boards, wrong pieces taken, pieces put down where they should not be, and the board's own troubles."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from random import Random

from simulator import times
from simulator.captures import Verdict
from simulator.profiles import AccidentShares, LinkNoise
from simulator.script import Held, Script
from simulator.sensors import SensorFault
from simulator.troubles import Broken, Cut, Reboot, Trouble

BUMPED = (4, 7)  # pieces that a knock moves
_THROWN = (0.45, 0.8)  # pitches that each of them goes: out of its own sensor's sight
_BESIDE = 0.5  # pitches off its square's middle a piece counts as lying beside it
_NEIGHBOUR = 1.5  # pitches
_DOWN_MS = (300, 1500)  # a controller restarts
_SICK_MS = (3_000, 20_000)  # a bad solder joint makes contact again


def bump(script: Script, random: Random, places: Sequence[tuple[float, float]]) -> list[int]:
    """Knock the board at `script.at_ms`: four to seven neighbouring pieces fly off their squares; return those squares.

    None, nothing having moved, if fewer than four stand on the board.
    """
    standing = [place for place in script.standing if place >= 0]
    if len(standing) < BUMPED[0]:
        return []
    middle = places[random.choice(standing)]
    nearest = sorted(standing, key=lambda place: (math.dist(places[place], middle), place))
    hit = nearest[: random.randint(*BUMPED)]
    for place in hit:
        off, angle = random.uniform(*_THROWN), random.uniform(0.0, math.tau)
        x, y = places[place]
        at = (x + off * math.cos(angle), y + off * math.sin(angle))
        script.shove(place, script.beside() if off > _BESIDE else place, at, random.uniform(80, 250))
    return hit


def own_swap(script: Script, random: Random, own: Sequence[int]) -> list[int]:
    """Lift two own pieces and put each on the other's square; return the two squares, none if there are no two."""
    if len(own) < 2:
        return []
    first, second = random.sample(list(own), 2)
    one = script.take(first)
    script.wait(times.NEXT_STEP)
    other = script.take(second)
    script.carry()
    script.put(one, second)
    script.wait(times.NEXT_STEP)
    script.put(other, first)
    return [first, second]


def neighbours(standing: Collection[int], places: Sequence[tuple[float, float]], about: Collection[int]) -> list[int]:
    """Return the squares with a piece next to those that a hand is busy with."""
    return [
        place
        for place in sorted(standing)
        if place >= 0
        and place not in about
        and any(math.dist(places[place], places[other]) <= _NEIGHBOUR for other in about if other >= 0)
    ]


def wrong_removal(
    script: Script, random: Random, meant: Verdict, bystanders: Sequence[int], *, colour: bool
) -> tuple[Verdict | None, Held | None]:
    """Draw how a verdict is misheard; return the verdict that hands obey and a bystander that they take besides.

    Without colour no sensor can tell which of two pieces was taken, so there it is always a bystander. (None, None): nothing can
    go wrong here that a board could show.
    """
    if colour and (not bystanders or random.random() < 0.5):
        attacker_stays = meant in (Verdict.ATTACKER_WINS, Verdict.FLAG_TAKEN)
        if meant is Verdict.BOTH_LOST:
            attacker_stays = random.random() < 0.5
        return (Verdict.DEFENDER_WINS if attacker_stays else Verdict.ATTACKER_WINS), None
    if not bystanders:
        return None, None
    taken = script.take(random.choice(bystanders))
    script.wait(times.NEXT_STEP)
    return meant, taken


def rim_place(places: Sequence[tuple[float, float]], random: Random) -> tuple[float, float]:
    """Return a place just outside the squares, where captured pieces are put."""
    xs, ys = [x for x, _ in places], [y for _, y in places]
    off = random.uniform(0.6, 0.9)
    x, y = random.uniform(min(xs), max(xs)), random.uniform(min(ys), max(ys))
    return random.choice([(min(xs) - off, y), (max(xs) + off, y), (x, min(ys) - off), (x, max(ys) + off)])


def edge_squares(places: Sequence[tuple[float, float]]) -> list[int]:
    """Return the squares at the four sides."""
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return [n for n, (x, y) in enumerate(places) if x in (min(xs), max(xs)) or y in (min(ys), max(ys))]


def draw_troubles(
    shares: AccidentShares,
    link: LinkNoise,
    random: Random,
    span_ms: tuple[float, float],
    squares: Sequence[str],
    about: Sequence[str],
) -> list[tuple[str, Trouble]]:
    """Return what happens to the board itself in the middle of a ply, each with its name. Half of the sick squares are `about`'s."""
    found: list[tuple[str, Trouble]] = []

    def at_ms() -> int:
        return round(random.uniform(*span_ms))

    if random.random() < shares.rebooted:
        found.append(("rebooted", Reboot(at_ms(), random.randint(*_DOWN_MS))))
    if random.random() < link.cut:
        found.append(("cut", Cut(at_ms(), random.randint(*link.cut_ms))))
    for share, word, fault in (
        (shares.dead_square, "dead-square", SensorFault.DEAD),
        (shares.stuck_square, "stuck-square", SensorFault.STUCK),
        (shares.drifting_square, "drifting-square", SensorFault.DRIFTING),
    ):
        if random.random() < share:
            square = random.choice(about if random.random() < 0.5 else squares)
            found.append((word, Broken(at_ms(), square, fault, random.randint(*_SICK_MS))))
    return found
