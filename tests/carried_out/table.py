"""A table in this process, judged after every step by docs/reference/messages.md, moves decided elsewhere."""

from __future__ import annotations

import re

from benchmarks.hand_match import RefereeInProcess
from hardware import BoardFile
from referee.rules import RuleSet
from referee.rules.values import Rank, Seat
from referee.runtime.game import interpreter_of
from referee.table.inputs import Input, Reopen, SeatSays
from referee.table.messages import Accepted, Decide, FromHandset, Question, Rejected, TellAttack
from referee.table.replay import rebuild
from referee.table.settings import ClockKind, TableSettings, TimeControl
from referee.table.step import Fact, Step
from referee.table.table import Table
from referee.table.views import DecidedMove, Phase, PublicEvent, PublicView

PLAYING = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
RANKS = frozenset(rank.value for rank in Rank)


class FaultError(AssertionError):
    """What the table did is not what the contract says."""


def demand(holds: object, what: str) -> None:
    """Raise `FaultError` unless `holds`."""
    if not holds:
        raise FaultError(what)


class JudgedTable(RefereeInProcess):
    """A referee that is asked, after every step, whether its events and its view agree with the contract."""

    def __init__(self, rules: RuleSet, board: BoardFile, decided: tuple[Seat, ...], *, clocks: bool) -> None:
        super().__init__(rules, board, decided=decided)
        control = TimeControl(ClockKind.SUDDEN_DEATH, 80_000_000) if clocks else TimeControl()
        settings = TableSettings("bench", "bench", rules, clock=control, decided=decided)
        self._board_file = board
        self._settings = settings
        self._journal: list[Fact] = []
        self.table = Table(settings)
        self.decided_seats = decided
        self.events: list[PublicEvent] = []
        self.answers: dict[str, str] = {}
        """By the id of a handset's message: `accepted`, or why it was rejected."""
        self.spoken: set[str] = set()
        self.stands: DecidedMove | None = None
        """What the view must show, by the events alone."""
        self.told: dict[int, tuple[Seat, str, str]] = {}
        """By ply, what was told by `decide` and accepted."""
        self._asked_for: tuple[int, tuple[Seat, str, str]] | None = None

    @property
    def view(self) -> PublicView:
        """Return the view."""
        return self.table.view()

    @property
    def now_ms(self) -> int:
        """Return the time of the last input."""
        return self._at_ms

    def put(self, given: Input, at_ms: int) -> None:
        """Put an input into the table that is neither the board's nor a handset's."""
        self._at_ms = max(at_ms, self._at_ms)
        self._carry_out(self.table.apply(given, self._at_ms))
        self._look()

    def pull_plug(self, at_ms: int) -> None:
        """Begin anew with nothing but what the journal holds."""
        before = self.view.decided
        self.table = rebuild(self._settings, self._journal).table
        self.interpreter = interpreter_of(self._settings.rule_set, self._board_file)
        demand(self.view.decided == before, f"after a restart {self.view.decided} stands, it was {before}")
        self.put(Reopen(), at_ms)

    def say(self, seat: Seat, message: FromHandset, at_ms: int) -> str:
        """Return the answer to a handset's message: `accepted`, or the word of its refusal."""
        self._at_ms = max(at_ms, self._at_ms)
        before = len(self.events)
        stood, seen = self.stands, self.view
        if isinstance(message, Decide):
            self._asked_for = (message.ply, (seat, message.source, message.target))
        self._carry_out(self.table.apply(SeatSays(seat, message), self._at_ms))
        self._look()
        answer = self.answers.get(message.id, "nothing")
        if isinstance(message, Decide | TellAttack) and answer != "accepted":
            new = [event.kind for event in self.events[before:]]
            demand(not new and self.stands == stood, f"a rejected message ({answer}) changed something: {new}")
            demand(seen.occupants == self.view.occupants, "a rejected message moved a piece")
        return answer

    def decision(self, seat: Seat, ply: int, source: str, target: str, at_ms: int, id: str | None = None) -> str:
        """Return the answer to a `decide`."""
        return self.say(seat, Decide(id=id or self._id(), ply=ply, source=source, target=target), at_ms)

    def attack_told(self, seat: Seat, source: str, target: str, at_ms: int) -> str:
        """Return the answer to a told attack."""
        return self.say(seat, TellAttack(id=self._id(), source=source, target=target), at_ms)

    def _carry_out(self, step: Step) -> None:
        for letter in step.letters:
            message = letter.body.open_hidden()
            if isinstance(message, Accepted | Rejected):
                self.answers[message.re] = message.reason if isinstance(message, Rejected) else "accepted"
            elif isinstance(message, Question):
                self._questions[letter.seat] = message.question
        self._journal.extend(step.facts)
        for fact in step.facts:
            if fact.event is not None:
                self._judge_event(fact.event)
        super()._carry_out(step)
        self._judge_view()

    def _judge_event(self, event: PublicEvent) -> None:
        self.events.append(event)
        self.spoken |= {rank.value for rank in event.captured.values()}
        move = (
            None
            if event.seat is None or not event.source or not event.target
            else (event.seat, event.source, event.target)
        )
        is_decided = event.seat in self.decided_seats
        if event.kind == "move.decided":
            demand(move is not None and self._asked_for == (event.ply, move), f"{event} is not what was told")
            demand(
                not event.captured and event.text is None and event.result is None, f"{event} says more than squares"
            )
            assert move is not None
            self.told[event.ply], self.stands = move, DecidedMove(*move)
        elif event.kind in ("move.read", "move.revised", "move.final", "attack", "verdict") and is_decided:
            demand(move == self.told.get(event.ply), f"{event.kind} of {move}, decided was {self.told.get(event.ply)}")
        match event.kind:
            case "move.read":
                self.stands = None if is_decided else self.stands
            case "move.unread" | "move.taken-back" if is_decided:
                assert move is not None
                self.stands = DecidedMove(*move)
            case "move.revised" | "move.unread" | "move.taken-back":
                self.stands = None if event.ply + 1 in self.told and event.kind != "move.revised" else self.stands
            case "verdict" if is_decided:
                self.stands = None
            case "plies.taken-back" | "verdict.voided" | "end":
                self.stands = None

    def _judge_view(self) -> None:
        view = self.view
        if view.phase in (Phase.LOBBY, Phase.SETTING_UP):
            return
        demand(
            view.decided == self.stands,
            f"the view shows {view.decided}, by the events {self.stands} stands ({view.phase})",
        )
        if view.phase in PLAYING and view.decided is not None:
            demand(not view.waiting_for, f"waits for {view.waiting_for} while a move is carried out")
        for seat, face in view.clocks.items():
            runs = view.phase in PLAYING and seat is view.turn and view.decided is None
            demand(face.runs <= runs, f"{seat}'s clock runs in {view.phase}, decided {view.decided}")
            demand(
                face.runs or not runs or view.board_fault,
                f"{seat}'s clock stands in {view.phase}, on the move, nothing decided",
            )
        words = set(re.findall(r"[a-z]+", repr((view, self.events[-1:]))))
        demand(words & RANKS <= self.spoken, f"ranks in public: {words & RANKS - self.spoken}")
