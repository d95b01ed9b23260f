"""How long an explanation waits before it is said, and attacks that show in hands before anything is set down."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from referee.rules import Prospect
from referee.sensing.layout import Change, Layout
from referee.sensing.senses import Senses

MOST_TOLD = 256
"""So many different boards that were not understood are remembered as told."""


class Due(NamedTuple):
    """An action that explains the board, the position it starts from, the time of its last change, and when it may be said."""

    prospect: Prospect
    layout: Layout
    changed_ms: int
    due_ms: int


def placed(senses: Senses, layout: Layout, prospect: Prospect, rested: int | None = None) -> Due:
    """Give when a piece that stands on its target may be believed to stay there.

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
    """Give the attack whose two pieces, and no others, are in the air.

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
    """Give the attack whose attacker is up and whose target went and came back: without colour that may be the attacker.

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
