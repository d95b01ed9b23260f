"""Values to bytes and back. Public values are JSON objects; the body of a sealed message is a JSON array.

`["declare", "red-7", 12, "miner"]`: the type word, the id (1 to 48 letters, digits, - and _), then the fields in the order of
`referee/table/messages.py`. An array, since the longest question must fit 256 bytes with its envelope. Whatever does not fit
is one `PayloadError`, whose text names the place and never a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast, get_args

import msgspec

from referee.net.errors import MessageTooLongError, PayloadError
from referee.net.topics import payloads
from referee.net.topics.topics import Topic
from referee.table.messages import FromHandset, Hello, Question, SeatState, ToHandset
from referee.table.views import PublicEvent, PublicInfo, PublicView

PublicValue = payloads.OfBoard | payloads.KioskNote | payloads.KioskWish | payloads.SignedOrder

PUBLIC: Final[Mapping[Topic, type[PublicValue]]] = {
    Topic.STATUS: payloads.Status,
    Topic.INFO: PublicInfo,
    Topic.STATE: PublicView,
    Topic.EVENT: PublicEvent,
    Topic.PRESENCE: payloads.Presence,
    Topic.KIOSK_IN: payloads.KioskNote,
    Topic.KIOSK_OUT: payloads.KioskWish,
    Topic.ARBITER_COMMAND: payloads.SignedOrder,
    Topic.ARBITER_ACK: payloads.ArbiterAck,
    Topic.ARBITER_ALERTS: payloads.Alerts,
    Topic.BRIDGE: payloads.Bridge,
}
"""What each topic carries in the clear. The other topics get their values with the issues that need them."""

_TOPIC_OF = {kind: topic for topic, kind in PUBLIC.items()}
_DECODERS = {topic: msgspec.json.Decoder(kind) for topic, kind in PUBLIC.items()}
_ID = re.compile(r"[A-Za-z0-9_-]{1,48}")
_MOST = 2**31 - 1
_PLACE = re.compile(r" - at `([^`]*)`$")


def _by_word(kinds: object) -> Mapping[str, type[msgspec.Struct]]:
    return {kind.__struct_config__.tag: kind for kind in get_args(kinds)}


FROM_HANDSET: Final = _by_word(FromHandset)
TO_HANDSET: Final = _by_word(ToHandset)
"""Type word -> message, in either direction."""

_INNER: Final[Mapping[tuple[type, str], type[msgspec.Struct]]] = {(SeatState, "question"): Question}
"""Fields that hold a message of their own, written as an array as well."""
_LATER: Final[Mapping[type, int]] = {Hello: 2, SeatState: 1}
"""Messages that got fields later, and how many: a sender of earlier days leaves them out."""


def encode_public(value: PublicValue) -> bytes:
    """Return the JSON of a public value; raises `MessageTooLongError` beyond the limit of its topic."""
    payload = msgspec.json.encode(value)
    most = _TOPIC_OF[type(value)].most_bytes
    if len(payload) > most:
        raise MessageTooLongError(f"{type(value).__name__} has {len(payload)} bytes, its topic takes {most}")
    return payload


def decode_public(topic: Topic, payload: bytes) -> PublicValue:
    """Return the value that a topic's payload means; raises `PayloadError`."""
    name = topic.value.rsplit("/", 1)[-1]
    if len(payload) > topic.most_bytes:
        raise PayloadError(f"{name}: {len(payload)} bytes are more than the {topic.most_bytes} that are read")
    try:
        value = _DECODERS[topic].decode(payload)
        sent = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(f"{name}: {_fault(error)}") from None
    # a dataclass decoder skips unknown fields; ours refuses them, so that a misspelt option is never silently lost
    if place := _unknown(sent, msgspec.to_builtins(value, str_keys=True), "$"):
        raise PayloadError(f"{name}: unknown field at {place}")
    return value


