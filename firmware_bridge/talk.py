"""A conversation with one board for tools that have nothing else to wait for. It blocks; a table has its own loop instead."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from enum import Enum

from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    BoardUnreachableError,
    Command,
    FaultKind,
    Frame,
    Hello,
    LinkLost,
    News,
    Raw,
    WireFault,
)
from firmware_bridge.sources import BoardSource

_ANSWER_S = (
    1.0  # HELLO is given twice that: an AVR that the opening of its port restarted stays in its boot loader for 2 s
)
_TRIES = 3  # a command may be carried out twice without harm, so a lost answer is asked for again


class WaitEnd(Enum):
    """Why a wait ended."""

    WANTED = "wanted"
    OTHER = "other"
    NOTHING = "nothing"


class Talk:
    """Everything that the board says goes to `hear`, whatever is being waited for."""

    def __init__(
        self, source: BoardSource, hear: Callable[[News], None] = lambda news: None, *, answer_s: float = _ANSWER_S
    ) -> None:
        self.source = source
        self._hear = hear
        self._answer_s = answer_s

    def wait(
        self, seconds: float, until: Callable[[News], bool] = lambda news: False, other: int | None = None
    ) -> WaitEnd:
        """Listen until `until` accepts something, the descriptor `other` is readable, or the time is over; say which.

        Raises BoardUnreachableError when the board is gone.
        """
        end_s = time.monotonic() + seconds
        wanted = [self.source.fileno()] + ([other] if other is not None else [])
        while True:
            left_s = end_s - time.monotonic()
            ready = select.select(wanted, [], [], max(left_s, 0.0))[0]
            accepted = False
            for news in self.source.read() if self.source.fileno() in ready else ():
                self._hear(news)
                accepted = accepted or until(news)
            if accepted:
                return WaitEnd.WANTED
            if other in ready:
                return WaitEnd.OTHER
            if left_s <= 0:
                return WaitEnd.NOTHING

    def hello(self) -> Hello:
        """Return the board's HELLO; raise BoardUnreachableError if none comes for some seconds."""
        found: list[Hello] = []
        foreign: list[str] = []

        def greets(news: News) -> bool:
            if isinstance(news, Hello):
                found.append(news)
            if isinstance(news, WireFault) and news.kind is FaultKind.OTHER_VERSION:
                foreign.append(news.detail)
            return bool(found)

        for _ in range(_TRIES):
            if self._until(greets, 2 * self._answer_s):
                return found[0]
            self.source.send(AskHello())
        reason = "nobody answers (no power, no firmware, or another device on this port?)"
        if foreign:
            reason = f"its firmware is of another version of the wire ({foreign[-1]}): flash the one that belongs to this program"
        raise BoardUnreachableError(f"board {self.source.url}: {reason}")

    def do(self, command: Command) -> Ack:
        """Return the ACK of a command, DONE or not; raise BoardUnreachableError if none comes."""
        for _ in range(_TRIES):
            sent = self.source.send(command)
            found: list[Ack] = []

            def answers(news: News, sent: Command = sent, found: list[Ack] = found) -> bool:
                if isinstance(news, Ack) and (news.command, news.command_seq) == (sent.TYPE, sent.seq):
                    found.append(news)
                return bool(found)

            if self._until(answers, self._answer_s) and found[0].result is not AckResult.BUSY:
                return found[0]
        raise BoardUnreachableError(f"board {self.source.url}: it does not answer {command.TYPE.name}")

    def amplitudes(self, squares: int) -> tuple[int, ...]:
        """Return what the converter reads on every square now, in counts; raise BoardUnreachableError if the board does not tell."""
        values: dict[int, int] = {}

        def completes(news: News) -> bool:
            if isinstance(news, Raw):
                values.update(enumerate(news.values, news.first))
            return len(values) >= squares

        for _ in range(_TRIES):
            self.source.send(AskKeyframe(with_raw=True))
            if self._until(completes, self._answer_s):
                return tuple(values[number] for number in range(squares))
        raise BoardUnreachableError(f"board {self.source.url}: it does not tell its amplitudes")

    def readings(self) -> Frame:
        """Return every square as it reads now; raise BoardUnreachableError if the board does not tell."""
        for _ in range(_TRIES):
            found: list[Frame] = []
            sent = self.source.send(AskKeyframe())
            asked: list[Ack] = []

            def answers(news: News, sent: Command = sent, asked: list[Ack] = asked, found: list[Frame] = found) -> bool:
                if isinstance(news, Ack) and (news.command, news.command_seq) == (sent.TYPE, sent.seq):
                    asked.append(news)
                elif isinstance(news, Frame) and asked:
                    found.append(news)
                return bool(found)

            if self._until(answers, self._answer_s):
                return found[0]
        raise BoardUnreachableError(f"board {self.source.url}: it does not tell its readings")

    def _until(self, wanted: Callable[[News], bool], seconds: float) -> bool:
        lost: list[LinkLost] = []

        def ends(news: News) -> bool:
            if isinstance(news, LinkLost):
                lost.append(news)
            return bool(lost) or wanted(news)

        heard = self.wait(seconds, ends)
        if lost:
            raise BoardUnreachableError(f"board {self.source.url}: {lost[0].reason}")
        return heard is WaitEnd.WANTED
