"""A table for tests: real rules and real arbitration, with observations and messages put in by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from referee.rules import RuleSet, rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat, Square
from referee.sensing import AttackSeen, Final, Lifted, Observation, Read, Revised, Seen
from referee.table.arbiter_commands import ArbiterVerb, CorrectionError
from referee.table.inputs import Abort, Open, Pause, Resume, SeatSays
from referee.table.messages import Answer, Declare, Enrol, FromHandset, Question, Ready, Rejected, ToHandset
from referee.table.settings import Limits, TableSettings, TimeControl
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Mode, Phase, Reveal
from tests.table.inputs import Jump, jump

RED, BLUE = Seat.RED, Seat.BLUE

DUEL_RED: dict[str, Rank] = {
    "a1": Rank.FLAG,
    "b1": Rank.BOMB,
    "a2": Rank.BOMB,
    "d4": Rank.SCOUT,
    "e4": Rank.MARSHAL,
    "f4": Rank.MINER,
    "i4": Rank.SPY,
    "j4": Rank.GENERAL,
    "e3": Rank.SCOUT,
    "f3": Rank.MINER,
}
DUEL_BLUE: dict[str, Rank] = {
    "j10": Rank.FLAG,
    "i10": Rank.BOMB,
    "j9": Rank.BOMB,
    "e7": Rank.SPY,
    "f7": Rank.GENERAL,
    "a7": Rank.SCOUT,
    "b7": Rank.MARSHAL,
    "i7": Rank.MINER,
    "j7": Rank.MINER,
    "e8": Rank.SCOUT,
}


def first_set_ups(rules: RuleSet) -> dict[Seat, Mapping[str, Rank]]:
    """Return set-ups in the order of the army, from the back row on."""
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    return {
        seat: {square.name: rank for square, rank in zip(rules.zone(seat), army, strict=False)} for seat in rules.seats
    }


class Sitting:
    """A game, begun; Duel with the set-ups above if nothing else is said. `say` and `see` put input in and keep all that came out."""

    def __init__(
        self,
        mode: Mode = Mode.DECLARE,
        reveal: Reveal = Reveal.BOOK,
        begin: bool = True,
        rules: str = "duel",
        ranks: Mapping[Seat, Mapping[str, Rank]] | None = None,
        rule_set_: RuleSet | None = None,
        clock: TimeControl | None = None,
        secret: bytes | None = None,
        limits: Limits | None = None,
        decided: tuple[Seat, ...] = (),
        computers: Mapping[Seat, int] | None = None,
    ) -> None:
        self.rules = rule_set_ or rule_set(rules)
        self.ranks = dict(ranks or ({RED: DUEL_RED, BLUE: DUEL_BLUE} if rules == "duel" else first_set_ups(self.rules)))
        hidden = Hidden(secret) if secret is not None else None
        said = TableSettings("t1", "g1", self.rules, mode, reveal, secret=hidden, clock=clock or TimeControl())
        said = replace(said, limits=limits or said.limits, decided=decided, computers=computers or {})
        self.table = Table(said)
        self.steps: list[Step] = []
        self.now_ms = 1000
        self._ids = 0
        self.take(self.table.apply(Open(), self.now_ms))
        if begin:
            self.begin()

    def phase(self) -> Phase:
        """Return the table's present phase."""
        return self.table.phase

    def begin(self) -> None:
        """Set up both sides and start."""
        for seat in self.rules.seats:
            if self.table.info().mode is Mode.ENROL:
                self.say(seat, Enrol(id=self.new_id(), set_up=dict(self.ranks[seat])))
            self.say(seat, Ready(id=self.new_id()))
        self.see(Seen({self.square(name): seat for seat in self.ranks for name in self.ranks[seat]}, self.now_ms))

    def place(self, pieces: Mapping[Seat, Mapping[str, Rank]], turn: Seat) -> None:
        """Go on from another position, whose ranks the referee knows in enrol mode only."""
        placed = {seat: {self.square(n): rank for n, rank in squares.items()} for seat, squares in pieces.items()}
        jump(self.table, Jump(placed, turn))

    def new_id(self) -> str:
        """Return the next message id."""
        self._ids += 1
        return f"m{self._ids}"

    def square(self, name: str) -> Square:
        """Return a square of the board."""
        return self.rules.board.square(name)

    def take(self, step: Step) -> Step:
        """Keep a step."""
        self.steps.append(step)
        return step

    def see(self, observation: Observation) -> Step:
        """Put in what sensing said."""
        return self.take(self.table.apply(observation, self.now_ms))

    def say(self, seat: Seat, message: FromHandset) -> Step:
        """Put in what a handset said."""
        return self.take(self.table.apply(SeatSays(seat, message), self.now_ms))

    def read(self, source: str, target: str) -> Step:
        """Lift a piece and read its move."""
        self.see(Lifted(self.square(source), self.now_ms))
        return self.see(Read(self.prospect(source, target), self.now_ms))

    def prospect(self, source: str, target: str):  # type: ignore[no-untyped-def]  # the rules' Prospect
        """Return the prospect of a move in the public game."""
        game = self.table.public_game
        assert game is not None
        (found,) = [p for p in game.situation().prospects if (p.source.name, p.target.name) == (source, target)]
        return found

    def revise(self, prospect) -> Step:  # type: ignore[no-untyped-def]  # the rules' Prospect
        """Read the last move anew."""
        return self.see(Revised(prospect, self.now_ms))

    def move(self, source: str, target: str) -> Step:
        """Read a move and make it final."""
        self.read(source, target)
        return self.see(Final(self.now_ms))

    def attack(self, source: str, target: str) -> Step:
        """See an attack."""
        self.see(Lifted(self.square(source), self.now_ms))
        return self.see(AttackSeen(self.square(source), self.square(target), self.now_ms))

    def declare(self, seat: Seat, rank: Rank) -> Step:
        """Answer the open question."""
        question = self.question(seat)
        return self.say(seat, Declare(id=self.new_id(), question=question.question, rank=rank))

    def question(self, seat: Seat) -> Question:
        """Return the last question that a seat was asked."""
        return [message for message in self.letters(seat) if isinstance(message, Question)][-1]

    def letters(self, seat: Seat) -> list[ToHandset]:
        """Return every private message to a seat so far."""
        return [letter.body.open_hidden() for step in self.steps for letter in step.letters if letter.seat is seat]

    def events(self) -> list[tuple[str, str | None, str | None]]:
        """Return every public event so far as (kind, source, target)."""
        heard = [fact.event for step in self.steps for fact in step.facts if fact.event is not None]
        return [(event.kind, event.source, event.target) for event in heard]

    def answer(self, seat: Seat, choice: str) -> Step:
        """Answer the last question that a seat was asked."""
        return self.say(seat, Answer(id=self.new_id(), question=self.question(seat).question, choice=choice))

    def refused(self, seat: Seat, message: FromHandset) -> str | None:
        """Send a message. Returns the reason if it was rejected, after a check that nothing has changed; else None."""
        before = (self.table.view(), self.table._state.deadline_ms)
        step = self.say(seat, message)
        answers = [letter.body.open_hidden() for letter in step.letters if letter.seat is seat]
        rejected = [answer for answer in answers if isinstance(answer, Rejected)]
        if not rejected:
            return None
        assert (step.facts, step.orders, step.view_changed) == ((), (), False)
        assert (self.table.view(), self.table._state.deadline_ms) == before
        return rejected[0].reason

    def order(self, verb: ArbiterVerb) -> Step:
        """Put in what an arbiter orders."""
        return self.take(self.table.apply(verb, self.now_ms))

    def not_ordered(self, verb: ArbiterVerb) -> str:
        """Send an order that must be refused, and prove that nothing has changed. Returns the word of the refusal."""
        before = (self.table.view(), self.table._state.deadline_ms)
        with pytest.raises(CorrectionError) as caught:
            self.table.apply(verb, self.now_ms)
        assert (self.table.view(), self.table._state.deadline_ms) == before
        return caught.value.word

    def kinds(self) -> list[str]:
        """Return the kinds of every public event so far."""
        return [kind for kind, _, _ in self.events()]


def pause(sitting: Sitting) -> None:
    """Somebody asks for a pause."""
    sitting.take(sitting.table.apply(Pause(), sitting.now_ms))


def resume(sitting: Sitting) -> None:
    """And goes on."""
    sitting.take(sitting.table.apply(Resume(), sitting.now_ms))


def abort(sitting: Sitting) -> None:
    """Break it off."""
    sitting.take(sitting.table.apply(Abort(), sitting.now_ms))
