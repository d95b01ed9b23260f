"""Builds `docs/asyncapi.yaml` from the code: the table of topics, the message types and their JSON schemas.

    python -m tests.link.asyncapi_document      writes the file anew; a test fails when it is stale

Part of the tests, since only they and the document need a YAML library.
"""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import yaml

from referee.arbitration.messages import message_kind
from referee.link import codec
from referee.link.codec import FROM_HANDSET, PUBLIC, TO_HANDSET
from referee.link.orders import ArbiterOrder
from referee.link.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD
from referee.link.topics import ROOT, ROWS, Topic, TopicRow

PATH = Path(__file__).resolve().parents[2] / "docs" / "asyncapi.yaml"
Json = dict[str, Any]

DESCRIPTION = """\
What a referee, its handsets, the kiosk and the arbiter's station say to each other over MQTT 3.1.1. The table of topics in
`referee/link/topics.py` is the source; access rules of the broker are generated from the same. Public values are JSON objects. What
goes to and from one seat is sealed (docs/reference/messages.md): a NaCl box around a JSON array, 296 or 4136 bytes long whatever is
inside. Unknown fields are refused.
"""

ABOUT: dict[Topic, str] = {
    Topic.STATUS: "Whether the referee is there; also its last will.",
    Topic.INFO: "What stays the same for a whole game.",
    Topic.STATE: "All that everybody may see of the table at this moment.",
    Topic.EVENT: "What happened, numbered without gaps; after a gap the state is to be read again.",
    Topic.SEAT_IN: "Letters of the referee to one seat, sealed.",
    Topic.SEAT_OUT: "Messages of one seat's handset, sealed.",
    Topic.PRESENCE: "Whether a seat's handset is there; also its last will.",
    Topic.KIOSK_IN: "What the kiosk shows besides the views: join links, six digits, prompts.",
    Topic.KIOSK_OUT: "What was tapped on the kiosk.",
    Topic.ARBITER_COMMAND: "What an arbiter orders, signed by the station; `order` holds the JSON of an ArbiterOrder.",
    Topic.ARBITER_ACK: "What became of an order.",
    Topic.ARBITER_ALERTS: "What needs an arbiter now, most urgent first.",
    Topic.BRIDGE: "Whether the table's own broker is joined to the hall's: 1, or 0, which is also its last will. Said by Mosquitto.",
    Topic.DIAGNOSIS: "For engineers, off by default; never a raw amplitude while a game is played.",
    Topic.TOURNAMENT: "A tournament's pairings and results; described with the station.",
    Topic.SPECTATORS: "A delayed copy of a board's public topics.",
}


def document() -> Json:
    """Give the whole document as plain values."""
    schemas, messages = _schemas(), _messages()
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Hallmarshal",
            "version": ROOT.rsplit("/", 1)[-1],
            "description": " ".join(DESCRIPTION.split()),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {name(row.topic): _channel(row) for row in ROWS},
        "operations": {f"publish{name(row.topic)[0].upper()}{name(row.topic)[1:]}": _operation(row) for row in ROWS},
        "components": {"messages": messages, "schemas": schemas},
    }


def name(topic: Topic) -> str:
    """Give a topic's name in the document (`seatIn`)."""
    first, *rest = topic.name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def _channel(row: TopicRow) -> Json:
    address = f"{ROOT}/{row.topic.value}"
    channel: Json = {"address": address, "description": ABOUT[row.topic]}
    blanks = [blank for blank in ("board", "seat", "event") if "{" + blank + "}" in address]
    if blanks:
        channel["parameters"] = {blank: PARAMETERS[blank] for blank in blanks}
    carried = _carried(row.topic)
    if carried:
        channel["messages"] = {message: {"$ref": f"#/components/messages/{message}"} for message in carried}
    channel["x-publishes"] = row.publishes.value
    channel["x-reads"] = sorted(role.value for role in row.reads)
    channel["x-most-bytes"] = row.most_bytes
    return channel


PARAMETERS: dict[str, Json] = {
    "board": {"description": "The board's id: 1 to 64 letters, digits, - and _."},
    "seat": {"enum": ["red", "blue", "green", "yellow"]},
    "event": {"description": "The tournament's name: 1 to 64 letters, digits, - and _."},
}


