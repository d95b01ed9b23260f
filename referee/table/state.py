"""What a table remembers between two inputs, and the sheet on which one input's outcome is written. Private to this room."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from referee.rules import Decided, Fire, Infiltrate, Move
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.table.books import Books
from referee.table.clocks import Clocks, HallClock
from referee.table.commitments import seat_seed
from referee.table.inputs import Cause
from referee.table.messages import (
    Accepted,
    Closed,
    Letter,
    Question,
    QuestionKind,
    Rejected,
    TellAttack,
    TellFire,
    TellInfiltrate,
    ToHandset,
)
from referee.table.settings import TableSettings
from referee.table.step import Fact, SensingOrder, Step
from referee.table.transitions import Happening, next_phase
from referee.table.views import Ask, Attack, Fix, GameEnd, Health, LastMove, Offer, Phase, PublicEvent, Sighting


@dataclass(slots=True)
class Before:
    """What stood before a move that was read, for as long as the move can be revised."""

    books: Books
    last_move: LastMove | None
    shown_attack: Attack | None
    clocks: Clocks | None
    """Standing still, as they were when it was read."""


@dataclass(slots=True)
class OpenAttack:
    """An attack whose ranks are being asked for: by each seat's own piece, under one question number."""

    question: int
    seat: Seat
    ways: tuple[Move | Infiltrate | Fire, ...]
    """The ways that the attacker may have gone; more than one only where they turn (Stratego 4)."""
    pieces: Mapping[Seat, PieceId]
    answers: dict[Seat, Hidden[Rank]] = field(default_factory=dict)
    denied: set[Seat] = field(default_factory=set)
    """Seats that say it was no attack."""

    @property
    def action(self) -> Move | Infiltrate | Fire:
        """Give the attack, by the first of its ways."""
        return self.ways[0]


@dataclass(slots=True)
class OpenDecision:
    """What a seat has to decide in Stratego 4, with what each choice would be played as."""

    question: int
    kind: QuestionKind
    seat: Seat
    choices: Mapping[str, Decided]


@dataclass(slots=True)
class OpenOffer:
    """A draw that was offered or a claim that was made, and who still has to answer it."""

    question: int
    kind: QuestionKind
    seat: Seat
    owed: set[Seat]
    also: bool = False
    """Somebody answered a claim with: I cannot move either."""
    ply: int | None = None
    """The ply that it is about: to go back to, or the verdict to void."""


@dataclass(frozen=True, slots=True)
class Declined:
    """An offer that was declined, and after which ply."""

    offer: Offer
    ply: int


@dataclass(slots=True)
class OpenPause:
    """Why and where the table stands still."""

    phase: Phase
    """Where it goes on; in the middle of play the board is put right first."""
    silence: bool
    """Whether an answer was missing, which then lets it go on."""
    left_ms: int | None = None
    """What is left of the open question's time; None for all of it."""
    by: Seat | None = None
    """The player who asked for it; None for silence, the kiosk or an arbiter."""
    ready: set[Seat] = field(default_factory=set)
    """Seats that want to go on."""
    called: list[Seat] = field(default_factory=list)
    """Seats that have called the arbiter."""


ANSWERS_KEPT = 64
"""How many accepted messages of a seat are remembered, to know a repeat."""


