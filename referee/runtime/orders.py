"""Orders of a hall's arbiters to a table: they are opened, carried out and answered.

Here, and nowhere else, it is judged whether an order may be carried out: the station signed it for this board, this start of the
referee and this game; it comes for the first time, which its id tells; and, where it is about a moment, nothing has happened since but
signatures under the end, which the numbers of the game's events tell. Everything else is refused with a stable word and changes
nothing; a repeat gets the answer of the first. An order to an earlier start is never carried out, so no restart need remember ids; one
that the game's journal holds was carried out then and may have lost its answer, so it is answered now. Whether the game allows an
order, the table knows. A table without a station's key refuses every order.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from referee.net.errors import PeerError, SignatureError
from referee.net.links.referee_link import RefereeLink
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import (
    Act,
    ArbiterAck,
    ArbiterOrder,
    AskFacts,
    Assign,
    BeginGame,
    Needs,
    PairAgain,
    SignedOrder,
    needs,
)
from referee.runtime.disputes import happened, newest, square_facts
from referee.runtime.game import RunningTable, TableGame
from referee.table.arbiter_commands import LONGEST_REASON, STALE, CorrectionError, Rule, SignEnd
from referee.table.commitments import STATION

_log = logging.getLogger(__name__)

DONE = "done"
ANSWERS_KEPT = 256
MOST_ORDERS = 10_000
"""So many orders without a moment one start of a table carries out; none may be forgotten, or it could be played again.

An order about a moment may be forgotten: once something has come of it, it is stale.
"""


class ArbiterDesk:
    """Takes signed orders on the table's own thread, one after the other."""

    def __init__(
        self, key: OrderKey | None, board: str, session: str, table: RunningTable, answer: Callable[[ArbiterAck], None]
    ) -> None:
        self._key, self._board, self._session = key, board, session
        self._table, self._answer = table, answer
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
            return self._ack("", "not-signed")
        except PeerError:
            return self._ack("", "not-understood")
        act, wanted = order.act, needs(order.act)
        if order.board != self._board:
            return self._ack(act.id, "other-board")
        if order.session != self._session:
            return self._ack(act.id, DONE if self._in_journal(act.id) else "other-session")
        if (before := self._answers.get(act.id)) is not None:
            return before
        if act.id in self._seen:
            return self._ack(act.id, "replayed")
        if wanted is not Needs.MOMENT:
            if len(self._seen) >= MOST_ORDERS:
                return self._ack(act.id, "too-many")
            self._seen.add(act.id)
        ack = self._answers[act.id] = self._outcome(order, wanted)
        if len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)
        return ack

    def _in_journal(self, order: str) -> bool:
        """Return whether the game that is on answers an order of this id; the hall's bridge may deliver it again after a power cut."""
        causes = (row.public.get("cause") for row in (self._table.game.rows() if self._table.game is not None else ()))
        return any(cause and cause["by"] == "arbiter" and cause["verb"]["id"] == order for cause in causes)

    def _outcome(self, order: ArbiterOrder, wanted: Needs) -> ArbiterAck:
        """Carry out an order if all that it is about is still so."""
        game = self._table.game
        if game is not None:
            game.shell.catch_up()  # a flag that is due falls first
        on, seq = self._at()
        moment = 0 if game is None else game.table.moment
        if wanted is not Needs.TABLE and order.game != on:
            return self._ack(order.act.id, "other-game")
        if wanted is Needs.MOMENT and not (order.act.seq is not None and moment <= order.act.seq <= seq):
            late = f"event {seq} has happened since; the order knew of {order.act.seq}"
            return self._ack(order.act.id, STALE, detail=late)
        return self._carry_out(order.act)

    def _at(self) -> tuple[str, int]:
        """Return the game that is on (empty before the first) and the number of its last event."""
        game = self._table.game
        if game is None:
            return "", 0
        view = game.table.view()
        return view.game, view.seq

    def _ack(self, re: str, word: str = DONE, **more: Any) -> ArbiterAck:
        """Return the answer to an order, with where the table is now; with any other word than `DONE` nothing has changed."""
        return ArbiterAck(re, word == DONE, word, *self._at(), **more)

    def _carry_out(self, act: Act) -> ArbiterAck:
        game = self._table.game
        match act:
            case PairAgain():
                return self._ack(act.id, self._pair_again(act))
            case Assign():
                return self._ack(act.id, self._table.assign(act.names, act.occasion) or DONE)
            case BeginGame():
                return self._ack(act.id, self._table.begin() or DONE)
        if game is None:
            return self._ack(act.id, "not-now", detail="there is no game here")
        if isinstance(act, AskFacts):
            return self._facts(act, game)
        if isinstance(act, SignEnd) and not (
            self._key is not None and act.key == self._key.text and game.is_signed(STATION, act)
        ):
            return self._ack(act.id, "bad-signature", detail="that is not the station's signature under this game")
        try:
            game.correct(act)
        except CorrectionError as error:
            return self._ack(act.id, error.word, detail=str(error))
        return self._ack(act.id)

    def _pair_again(self, act: PairAgain) -> str:
        """Offer a seat again; why, a game that is on keeps as it keeps a ruling."""
        word, game = self._table.pair_again(act.seat) or DONE, self._table.game
        if word == DONE and game is not None:
            reason = f"handset anew: {act.reason}"[:LONGEST_REASON]
            with contextlib.suppress(CorrectionError):  # the table has stopped: then nothing is kept any more
                game.correct(Rule(id=act.id, reason=reason, by=act.by, seat=act.seat))
        return word

    def _facts(self, asked: AskFacts, game: TableGame) -> ArbiterAck:
        history = happened(game.rows())
        if asked.square is None:
            return self._ack(asked.id, history=newest(history))
        if asked.square not in {each.name for each in game.rules.board.squares}:
            return self._ack(asked.id, "no-such-square")
        occupants = game.table.view().occupants
        return self._ack(asked.id, facts=square_facts(asked.square, occupants, history, game.shell.hands, game.rules))


def open_desk(key: OrderKey | None, table: RunningTable, link: RefereeLink) -> ArbiterDesk:
    """Return the desk that takes what orders come over the link, on the running loop's thread; `key` is the station's, if there is one."""
    desk = ArbiterDesk(key, table.plan.config.name, link.session, table, link.acknowledge)
    loop = asyncio.get_running_loop()

    def hear(signed: SignedOrder) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the table has ended
            loop.call_soon_threadsafe(desk.take, signed)

    link.take_orders(hear)
    if key is not None:
        table.tell_assigned()
    return desk
