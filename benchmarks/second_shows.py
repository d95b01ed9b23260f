"""How the second generator's hands show an attack, and how they clear the board after it (docs/reference/hands.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.second_strokes import CARRY_MS, HIGH, Drawer
from benchmarks.second_world import Leg, Magnet, Point

LIFTED_BEFORE_MS = 1_500
SWAPPED_MS = (30, 1_000)
EMPTY_MS = 300
"""Limits of the page: a defender that is lifted first, a swap, and one drawn out from under, for how long the square is empty."""

SHOWS = {"both-lifted": 0.35, "swapped": 0.2, "target-first": 0.15, "replaced-under": 0.12, "tapped": 0.18}
"""How attacks are shown, and how often each way."""

_HELD = 0.35
"""Height of a piece that is held on top of another one: its square's sensor still sees the lower one."""
_OVER = 0.8
_FAR = Point(-4, -4, HIGH)
"""Where pieces go that are off the board."""
_SLACK_MS = 2.0


class Show(NamedTuple):
    """What the sensors can see of an attack."""

    motion: str
    left_ms: float
    """When the attacker left its square."""
    gone_ms: float
    """When the defender left its own; for ever, if it is not taken away."""
    came_ms: float
    """When the attacker came there; for ever, if it is not set down."""
    rest_ms: float
    """When nothing more of it comes."""
    told_ms: float | None
    """When the player tells it on the handset, None if the sensors are to see it."""


_NEVER = float("inf")


@dataclass(slots=True)
class _Lifts:
    """The two pieces of an attack going up, and where they are put down."""

    attacker: Magnet
    defender: Magnet
    target: str
    up: list[Leg]
    """The attacker's way up, on the board's clock."""
    left_ms: float
    out: list[Leg]
    """The defender's way up, on a clock of its own."""
    out_seen_ms: float
    """For how long it is still seen on it."""
    before_ms: float
    """So long before the attacker leaves the defender does, 0 if it does not."""


