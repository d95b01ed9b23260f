"""A person followed through the plan: what is to be said, what each motion came to, and which ones do not count.

Everything follows from the board's messages and from what was typed, in their order: told them again, a trial that was left off goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from firmware_bridge.messages import FaultKind, Frame, LinkBack, LinkLost, News, WireFault
from referee.field_trial.frame_times import MAGNETS, Trace, ends_of, seen_times
from referee.field_trial.plan import ATTACKS, Motion, MotionKind
from referee.rules import Prospect, Situation
from referee.rules.values import Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Difference,
    Disturbed,
    Final,
    Interpreter,
    Observation,
    Puzzled,
    Read,
    Revised,
    Unread,
)

TRIES = 3
_REST_MS = 1000
_LOOKED_MS = 2500  # a look is over, and longer than a ply that nobody answers stays open
_SILENT_MS = 6000
_GHOST_MS = 250
_SHORTEST_REST_MS = 50
_LONGEST_REST_MS, _EARLIEST_REPLY_MS = 1750, 400  # docs/reference/hands.md
_GAP_MS = 1100


class RejectReason(Enum):
    """Why a motion does not count."""

    OTHER_BOARD = "the board does not stand as it should"
    LONG_REST = "it rested for too long"
    NO_REST = "it did not rest on the way"
    EARLY_REPLY = "the answer came too early"
    GAP = "frames were missing"
    TYPED = "something else was done"


class Asks(NamedTuple):
    """The board stands as it should: this is to be done now."""

    motion: Motion
    number: int


class SetBoard(NamedTuple):
    """The board has to stand like this before the trial goes on: at the beginning, after an attack, after a motion that does not count."""

    wanted: Mapping[Square, Seat]
    differences: tuple[Difference, ...] = ()
    """What is still wrong, once it has been waited for."""
    attack: Motion | None = None
    """The attack that was seen, whose two pieces go home."""


class Repeats(NamedTuple):
    """The motion does not count and is asked for again, or left out if it was tried three times."""

    motion: Motion
    why: RejectReason
    left_out: bool


class Counts(NamedTuple):
    """The motion is over and counts."""

    outcome: Outcome


Prompt: TypeAlias = Asks | SetBoard | Repeats | Counts


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one motion that counts, and what it looked like."""

    motion: Motion
    trace: Trace
    misread: bool = False
    asked: bool = False
    lost: bool = False
    ghosts: int = 0
    false_attack: bool = False
    latencies_ms: tuple[int, ...] = ()


@dataclass(slots=True)
class _Heard:
    """What sensing said of the motion under way."""

    situations: list[Situation]
    reads: list[tuple[Prospect, int]] = field(default_factory=list)
    """The readings that stand, each with its delay."""
    finals: int = 0
    attack: AttackSeen | None = None
    asked: bool = False
    taken_back: list[tuple[int, Prospect]] = field(default_factory=list)
    """Which ply it was read as, and what was read."""


