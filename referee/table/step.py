"""What a table returns for one input: facts to journal, letters to seal, orders for sensing, the new public view; and
its builder.

The caller obeys in this order: journal the facts, then publish and send. A step that came to nothing is falsy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from referee.rules import Hidden, Rank, Seat, Situation, Square
from referee.table.arbiter_commands import RejectedError
from referee.table.inputs import Cause
from referee.table.messages import Accepted, Closed, Letter, Rejected, ToHandset
from referee.table.state import ANSWERS_KEPT, OpenPly, TableState, Trigger, next_phase
from referee.table.views import Phase, PublicEvent


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened: the event that everybody hears (None if nobody does) and what only the journal keeps, sealed.

    `kind` is the stable type word of the journal row.
    """

    kind: str
    ply: int
    event: PublicEvent | None = None
    seat: Seat | None = None
    hidden: Hidden[Mapping[str, Rank]] | Hidden[Mapping[str, str]] | None = None
    """Ranks by square name, e.g. an enrolled set-up or a declaration; with `opened` the secret of the commitments."""
    cause: Cause | None = field(default=None, repr=False)
    """What the whole step answers, with its first fact; no public event shows it. From the causes a table is rebuilt."""


@dataclass(frozen=True, slots=True)
class Follow:
    """Sensing takes this as its base and forgets any earlier one."""

    situation: Situation


@dataclass(frozen=True, slots=True)
class Advance:
    """Sensing takes this as the position after the move it has just read, and keeps the old base."""

    situation: Situation


@dataclass(frozen=True, slots=True)
class Expect:
    """Sensing reads no moves now and says when the board has become this."""

    occupants: Mapping[Square, Seat]


@dataclass(frozen=True, slots=True)
class Collect:
    """Sensing reads no moves now and says what stands on the board each time it comes to rest."""


