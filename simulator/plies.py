"""What hands did, as a value (`HandPly`), and the parts that plies are made of: fidgeting, captures, and what goes wrong.

Captures: the four ways in which hands show an attack, and how they clear it away after the verdict. Accidents: knocked boards, wrong pieces
taken, pieces put down where they should not be, and the board's own troubles.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random

from simulator import times
from simulator.faults import Trouble
from simulator.profiles import MotionShares, Profile
from simulator.script import Gesture, Held, MotionError

STANDS_BADLY = 0.22  # of the pitch off the middle: a player who puts things right pushes it in
FALLEN_MM = 9.0  # a piece that lies has its magnet so high


@dataclass(frozen=True, slots=True)
class HandPly:
    """What hands did or were let to do. All times are the board's, since its first power-on."""

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


def fidget(script: Gesture, shares: MotionShares, own: Sequence[int]) -> list[str]:
    """Do something with another own piece first, or nothing. Returns what it was."""
    draw = script.random.random()
    for word, share in (
        ("changed-mind", shares.changed_mind),
        ("adjusted", shares.adjusted),
        ("lifted-and-returned", shares.lifted_and_returned),
    ):
        if draw < share:
            if not own:
                return []
            _fidget(script, script.random.choice(own), word)
            return [word]
        draw -= share
    return []


def _fidget(script: Gesture, place: int, word: str) -> None:
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


def fall(script: Gesture, place: int, at_ms: float) -> int:
    """Let a piece fall over at that time, its magnet up and turned away; return the number under which it lies beside its square."""
    piece = script.standing[place]
    angle, off = script.random.uniform(0.0, math.tau), script.random.uniform(0.35, 0.55)
    now_ms, script.at_ms = script.at_ms, at_ms
    at = (piece.x + off * math.cos(angle), piece.y + off * math.sin(angle))
    lying = script.table.beside()
    script.shove(place, lying, at, script.random.uniform(60, 160), FALLEN_MM)
    script.at_ms = now_ms
    return lying


def put_right(
    script: Gesture,
    wanted: Mapping[int, tuple[str, int]],
    held: Iterable[Held] = (),
) -> None:
    """Make the board stand as wanted (square -> seat and pole): takes first, then pushes, then pieces out of the hands."""
    hands = list(held)
    for place, piece in sorted(script.standing.items()):
        if place < 0 or wanted.get(place) != (piece.seat, piece.pole):
            hands.append(script.take(place))
            script.wait(times.NEXT_STEP)
    for place, piece in sorted(script.standing.items()):
        if math.dist((piece.x, piece.y), script.table.places[place]) > STANDS_BADLY:
            script.push(place, place)
            script.wait(times.NEXT_STEP)
    for place, (seat, pole) in sorted(wanted.items()):
        if place not in script.standing:
            one = Held(seat, pole)
            if one in hands:
                hands.remove(one)
            script.put(one, place)
            script.wait(times.NEXT_STEP)


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


# ---------------------------------------------------------------- captures

HAND_STAYS = 0.3  # of tapping hands keep the attacker until the verdict; the others put it back


class Way(Enum):
    """How an attack is made by hand; in the order of `CaptureShares`."""

    BOTH_LIFTED = "both-lifted"
    TAPPED = "tapped"
    TARGET_FIRST = "target-first"
    SWAPPED = "swapped"


class Verdict(Enum):
    """The result of an attack, for the hands: who stands on the target in the end."""

    ATTACKER_WINS = "attacker-wins"
    DEFENDER_WINS = "defender-wins"
    BOTH_LOST = "both-lost"
    FLAG_TAKEN = "flag-taken"


@dataclass(slots=True)
class Attack:
    """An attack under way: who it is, and where its two pieces are now (None: in a hand)."""

    source: int
    target: int
    path: tuple[int, ...]
    way: Way
    attacker: Held
    defender: Held
    attacker_at: int | None
    defender_at: int | None


def parse_verdict(word: str) -> Verdict:
    """Return the verdict of that name; raise MotionError."""
    try:
        return Verdict(word)
    except ValueError:
        raise MotionError(f"verdict {word!r} is none of {', '.join(v.value for v in Verdict)}") from None


def show(
    script: Gesture, source: int, target: int, path: Sequence[int], way: Way, *, slid: bool, fumble: bool
) -> tuple[Attack, int | None]:
    """Make an attack by hand; return how things stand then, and when it is told on the handset if hands cannot show it."""
    start_ms = script.at_ms
    if way is Way.TARGET_FIRST:
        defender = script.take(target)
        script.carry()
        attacker = _arrive(script, source, target, path, slid=slid, fumble=fumble)
        return Attack(source, target, tuple(path), way, attacker, defender, target, None), None
    attacker = script.take(source, fumble=fumble and way in (Way.BOTH_LIFTED, Way.TAPPED))
    if way is Way.BOTH_LIFTED:
        # the owner of the target may take it while the attacker is still on its way up
        script.at_ms = max(start_ms + times.BETWEEN_LIFTS.draw(script.random), script.at_ms - times.RISE.least_ms)
        defender = script.take(target)
        return Attack(source, target, tuple(path), way, attacker, defender, None, None), None
    script.carry()
    if way is Way.SWAPPED:
        taken_ms = script.at_ms
        defender = script.take(target)
        script.at_ms = taken_ms + times.SWAP.draw(script.random)
        script.put(attacker, target, fumble=fumble)
        return Attack(source, target, tuple(path), way, attacker, defender, target, None), None
    script.tap(attacker, target)
    victim = script.standing[target]
    defender = Held(victim.seat, victim.pole)
    back = script.random.random() >= HAND_STAYS
    if back:
        script.carry()
        script.put(attacker, source)
    told_ms = round(script.at_ms + times.TELL.draw(script.random))
    return Attack(source, target, tuple(path), way, attacker, defender, source if back else None, target), told_ms


