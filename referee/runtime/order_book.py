"""The table's door for arbiters' orders: which of them are carried out, and what is answered. Pure but for what it is given.

An order is carried out when the station signed it for this board, this start of the referee and what the table is at; once, however
often it comes. Everything else is refused with a stable word and changes nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from referee.net.errors import PeerError, SignatureError
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import Act, ArbiterAck, Happened, Needs, SignedOrder, SquareFacts, needs

ANSWERS_KEPT = 256
MOST_ORDERS = 10_000
"""So many orders one start of a table carries out; further ones are refused: none may be forgotten, or it could be played again."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a table is at: its game (empty before the first) and the number of that game's last event."""

    game: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an order that was carried out, or could not be (`done` False, nothing changed)."""

    done: bool = True
    word: str = "done"
    detail: str = ""
    facts: SquareFacts | None = None
    history: tuple[Happened, ...] = ()


class OrderBook:
    """Takes signed orders, one after the other."""

    def __init__(
        self,
        key: OrderKey | None,
        board: str,
        session: str,
        standing: Callable[[], Standing],
        carry_out: Callable[[Act], Outcome],
    ) -> None:
        """Without a key (a table of no hall) every order is refused."""
        self._key, self._board, self._session = key, board, session
        self._standing, self._carry_out = standing, carry_out
        self._seen: set[str] = set()
        self._answers: OrderedDict[str, ArbiterAck] = OrderedDict()

    @property
    def kept(self) -> Mapping[str, int]:
        """Count the orders that were carried out or refused, and the answers that are kept for their repeats."""
        return {"orders": len(self._seen), "answers": len(self._answers)}

    def take(self, signed: SignedOrder) -> ArbiterAck:
        """Carry an order out, or refuse it; a repeat gets the answer that the order got."""
        try:
            if self._key is None:
                raise SignatureError("this table belongs to no hall")
            order = self._key.open(signed)
        except SignatureError:
            return self._answer("", Outcome(False, "not-signed"))
        except PeerError:
            return self._answer("", Outcome(False, "not-understood"))
        act = order.act
        if order.board != self._board:
            return self._answer(act.id, Outcome(False, "other-board"))
        if order.session != self._session:
            return self._answer(act.id, Outcome(False, "other-session"))
        if act.id in self._seen:
            return self._answers.get(act.id) or self._answer(act.id, Outcome(False, "replayed"))
        if len(self._seen) >= MOST_ORDERS:
            return self._answer(act.id, Outcome(False, "too-many"))
        ack = self._answer(act.id, self._judged(act, order.game))
        self._seen.add(act.id)
        self._answers[act.id] = ack
        if len(self._answers) > ANSWERS_KEPT:
            self._answers.popitem(last=False)
        return ack

    def _judged(self, act: Act, game: str) -> Outcome:
        wanted, now = needs(act), self._standing()
        if wanted is not Needs.TABLE and game != now.game:
            return Outcome(False, "other-game")
        if wanted is Needs.MOMENT and act.seq != now.seq:
            return Outcome(False, "stale")
        return self._carry_out(act)

    def _answer(self, re: str, outcome: Outcome) -> ArbiterAck:
        now = self._standing()
        return ArbiterAck(
            re,
            outcome.done,
            outcome.word,
            now.game,
            now.seq,
            outcome.detail,
            outcome.facts,
            outcome.history,
        )
