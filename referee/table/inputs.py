"""All that can come into a table, as one union of values, and the one codec of it: journal, frame log and replay share it.

    step = table.apply(SeatSays(Seat.RED, Resign(id="m1")), now_ms)
    cause = as_json(given)                     # as a journal keeps it: without the ranks, which it seals apart
    line = as_json(given, ranks=True)          # as a frame log keeps it, where the table's owner has asked for one
    given = from_json(cause, ranks)            # and back, with the ranks that were sealed

Stored, an input is a JSON object: `by` is the word of its type, the rest are its fields. A journal keeps it with the first fact of the
step that answered it (`Cause`), and puts three things beside it: where a clock is played by `now_ms`, and `away`, the seats whose phones
were not connected; and `held`, a message that was put off until then. Sensing's moments are left out, since a table does not look at
them. No stored word is ever changed or used again, and what programs of before have written is read here as well.

To add an input: a class here with its word in `tag`; a row in `table._INPUTS`; a line in tests/table/test_inputs.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

import msgspec

from referee import sensing
from referee.rules import EndReason, Prospect, Rank, Seat, Square
from referee.sensing import Difference, Observation
from referee.table.arbiter_commands import ArbiterVerb, SetClock
from referee.table.messages import FromHandset
from referee.table.views import Health

Cause: TypeAlias = Mapping[str, Any]
"""An input as a journal keeps it, with what is beside it."""

SECRET_FIELDS = {"declare": "rank", "enrol": "set_up", "consent": "set_up"}
"""Fields of messages that stand in no cause, by the message's type word."""
_PUBLIC_FIELDS = frozenset(
    {"type", "id", "question", "source", "target", "guess", "square", "flags", "choice", "ply", "key", "signature"}
)


class Plain(msgspec.Struct, frozen=True, tag_field="by"):
    """An input that is stored as its own fields: all but what sensing says and what an arbiter orders."""


class Open(Plain, frozen=True, tag="open"):
    """Set-up begins; only in the lobby. Stored with the game's `settings` beside it."""


class Reopen(Plain, frozen=True, tag="reopen"):
    """The referee was started again and the table rebuilt (`replay.rebuild`): players' clocks stood still meanwhile.

    In play the board is compared with the game first; a question is asked again with its full time; a pause stays one.
    """

    away_ms: int = 0
    """How long ago the last fact was written down; the hall's clock ran on. Stored only where there is such a clock."""


class SeatSays(Plain, frozen=True, tag="tell"):
    """A seat's handset says something, already unsealed.

    What is out of place is answered with `Rejected` and changes nothing; a repeat of what was accepted is accepted again.
    """

    seat: Seat
    message: FromHandset


class Connection(Plain, frozen=True, tag="connection"):
    """A seat's handset has come or gone. Stored only where a clock stops or runs by it; not in a frame log."""

    seat: Seat
    here: bool


class Named(Plain, frozen=True, tag="name"):
    """A player says what he wants to be called in this game; empty: as the game was opened."""

    seat: Seat
    name: str


class BoardLink(Plain, frozen=True, tag="link", omit_defaults=True):
    """The board can be read (None), or cannot, and why: one of the first five words of `Health`."""

    fault: str | None
    quiet_ms: int = 0
    """How long it had been silent when that was noticed; nobody is charged for that time."""


class BrokerLink(Plain, frozen=True, tag="broker", omit_defaults=True):
    """The referee cannot hear the broker, so nobody hears the referee; or hears it again. Clocks stand still meanwhile."""

    heard: bool
    quiet_ms: int = 0
    """How long it had been silent when that was noticed; nobody is charged for that time."""
    awaited: tuple[Seat, ...] = ()
    """With `heard`: whose phones were connected before and have not come back yet, which is not their doing."""


class BoardWarnings(Plain, frozen=True, tag="warn"):
    """All else that is wrong with the board now, worst first; the game goes on."""

    warnings: tuple[Health, ...]


class BoardDiffers(Plain, frozen=True, tag="differs"):
    """The squares that differ now from what sensing was told to expect, while hands put them right. Not stored."""

    differences: tuple[Difference, ...]


class Cable(Plain, frozen=True, tag="cable"):
    """The board's cable is out, or in again. For the frame log's sake: a table hears of it by `BoardLink`, and ignores this."""

    out: bool


class Pause(Plain, frozen=True, tag="pause"):
    """Somebody at the table wants it to stand still: answers are not taken, the board is not read; a resignation still counts.

    A move that can still be revised stays so, since the hand may not have let go: it is final once the board agrees with it afterwards.
    Nothing in lobby and pause and after the end.
    """


class Resume(Plain, frozen=True, tag="resume"):
    """Somebody at the table wants to go on after any pause; where the round is over an arbiter has to order it.

    The open question is asked again with the time that was left for it; in play the board has to agree first.
    """


class Abort(Plain, frozen=True, tag="abort"):
    """The game ends without a result; nothing after its end."""

    reason: EndReason = EndReason.ABORTED


class Tick(Plain, frozen=True, tag="tick"):
    """Time has passed: silence on a question beyond its limit pauses the game, a flag that is due falls, the time after the end is over."""


class Leave(Plain, frozen=True, tag="leave"):
    """The table leaves a game that is over, for the next one or for good: what was asked after its end has no other answer."""


Input: TypeAlias = Observation | ArbiterVerb | Plain
"""Everything that `Table.apply` takes."""
_STORED: Any = reduce(or_, (kind for kind in Plain.__subclasses__() if kind is not BoardDiffers))


