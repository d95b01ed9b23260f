"""A board under examination: how long it is listened to, and what it is asked. `checkup` judges the answers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from firmware_bridge.checkup import Checkup
from firmware_bridge.messages import AskHello, AskKeyframe, BoardUnreachableError, Command, SelfTest
from firmware_bridge.sources import BoardSource, ReplaySource
from firmware_bridge.talk import Talk
from hardware import Sensing

SAMPLES = 8  # of every amplitude, for a report
QUESTIONS = 20  # whose answers are timed, for a report
_SHOW_S = 0.2
_ASK_S = 1.0


class Examination:
    """One board under examination. A recording is only listened to; a board that is there is asked as well."""

    def __init__(self, url: str, source: BoardSource, talk: Talk, checkup: Checkup) -> None:
        """`talk` is the one with the board of `source`; what the board says goes into `checkup`."""
        self.url, self.checkup = url, checkup
        self._talk = talk
        self._recorded = isinstance(source, ReplaySource)
        self._amplitudes = checkup.board.sensing is Sensing.COLOUR and not checkup.disagreements

    def listen(self, seconds: float) -> None:
        """Hear the board for so long, its self-test, amplitudes and answers included; the end of a recording ends it."""
        end_s = time.monotonic() + seconds
        if self._recorded:
            with contextlib.suppress(BoardUnreachableError):
                self._talk.wait(seconds)
            return
        self._talk.do(SelfTest())
        for _ in range(SAMPLES if self._amplitudes else 0):
            self._talk.amplitudes(len(self.checkup.board.squares))
        for _ in range(QUESTIONS):
            self._ask(AskHello())
        self._talk.wait(max(end_s - time.monotonic(), 0.0))

    def watch(self) -> Iterator[None]:
        """Yield whenever the board's picture may be another; raises `BoardUnreachableError` when the board is gone for good."""
        asked_s = 0.0
        question: Command = AskKeyframe(with_raw=self._amplitudes)
        if not self._recorded:
            self._talk.do(SelfTest())
        while True:
            yield
            try:
                if time.monotonic() - asked_s >= _ASK_S and not self._recorded and self.checkup.link.up:
                    asked_s = time.monotonic()
                    self._ask(question)
                self._talk.wait(_SHOW_S)
            except BoardUnreachableError:
                self._talk.wait(0)  # a cable that is out is told now; a board that is gone for good raises again
                self.checkup.unanswered += self.checkup.link.up

    def _ask(self, command: Command) -> None:
        asked_s = time.monotonic()
        self._talk.do(command)
        self.checkup.answered(1000 * (time.monotonic() - asked_s))
