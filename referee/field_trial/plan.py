"""What is asked for: a fixed plan of legal motions with six pieces, balanced over the ways in which hands play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import cycle

from referee.rules import Game, Prospect, RuleSet, Situation
from referee.rules.values import Seat, Square


class MotionKind(Enum):
    """A way of handling pieces; the words are those of the result."""

    LIFT = "lift"
    SLIDE = "slide"
    FAR_LIFT = "far lift"
    FAR_SLIDE = "far slide"
    BOTH_LIFTED = "both lifted"
    SWAPPED = "swapped"
    TARGET_FIRST = "target first"
    HESITATION = "hesitation"
    REPLY = "reply"
    LOOK = "look"


ATTACKS = (MotionKind.BOTH_LIFTED, MotionKind.SWAPPED, MotionKind.TARGET_FIRST)
LIFTS, SLIDES = (MotionKind.LIFT, MotionKind.FAR_LIFT), (MotionKind.SLIDE, MotionKind.FAR_SLIDE)

_L, _S, _F = MotionKind.LIFT, MotionKind.SLIDE, MotionKind.FAR_SLIDE
TURN = (
    *(_L, _F, MotionKind.BOTH_LIFTED, _L, MotionKind.HESITATION, _F, _L, _S, MotionKind.SWAPPED, _L),
    *(MotionKind.FAR_LIFT, _F, MotionKind.REPLY, _L, MotionKind.TARGET_FIRST, _F, _L, MotionKind.LOOK, _S, _L),
)
"""The plan repeats this."""

PIECES = 3
"""So many of each side."""
_ATTACK_REACH, _FAR = 3, 4


@dataclass(frozen=True, slots=True)
class Motion:
    """One thing that a person is asked to do."""

    kind: MotionKind
    seat: Seat
    before: Situation
    plies: tuple[Prospect, ...]
    """What it is in the game: none for a look, two for a reply."""
    after: Mapping[Square, Seat]
    """Where pieces stand when everything is done; after an attack as before."""
    touched: frozenset[Square]
    """Every square that a piece leaves, crosses, rests on or comes to."""
    rest: Square | None = None
    """Where a hesitating hand rests, or whose piece is looked at."""


def start_position(zones: Mapping[Seat, Iterable[Square]], near_middle: Sequence[Square]) -> dict[Square, Seat]:
    """Return where the six pieces stand: of the first two seats' zones the squares nearest the middle, no two of them consecutive there."""
    found: dict[Square, Seat] = {}
    for seat, zone in list(zones.items())[:2]:
        mine = [square for square in near_middle if square in set(zone)]
        found.update(dict.fromkeys(mine[: 2 * PIECES : 2], seat))
    return found


def plan(rules: RuleSet, start: Mapping[Square, Seat], count: int) -> tuple[Motion, ...]:
    """Return the motions in order, at most `count`; the same arguments give the same plan.

    An attack for which no two pieces stand right now is put off; one that never fits is left out for a lift.
    """
    standing, used = dict(start), Counter(start.keys())
    seats = tuple(dict.fromkeys(start.values()))
    found: list[Motion] = []
    waiting: list[MotionKind] = []
    kinds = cycle(TURN)
    while len(found) < count:
        seat = seats[len(found) % 2]
        wanted = [*waiting, next(kinds)]
        motion = None
        for kind in wanted:
            motion = _least_used(rules, standing, seat, kind, used)
            if motion is not None:
                wanted.remove(kind)
                break
        waiting = wanted
        motion = motion or _least_used(rules, standing, seat, MotionKind.LIFT, used)
        if motion is None:
            break
        found.append(motion)
        used.update(motion.touched)
        standing = dict(motion.after)
    return tuple(found)


def _least_used(
    rules: RuleSet, standing: Mapping[Square, Seat], seat: Seat, kind: MotionKind, used: Counter[Square]
) -> Motion | None:
    """Return the motion of that kind whose squares were touched least, None if there is none."""
    situation = Game(rules, standing, turn=seat).situation()

    def how_used(motion: Motion) -> tuple[float, list[str]]:
        return sum(used[s] for s in motion.touched) / len(motion.touched), sorted(s.name for s in motion.touched)

    return min(_motions(rules, situation, seat, kind), key=how_used, default=None)


def _motions(rules: RuleSet, before: Situation, seat: Seat, kind: MotionKind) -> Iterable[Motion]:
    """Yield every motion of that kind which the side to move can make."""
    standing = before.occupants
    if kind is MotionKind.LOOK:
        for square in (square for square, whose in standing.items() if whose is seat):
            yield Motion(kind, seat, before, (), standing, frozenset({square}), square)
        return
    straight = [prospect for prospect in before.prospects if not prospect.path_told]
    if kind in ATTACKS:
        for prospect in straight:
            if prospect.attack and len(prospect.path) <= _ATTACK_REACH:
                pair = frozenset({prospect.source, prospect.target})
                yield Motion(kind, seat, before, (prospect,), standing, pair)
        return
    for prospect in straight:
        length = len(prospect.path)
        if prospect.attack:
            continue
        own = frozenset({prospect.source, *prospect.path})
        after = _moved(standing, prospect)
        if kind is MotionKind.HESITATION:
            for other in straight:
                alike = other.source == prospect.source and not other.attack and len(other.path) == 1
                if alike and length <= 2 and other.target != prospect.target:
                    yield Motion(kind, seat, before, (prospect,), after, own | {other.target}, other.target)
        elif kind is MotionKind.REPLY:
            if length == 1:
                yield from _replies(rules, before, seat, prospect)
        elif _fits(kind, length):
            yield Motion(kind, seat, before, (prospect,), after, own if kind in SLIDES else own - {*prospect.path[:-1]})


def _fits(kind: MotionKind, length: int) -> bool:
    return {MotionKind.FAR_LIFT: 2 <= length <= _FAR, MotionKind.FAR_SLIDE: 3 <= length <= _FAR}.get(kind, length == 1)


def _replies(rules: RuleSet, before: Situation, seat: Seat, ply: Prospect) -> Iterable[Motion]:
    """Yield the answers that touch nothing beside the move that they answer."""
    assert before.after is not None
    then = before.after(ply)
    near = {square for one in (ply.source, ply.target) for square in (one, *rules.board.neighbours(one))}
    for answer in then.prospects if then.turn is not seat else ():
        squares = {answer.source, answer.target}
        if len(answer.path) == 1 and not answer.attack and not squares & near:
            touched = frozenset({ply.source, ply.target, *squares})
            yield Motion(MotionKind.REPLY, seat, before, (ply, answer), _moved(then.occupants, answer), touched)


def _moved(standing: Mapping[Square, Seat], ply: Prospect) -> dict[Square, Seat]:
    after = dict(standing)
    after[ply.target] = after.pop(ply.source)
    return after
