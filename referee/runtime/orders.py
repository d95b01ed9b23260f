"""A table's place in a hall: orders of its arbiters are opened, carried out and answered, and what its next game counts for is kept.

An order is carried out when the station signed it for this board, this start of the referee and this game. Whether it comes too late or
for the second time, the table itself judges by the number of its last event; the few orders that name no moment are known here by their
ids. Everything else is refused with a stable word and changes nothing. A table without a station's key refuses every order.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import msgspec

from referee.journal.events import JournalRow
from referee.net.errors import PeerError, SignatureError
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import (
    Act,
    ArbiterAck,
    AskFacts,
    Assign,
    BeginGame,
    Happened,
    Needs,
    Occasion,
    PairAgain,
    Played,
    SignedOrder,
    SquareFacts,
    needs,
)
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.disputes import happened, newest, square_facts
from referee.runtime.event_loop import TableShell
from referee.runtime.state_file import KeptFile
from referee.table.arbiter_commands import LONGEST_REASON, STALE, CorrectionError, Rule
from referee.table.table import Table
from referee.table.views import GameEnd, PublicInfo

_log = logging.getLogger(__name__)

ANSWERS_KEPT = 256
MOST_ORDERS = 10_000
"""So many orders without a moment one start of a table carries out; none may be forgotten, or it could be played again."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an order that was carried out, or could not be (`done` False, nothing changed)."""

    done: bool = True
    word: str = "done"
    detail: str = ""
    facts: SquareFacts | None = None
    history: tuple[Happened, ...] = ()


class GameAtHand(Protocol):
    """The game that a table plays, as far as an arbiter's orders need it."""

    @property
    def table(self) -> Table:
        """The table itself."""

    @property
    def shell(self) -> TableShell:
        """What carries orders out."""

    @property
    def rules(self) -> RuleSet:
        """The rules that it is played by."""

    def rows(self) -> list[JournalRow]:
        """Return the journal's rows, what is hidden of them left out."""


class Seating(Protocol):
    """What an arbiter may order of a table beside its game. Each returns None, or a stable word that says why not."""

    def pair_again(self, seat: Seat) -> str | None:
        """Offer a seat anew."""

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game, and what it counts for."""

    def begin(self) -> str | None:
        """Begin the next game."""


class ArbiterDesk:
    """Takes signed orders on the table's own thread, one after the other."""

    def __init__(
        self,
        key: OrderKey | None,
        board: str,
        session: str,
        game: Callable[[], GameAtHand | None],
        seating: Seating,
        answer: Callable[[ArbiterAck], None],
    ) -> None:
        self._key, self._board, self._session = key, board, session
        self._game, self._seating, self._answer = game, seating, answer
        self._seen: set[str] = set()
        self._answers: OrderedDict[str, ArbiterAck] = OrderedDict()

    @property
    def kept(self) -> Mapping[str, int]:
        """Count the orders without a moment that were taken, and the answers that are kept for their repeats."""
        return {"orders": len(self._seen), "answers": len(self._answers)}

    def take(self, signed: SignedOrder) -> ArbiterAck:
        """Carry an order out, or refuse it; return the answer, which was sent."""
        ack = self._judged(signed)
        _log.info("an order of the hall: %s", ack.word)
        self._answer(ack)
        return ack

    def _judged(self, signed: SignedOrder) -> ArbiterAck:
        try:
            if self._key is None:
                raise SignatureError("this table belongs to no hall")
            order = self._key.open(signed)
        except SignatureError:
            return self._ack("", Outcome(False, "not-signed"))
        except PeerError:
            return self._ack("", Outcome(False, "not-understood"))
        act, wanted = order.act, needs(order.act)
        if order.board != self._board:
            return self._ack(act.id, Outcome(False, "other-board"))
        if order.session != self._session:
            return self._ack(act.id, Outcome(False, "other-session"))
        if wanted is not Needs.MOMENT:
            return self._once(act, order.game)
        if order.game != self._at()[0]:
            return self._ack(act.id, Outcome(False, "other-game"))
        if act.seq is None:
            act = msgspec.structs.replace(act, seq=-1)  # about no moment at all: stale
        return self._ack(act.id, self._carry_out(act))

    def _once(self, act: Act, game: str) -> ArbiterAck:
        """Carry out an order that is right at any moment: a repeat is known by its id alone, and gets the answer of the first."""
        if act.id in self._seen:
            return self._answers.get(act.id) or self._ack(act.id, Outcome(False, "replayed"))
        if len(self._seen) >= MOST_ORDERS:
            return self._ack(act.id, Outcome(False, "too-many"))
        if needs(act) is Needs.GAME and game != self._at()[0]:
            ack = self._ack(act.id, Outcome(False, "other-game"))
        else:  # what had been seen when it was ordered does not matter
            ack = self._ack(act.id, self._carry_out(msgspec.structs.replace(act, seq=None)))
        self._seen.add(act.id)
        self._answers[act.id] = ack
        if len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)
        return ack

    def _at(self) -> tuple[str, int]:
        """Return the game that is on (empty before the first) and the number of its last event."""
        game = self._game()
        if game is None:
            return "", 0
        view = game.table.view()
        return view.game, view.seq

    def _ack(self, re: str, outcome: Outcome) -> ArbiterAck:
        done, word = outcome.done, outcome.word
        return ArbiterAck(re, done, word, *self._at(), outcome.detail, outcome.facts, outcome.history)

    def _carry_out(self, act: Act) -> Outcome:
        match act:
            case AskFacts():
                return self._facts(act.square)
            case PairAgain():
                return self._pair_again(act)
            case Assign():
                return _outcome(self._seating.assign(act.names, act.occasion))
            case BeginGame():  # the table does not hear of it
                return _outcome(STALE if act.seq != self._at()[1] else self._seating.begin())
        game = self._game()
        if game is None:
            return Outcome(False, "not-now", "there is no game here")
        try:
            game.shell.put_in(act)
        except CorrectionError as error:
            return Outcome(False, error.word, str(error))
        return Outcome()

    def _pair_again(self, act: PairAgain) -> Outcome:
        """Offer a seat anew; why, a game that is on keeps as it keeps a ruling."""
        outcome, game = _outcome(self._seating.pair_again(act.seat)), self._game()
        if outcome.done and game is not None:
            reason = f"handset anew: {act.reason}"[:LONGEST_REASON]
            with contextlib.suppress(CorrectionError):  # the table has stopped: then nothing is kept any more
                game.shell.put_in(Rule(id=act.id, reason=reason, by=act.by, seat=act.seat))
        return outcome

    def _facts(self, square: str | None) -> Outcome:
        game = self._game()
        if game is None:
            return Outcome(False, "not-now", "there is no game here")
        history = happened(game.rows())
        if square is None:
            return Outcome(history=newest(history))
        if square not in {each.name for each in game.rules.board.squares}:
            return Outcome(False, "no-such-square")
        view = game.table.view()
        return Outcome(facts=square_facts(square, view.occupants, history, game.shell.hands, game.rules))


