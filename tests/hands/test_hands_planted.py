"""Whether the checker is able to fail: the referee's reader with a small fault planted from outside, and how soon that is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge.messages import Frame, Reading
from referee.rules import Game, Move, Prospect, RulesError, Situation
from referee.sensing import AttackSeen, Disturbed, Final, Puzzled, Read, Revised, Unread
from tests.hands.__main__ import Wish, reader
from tests.hands.grammar import Start
from tests.hands.judge import IN_NONE, NEEDLESS, NOT_EVERY, judge

QUESTIONS = (Puzzled, Disturbed)
SQUARE = 1
CLEAN: Sequence[int] = (*range(36), *range(37, 61))
"""Scripts in which the reader has no fault: `test_hands_reader.py` holds it to that."""


class Planted:
    """The reader without a fault: it answers itself what the judge would answer, so that a word may be changed on its way there."""

    def __init__(self, start: Start) -> None:
        first = start.after(())
        assert first is not None
        self._reader = reader(start)
        self._games: list[Game] = [first.game]
        """After each ply that the reader has read and may still revise, the position before them first."""
        self.open = 0
        """How many plies are open as the judge knows it."""

    def follow(self, situation: Situation) -> None:
        """Read from this position on."""
        self._reader.follow(situation)

    def advance(self, situation: Situation) -> None:
        """Do nothing: the reader was answered already."""

    def feed(self, frame: Frame) -> Sequence[object]:
        """Return the words that are left of what the reader says."""
        words = [word for said in self._reader.feed(self.shown(frame)) for word in self._said(said, frame.board_ms)]
        words += self.besides(frame.board_ms)
        for word in words:
            self.open += isinstance(word, Read) - isinstance(word, Final)
            self.open -= word.plies - isinstance(word, Revised) if isinstance(word, Revised | Unread) else 0
        return words

    def _said(self, said: Any, ms: int) -> Iterator[object]:
        if isinstance(said, Read | Revised | Unread):
            if not isinstance(said, Read):
                del self._games[-said.plies :]
            if not isinstance(said, Unread):
                game = self._games[-1].copy()
                game.play(Move(said.prospect.source, said.prospect.target, said.prospect.path_told))
                self._games.append(game)
            self._reader.advance(self._games[-1].situation())
        elif isinstance(said, Final):
            del self._games[0]
        yield from self.word(said, ms)

    def shown(self, frame: Frame) -> Frame:
        """Return what the reader is shown of a frame."""
        return frame

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        """Return what is left of a word of the reader."""
        yield said

    def besides(self, _ms: int) -> Sequence[object]:
        """Return what is said besides."""
        return ()


class FinalAtOnce(Planted):
    """What is read is final at once, as far as the reader does not take it back in the same breath."""

    def word(self, said: Any, ms: int) -> Iterator[object]:
        if not isinstance(said, Final):
            yield said
        if isinstance(said, Read):
            yield Final(ms)


class FinalSoon(Planted):
    """A ply is final 500 ms after it was read."""

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self._read_ms: int | None = None

    def word(self, said: Any, ms: int) -> Iterator[object]:
        self._read_ms = ms if isinstance(said, Read | Revised) else self._read_ms
        if not isinstance(said, Final):
            yield said

    def besides(self, ms: int) -> Sequence[object]:
        return [Final(ms)] * self.open if self._read_ms is not None and ms - self._read_ms >= 500 else ()


class NeverFinal(Planted):
    """No ply is ever final."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if not isinstance(said, Final):
            yield said


class FinalLate(Planted):
    """A ply is final 3 s later than it might be."""

    def __init__(self, start: Start) -> None:
        super().__init__(start)
        self._due: list[int] = []

    def word(self, said: Any, ms: int) -> Iterator[object]:
        if isinstance(said, Final):
            self._due.append(ms + 3000)
        else:
            yield said

    def besides(self, ms: int) -> Sequence[object]:
        due = [one for one in self._due if one <= ms]
        del self._due[: len(due)]
        return [Final(ms)] * len(due)


