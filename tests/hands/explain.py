"""All scripts that produce a trace, as far as the criterion needs them: what each ply may be.

A search over the trace, one change after the other: every world that is left is the beginning of a script of `S(t)`, and each script of
`S(t)` begins with one of them. Slow and plain; it shares nothing with the reader that it is held against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from tests.hands.grammar import Bounds, Change, Ply, Start
from tests.hands.worlds import LONG_AGO, Hands, World

MOST_WORLDS = 40_000
MOST_NEAR = 3
"""Of how many changes before it any order with the next one is tried."""

DOUBTS = (
    "it was another ply",
    "nothing was played yet: looks, nudges, attempts",
    "its piece is in the air",
    "the hand may go on, though a reply has begun",
    "the hand may go on, nobody has replied",
)
"""Why a ply may not be final: what some script says of it instead."""


class TooManyWorldsError(Exception):
    """A trace with more explanations than are worth the time."""


def _each_square_in_order(order: Sequence[Change], changes: Sequence[Change]) -> bool:
    """Return whether the changes of each square have kept their order."""
    squares = {change.square for change in changes}
    return len(squares) == len(changes) or all(
        [one for one in order if one.square == square] == [one for one in changes if one.square == square]
        for square in squares
    )


class Explanation:
    """What the page makes of a trace, change by change."""

    def __init__(self, start: Start, bounds: Bounds, trace: Iterable[Change] = ()) -> None:
        self._hands = Hands(start, bounds)
        self._worlds: tuple[World, ...] = (self._hands.first(),)
        self._near: list[tuple[Change, tuple[World, ...]]] = []
        """The last changes, and the worlds before each."""
        self._now = LONG_AGO
        for change in trace:
            self.see(change)

    def see(self, change: Change) -> None:
        """Take the next change. Raises `TooManyWorldsError`.

        Changes that are nearer than the noise may have come in any order: all orders are tried, but for those of one square.
        """
        before = self.at(change.ms)
        self._near = [near for near in self._near if change.ms - near[0].ms <= self._hands.noise][-MOST_NEAR:]
        found = dict.fromkeys(self._after(before, change))
        for first, (oldest, worlds) in enumerate(self._near):
            changes = (*(one for one, _ in self._near[first:]), change)
            for order in permutations(changes):
                # with the oldest first, or the newest last, the order is among those of the other steps
                if order[0] is oldest or order[-1] is change or not _each_square_in_order(order, changes):
                    continue
                after: Iterable[World] = worlds
                for one in order:
                    after = tuple(self._after(after, one))
                found |= dict.fromkeys(after)
        if len(found) > MOST_WORLDS:
            raise TooManyWorldsError(f"{len(found)} worlds")
        self._near.append((change, before))
        self._worlds = tuple(found)

    def _after(self, worlds: Iterable[World], change: Change) -> Iterator[World]:
        for world in worlds:
            for after in self._hands.after_change(world, change):
                if self._hands.alive(after, change.ms):
                    yield self._hands.tidied(after, change.ms)

    def at(self, ms: int) -> tuple[World, ...]:
        """Return the worlds that are left at a time, not before the last change, until which nothing else was seen."""
        if ms > self._now:
            self._now = ms
            self._worlds = tuple(world for world in self._worlds if self._hands.alive(world, ms))
        return self._worlds

    def plies(self, number: int, ms: int) -> frozenset[Ply | None]:
        """Return what ply `number`, counted from 0, is in the scripts so far; None: it is not over in one of them."""
        return frozenset(self._ply(world, number, ms) for world in self.at(ms))

    def allows(self, plies: tuple[Ply, ...], attack: bool, ms: int) -> bool:
        """Return whether these may be the plies so far: some script has them and no other, an attack perhaps still in the air."""
        for world in self.at(ms):
            begun = [turn for turn in world.turns if turn.source]
            done = tuple(Ply(turn.source, turn.target) for turn in begun if turn.source and turn.target)
            in_the_air = attack and begun and done == plies[:-1] and begun[-1].source == plies[-1].source
            if done == plies or in_the_air:
                return True
        return False

    def agreed(self, number: int, ms: int) -> Ply | None:
        """Return the ply that is this one in every script, None where they disagree or there is no script."""
        found = self.plies(number, ms)
        return next(iter(found)) if len(found) == 1 else None

    def doubt(self, number: int, ply: Ply, ms: int) -> str:
        """Return the weightiest sort of reason why ply `number` may not be final as this one; empty if it may."""
        found = {self._doubt(world, number, ply) for world in self.at(ms) if self._ply(world, number, ms) != ply}
        return next((doubt for doubt in DOUBTS if doubt in found), "")

    def _doubt(self, world: World, number: int, ply: Ply) -> str:
        another, none_yet, in_the_air, replied, waiting = DOUBTS
        turn = world.turn(number)
        if turn.source is None:
            return none_yet
        if turn.target is None:
            return in_the_air
        if Ply(turn.source, turn.target) != ply:
            return another
        return replied if world.turn(number + 1).begun else waiting

    def standing(self, number: int, ms: int) -> frozenset[Ply | None]:
        """Return what ply `number` would be if every hand let go now; None: its piece is in the air, or it has not begun."""
        found = set()
        for world in self.at(ms):
            turn = world.turn(number)
            found.add(Ply(turn.source, turn.target) if turn.source and turn.target else None)
        return frozenset(found)

    def ends(self, number: int, ms: int) -> int:
        """Return when ply `number` came to its end, in the script in which that was latest."""
        return max((world.turn(number).end for world in self.at(ms) if world.turn(number).target), default=0)

    def begun(self, number: int, ms: int) -> bool:
        """Return whether ply `number` has begun in one of the scripts."""
        return any(world.turn(number).begun for world in self.at(ms))

    def attacks(self, ms: int, coming: bool = False, after: Sequence[Ply] | None = None) -> frozenset[Ply]:
        """Return every attack that is shown in one of the scripts, or with `coming` that may be any moment.

        With `after` only those that are shown as the ply after these.
        """
        return frozenset(
            attack
            for world in self.at(ms)
            for number, attack in self._hands.attacks(world, ms, coming)
            if after is None or [(turn.source, turn.target) for turn in world.turns[:number]] == [*after]
        )

    def shows_an_attack(self, ms: int) -> bool:
        """Return whether an attack is shown in every script, and there is one."""
        worlds = self.at(ms)
        return bool(worlds) and all(any(True for _ in self._hands.attacks(world, ms, False)) for world in worlds)

    def may_go_on(self, number: int, ms: int) -> bool:
        """Return whether the piece of ply `number` is in the air, or may leave its square, in one of the scripts."""
        return any(
            world.turn(number).piece is not None and not self._hands.closed(world, number, ms) for world in self.at(ms)
        )

    def at_rest(self, ms: int) -> bool:
        """Return whether no ply of any script can still go on: none has its piece in the air or may leave its square."""
        return not any(self.may_go_on(number, ms) for number in range(self.length(ms)))

    def length(self, ms: int) -> int:
        """Return of how many turns anything is known in the script that has most of them."""
        return max((len(world.turns) for world in self.at(ms)), default=0)

    def over(self, number: int, ms: int) -> frozenset[Ply | None]:
        """Return what ply `number` is in the scripts in which its piece does not go on any more; None: it has not begun."""
        return frozenset(
            self._ply(world, number, ms)
            for world in self.at(ms)
            if world.turn(number).piece is None or self._hands.closed(world, number, ms)
        )

    def _ply(self, world: World, number: int, ms: int) -> Ply | None:
        turn = world.turn(number)
        if turn.source is None or turn.target is None or not self._hands.closed(world, number, ms):
            return None
        return Ply(turn.source, turn.target)