def _outcome(word: str | None) -> Outcome:
    return Outcome() if word is None else Outcome(False, word)


class HallLink(Protocol):
    """The referee's link, as far as a hall needs it."""

    @property
    def session(self) -> str:
        """The session of this start."""

    def take_orders(self, take: Callable[[SignedOrder], None]) -> None:
        """Hand over arbiters' orders to `take`, on any thread."""

    def acknowledge(self, ack: ArbiterAck) -> None:
        """Tell the station what became of an order."""

    def tell_occasion(self, occasion: Occasion | None, game: str, played: Played | None = None) -> None:
        """Publish what a game counts for, and what came of it if another one is on."""


@dataclass(frozen=True, slots=True)
class TableDoors:
    """What an arbiter may have done at the table itself."""

    game: Callable[[], GameAtHand | None]
    offer: Callable[[Seat], None]
    """Offer a seat anew."""
    name: Callable[[Mapping[Seat, str]], None]
    """Take who plays the next game."""
    begin: Callable[[], str | None]
    """Begin the next game; return a stable word where it cannot be."""


class HallSeat:
    """Takes the station's orders; kept across restarts is who was assigned, in the table's own file."""

    def __init__(
        self,
        key: OrderKey | None,
        board: str,
        seats: tuple[Seat, ...],
        link: HallLink,
        kept: KeptFile,
        doors: TableDoors,
    ) -> None:
        self._seats, self._link, self._kept, self._doors = seats, link, kept, doors
        self.desk = ArbiterDesk(key, board, link.session, doors.game, self, link.acknowledge)
        self._loop = asyncio.get_running_loop()
        link.take_orders(self._hear)
        if key is not None and kept.now.names:
            doors.name(kept.now.names)
            link.tell_occasion(kept.now.occasion, kept.now.occasion_game, kept.now.played)

    def _hear(self, signed: SignedOrder) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the table has ended
            self._loop.call_soon_threadsafe(self.desk.take, signed)

    def begun(self, game: str) -> None:
        """Take it that a game is on: the one that players were assigned for, or one that counts for nothing."""
        now = self._kept.now
        if now.occasion is None:
            return
        if now.occasion_game in ("", game):
            self._kept.change(occasion_game=game)
            self._link.tell_occasion(now.occasion, game)
        elif now.played is None:  # how it ended is not known here any more
            self._kept.change(occasion=None, names={})
            self._link.tell_occasion(None, game)

    def left(self, info: PublicInfo, end: GameEnd | None) -> None:
        """Take it that players begin another game: what came of one that counted is told until somebody is assigned anew."""
        now = self._kept.now
        if now.occasion is not None and now.occasion_game == info.game and end is not None:
            played = Played(dict(info.names), end)
            self._kept.change(played=played, names={})
            self._link.tell_occasion(now.occasion, now.occasion_game, played)

    def pair_again(self, seat: Seat) -> str | None:
        """Offer a seat anew."""
        if seat not in self._seats:
            return "no-such-seat"
        self._doors.offer(seat)
        return None

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        if not set(names) <= set(self._seats):
            return "no-such-seat"
        self._kept.change(names=dict(names), occasion=occasion, occasion_game="", played=None)
        self._doors.name(names)
        self._link.tell_occasion(occasion, "")
        return None

    def begin(self) -> str | None:
        """Begin the next game."""
        return self._doors.begin()