class NeverRevises(Planted):
    """What was read once stays."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if not isinstance(said, Revised | Unread):
            yield said


class RevisedBackwards(Planted):
    """A revision has source and target the wrong way round."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if isinstance(said, Revised):
            ply = said.prospect
            said = replace(said, prospect=Prospect(ply.target, ply.source, False, (ply.source,)))
        yield said


class NeverAsks(Planted):
    """The players are never asked what they did."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if not isinstance(said, QUESTIONS):
            yield said


class AsksSoon(Planted):
    """The players are asked as soon as a ply is unsaid."""

    def word(self, said: Any, ms: int) -> Iterator[object]:
        yield said
        if isinstance(said, Unread):
            yield Puzzled((), ms)


class SeesNoAttack(Planted):
    """No attack is ever seen."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if not isinstance(said, AttackSeen):
            yield said


class AttackBackwards(Planted):
    """Attacker and defender are exchanged."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        yield replace(said, source=said.target, target=said.source) if isinstance(said, AttackSeen) else said


class AttackBeforeFinal(Planted):
    """A ply is final only behind the question about the attack."""

    def word(self, said: Any, _ms: int) -> Iterator[object]:
        if not isinstance(said, Final):
            yield said


class _Clock(Planted):
    """All times are a little wrong."""

    share = 1.0

    def shown(self, frame: Frame) -> Frame:
        return replace(frame, board_ms=round(frame.board_ms * self.share))


class ClockFast(_Clock):
    """All limits are over a tenth too soon."""

    share = 1.1


class ClockSlow(_Clock):
    """All limits are over twice too late."""

    share = 0.5


class BlindSquare(Planted):
    """One square is never seen to change."""

    _first: Reading | None = None

    def shown(self, frame: Frame) -> Frame:
        self._first = self._first or frame.squares[SQUARE]
        return replace(frame, squares=(*frame.squares[:SQUARE], self._first, *frame.squares[SQUARE + 1 :]))


def noticed(make: Callable[[Start], Planted], wish: Wish, numbers: Sequence[int]) -> Iterator[str]:
    """Yield each fault that is found in the scripts of these numbers, as soon as it is: who waits for one looks no further."""
    for number in numbers:
        drawn = wish.script(number)
        assert drawn is not None
        try:
            yield from judge(drawn.start, drawn.trace, make, played=drawn.plies).kinds
        except (RulesError, AssertionError):
            yield "broken"


def test_without_a_fault_nothing_is_noticed() -> None:
    """The wrapping alone changes nothing."""
    assert list(noticed(Planted, Wish(), CLEAN)) == []


@pytest.mark.parametrize(
    ("fault", "kind", "within"),
    [
        (FinalAtOnce, NOT_EVERY, 10),
        (FinalSoon, NOT_EVERY, 10),
        (ClockFast, NOT_EVERY, 60),
        (ClockSlow, NOT_EVERY, 60),
        (NeverRevises, IN_NONE, 60),
        (NeverFinal, "late final", 10),
        (FinalLate, "attack while open", 10),
        (AttackBeforeFinal, "attack while open", 10),
        (AttackBackwards, "false attack", 10),
        (SeesNoAttack, "not asked", 10),
        (AsksSoon, NEEDLESS, 10),
        (RevisedBackwards, NEEDLESS, 60),
        (BlindSquare, NEEDLESS, 60),
    ],
)
def test_a_fault_is_noticed(fault: Callable[[Start], Planted], kind: str, within: int) -> None:
    """A fault that is planted is found, as what it is, within a few scripts."""
    assert kind in noticed(fault, Wish(), CLEAN[:within])


def test_who_never_asks_is_noticed() -> None:
    """Hands as the page has them need hardly a question; sensors that fail do."""
    asks, never = (set(noticed(make, Wish(accident=True), CLEAN[:10])) for make in (Planted, NeverAsks))
    assert "not asked" in never
    assert "not asked" not in asks