def as_json(given: Input, *, ranks: bool = False) -> dict[str, Any]:
    """Return an input as it is stored; with `ranks` those of messages are in it."""
    if isinstance(given, ArbiterVerb):
        return {"by": "arbiter", "verb": msgspec.to_builtins(given)}
    if not isinstance(given, Plain):
        return _observation_as_json(given)
    told: dict[str, Any] = msgspec.to_builtins(given)
    if isinstance(given, SeatSays) and not ranks:
        told["message"] = {key: value for key, value in told["message"].items() if key in _PUBLIC_FIELDS}
    return told


def from_json(told: Cause, ranks: Mapping[str, Rank] | None = None) -> Input:
    """Return the input that was stored so; `ranks` are those that its facts keep apart, by square.

    Raises `KeyError`, `TypeError` or `ValueError` where it is nothing of the kind.
    """
    if (observation := _observation_from(told)) is not None:
        return observation
    given: Input
    match told["by"]:
        case "arbiter":
            given = msgspec.convert(told["verb"], type=ArbiterVerb)
        case "adjust-clock":  # as it was stored before orders were values
            reason = told["reason"].strip() or "-"
            name = f"-{told.get('now_ms', '')}"  # it had none, and one that was carried out is a repeat
            given = SetClock(id=name, reason=reason, seat=Seat(told["seat"]), left_ms=told["left_ms"])
        case "tell":
            given = SeatSays(Seat(told["seat"]), _message_from(told["message"], ranks))
        case _:
            given = msgspec.convert(told, type=_STORED)
    return given


def _message_from(told: Mapping[str, Any], ranks: Mapping[str, Rank] | None) -> FromHandset:
    secret = SECRET_FIELDS.get(told["type"])
    if secret is not None and ranks:
        told = {**told, secret: dict(ranks) if secret == "set_up" else next(iter(ranks.values()))}  # noqa: S105  # a field's name
    message: FromHandset = msgspec.convert(told, type=FromHandset)
    return message


def _observation_as_json(seen: Observation) -> dict[str, Any]:
    match seen:
        case sensing.Read(prospect=prospect):
            return {"by": "read", **_move_as_json(prospect)}
        case sensing.Revised(prospect=prospect, plies=plies):
            return {"by": "revised", **_move_as_json(prospect), **_count_as_json(plies)}
        case sensing.Unread(plies=plies):
            return {"by": "unread", **_count_as_json(plies)}
        case sensing.AttackSeen(source=source, target=target):
            return {"by": "attack-seen", "source": source.name, "target": target.name}
        case sensing.Disturbed(differences=differences) | sensing.Puzzled(differences=differences):
            by = "disturbed" if isinstance(seen, sensing.Disturbed) else "puzzled"
            return {"by": by, "squares": {each.square.name: each.wanted and each.wanted.value for each in differences}}
        case sensing.Agreed(lifted=lifted):
            return {"by": "agreed", "lifted": lifted.name if lifted else None}
        case sensing.Seen(occupants=occupants):
            return {"by": "seen", "occupants": {square.name: seat.value for square, seat in occupants.items()}}
        case sensing.Lifted(square=square) | sensing.Returned(square=square):
            return {"by": "lifted" if isinstance(seen, sensing.Lifted) else "returned", "square": square.name}
        case sensing.Masked(squares=squares):
            return {"by": "masked", "squares": [square.name for square in squares]}
        case sensing.Final():
            return {"by": "final"}


def _move_as_json(prospect: Prospect) -> dict[str, Any]:
    way = [square.name for square in prospect.path_told]
    return {"source": prospect.source.name, "target": prospect.target.name, "via": way}


def _count_as_json(plies: int) -> dict[str, int]:
    """Return the number of plies that never were; left out where it is one, as rows had it when it could not be more."""
    return {} if plies == 1 else {"plies": plies}


def _observation_from(told: Cause) -> Observation | None:
    """Return the observation that was stored so, None where it was another input."""
    match told["by"]:
        case "read" | "revised":
            source, target = Square(told["source"]), Square(told["target"])
            way = tuple(Square(name) for name in told["via"])
            prospect = Prospect(source, target, False, (*way, target), way)
            if told["by"] == "read":
                return sensing.Read(prospect, 0)
            return sensing.Revised(prospect, 0, plies=int(told.get("plies", 1)))
        case "unread":
            return sensing.Unread(0, int(told.get("plies", 1)))
        case "attack-seen":
            return sensing.AttackSeen(Square(told["source"]), Square(told["target"]), 0)
        case "disturbed" | "puzzled":
            found = tuple(
                Difference(Square(name), None if word is None else Seat(word), sensing.Reading.UNSURE)
                for name, word in told["squares"].items()
            )
            return sensing.Disturbed(found, 0) if told["by"] == "disturbed" else sensing.Puzzled(found, 0)
        case "agreed":
            return sensing.Agreed(0, 0, Square(told["lifted"]) if told["lifted"] else None)
        case "seen":
            return sensing.Seen({Square(name): Seat(word) for name, word in told["occupants"].items()}, 0)
        case "masked":
            return sensing.Masked(tuple(Square(name) for name in told["squares"]), 0)
        case "final":
            return sensing.Final(0)
        case "lifted" | "returned":
            square = Square(told["square"])
            return sensing.Lifted(square, 0) if told["by"] == "lifted" else sensing.Returned(square, 0)
        case _:
            return None
