"""What the hands of the accuracy bench meant, what befell them, and how long things may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.rules import Move
from referee.table.views import PublicEvent
from simulator.plies import Ply

SLICE_MS = 100
"""Board time between two looks at what was said."""

TOLD_LATE_MS = 6_000
"""A player whose attack nobody asks about presses *Attack* after this."""

PRESS_MS = 300
"""A player holds the piece up for so long before the other hand presses *Attack*."""

LOST_MS = 12_000
"""A ply that is neither final nor asked about after this much rest is lost: everything that sensing waits for is over."""

FOR_EVER_MS = 1 << 60
AGREE_MS = 45_000
HEALS_MS = 10_000
SICK_MS = 30_000
SICK = ("dead-square", "stuck-square", "drifting-square")
RESTORES = 4
SLOW_MS = {
    "lift": 200,
    "slide": 400,
    "attack, colour change": 150,
    "attack without colour, swapped": 1_500,
    "attack without colour, target-first": 1_500,
}
"""A single verdict slower than this is told among the faults."""


@dataclass(slots=True)
class WrongRead:
    """A reading of something else than was meant, and how long its square held the piece, on the clock by which verdicts are timed."""

    event: PublicEvent
    came_ms: int
    """When a magnet last changed the square that was read as the target."""
    left_ms: int | None = None
    """When one changed it again."""

    @property
    def stood_ms(self) -> int:
        """Give for how long the piece stood there; for ever, if it does still."""
        return FOR_EVER_MS if self.left_ms is None else self.left_ms - self.came_ms

    def watch(self, changed_ms: Callable[[str], int]) -> None:
        """Look whether the piece has left; `changed_ms` gives when a magnet last changed a square."""
        assert self.event.target is not None
        latest_ms = changed_ms(self.event.target)
        if self.left_ms is None and latest_ms > self.came_ms:
            self.left_ms = latest_ms


@dataclass(slots=True)
class Meant:
    """One ply as the hands meant it, and what became of it."""

    move: Move
    attack: bool
    ply: Ply
    far: bool
    """A scout's move over several squares."""
    read_ms: int | None = None
    """When the reading came that stands, None while there is none or a wrong one."""
    timed: bool = False
    wrong: WrongRead | None = None
    """The wrong reading that stands."""

    @property
    def paused_ms(self) -> int:
        """Give how long the hand let the piece rest on another legal square, from having put it down to beginning to take it up."""
        return max((rest_ms for _, rest_ms in self.ply.rests), default=0)

    def timed_as(self, colour: bool) -> str | None:
        """Give the class of verdicts that this one's delay counts in, None for one that only the handset told."""
        motion = self.ply.motion
        if not self.attack:
            return motion
        assert self.read_ms is not None
        early = motion in ("swapped", "target-first") and self.read_ms < self.ply.rest_ms - 50
        if motion == "both-lifted" or early:
            return "attack, both lifted"
        if motion == "tapped":
            return None
        return "attack, colour change" if colour else f"attack without colour, {motion}"


@dataclass(slots=True)
class Accident:
    """What went wrong, until when it can still show, and whether it has been asked about."""

    word: str
    until_ms: int
    asked: bool = False


class StuckError(Exception):
    """The game cannot go on; it is given up and counted."""


def is_move(event: PublicEvent, move: Move) -> bool:
    """Tell whether an event is about this move."""
    return (event.source, event.target) == (move.source.name, move.target.name)
