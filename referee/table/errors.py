"""Errors of arbitration. What players do is never one of them: that is an event, or a `Rejected` message.

ArbitrationError
    TransitionError     the caller asked for a step that the table of states does not have
    CorrectionError     an arbiter ordered what cannot be done; `word` says why, nothing was changed
    SettingsError       a table was opened with settings that cannot be played
    ResumeError         a journal's facts do not give the table back; its text holds no rank
"""

from __future__ import annotations

from enum import Enum


class ArbitrationError(Exception):
    """Any fault in how arbitration was called."""


class SettingsError(ArbitrationError):
    """Settings that cannot be played, e.g. a mode that the rule set does not have."""


class CorrectionError(ArbitrationError):
    """An order that cannot be carried out; nothing was changed.

    `word`: `no-reason`, `bad-words`, `stale`, `not-now`, `no-such-ply`, `no-such-verdict`, `no-such-seat`, `no-such-result`,
    `no-such-clock`, `still-over`.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(text)
        self.word = word


class ResumeError(ArbitrationError):
    """These facts do not give the table back: an earlier or a later version wrote them, or the rules are others."""


class TransitionError(ArbitrationError):
    """A step outside the table of states; nothing was changed."""

    def __init__(self, phase: Enum, happening: Enum, wanted: Enum | None) -> None:
        to = f" to {wanted.value}" if wanted else ""
        super().__init__(f"in phase {phase.value} the table of states has no {happening.value}{to}")
