"""`docs/asyncapi.yaml`: the source of `referee/net/topics/topic_rows.py`; its components follow from the message types.

    python -m tests.net.asyncapi_document      writes both anew; a test fails when one is stale

Part of the tests, since only they and the document need a YAML library.
"""

from __future__ import annotations

import re
import types
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import yaml

from referee.net.sealing.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD
from referee.net.topics import codec
from referee.net.topics.codec import FROM_HANDSET, PUBLIC, TO_HANDSET
from referee.net.topics.payloads import ArbiterOrder
from referee.table.messages import Heard, message_kind

ROOM = Path(__file__).resolve().parents[2]
PATH = ROOM / "docs" / "asyncapi.yaml"
MODULE = ROOM / "referee" / "net" / "topics" / "topic_rows.py"
Json = dict[str, Any]

_HEAD = """\
# Topics, roles, rights and limits are written here: `x-roles`, `channels` and `operations` make referee/net/topics/topic_rows.py, and
# the brokers' access rules from that. `components` is made from the message types. Both: python -m tests.net.asyncapi_document
"""
_FEW = 2
"""More readers of a topic than this are named once, before all topics."""
_MODULE_HEAD = """\
\"\"\"Who speaks MQTT, the topics, and who may do what: made from `docs/asyncapi.yaml` by `python -m tests.net.asyncapi_document`.

Apart from `topics`, which alone imports it: what is made as a whole has a file of its own.
\"\"\"

from __future__ import annotations

from enum import Enum

"""
_TOPIC_HEAD = '''\
class Topic(Enum):
    """The topics by name: address below the root (which is the value), who publishes, who may read, QoS, retain, the longest payload."""

    _value_: str
    publishes: Role
    reads: frozenset[Role]
    qos: int
    retain: bool
    most_bytes: int
    """The longest payload that a receiver looks at."""

    def __new__(cls, address: str, publishes: Role, reads: set[Role], qos: int, retain: bool, most_bytes: int) -> Topic:
        """Make a member; only its address is its value."""
        topic = object.__new__(cls)
        topic._value_, topic.publishes, topic.reads = address, publishes, frozenset(reads)
        topic.qos, topic.retain, topic.most_bytes = qos, retain, most_bytes
        return topic

'''


def written() -> Json:
    """Return the document as it is in its file."""
    return dict(yaml.load(PATH.read_text(), Loader=yaml.CSafeLoader))


def document() -> Json:
    """Return the document as it has to be: its written part, and the components made from the code."""
    return {**written(), "components": {"messages": _messages(), "schemas": _schemas()}}


def module(source: Json) -> str:
    """Return the Python module made from a document's roles, channels and operations."""
    start = f"hallmarshal/{source['info']['version']}/"
    operations = {each["channel"]["$ref"].rpartition("/")[2]: each for each in source["operations"].values()}
    roles = "".join(f'    {role.upper()} = "{role}"\n    """{about}"""\n' for role, about in source["x-roles"].items())
    topics, readers = "", dict[str, str]()
    for name, channel in source["channels"].items():
        member, address, mqtt = _member(name), channel["address"], operations[name]["bindings"]["mqtt"]
        assert address.startswith(start), address
        reads = "{" + ", ".join(f"Role.{role.upper()}" for role in channel["x-reads"]) + "}"
        if len(channel["x-reads"]) > _FEW:
            readers.setdefault(reads, f"_READ_{member}")
        right = (
            f'"{address.removeprefix(start)}"',
            f"Role.{channel['x-publishes'].upper()}",
            readers.get(reads, reads),
        )
        row = ", ".join((*right, *map(str, (mqtt["qos"], mqtt["retain"], channel["x-most-bytes"]))))
        topics += f'    {member} = {row}\n    """{channel["description"]}"""\n'
    named = "".join(f"{name} = {reads}\n" for reads, name in readers.items())
    return (
        f'{_MODULE_HEAD}ROOT = "{start.rstrip("/")}"\n'
        '"""The number is the version of everything below; an incompatible change gets another one and lives beside it."""\n\n\n'
        f'class Role(Enum):\n    """Who speaks MQTT."""\n\n{roles}\n\n'
        f'{named}"""Who reads the topic of that name, and other topics too."""\n\n\n'
        f"{_TOPIC_HEAD}{topics}"
    )


def _member(name: str) -> str:
    """Return the Python name of a channel: `seatIn` is `SEAT_IN`."""
    return re.sub(r"([A-Z])", r"_\1", name).upper()


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
    """Return the size in bytes that a message type is padded to before sealing."""
    blank = kind(*[None] * len(kind.__struct_fields__))  # only its type is looked at
    return message_kind(blank).value  # type: ignore[arg-type]  # one of the messages, says the caller


def _schemas() -> Json:
    public: list[Any] = [*PUBLIC.values(), ArbiterOrder]
    _, found = msgspec.json.schema_components(public, ref_template="#/components/schemas/{name}")
    schemas: Json = {key: _closed(schema) for key, schema in sorted(found.items())}
    schemas["Heard"] = _fields(Heard, [])
    for word, kind in {**TO_HANDSET, **FROM_HANDSET}.items():
        schemas[kind.__name__] = _array(word, kind)
    return schemas


def _closed(schema: Json) -> Json:
    """Return a schema that refuses unknown fields, as the codec does for dataclasses."""
    if "properties" not in schema:
        return schema
    # msgspec writes a discriminator as OpenAPI has it, which AsyncAPI has not; `type` is a constant in each anyway
    fields = {
        name: {k: v for k, v in field.items() if k != "discriminator"} for name, field in schema["properties"].items()
    }
    return {**schema, "properties": fields, "additionalProperties": False}


def _array(word: str, kind: type[msgspec.Struct]) -> Json:
    """Return the schema of a sealed body: a type word, the id, then the fields in order."""
    return {**_fields(kind, [{"const": word}]), "minItems": 1 + codec.least_fields(kind)}


def _fields(kind: type[msgspec.Struct], items: list[Json]) -> Json:
    """Return the schema of an array of these items and then the fields in order."""
    hints = get_type_hints(kind)
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
    assert set(found) <= {"Rank", "Seat", "QuestionKind", "PublicEvent", "Heard"}, found
    if "QuestionKind" in found:
        return {"enum": found["QuestionKind"]["enum"]}
    return dict(schema)


class _Plain(yaml.SafeDumper):
    """Writes every value where it stands, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: nothing is written as a reference to an earlier place."""
        return True


def text() -> str:
    """Return the text of the document's file."""
    return _HEAD + yaml.dump(document(), Dumper=_Plain, sort_keys=False, width=130, allow_unicode=True)


if __name__ == "__main__":
    MODULE.write_text(module(written()))
    PATH.write_text(text())