def clear(script: Gesture, attack: Attack, verdict: Verdict, *, slid: bool, fumble: bool) -> list[tuple[Held, float]]:
    """Do what the verdict asks for, removals in either order; return the captured pieces with the time at which each was in a hand."""
    attacker_stays = verdict in (Verdict.ATTACKER_WINS, Verdict.FLAG_TAKEN)
    defender_stays = verdict is Verdict.DEFENDER_WINS
    goes_in = attacker_stays and attack.attacker_at == attack.source
    slides_in = goes_in and slid  # only then may the target be cleared first and the attacker pushed
    steps = []
    if attack.defender_at is not None and not defender_stays:
        steps.append("defender")
    if attack.attacker_at is not None and (not attacker_stays or goes_in) and not slides_in:
        steps.append("attacker")
    script.random.shuffle(steps)
    lost = []
    if attack.attacker_at is None and not attacker_stays:
        lost.append((attack.attacker, script.at_ms))
    if attack.defender_at is None and not defender_stays:
        lost.append((attack.defender, script.at_ms))
    for n, step in enumerate(steps):
        if n:
            script.wait(times.NEXT_STEP)
        piece = script.take(attack.target if step == "defender" else attack.attacker_at or 0)
        if step == "defender" or not attacker_stays:
            lost.append((piece, script.at_ms))
    if slides_in:
        script.wait(times.NEXT_STEP)
        script.slide(attack.source, [*attack.path, attack.target], fumble=fumble)
    elif attacker_stays and attack.attacker_at != attack.target:
        script.carry()
        script.put(attack.attacker, attack.target, fumble=fumble)
    elif defender_stays and attack.defender_at is None:
        script.carry()
        script.put(attack.defender, attack.target, fumble=fumble)
    return lost


def _arrive(script: Gesture, source: int, target: int, path: Sequence[int], *, slid: bool, fumble: bool) -> Held:
    if slid:
        piece = script.standing[source]
        script.slide(source, [*path, target], fumble=fumble)
        return Held(piece.seat, piece.pole)
    attacker = script.take(source)
    script.carry()
    script.put(attacker, target, fumble=fumble)
    return attacker


# ---------------------------------------------------------------- accidents

BUMPED = (4, 7)  # pieces that a knock moves
_THROWN = (0.45, 0.8)  # pitches that each of them goes: out of its own sensor's sight
_BESIDE = 0.5  # pitches off its square's middle a piece counts as lying beside it
_NEIGHBOUR = 1.5  # pitches
_DOWN_MS = (300, 1500)  # a controller restarts
_SICK_MS = (3_000, 20_000)  # a bad solder joint makes contact again


def bump(script: Gesture) -> list[int]:
    """Knock the board at `script.at_ms`: four to seven neighbouring pieces fly off their squares; return those squares.

    None, nothing having moved, if fewer than four stand on the board.
    """
    random, places = script.random, script.table.places
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
        script.shove(place, script.table.beside() if off > _BESIDE else place, at, random.uniform(80, 250))
    return hit


def own_swap(script: Gesture, own: Sequence[int]) -> list[int]:
    """Lift two own pieces and put each on the other's square; return the two squares, none if there are no two."""
    if len(own) < 2:
        return []
    first, second = script.random.sample(list(own), 2)
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
    script: Gesture, meant: Verdict, bystanders: Sequence[int], *, colour: bool
) -> tuple[Verdict | None, Held | None]:
    """Draw how a verdict is misheard; return the verdict that hands obey and a bystander that they take besides.

    Without colour no sensor can tell which of two pieces was taken, so there it is always a bystander. (None, None): nothing can
    go wrong here that a board could show.
    """
    if colour and (not bystanders or script.random.random() < 0.5):
        attacker_stays = meant in (Verdict.ATTACKER_WINS, Verdict.FLAG_TAKEN)
        if meant is Verdict.BOTH_LOST:
            attacker_stays = script.random.random() < 0.5
        return (Verdict.DEFENDER_WINS if attacker_stays else Verdict.ATTACKER_WINS), None
    if not bystanders:
        return None, None
    taken = script.take(script.random.choice(bystanders))
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
    profile: Profile, random: Random, span_ms: tuple[float, float], squares: Sequence[str], about: Sequence[str]
) -> list[tuple[str, int, Trouble]]:
    """Return what happens to the board itself in the middle of a ply, each with name and time. Half of the sick squares are `about`'s."""
    shares, link = profile.accidents, profile.link
    found: list[tuple[str, int, Trouble]] = []

    def at_ms() -> int:
        return round(random.uniform(*span_ms))

    if random.random() < shares.rebooted:
        found.append(("rebooted", at_ms(), Trouble("reboot", for_ms=random.randint(*_DOWN_MS))))
    if random.random() < link.cut:
        found.append(("cut", at_ms(), Trouble("cut", for_ms=random.randint(*link.cut_ms))))
    for share, fault in (
        (shares.dead_square, "dead"),
        (shares.stuck_square, "stuck"),
        (shares.drifting_square, "drifting"),
    ):
        if random.random() < share:
            square = random.choice(about if random.random() < 0.5 else squares)
            found.append((f"{fault}-square", at_ms(), Trouble(fault, square, random.randint(*_SICK_MS))))
    return found