class Trial:
    """One trial. `feed` it everything that the board says; it answers what is to be said."""

    def __init__(self, plan: Sequence[Motion], interpreter: Interpreter, squares: Sequence[Square]) -> None:
        self.plan, self._interpreter = plan, interpreter
        self._number = {square: number for number, square in enumerate(squares)}
        self.outcomes: list[Outcome] = []
        self.repeated = 0
        self.left_out: list[Motion] = []
        self._at = self._tries = self._moved_ms = 0
        self._last: int | None = None
        """The motion that may be taken back by typing."""
        self._shown = False
        """Whether whoever is there knows what to do now; a short hole in the line before they began need not be told."""
        self._trace: Trace | None = None
        self._heard: _Heard | None = None
        self._stand()

    @property
    def over(self) -> bool:
        """Return whether every motion was made or left out."""
        return self._at >= len(self.plan)

    def wanted(self) -> SetBoard:
        """Return how the board must stand now."""
        return SetBoard(self.plan[self._at].before.occupants)

    def feed(self, news: News) -> tuple[Prompt, ...]:
        """Take the next thing that the board says."""
        if self.over:
            return ()
        if isinstance(news, LinkLost | LinkBack) or (isinstance(news, WireFault) and news.kind is FaultKind.REBOOTED):
            return self.broken_off()
        before_ms = self._trace.now_ms if self._trace is not None else 0
        if self._trace is not None:
            self._trace.take(news)
        return tuple(self._frame(news, before_ms)) if isinstance(news, Frame) else ()

    def again(self) -> tuple[Prompt, ...]:
        """Let the last motion, or the one that is under way, be made once more: its person did something else."""
        if self._heard is not None and self._moved_ms:
            return tuple(self._refuse(RejectReason.TYPED))
        if self._last is None:
            return ()
        self._at, self._last = self._last, None
        self.outcomes.pop()
        self.repeated, self._shown = self.repeated + 1, False
        self._stand()
        return Repeats(self.plan[self._at], RejectReason.TYPED, left_out=False), self.wanted()

    def broken_off(self) -> tuple[Prompt, ...]:
        """Take the news that the board went away or was restarted, or that the program was."""
        self._interpreter.link_lost()
        self._shown = False
        return tuple(self._missed()) if not self.over else ()

    def _missed(self) -> Iterator[Prompt]:
        if self._heard is not None and self._moved_ms:
            yield from self._refuse(RejectReason.GAP, tried=False)
        else:
            self._stand()

    # ---- the board is made to stand right, then a motion is asked for

    def _stand(self) -> None:
        self._trace = self._heard = None
        if not self.over:
            self._interpreter.expect(self.plan[self._at].before.occupants)

    def _frame(self, frame: Frame, before_ms: int) -> Iterator[Prompt]:
        said = self._interpreter.feed(frame)
        if self._heard is None:
            yield from self._standing(frame, (*said, *self._interpreter.look()))
            return
        trace, heard = self._trace, self._heard
        assert trace is not None
        if trace.now_ms - before_ms > _GAP_MS:
            yield from self._missed()
            return
        for each in said:
            self._hear(heard, each)
        if said or trace.changed_ms(self.plan[self._at].touched) == trace.now_ms:
            self._moved_ms = trace.now_ms
        if self._moved_ms and self._ended(trace, heard):
            yield from self._judge(trace, heard)

    def _standing(self, frame: Frame, said: Sequence[Observation]) -> Iterator[Prompt]:
        for each in said:
            if isinstance(each, Puzzled):
                self._shown = False
                yield self.wanted()._replace(differences=each.differences)
            if isinstance(each, Agreed) and each.lifted is not None:
                self._interpreter.expect(self.plan[self._at].before.occupants)
            elif isinstance(each, Agreed):
                motion = self.plan[self._at]
                self._interpreter.follow(motion.before)
                self._trace, self._heard = Trace(self._number, frame.board_ms, frame.squares), _Heard([motion.before])
                self._moved_ms = 0
                if not self._shown:
                    self._shown = True
                    yield Asks(motion, self._at + 1)

    # ---- a motion is under way

    def _hear(self, heard: _Heard, said: Observation) -> None:
        match said:
            case Unread(plies=plies):
                self._take_back(heard, plies)
                self._interpreter.advance(heard.situations[-1])
            case Read(prospect=prospect) | Revised(prospect=prospect):
                if isinstance(said, Revised):
                    self._take_back(heard, said.plies)
                after = heard.situations[-1].after
                assert after is not None
                heard.reads.append((prospect, said.at_ms - said.changed_ms))
                heard.situations.append(after(prospect))
                self._interpreter.advance(heard.situations[-1])
            case Final():
                heard.finals += 1
            case AttackSeen():
                heard.attack = said
            case Puzzled() | Disturbed():
                heard.asked = True

    def _take_back(self, heard: _Heard, plies: int) -> None:
        for _ in range(plies):
            heard.situations.pop()
            heard.taken_back.append((len(heard.reads) - 1, heard.reads.pop()[0]))

    def _ended(self, trace: Trace, heard: _Heard) -> bool:
        motion = self.plan[self._at]
        still_ms = trace.now_ms - trace.changed_ms(motion.touched)
        if heard.attack is not None and motion.kind in ATTACKS:
            return True
        if heard.attack is not None or heard.asked:
            return still_ms >= _REST_MS
        if motion.kind is MotionKind.LOOK and not heard.reads:
            return motion.rest is not None and trace.steady(motion.rest) in MAGNETS and still_ms >= _LOOKED_MS
        if heard.finals and heard.finals >= max(len(motion.plies), len(heard.reads)):
            return still_ms >= _REST_MS
        return trace.now_ms - self._moved_ms >= _SILENT_MS

    def _judge(self, trace: Trace, heard: _Heard) -> Iterator[Prompt]:
        motion = self.plan[self._at]
        why = self._not_asked_for(motion, trace)
        if why is not None:
            yield from self._refuse(why)
            return
        outcome = outcome_of(motion, trace, heard)
        self.outcomes.append(outcome)
        self._last = self._at
        self._at, self._tries, self._shown = self._at + 1, 0, False
        yield Counts(outcome)
        if motion.kind in ATTACKS:
            yield SetBoard(motion.after, attack=motion)
        self._stand()

    def _refuse(self, why: RejectReason, *, tried: bool = True) -> Iterator[Prompt]:
        motion = self.plan[self._at]
        self._tries, self._shown = self._tries + tried, False
        self.repeated += 1
        left_out = self._tries >= TRIES
        if left_out:
            self.left_out.append(motion)
            self._at, self._tries, self._last = self._at + 1, 0, None
        yield Repeats(motion, why, left_out)
        self._stand()
        if not self.over:
            yield self.wanted()

    def _not_asked_for(self, motion: Motion, trace: Trace) -> RejectReason | None:
        """Return why what was done is not what was asked for, None if it is as far as frames can tell."""
        ply = motion.plies[0] if motion.plies else None
        if motion.kind is MotionKind.HESITATION and longest_ms(trace, motion.rest) > _LONGEST_REST_MS:
            return RejectReason.LONG_REST
        wanted, apart = dict(motion.after), None
        if ply is not None and motion.kind in ATTACKS:  # the attacker is up, and its target may be too
            apart = ply.target
            del wanted[ply.source]
        for square in self._number:
            if square != apart and (trace.steady(square) in MAGNETS) is not (square in wanted):
                return RejectReason.OTHER_BOARD
        if motion.kind is MotionKind.HESITATION and longest_ms(trace, motion.rest) < _SHORTEST_REST_MS:
            return RejectReason.NO_REST
        if motion.kind is MotionKind.REPLY:
            first, second = (ends_of(trace, one.source, one.target) for one in motion.plies)
            early = first and second and second.left_ms < first.came_ms - _EARLIEST_REPLY_MS
            return RejectReason.EARLY_REPLY if early else None
        return None


