"""What a handset and the referee say to each other, as values; `referee/net` seals, pads and carries them.

Every message has an `id` that its sender never uses twice: a repeat is answered with the same answer. These values hold ranks
in the clear, so outside the sealing they travel as `Letter`, whose body is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from referee.rules import Hidden, Rank, Seat
from referee.table.views import PublicEvent


class MessageKind(Enum):
    """Decides the padding of the sealed form: 256 bytes for questions, answers and verdicts, 4,096 for set-up and seat state."""

    SMALL = 256
    LARGE = 4096


class QuestionKind(Enum):
    """What the referee asks of a seat."""

    DECLARE = "declare"
    DRAW = "draw"
    CLAIM = "claim"
    ABORT = "abort"
    TAKE_BACK = "take-back"
    VOID = "void"
    RECRUIT = "recruit"
    TAKE_FLAG = "take-flag"
    SLIDER = "slider"


class _Message(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    id: str
    """Chosen by the sender, unique for it in this game."""

    def __repr__(self) -> str:
        return type(self).__name__ + "(?)"  # a message may carry a rank: no log ever shows one


# --- handset -> referee -------------------------------------------------------------------------------------------------


class Hello(_Message, frozen=True, tag="hello"):
    """The handset is here and wants the state of its seat. `heard` and `fresh` came later, and may be left out."""

    heard: int = 0
    """Number of the last public event of this game that it heard of before the referee was started again; 0: of none."""
    fresh: str = ""
    """The public key that it has drawn for this game, as text; empty for a handset that draws none."""


class Missed(_Message, frozen=True, tag="missed"):
    """The handset wants to hear what happened after the public event with this number; 0: from the beginning."""

    heard: int


class Ready(_Message, frozen=True, tag="ready"):
    """The player has set up (declare mode) and is ready to play."""


class Enrol(_Message, frozen=True, tag="enrol"):
    """The set-up of this seat, square name -> rank (enrol mode); may be sent again until the game starts."""

    set_up: dict[str, Rank]


class Declare(_Message, frozen=True, tag="declare"):
    """The rank of the own piece in the attack of `question`; may be changed until both seats have answered."""

    question: int
    rank: Rank


class DenyAttack(_Message, frozen=True, tag="no-attack"):
    """The attack of `question` did not happen. Both its seats must say so to withdraw it; a declaration takes this
    back.
    """

    question: int


class TellAttack(_Message, frozen=True, tag="attack"):
    """A piece attacks `target` (None if only one is in reach): the one from `source`, or None for the one that is in hand."""

    source: str | None = None
    target: str | None = None


class TellInfiltrate(_Message, frozen=True, tag="infiltrate"):
    """The infiltrator on `source` names the rank of the piece on `target`."""

    source: str
    target: str
    guess: Rank


class TellFire(_Message, frozen=True, tag="fire"):
    """The cannon on `source` fires at `target`."""

    source: str
    target: str


ToldAttack = TellAttack | TellInfiltrate | TellFire
"""An attack that its owner says, whatever he does."""


class Decide(_Message, frozen=True, tag="decide"):
    """Ply `ply` goes from `source` to `target`: the word of a seat whose moves are decided elsewhere; somebody at the board does it."""

    ply: int
    source: str
    target: str


class TellLeave(_Message, frozen=True, tag="leave"):
    """The piece on `square` leaves these flags behind when it moves this turn (Stratego 4); () takes that back."""

    square: str
    flags: tuple[Seat, ...]


class Answer(_Message, frozen=True, tag="answer"):
    """Answers a question that is not about a rank: `choice` is one of the question's choices."""

    question: int
    choice: str


class Resign(_Message, frozen=True, tag="resign"):
    """The player gives up."""


class OfferDraw(_Message, frozen=True, tag="offer-draw"):
    """The player offers a draw."""


class OfferAbort(_Message, frozen=True, tag="offer-abort"):
    """The player wants to break the game off without a result; everybody else is asked."""


class OfferTakeBack(_Message, frozen=True, tag="offer-take-back"):
    """The player wants the game to go back to the position after ply `ply`; everybody else is asked."""

    ply: int


class OfferVoid(_Message, frozen=True, tag="offer-void"):
    """The player wants the verdict of ply `ply` to be void and its attack asked about again; everybody else is asked."""

    ply: int


class AskPause(_Message, frozen=True, tag="pause"):
    """The player wants the table to pause."""


class AskResume(_Message, frozen=True, tag="resume"):
    """The player is ready to go on after a pause; it ends when every seat is."""


