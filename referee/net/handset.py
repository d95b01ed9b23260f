"""What a handset knows and may say, without a screen and without a network: for pages, terminals, bots and tests.

    handset = Handset(Seat.RED, prefix)
    handset.take(value)              # each value of a HandsetLink, in order
    link.send(handset.say(Resign))   # what the player wants to say
    link.send(handset.declare(rank)) # and answers; raises NotAskedError when there is nothing to answer

It keeps ranks only inside messages, whose repr shows none. Does not do: decide what to say, remember an earlier game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from referee.net.errors import NotAskedError
from referee.net.topics.payloads import HandsetIncoming, LinkDown, LinkUp, Status, ToSeat
from referee.rules.values import Rank, Seat
from referee.table import messages
from referee.table.commitments import root
from referee.table.views import PublicInfo, PublicView

M = TypeVar("M", bound=messages.FromHandset)
MOST_UNANSWERED = 64
"""So many messages are waited on for an answer; of older ones it is not known any more."""


class Handset:
    """One seat's handset as a value that changes: what came in last of every kind, and makers for what goes out."""

    def __init__(self, seat: Seat, prefix: str) -> None:
        """`prefix` begins the id of every message; two handsets of one seat must not share it (draw it at random)."""
        self.seat = seat
        self._prefix = prefix
        self._said = 0
        self.connected = False
        self.referee = True
        """Whether the referee is there, as it, or its last will, has said."""
        self.free: tuple[Seat, ...] | None = None
        """The seats that nobody has taken; None before the referee has said so."""
        self.again: tuple[Seat, ...] = ()
        """The seats that want another game."""
        self.refused: str | None = None
        """Why the broker does not want this handset any more; then it has to be paired again."""
        self._forget()

    def _forget(self) -> None:
        self.info: PublicInfo | None = None
        self.view: PublicView | None = None
        self.state: messages.SeatState | None = None
        self.question: messages.Question | None = None
        """The open question. It stays open when answered, since the answer may be changed until the verdict."""
        self.verdict: messages.Verdict | None = None
        self.told: messages.Told | None = None
        self.rejected: messages.Rejected | None = None
        self._waiting: dict[str, None] = {}
        self.given_up = 0
        """How many messages are no longer waited on because too many had no answer."""
        self._set_up: dict[str, Rank] | None = None
        """What was handed in last."""

    def __repr__(self) -> str:
        return f"Handset({self.seat.value}, {'connected' if self.connected else 'away'})"

    @property
    def waiting(self) -> bool:
        """Return whether something that was said has not been answered yet."""
        return bool(self._waiting)

    @property
    def unanswered(self) -> int:
        """Count the messages that were said and are waited on."""
        return len(self._waiting)

    @property
    def is_bound(self) -> bool | None:
        """Return whether the root that everybody got is that of the set-up handed in here; None while that cannot be computed."""
        if self.info is None or self.state is None or self._set_up is None or not self.state.seed:
            return None
        published = self.info.roots.get(self.seat)
        if published is None:
            return None
        return root(self.state.seed, self.info.game, self.seat, self._set_up) == published

    def take(self, value: HandsetIncoming) -> None:
        """Take the next value of the link."""
        match value:
            case LinkUp():
                self.connected = True
            case LinkDown():
                self.connected = False
                self.refused = value.reason if value.refused else None
            case Status():
                self.referee, self.free, self.again = value.up, value.free, value.again
            case PublicInfo():
                if self.info is not None and self.info.game != value.game:
                    self._forget()
                self.info = value
            case PublicView():
                self._take_view(value)
            case ToSeat():
                self._take_letter(value)
            case _:
                pass  # an event says what the view that follows shows

    def say(self, kind: type[M], **fields: Any) -> M:
        """Return a message that answers nothing: a wish, what own pieces do, that the set-up is ready; with the fields of its kind."""
        self._said += 1
        message = kind(id=f"{self._prefix}-{self._said}", **fields)
        self._waiting[message.id] = None
        if len(self._waiting) > MOST_UNANSWERED:
            del self._waiting[next(iter(self._waiting))]
            self.given_up += 1
        return message

    def enrol(self, set_up: Mapping[str, Rank]) -> messages.Enrol:
        """Hand in the set-up, square name to rank."""
        self._set_up = dict(set_up)
        return self.say(messages.Enrol, set_up=dict(set_up))

    def declare(self, rank: Rank) -> messages.Declare:
        """Answer which rank the own piece in the open attack is. Raises `NotAskedError` when that is not asked, or not possible."""
        question = self._asked(rank.value)
        if question.kind is not messages.QuestionKind.DECLARE:
            raise NotAskedError("the open question is not about a rank")
        return self.say(messages.Declare, question=question.question, rank=rank)

    def answer(self, choice: str) -> messages.Answer:
        """Answer the open question that is not about a rank. Raises `NotAskedError`."""
        question = self._asked(choice)
        if question.kind is messages.QuestionKind.DECLARE:
            raise NotAskedError("the open question is about a rank")
        return self.say(messages.Answer, question=question.question, choice=choice)

    def deny_attack(self) -> messages.DenyAttack:
        """Deny that this was an attack. Raises `NotAskedError` when none is asked about."""
        if self.question is None or self.question.kind is not messages.QuestionKind.DECLARE:
            raise NotAskedError("no attack is asked about")
        return self.say(messages.DenyAttack, question=self.question.question)

    def _take_view(self, view: PublicView) -> None:
        if self.view is not None and view.game == self.view.game and view.seq < self.view.seq:
            return  # an older one that was on its way when the connection broke
        if self.view is not None and view.ply > self.view.ply:
            self.told = None
        self.view = view

    def _take_letter(self, letter: ToSeat) -> None:
        match letter.message:
            case messages.SeatState() as state:
                self.state = state
                self.question = state.question
            case messages.Question() as question:
                self.question = question
                self.verdict = self.told = None
            case messages.Verdict() as verdict:
                self.verdict = verdict
                if self.question is not None and self.question.question == verdict.question:
                    self.question = None
            case messages.Closed() as closed:
                if self.question is not None and self.question.question == closed.question:
                    self.question = None
            case messages.Told() as told:
                self.told = told
            case messages.Accepted() | messages.Rejected() as answer:
                self._waiting.pop(answer.re, None)
                self.rejected = answer if isinstance(answer, messages.Rejected) else None

    def _asked(self, choice: str) -> messages.Question:
        if self.question is None:
            raise NotAskedError("nothing is asked")
        if choice not in self.question.choices:
            raise NotAskedError("that is none of the choices")
        return self.question
