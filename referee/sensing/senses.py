"""What every mode of sensing looks at: the ground, its settled squares, the time, the waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from referee.sensing.layout import Ground
from referee.sensing.observations import Difference, Masked
from referee.sensing.settle import LONG_AGO_MS, Alarm, Settler
from referee.sensing.timing import Timing


@dataclass(slots=True)
class Senses:
    """One board as it is now. The interpreter feeds it; the modes only look."""

    ground: Ground
    settler: Settler
    alarm: Alarm
    timing: Timing
    gap_ms: int = LONG_AGO_MS
    """The time of the first frame after the last gap, the very first frame included."""

    masked: dict[int, Reading] = field(default_factory=dict)
    """Squares whose sensors are not believed, and what they showed when that began."""

    def mask(self, squares: Iterable[Square]) -> Masked:
        """Stop believing these squares."""
        self.masked |= {(number := self.ground.number[square]): self.settler.settled[number] for square in squares}
        return self._masked_now()

    def unmask(self) -> Masked | None:
        """Believe those again that show something else by now; return what is to be said of it."""
        alive = [number for number, shown in self.masked.items() if self.settler.settled[number] != shown]
        for number in alive:
            del self.masked[number]
        return self._masked_now() if alive else None

    def _masked_now(self) -> Masked:
        return Masked(tuple(self.ground.squares[number] for number in sorted(self.masked)), self.at_ms)

    @property
    def now_ms(self) -> int:
        """The time of the last frame, without its wrap."""
        return self.alarm.clock.now_ms

    @property
    def at_ms(self) -> int:
        """The same as the board counts it."""
        return self.board_ms(self.now_ms)

    def board_ms(self, at_ms: int) -> int:
        """Return an earlier time as the board counts it."""
        return self.alarm.clock.board(at_ms)

    def differences(self, wanted: Mapping[Square, Seat], expected: Sequence[Reading]) -> tuple[Difference, ...]:
        """Return every square that is not as wanted, in wire order; `expected` is what `wanted` reads as.

        A magnet that has been unsure for a while counts where none belongs; where one belongs it stands badly, but it is there.
        """
        settled = self.settler.settled
        masked = self.masked
        stray = [n for n in self.settler.unsure() if expected[n] == Reading.EMPTY and n not in masked]
        if settled == expected and not stray:
            return ()
        return tuple(
            Difference(square, wanted.get(square), shown := self.settler.shows(number), self.ground.whose(shown))
            for number, square in enumerate(self.ground.squares)
            if (settled[number] != expected[number] and number not in masked) or number in stray
        )
