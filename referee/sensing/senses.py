"""What every mode of sensing looks at: the ground, its settled squares, the time, the waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from referee.sensing.clock import Alarm
from referee.sensing.ground import Ground
from referee.sensing.observations import Difference
from referee.sensing.settle import LONG_AGO_MS, Settler
from referee.sensing.timing import Timing


@dataclass(slots=True)
class Senses:
    """One board as it is now. The interpreter feeds it; the modes only look."""

    ground: Ground
    settler: Settler
    alarm: Alarm
    timing: Timing
    gap_ms: int = field(default=LONG_AGO_MS)
    """The time of the first frame after a gap, the very first frame included."""

    @property
    def now_ms(self) -> int:
        """The time of the last frame, without its wrap."""
        return self.alarm.clock.now_ms

    @property
    def at_ms(self) -> int:
        """The same as the board counts it."""
        return self.board_ms(self.now_ms)

    def board_ms(self, at_ms: int) -> int:
        """Give an earlier time as the board counts it."""
        return self.alarm.clock.board(at_ms)

    def came_in_gap(self, square: int) -> bool:
        """Whether what a square holds came while no frames did: nobody can say how."""
        return self.settler.since_ms[square] == self.gap_ms

    def differences(self, wanted: Mapping[Square, Seat], expected: Sequence[Reading]) -> tuple[Difference, ...]:
        """Give every square that is not as wanted, in wire order; `expected` is what `wanted` reads as.

        A magnet that has been unsure for a while counts where none belongs; where one belongs it stands badly, but it is there.
        """
        settled = self.settler.settled
        stray = [square for square in self.settler.unsure() if expected[square] == Reading.EMPTY]
        if settled == expected and not stray:
            return ()
        return tuple(
            Difference(square, wanted.get(square), self.settler.shows(number))
            for number, square in enumerate(self.ground.squares)
            if settled[number] != expected[number] or number in stray
        )
