"""What an open board is (`BoardSource`), and a conversation with one for tools that have nothing else to wait for (`Talk`).

A `Talk` blocks; a table has its own loop instead.
"""

from __future__ import annotations

import dataclasses
import select
import time
from collections.abc import Callable, Iterator
from enum import Enum
from types import TracebackType
from typing import Protocol, Self, TypeAlias

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
        """Close the board. Closing twice is harmless."""

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
        """Listen until `until` accepts something, the descriptor `other` is readable, or the time is over. Returns
        which.

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
                accepted = until(news) or accepted
            if accepted:
                return WaitEnd.WANTED
            if other in ready:
                return WaitEnd.OTHER
            if left_s <= 0:
                return WaitEnd.NOTHING

    def hello(self) -> m.Hello:
        """Return the board's HELLO; raise BoardUnreachableError if none comes for some seconds."""
        reason = "nobody answers (no power, no firmware, or another device on this port?)"
        for _ in range(_TRIES):
            for news in self._said(2 * self._answer_s):
                if isinstance(news, m.Hello):
                    return news
                if isinstance(news, m.WireFault) and news.kind is m.FaultKind.OTHER_VERSION:
                    reason = f"its firmware is of another version of the wire ({news.detail}): flash the one that belongs to this program"
            self.source.send(m.AskHello())
        raise m.BoardUnreachableError(f"board {self.source.url}: {reason}")

    def do(self, command: m.Command) -> m.Ack:
        """Return the ACK of a command, DONE or not; raise BoardUnreachableError if none comes, or if the board stays busy."""
        return next(
            news
            for sent, news in self._answers(command, f"it does not answer {command.TYPE.name}")
            if isinstance(news, m.Ack) and _is_for(news, sent) and news.result is not m.AckResult.BUSY
        )

    def amplitudes(self, squares: int) -> tuple[int, ...]:
        """Return what the converter reads on every square now, in counts; raise BoardUnreachableError if the board does not tell."""
        return self.raws(squares)[:squares]

    def raws(self, squares: int) -> tuple[int, ...]:
        """Return those, and after them what the divider of the sensors' supply reads and read, if the board has one and tells."""
        values: dict[int, int] = {}
        for _, news in self._answers(m.AskKeyframe(with_raw=True), "it does not tell its amplitudes"):
            if isinstance(news, m.Raw):
                values.update(enumerate(news.values, news.first))
            if len(values) >= squares:
                break
        return tuple(values[number] for number in sorted(values))

    def readings(self) -> m.Frame:
        """Return every square as it reads now; raise BoardUnreachableError if the board does not tell."""
        answers = self._answers(m.AskKeyframe(), "it does not tell its readings")
        next(
            news for sent, news in answers if isinstance(news, m.Ack) and _is_for(news, sent)
        )  # what came before it may be old
        return next(news for _, news in answers if isinstance(news, m.Frame))

    def _answers(self, command: m.Command, lacking: str) -> Iterator[tuple[m.Command, m.News]]:
        """Return a command as it was sent with each thing that is said then; it is sent again, and after some times this raises.

        So whoever waits for something among them has it, or a BoardUnreachableError.
        """
        for _ in range(_TRIES):
            sent = self.source.send(command)
            for news in self._said(self._answer_s):
                yield sent, news
        raise m.BoardUnreachableError(f"board {self.source.url}: {lacking}")

    def _said(self, seconds: float) -> Iterator[m.News]:
        """Return what is said for so long; raise BoardUnreachableError when the connection is lost meanwhile."""
        end_s = time.monotonic() + seconds
        heard: list[m.News] = []

        def take(news: m.News) -> bool:
            heard.append(news)
            return True

        while self.wait(max(end_s - time.monotonic(), 0.0), take) is WaitEnd.WANTED:
            for news in heard:
                if isinstance(news, m.LinkLost):
                    raise m.BoardUnreachableError(f"board {self.source.url}: {news.reason}")
            yield from heard
            heard.clear()
            if time.monotonic() >= end_s:
                return


def _is_for(ack: m.Ack, sent: m.Command) -> bool:
    return (ack.command, ack.command_seq) == (sent.TYPE, sent.seq)