def outcome_of(motion: Motion, trace: Trace, heard: _Heard) -> Outcome:
    """Return what sensing made of a motion that was made as it was asked for."""
    meant = [(ply.source, ply.target) for ply in motion.plies]
    read = [(prospect.source, prospect.target) for prospect, _ in heard.reads]
    attacks = motion.kind in ATTACKS
    seen = heard.attack is not None and attacks and (heard.attack.source, heard.attack.target) == meant[0]
    misread = any(attacks or n >= len(meant) or read[n] != meant[n] for n in range(min(heard.finals, len(read))))
    wrong = [
        prospect
        for n, prospect in heard.taken_back
        if n >= len(meant) or (prospect.source, prospect.target) != meant[n]
    ]
    ghosts = sum(longest_ms(trace, prospect.target) < _GHOST_MS for prospect in wrong)
    if seen:
        assert heard.attack is not None
        delays = [heard.attack.at_ms - heard.attack.changed_ms]
    else:
        delays = [delay_ms for n, (_, delay_ms) in enumerate(heard.reads) if n < len(meant) and read[n] == meant[n]]
    silent = not (heard.asked or misread or heard.attack)
    return Outcome(
        motion,
        trace,
        misread=misread,
        asked=heard.asked,
        lost=silent and (not seen if attacks else heard.finals < len(meant)),
        ghosts=ghosts,
        false_attack=heard.attack is not None and not seen,
        latencies_ms=tuple(delays),
    )


def longest_ms(trace: Trace, square: Square | None) -> int:
    """Return for how long a square saw a magnet without a break, at most."""
    return max((to_ms - from_ms for from_ms, to_ms in seen_times(trace, square)), default=0) if square else 0