UNREAD, TAKEN_BACK = "move.unread", "move.taken-back"
"""What is said of a ply that never was: that sensing has seen it, or that the board was asked about around it."""
SensingOrder = Follow | Advance | Expect | Collect


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of one input, in the order in which things happened."""

    facts: tuple[Fact, ...] = ()
    letters: tuple[Letter, ...] = ()
    orders: tuple[SensingOrder, ...] = ()
    view_changed: bool = False
    info_changed: bool = False
    deadline_ms: int | None = None
    """The monotonic time at which `tick` wants to be called next, None for never."""

    def __bool__(self) -> bool:
        return bool(self.facts or self.letters or self.orders or self.view_changed)


class StepBuilder:
    """Collects what one input led to, in order."""

    def __init__(self, state: TableState, now_ms: int, cause: Cause | None = None, before_ms: int = 0) -> None:
        self.state = state
        self.now_ms = now_ms
        self.before_ms = before_ms
        """When the input before this one came."""
        self._cause = cause
        self._accepted: Seat | None = None
        self._facts: list[Fact] = []
        self._letters: list[Letter] = []
        self._orders: list[SensingOrder] = []
        self._view_changed = False
        self._info_changed = False
        self.restates = False
        """Whether every seat is to get its whole state when the step is done."""

    def go(self, trigger: Trigger, wanted: Phase | None = None) -> None:
        """Move the table along its table of states; raises `TransitionError` before anything has changed."""
        self.state.phase = next_phase(self.state.phase, trigger, wanted)
        self.state.saw, self.state.fault = (), None
        self._view_changed = True

    def event(
        self,
        kind: str,
        *,
        seat: Seat | None = None,
        source: Square | None = None,
        target: Square | None = None,
        via: tuple[Square, ...] = (),
        result: str | None = None,
        captured: Mapping[Seat, Rank] | None = None,
        text: str | None = None,
        ply: int | None = None,
        hidden: Mapping[Square, Rank] | None = None,
        leaves: Mapping[Seat, str] | None = None,
    ) -> None:
        """Add an event for everybody; `hidden` goes to the journal alone, sealed."""
        self.state.seq += 1
        if kind not in ("countersigned", "finale"):
            self.state.moment = self.state.seq
        event = PublicEvent(
            game=self.state.settings.game,
            seq=self.state.seq,
            kind=kind,
            ply=self.state.ply if ply is None else ply,
            seat=seat,
            source=source.name if source else None,
            target=target.name if target else None,
            via=tuple(square.name for square in via),
            result=result,
            captured=dict(captured or {}),
            leaves=dict(leaves or {}),
            text=text,
        )
        if links := self._links(event):
            event = replace(event, links=links)
            self.state.signatures.clear()  # they were of another head
        self._facts.append(Fact(kind, event.ply, event, seat, _by_name(hidden)))
        self._view_changed = True

    def _links(self, event: PublicEvent) -> tuple[str, ...]:
        chain, clocks = self.state.chain, self.state.clocks
        left_ms = {} if clocks is None else {seat: clocks.left(seat, self.now_ms) for seat in clocks.left_ms}
        return () if chain is None else chain.take(event, left_ms, self._cause)

    def note(self, kind: str, seat: Seat | None = None, hidden: Mapping[Square, Rank] | None = None) -> None:
        """Add a fact for the journal alone."""
        self._facts.append(Fact(kind, self.state.ply, None, seat, _by_name(hidden)))

    def opened(self, text: str) -> None:
        """Add the opening; the secret of the commitments goes to the journal alone, sealed."""
        secret, salts = self.state.settings.secret, self.state.settings.salts
        self.event("opened", text=text)
        if secret is not None:
            of_names = (
                {} if salts is None else {f"salt.{seat.value}": salt for seat, salt in salts.open_hidden().items()}
            )
            sealed: Hidden[Mapping[str, str]] = Hidden({"secret": secret.open_hidden().hex(), **of_names})
            self._facts[-1] = replace(self._facts[-1], hidden=sealed)

    def commit(self, seat: Seat, root: str) -> None:
        """Publish the root of a seat's set-up."""
        self.state.roots[seat] = root
        self._info_changed = True
        self.event("committed", seat=seat, text=root)

    def name(self, seat: Seat, name: str) -> None:
        """Publish a player's name from now on; an empty name is none."""
        self.state.names = {each: text for each, text in {**self.state.names, seat: name}.items() if text}
        self._info_changed = True
        self.event("named", seat=seat, text=name)

    def finish_oldest_ply(self) -> None:
        """Make the oldest open ply final, whatever that means for the game; the caller handles the consequences."""
        state = self.state
        ply = state.open_plies.pop(0)
        # where a reply to it is unsaid, this is the last move again, and final
        shown: TableState | OpenPly = state.open_plies[0] if state.open_plies else state
        assert shown.last_move is not None
        shown.last_move = replace(shown.last_move, final=True)
        self.event("move.final", seat=ply.seat, source=ply.source, target=ply.target, ply=ply.number)

    def unsay(self, plies: int, kind: str) -> None:
        """Retract the last open plies: game, repetition, clocks and record are as if they had never been played.

        One event a ply, the last one first, each with the number of the ply that never was. `kind` is `UNREAD` or `TAKEN_BACK`. The
        caller says what the board shall become.
        """
        for _ in range(plies):
            ply = self.state.unsay_last_ply()
            self.event(kind, seat=ply.seat, source=ply.source, target=ply.target, ply=ply.number)

    def letter(self, seat: Seat, message: ToHandset) -> None:
        """Send one seat a private message."""
        self._letters.append(Letter(seat, Hidden(message)))

    def close(self, seats: Iterable[Seat], question: int) -> None:
        """Send seats, in the order of the table, that a question is no longer asked."""
        asked = set(seats)
        for seat in self.state.rules.seats:
            if seat in asked:
                self.letter(seat, Closed(id=self.state.next_id(seat), question=question))

    def close_all(self) -> None:
        """Close every open question and ask nothing."""
        state = self.state
        if state.attack is not None:
            self.close(state.attack.pieces, state.attack.question)
        if state.decision is not None:
            self.close([state.decision.seat], state.decision.question)
        if state.offer is not None:
            self.close(state.offer.owed, state.offer.question)
        state.attack, state.decision, state.offer, state.deadline_ms = None, None, None, None

    def accept(self, seat: Seat, message_id: str) -> None:
        """Send a seat that its message was taken, and keep the message's id."""
        self._accepted = seat
        self.state.taken.setdefault(seat, deque(maxlen=ANSWERS_KEPT)).append(message_id)
        self.accept_again(seat, message_id)

    def accept_again(self, seat: Seat, message_id: str) -> None:
        """Send a seat once more that its message was taken, as it was."""
        self.letter(seat, Accepted(id=self.state.next_id(seat), re=message_id))

    @contextmanager
    def answering(self, seat: Seat, message_id: str) -> Iterator[None]:
        """Send a seat that its message was refused where the body raises `RejectedError`; the body must have changed
        nothing by then.
        """
        try:
            yield
        except RejectedError as no:
            self.letter(seat, Rejected(id=self.state.next_id(seat), re=message_id, reason=no.word, detail=no.detail))

    def answers_also(self, cause: Cause, said_ms: int) -> None:
        """Note that the step also answers a message that was put off until now, with its time where the journal keeps
        times.
        """
        if self._cause is not None:
            timed = {"now_ms": said_ms} if "now_ms" in self._cause else {}
            self._cause = {**self._cause, "held": {**cause, **timed}}

    def order(self, order: SensingOrder) -> None:
        """Order sensing what to watch for."""
        self._orders.append(order)

    def touch(self) -> None:
        """Note that the public view changed without an event."""
        self._view_changed = True

    def build(self, deadline_ms: int | None) -> Step:
        """Return the outcome, and when `tick` has to be called next.

        Its first fact says what it answers; an accepted message is a fact even where nothing came of it.
        """
        if self._accepted is not None and not self._facts:
            self.note("accepted", self._accepted)
        facts = [replace(fact, cause=self._cause) if at == 0 else fact for at, fact in enumerate(self._facts)]
        return Step(
            tuple(facts), tuple(self._letters), tuple(self._orders), self._view_changed, self._info_changed, deadline_ms
        )


def _by_name(ranks: Mapping[Square, Rank] | None) -> Hidden[Mapping[str, Rank]] | None:
    return None if ranks is None else Hidden({square.name: rank for square, rank in ranks.items()})