def decode_of_board(board: str, topic: Topic, payload: bytes) -> PublicValue:
    """Return what a board of a hall said; raises `PayloadError`, also where it speaks for another board."""
    value = decode_public(topic, payload)
    if isinstance(value, PublicInfo | PublicView) and value.board_id != board:
        raise PayloadError("a board speaks for another one")
    return value


def encode_body(message: FromHandset | ToHandset) -> bytes:
    """Return the array form of a message, to be sealed."""
    return msgspec.json.encode(_array(message))


def decode_body(body: bytes, kinds: Mapping[str, type[msgspec.Struct]]) -> FromHandset | ToHandset:
    """Return the message that an array means, one of `kinds`; raises `PayloadError`."""
    try:
        message = _message(msgspec.json.decode(body), kinds)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PayloadError(f"sealed message: {_fault(error)}") from None
    return cast("FromHandset | ToHandset", message)


def least_fields(kind: type[msgspec.Struct]) -> int:
    """Return how many fields a message needs to have: those that came later stand at its end and may be left out."""
    return len(kind.__struct_fields__) - _LATER.get(kind, 0)


def _array(message: msgspec.Struct) -> list[Any]:
    names = message.__struct_fields__
    while len(names) > least_fields(type(message)) and not getattr(message, names[-1]):
        names = names[:-1]  # who is of earlier days knows it without
    values = [getattr(message, name) for name in names]
    plain = [_array(value) if isinstance(value, msgspec.Struct) else msgspec.to_builtins(value) for value in values]
    return [message.__struct_config__.tag, *plain]


def _message(sent: object, kinds: Mapping[str, type[msgspec.Struct]]) -> msgspec.Struct:
    if not (isinstance(sent, list) and sent and isinstance(sent[0], str)):
        raise PayloadError("sealed message: not an array that starts with a type word")
    kind = kinds.get(sent[0])
    if kind is None:
        raise PayloadError("sealed message: unknown type word")
    names = kind.__struct_fields__[: max(least_fields(kind), len(sent) - 1)]
    # an answer repeats the id, so one that is too long would make an answer that does not fit its padding
    if len(sent) < 2 or not (isinstance(sent[1], str) and _ID.fullmatch(sent[1])):
        raise PayloadError(f"sealed message: the id of {sent[0]} is not 1 to 48 letters, digits, - and _")
    if len(sent) != len(names) + 1:
        raise PayloadError(f"sealed message: {sent[0]} has {len(names)} fields, not {len(sent) - 1}")
    fields: dict[str, Any] = dict(zip(names, sent[1:], strict=True))
    for name in names:
        inner = _INNER.get((kind, name))
        if inner is not None and fields[name] is not None:
            tag = str(inner.__struct_config__.tag)
            fields[name] = msgspec.to_builtins(_message(fields[name], {tag: inner}))
        # JSON has no end; a journal's integers do
        elif isinstance(fields[name], int) and not -1 < fields[name] <= _MOST:
            raise PayloadError(f"sealed message: does not fit at {name}")
    return msgspec.convert(fields, type=kind)


def _fault(error: Exception) -> str:
    """Return where it does not fit. What stood there is left out: it may be a rank."""
    if isinstance(error, msgspec.ValidationError):
        place = _PLACE.search(str(error))
        return f"does not fit at {place.group(1) if place else '$'}"
    return "not JSON"


def _unknown(sent: object, known: object, place: str) -> str | None:
    """Return the place of the first field in `sent` that `known` does not have."""
    if isinstance(sent, dict) and isinstance(known, dict):
        for key, value in sent.items():
            if key not in known:
                return place
            if found := _unknown(value, known[key], f"{place}.{key}"):
                return found
    elif isinstance(sent, list) and isinstance(known, list | tuple):
        for index, (one, other) in enumerate(zip(sent, known, strict=False)):
            if found := _unknown(one, other, f"{place}[{index}]"):
                return found
    return None
