"""A reader that does what the page asks of one, and nothing else: it says what all scripts agree on, as soon as they do.

Slow, and without any use at a table: it shows that the criterion can be kept, how long a reader has to wait
and how often it has to ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firmware_bridge.messages import Frame, Reading
from referee.rules import Prospect, Situation
from referee.rules.values import Square
from tests.hands.explain import Explanation
from tests.hands.grammar import ASK_MS, WIDE, Bounds, Change, Ply, Start


@dataclass(frozen=True)
class Read:
    """A ply is read."""

    prospect: Prospect


class Final:
    """The oldest open ply is final."""


@dataclass(frozen=True)
class AttackSeen:
    """An attack is asked about."""

    source: Square
    target: Square


class Puzzled:
    """The players are asked."""


class Model:
    """The reader; it looks at the trace through the checker's own eyes."""

    def __init__(self, start: Start, bounds: Bounds = WIDE) -> None:
        self._squares = start.board.squares
        self._explanation = Explanation(start, bounds)
        self._before: tuple[Reading, ...] | None = None
        self._changed = 0
        self._finals: list[Ply] = []

    def follow(self, situation: Situation) -> None:
        """Read from this position on: the one of the start."""

    def advance(self, situation: Situation) -> None:
        """Go on from the position after what was read."""

    def feed(self, frame: Frame) -> tuple[object, ...]:
        """Return what is certain by now."""
        now = frame.board_ms
        for square, old, new in zip(self._squares, self._before or frame.squares, frame.squares, strict=True):
            if old is not new:
                self._explanation.see(Change(now, square, new))
                self._changed = now
        self._before = frame.squares
        return tuple(self._said(now))

    def _said(self, now: int) -> Iterator[object]:
        explained = self._explanation
        attacks = explained.attacks(now)
        while (ply := explained.agreed(len(self._finals), now)) and ply not in attacks:
            self._finals.append(ply)
            yield Read(Prospect(ply.source, ply.target, False, (ply.target,)))
            yield Final()
        still = now - self._changed >= ASK_MS
        if attacks and (ply or still):
            attack = ply or min(explained.attacks(now, after=self._finals), default=None, key=str)
            yield AttackSeen(attack.source, attack.target) if attack else Puzzled()
        elif still:
            found = explained.plies(len(self._finals), now)
            if not found or (len(found) > 1 and None not in found):
                yield Puzzled()