@dataclass(slots=True)
class TableState:
    """Everything a table remembers. Plain data; the modules of this room change it, nothing else does."""

    settings: TableSettings
    phase: Phase = Phase.LOBBY
    pause: OpenPause | None = None
    seq: int = 0
    letters_sent: Counter[Seat] = field(default_factory=Counter)
    reopened: int = 0
    """How often the game went on after the referee had been started again."""
    taken: dict[Seat, deque[str]] = field(default_factory=dict)
    """Ids of the messages of each seat that were accepted last: a repeat is accepted again and changes nothing."""
    questions: int = 0
    books: Books | None = None
    before: Before | None = None
    """None when every ply is final."""
    in_hand: list[Square] = field(default_factory=list)
    occupants: Mapping[Square, Seat] = field(default_factory=dict)
    """What was seen on the board while setting up."""
    board_set_up: bool = False
    ready: set[Seat] = field(default_factory=set)
    enrolled: dict[Seat, Hidden[Mapping[Square, Rank]]] = field(default_factory=dict)
    attack: OpenAttack | None = None
    offer: OpenOffer | None = None
    declined: Declined | None = None
    """The offer that was declined last, until another is made."""
    decision: OpenDecision | None = None
    held: tuple[Seat, TellAttack | TellInfiltrate | TellFire] | None = None
    """An attack that was told while the move before it may still be going on; it is looked at once that is final."""
    leaving: dict[Seat, tuple[Square, tuple[Seat, ...]]] = field(default_factory=dict)
    """Flags that a mover said it leaves behind with its next move, and on which square."""
    shown_attack: Attack | None = None
    last_move: LastMove | None = None
    ask: Ask | None = None
    fixes: tuple[Fix, ...] = ()
    saw: tuple[Sighting, ...] = ()
    fault: str | None = None
    """What the hands that are put right did wrong, by what everybody knows."""
    """What the board showed when it was not understood, until anything else happens."""
    barred: str | None = None
    seen: dict[Seat, dict[PieceId, Rank]] = field(default_factory=dict, repr=False)
    """What each seat was told of rival pieces that survived."""
    roots: dict[Seat, str] = field(default_factory=dict)
    """The commitment root of each enrolled set-up, once the game has begun."""
    origins: dict[Square, PieceId] = field(default_factory=dict)
    """Which piece stood where when the game began."""
    connected: dict[Seat, bool] = field(default_factory=dict)
    board_fault: str | None = None
    """Why the board is not read, None while it is; the word of a `Health`."""
    warnings: tuple[Health, ...] = ()
    """What else is wrong with it."""
    blind: tuple[Square, ...] = ()
    """Squares whose sensor is not believed."""
    result: GameEnd | None = None
    deadline_ms: int | None = None
    """Until when the open question may be answered."""
    clocks: Clocks | None = None
    clocks_at: dict[int, Clocks] = field(default_factory=dict)
    """How they stood when a ply had been played, for as many plies as can be taken back."""
    hall_clock: HallClock | None = None
    """What is left of the round for all tables, where a station has said so."""
    ordered: deque[str] = field(default_factory=lambda: deque(maxlen=ANSWERS_KEPT))
    """Ids of the arbiter's orders that were carried out last."""
    unsettled: Move | Infiltrate | Fire | None = None
    """An attack whose verdict was voided; it is asked about anew once the board agrees."""

    @property
    def game(self) -> Books:
        """Give the books of the game that is running; asking before the game began is a fault of the caller."""
        assert self.books is not None
        return self.books

    def seed(self, seat: Seat) -> str:
        """Give the seed of a seat's salts, empty where nothing is committed to."""
        secret = self.settings.secret
        return "" if secret is None else seat_seed(secret.open_hidden(), self.settings.game, seat)

    @property
    def in_doubt(self) -> bool:
        """Tell whether the last move can still be revised and the board is not watched for that now: it was asked about, or is not seen."""
        watched = self.phase in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND) and self.board_fault is None
        return self.before is not None and not watched

    @property
    def out(self) -> frozenset[Seat]:
        """Give the seats that play no more while the others go on."""
        castle = self.books.public.castle if self.books else None
        return frozenset(castle.out if castle else ())

    @property
    def ply(self) -> int:
        """Count the plies that were played, the one that can still be revised included."""
        return self.books.public.ply if self.books else 0

    def question_for(
        self, seat: Seat, number: int, kind: QuestionKind, choices: tuple[str, ...], ply: int | None = None
    ) -> Question:
        """Give a question about nothing on the board."""
        return Question(
            id=self.next_id(seat),
            question=number,
            kind=kind,
            ply=self.ply if ply is None else ply,
            source=None,
            target=None,
            square=None,
            choices=choices,
        )

    def next_id(self, seat: Seat) -> str:
        """Give the id of the next letter to a seat. Counted by seat: a common count would tell how often others are written to."""
        self.letters_sent[seat] += 1
        start = f"{self.reopened}-" if self.reopened else ""  # letters of an earlier start may have had any number
        return f"{seat.value[0]}{start}{self.letters_sent[seat]}"


