"""Rules, sensing and arbitration of one table in this process: what the shell does, without bytes, broker, journal or clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from firmware_bridge.messages import BoardMessage, Frame, Hello
from hardware import BoardFile
from referee.rules import Game, RuleSet
from referee.rules.values import Rank, Seat, Square
from referee.runtime.game import interpreter_of
from referee.sensing import Observation
from referee.table.inputs import Open, SeatSays
from referee.table.messages import Declare, DenyAttack, FromHandset, Question, Ready, Rejected, TellAttack
from referee.table.settings import TableSettings
from referee.table.step import Advance, Collect, Expect, Follow, SensingOrder, Step
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent


class Heard(NamedTuple):
    """A public event, and the board's time (since its first power-on) of the frame that completed it."""

    at_ms: int
    event: PublicEvent


class RefereeInProcess:
    """One table. Frames and words in, public events out, in order. Orders to sensing are carried out as the shell does."""

    def __init__(
        self,
        rules: RuleSet,
        board: BoardFile,
        on_observation: Callable[[int, Observation], None] = lambda at_ms, said: None,
    ) -> None:
        self.table = Table(TableSettings("bench", "bench", rules))
        self.interpreter = interpreter_of(rules, board)
        self.rejected: list[str] = []
        """Why handsets were refused, in order; a bench says nothing that should be."""
        self._questions: dict[Seat, int] = {}
        self._heard: list[Heard] = []
        self._at_ms = 0
        self._ids = 0
        self._expects_anew = False
        self._on_observation = on_observation

    @property
    def game(self) -> Game:
        """Give the game as the referee has it; asking before it began is a fault of the caller."""
        game = self.table.public_game
        assert game is not None
        return game

    @property
    def restoring(self) -> bool:
        """Whether the board has to be put right."""
        return self.table.phase is Phase.RESTORING

    def open(self, at_ms: int) -> None:
        """Begin to watch the set-up; every player says at once that it stands."""
        self._at_ms = at_ms
        self._carry_out(self.table.apply(Open(), at_ms))
        for seat in self.table.info().seats:
            self._tell(seat, Ready(id=self._id()))

    def hear(self, messages: Iterable[BoardMessage], boot_ms: int) -> list[Heard]:
        """Take what the board says, whose own time counts from `boot_ms`; give what everybody hears of it."""
        feed = self.interpreter.feed
        for message in messages:
            if not isinstance(message, Frame):
                if isinstance(message, Hello):  # the bridge tells of a restart by the boot count in it
                    self.interpreter.link_lost()
                continue
            for said in feed(message):
                self._at_ms = message.board_ms + boot_ms
                self._on_observation(self._at_ms, said)
                self._carry_out(self.table.apply(said, self._at_ms))
            self._look()
        return self._give()

    def tell_attack(self, seat: Seat, source: Square, target: Square, at_ms: int) -> list[Heard]:
        """Let a player press *Attack*."""
        self._at_ms = at_ms
        self._tell(seat, TellAttack(id=self._id(), source=source.name, target=target.name))
        return self._give()

    def declare(self, ranks: dict[Seat, Rank], at_ms: int) -> list[Heard]:
        """Let every asked player say the rank of the own piece."""
        self._at_ms = at_ms
        for seat, question in list(self._questions.items()):
            self._tell(seat, Declare(id=self._id(), question=question, rank=ranks[seat]))
        return self._give()

    def deny(self, at_ms: int) -> list[Heard]:
        """Let every asked player say that there was no attack."""
        self._at_ms = at_ms
        for seat, question in list(self._questions.items()):
            self._tell(seat, DenyAttack(id=self._id(), question=question))
        return self._give()

    def _tell(self, seat: Seat, message: FromHandset) -> None:
        self._carry_out(self.table.apply(SeatSays(seat, message), self._at_ms))
        self._look()

    def _look(self) -> None:
        while self._expects_anew:
            self._expects_anew = False
            for said in self.interpreter.look():
                self._on_observation(self._at_ms, said)
                self._carry_out(self.table.apply(said, self._at_ms))

    def _give(self) -> list[Heard]:
        heard, self._heard = self._heard, []
        return heard

    def _carry_out(self, step: Step) -> None:
        for order in step.orders:
            self._obey(order)
        for fact in step.facts:
            if fact.event is not None:
                if fact.kind == "attack":
                    self._questions.clear()
                self._heard.append(Heard(self._at_ms, fact.event))
        for letter in step.letters:
            message = letter.body.open_hidden()
            if isinstance(message, Question):
                self._questions[letter.seat] = message.question
            elif isinstance(message, Rejected):
                self.rejected.append(message.reason)

    def _obey(self, order: SensingOrder) -> None:
        match order:
            case Follow():
                self.interpreter.follow(order.situation)
            case Advance():
                self.interpreter.advance(order.situation)
            case Expect():
                self.interpreter.expect(order.occupants)
                self._expects_anew = True
            case Collect():
                self.interpreter.collect()

    def _id(self) -> str:
        self._ids += 1
        return str(self._ids)
