"""Which single action of the side to move explains what differs between a position and the board.

A world is one way in which the board could have come about: at most one action of the side to move, any number of other seats'
pieces in the air, some of them set down too early. An action counts as read only where no other world remains.

How long it waits before it is said is a `Due`. Attacks may show in hands before anything is set down.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from firmware_bridge.messages import Reading
from referee.rules import Prospect
from referee.sensing.layout import Change, Layout
from referee.sensing.settle import Senses


class Explanation(NamedTuple):
    """The actions that explain the board, and whether it could also be that the side to move has not set down anything."""

    prospects: tuple[Prospect, ...]
    without: bool

    @property
    def only(self) -> Prospect | None:
        """Return the one action that is left, None if there is none or more than one way to see it."""
        return self.prospects[0] if len(self.prospects) == 1 and not self.without else None


NOTHING = Explanation((), False)


def explain(senses: Senses, layout: Layout, change: Change) -> Explanation:
    """Return every action of the side to move that ends in a magnet on its target and had left nothing else of its own in the air.

    What it lifted after the magnet had come is no part of it: the next player's attack may have begun. What stays unexplained
    must be other seats' pieces: in the air, or set down where one of them could get to. Two lifted
    pieces that could both have filled a square are therefore two worlds; who was lifted first does not matter.
    """
    if not change.come:
        return NOTHING
    mine = frozenset(layout.mine(change.gone))
    others = change.gone - mine
    since, settled, found = senses.settler.since_ms, senses.settler.settled, []
    unseen = not mine  # then the piece of a square whose sensor is not believed may have left it
    for source in (n for n in senses.masked if layout.owners[n] is layout.turn) if unseen else mine:
        pole = layout.expected[source]
        for target, prospect in layout.moves.get(source, {}).items():
            if target not in change.come or settled[target] != pole or prospect.attack != (target in change.gone):
                continue
            if not unseen and since[source] > since[target] + senses.timing.lift_ms:
                continue  # it still stood when the magnet came: somebody put a piece there, and looks at another one now
            later_ms = since[target] + senses.timing.together_ms
            if any(since[other] <= later_ms for other in mine - {source}):
                continue
            rest = frozenset((target,))
            if any(since[early] < since[target] - senses.timing.ahead_ms for early in change.come - rest):
                continue
            if _placed_by_others(senses, layout, change.come - rest, others - rest):
                found.append(prospect)
    return Explanation(tuple(found), _placed_by_others(senses, layout, change.come, others))


def unseen_target(senses: Senses, layout: Layout, change: Change) -> tuple[Prospect, int] | None:
    """Return the move onto the one masked square that the lifted piece can have gone to, and since when its answer stands.

    No sensor shows such a move. It is certain once the next player has completed a move, or shown an attack, while the piece is nowhere.
    """
    mine, since = sorted(layout.mine(change.gone), key=senses.settler.since_ms.__getitem__), senses.settler.since_ms
    if not 1 <= len(mine) <= 2 or len(change.gone) != len(mine) + 1:
        return None
    source, taken = mine[0], set(mine[1:])
    (answer,) = change.gone.difference(mine)
    prospects = [prospect for n in senses.masked if (prospect := layout.moves.get(source, {}).get(n)) is not None]
    if len(prospects) != 1 or prospects[0].attack or since[answer] < since[source]:
        return None
    if taken:
        shown = change.come <= taken and senses.ground.reaches(answer, mine[1], standing(senses, layout))
    else:
        shown = len(change.come) == 1 and _placed_by_others(senses, layout, change.come, frozenset((answer,)))
    return (prospects[0], max(since[n] for n in {answer, *taken, *change.come})) if shown else None


def answers_standing(senses: Senses, layout: Layout, change: Change) -> set[int]:
    """Return the squares on which answers of the side to move stand, and do not only slide across on their way."""
    reached = {n for hand in layout.mine(change.gone) for n in change.come & layout.moves.get(hand, {}).keys()}
    return {n for n in reached if senses.alarm.reached(senses.settler.since_ms[n] + senses.timing.slide_ms)}


def _placed_by_others(senses: Senses, layout: Layout, come: frozenset[int], hands: frozenset[int]) -> bool:
    """Whether these magnets could be pieces that left `hands`, each of them one."""
    if not come:
        return True
    if len(come) > len(hands):
        return False
    square = min(come)
    return any(
        _could_be(senses, layout, hand, square) and _placed_by_others(senses, layout, come - {square}, hands - {hand})
        for hand in hands
    )


def _could_be(senses: Senses, layout: Layout, hand: int, square: int) -> bool:
    """Whether the magnet on a square could be the piece that left another one: its pole, not there before it left, within reach."""
    settler = senses.settler
    if layout.expected[hand] != settler.settled[square]:
        return False
    if settler.since_ms[hand] > settler.since_ms[square] + senses.timing.together_ms:
        return False
    return senses.ground.reaches(hand, square, standing(senses, layout))


def standing(senses: Senses, layout: Layout) -> set[int]:
    """Return the squares on which a piece of the position stands; where the sensor is not believed, it does."""
    settled, masked = senses.settler.settled, senses.masked
    return {
        n for n, want in enumerate(layout.expected) if want != Reading.EMPTY and (want == settled[n] or n in masked)
    }


# ---------------------------------------------------------------- how long an explanation waits, and attacks that show in hands

MOST_TOLD = 256
"""So many different boards that were not understood are remembered as told."""


class Due(NamedTuple):
    """An action that explains the board, the position it starts from, the time of its last change, and when it may be said."""

    prospect: Prospect
    layout: Layout
    changed_ms: int
    due_ms: int


def placed(senses: Senses, layout: Layout, prospect: Prospect, rested: int | None = None) -> Due:
    """Return when a piece that stands on its target may be believed to stay there.

    Soon, if it cannot be sliding on: the line ends there, or it came out of the air. `rested`: where it rested on the way.
    """
    timing, since = senses.timing, senses.settler.since_ms
    source, target = senses.ground.number[prospect.source], senses.ground.number[prospect.target]
    wait_ms = timing.quick_ms
    if not prospect.attack and layout.goes_on(source, target):
        way = {source, *layout.crossed(source, target)} | ({rested} if rested is not None else set())
        seen_ms = max(senses.settler.touched_ms(square) for square in way)
        if since[target] - seen_ms < timing.lift_ms:
            wait_ms = timing.slide_ms
    changed_ms = max(since[source], since[target])
    return Due(prospect, layout, changed_ms, changed_ms + wait_ms)


def both_up(senses: Senses, layout: Layout, change: Change, rested_ms: int | None = None) -> Due | None:
    """Return the attack whose two pieces, and no others, are in the air.

    `rested_ms`: since when the piece of the last move stood where it was read, if it has left that square. It may be going on: then
    this is an attack only if the attacker was up while that piece stood; and not if a piece that was up too early for an answer is
    all that speaks for it, while no hand has let go for certain. That is asked about, or told on the handset.
    """
    mine = layout.mine(change.gone)
    if change.come or len(mine) != 1 or len(change.gone) != 2:
        return None
    (source,), (target,) = mine, change.gone.difference(mine)
    prospect = layout.moves.get(source, {}).get(target)
    if prospect is None or not prospect.attack:
        return None
    timing, lifted_ms, left_ms = senses.timing, senses.settler.since_ms[source], senses.settler.since_ms[target]
    attacker_first = left_ms - lifted_ms > timing.together_ms
    if rested_ms is not None:
        early = lifted_ms < rested_ms + timing.reaction_ms and left_ms < rested_ms + timing.same_hand_ms
        if early or not attacker_first:
            return None
    changed_ms = max(lifted_ms, left_ms)
    quick = attacker_first or lifted_ms - left_ms <= timing.together_ms
    return Due(prospect, layout, changed_ms, changed_ms + (timing.both_up_ms if quick else timing.target_first_ms))


def swapped(senses: Senses, layout: Layout, change: Change, returned: Collection[int]) -> Due | None:
    """Return the attack whose attacker is up and whose target went and came back: without colour that may be the attacker.

    `returned`: squares whose piece was lifted in this position and seems to be back.
    """
    mine = layout.mine(change.gone)
    if senses.ground.colour or change.come or len(mine) != 1 or len(change.gone) != 1:
        return None
    (source,) = mine
    since = senses.settler.since_ms
    targets = [
        (target, prospect)
        for target, prospect in layout.moves.get(source, {}).items()
        if prospect.attack and target in returned and since[target] > since[source]
    ]
    if len(targets) != 1:
        return None
    ((target, prospect),) = targets
    return Due(prospect, layout, since[target], since[target] + senses.timing.swap_ms)
