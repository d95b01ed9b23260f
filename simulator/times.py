"""How long hands take. Estimates until somebody films a game; medians and spreads, all in board milliseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Spread:
    """A lognormal time: its median and sigma, cut off at both ends. All in milliseconds but sigma."""

    median_ms: float
    sigma: float
    least_ms: float
    most_ms: float

    def draw(self, random: Random) -> float:
        """Return one time in milliseconds."""
        return min(max(random.lognormvariate(math.log(self.median_ms), self.sigma), self.least_ms), self.most_ms)


@dataclass(frozen=True, slots=True)
class Even:
    """A time that may be anything between two ends, with equal chances."""

    least_ms: float
    most_ms: float

    def draw(self, random: Random) -> float:
        """Return one time in milliseconds."""
        return random.uniform(self.least_ms, self.most_ms)


# one piece through the air: from the board to the hand's height, over, and down; air time is all three, 300 to 1,500 ms
RISE = Spread(160, 0.3, 90, 350)
CARRY = Spread(350, 0.45, 120, 900)
FALL = Spread(200, 0.3, 110, 450)

# along the board
ACROSS = Spread(95, 0.5, 40, 400)  # one square of an even slide (the plain motion `move`, style slide)
DWELL = Spread(60, 0.5, 15, 300)  # a crossed square sees the magnet
GAP = Even(20, 90)  # and then neither it nor the next one does
PUSH_OFF = Even(
    30, 80
)  # until a slid piece has left the sight of its own square, and after it has come into the last one's

# fumbling
CONTACT_LOST = Spread(45, 0.7, 10, 150)  # in all, in one to three hops
CONTACT = Even(10, 60)  # between hops
HESITATION = Even(150, 1500)

# one hand and two pieces
PACE = Spread(450, 0.3, 200, 1200)  # from one piece out of the box to the next
SWEEP = Spread(90, 0.4, 40, 250)  # between pieces when a board is cleared
BETWEEN_LIFTS = Spread(320, 0.4, 120, 900)  # attacker lifted, then its target
SWAP = Even(60, 300)  # the fingers take the victim, the attacker comes down
TAP = Even(80, 250)
NEXT_STEP = Even(150, 900)  # between the steps of putting pieces away

# heads
THINK = Spread(1800, 0.6, 500, 12_000)  # from a move's end to the reply
THINK_ON = Spread(1200, 0.5, 400, 6000)  # a piece was put back, another comes
CHANGE = Even(150, 600)  # a mind was changed: the other piece comes at once
LOOK = Spread(700, 0.7, 200, 5000)  # a piece is lifted, looked at, put back
TELL = Spread(1100, 0.4, 400, 4000)  # to press Attack on the handset
ANSWER = Spread(1500, 0.6, 500, 10_000)  # from the verdict to the first hand that obeys it
EARLY = Even(-350, 150)  # an early reply, from the time at which the mover's piece rests
NOTICE = Spread(2000, 0.5, 700, 6000)  # until players see an accident by themselves
ADJUST = Even(150, 400)
PARKED = Spread(6000, 0.5, 2000, 20_000)
