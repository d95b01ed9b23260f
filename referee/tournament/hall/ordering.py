"""Orders on their way: each is sent once and waits for its answer. Safe for any thread.

An answer that does not come says nothing about what became of the order: the table may have carried it out and lost its line. The
arbiter is told so and looks at the table; nothing is sent again by itself.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from referee.net.errors import MessageTooLongError
from referee.net.topics.payloads import Act, ArbiterAck, ArbiterOrder
from referee.table.arbiter_commands import CorrectionError, check_words
from referee.tournament.hall.accounts import Role, Session
from referee.tournament.hall.errors import DeniedError, RefusedError
from referee.tournament.hall.tables import HallTables

_log = logging.getLogger(__name__)

PATIENCE_S = 20.0
CHIEFS_ONLY = frozenset({"end-game", "adjourn", "assign"})
"""Type words of orders that an arbiter leaves to the chief."""


class Ordering:
    """Sends orders of arbiters to tables."""

    def __init__(
        self, tables: HallTables, send: Callable[[ArbiterOrder], bool], patience_s: float = PATIENCE_S
    ) -> None:
        self._tables, self._send, self._patience_s = tables, send, patience_s
        self._lock = threading.Lock()
        self._waiting: dict[str, list[ArbiterAck]] = {}
        self._news = threading.Condition(self._lock)

    def answer(self, ack: ArbiterAck) -> None:
        """Take the answer to an order; one that nobody waits for is dropped."""
        with self._news:
            if ack.re in self._waiting:
                self._waiting[ack.re].append(ack)
                self._news.notify_all()

    def order(self, who: Session, board: str, game: str, wanted: Mapping[str, Any]) -> ArbiterAck:
        """Send what an arbiter wants of a table and wait for the answer.

        `wanted` has the order's type word and fields as `arb/cmd` has them. Raises `DeniedError`, and `RefusedError`: `not-understood`,
        `no-such-table`, `no-referee`, `cut`, `no-broker`, `no-answer`.
        """
        if who.role is Role.SCREEN or (who.role is not Role.CHIEF and str(wanted.get("type")) in CHIEFS_ONLY):
            raise DeniedError("only the chief arbiter may order that")
        try:
            act = msgspec.convert({**wanted, "id": secrets.token_hex(12), "by": who.name}, type=Act)
            check_words(act)
        except msgspec.ValidationError as error:
            raise RefusedError("not-understood", str(error)) from None
        except CorrectionError as error:
            raise RefusedError(error.word, str(error)) from None
        return self.send(board, game, act)

    def send(self, board: str, game: str, act: Act) -> ArbiterAck:
        """Send an order and wait for its answer; raises `RefusedError` as `order` does."""
        table = self._tables.look(board)
        if table is None:
            raise RefusedError("no-such-table")
        if table.status is None or not table.status.up:
            raise RefusedError("no-referee")
        if table.cut_s is not None:
            raise RefusedError("cut")  # it would wait at the hall's broker and come late
        order = ArbiterOrder(board=board, session=table.status.session, game=game, act=act)
        with self._news:
            got = self._waiting[act.id] = []
        try:
            self._hand_over(order)
            with self._news:
                if not self._news.wait_for(lambda: got, self._patience_s):
                    raise RefusedError("no-answer")
                _log.info("%s by %s at table %s: %s", type(act).__name__, act.by, board, got[0].word)
                return got[0]
        finally:
            with self._news:
                del self._waiting[act.id]

    def _hand_over(self, order: ArbiterOrder) -> None:
        try:
            if not self._send(order):
                raise RefusedError("no-broker")
        except MessageTooLongError as error:
            raise RefusedError("not-understood", str(error)) from None
