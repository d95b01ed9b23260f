"""The documents of this room say what the code does."""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml

from referee.journal.events import EVENTS
from referee.net.broker import dynsec
from referee.net.sealing.sealing import LARGE_PAYLOAD, SMALL_PAYLOAD
from referee.net.topics.codec import FROM_HANDSET, PUBLIC, TO_HANDSET, encode_body, encode_public
from referee.net.topics.payloads import KioskNote, KioskWish, Presence
from referee.net.topics.topics import ROOT, Role, Topic, address
from referee.rules.values import Seat
from tests.net import asyncapi_checks, asyncapi_document
from tests.net.hall import BOARD, event, info, view

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
MESSAGES = (REFERENCE / "messages.md").read_text()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Return the document as read from its file."""
    return dict(yaml.safe_load(asyncapi_document.PATH.read_text()))


def test_what_follows_from_the_document_is_fresh(document: dict[str, Any]) -> None:
    """Its topics and roles are those of the code, its components those of the messages; `python -m tests.net.asyncapi_document`."""
    assert asyncapi_document.MODULE.read_text() == asyncapi_document.module(document)
    assert asyncapi_document.PATH.read_text() == asyncapi_document.text()


def test_the_document_is_the_source(document: dict[str, Any]) -> None:
    """A reader, a role, a limit that is changed there is changed in the code that is made from it."""
    changed = copy.deepcopy(document)
    changed["channels"]["state"]["x-reads"].append("spectator")
    changed["channels"]["seatIn"]["x-most-bytes"] = 77
    changed["operations"]["publishKioskIn"]["bindings"]["mqtt"]["retain"] = True
    changed["x-roles"]["cook"] = "Brings coffee."
    made: dict[str, Any] = {"__name__": "made"}
    exec(asyncapi_document.module(changed), made)
    topic, role = made["Topic"], made["Role"]
    assert role.SPECTATOR in topic.STATE.reads
    assert (topic.SEAT_IN.most_bytes, topic.KIOSK_IN.retain, role("cook").name) == (77, True, "COOK")
    assert Role.SPECTATOR not in Topic.STATE.reads


def test_the_document_says_what_each_topic_carries(document: dict[str, Any]) -> None:
    """The kinds of messages of a channel are those that the codec takes there."""
    carried = {topic: {kind.__name__} for topic, kind in PUBLIC.items()}
    carried[Topic.SEAT_IN] = {kind.__name__ for kind in TO_HANDSET.values()}
    carried[Topic.SEAT_OUT] = {kind.__name__ for kind in FROM_HANDSET.values()}
    for topic, channel in zip(Topic, document["channels"].values(), strict=True):
        assert set(channel.get("messages", {})) == carried.get(topic, set())
        for name, message in channel.get("messages", {}).items():
            assert message == {"$ref": f"#/components/messages/{name}"}


def test_the_document_is_what_asyncapi_wants() -> None:
    """Their own schema, unchanged, has nothing against it; and would have, had we misspelt a field or a word."""
    assert hashlib.sha256(asyncapi_checks.schema()).hexdigest().startswith("acefdddecb79")
    assert asyncapi_checks.faults(asyncapi_checks.document()) == []
    for place, value in (
        ("channels/status/addres", "x"),
        ("operations/publishStatus/action", "shout"),
        ("info/version", 1),
    ):
        broken: Any = copy.deepcopy(asyncapi_checks.document())
        *way, last = place.split("/")
        part = broken
        for step in way:
            part = part[step]
        part[last] = value
        assert asyncapi_checks.faults(broken)


def test_payloads_are_as_the_document_says() -> None:
    """What is published fits the schema of its topic; an unknown field, or a word of the wrong kind, does not."""
    for value in (
        info(),
        view(7),
        event(8),
        Presence(True),
        KioskNote("join", "x", Seat.RED),
        KioskWish("pair", "red"),
    ):
        (topic,) = [topic for topic, kind in PUBLIC.items() if isinstance(value, kind)]
        where, payload = address(topic, BOARD, Seat.RED), encode_public(value)
        assert asyncapi_checks.undescribed(BOARD, where, payload) is None
        assert asyncapi_checks.undescribed(BOARD, where, payload.replace(b"{", b'{"more":1,', 1)) is not None
    assert asyncapi_checks.undescribed(BOARD, f"{ROOT}/boards/{BOARD}/pub/other", b"{}") is not None


def test_the_document_names_every_topic_once(document: dict[str, Any]) -> None:
    """Version, addresses, QoS, retain, publisher and readers, read from the file, are those of the table."""
    assert document["asyncapi"] == "3.0.0"
    rows = {f"{ROOT}/{topic.value}": topic for topic in Topic}
    assert {channel["address"] for channel in document["channels"].values()} == set(rows)
    for operation in document["operations"].values():
        channel = document["channels"][operation["channel"]["$ref"].removeprefix("#/channels/")]
        row = rows[channel["address"]]
        mqtt = operation["bindings"]["mqtt"]
        assert (mqtt["qos"], mqtt["retain"]) == (row.qos, row.retain)
        assert (channel["x-publishes"], channel["x-most-bytes"]) == (row.publishes.value, row.most_bytes)
        assert {Role(word) for word in channel["x-reads"]} == row.reads


def test_every_reference_in_the_document_leads_somewhere(document: dict[str, Any]) -> None:
    """No `$ref` points at nothing."""

    def references(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if "$ref" in value else []
            return own + [found for inner in value.values() for found in references(inner)]
        return [found for inner in value for found in references(inner)] if isinstance(value, list) else []

    found = references(document)
    assert found
    for reference in found:
        place: Any = document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_every_message_stands_in_the_document_with_its_size(document: dict[str, Any]) -> None:
    """The array form in the document has the type word first, then the fields in order; the size is that of its padding."""
    for word, kind in {**FROM_HANDSET, **TO_HANDSET}.items():
        items = document["components"]["schemas"][kind.__name__]["items"]
        assert items[0] == {"const": word}
        assert [item["title"] for item in items[1:]] == list(kind.__struct_fields__)
        assert document["components"]["messages"][kind.__name__]["x-bytes"] in (SMALL_PAYLOAD, LARGE_PAYLOAD)
    assert encode_body(FROM_HANDSET["hello"](id="x")) == b'["hello","x"]'  # type: ignore[arg-type]  # chosen by name


def test_access_rules_are_those_of_the_document(document: dict[str, Any]) -> None:
    """What the broker lets a role do is exactly what the document says of it, address by address."""
    wanted: dict[str, set[tuple[str, str]]] = {}
    for channel in document["channels"].values():
        if "{event}" in channel["address"]:
            continue
        for seat in [each.value for each in Seat] if "{seat}" in channel["address"] else [""]:
            address = channel["address"].format(board="b1", seat=seat)
            for kind, roles in (("send", [channel["x-publishes"]]), ("read", channel["x-reads"])):
                for role in roles:
                    seats = [seat] if seat else [each.value for each in Seat]
                    for holder in seats if role == "handset" else [role]:
                        wanted.setdefault(holder, set()).add((kind, address))
    for role in dynsec.config("b1", {})["roles"]:
        if role["rolename"] == dynsec.control_user("b1"):
            continue
        kinds = {"publishClientSend": "send", "publishClientReceive": "read", "subscribePattern": "read"}
        assert {(kinds[rule["acltype"]], rule["topic"]) for rule in role["acls"]} == wanted[
            role["rolename"].removeprefix("b1.")
        ]


@pytest.mark.parametrize("word", [*FROM_HANDSET, *TO_HANDSET])
def test_the_reference_explains_every_message(word: str) -> None:
    """Each type word has its line in docs/reference/messages.md, with all fields in order."""
    kind = {**FROM_HANDSET, **TO_HANDSET}[word]
    fields = ", ".join(f"`{name}`" for name in kind.__struct_fields__[1:]) or "none"
    assert f"| `{word}` | {fields} |" in MESSAGES


@pytest.mark.parametrize("word", EVENTS)
def test_the_references_explain_every_event(word: str) -> None:
    """Each type of event has its line in docs/reference/journal.md."""
    assert f"| `{word}` |" in (REFERENCE / "journal.md").read_text()


@pytest.mark.parametrize("topic", Topic, ids=lambda topic: topic.name)
def test_the_reference_names_every_topic(topic: Topic) -> None:
    """Each topic has its line in docs/reference/messages.md."""
    assert f"| `{topic.value}` |" in MESSAGES
