"""The table's side of the hall: opens orders, has them carried out, and answers."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from referee.journal.events import JournalRow
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import (
    Act,
    ArbiterAck,
    AskFacts,
    Assign,
    BeginGame,
    HandSign,
    Needs,
    Occasion,
    PairAgain,
    SignedOrder,
    needs,
)
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.disputes import happened, newest, square_facts
from referee.runtime.event_loop import TableShell
from referee.runtime.order_book import OrderBook, Outcome, Standing
from referee.table.arbiter_commands import LONGEST_REASON, CorrectionError, Rule
from referee.table.table import Table

_log = logging.getLogger(__name__)

_NO_GAME = Outcome(False, "not-now", "there is no game here")


class GameAtHand(Protocol):
    """The game that a table plays, as far as an arbiter's orders need it."""

    @property
    def table(self) -> Table:
        """Give the table itself."""

    @property
    def shell(self) -> TableShell:
        """Give what carries orders out."""

    @property
    def rules(self) -> RuleSet:
        """Give the rules that it is played by."""

    def rows(self) -> list[JournalRow]:
        """Give the journal's rows, what is hidden of them left out."""

    def hands(self) -> list[HandSign]:
        """Give what hands were seen to do last."""


class Seating(Protocol):
    """What an arbiter may order of a table beside its game. Each gives None, or a stable word that says why not."""

    def pair_again(self, seat: Seat) -> str | None:
        """Offer a seat anew."""

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Say who plays the next game, and what it counts for."""

    def begin(self) -> str | None:
        """Begin the next game."""


class ArbiterDesk:
    """Takes signed orders on the table's own thread."""

    def __init__(
        self,
        key: OrderKey | None,
        board: str,
        session: str,
        game: Callable[[], GameAtHand | None],
        seating: Seating,
        answer: Callable[[ArbiterAck], None],
    ) -> None:
        self._game, self._seating, self._answer = game, seating, answer
        self._book = OrderBook(key, board, session, self._standing, self._carry_out)

    @property
    def kept(self) -> Mapping[str, int]:
        """Count the orders that were taken, and the answers that are kept."""
        return self._book.kept

    def take(self, signed: SignedOrder) -> ArbiterAck:
        """Carry out an order, or refuse it; the answer is sent and given."""
        ack = self._book.take(signed)
        _log.info("an order of the hall: %s", ack.word)
        self._answer(ack)
        return ack

    def _standing(self) -> Standing:
        game = self._game()
        if game is None:
            return Standing()
        view = game.table.view()
        return Standing(view.game, view.seq)

    def _carry_out(self, act: Act) -> Outcome:
        match act:
            case AskFacts():
                return self._facts(act.square)
            case PairAgain():
                return self._pair_again(act)
            case Assign():
                return _outcome(self._seating.assign(act.names, act.occasion))
            case BeginGame():
                return _outcome(self._seating.begin())
        game = self._game()
        if game is None:
            return _NO_GAME
        if needs(act) is not Needs.MOMENT:  # what had been seen when it was ordered does not matter then
            act = msgspec.structs.replace(act, seq=None)
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
            return _NO_GAME
        history = happened(game.rows())
        if square is None:
            return Outcome(history=newest(history))
        if square not in {each.name for each in game.rules.board.squares}:
            return Outcome(False, "no-such-square")
        view = game.table.view()
        return Outcome(facts=square_facts(square, view.occupants, history, game.hands(), game.rules))


def _outcome(word: str | None) -> Outcome:
    return Outcome() if word is None else Outcome(False, word)