def _operation(row: TopicRow) -> Json:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{name(row.topic)}"},
        "bindings": {"mqtt": {"qos": row.qos, "retain": row.retain, "bindingVersion": "0.2.0"}},
    }


def _carried(topic: Topic) -> list[str]:
    if topic in PUBLIC:
        return [PUBLIC[topic].__name__]
    if topic is Topic.SEAT_IN:
        return [kind.__name__ for kind in TO_HANDSET.values()]
    if topic is Topic.SEAT_OUT:
        return [kind.__name__ for kind in FROM_HANDSET.values()]
    return []


def _messages() -> Json:
    public = {kind.__name__: {"payload": {"$ref": f"#/components/schemas/{kind.__name__}"}} for kind in PUBLIC.values()}
    sealed = {kind.__name__: _sealed(kind) for kind in (*TO_HANDSET.values(), *FROM_HANDSET.values())}
    return {**public, **sealed}


def _sealed(kind: type[msgspec.Struct]) -> Json:
    return {
        "summary": (kind.__doc__ or "").strip().splitlines()[0],
        "contentType": "application/octet-stream",
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
        "x-bytes": LARGE_PAYLOAD if size_of(kind) == 4096 else SMALL_PAYLOAD,
    }


def size_of(kind: type[msgspec.Struct]) -> int:
    """Give the plain size that a message type is padded to."""
    blank = kind(*[None] * len(kind.__struct_fields__))  # only its type is looked at
    return message_kind(blank).value  # type: ignore[arg-type]  # one of the messages, says the caller


def _schemas() -> Json:
    public: list[Any] = [*PUBLIC.values(), ArbiterOrder]
    _, found = msgspec.json.schema_components(public, ref_template="#/components/schemas/{name}")
    schemas: Json = {key: _closed(schema) for key, schema in sorted(found.items())}
    for word, kind in {**TO_HANDSET, **FROM_HANDSET}.items():
        schemas[kind.__name__] = _array(word, kind)
    return schemas


def _closed(schema: Json) -> Json:
    """Say that unknown fields are refused, which the codec does for dataclasses as well."""
    if "properties" not in schema:
        return schema
    # msgspec writes a discriminator as OpenAPI has it, which AsyncAPI has not; `type` is a constant in each anyway
    fields = {
        name: {k: v for k, v in field.items() if k != "discriminator"} for name, field in schema["properties"].items()
    }
    return {**schema, "properties": fields, "additionalProperties": False}


def _array(word: str, kind: type[msgspec.Struct]) -> Json:
    """Give the schema of a sealed body: a type word, the id, then the fields in order."""
    hints = get_type_hints(kind)
    items: list[Json] = [{"const": word}]
    for field in kind.__struct_fields__:
        inner = codec._INNER.get((kind, field))
        if inner is not None:
            schema: Json = {"anyOf": [{"type": "null"}, {"$ref": f"#/components/schemas/{inner.__name__}"}]}
        else:
            schema = _plain(hints[field])
        items.append({"title": field, **schema})
    return {
        "description": " ".join((kind.__doc__ or "").split()),
        "type": "array",
        "items": items,
        "additionalItems": False,
        "minItems": len(items),
    }


def _plain(hint: Any) -> Json:
    assert isinstance(hint, type | types.GenericAlias | types.UnionType) or get_args(hint), hint
    (schema,), found = msgspec.json.schema_components([hint], ref_template="#/components/schemas/{name}")
    assert set(found) <= {"Rank", "Seat", "QuestionKind"}, found
    if "QuestionKind" in found:
        return {"enum": found["QuestionKind"]["enum"]}
    return dict(schema)


class _Plain(yaml.SafeDumper):
    """Writes every value where it stands, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Say that nothing is to be written as a reference to an earlier place."""
        return True


def text() -> str:
    """Give the file's content."""
    head = "# Generated from the code by `python -m tests.link.asyncapi_document`; never edit it by hand.\n"
    return head + yaml.dump(document(), Dumper=_Plain, sort_keys=False, width=130, allow_unicode=True)


if __name__ == "__main__":
    PATH.write_text(text())