@dataclass(slots=True)
class Shower:
    """Shows attacks over one board."""

    draw: Drawer

    def show(
        self,
        motion: str,
        attacker: Magnet,
        defender: Magnet,
        at: str,
        target: str,
        leave_ms: float,
        not_before_ms: float,
        *,
        rested: bool,
    ) -> Show:
        """Let two pieces show an attack, the attacker's from the square `at`: one of them is the first to leave its own, at `leave_ms`.

        Where the attacker has `rested` it leaves then, so that it does not rest for too long.
        """
        random = self.draw.random
        up = self.draw.lift(attacker.last, random.uniform(60, 150))
        up_seen_ms = self.draw.last_seen(up, at)
        out = self.draw.lift(defender.last, random.uniform(60, 150))
        out_seen_ms = self.draw.last_seen(out, target)
        before_ms = 0.0
        if motion == "target-first":
            before_ms = random.uniform(60, 500)
        elif motion == "both-lifted" and not rested and random.random() < 0.25:  # after a rest no sensor could tell
            before_ms = random.uniform(1, LIFTED_BEFORE_MS - _SLACK_MS)
        free_ms = max(not_before_ms, defender.free_ms) + out_seen_ms
        if rested:
            before_ms = max(0.0, min(before_ms, leave_ms - free_ms))
            left_ms = max(leave_ms, not_before_ms + up_seen_ms)
        else:
            left_ms = max(leave_ms + before_ms, not_before_ms + up_seen_ms, free_ms + before_ms)
        if motion == "target-first" and not before_ms:
            motion = "swapped"
        up = [leg.later(left_ms - up_seen_ms) for leg in up]
        lifts = _Lifts(attacker, defender, target, up, left_ms, out, out_seen_ms, before_ms)
        if motion == "both-lifted":
            return self._lift_both(lifts)
        if motion in ("swapped", "target-first"):
            return self._swap(lifts, motion)
        return self._set_on_top(lifts, motion)

    def _lift_both(self, lifts: _Lifts) -> Show:
        after_ms = -lifts.before_ms or self.draw.out_of_sight_ms(350, 1, 4_000)
        gone_ms = lifts.left_ms + after_ms
        self._run_attacker(lifts, [])
        self._take_defender(lifts, gone_ms)
        return Show("both-lifted", lifts.left_ms, gone_ms, _NEVER, max(gone_ms, lifts.left_ms), None)

    def _swap(self, lifts: _Lifts, motion: str) -> Show:
        """Take the defender away and set the attacker down in its place."""
        random, left_ms = self.draw.random, lifts.left_ms
        least_ms, most_ms = SWAPPED_MS
        if lifts.before_ms:
            gone_ms = left_ms - lifts.before_ms
            earliest_ms = max(gone_ms + least_ms, left_ms + CARRY_MS) + _SLACK_MS
            came_ms = random.uniform(earliest_ms, gone_ms + most_ms - _SLACK_MS)
        else:
            gone_ms = left_ms + random.uniform(60, 1_500)
            came_ms = gone_ms + self.draw.out_of_sight_ms(300, least_ms + _SLACK_MS, most_ms - _SLACK_MS)
            came_ms = max(came_ms, left_ms + CARRY_MS + _SLACK_MS)
        end = self.draw.spot(lifts.target)
        above = Point(end.x, end.y, HIGH)
        down_ms = random.uniform(60, 120)
        seen_ms = self.draw.world.spans([Leg(0, down_ms, above, end)], lifts.target)[0][0]
        arrives_ms = max(came_ms - seen_ms, lifts.up[-1].end_ms + 5)
        came_ms = arrives_ms + seen_ms
        self._take_defender(lifts, gone_ms)
        self._run_attacker(lifts, [(arrives_ms, above), (arrives_ms + down_ms, end)])
        unseen = not self.draw.world.colour and came_ms - gone_ms <= EMPTY_MS
        told_ms = came_ms + random.uniform(2_500, 4_000) if unseen else None
        return Show(motion, left_ms, gone_ms, came_ms, came_ms, told_ms)

    def _set_on_top(self, lifts: _Lifts, motion: str) -> Show:
        """Hold the attacker on top of the defender; and for `replaced-under` draw that out, so that the attacker stands there."""
        random, target = self.draw.random, lifts.target
        over = self.draw.spot(target)
        held = Point(over.x, over.y, _HELD if motion == "tapped" or random.random() < 0.6 else _OVER)
        arrives_ms = lifts.up[-1].end_ms + self.draw.out_of_sight_ms(400, 100, 4_000)
        lands_ms = arrives_ms + 100
        self._run_attacker(lifts, [(arrives_ms, Point(over.x, over.y, HIGH)), (lands_ms, held)])
        if motion == "tapped":
            told_ms = lands_ms + self.draw.out_of_sight_ms(1_200, 300, 5_000)
            return Show(motion, lifts.left_ms, _NEVER, _NEVER, lands_ms, told_ms)
        middle, end = self.draw.world.middles[target], self.draw.spot(target)
        begins_ms = lands_ms + random.uniform(30, 400)
        aside = Point(middle.x + random.choice((-0.25, 0.25)), middle.y, 0.5)
        aside_ms = begins_ms + random.uniform(100, 250)
        out = [
            Leg(begins_ms, aside_ms, lifts.defender.last, aside),
            Leg(aside_ms, aside_ms + 80, aside, Point(aside.x, aside.y, HIGH)),
        ]
        self.draw.world.run(lifts.defender, out)
        down_ms = aside_ms + random.uniform(-40 if held.z == _HELD else 0, 60)
        down = [Leg(down_ms, down_ms + random.uniform(60, 110), held, end)]
        self.draw.world.run(lifts.attacker, down)
        came_ms = down_ms if held.z == _HELD else self.draw.world.spans(down, target)[0][0]
        gone_ms = self.draw.last_seen(out, target)
        rest_ms = down[-1].end_ms
        tells_ms = rest_ms + self.draw.out_of_sight_ms(2_000, 800, 5_000)
        return Show(motion, lifts.left_ms, gone_ms, came_ms, rest_ms, None if self.draw.world.colour else tells_ms)

    def _take_defender(self, lifts: _Lifts, gone_ms: float) -> None:
        self.draw.world.run(lifts.defender, [leg.later(gone_ms - lifts.out_seen_ms) for leg in lifts.out])

    def _run_attacker(self, lifts: _Lifts, places: list[tuple[float, Point]]) -> None:
        legs = list(lifts.up)
        for ms, place in places:
            legs.append(Leg(legs[-1].end_ms, ms, legs[-1].end, place))
        self.draw.world.run(lifts.attacker, legs)

    def take_away(self, magnet: Magnet, ms: float) -> float:
        """Take a piece off the board from a time on; return when nobody sees it any more."""
        legs: list[Leg] = []
        random, start = self.draw.random, magnet.last
        if start.z < HIGH:
            aside = Point(start.x + random.choice((-0.2, 0.2)), start.y, HIGH)
            legs.append(Leg(ms, ms + random.uniform(80, 160), start, aside))
            start, ms = aside, legs[-1].end_ms
        self.draw.world.run(magnet, [*legs, Leg(ms, ms + 100, start, _FAR)])
        return ms

    def put(self, magnet: Magnet, square: str, ms: float) -> float:
        """Put a piece down that is in the air, from a time on; return when it stands."""
        random, end = self.draw.random, self.draw.spot(square)
        above = Point(end.x, end.y, max(magnet.last.z, _HELD))
        arrives_ms = ms + random.uniform(100, 500)
        stands_ms = arrives_ms + random.uniform(60, 150)
        self.draw.world.run(magnet, [Leg(ms, arrives_ms, magnet.last, above), Leg(arrives_ms, stands_ms, above, end)])
        return stands_ms
