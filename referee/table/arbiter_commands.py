"""What an arbiter may order at a table, as values: `Table.apply` takes them, each with a reason that goes to the journal alone.

Topic `arb/cmd` carries them as JSON objects with the type word in `type`; at the table itself they are typed. An order that cannot be
carried out changes nothing and raises `CorrectionError`, whose `word` is stable.

Apart from `table`, which has them carried out: who only sends orders (a station, a typed line) loads nothing of a table.
"""

from __future__ import annotations

import msgspec

from referee.rules.values import Seat


class RejectedError(Exception):
    """A request that the table refuses; nothing was changed.

    `word` is stable, `detail` squares or words to show with it. A seat gets both as `messages.Rejected`.
    """

    def __init__(self, word: str, detail: tuple[str, ...] = (), text: str = "") -> None:
        super().__init__(text or word)
        self.word, self.detail = word, detail


class CorrectionError(RejectedError):
    """An order that cannot be carried out.

    `word`: `no-reason`, `bad-words`, `not-now`, `no-such-ply`, `no-such-verdict`, `no-such-seat`, `no-such-result`,
    `no-such-clock`, `still-over`.
    """

    def __init__(self, word: str, text: str) -> None:
        super().__init__(word, text=text)


STALE = "stale"
"""The word of an order about a moment that has passed: at a table its `seq`, in a hall the revision of the event."""
LONGEST_REASON = 200
LONGEST_ID = 48


class _Verb(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    id: str
    """Chosen by who orders, never used twice: by it a repeat is known where orders come in. 1 to 48 characters."""
    reason: str
    """Why, in words; one line of 1 to 200 characters. Nobody but readers of the journal hears it."""
    seq: int | None = None
    """The number of the last public event that who orders has heard; None where it does not matter. If others came since, it is
    refused as `stale` where orders come in."""
    by: str = ""
    """Whose order it is, for the journal; empty for somebody at the table itself. At most 200 characters."""


class TakeBack(_Verb, frozen=True, kw_only=True, tag="take-back"):
    """Go back to the position after ply `ply` (0: before the first); after the end also to the last ply, to play on."""

    ply: int


class VoidVerdict(_Verb, frozen=True, kw_only=True, tag="void-verdict"):
    """Void the verdict of ply `ply`: later plies are taken back, pieces come back, and both seats are asked again."""

    ply: int


class SetClock(_Verb, frozen=True, kw_only=True, tag="set-clock"):
    """Set what a seat has left, 0 to a day."""

    seat: Seat
    left_ms: int


class SetHallClock(_Verb, frozen=True, kw_only=True, tag="set-hall-clock"):
    """Set what is left of the round, 0 to a day, and what its end does: `arbiter` (decides) or `draw`; None removes it."""

    left_ms: int | None
    at_end: str = "arbiter"


class EndGame(_Verb, frozen=True, kw_only=True, tag="end-game"):
    """End the game: `result` is the seat that wins, `draw`, `both-lose`, or `abort` (no result)."""

    result: str


class PauseGame(_Verb, frozen=True, kw_only=True, tag="pause"):
    """Pause the table until `ResumeGame` (or `resume` at the table)."""


class AdjournGame(_Verb, frozen=True, kw_only=True, tag="adjourn"):
    """Pause the table to continue another time: a pause that says so, also after the table was switched off."""


class ResumeGame(_Verb, frozen=True, kw_only=True, tag="resume"):
    """Resume after any pause."""


class Penalise(_Verb, frozen=True, kw_only=True, tag="penalty"):
    """Note a penalty of a seat; what it costs is ordered apart (a clock, the end of the game)."""

    seat: Seat


class Rule(_Verb, frozen=True, kw_only=True, tag="ruling"):
    """Note a ruling, perhaps about one seat; it changes nothing by itself."""

    seat: Seat | None = None


class SignEnd(_Verb, frozen=True, kw_only=True, tag="sign-end"):
    """Keep the station's signature under a game that is over (docs/reference/commitments.md); it changes nothing by itself."""

    key: str
    signature: str


ArbiterVerb = (
    TakeBack
    | VoidVerdict
    | SetClock
    | SetHallClock
    | EndGame
    | PauseGame
    | AdjournGame
    | ResumeGame
    | Penalise
    | Rule
    | SignEnd
)
"""Every order."""


def check_words(order_id: str, reason: str, by: str) -> None:
    """Raise `CorrectionError` (`no-reason`, `bad-words`) where the words of an order cannot stand in a journal."""
    if not reason.strip():
        raise CorrectionError("no-reason", "an order needs a reason")
    one_line = all(text.isprintable() for text in (reason, by, order_id))
    if not one_line or not 0 < len(order_id) <= LONGEST_ID or max(len(reason), len(by)) > LONGEST_REASON:
        raise CorrectionError("bad-words", f"reason and name are one line of at most {LONGEST_REASON} characters")
