"""A board whose hands are told instead of sensed: what sensing would say after each motion, without magnets, frames or noise.

For halls of many simulated tables on one machine, and for nothing that says how well hands are read. It takes sensing's orders and
is asked what differs, as the interpreter is, and stands in the shell's place for both board and interpreter.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from typing import Any, Self

from firmware_bridge.messages import Command, News, Reading
from referee.rules import Prospect, Situation
from referee.rules.values import Seat, Square
from referee.sensing import Agreed, AttackSeen, Difference, Final, Lifted, Observation, Read, Seen

Motion = Mapping[str, Any]


class ToldBoard:
    """The squares of one table. `do` makes a motion and gives what sensing would say of it, in order."""

    url = "told:"

    def __init__(self, squares: Mapping[str, Square]) -> None:
        self._squares = squares
        self._occupants: dict[Square, Seat] = {}
        self._situation: Situation | None = None
        self._expected: Mapping[Square, Seat] | None = None
        self._collecting = False
        self._said: Mapping[Square, Seat] | None = None
        self._open = False
        """A move was read and is not final."""
        self._pulse = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    # ---- the hands

    def do(self, motion: Motion) -> list[Observation]:
        """Make a motion of the simulator's words; give what it shows."""
        match motion["motion"]:
            case "place":
                self._occupants |= {self._squares[name]: Seat(motion["seat"]) for name in motion["squares"]}
            case "put":
                self._occupants[self._squares[motion["square"]]] = Seat(motion["seat"])
            case "remove":
                self._occupants.pop(self._squares[motion["square"]], None)
            case "restore":
                self._occupants = {self._squares[name]: Seat(seat) for name, seat in motion["squares"].items()}
            case "lift":
                return self._lift(self._squares[motion["square"]])
            case "both":
                return self._both(self._squares[motion["from"]], self._squares[motion["target"]])
            case "move":
                return self._move(self._squares[motion["from"]], self._squares[motion["to"]])
        return self._rest()

    def settle(self) -> list[Observation]:
        """Give what sensing says once hands are quiet: the last move is final; a board that is as it should be agrees."""
        if self._open:
            self._open = False
            return [Final(self.now_ms)]
        return self._rest()

    def _lift(self, square: Square) -> list[Observation]:
        before = self.settle() if self._open else []
        self._occupants.pop(square, None)
        return [*before, Lifted(square, self.now_ms)] if self._situation is not None else self._rest()

    def _both(self, source: Square, target: Square) -> list[Observation]:
        shown = self._lift(source)
        self._occupants.pop(target, None)
        return [*shown, AttackSeen(source, target, self.now_ms)] if self._situation is not None else shown

    def _move(self, source: Square, target: Square) -> list[Observation]:
        seat = self._occupants.get(source)
        shown = self._lift(source)
        if seat is not None:
            self._occupants[target] = seat
        prospect = self._prospect(source, target)
        if prospect is None:
            return shown
        self._open = True
        return [*shown, Read(prospect, self.now_ms)]

    def _prospect(self, source: Square, target: Square) -> Prospect | None:
        prospects = self._situation.prospects if self._situation is not None else ()
        return next((one for one in prospects if (one.source, one.target, one.attack) == (source, target, False)), None)

    def _rest(self) -> list[Observation]:
        """Say what a board at rest says: while collecting what stands there, while expecting that it agrees; each once."""
        standing = dict(self._occupants)
        if self._collecting and standing != self._said:
            self._said = standing
            return [Seen(standing, self.now_ms)]
        if self._expected is not None and standing == self._expected and self._said is None:
            self._said = standing
            return [Agreed(self.now_ms)]
        return []

    # ---- in the interpreter's place

    @property
    def now_ms(self) -> int:
        """Give the board's time."""
        return time.monotonic_ns() // 1_000_000

    @property
    def quiet(self) -> bool:
        """Say that frames may be read late: there are none."""
        return True

    def follow(self, situation: Situation) -> None:
        """Take this as the position."""
        self._turn_to(situation)

    def advance(self, situation: Situation) -> None:
        """Take this as the position after the move that was read."""
        self._turn_to(situation, still_open=self._open)

    def expect(self, occupants: Mapping[Square, Seat]) -> None:
        """Wait until the board has become this."""
        self._turn_to(None)
        self._expected = dict(occupants)

    def collect(self) -> None:
        """Say what stands on the board."""
        self._turn_to(None)
        self._collecting = True

    def _turn_to(self, situation: Situation | None, still_open: bool = False) -> None:
        self._situation, self._expected, self._said = situation, None, None
        self._collecting, self._open = False, still_open

    def differences(self) -> tuple[Difference, ...]:
        """Give every square that is not as it should be."""
        wanted = self._situation.occupants if self._situation is not None else self._expected
        if wanted is None:
            return ()
        return tuple(
            Difference(square, wanted.get(square), _reading(self._occupants.get(square)))
            for square in self._squares.values()
            if wanted.get(square) != self._occupants.get(square)
        )

    def feed(self, frame: object) -> tuple[Observation, ...]:
        """Take a frame; there are none."""
        return ()

    def look(self) -> tuple[Observation, ...]:
        """Say nothing: what stands is said when somebody tells it."""
        return ()

    def link_lost(self) -> None:
        """Take the news that frames are missing."""

    def link_back(self) -> None:
        """Take the news that frames come again."""

    # ---- in the board's place

    def fileno(self) -> int:
        """Give a descriptor that is readable after each pulse."""
        return self._pulse

    def pulse(self) -> None:
        """Show that the board is there."""
        os.eventfd_write(self._pulse, 1)

    def read(self) -> list[News]:
        """Give nothing: it is there, and has no frames."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._pulse)
        return []

    def send(self, command: Command) -> Command:
        """Take a command, which changes nothing."""
        return command

    def close(self) -> None:
        """Let go of the descriptor. Closing twice is harmless."""
        if self._pulse >= 0:
            os.close(self._pulse)
            self._pulse = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _reading(seat: Seat | None) -> Reading:
    if seat is None:
        return Reading.EMPTY
    return Reading.BLUE if seat is Seat.BLUE else Reading.RED
