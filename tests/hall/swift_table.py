"""A table that plays a short Duel at once: real rules and arbitration, signed orders, the real topics with its pass; no magnets, no disk.

What its hands and handsets do is put into the table in one go, and everything public is published as a referee does. It begins when
the station says so and says how the game ended; that is all that an event needs of a table.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from random import Random
from typing import cast

from referee.journal.events import JournalRow
from referee.net.broker.hall_broker import HallPass
from referee.net.credential import Address, Credential
from referee.net.links.connection import Connection, outgoing
from referee.net.topics import codec
from referee.net.topics.payloads import ArbiterAck, Occasion, SignedOrder, Status
from referee.net.topics.topics import Role, Topic, address
from referee.rules import RuleSet, rule_set
from referee.rules.values import Seat, Square
from referee.runtime.event_loop import TableShell
from referee.runtime.game import RunningTable
from referee.runtime.orders import ArbiterDesk
from referee.sensing import Final, Lifted, Read, Seen
from referee.table.arbiter_commands import EndGame
from referee.table.inputs import Open, SeatSays
from referee.table.messages import Answer, FromHandset, OfferDraw, Question, Ready, Resign
from referee.table.settings import TableSettings
from referee.table.step import Step
from referee.table.table import Table

RED, BLUE = Seat.RED, Seat.BLUE
ENDS = ("resign red", "resign blue", "draw", "both-lose")


class SwiftTable:
    """One board of a hall. All of it happens on its connection's thread."""

    def __init__(self, passed: HallPass, seed: int) -> None:
        self.board, self.rules = passed.board, rule_set("duel")
        self.ended: dict[int, tuple[str, str, str]] = {}
        """By round: who sat red, who blue, and what the end was (a seat, `draw`, `both-lose`), by the table's own word."""
        self.names: Mapping[Seat, str] = {}
        self.table: Table | None = None
        self._random, self._session = Random(f"{seed}/{passed.board}"), secrets.token_hex(8)
        self._occasion: Occasion | None = None
        self._game = ""
        credential = Credential(
            Role.REFEREE, passed.user, passed.password, Address(passed.host, passed.port), passed.board
        )
        reads = [(address(Topic.ARBITER_COMMAND, self.board), 1)]
        self._connection = Connection(credential, reads, on_message=self._ordered)
        self._desk = ArbiterDesk(passed.key, self.board, self._session, cast(RunningTable, self), self._answer)

    def start(self) -> None:
        """Come to the hall."""
        self._tell_status()
        self._connection.start(30)

    def stop(self) -> None:
        """Leave it."""
        self._connection.stop()

    # ---- what the station orders

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        self.names, self._occasion, self._game = dict(names), occasion, ""
        self._tell_status()
        return None

    def begin(self) -> str | None:
        """Play the game that was assigned, from its set-up to its end."""
        assert self._occasion is not None
        game = secrets.token_hex(8)
        self.table = table = Table(TableSettings(self.board, game, self.rules, names=self.names))
        self._game = game
        self._tell_status()
        self._publish(Topic.INFO, table.info())
        self._take(table.apply(Open(), 0))
        for seat in self.rules.seats:
            self._say(seat, Ready(id=f"ready-{seat.value}"))
        self._take(table.apply(Seen(self._set_up(), 0), 0))
        for _ in range(self._random.randrange(2, 6)):
            self._move()
        end = self._random.choice(ENDS)
        self._end(end)
        assert table.result is not None
        outcome = {"resign red": "blue", "resign blue": "red"}.get(end, end)
        assert (table.result.winner.value if table.result.winner else None) == (outcome if "resign" in end else None)
        self.ended[self._occasion.round] = (self.names[RED], self.names[BLUE], outcome)
        return None

    def pair_again(self, seat: Seat) -> str | None:
        """Refuse it: there are no handsets here."""
        return "not-now"

    # ---- what its players do

    def _set_up(self) -> dict[Square, Seat]:
        count = sum(self.rules.army.values())
        return {square: seat for seat in self.rules.seats for square in self.rules.zone(seat)[-count:]}

    def _move(self) -> None:
        assert self.table is not None
        game = self.table.public_game
        assert game is not None
        ways = [way for way in game.situation().prospects if not way.attack]
        way = self._random.choice(ways)
        for seen in (Lifted(way.source, 0), Read(way, 0), Final(0)):
            self._take(self.table.apply(seen, 0))

    def _end(self, how: str) -> None:
        assert self.table is not None
        match how.split():
            case ["resign", seat]:
                self._say(Seat(seat), Resign(id="end"))
            case ["draw"]:
                asked = self._say(RED, OfferDraw(id="end"))
                bodies = [letter.body.open_hidden() for letter in asked.letters if letter.seat is BLUE]
                (question,) = [body for body in bodies if isinstance(body, Question)]
                self._say(BLUE, Answer(id="yes", question=question.question, choice="accept"))
            case _:
                self._take(self.table.apply(EndGame(id="end", reason="insolvable", result=how), 0))

    def _say(self, seat: Seat, message: FromHandset) -> Step:
        assert self.table is not None
        return self._take(self.table.apply(SeatSays(seat, message), 0))

    def _take(self, step: Step) -> Step:
        assert self.table is not None
        for fact in step.facts:
            if fact.event is not None:
                self._publish(Topic.EVENT, fact.event)
        if step.view_changed:
            self._publish(Topic.STATE, self.table.view())
        return step

    # ---- the line

    def _ordered(self, _topic: str, payload: bytes) -> None:
        order = codec.decode_public(Topic.ARBITER_COMMAND, payload)
        assert isinstance(order, SignedOrder)
        self._desk.take(order)

    def _answer(self, ack: ArbiterAck) -> None:
        self._publish(Topic.ARBITER_ACK, ack)

    def _tell_status(self) -> None:
        self._publish(Topic.STATUS, Status(True, 1, self._session, self._occasion, self._game))

    def _publish(self, topic: Topic, value: codec.PublicValue) -> None:
        self._connection.publish(outgoing(topic, self.board, codec.encode_public(value)))

    @property
    def game(self) -> _AtHand | None:
        """Return the game in progress for the desk, None without one."""
        return None if self.table is None else _AtHand(self.table, self.rules)


class _AtHand:
    """The game that is on, for the desk: it has no disk and no hands to show, and is over before another order comes."""

    def __init__(self, table: Table, rules: RuleSet) -> None:
        self.table, self.rules, self.shell = table, rules, cast(TableShell, self)

    def catch_up(self) -> None:
        """Have nothing that is due."""

    def rows(self) -> list[JournalRow]:
        return []
