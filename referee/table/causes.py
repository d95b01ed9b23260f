"""What a step was the answer to, in words that a journal can keep; and back, so that a table can be rebuilt from its facts.

A cause stands with the first fact of its step. It holds no rank that was not said aloud: those stand in the facts' sealed part, and
are put back from there. Sensing's moments are left out, since arbitration does not look at them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from referee.rules import Prospect
from referee.rules.values import Rank, Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Difference,
    Disturbed,
    Final,
    Lifted,
    Masked,
    Observation,
    Puzzled,
    Read,
    Reading,
    Returned,
    Revised,
    Seen,
)
from referee.table.arbiter_commands import ArbiterVerb
from referee.table.messages import FromHandset

Cause = Mapping[str, Any]
"""`by`: the verb of the table, or what was seen; then its arguments as JSON has them. `held`: a word that was put off until then."""

SECRET_FIELDS = {"declare": "rank", "enrol": "set_up", "consent": "set_up"}
"""Fields of messages that never stand in a cause, by type word."""
_PUBLIC_FIELDS = frozenset({"type", "id", "question", "source", "target", "guess", "square", "flags", "choice", "ply"})


def of_message(seat: Seat, message: FromHandset) -> Cause:
    """Give the cause that a handset's message is, without its ranks."""
    told = msgspec.to_builtins(message)
    return {"by": "tell", "seat": seat.value, "message": {key: told[key] for key in told if key in _PUBLIC_FIELDS}}


def of_verb(verb: ArbiterVerb) -> Cause:
    """Give the cause that an arbiter's order is, with its reason."""
    return {"by": "arbiter", "verb": msgspec.to_builtins(verb)}


def verb_of(cause: Cause) -> ArbiterVerb:
    """Give the order that a cause was. Raises `ValueError`."""
    verb: ArbiterVerb = msgspec.convert(cause["verb"], type=ArbiterVerb)
    return verb


def of_observation(observation: Observation) -> Cause:
    """Give the cause that an observation is."""
    match observation:
        case Read(prospect=prospect) | Revised(prospect=prospect):
            way = [square.name for square in prospect.path_told]
            by = "read" if isinstance(observation, Read) else "revised"
            return {"by": by, "source": prospect.source.name, "target": prospect.target.name, "via": way}
        case AttackSeen(source=source, target=target):
            return {"by": "attack-seen", "source": source.name, "target": target.name}
        case Disturbed(differences=differences) | Puzzled(differences=differences):
            by = "disturbed" if isinstance(observation, Disturbed) else "puzzled"
            return {"by": by, "squares": {each.square.name: _word(each.wanted) for each in differences}}
        case Agreed(lifted=lifted):
            return {"by": "agreed", "lifted": lifted.name if lifted else None}
        case Seen(occupants=occupants):
            return {"by": "seen", "occupants": {square.name: seat.value for square, seat in occupants.items()}}
        case Lifted(square=square) | Returned(square=square):
            return {"by": "lifted" if isinstance(observation, Lifted) else "returned", "square": square.name}
        case Masked(squares=squares):
            return {"by": "masked", "squares": [square.name for square in squares]}
        case Final():
            return {"by": "final"}


def observation_of(cause: Cause) -> Observation | None:
    """Give the observation that a cause was, None when it was none."""
    match cause["by"]:
        case "read" | "revised":
            source, target = Square(cause["source"]), Square(cause["target"])
            way = tuple(Square(name) for name in cause["via"])
            prospect = Prospect(source, target, False, (*way, target), way)
            return Read(prospect, 0) if cause["by"] == "read" else Revised(prospect, 0)
        case "attack-seen":
            return AttackSeen(Square(cause["source"]), Square(cause["target"]), 0)
        case "disturbed" | "puzzled":
            squares = cause["squares"].items()
            found = tuple(Difference(Square(name), _seat(word), Reading.UNSURE) for name, word in squares)
            return Disturbed(found, 0) if cause["by"] == "disturbed" else Puzzled(found, 0)
        case "agreed":
            return Agreed(0, 0, Square(cause["lifted"]) if cause["lifted"] else None)
        case "seen":
            return Seen({Square(name): Seat(word) for name, word in cause["occupants"].items()}, 0)
        case "masked":
            return Masked(tuple(Square(name) for name in cause["squares"]), 0)
        case "final":
            return Final(0)
        case "lifted" | "returned":
            square = Square(cause["square"])
            return Lifted(square, 0) if cause["by"] == "lifted" else Returned(square, 0)
        case _:
            return None


def message_of(cause: Cause, ranks: Mapping[str, Rank] | None) -> FromHandset:
    """Give the message that a cause was, with the ranks that its facts keep apart (by square). Raises `ValueError`."""
    told = dict(cause["message"])
    secret = SECRET_FIELDS.get(told["type"])
    if secret is not None and ranks:
        told[secret] = dict(ranks) if secret == "set_up" else next(iter(ranks.values()))  # noqa: S105  # a field's name
    message: FromHandset = msgspec.convert(told, type=FromHandset)
    return message


def _word(seat: Seat | None) -> str | None:
    return seat.value if seat else None


def _seat(word: str | None) -> Seat | None:
    return Seat(word) if word is not None else None
