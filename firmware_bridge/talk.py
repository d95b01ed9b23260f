"""What an open board is (`BoardSource`), and a conversation with one for tools that have nothing else to wait for (`Talk`).

A `Talk` blocks; a table has its own loop instead.
"""

from __future__ import annotations

import dataclasses
import select
import time
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import Protocol, Self, TypeAlias, TypeVar

from firmware_bridge import messages as m

_ANSWER_S = (
    1.0  # HELLO is given twice that: an AVR that the opening of its port restarted stays in its boot loader for 2 s
)
_TRIES = 3  # a command may be carried out twice without harm, so a lost answer is asked for again


Tap: TypeAlias = Callable[[bool, bytes], None]
"""Is told of all bytes that cross the line: whether they come from the board, and the bytes."""


class BoardSource(Protocol):
    """One open board. Ask for it by `open_source`; close it, or use it in a `with`."""

    url: str

    def fileno(self) -> int:
        """Return a descriptor that is readable when `read` has something to say; the same from opening to closing."""

    def read(self) -> list[m.News]:
        """Return what has arrived, never waiting; raise BoardUnreachableError when the board is gone (and at every later call).

        A serial port that is gone may come back: it gives `LinkLost` and later `LinkBack` instead, and HELLO after that.
        """

    def send(self, command: m.Command) -> m.Command:
        """Send a command with the next seq; return it as it was sent, to know its ACK by. BoardUnreachableError if it cannot be."""

    def close(self) -> None:
        """Let the board go. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NumberedSource(BoardSource):
    """A board whose commands are numbered here."""

    _seq = 0

    def numbered(self, command: m.Command) -> m.Command:
        """Return a command with the next seq."""
        seq, self._seq = self._seq, (self._seq + 1) % 256
        return dataclasses.replace(command, seq=seq)


Answer = TypeVar("Answer")


class WaitEnd(Enum):
    """Why a wait ended."""

    WANTED = "wanted"
    OTHER = "other"
    NOTHING = "nothing"


class Talk:
    """Everything that the board says goes to `hear`, whatever is being waited for."""

    def __init__(
        self, source: BoardSource, hear: Callable[[m.News], None] = lambda news: None, *, answer_s: float = _ANSWER_S
    ) -> None:
        self.source = source
        self._hear = hear
        self._answer_s = answer_s

    def wait(
        self, seconds: float, until: Callable[[m.News], bool] = lambda news: False, other: int | None = None
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

    def hello(self) -> m.Hello:
        """Return the board's HELLO; raise BoardUnreachableError if none comes for some seconds."""
        found: list[m.Hello] = []
        foreign: list[str] = []

        def greets(news: m.News) -> bool:
            if isinstance(news, m.Hello):
                found.append(news)
            if isinstance(news, m.WireFault) and news.kind is m.FaultKind.OTHER_VERSION:
                foreign.append(news.detail)
            return bool(found)

        for _ in range(_TRIES):
            if self._until(greets, 2 * self._answer_s):
                return found[0]
            self.source.send(m.AskHello())
        reason = "nobody answers (no power, no firmware, or another device on this port?)"
        if foreign:
            reason = f"its firmware is of another version of the wire ({foreign[-1]}): flash the one that belongs to this program"
        raise m.BoardUnreachableError(f"board {self.source.url}: {reason}")

    def do(self, command: m.Command) -> m.Ack:
        """Return the ACK of a command, DONE or not; raise BoardUnreachableError if none comes, or if the board stays busy."""

        def answers(news: m.News, sent: m.Command) -> m.Ack | None:
            if isinstance(news, m.Ack) and _is_for(news, sent) and news.result is not m.AckResult.BUSY:
                return news
            return None

        return self._ask(command, answers, f"it does not answer {command.TYPE.name}")

    def amplitudes(self, squares: int) -> tuple[int, ...]:
        """Return what the converter reads on every square now, in counts; raise BoardUnreachableError if the board does not tell."""
        values: dict[int, int] = {}

        def answers(news: m.News, sent: m.Command) -> dict[int, int] | None:
            if isinstance(news, m.Raw):
                values.update(enumerate(news.values, news.first))
            return values if len(values) >= squares else None

        self._ask(m.AskKeyframe(with_raw=True), answers, "it does not tell its amplitudes")
        return tuple(values[number] for number in range(squares))

    def readings(self) -> m.Frame:
        """Return every square as it reads now; raise BoardUnreachableError if the board does not tell."""
        answered: set[int] = set()

        def answers(news: m.News, sent: m.Command) -> m.Frame | None:
            if isinstance(news, m.Ack) and _is_for(news, sent):
                answered.add(sent.seq)
            return news if isinstance(news, m.Frame) and sent.seq in answered else None

        return self._ask(m.AskKeyframe(), answers, "it does not tell its readings")

    def _ask(self, command: m.Command, answers: Callable[[m.News, m.Command], Answer | None], lacking: str) -> Answer:
        for _ in range(_TRIES):
            sent = self.source.send(command)
            found: list[Answer] = []

            def accepts(news: m.News, sent: m.Command = sent, found: list[Answer] = found) -> bool:
                answer = answers(news, sent)
                if answer is not None:
                    found.append(answer)
                return bool(found)

            if self._until(accepts, self._answer_s):
                return found[0]
        raise m.BoardUnreachableError(f"board {self.source.url}: {lacking}")

    def _until(self, wanted: Callable[[m.News], bool], seconds: float) -> bool:
        lost: list[m.LinkLost] = []

        def ends(news: m.News) -> bool:
            if isinstance(news, m.LinkLost):
                lost.append(news)
            return bool(lost) or wanted(news)

        heard = self.wait(seconds, ends)
        if lost:
            raise m.BoardUnreachableError(f"board {self.source.url}: {lost[0].reason}")
        return heard is WaitEnd.WANTED


def _is_for(ack: m.Ack, sent: m.Command) -> bool:
    return (ack.command, ack.command_seq) == (sent.TYPE, sent.seq)