class Sheet:
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

    def go(self, happening: Happening, wanted: Phase | None = None) -> None:
        """Move the table along its table of states; raises `TransitionError` before anything has changed."""
        self.state.phase = next_phase(self.state.phase, happening, wanted)
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
        """Write down something that everybody hears; `hidden` goes to the journal alone."""
        self.state.seq += 1
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
        self._facts.append(Fact(kind, event.ply, event, seat, _by_name(hidden)))
        self._view_changed = True

    def secret(self, kind: str, seat: Seat, hidden: Mapping[Square, Rank]) -> None:
        """Write down something that only the journal keeps."""
        self._facts.append(Fact(kind, self.state.ply, None, seat, _by_name(hidden)))

    def opened(self, text: str) -> None:
        """Write down the opening; the secret of the commitments goes to the journal alone."""
        secret = self.state.settings.secret
        self.event("opened", text=text)
        if secret is not None:
            sealed: Hidden[Mapping[str, str]] = Hidden({"secret": secret.open_hidden().hex()})
            self._facts[-1] = replace(self._facts[-1], hidden=sealed)

    def commit(self, seat: Seat, root: str) -> None:
        """Publish the root of a seat's set-up."""
        self.state.roots[seat] = root
        self._info_changed = True
        self.event("committed", seat=seat, text=root)

    def note(self, kind: str, seat: Seat | None = None) -> None:
        """Write down something without a rank that nobody hears of."""
        self._facts.append(Fact(kind, self.state.ply, None, seat))

    def letter(self, seat: Seat, message: ToHandset) -> None:
        """Send something to one seat."""
        self._letters.append(Letter(seat, Hidden(message)))

    def close(self, seats: Iterable[Seat], question: int) -> None:
        """Tell seats that a question is asked no more, in the order of the table."""
        asked = set(seats)
        for seat in self.state.settings.rule_set.seats:
            if seat in asked:
                self.letter(seat, Closed(id=self.state.next_id(seat), question=question))

    def close_all(self) -> None:
        """Tell every seat that what it is asked now is asked no more, and ask nothing."""
        state = self.state
        if state.attack is not None:
            self.close(state.attack.pieces, state.attack.question)
        if state.decision is not None:
            self.close([state.decision.seat], state.decision.question)
        if state.offer is not None:
            self.close(state.offer.owed, state.offer.question)
        state.attack, state.decision, state.offer, state.deadline_ms = None, None, None, None

    def accept(self, seat: Seat, message_id: str) -> None:
        """Tell a seat that its message was taken, and remember that it was."""
        self._accepted = seat
        self.state.taken.setdefault(seat, deque(maxlen=ANSWERS_KEPT)).append(message_id)
        self.letter(seat, Accepted(id=self.state.next_id(seat), re=message_id))

    def accept_again(self, seat: Seat, message_id: str) -> None:
        """Tell a seat once more that its message was taken, which it was."""
        self.letter(seat, Accepted(id=self.state.next_id(seat), re=message_id))

    def reject(self, seat: Seat, message_id: str, reason: str, detail: tuple[str, ...] = ()) -> None:
        """Tell a seat that its message was not taken; then nothing may have been changed."""
        self.letter(seat, Rejected(id=self.state.next_id(seat), re=message_id, reason=reason, detail=detail))

    def answers_also(self, cause: Cause) -> None:
        """Say that the step answers a word, too, that was put off until now."""
        if self._cause is not None:
            self._cause = {**self._cause, "held": cause}

    def order(self, order: SensingOrder) -> None:
        """Tell sensing what to watch for."""
        self._orders.append(order)

    def restate(self) -> None:
        """Say that every seat needs its whole state anew."""
        self.restates = True

    def touch(self) -> None:
        """Say that the public view changed without an event."""
        self._view_changed = True

    def step(self, deadline_ms: int | None) -> Step:
        """Give the outcome, and when `tick` is wanted next.

        Its first fact says what it answers; an accepted message is a fact even where nothing came of it.
        """
        if self._accepted is not None and not self._facts:
            self.note("accepted", self._accepted)
        facts = [replace(fact, cause=self._cause) if at == 0 else fact for at, fact in enumerate(self._facts)]
        return Step(
            tuple(facts),
            tuple(self._letters),
            tuple(self._orders),
            self._view_changed,
            self._info_changed,
            deadline_ms,
        )


def _by_name(ranks: Mapping[Square, Rank] | None) -> Hidden[Mapping[str, Rank]] | None:
    return None if ranks is None else Hidden({square.name: rank for square, rank in ranks.items()})