class CallArbiter(_Message, frozen=True, tag="call-arbiter"):
    """The player calls the arbiter; the table pauses."""


class ClaimImmobile(_Message, frozen=True, tag="claim-immobile"):
    """The player says: I cannot move."""


Wish = OfferDraw | OfferAbort | OfferTakeBack | OfferVoid | ClaimImmobile
"""What comes about only if everybody else agrees."""


class Consent(_Message, frozen=True, tag="consent"):
    """After the game: the owner agrees to turn the armies over, and lets the record show this set-up; empty: as the referee knows it."""

    set_up: dict[str, Rank]


class Countersign(_Message, frozen=True, tag="countersign"):
    """After the game: this handset's signature under the head of its chain and its result (docs/reference/commitments.md)."""

    key: str
    signature: str


FromHandset = (
    Hello
    | Missed
    | Ready
    | Enrol
    | Declare
    | DenyAttack
    | TellAttack
    | TellInfiltrate
    | TellFire
    | Decide
    | TellLeave
    | Answer
    | Resign
    | OfferDraw
    | OfferAbort
    | OfferTakeBack
    | OfferVoid
    | AskPause
    | AskResume
    | CallArbiter
    | ClaimImmobile
    | Consent
    | Countersign
)


# --- referee -> handset -------------------------------------------------------------------------------------------------


class SeatState(_Message, frozen=True, tag="state"):
    """All that this seat may know beyond the public view; sent on `hello` and after a change of phase that needs it."""

    seat: Seat
    ply: int
    ready: bool
    own: dict[str, Rank]
    """Own pieces whose rank the referee knows, by the square they stand on."""
    seen: dict[str, Rank]
    """Rival pieces whose rank was told to this seat, by the square they stand on."""
    question: Question | None = None
    seed: str = ""
    """The secret that salts this seat's commitments, as hex; with it the owner computes its root (docs/reference/commitments.md)."""
    began: dict[str, Rank] = {}
    """After the game: own ranks that the referee knows, by the square on which each piece began. Came later, and left out where empty."""


class Question(_Message, frozen=True, tag="question"):
    """Asks this seat something. For `declare`, `square` is the own piece's square and `choices` the ranks it can still have."""

    question: int
    kind: QuestionKind
    ply: int
    source: str | None
    target: str | None
    square: str | None
    choices: tuple[str, ...]


class Verdict(_Message, frozen=True, tag="verdict"):
    """How an attack ended, as this seat may hear it: `other` is None unless the rival's rank was captured or revealed."""

    question: int
    ply: int
    result: str
    own: Rank
    other: Rank | None


class Accepted(_Message, frozen=True, tag="accepted"):
    """The message `re` was taken."""

    re: str


class Rejected(_Message, frozen=True, tag="rejected"):
    """The message `re` was not taken, and nothing was changed; `reason` is a stable word, `detail` squares or words to show."""

    re: str
    reason: str
    detail: tuple[str, ...] = ()


class Told(_Message, frozen=True, tag="told"):
    """A refused move's reason that rests on a rank, for its owner alone (`reason` as in the rules' refusals).

    Or that a told attack waits for the plies before it (`attack-waits`), or does not any more (`attack-answered`).
    """

    ply: int
    reason: str
    squares: tuple[str, ...] = ()


class Closed(_Message, frozen=True, tag="closed"):
    """The question with this number is closed without a verdict: answered, withdrawn, or overtaken by play."""

    question: int


class Heard(msgspec.Struct, frozen=True, array_like=True):
    """A public event as it was published; of a verdict on a piece of this seat what its letter said: the own rank, and the other's."""

    event: PublicEvent
    own: Rank | None = None
    other: Rank | None = None

    def __repr__(self) -> str:
        return f"Heard({self.event.seq})"


class History(_Message, frozen=True, tag="history"):
    """Answers `missed` with the events that followed, as many as fit; none where there are no more."""

    re: str
    events: tuple[Heard, ...]


ToHandset = SeatState | Question | Verdict | Accepted | Rejected | Told | Closed | History


def message_kind(message: FromHandset | ToHandset) -> MessageKind:
    """Return the padding class of a message (design section 8)."""
    return MessageKind.LARGE if isinstance(message, (SeatState, Enrol, Consent, History)) else MessageKind.SMALL


@dataclass(frozen=True, slots=True)
class Letter:
    """A message for one seat, hidden until it is sealed."""

    seat: Seat
    body: Hidden[ToHandset]
