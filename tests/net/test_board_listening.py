"""When the table looks at its board: at once while hands are at work or board time hurries, seldom while all is quiet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from referee.runtime.board_listening import REST_S, Listening


@dataclass
class Beats:
    """A loop whose clock stands until it is moved on."""

    now_s: float = 0.0
    reader: Callable[[], None] | None = None
    rests: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def time(self) -> float:
        """Return the time in seconds."""
        return self.now_s

    def add_reader(self, fileno: int, call: Callable[[], None]) -> None:
        """Listen."""
        self.reader = call

    def remove_reader(self, fileno: int) -> None:
        """Listen no more."""
        self.reader = None

    def call_later(self, delay_s: float, call: Callable[[], None]) -> Any:
        """Put a call off."""
        self.rests.append((self.now_s + delay_s, call))
        return self

    def cancel(self) -> None:
        """Forget what was put off."""
        self.rests.clear()


class Board:
    """A board that sends a frame each 10 ms of its own time, which runs `pace` times as fast as the clock."""

    def __init__(self, pace: float = 1.0) -> None:
        self.loop = Beats()
        self.pace = pace
        self.quiet = True
        self.sends = True
        self.every_ms = 10
        self.heard_ms = 0
        self.looks = 0
        self.listening = Listening(
            cast(asyncio.AbstractEventLoop, self.loop), 0, self._hear, lambda: self.quiet, lambda: self.heard_ms
        )

    def _hear(self) -> None:
        self.looks += 1
        if self.sends:
            self.heard_ms = round(1000 * self.loop.now_s * self.pace) // 10 * 10

    def run(self, seconds: float) -> int:
        """Let time pass in steps of 10 ms. Returns how often the board was looked at."""
        before = self.looks
        for _ in range(round(seconds * 100)):
            self.loop.now_s = round(self.loop.now_s + 0.01, 2)
            due = [rest for rest in self.loop.rests if rest[0] <= self.loop.now_s]
            self.loop.rests = [rest for rest in self.loop.rests if rest not in due]
            for _, call in due:
                call()
            is_due = round(1000 * self.loop.now_s) % self.every_ms == 0
            if self.loop.reader is not None and self.sends and is_due:
                self.loop.reader()
        return self.looks - before


@pytest.fixture
def board() -> Iterator[Board]:
    """Yield a board that has kept the clock's pace for long enough."""
    found = Board()
    found.run(6)
    yield found
    found.listening.close()
    assert found.loop.reader is None
    assert not found.loop.rests


def test_a_quiet_board_is_looked_at_ten_times_a_second(board: Board) -> None:
    """A noisy board sends a hundred frames a second."""
    assert 8 / REST_S - 5 <= board.run(8) <= 8 / REST_S


def test_hands_at_work_are_heard_at_once(board: Board) -> None:
    """From the first look that shows them."""
    board.run(1)
    board.quiet = False
    assert board.run(1) >= 100 - 100 * REST_S


def test_nothing_to_read_means_listening_again(board: Board) -> None:
    """A board that pauses between its idle frames wakes nobody, and its next frame is heard as it comes."""
    board.run(1)
    board.sends = False
    assert board.run(5) == 1
    board.sends = True
    assert board.run(0.01) == 1


def test_a_frame_that_comes_alone_is_one_look(board: Board) -> None:
    """An idle board sends two a second: nobody looks again for what will not be there."""
    board.sends = False
    board.run(1)
    board.sends, board.every_ms = True, 500
    assert board.run(8) == 16


def test_a_board_that_runs_faster_than_the_clock_never_waits() -> None:
    """A simulated or replayed one stands still until it is read."""
    board = Board(pace=20.0)
    assert board.run(10) == 1000


def test_a_real_descriptor() -> None:
    """On a real loop: what is written is heard, and closing ends it."""

    async def listen() -> int:
        heard = asyncio.Event()
        reader, writer = os.pipe()
        looks = 0

        def hear() -> None:
            nonlocal looks
            looks += 1
            os.read(reader, 1)
            heard.set()

        listening = Listening(asyncio.get_running_loop(), reader, hear, lambda: True, lambda: 0)
        os.write(writer, b"x")
        await heard.wait()
        listening.close()
        os.close(reader)
        os.close(writer)
        return looks

    assert asyncio.run(listen()) == 1
