"""A board that answers by a script, in the test's own process."""

from __future__ import annotations

import os
from collections.abc import Callable

from firmware_bridge.messages import Ack, AckResult, Command, News


class ScriptedSource:
    """A board that answers each command as a script says; what it was sent stands in `sent`."""

    url = "scripted:"

    def __init__(self, answers: Callable[[Command, int], list[News]]) -> None:
        self._answers = answers
        self._waiting: list[News] = []
        self._bell = os.eventfd(0, os.EFD_NONBLOCK)
        self.sent: list[Command] = []

    def fileno(self) -> int:
        """Return the bell."""
        return self._bell

    def say(self, *news: News) -> None:
        """Let it say something unasked."""
        self._waiting += news
        os.eventfd_write(self._bell, 1)

    def read(self) -> list[News]:
        """Return what waits."""
        os.eventfd_read(self._bell)
        news, self._waiting = self._waiting, []
        return news

    def send(self, command: Command) -> Command:
        """Answer by the script, which is told how many commands came before."""
        answers = self._answers(command, len(self.sent))
        self.sent.append(command)
        if answers:
            self.say(*answers)
        return command

    def close(self) -> None:
        """Close the bell."""
        os.close(self._bell)

    def __enter__(self) -> ScriptedSource:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def done(command: Command, result: AckResult = AckResult.DONE) -> Ack:
    """Return the ACK of a command."""
    return Ack(0, 0, command.TYPE, command.seq, result, 0)
